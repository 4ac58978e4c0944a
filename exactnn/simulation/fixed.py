"""Executor in fixed point, with words of up to 64 bits, in numba."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FixedPoint, Rounding
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation import fixed_kernels as kernels
from exactnn.simulation.emulated_fixed import unpack_fixed
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.fixed_parameters import check_parameters, fixed_word
from exactnn.simulation.float_rows import FloatRows, sorted_columns
from exactnn.simulation.packed import pack_number, pack_numbers

__all__ = ["FixedExecutor", "FixedState", "can_compile", "manner_of", "numbers_of", "one_of"]

MOST_OUTPUTS = 1 << 18
"""Outputs of one call of `advance`, which are kept until it returns."""

MOST_OPERATIONS = 1 << 62
"""Operations of a run that are counted."""

_NO_COLUMNS = (np.zeros((0, 2), np.uint32), np.zeros(1, np.uint32), np.zeros(0, np.uint32), np.zeros(0, np.int64))


def can_compile(format: FixedPoint, *, smooth: bool = False) -> bool:
    """Return whether the compiled loops compute in a format: words of 64 bits, products of 128.

    With `smooth` they have to compute sigmoid and tanh too: to 61 digits after the point.

    Examples
    --------
    >>> [can_compile(FixedPoint(integer_bits=32, fraction_bits=bits)) for bits in (32, 33)]
    [True, False]
    """
    inner = format.accumulator or format
    if smooth and format.fraction_bits > 61:
        return False
    return max(format.magnitude_bits, inner.magnitude_bits) <= 63 and _longest_product(format, second_order=True) <= 126


def _longest_product(format: FixedPoint, *, second_order: bool) -> int:
    """Return how many bits a number on the way may have, before it is rounded, or may lose then."""
    inner = format.accumulator or format
    bits, digits = format.magnitude_bits, format.fraction_bits
    return max(
        2 * bits + max(0, inner.fraction_bits - 2 * digits),
        inner.magnitude_bits + bits if second_order else 0,
        bits + max(0, inner.fraction_bits - digits),
        inner.magnitude_bits - 1 + max(0, digits - inner.fraction_bits),  # one bit more: it meets no second factor
        2 * digits - inner.fraction_bits,
        inner.fraction_bits - digits,
    )


def _has_products(network: Network) -> bool:
    units = [unit for layer in network.circuit.layers for unit in layer]
    return any(unit.bilinear for unit in (*units, *network.readout))


def _word(format: FixedPoint) -> kernels.Word:
    """Return the words of a format as the compiled loops take them."""
    mask = -1 if format.word_bits == 64 else (1 << format.word_bits) - 1
    stochastic = format.rounding is Rounding.STOCHASTIC
    seed = np.uint64(format.seed)  # of one type, whatever its size
    return (format.lowest_word, format.largest_word, mask, format.overflow == "saturate", stochastic, seed)


def _shift(digits: int, format: FixedPoint) -> kernels.Shift:
    """Return how words with so many bits after the point become words of a format."""
    right = digits - format.fraction_bits
    if right <= 0:
        return (-right, 0, 0, 0, 0)
    kept = min(right, 62)  # of longer ones that fall off, the last bit stands for all the others
    half, all_bits = 1 << (kept - 1), (1 << kept) - 1
    carries = {
        Rounding.NEAREST_EVEN: (half - 1, 0, 1),
        Rounding.NEAREST_AWAY: (half, -1, 0),
        Rounding.TOWARD_ZERO: (0, all_bits, 0),
        Rounding.UP: (all_bits, 0, 0),
    }
    return (0, right, *carries.get(format.rounding, (0, 0, 0)))


def manner_of(network: Network, format: FixedPoint) -> kernels.Manner:
    """Return how the compiled loops compute a network's steps in a format."""
    inner = format.accumulator or format
    second_order = _has_products(network)
    digits = format.fraction_bits
    return (
        _word(inner),
        _word(format),
        _shift(2 * digits, inner),
        _shift(inner.fraction_bits + digits, inner),
        _shift(digits, inner),
        _shift(inner.fraction_bits, format),
        format.accumulator is not None,
        True if _longest_product(format, second_order=second_order) > 62 else None,
        _shift(format.fraction_bits + 62, format),
        format.fraction_bits,
    )


def one_of(format: FixedPoint) -> int:
    """Return the word of 1, the input of a symbol; where 1 is no number, none is beyond what is returned."""
    return min(1 << format.fraction_bits, format.largest_word)


def numbers_of(format: FixedPoint, words: NDArray[Any]) -> tuple[float, ...] | tuple[mpq, ...]:
    """Return the numbers of words: floats if all numbers of the format are, else rationals."""
    if not format.fits_float:
        return tuple(map(format.number, words.tolist()))
    return tuple(np.ldexp(words.astype(np.float64), -format.fraction_bits).tolist())


@dataclass(frozen=True, slots=True)
class FixedState:
    """The words of a state, and how many operations there were before, which chooses the random numbers."""

    words: NDArray[np.int64]
    count: int


class FixedExecutor:
    """A network in fixed point, with every operation as in :class:`FixedOperations`; see :func:`can_compile`.

    Raises
    ------
    UnsupportedArithmeticError
        If a parameter of the network is beyond the range of the format.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> executor = FixedExecutor(network, FixedPoint(integer_bits=2, fraction_bits=4))
    >>> executor.advance(executor.start(), (mpq(1),), 2, until_decided=False).outputs
    [(1.0, 1), (1.3125, 1)]
    """

    paces_itself = False

    def __init__(self, network: Network, format: FixedPoint) -> None:
        check_parameters(network, format)
        self.network = network
        self.format = format
        circuit = network.circuit
        self._maker = FloatRows(lambda value: fixed_word(format, value), np.int64)
        self._units = self._maker.rows([unit for layer in circuit.layers for unit in layer])
        self._readout = self._maker.rows(network.readout)
        self._stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)
        # Random numbers go by the order of the rows.
        self._columns = None if self._stochastic else sorted_columns(circuit, self._units[4])
        self.engine = f"{format}, {'row' if self._columns is None else 'column'}-sparse (numba)"
        self._next_state = np.array(circuit.next_state, dtype=np.uint32)
        self._first_unit = circuit.state_size + circuit.input_size
        self._no_anchor = np.empty((0, circuit.state_size), dtype=np.int64)
        self._manner = manner_of(network, format)
        self._one = one_of(format)
        # x > threshold, exactly, for every number x of the format
        threshold = network.decision.threshold * (1 << format.fraction_bits)
        self._threshold = min(max(int(threshold.numerator // threshold.denominator), -1), (1 << 63) - 1)

    def start(self) -> FixedState:
        """Return the initial state, rounded to nearest."""
        return FixedState(self._maker.floats(self.network.initial_state), 0)

    def values(self, state: FixedState) -> tuple[float, ...] | tuple[mpq, ...]:
        """Return the numbers of `state`: floats if all numbers of the format are, else rationals."""
        return numbers_of(self.format, state.words)

    def output(self, state: FixedState) -> Output:
        """Return the readout of `state`."""
        outputs = np.empty(len(self.network.readout), dtype=np.int64)
        kernels.evaluate(self._readout, state.words, outputs, self._manner, self._one, state.count)
        return self._as_output(outputs)

    def _as_output(self, words: NDArray[np.int64]) -> Output:
        numbers = numbers_of(self.format, words)
        return numbers[0] if self.network.scalar_output else numbers

    def watches(self, state: FixedState) -> bool:
        """Whether states are compared: not where rounding is stochastic, by the number of the operation."""
        return not self._stochastic

    def alike(self, first: FixedState, second: FixedState) -> bool:
        """Whether two states are the same."""
        return bool(np.array_equal(first.words, second.words))

    def advance(
        self, state: FixedState, symbol: Input, count: int, *, until_decided: bool, anchor: FixedState | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, or as often as there is room for the outputs.

        With `until_decided` stop at the first verdict, with an `anchor` where that is the state.
        """
        circuit = self.network.circuit
        registers = np.zeros(self._first_unit + circuit.units, dtype=np.int64)
        registers[: circuit.state_size] = state.words
        if isinstance(symbol, tuple):
            registers[circuit.state_size : self._first_unit] = self._maker.floats(symbol)
        else:
            registers[circuit.state_size + symbol] = self._one
        width = len(self.network.readout)
        outputs = np.empty((min(count, max(1, MOST_OUTPUTS // max(1, width))), width), dtype=np.int64)
        anchors = self._no_anchor if anchor is None else anchor.words.reshape(1, -1)
        steps, operations = kernels.advance(
            self._units, self._columns or _NO_COLUMNS, self._columns is not None, self._next_state, self._readout,
            registers, self._first_unit, outputs, self._manner, self._one, self._threshold, until_decided, state.count,
            anchors,
        )  # fmt: skip
        following = FixedState(registers[: circuit.state_size].copy(), operations if self._stochastic else 0)
        runs = self._runs(outputs[:steps])
        outcome = None
        if until_decided and steps:
            last = runs[-1][0]
            assert not isinstance(last, tuple)
            outcome = self.network.decision.outcome(last)
        return Segment(steps=steps, outputs=runs, state=following, outcome=outcome)

    def _runs(self, outputs: NDArray[np.int64]) -> list[tuple[Output, int]]:
        """Return rows as (output, repetitions)."""
        if not len(outputs):
            return []
        changes = np.flatnonzero((outputs[1:] != outputs[:-1]).any(axis=1)) + 1
        starts = np.concatenate(([0], changes))
        lengths = np.diff(np.concatenate((starts, [len(outputs)])))
        return [(self._as_output(outputs[start]), int(length)) for start, length in zip(starts, lengths, strict=True)]

    def pack(self, state: FixedState) -> object:
        """Return `state` as JSON data."""
        numbers = tuple(map(mpq, self.values(state)))
        return {"numbers": pack_numbers(numbers), "operations": pack_number(state.count)}

    def unpack(self, data: object) -> FixedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        numbers, count = unpack_fixed(data, self.format, self.network.circuit.state_size)
        if count > MOST_OPERATIONS:
            raise CheckpointError(f"{shown(count)} operations are more than there can have been")
        return FixedState(self._maker.floats(numbers), count)
