"""Between configurations and states of the small network of a tape machine."""

from collections.abc import Hashable, Mapping
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST, State, Symbol, TapeConfiguration, tape_configuration
from exactnn.constructions.chung_siegelmann_plan import FIRST, LOADING, ChungSiegelmannPlan, bit, halted
from exactnn.constructions.construction import Codec, Configuration, Phase
from exactnn.constructions.long_stacks import MOST_CELLS, count_scalar, is_long, length_in
from exactnn.constructions.stacks import HALF, read_above, read_scalar, readable, write_scalar
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["ChungSiegelmannCodec"]


class ChungSiegelmannCodec(Codec):
    """Reads and writes the states of the network that a plan describes.

    Between two moves a state still stands for the configuration before the next one.
    """

    def __init__(self, plan: ChungSiegelmannPlan) -> None:
        self._plan = plan
        self._units = list(plan.units())

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        left = self._cells("left", values, None if cells is None else cells + 1)
        blank = self._plan.machine.blank_symbol
        return tape_configuration(
            self._plan.machine,
            self._state(values),
            left[1:],
            left[0] if left else blank,
            self._cells("right", values, cells),
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        values = readable(self._units, state_values)
        left, right = (length_in(self._plan.content(stack).at(values), self._plan.base) for stack in ("left", "right"))
        return max(0, left - 1 - self._plan.bounded), right

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        values = readable(self._units, state_values)
        left, right = self._count("left", values), self._count("right", values)
        return None if left is None or right is None else left + right

    def encode(self, configuration: Configuration) -> Values:
        """Return the state in which a move ends that leads to `configuration`."""
        plan = self._plan
        if not isinstance(configuration, TapeConfiguration):
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {plan.machine.name}")
        unknown = [a for a in configuration.tape if a not in plan.number]
        if configuration.state not in (*plan.states, *plan.halting) or unknown:
            what = f"tape symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {plan.machine.name}, or never reached")
        left = [plan.number[a] for a in (configuration.scanned, *configuration.left)] + [plan.bottom] * plan.bounded
        right = [plan.number[a] for a in configuration.right]
        stacks = {"left": write_scalar(left, plan.base), "right": write_scalar(right, plan.base)}
        values = plan.complete(configuration.state, stacks)
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    def _state(self, values: Mapping[Hashable, Any]) -> State:
        plan = self._plan
        if self._loading(values):
            return Phase.LOAD
        over = [q for q in plan.halting if values.get(halted(q), 0) > HALF]
        if over:
            return over[0] if len(over) == 1 else LOST
        number = sum(1 << b for b in range(plan.bits) if values.get(bit(b), 0) > HALF)
        return plan.states[number] if number < len(plan.states) else LOST

    @staticmethod
    def _loading(values: Mapping[Hashable, Any]) -> bool:
        return bool(values.get(LOADING, 0) > HALF / 2 or values.get(FIRST, 0) > HALF)

    def _count(self, stack: str, values: Mapping[Hashable, Any]) -> int | None:
        plan = self._plan
        number = plan.content(stack).at(values)
        if is_long(number):
            bottom = plan.bottom if plan.bounded and stack == "left" else None
            found = count_scalar(number, plan.base, plan.tops[stack], bottom)
            if found is not None or bottom is None or length_in(number, plan.base) > MOST_CELLS:
                return found
        cells = self._cells(stack, values, None)
        return None if LOST in cells else sum(cell != plan.machine.blank_symbol for cell in cells)

    def _cells(self, stack: str, values: Mapping[Hashable, Any], cells: int | None) -> list[Symbol]:
        plan = self._plan
        number = plan.content(stack).at(values)
        if not (plan.bounded and stack == "left"):
            digits = read_scalar(number, plan.base, plan.tops[stack], cells)
        elif not number and self._loading(values):
            digits = []  # the bottom comes with the first move
        else:
            digits = read_above(number, plan.base, plan.bottom, cells)
        return [LOST if digit is None else plan.symbols[digit] for digit in digits]
