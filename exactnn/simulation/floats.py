"""Executors in the machine's own floating point: float64 and float32, row by row in numba.

Parameters are rounded to nearest once; every product and every sum is rounded, in the order of the
circuit: bias, linear terms, second-order terms. There is no fused multiply-add and no reordering.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FLOAT32, FLOAT64, FloatFormat
from exactnn.networks import Activation, Input, Network, Unit
from exactnn.simulation.compiled import compiled
from exactnn.simulation.executor import Output, Segment

__all__ = ["NATIVE", "FloatExecutor"]

NATIVE: dict[FloatFormat, type[np.floating[Any]]] = {FLOAT64: np.float64, FLOAT32: np.float32}
"""The formats that the processor computes in, with numpy's name for them."""

_CODES = {Activation.IDENTITY: 0, Activation.RELU: 1, Activation.SLU: 2, Activation.HEAVISIDE: 3}
_Array = NDArray[Any]
_Rows = tuple[_Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array]


class FloatExecutor:
    """A network in float64 or float32."""

    def __init__(self, network: Network, arithmetic: FloatFormat) -> None:
        self.network = network
        self.dtype = NATIVE[arithmetic]
        self.engine = f"{arithmetic} row-sparse (numba)"
        circuit = network.circuit
        self._nearest = arithmetic.nearest
        self._units = self._rows([unit for layer in circuit.layers for unit in layer])
        self._readout = self._rows(list(network.readout))
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        threshold = self.dtype(self._nearest(network.decision.threshold))
        if float(threshold) > network.decision.threshold:  # x > threshold, exactly, for every float x
            threshold = np.nextafter(threshold, self.dtype(-np.inf))
        self._threshold = threshold

    def _rows(self, units: list[Unit]) -> _Rows:
        """Return units as compressed rows, weights rounded to nearest."""
        linear = [term for unit in units for term in unit.linear]
        bilinear = [term for unit in units for term in unit.bilinear]
        return (
            self._floats([unit.bias for unit in units]),
            np.array([_CODES[unit.activation] for unit in units], dtype=np.uint8),
            np.cumsum([0] + [len(unit.linear) for unit in units], dtype=np.uint32),
            np.array([register for register, _ in linear], dtype=np.uint32),
            self._floats([weight for _, weight in linear]),
            np.cumsum([0] + [len(unit.bilinear) for unit in units], dtype=np.uint32),
            np.array([first for first, _, _ in bilinear], dtype=np.uint32),
            np.array([second for _, second, _ in bilinear], dtype=np.uint32),
            self._floats([weight for _, _, weight in bilinear]),
        )

    def _floats(self, values: Any) -> _Array:
        nearest = {value: self._nearest(value) for value in set(values)}
        return np.array([nearest[value] for value in values], dtype=self.dtype)

    def start(self) -> _Array:
        """Return the initial state, rounded to nearest."""
        return self._floats(self.network.initial_state)

    def values(self, state: _Array) -> tuple[float, ...]:
        """Return the numbers of `state`; float32 numbers are exact as Python floats."""
        return tuple(state.tolist())

    def output(self, state: _Array) -> Output:
        """Return the readout of `state`."""
        outputs = np.empty(len(self.network.readout), dtype=self.dtype)
        evaluate(self._readout, state, 0, outputs)
        return self._as_output(outputs)

    def _as_output(self, outputs: _Array) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def advance(self, state: _Array, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        circuit = self.network.circuit
        registers = np.zeros(circuit.state_size + circuit.input_size + circuit.units, dtype=self.dtype)
        registers[: circuit.state_size] = state
        if isinstance(symbol, tuple):
            registers[circuit.state_size : circuit.state_size + circuit.input_size] = self._floats(symbol)
        else:
            registers[circuit.state_size + symbol] = 1
        outputs = np.empty((count, len(self.network.readout)), dtype=self.dtype)
        first_unit = circuit.state_size + circuit.input_size
        steps = advance(
            self._units, self._next_state, self._readout, registers, first_unit, outputs, self._threshold, until_decided
        )
        runs = self._runs(outputs[:steps])
        outcome = None
        if until_decided and steps:
            outcome = self.network.decision.outcome(float(outputs[steps - 1, 0]))
        return Segment(steps=steps, outputs=runs, state=registers[: circuit.state_size].copy(), outcome=outcome)

    def _runs(self, outputs: _Array) -> list[tuple[Output, int]]:
        """Return rows as (output, repetitions); NaN differs from itself and starts a run of its own."""
        if not len(outputs):
            return []
        changes = np.flatnonzero((outputs[1:] != outputs[:-1]).any(axis=1)) + 1
        starts = np.concatenate(([0], changes))
        lengths = np.diff(np.concatenate((starts, [len(outputs)])))
        return [(self._as_output(outputs[start]), int(length)) for start, length in zip(starts, lengths, strict=True)]


@compiled
def evaluate(rows: _Rows, registers: _Array, first: int, results: _Array) -> None:
    """Compute units in order into results[first:], reading registers; both may be the same array."""
    bias, activation, linear_ends, columns, weights, bilinear_ends, lefts, rights, bilinear_weights = rows
    zero = bias.dtype.type(0)
    one = bias.dtype.type(1)
    for unit in range(len(bias)):
        total = bias[unit]
        for term in range(linear_ends[unit], linear_ends[unit + 1]):
            total += weights[term] * registers[columns[term]]
        for term in range(bilinear_ends[unit], bilinear_ends[unit + 1]):
            total += bilinear_weights[term] * registers[lefts[term]] * registers[rights[term]]
        code = activation[unit]
        if code == 3:
            total = one if total > zero else zero
        elif code != 0:
            if total <= zero:
                total = zero
            elif code == 2 and total > one:
                total = one
        results[first + unit] = total


@compiled
def advance(
    units: _Rows,
    next_state: _Array,
    readout: _Rows,
    registers: _Array,
    first_unit: int,
    outputs: _Array,
    threshold: Any,
    until_decided: bool,
) -> int:
    """Step until `outputs` is full or an output passes the threshold; the state stays in `registers`."""
    size = len(next_state)
    following = np.empty(size, dtype=registers.dtype)
    for step in range(len(outputs)):
        evaluate(units, registers, first_unit, registers)
        for i in range(size):
            following[i] = registers[next_state[i]]
        registers[:size] = following
        evaluate(readout, registers, 0, outputs[step])
        if until_decided and abs(outputs[step, 0]) > threshold:
            return step + 1
    return len(outputs)
