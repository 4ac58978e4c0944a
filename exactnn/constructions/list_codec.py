"""Between configurations of the list machine and states of its network."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import DigitCount, LazyNumber, LazyReal
from exactnn.automata import LOST, ListConfiguration, ListState, Symbol
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import Phase
from exactnn.constructions.gated_rules import GatedRule, state_component
from exactnn.constructions.stacks import HALF, read_vector, readable, write_vector
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["CONTROLS", "ListCodec", "ListMark"]

CONTROLS: tuple[Hashable, ...] = (Phase.LOAD, *(ListState[name] for name in ListState.__members__))
"""The states of the network."""


class ListMark(Enum):
    """What stacks hold besides letters; no letter of an alphabet can be one."""

    BOTTOM = "$"
    SEPARATOR = "#"
    END = "!"

    def __str__(self) -> str:
        return self.value


class ListCodec:
    """Reads and writes states of the network.

    Parameters
    ----------
    letters : tuple of str
    base : int
    rules : sequence of GatedRule
    forms : mapping component -> Affine
        The components of the step's state over the units.
    units : sequence of hashable
    listed : mapping symbol -> LazyReal
        The real of each symbol of the list.
    """

    def __init__(
        self,
        letters: tuple[Symbol, ...],
        base: int,
        rules: Sequence[GatedRule],
        forms: Mapping[Hashable, Affine],
        units: Sequence[Hashable],
        listed: Mapping[Hashable, LazyReal],
    ) -> None:
        self._letters = letters
        self._base = base
        self._rules = rules
        self._forms = forms
        self._units = units
        self._listed = listed

    def decode(self, state: Values, cells: int | None) -> ListConfiguration:
        """Return the configuration that `state` stands for."""
        units = _readable(self._units, state)
        active = [q for q in CONTROLS if self._forms[state_component(q)].at(units) > HALF]
        left, right = (self._word(stack, units, cells) for stack in ("left", "right"))
        name = str(active[0]) if len(active) == 1 else LOST
        return ListConfiguration(state=name, left=left, right=right, listed=self._popped(units))

    def encode(self, configuration: ListConfiguration) -> Values:
        """Return a state that stands for `configuration`."""
        if not isinstance(configuration, ListConfiguration) or configuration.listed is None:
            raise ConstructionError(f"{shown(configuration)} is no configuration of a list machine with its place")
        for symbol in (*configuration.left, *configuration.right):
            if symbol not in self._letters:
                raise ConstructionError(f"symbol {shown(symbol)} is unknown to the network")
        entered = [i for i, rule in enumerate(self._rules) if str(rule.target) == configuration.state]
        if not entered:
            raise ConstructionError(f"state {shown(configuration.state)} is unknown to the network")
        self._draw(configuration.listed)
        number = entered[0]
        values: dict[Hashable, mpq | LazyNumber] = {}
        values["rule", number, state_component(self._rules[number].target)] = mpq(1)
        symbols = (*self._letters, ListMark.BOTTOM)
        for stack, word in (("left", configuration.left), ("right", configuration.right)):
            content = write_vector((*word, ListMark.BOTTOM), symbols, self._base)
            values |= {("rule", number, (stack, a)): value for a, value in content.items()}
        for a, real in self._listed.items():
            rest = LazyNumber(constant=mpq(0), terms=((real, configuration.listed, mpq(1)),))
            values["rule", number, ("list", a)] = rest
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    def _draw(self, digits: int) -> None:
        stream = next(iter(self._listed.values())).stream
        if digits < 0 or (digits > 0 and stream.at(digits - 1) is None):
            raise ConstructionError(f"{shown(digits)} digits cannot be popped: {stream.name} has {stream.drawn}")

    def _word(self, stack: str, units: Mapping[Hashable, Any], cells: int | None) -> tuple[Symbol, ...]:
        values = {a: self._forms[stack, a].at(units) for a in (*self._letters, ListMark.BOTTOM)}
        symbols = read_vector(values, self._base, ListMark.BOTTOM, cells)
        return tuple(a for a in symbols if isinstance(a, Symbol))

    def _popped(self, units: Mapping[Hashable, Any]) -> int | None:
        """Return how many digits of the list the stack no longer has, or None if it is no rest of the list."""
        reals = list(self._listed.values())
        count = DigitCount()
        drawn = reals[0].stream.drawn
        count.tail(reals[0], 0, drawn + reals[0].stream.ended)
        found = [_after(self._forms["list", a].at(units), count) for a in self._listed]
        for popped in self._places(drawn, {c for _, coefficients in found for c in coefficients}):
            rest = (LazyNumber(constant=mpq(0), terms=((real, popped, mpq(1)),)) for real in reals)
            if [_after(number, count) for number in rest] == found:
                return popped
        return None

    def _places(self, drawn: int, coefficients: set[mpq]) -> Iterable[int]:
        """Return where the rest of the list may begin: base^-k times what follows is k digits before that."""
        if not coefficients:
            # All is rational: the list has ended, or these are no reals.
            return range(drawn, -1, -1) if next(iter(self._listed.values())).stream.ended else ()
        popped, coefficient = drawn, coefficients.pop()
        while coefficient < 1 and popped > 0:
            popped, coefficient = popped - 1, coefficient * self._base
        return [popped]


def _after(number: mpq | LazyNumber, count: DigitCount) -> tuple[mpq, tuple[mpq, ...]]:
    """Return a number as a constant and coefficients of what follows the digits of `count`: equal if it is the same."""
    if isinstance(number, LazyNumber):
        number = LazyNumber(constant=number.constant, terms=number.terms, count=count).rewritten()
    if isinstance(number, LazyNumber):
        return number.constant, tuple(coefficient for _, _, coefficient in number.terms)
    return number, ()


def _readable(units: Iterable[Hashable], values: Iterable[Any]) -> dict[Hashable, Any]:
    """Return the units that are not zero with exact values, lazily refined ones as they are."""
    pairs = list(zip(units, values, strict=True))
    lazy = {unit: value for unit, value in pairs if isinstance(value, LazyNumber)}
    rest = [(unit, value) for unit, value in pairs if unit not in lazy]
    return lazy | readable([unit for unit, _ in rest], [value for _, value in rest])
