"""Between configurations and states of the real-time network."""

from collections.abc import Hashable, Mapping
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, Symbol, TapeConfiguration, tape_configuration
from exactnn.constructions.construction import Codec, Configuration
from exactnn.constructions.long_stacks import MOST_CELLS, count_scalar, is_long, length_in
from exactnn.constructions.real_time_plan import HALTED, RealTimePlan, comparator, scan, state
from exactnn.constructions.stacks import HALF, read_above, read_scalar, readable, write_scalar
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["RealTimeCodec"]


class RealTimeCodec(Codec):
    """Reads and writes the states of the network that a plan describes."""

    def __init__(self, plan: RealTimePlan) -> None:
        self._plan = plan
        self._units = list(plan.units())

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        plan = self._plan
        values = readable(self._units, state_values)
        active = [q for q in plan.states if values.get(state(q), 0) > HALF]
        return tape_configuration(
            plan.machine,
            active[0] if len(active) == 1 else LOST,
            self._cells("left", values, cells),
            self._scanned(values),
            self._cells("right", values, cells),
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        values = readable(self._units, state_values)
        left, right = (length_in(self._plan.content(stack).at(values), self._plan.base) for stack in ("left", "right"))
        return left - (self._plan.bounded and left > 0), right

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        values = readable(self._units, state_values)
        scanned = self._scanned(values)
        left, right = self._count("left", values), self._count("right", values)
        if scanned == LOST or left is None or right is None:
            return None
        return left + (scanned != self._plan.machine.blank_symbol) + right

    def _scanned(self, values: Mapping[Hashable, Any]) -> Symbol:
        plan = self._plan
        scanned = [plan.symbols[a] for q, entry, a in plan.scans if values.get(scan(q, entry, a), 0) > HALF]
        return scanned[0] if len(scanned) == 1 else LOST if scanned else plan.machine.blank_symbol

    def _count(self, stack: str, values: Mapping[Hashable, Any]) -> int | None:
        plan = self._plan
        number = plan.content(stack).at(values)
        if is_long(number):
            bottom = len(plan.symbols) if plan.bounded and stack == "left" else None
            found = count_scalar(number, plan.base, plan.tops[stack], bottom)
            if found is not None or bottom is None or length_in(number, plan.base) > MOST_CELLS:
                return found
        cells = self._cells(stack, values, None)
        return None if LOST in cells else sum(cell != plan.machine.blank_symbol for cell in cells)

    def _cells(self, stack: str, values: Mapping[Hashable, Any], cells: int | None) -> list[Symbol]:
        plan = self._plan
        if not (plan.bounded and stack == "left"):
            digits = read_scalar(plan.content(stack).at(values), plan.base, plan.tops[stack], cells)
        else:
            digits = read_above(plan.content(stack).at(values), plan.base, len(plan.symbols), cells)
        return [LOST if digit is None else plan.symbols[digit] for digit in digits]

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`, with the stacks in their popped halves."""
        plan = self._plan
        if not isinstance(configuration, TapeConfiguration):
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {plan.machine.name}")
        unknown = [a for a in configuration.tape if a not in plan.number]
        if configuration.state not in plan.states or unknown:
            what = f"tape symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {plan.machine.name}, or never reached")
        values: dict[Hashable, mpq] = {state(configuration.state): mpq(1)}
        if scanned := plan.number[configuration.scanned]:
            values[self._scan_unit(configuration, scanned)] = mpq(1)
        for stack, symbols in (("left", configuration.left), ("right", configuration.right)):
            digits = [plan.number[a] for a in symbols]
            if plan.bounded and stack == "left":
                digits.append(len(plan.symbols))
            values[stack, "pop"] = write_scalar(digits, plan.base)
            part = "pop" if plan.bounded and stack == "right" else ""
            values |= {comparator(stack, k, part): mpq(1) for k in range(1, (digits[0] if digits else 0) + 1)}
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    def _scan_unit(self, configuration: TapeConfiguration, scanned: int) -> Hashable:
        q = HALTED if configuration.state in self._plan.machine.halting_states else configuration.state
        for owner, entry, a in self._plan.scans:
            if owner == q and a == scanned:
                return scan(owner, entry, a)
        raise ConstructionError(
            f"{configuration.state} is never entered scanning {shown(configuration.scanned)}: no unit stands for it"
        )
