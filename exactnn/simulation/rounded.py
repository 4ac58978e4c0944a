"""Executor in floating-point formats of up to 53 bits and 10 bits of exponent: every operation rounded, in numba."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FloatFormat, has_number
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.compiled_steps import CompiledSteps, runs_of
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats, unpack_integer
from exactnn.simulation.recurring import same_numbers
from exactnn.simulation.roundings import Roundings

__all__ = ["RoundedExecutor", "RoundedState"]

MOST_OPERATIONS = 1 << 62
"""Operations of a run that are counted."""


@dataclass(frozen=True, slots=True)
class RoundedState:
    """The numbers of a state, and how many operations there were before, which chooses the random numbers."""

    numbers: NDArray[np.float64]
    count: int


class RoundedExecutor:
    """A network in a floating-point format; see :func:`can_round`."""

    paces_itself = False

    def __init__(self, network: Network, format: FloatFormat) -> None:
        self.network = network
        self.format = format
        self.engine = f"{format}, rounded (numba)"
        self._roundings = Roundings(network, format)
        self._steps = CompiledSteps(network, self._roundings.parameters)

    def start(self) -> RoundedState:
        """Return the initial state, rounded to nearest."""
        return RoundedState(self._roundings.floats(self.network.initial_state), 0)

    def values(self, state: RoundedState) -> tuple[float, ...]:
        """Return the numbers of `state`."""
        return tuple(state.numbers.tolist())

    def output(self, state: RoundedState) -> Output:
        """Return the readout of `state`."""
        return self._as_output(self._steps.output(state.numbers, state.count))

    def _as_output(self, outputs: NDArray[np.float64]) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def watches(self, state: RoundedState) -> bool:
        """Whether states are compared: not where rounding is stochastic, by the number of the operation."""
        return not self._roundings.stochastic

    def alike(self, first: RoundedState, second: RoundedState) -> bool:
        """Whether two states are the same, bit for bit but for NaN."""
        return same_numbers(self.values(first), self.values(second))

    def advance(
        self, state: RoundedState, symbol: Input, count: int, *, until_decided: bool, anchor: RoundedState | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, or as often as there is room for the outputs.

        With `until_decided` stop at the first verdict, with an `anchor` where that is the state.
        """
        outputs, numbers, operations = self._steps.advance(
            state.numbers, symbol, count, until_decided=until_decided, operations=state.count,
            anchor=None if anchor is None else anchor.numbers,
        )  # fmt: skip
        outcome = None
        if until_decided and len(outputs):
            outcome = self.network.decision.outcome(float(outputs[-1, 0]))
        following = RoundedState(numbers, operations if self._roundings.stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=outcome)

    def advance_word(self, state: RoundedState, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, or as many as there is room for the outputs."""
        outputs, numbers, operations = self._steps.advance_word(state.numbers, word, state.count)
        following = RoundedState(numbers, operations if self._roundings.stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

    def pack(self, state: RoundedState) -> object:
        """Return `state` as JSON data."""
        return {"numbers": pack_numbers(self.values(state)), "operations": pack_number(state.count)}

    def unpack(self, data: object) -> RoundedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
            raise CheckpointError(f"{shown(data)} is no state in {self.format}")
        values = unpack_floats(data["numbers"], self.network.circuit.state_size)
        for value in values:
            if not has_number(self.format, value):
                raise CheckpointError(f"{shown(value)} is no number of {self.format}")
        count = unpack_integer(data["operations"])
        if count > MOST_OPERATIONS:
            raise CheckpointError(f"{shown(count)} operations are more than there can have been")
        return RoundedState(np.array(values, dtype=np.float64), count)
