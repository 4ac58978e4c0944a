"""Between configurations of a tape machine and states of its network on the unit square."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, fraction_digits
from exactnn.automata import LEFT_END, LOST, State, Symbol, TapeConfiguration, tape_configuration
from exactnn.constructions.carmantini_plan import PLACE, CarmantiniPlan, X, Y, before
from exactnn.constructions.construction import Codec, Configuration, Phase
from exactnn.constructions.long_stacks import count_scalar, leading_digits, length_in
from exactnn.constructions.stacks import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["CarmantiniCodec"]


class CarmantiniCodec(Codec):
    """Reads and writes the states of the network that a plan describes."""

    def __init__(self, plan: CarmantiniPlan) -> None:
        self._plan = plan
        self._units = list(plan.configuration())
        self._left_symbols = plan.map.shift.left_symbols
        self._bounded = LEFT_END in self._left_symbols

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        head, rest = self._head(values)
        _, _, base = self._plan.map.bases
        right = self._symbols(values.get(Y, mpq(0)), base, self._plan.symbols, None if cells is None else cells + 1)
        scanned, *beyond = right or [self._plan.machine.blank_symbol]
        return tape_configuration(
            self._plan.machine, self._state(head, values), self._left(head, rest, cells), scanned, beyond
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        values = readable(self._units, state_values)
        _, left_base, right_base = self._plan.map.bases
        left = length_in(self._head(values)[1], left_base)
        return max(0, left - self._bounded), max(0, length_in(values.get(Y, mpq(0)), right_base) - 1)

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        values = readable(self._units, state_values)
        head, rest = self._head(values)
        _, left_base, right_base = self._plan.map.bases
        largest = len(self._plan.symbols) - 1
        if head == 0 and self._plan.loads:
            left: int | None = 0 if not rest else None
        else:
            left = count_scalar(
                rest, left_base, len(self._left_symbols) - 1, largest + 1 if self._bounded else None, spacing=1
            )
        right = count_scalar(values.get(Y, mpq(0)), right_base, largest, spacing=1)
        return None if left is None or right is None else left + right

    def encode(self, configuration: Configuration) -> Values:
        """Return the state that stands for `configuration`."""
        plan = self._plan
        if not isinstance(configuration, TapeConfiguration):
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {plan.machine.name}")
        unknown = [a for a in configuration.tape if a not in plan.symbols]
        if configuration.state not in plan.tape.shift.head_symbols or unknown:
            what = f"tape symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {plan.machine.name}, or never reached")
        values = plan.complete(configuration.state, plan.map.encode(plan.tape.encode(configuration)))
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    def _head(self, values: Mapping[Hashable, Any]) -> tuple[int | None, LongNumber]:
        """Return the first digit of x, and the fraction that its other digits are; None where x is out of [0, 1)."""
        x = values.get(X, mpq(0))
        base = self._plan.map.bases[0]
        found = leading_digits(x, base, 1)
        if found is None:
            return None, mpq(-1)
        return found[0], x * base - found[0]

    def _state(self, head: int | None, values: Mapping[Hashable, Any]) -> State:
        """Return the state that x begins with, if the units of the verdict say the same."""
        plan = self._plan
        if head is None or head >= len(plan.heads):
            return LOST
        said = [values.get(before(q), 0) > HALF for q in plan.halting]
        if said != [head < plan.heads.index(q) for q in plan.halting]:
            return LOST
        loading = plan.heads[head] is Phase.LOAD
        if loading != (values.get(PLACE, 0) > 0) and (loading or plan.loads):
            return LOST
        return plan.heads[head]

    def _left(self, head: int | None, rest: LongNumber, cells: int | None) -> list[Symbol]:
        base = self._plan.map.bases[1]
        if head == 0 and self._plan.loads and not rest:
            return []  # the left end comes with the first EOS
        found = self._symbols(rest, base, self._left_symbols, None if cells is None else cells + self._bounded)
        if self._bounded and LEFT_END in found:
            found = found[: found.index(LEFT_END)]
        elif self._bounded and LOST not in found:  # the end is gone, or farther left
            found += [LOST] if cells is None else [self._plan.machine.blank_symbol] * (cells - len(found))
        return found[:cells]

    @staticmethod
    def _symbols(value: LongNumber, base: int, symbols: Sequence[Hashable], cells: int | None) -> list[Any]:
        """Return the symbols of the digits after the point, up to the first that is none, without blanks at the end."""
        digits = leading_digits(value, base, length_in(value, base) if cells is None else cells)
        if digits is None:
            return [LOST]
        found: list[Any] = [symbols[digit] if digit < len(symbols) else LOST for digit in digits]
        if LOST in found:
            return found[: found.index(LOST) + 1]
        if cells is None and fraction_digits(value, base) is None:
            return [*found, LOST]
        while found and found[-1] == symbols[0]:
            found.pop()
        return found
