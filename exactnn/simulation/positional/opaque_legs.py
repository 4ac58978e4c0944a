"""The legs of a macro machine in plain Python, which need nothing that takes long to load."""

from gmpy2 import mpq

from exactnn.networks import Input, Network
from exactnn.simulation.positional.macro_machine import Cut, Leg, MacroState, heads_with
from exactnn.simulation.positional.opaque import Opaque, OpaqueSteps
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import LIVE, Status

__all__ = ["OpaqueLegs"]


class OpaqueLegs:
    """Legs of a network, for limbs and heads of the lengths of `radix`; at most `longest` digits before a step."""

    def __init__(self, network: Network, longest: int, given: Input, radix: Radix) -> None:
        self.radix, self.longest = radix, longest
        self._steps = OpaqueSteps(network, given)
        self._places: dict[mpq, tuple[int, int] | None] = {}

    def load(self, values: tuple[mpq, ...]) -> tuple[tuple[Status, ...], list[Cut]] | None:
        """Return the pattern of a state, and its numbers that are not 0 or 1; None if these are no numerals."""
        return self._cut([Opaque(value, {}) for value in values])

    def take(self, state: MacroState, limb: int, last: bool, steps: int) -> Leg | None:
        """Take up to `steps` steps from a state that has got the limb it wants; None if it cannot be done."""
        found = heads_with(state, limb, last, self.radix, self.longest)
        if found is None:
            return None
        heads, begin = iter(found), []
        for status in state.statuses:
            if status < LIVE:
                begin.append(Opaque(mpq(status), {}))
                continue
            head, places, sign, stack = next(heads)
            over = self.radix.base**places
            begin.append(Opaque(mpq(head, over), {} if stack < 0 else {stack: mpq(sign, over)}))
        stretch = self._steps.run(begin, steps)
        end, wanted = self._cut(stretch.values), -1 if stretch.touched is None else stretch.touched
        return None if end is None else Leg(stretch.steps, stretch.outputs, *end, wanted, stretch.decided, stretch.left)

    def _cut(self, values: list[Opaque]) -> tuple[tuple[Status, ...], list[Cut]] | None:
        statuses, numbers = [], []
        for value in values:
            status = value.status()
            assert status is not None, "a state whose pattern its tails decide"
            statuses.append(status)
            if status >= LIVE:
                number = self._number(value)
                if number is None:
                    return None
                numbers.append(number)
        return tuple(statuses), numbers

    def _number(self, value: Opaque) -> Cut | None:
        """Return a number as a head over limbs and a tail; None if it is none."""
        radix = self.radix
        if not value.tails:
            cut = radix.cut(value.constant)
            return None if cut is None else Cut(*cut[:2], 1, 0, cut[2])
        if len(value.tails) > 1:
            return None
        ((label, factor),) = value.tails.items()
        if factor not in self._places:
            self._places[factor] = self._power(factor)
        found = self._places[factor]
        if found is None:
            return None
        places, sign = found
        head = value.constant * radix.base**places
        return Cut(int(head), places, sign, label + 1, []) if head.denominator == 1 else None

    def _power(self, factor: mpq) -> tuple[int, int] | None:
        """Return (places, sign) with factor = sign / base**places; None if it is no such number."""
        places, sign = self.radix.places(factor), 1 if factor > 0 else -1
        return (places, sign) if places is not None and factor * sign * self.radix.base**places == 1 else None
