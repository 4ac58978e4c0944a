"""Many states of a network in a finite arithmetic, and one step from each of them: nothing is kept of a run.

A state is a row of numbers, in the smallest type of numpy that has all numbers of the format and is fast. Two states
are the same if their rows have the same bits: -0 is not 0, and there is one NaN.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat, Rounding
from exactnn.networks import Network
from exactnn.simulation import many_states_kernels as kernels
from exactnn.simulation import rounded_kernels
from exactnn.simulation.executor import Values
from exactnn.simulation.fixed import can_compile, manner_of, numbers_of, one_of
from exactnn.simulation.fixed_parameters import check_parameters, fixed_word
from exactnn.simulation.float_rows import FloatRows, Rows, longest_row
from exactnn.simulation.floats import NATIVE
from exactnn.simulation.roundings import Roundings, can_round
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["ManyStates", "WordStates", "many_states"]

Array = NDArray[Any]

LANES = 512
"""States that are rounded side by side: what they compute with stays in the cache."""


class ManyStates(Protocol):
    """Steps of one network in one arithmetic, for rows of numbers."""

    @property
    def start(self) -> Array:
        """The initial state, one row."""

    def step(self, states: Array, symbol: int) -> Array:
        """Return the states after a step from each row of `states` on a symbol, given by its number."""

    def outputs(self, states: Array) -> Array:
        """Return the readout of each row."""

    def numbers(self, row: Array) -> Values:
        """Return a row of states or of outputs as numbers."""


def many_states(network: Network, arithmetic: Arithmetic) -> ManyStates | None:
    """Return steps from many states in the compiled loops; None where the arithmetic has none, or is random.

    Raises UnsupportedArithmeticError if the network has a number beyond the range of a fixed-point format.
    """
    if isinstance(arithmetic, FloatFormat):
        if arithmetic in NATIVE:
            return NativeStates(network, arithmetic)
        roundings = Roundings(network, arithmetic) if can_round(arithmetic) else None
        return None if roundings is None or roundings.stochastic else RoundedStates(network, arithmetic, roundings)
    if isinstance(arithmetic, FixedPoint) and can_compile(arithmetic, smooth=has_smooth_units(network)):
        inner = arithmetic.accumulator or arithmetic
        random = Rounding.STOCHASTIC in (arithmetic.rounding, inner.rounding)
        return None if random else WordStates(network, arithmetic)
    return None


class NativeStates:
    """In float64 or float32."""

    def __init__(self, network: Network, format: FloatFormat) -> None:
        circuit = network.circuit
        maker = FloatRows(format.nearest, NATIVE[format])
        self._units = maker.rows([unit for layer in circuit.layers for unit in layer])
        self._readout = maker.rows(network.readout)
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        self._first_unit = circuit.state_size + circuit.input_size
        self.start = maker.floats(network.initial_state).reshape(1, -1)

    def step(self, states: Array, symbol: int) -> Array:
        """Return the states after a step."""
        following = np.empty_like(states)
        given = states.shape[1] + symbol
        kernels.step_floats(self._units, self._next_state, self._first_unit, given, states, following)
        return one_nan(following)

    def outputs(self, states: Array) -> Array:
        """Return the readouts."""
        outputs = np.empty((len(states), len(self._readout[0])), dtype=states.dtype)
        kernels.read_floats(self._readout, states, outputs)
        return one_nan(outputs)

    def numbers(self, row: Array) -> Values:
        """Return a row as numbers."""
        return tuple(row.tolist())


class RoundedStates:
    """In a format that the processor lacks; states side by side as lanes."""

    def __init__(self, network: Network, format: FloatFormat, roundings: Roundings) -> None:
        self._circuit = network.circuit
        self._roundings = roundings
        self._next_state = np.array(network.circuit.next_state, dtype=np.uint32)
        self._terms = 2 + max(longest_row(roundings.units), longest_row(roundings.readout))
        self._dtype = smallest_float(format)
        self.start = roundings.floats(network.initial_state).astype(self._dtype).reshape(1, -1)

    def step(self, states: Array, symbol: int) -> Array:
        """Return the states after a step."""
        return self._by_lanes(states, states.shape[1], lambda lanes: self._step_lanes(lanes, symbol))

    def outputs(self, states: Array) -> Array:
        """Return the readouts."""
        return self._by_lanes(states, len(self._roundings.readout[0]), self._read_lanes)

    def numbers(self, row: Array) -> Values:
        """Return a row as numbers."""
        return tuple(row.tolist())

    def _by_lanes(self, states: Array, width: int, compute: Callable[[Array], Array]) -> Array:
        results = np.empty((len(states), width), dtype=self._dtype)
        for begin in range(0, len(states), LANES):
            lanes = np.ascontiguousarray(states[begin : begin + LANES].T, dtype=np.float64)
            results[begin : begin + LANES] = compute(lanes).T
        return one_nan(results)

    def _step_lanes(self, states: Array, symbol: int) -> Array:
        size, first = len(states), len(states) + self._circuit.input_size
        registers = np.zeros((first + self._circuit.units, states.shape[1]))
        registers[:size] = states
        registers[size + symbol] = 1
        self._evaluate(self._roundings.units, registers, registers[first:], first)
        return registers[self._next_state]

    def _read_lanes(self, states: Array) -> Array:
        outputs = np.empty((len(self._roundings.readout[0]), states.shape[1]))
        self._evaluate(self._roundings.readout, states, outputs, -1)
        return outputs

    def _evaluate(self, rows: Rows, registers: Array, results: Array, first: int) -> None:
        terms = np.empty((self._terms, registers.shape[1]))
        active = (registers != 0).any(axis=1)
        rounded_kernels.evaluate(rows, registers, active, results, terms, self._roundings.manner, first, 0)


class WordStates:
    """In fixed point; rows are words."""

    def __init__(self, network: Network, format: FixedPoint) -> None:
        check_parameters(network, format)
        circuit = network.circuit
        maker = FloatRows(lambda value: fixed_word(format, value), np.int64)
        self._units = maker.rows([unit for layer in circuit.layers for unit in layer])
        self._readout = maker.rows(network.readout)
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        self._first_unit = circuit.state_size + circuit.input_size
        self._manner = manner_of(network, format)
        self._one = one_of(format)
        self._format = format
        self.start = maker.floats(network.initial_state).astype(smallest_integer(format)).reshape(1, -1)

    def step(self, states: Array, symbol: int) -> Array:
        """Return the states after a step."""
        following = np.empty_like(states)
        given = states.shape[1] + symbol
        kernels.step_words(
            self._units, self._next_state, self._first_unit, given, states, following, self._manner, self._one
        )
        return following

    def outputs(self, states: Array) -> Array:
        """Return the readouts."""
        outputs = np.empty((len(states), len(self._readout[0])), dtype=np.int64)
        kernels.read_words(self._readout, states, outputs, self._manner, self._one)
        return outputs

    def numbers(self, row: Array) -> Values:
        """Return a row as numbers."""
        return numbers_of(self._format, row)


def one_nan(numbers: Array) -> Array:
    """Give every NaN the same bits; which ones it has is the processor's affair."""
    numbers[numbers != numbers] = np.nan
    return numbers


def smallest_float(format: FloatFormat) -> type[np.floating[Any]]:
    """Return float32 if it has all numbers of a format, else float64; numpy converts no smaller one at speed.

    >>> from exactnn.arithmetic import BFLOAT16
    >>> smallest_float(BFLOAT16).__name__, smallest_float(FloatFormat(precision=25, exponent_bits=8)).__name__
    ('float32', 'float64')
    """
    info = np.finfo(np.float32)
    fits = format.largest <= mpq(float(info.max)) and format.smallest >= mpq(float(info.smallest_subnormal))
    return np.float32 if fits and format.precision <= info.nmant + 1 else np.float64


def smallest_integer(format: FixedPoint) -> type[np.signedinteger[Any]]:
    """Return the smallest type of numpy that has all words of a format.

    >>> smallest_integer(FixedPoint(integer_bits=4, fraction_bits=4)).__name__
    'int8'
    """
    return next(
        dtype for dtype in (np.int8, np.int16, np.int32, np.int64) if format.magnitude_bits < np.iinfo(dtype).bits
    )
