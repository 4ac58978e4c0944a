"""Executors in the machine's own floating point: float64 and float32, in numba.

Parameters are rounded to nearest once; every product and every sum is rounded, in the order of the
circuit: bias, linear terms, second-order terms. There is no fused multiply-add and no reordering.

Most units of a compiled network are 0 at any time. Where every row has its terms in ascending order of the
registers, finite weights and no bias -0, the sums run column by column over the registers that are not 0: each
row still gets its terms in the same order, and adding a zero changes no sum, so the result is the same bit for bit.
"""

from typing import Any

import numpy as np

from exactnn.arithmetic import FLOAT32, FLOAT64, FloatFormat
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.float_kernels import Array, advance_columns, advance_rows, evaluate
from exactnn.simulation.float_rows import Columns, FloatRows, sorted_columns
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats
from exactnn.simulation.recurring import same_numbers

__all__ = ["NATIVE", "FloatExecutor"]

NATIVE: dict[FloatFormat, type[np.floating[Any]]] = {FLOAT64: np.float64, FLOAT32: np.float32}
"""The formats that the processor computes in, with numpy's name for them."""

MOST_OUTPUTS = 1 << 20
"""Outputs of one call of `advance`, which are kept until it returns."""


class FloatExecutor:
    """A network in float64 or float32."""

    paces_itself = False

    def __init__(self, network: Network, arithmetic: FloatFormat) -> None:
        self.network = network
        self.dtype = NATIVE[arithmetic]
        circuit = network.circuit
        self._maker = FloatRows(arithmetic.nearest, self.dtype)
        self._units = self._maker.rows([unit for layer in circuit.layers for unit in layer])
        self._columns = self._sorted_columns()
        self.engine = f"{arithmetic} {'column' if self._columns is not None else 'row'}-sparse (numba)"
        self._readout = self._maker.rows(network.readout)
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        threshold = self.dtype(arithmetic.nearest(network.decision.threshold))
        if float(threshold) > network.decision.threshold:  # x > threshold, exactly, for every float x
            threshold = np.nextafter(threshold, self.dtype(-np.inf))
        self._threshold = threshold
        self._no_anchor = np.empty((0, circuit.state_size), dtype=self.dtype)

    def _sorted_columns(self) -> Columns | None:
        """Return the linear terms by layer and register; None where that does not pay, or gives other sums."""
        bias, weights = self._units[0], self._units[4]
        negative_zero = (bias == 0) & np.signbit(bias)  # the one start value that adding a zero would change
        if negative_zero.any() or not np.isfinite(weights).all():
            return None
        return sorted_columns(self.network.circuit, weights)

    def start(self) -> Array:
        """Return the initial state, rounded to nearest."""
        return self._maker.floats(self.network.initial_state)

    def values(self, state: Array) -> tuple[float, ...]:
        """Return the numbers of `state`; float32 numbers are exact as Python floats."""
        return tuple(state.tolist())

    def output(self, state: Array) -> Output:
        """Return the readout of `state`."""
        outputs = np.empty(len(self.network.readout), dtype=self.dtype)
        evaluate(self._readout, state, 0, outputs)
        return self._as_output(outputs)

    def _as_output(self, outputs: Array) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def watches(self, state: Array) -> bool:
        """Whether states are compared: always."""
        return True

    def alike(self, first: Array, second: Array) -> bool:
        """Whether two states are the same, bit for bit but for NaN."""
        return same_numbers(self.values(first), self.values(second))

    def advance(
        self, state: Array, symbol: Input, count: int, *, until_decided: bool, anchor: Array | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, or as often as there is room for the outputs.

        With `until_decided` stop at the first verdict, with an `anchor` where that is the state.
        """
        circuit = self.network.circuit
        registers = np.zeros(circuit.state_size + circuit.input_size + circuit.units, dtype=self.dtype)
        registers[: circuit.state_size] = state
        if isinstance(symbol, tuple):
            registers[circuit.state_size : circuit.state_size + circuit.input_size] = self._maker.floats(symbol)
        else:
            registers[circuit.state_size + symbol] = 1
        width = len(self.network.readout)
        outputs = np.empty((min(count, max(1, MOST_OUTPUTS // max(1, width))), width), dtype=self.dtype)
        first_unit = circuit.state_size + circuit.input_size
        anchors = self._no_anchor if anchor is None else anchor.reshape(1, -1)
        limits = (outputs, self._threshold, until_decided, anchors)
        arguments = (self._next_state, self._readout, registers, first_unit, *limits)
        if self._columns is None:
            steps = advance_rows(self._units, *arguments)
        else:
            steps = advance_columns(self._units, self._columns, *arguments)
        runs = self._runs(outputs[:steps])
        outcome = None
        if until_decided and steps:
            outcome = self.network.decision.outcome(float(outputs[steps - 1, 0]))
        return Segment(steps=steps, outputs=runs, state=registers[: circuit.state_size].copy(), outcome=outcome)

    def pack(self, state: Array) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> Array:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        values = unpack_floats(data, self.network.circuit.state_size)
        with np.errstate(over="ignore"):
            state = np.array(values, dtype=self.dtype)
        for value, rounded in zip(values, self.values(state), strict=True):
            if pack_number(value) != pack_number(rounded):
                raise CheckpointError(f"{shown(value)} is no number of {self.dtype.__name__}")
        return state

    def _runs(self, outputs: Array) -> list[tuple[Output, int]]:
        """Return rows as (output, repetitions): equal bit for bit, so that 0 and -0 are told apart."""
        if not len(outputs):
            return []
        bits = outputs.view(f"u{outputs.itemsize}")
        changes = np.flatnonzero((bits[1:] != bits[:-1]).any(axis=1)) + 1
        starts = np.concatenate(([0], changes))
        lengths = np.diff(np.concatenate((starts, [len(outputs)])))
        return [(self._as_output(outputs[start]), int(length)) for start, length in zip(starts, lengths, strict=True)]
