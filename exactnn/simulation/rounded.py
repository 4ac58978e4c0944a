"""Float formats in the compiled loop: what rounding needs to know, and the executor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FLOAT64, FloatFormat, FloatOperations, Rounding, has_number
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.simulation.carriers.rounded import carriers_of
from exactnn.simulation.compiled_steps import Parameters, compiled_steps, runs_of, units_of
from exactnn.simulation.cycle import same_numbers
from exactnn.simulation.executor import Output, Segment, Values
from exactnn.simulation.float_rows import FloatRows, Rows, halves, zeros_change_no_sum
from exactnn.simulation.layout import Special
from exactnn.simulation.nearest_floats import nearest_floats
from exactnn.simulation.packed import pack_number, pack_numbers, unpack_floats, unpack_integer, unpack_numbers_of
from exactnn.simulation.rounding_kernels import Format
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = [
    "RoundedExecutor",
    "RoundedState",
    "Roundings",
    "can_pair",
    "can_round",
    "number_of",
    "plain",
    "rounded_parameters",
]


# --- What the compiled loops take of a network and a floating-point format: rounded parameters, and how to round.

DOUBLE = 53
"""Bits of the significand of float64."""

WIDEST = 79
"""Bits for which products of what a pair of float64 has beyond the first are exact."""


def can_round(format: FloatFormat) -> bool:
    """Return whether the numbers of a format are float64 that the compiled loops compute with."""
    inner = format.accumulator or format
    return all(part.precision <= DOUBLE and part.largest_exponent <= 511 for part in (format, inner)) and (
        not format.fused or _products_are_exact(format, inner)
    )


def can_pair(format: FloatFormat) -> bool:
    """Return whether the numbers of a format are pairs of float64 that the compiled loops compute with."""
    return (
        DOUBLE < format.precision <= WIDEST
        and format.largest_exponent <= 511
        and format.specials != "nan"  # then the largest number is not the last before a power of two
        and format.accumulator is None
        and not format.fused
        and format.rounding is not Rounding.STOCHASTIC
    )


def pair_of(value: mpq | float) -> complex:
    """Return a number as the nearest float64, and the rest."""
    high = float(value)
    return complex(high, float(mpq(value) - mpq(high)) if np.isfinite(high) else 0.0)


def _nearest_pair(format: FloatFormat, value: mpq) -> complex:
    return pair_of(format.parameters.rounded(value))


def number_of(pair: complex) -> mpq | float:
    """Return the number that a pair of float64 stands for: a float if it is 0, infinite or NaN."""
    return mpq(pair.real) + mpq(pair.imag) if pair.real and np.isfinite(pair.real) else pair.real


def _products_are_exact(format: FloatFormat, inner: FloatFormat) -> bool:
    return format == FLOAT64 or format.precision + max(format.precision, inner.precision) <= DOUBLE


def plain(format: FloatFormat, products_exact: bool) -> Format:
    """Return a format as the compiled loops take it."""
    mode = format.rounding
    to_nearest = mode in (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY)
    smallest = float(mpq(2) ** format.smallest_exponent)
    huge = 2 * format.largest
    return Format(
        scale=2.0 ** (DOUBLE - format.precision),
        unit=2.0 ** (1 - format.precision),
        smallest=smallest if format.subnormals else smallest / 2,  # nothing is kept of the binades further down
        products_exact=products_exact,
        sums_exact=mode is Rounding.NEAREST_EVEN and (format.precision == DOUBLE or 2 * format.precision + 2 <= DOUBLE),
        nearest=mode is Rounding.NEAREST_EVEN,
        beyond=0.5 if to_nearest else (-1.0 if mode is Rounding.STOCHASTIC else 0.0),
        positive=to_nearest or mode in (Rounding.UP, Rounding.STOCHASTIC),
        negative=to_nearest or mode in (Rounding.DOWN, Rounding.STOCHASTIC),
        away=mode is Rounding.NEAREST_AWAY,
        flush=0.0 if format.subnormals else smallest,
        largest=float(format.largest),
        above=float(format.rounded(huge)),
        below=float(format.rounded(-huge)),
        infinity=float(FloatOperations(format).convert(float("inf"))),
        down=mode is Rounding.DOWN,
        seed=np.uint64(format.seed),  # of one type, whatever its size
    )


class Roundings:
    """A network's parameters in a format, and how the compiled loops compute with them.

    Parameters are rounded to nearest, with ties to even, in every format.
    """

    def __init__(self, network: Network, format: FloatFormat) -> None:
        self._is_wide = wide = format.precision > DOUBLE
        maker = (
            FloatRows(partial(_nearest_pair, format), np.complex128)
            if wide
            else FloatRows(format.nearest, np.float64, many=partial(nearest_floats, format))
        )
        inner = format.accumulator or format
        exact = _products_are_exact(format, inner)
        self._format, self._maker, self._has_smooth_units = format, maker, has_smooth_units(network)
        self.floats = maker.floats
        self.rows: Rows = maker.rows(units_of(network))
        self.units, self.readout = halves(self.rows, network.circuit.units)
        self.inner, self.outer = plain(inner, exact), plain(format, exact)
        self.converts = format.accumulator is not None
        self.bias_first = not format.fused and format.summation == "bias first"
        self.stochastic = Rounding.STOCHASTIC in (format.rounding, inner.rounding)
        self.skips_zeros = self._skips_zeros(format)
        # Beyond the largest number are the infinities only.
        threshold = max(-format.largest, min(format.largest, network.decision.threshold))
        # For every number x of the format, x > threshold is the same as x > self.threshold.
        self.threshold: complex
        if wide:
            self.threshold = pair_of(replace(format, rounding=Rounding.DOWN).rounded(threshold))
        else:
            nearest = format.nearest(threshold)
            self.threshold = float(np.nextafter(nearest, -np.inf)) if nearest > threshold else nearest

    def _skips_zeros(self, format: FloatFormat) -> bool:
        """Whether a linear term that is 0 changes nothing but sums that are -0 or begin with it, and there are none.

        With a fused operation there are: 0 and a negative product below all numbers of the format give -0.
        """
        return (
            format.accumulator is None
            and format.subnormals
            and format.rounding not in (Rounding.DOWN, Rounding.STOCHASTIC)  # the latter takes a random number for it
            and self.bias_first
            and zeros_change_no_sum(self.rows)
        )

    @property
    def parameters(self) -> Parameters:
        """All of it, as the loop takes it."""
        inner, outer = carriers_of(self.inner, self.outer)
        special = None
        if self.converts or not self.bias_first:
            fused, pairwise = self._format.fused, self._format.summation == "pairwise"
            special = Special(outer, self.converts, fused, not fused and not self.bias_first, pairwise)
        return Parameters(
            maker=self._maker,
            rows=self.rows,
            inner=inner,
            special=special,
            smooth=self._has_smooth_units or None,
            skips_zeros=self.skips_zeros,
            stochastic=self.stochastic,
            one=1,
            threshold=self.threshold,
            number=number_of if self._is_wide else float,
            entry=pair_of if self._is_wide else float,
        )


def rounded_parameters(network: Network, format: FloatFormat) -> Parameters:
    """Return a network's parameters in a floating-point format, and how the loop computes with them."""
    return Roundings(network, format).parameters


MOST_OPERATIONS = 1 << 62
"""Operations of a run that are counted."""


@dataclass(frozen=True, slots=True)
class RoundedState:
    """The numbers of a state, and how many operations there were before, which chooses the random numbers."""

    numbers: NDArray[np.float64] | NDArray[np.complex128]
    count: int


class RoundedExecutor:
    """A network in a floating-point format; see :func:`can_round` and :func:`can_pair`."""

    paces_itself = False

    def __init__(self, network: Network, format: FloatFormat) -> None:
        self.network = network
        self.format = format
        self._is_wide = format.precision > DOUBLE
        self._number: Callable[[Any], Any] = number_of if self._is_wide else float
        self._steps = compiled_steps(network, format, rounded_parameters)
        self._calls = self._steps.calls.copy()
        self._maker, self._stochastic = self._steps.parameters.maker, self._steps.parameters.stochastic

    @property
    def engine(self) -> str:
        """How the steps were taken."""
        return f"{self.format}, rounded ({self._steps.ways_since(self._calls)})"

    def start(self) -> RoundedState:
        """Return the initial state, rounded to nearest."""
        return RoundedState(self._maker.floats(self.network.initial_state), 0)

    def values(self, state: RoundedState) -> Values:
        """Return the numbers of `state`."""
        return tuple(map(self._number, state.numbers.tolist()))

    def output(self, state: RoundedState) -> Output:
        """Return the readout of `state`."""
        return self._as_output(self._steps.output(state.numbers, state.count))

    def _as_output(self, outputs: NDArray[Any]) -> Output:
        numbers = tuple(map(self._number, outputs.tolist()))
        return numbers[0] if self.network.scalar_output else numbers

    def watches(self, state: RoundedState, eos_steps: int) -> bool:
        """Whether states are compared: not where rounding is stochastic, by the number of the operation."""
        return not self._stochastic

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
            outcome = self.network.decision.outcome(self._number(outputs[-1, 0].item()))
        following = RoundedState(numbers, operations if self._stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=outcome)

    def advance_word(self, state: RoundedState, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, or as many as there is room for the outputs."""
        outputs, numbers, operations = self._steps.advance_word(state.numbers, word, state.count)
        following = RoundedState(numbers, operations if self._stochastic else 0)
        return Segment(steps=len(outputs), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

    def read(self, state: RoundedState, symbols: Sequence[int]) -> Segment:
        """Take a step for each symbol, given by its number; of the outputs there is the last one, or none."""
        outputs, numbers, operations = self._steps.read(state.numbers, symbols, state.count)
        following = RoundedState(numbers, operations if self._stochastic else 0)
        return Segment(steps=len(symbols), outputs=runs_of(outputs, self._as_output), state=following, outcome=None)

    def pack(self, state: RoundedState) -> object:
        """Return `state` as JSON data."""
        return {"numbers": pack_numbers(self.values(state)), "operations": pack_number(state.count)}

    def unpack(self, data: object) -> RoundedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
            raise CheckpointError(f"{shown(data)} is no state in {self.format}")
        numbers = self._unpacked(data["numbers"], self.network.circuit.state_size)
        count = unpack_integer(data["operations"])
        if count > MOST_OPERATIONS:
            raise CheckpointError(f"{shown(count)} operations are more than there can have been")
        return RoundedState(numbers, count)

    def _unpacked(self, data: object, size: int) -> NDArray[Any]:
        if self._is_wide:
            return np.array(
                [pair_of(value) for value in unpack_numbers_of(self.format, data, size)], dtype=np.complex128
            )
        values = unpack_floats(data, size)
        for value in values:
            if not has_number(self.format, value):
                raise CheckpointError(f"{shown(value)} is no number of {self.format}")
        return np.array(values, dtype=np.float64)
