"""Executor in floating-point formats of up to 53 bits and 10 bits of exponent: every operation rounded, in numba."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FloatFormat, has_number
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation import rounded_kernels as kernels
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.float_rows import longest_row
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats, unpack_integer
from exactnn.simulation.recurring import same_numbers
from exactnn.simulation.roundings import Roundings

__all__ = ["RoundedExecutor", "RoundedState"]

MOST_OUTPUTS = 1 << 16
"""Outputs of one call of `advance`, which are kept until it returns."""

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
        self._next_state = np.array(network.circuit.next_state, dtype=np.uint32)
        self._first_unit = network.circuit.state_size + network.circuit.input_size
        self._no_anchor = np.empty((0, network.circuit.state_size))
        self._terms = 2 + max(longest_row(self._roundings.units), longest_row(self._roundings.readout))

    def start(self) -> RoundedState:
        """Return the initial state, rounded to nearest."""
        return RoundedState(self._roundings.floats(self.network.initial_state), 0)

    def values(self, state: RoundedState) -> tuple[float, ...]:
        """Return the numbers of `state`."""
        return tuple(state.numbers.tolist())

    def output(self, state: RoundedState) -> Output:
        """Return the readout of `state`."""
        registers, active = self._registers(state)
        active[: len(state.numbers)] = state.numbers != 0
        results = np.empty((len(self.network.readout), 1))
        terms = np.empty((self._terms, 1))
        kernels.evaluate(
            self._roundings.readout, registers, active, results, terms, self._roundings.manner, -1, state.count
        )
        return self._as_output(results[:, 0])

    def _as_output(self, outputs: NDArray[np.float64]) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def _registers(self, state: RoundedState) -> tuple[Any, Any]:
        registers = np.zeros((self._first_unit + self.network.circuit.units, 1))
        registers[: len(state.numbers), 0] = state.numbers
        return registers, np.zeros(len(registers), dtype=np.bool_)

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
        circuit = self.network.circuit
        registers, active = self._registers(state)
        if isinstance(symbol, tuple):
            registers[circuit.state_size : self._first_unit, 0] = self._roundings.floats(symbol)
        else:
            registers[circuit.state_size + symbol] = 1
        width = len(self.network.readout)
        outputs = np.empty((min(count, max(1, MOST_OUTPUTS // max(1, width))), width, 1))
        terms = np.empty((self._terms, 1))
        anchors = self._no_anchor if anchor is None else anchor.numbers.reshape(1, -1)
        roundings = self._roundings
        steps, operations = kernels.advance_lanes(
            roundings.units, roundings.readout, self._next_state, registers, active, terms, self._first_unit,
            outputs, roundings.manner, roundings.threshold, until_decided, state.count, anchors,
        )  # fmt: skip
        following = RoundedState(registers[: circuit.state_size, 0].copy(), operations if roundings.stochastic else 0)
        outcome = None
        if until_decided and steps:
            outcome = self.network.decision.outcome(float(outputs[steps - 1, 0, 0]))
        found = [(self._as_output(row), 1) for row in outputs[:steps, :, 0]]
        return Segment(steps=steps, outputs=found, state=following, outcome=outcome)

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
