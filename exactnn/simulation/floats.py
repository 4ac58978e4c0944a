"""Executors in the machine's own floating point: float64 and float32, in numba.

Parameters are rounded to nearest once; every product and every sum is rounded, in the order of the
circuit: bias, linear terms, second-order terms. There is no fused multiply-add and no reordering.

Most units of a compiled network are 0 at any time. Where every row has its terms in ascending order of the
registers, finite weights and no bias -0, the sums run column by column over the registers that are not 0: each
row still gets its terms in the same order, and adding a zero changes no sum, so the result is the same bit for bit.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import FLOAT32, FLOAT64, FloatFormat
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.carriers.native import NATIVE as AS_THE_PROCESSOR
from exactnn.simulation.compiled_steps import Parameters, compiled_steps, runs_of, units_of
from exactnn.simulation.cycle import same_numbers
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.float_rows import FloatRows, zeros_change_no_sum
from exactnn.simulation.nearest_floats import nearest_floats
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["NATIVE", "FloatExecutor", "native_parameters"]

NATIVE: dict[FloatFormat, type[np.floating[Any]]] = {FLOAT64: np.float64, FLOAT32: np.float32}
"""The formats that the processor computes in, with numpy's name for them."""

Array = NDArray[Any]


def native_parameters(network: Network, format: FloatFormat) -> Parameters:
    """Return a network's parameters in float64 or float32, and how the loop computes with them."""
    dtype = NATIVE[format]
    maker = FloatRows(format.nearest, dtype, many=partial(nearest_floats, format))
    rows = maker.rows(units_of(network))
    threshold = dtype(format.nearest(network.decision.threshold))
    if float(threshold) > network.decision.threshold:  # x > threshold, exactly, for every float x
        threshold = np.nextafter(threshold, dtype(-np.inf))
    return Parameters(
        maker=maker,
        rows=rows,
        inner=AS_THE_PROCESSOR,
        special=None,
        smooth=has_smooth_units(network) or None,
        skips_zeros=zeros_change_no_sum(rows),
        stochastic=False,
        one=1,
        threshold=threshold,
    )


class FloatExecutor:
    """A network in float64 or float32."""

    paces_itself = False

    def __init__(self, network: Network, arithmetic: FloatFormat) -> None:
        self.network = network
        self.dtype, self._arithmetic = NATIVE[arithmetic], arithmetic
        self._steps = compiled_steps(network, arithmetic, native_parameters)
        self._maker = self._steps.parameters.maker
        self._calls = self._steps.calls.copy()

    @property
    def engine(self) -> str:
        """How the steps were taken."""
        return f"{self._arithmetic} {self._steps.order}-sparse ({self._steps.ways_since(self._calls)})"

    def start(self) -> Array:
        """Return the initial state, rounded to nearest."""
        return self._maker.floats(self.network.initial_state)

    def values(self, state: Array) -> tuple[float, ...]:
        """Return the numbers of `state`; float32 numbers are exact as Python floats."""
        return tuple(state.tolist())

    def output(self, state: Array) -> Output:
        """Return the readout of `state`."""
        return self._as_output(self._steps.output(state, 0))

    def _as_output(self, outputs: Array) -> Output:
        return float(outputs[0]) if self.network.scalar_output else tuple(outputs.tolist())

    def watches(self, state: Array, eos_steps: int) -> bool:
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
        outputs, following, _ = self._steps.advance(
            state, symbol, count, until_decided=until_decided, anchor=anchor, operations=0
        )
        outcome = None
        if until_decided and len(outputs):
            outcome = self.network.decision.outcome(float(outputs[-1, 0]))
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=outcome)

    def advance_word(self, state: Array, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, or as many as there is room for the outputs."""
        outputs, following, _ = self._steps.advance_word(state, word, 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

    def read(self, state: Array, symbols: Sequence[int]) -> Segment:
        """Take a step for each symbol, given by its number; of the outputs there is the last one, or none."""
        outputs, following, _ = self._steps.read(state, symbols, 0)
        return Segment(steps=len(symbols), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

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
