"""Between configurations of a tape machine and states of its network of bounded precision."""

from collections.abc import Hashable, Mapping, Sequence
from math import floor
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Numeral
from exactnn.automata import LOST, State, Symbol, TapeConfiguration, tape_configuration
from exactnn.constructions.construction import Codec, Configuration, Phase
from exactnn.constructions.growing_memory_plan import (
    FULL,
    LOADING,
    GrowingMemoryPlan,
    height,
    memory,
    pair,
    top,
)
from exactnn.constructions.stacks import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["GrowingMemoryCodec"]


class GrowingMemoryCodec(Codec):
    """Reads and writes the states of the network that a plan describes."""

    def __init__(self, plan: GrowingMemoryPlan) -> None:
        self._plan = plan
        self._units = list(plan.state())

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        state, scanned = self._control(values)
        left, right = self._cells("left", values)[:cells], self._cells("right", values)[:cells]
        return tape_configuration(self._plan.machine, state, left, scanned, right)

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        configuration = self.decode(state_values)
        assert isinstance(configuration, TapeConfiguration)
        return len(configuration.left), len(configuration.right)

    def nonblank(self, state_values: Values) -> int | None:
        """Return how many cells are not blank; None where one is lost."""
        configuration = self.decode(state_values)
        assert isinstance(configuration, TapeConfiguration)
        tape = configuration.tape
        return None if LOST in tape else sum(a != self._plan.machine.blank_symbol for a in tape)

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`, with as many cells in memory as fill its neurons."""
        plan = self._plan
        if not isinstance(configuration, TapeConfiguration):
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {plan.machine.name}")
        unknown = [a for a in configuration.tape if a not in plan.symbols]
        if configuration.state not in plan.states or isinstance(configuration.state, Phase) or unknown:
            what = f"tape symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {plan.machine.name}, or never reached")
        scanned = plan.symbols.index(configuration.scanned)
        values: dict[Hashable, mpq] = {pair(configuration.state, scanned): mpq(1)}
        for stack, symbols in (("left", configuration.left), ("right", configuration.right)):
            digits = [plan.symbols.index(a) for a in symbols]
            values |= self._stack(stack, digits + [plan.bottom] * (plan.bounded and stack == "left"))
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    def _stack(self, stack: str, digits: Sequence[int]) -> dict[Hashable, mpq]:
        plan = self._plan
        cells = (len(digits) - 1) % plan.precision + 1 if digits else 1
        stored = [digits[i : i + plan.precision] for i in range(cells, len(digits), plan.precision)]
        if len(stored) > plan.modules:
            raise ConstructionError(
                f"{len(digits)} cells on the {stack} take {len(stored)} memory neurons of {plan.precision} cells, and "
                f"the network of {plan.machine.name} has {plan.modules}: give modules={len(stored)}"
            )
        chunks: dict[Hashable, Sequence[int]] = {
            top(stack): digits[:cells],
            **{memory(stack, i): chunk for i, chunk in enumerate(stored)},
        }
        return {key: _fraction(chunk, plan.base) for key, chunk in chunks.items()} | {height(stack): cells * plan.unit}

    def _control(self, values: Mapping[Hashable, Any]) -> tuple[State, Symbol]:
        """Return the state and the scanned symbol."""
        plan = self._plan
        pairs = [(q, a) for q in plan.states for a in range(plan.bottom) if values.get(pair(q, a), 0) > HALF]
        phases = [phase for phase, key in ((Phase.FULL, FULL), (Phase.LOAD, LOADING)) if values.get(key, 0) > HALF]
        if len(pairs) + len(phases) != 1:
            return LOST, LOST
        if phases:
            return phases[0], plan.machine.blank_symbol if phases[0] is Phase.LOAD else LOST
        return pairs[0][0], plan.symbols[pairs[0][1]]

    def _cells(self, stack: str, values: Mapping[Hashable, Any]) -> list[Symbol]:
        plan = self._plan
        cells = floor(_rational(values.get(height(stack), mpq(0))) / plan.unit + HALF)
        if not 1 <= cells <= plan.precision:
            return [LOST]
        digits = self._digits(values.get(top(stack), mpq(0)))[:cells]
        for i in range(plan.modules):
            digits += self._digits(values.get(memory(stack, i), mpq(0)))
        while digits and not digits[-1]:
            digits.pop()
        if plan.bounded and stack == "left":
            digits = digits[: digits.index(plan.bottom)] if plan.bottom in digits else [*digits, None]
        return [LOST if digit is None or digit >= plan.bottom else plan.symbols[digit] for digit in digits]

    def _digits(self, value: Any) -> list[int | None]:
        """Return the p digits of the multiple of B^-p that is nearest to a number."""
        plan = self._plan
        number = floor(_rational(value) * mpq(plan.base) ** plan.precision + HALF)
        if not 0 <= number < plan.base**plan.precision:
            return [None] * plan.precision
        return [number // plan.base**i % plan.base for i in reversed(range(plan.precision))]


def _rational(value: Any) -> mpq:
    return value.rational() if isinstance(value, Numeral) else mpq(value)


def _fraction(digits: Sequence[int], base: int) -> mpq:
    value = mpq(0)
    for digit in reversed(digits):
        value = (digit + value) / base
    return value
