"""What several steps of a program come to, as far as a few digits of its long numbers tell, and for which numbers.

A step shifts numbers, turns them and adds constants, and so do several. The program is followed with an interval for
each number, that which its leading digits leave open, as long as the look-ups of a step come out the same for all of
the interval. On the way it is noted on how many of the digits they depend.
"""

from dataclasses import dataclass
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import SLOT
from exactnn.simulation.positional.program import Program

__all__ = ["End", "Form", "SeveralSteps"]


class Form(NamedTuple):
    """What a slot holds, in the number x that a slot held at first: sign * base**shift * x + constant."""

    source: int
    sign: int
    shift: int
    constant: mpq


@dataclass(frozen=True, slots=True)
class End:
    """Where some steps lead: the node, how many steps, what the slots hold, how many digits of them were looked at."""

    node: int
    steps: int
    forms: dict[int, Form]
    seen: dict[int, int]


class SeveralSteps:
    """Steps of a program of which `digits` leading digits of the numbers are known at first.

    Those of a number q / base**digits are given by the entry 2q, those of a number between it and the next by 2q+1.
    """

    def __init__(self, program: Program, digits: int) -> None:
        self.program = program
        self.digits = digits
        self._powers: dict[int, mpq] = {}
        self.zero = SLOT * (program.slots - 1)
        """The slot of the number 0."""
        self._looks: dict[int, list[tuple[int, int, int]] | None] = {}  # of nodes: what they look at
        self._moves: dict[int, list[tuple[int, Form]]] = {}  # of transitions: what is written into which slots

    def ends(self, node: int, entries: dict[int, int], most: int) -> list[End] | None:
        """Return where one, two, ... steps from a node lead, up to `most` and as far as the entries of its slots tell.

        Between them all outputs are that at the beginning. None if the program is not complete for these steps yet.
        """
        code = self.program.code.array
        output = code[node + words.N_OUTPUT]
        forms = {slot: Form(slot, 1, 0, mpq(0)) for slot in (*entries, self.zero)}
        seen = dict.fromkeys(entries, 0)
        found: list[End] = []
        while len(found) < most:
            case = self._case(node, forms, entries, seen)
            if case is None:
                break
            transition = int(code[code[node + words.N_TABLE] + case])
            if not transition:
                return None
            for destination, form in self._moves_of(transition):
                forms[destination] = self._after(form, forms[form.source])
            node, written = code[transition : transition + words.T_OUTPUT + 1].tolist()
            if written == words.UNFIXED:
                break
            if written != words.WITHIN:
                found.append(End(node, len(found) + 1, forms.copy(), seen.copy()))
                if written != output:
                    break
        return found

    def move(self, form: Form) -> tuple[int, int, int, int] | None:
        """Return a form as the words of a move, (turned, shift, twice, places).

        None if the digits or the machine word do not suffice.
        """
        program = self.program
        places = program.radix.places(form.constant)
        assert places is not None
        shift = form.shift
        if form.source == self.zero:
            shift = 1 - places  # the slot has one digit
        elif shift + places > self.digits:
            return None
        number = int(form.constant * self._power(places))
        if not program.radix.fits(number, places, shift):
            return None
        return min(form.sign, 0), shift, 2 * number, places

    def _power(self, exponent: int) -> mpq:
        """Return a power of the base."""
        if exponent not in self._powers:
            self._powers[exponent] = mpq(self.program.radix.base) ** exponent
        return self._powers[exponent]

    def _case(self, node: int, forms: dict[int, Form], entries: dict[int, int], seen: dict[int, int]) -> int | None:
        """Return the case of a node; None if the entries do not tell. Note in `seen` how many digits of them do."""
        looks = self._looks_of(node)
        if looks is None:
            return None
        code, case = self.program.code.array, 0
        for slot, digits, lookup in looks:
            form = forms[slot]
            entry = self._entry(form, digits, entries)
            if entry is None:
                return None
            if form.source != self.zero:
                seen[form.source] = max(seen[form.source], self._digits_seen(form, digits))
            case += int(code[lookup + entry])
        return case

    def _looks_of(self, node: int) -> list[tuple[int, int, int]] | None:
        """Return slot, digits and table of each look-up of a node; None if it has rows, or is outside."""
        if node not in self._looks:
            code = self.program.code.array
            header = code[node : node + words.HEADER].tolist()
            first = node + words.HEADER
            sources = code[first : first + words.SOURCE * header[words.N_SOURCES]].reshape(-1, words.SOURCE).tolist()
            outside = header[words.N_ROWS] or header[words.N_OUTSIDE] or header[words.N_PLACES]
            looks = [(slot, digits, lookup) for slot, _, digits, lookup in sources if digits >= 0]
            self._looks[node] = None if outside else looks
        return self._looks[node]

    def _digits_seen(self, form: Form, digits: int) -> int:
        """Return how many digits of its source tell so many of a form, if `self.digits` do.

        They leave it open between two neighbouring multiples of base**-p, with p the larger of `digits` and the places
        of its constant. No multiple of base**-digits lies between those.
        """
        places = self.program.radix.places(form.constant)
        assert places is not None
        return min(self.digits, max(0, max(digits, places) + form.shift))

    def _entry(self, form: Form, digits: int, entries: dict[int, int]) -> int | None:
        """Return the entry of a form by so many digits; None if the entry of its source does not tell."""
        low = high = form.constant * self._power(digits)
        if form.source != self.zero:
            entry = entries[form.source]
            scale = self._power(form.shift - self.digits + digits)
            low += scale * (form.sign * ((entry + (form.sign < 0)) // 2))
            high = low + scale if entry % 2 else low
        leading = int(low.numerator // low.denominator)
        if low == high:
            return 2 * leading + (low != leading)
        return 2 * leading + 1 if high <= leading + 1 else None

    def _moves_of(self, transition: int) -> list[tuple[int, Form]]:
        """Return the slots that a transition writes, with forms in those that it reads."""
        if transition not in self._moves:
            code, first = self.program.code.array, transition + words.T_FIRST
            moves = code[first : first + words.MOVE * int(code[transition + words.T_MOVES])].tolist()
            self._moves[transition] = [
                (destination, Form(source, turned | 1, shift, twice / (2 * self._power(places))))
                for source, turned, shift, twice, places, destination in zip(*[iter(moves)] * words.MOVE, strict=True)
            ]
        return self._moves[transition]

    def _after(self, form: Form, first: Form) -> Form:
        """Return a form of what a first one gives."""
        constant = form.constant
        if first.constant:
            constant += form.sign * self._power(form.shift) * first.constant
        return Form(first.source, form.sign * first.sign, form.shift + first.shift, constant)
