"""Executor in fixed point, with words of up to 64 bits, in numba."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FixedPoint, Rounding
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.carriers.fixed import Fixed, Shift, Word
from exactnn.simulation.compiled_steps import Parameters, compiled_steps, runs_of, units_of
from exactnn.simulation.emulated import unpack_fixed
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.fixed_parameters import bounding_word, check_parameters, fixed_word
from exactnn.simulation.float_rows import FloatRows
from exactnn.simulation.layout import Special
from exactnn.simulation.packed import pack_number, pack_numbers
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["FixedExecutor", "FixedState", "can_compile", "carriers_of", "fixed_parameters", "numbers_of"]

MOST_OPERATIONS = 1 << 62
"""Operations of a run that are counted."""


def can_compile(format: FixedPoint, *, smooth: bool = False, unbounded: bool = False) -> bool:
    """Return whether the compiled loops compute in a format: words of 64 bits, products of 128.

    With `smooth` they have to compute sigmoid and tanh too: to 61 digits after the point; with `unbounded` softplus and
    exp, which are above the largest number there, so that a word needs a bit more.

    Examples
    --------
    >>> [can_compile(FixedPoint(integer_bits=32, fraction_bits=bits)) for bits in (32, 33)]
    [True, False]
    """
    inner = format.accumulator or format
    if (smooth and format.fraction_bits > 61) or (unbounded and format.magnitude_bits > 62):
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


def _word(format: FixedPoint) -> Word:
    """Return the words of a format as the compiled loops take them."""
    mask = -1 if format.word_bits == 64 else (1 << format.word_bits) - 1
    stochastic = format.rounding is Rounding.STOCHASTIC
    seed = np.uint64(format.seed)  # of one type, whatever its size
    return Word(format.lowest_word, format.largest_word, mask, format.overflow == "saturate", stochastic, seed)


def _shift(digits: int, format: FixedPoint) -> Shift:
    """Return how words with so many bits after the point become words of a format."""
    right = digits - format.fraction_bits
    if right <= 0:
        return Shift(-right, 0, 0, 0, 0)
    kept = min(right, 62)  # of longer ones that fall off, the last bit stands for all the others
    half, all_bits = 1 << (kept - 1), (1 << kept) - 1
    carries = {
        Rounding.NEAREST_EVEN: (half - 1, 0, 1),
        Rounding.NEAREST_AWAY: (half, -1, 0),
        Rounding.TOWARD_ZERO: (0, all_bits, 0),
        Rounding.UP: (all_bits, 0, 0),
    }
    return Shift(0, right, *carries.get(format.rounding, (0, 0, 0)))


def carriers_of(format: FixedPoint, *, second_order: bool) -> tuple[Fixed, Fixed]:
    """Return the carriers of sums and of results: they differ in their words."""
    inner, digits = format.accumulator or format, format.fraction_bits
    results = Fixed(
        word=_word(format),
        first=_shift(2 * digits, inner),
        second=_shift(inner.fraction_bits + digits, inner),
        entering=_shift(digits, inner),
        leaving=_shift(inner.fraction_bits, format),
        smooth=_shift(digits + 62, format),
        digits=digits,
        long=True if _longest_product(format, second_order=second_order) > 62 else None,
    )
    return results._replace(word=_word(inner)), results


def one_of(format: FixedPoint) -> int:
    """Return the word of 1, the input of a symbol; where 1 is no number, none is beyond what is returned."""
    return min(1 << format.fraction_bits, format.largest_word)


def fixed_parameters(network: Network, format: FixedPoint) -> Parameters:
    """Return a network's words, and how the loop computes with them.

    Raises
    ------
    UnsupportedArithmeticError
        If one is beyond the range of the format; but bounds of activations beyond it bound nothing.
    """
    check_parameters(network, format)
    maker = FloatRows(
        partial(fixed_word, format),
        np.int64,
        bound=partial(bounding_word, format),
        ends=(format.lowest_word, format.largest_word),
    )
    inner, outer = carriers_of(format, second_order=_has_products(network))
    stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)
    # x > threshold, exactly, for every number x of the format
    threshold = network.decision.threshold * (1 << format.fraction_bits)
    return Parameters(
        maker=maker,
        rows=maker.rows(units_of(network)),
        inner=inner,
        special=Special(outer, converts=True, fused=False, gathers=False, pairwise=False)
        if format.accumulator
        else None,
        smooth=has_smooth_units(network) or None,
        skips_zeros=not stochastic,  # a random number is taken for every term
        stochastic=stochastic,
        one=one_of(format),
        threshold=min(max(int(threshold.numerator // threshold.denominator), -1), (1 << 63) - 1),
        number=format.number,
        entry=partial(fixed_word, format),
    )


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
        self.network = network
        self.format = format
        self._steps = compiled_steps(network, format, fixed_parameters)
        parameters = self._steps.parameters
        self._maker, self._stochastic = parameters.maker, parameters.stochastic
        self._calls = self._steps.calls.copy()

    @property
    def engine(self) -> str:
        """How the steps were taken."""
        return f"{self.format}, {self._steps.order}-sparse ({self._steps.ways_since(self._calls)})"

    def start(self) -> FixedState:
        """Return the initial state, rounded to nearest."""
        return FixedState(self._maker.floats(self.network.initial_state), 0)

    def values(self, state: FixedState) -> tuple[float, ...] | tuple[mpq, ...]:
        """Return the numbers of `state`: floats if all numbers of the format are, else rationals."""
        return numbers_of(self.format, state.words)

    def output(self, state: FixedState) -> Output:
        """Return the readout of `state`."""
        return self._as_output(self._steps.output(state.words, state.count))

    def _as_output(self, words: NDArray[np.int64]) -> Output:
        numbers = numbers_of(self.format, words)
        return numbers[0] if self.network.scalar_output else numbers

    def watches(self, state: FixedState, eos_steps: int) -> bool:
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
        outputs, words, operations = self._steps.advance(
            state.words, symbol, count, until_decided=until_decided, operations=state.count,
            anchor=None if anchor is None else anchor.words,
        )  # fmt: skip
        runs = runs_of(outputs, self._as_output)
        outcome = None
        if until_decided and runs:
            last = runs[-1][0]
            assert not isinstance(last, tuple)
            outcome = self.network.decision.outcome(last)
        following = FixedState(words, operations if self._stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs, state=following, outcome=outcome)

    def advance_word(self, state: FixedState, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, or as many as there is room for the outputs."""
        outputs, words, operations = self._steps.advance_word(state.words, word, state.count)
        following = FixedState(words, operations if self._stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

    def read(self, state: FixedState, symbols: Sequence[int]) -> Segment:
        """Take a step for each symbol, given by its number; of the outputs there is the last one, or none."""
        outputs, words, operations = self._steps.read(state.words, symbols, state.count)
        following = FixedState(words, operations if self._stochastic else 0)
        return Segment(steps=len(symbols), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

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
