"""Rounding to a floating-point format that the processor lacks, for the compiled loops.

Numbers are kept as float64. An operation is done in float64 first, together with its error, which is a float64 too;
both say what the exact result is, and that is rounded once. This is right for every format of up to 53 bits and 10 bits
of exponent: then nothing overflows on the way, and what float64's own underflow loses is far below the format's
smallest number. A format comes as plain numbers, see `Format`. There are no branches, so that loops over these
functions are vectorised.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic, register_jitable

__all__ = ["Format", "product", "rounded", "threshold_of", "total"]


class Format(NamedTuple):
    """A floating-point format and its rounding, as the loops read it."""

    scale: float
    """What the least number of a binade is multiplied by, so that adding the two rounds to the format."""
    unit: float
    """What it is multiplied by to be the unit in the last place; a power of two like the one before."""
    smallest: float
    """The least number of the lowest binade."""
    products_exact: bool
    """Whether float64 products of numbers of the format are exact."""
    sums_exact: bool
    """Whether sums may be rounded to float64 first and then to the format."""
    nearest: bool
    """Whether the rounding is to nearest, ties to even. If not, the next four say what it is."""
    beyond: float
    """The fraction between two neighbours beyond which a magnitude grows; below 0 a random number is."""
    positive: bool
    negative: bool
    """Whether magnitudes of positive and of negative numbers may grow."""
    away: bool
    """Whether they grow at a tie."""
    flush: float
    """Below this magnitude a result becomes 0."""
    largest: float
    above: float
    below: float
    """What becomes of positive and of negative results beyond the largest number."""
    infinity: float
    """What becomes of infinity."""
    down: bool
    """Whether the rounding is down, so that an exact zero is -0."""
    seed: np.uint64
    """The seed of random numbers."""


_EXPONENT = 2047 << 52
_ENOUGH = 2.0**900  # more than any number of these formats, and far from an overflow
_INFINITY = np.inf


@intrinsic
def multiply_add(typing_context: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x * y + z, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@register_jitable
def rounded(value: Any, error: Any, beyond: Any, nearest: Any, format: Any) -> Any:
    """Return value + error in the format, where value is that sum to nearest in float64."""
    flush, largest, above, below, infinity = format.flush, format.largest, format.above, format.below, format.infinity
    result = to_nearest(value, error, format) if nearest else by_fraction(value, error, beyond, format)
    result = 0.0 if abs(result) < flush else result
    result = np.copysign(result, value)
    result = (below if value < 0.0 else above) if abs(result) > largest else result
    return np.copysign(infinity, value) if abs(value) == _INFINITY else result


@register_jitable
def binade_of(value: Any) -> Any:
    """Return the power of two at or below a magnitude, and 0 or infinity for what has none."""
    return np.int64(np.float64(value).view(np.int64) & _EXPONENT).view(np.float64)


@register_jitable
def shift_of(binade: Any, scale: Any, smallest: Any) -> Any:
    """Return what is added and subtracted so that the processor rounds to the format."""
    has_all = (scale == 1.0) & (binade >= smallest)  # float64 has no more bits
    return 0.0 if has_all else min(max(binade, smallest), _ENOUGH) * scale


@register_jitable
def to_nearest(value: Any, error: Any, format: Any) -> Any:
    """Return the nearest number of the precision, of two the even one; the sign of a zero is of no meaning."""
    scale, smallest = format.scale, format.smallest
    shift = np.copysign(shift_of(binade_of(value), scale, smallest), value)
    result = (value + shift) - shift
    # What float64 takes for a tie is none if it has an error; that tells which of the two is nearer.
    rest = value - result
    tie = (abs(rest) == 2.0**-53 * abs(shift)) & (error != 0.0)
    same = (np.float64(error).view(np.int64) ^ np.float64(rest).view(np.int64)) >= 0
    return result + np.copysign(2.0**-52 * shift, rest) if tie & same else result


@register_jitable
def by_fraction(value: Any, error: Any, beyond: Any, format: Any) -> Any:
    """Return one of the two neighbours in the precision, as the fraction between them tells; zeros as above."""
    smallest = format.smallest
    bits = np.float64(value).view(np.int64)
    opposite = (error != 0.0) & ((np.float64(error).view(np.int64) ^ bits) < 0)
    # Cut off rather than rounded in float64, what is missing only adds to the fraction.
    magnitude = abs(np.int64(bits - np.int64(opposite)).view(np.float64))
    binade = binade_of(magnitude)
    shift, last = shift_of(binade, format.scale, smallest), max(binade, smallest) * format.unit
    whole = (magnitude + shift) - shift
    whole = whole - last if whole > magnitude else whole
    # The fraction is (rest - missing) / last; differences of numbers so close to each other are exact.
    rest = ((magnitude - whole) - beyond * last) + (abs(value) - magnitude)
    missing = abs(error) if opposite else -abs(error)
    may = format.negative if value < 0.0 else format.positive
    grows = may & ((rest > missing) | ((rest == missing) & format.away))
    return whole + last if grows else whole


@register_jitable
def product(x: Any, y: Any, beyond: Any, nearest: Any, format: Any) -> Any:
    """Return x * y in the format."""
    value = x * y
    error: Any = multiply_add(x, y, -value)  # type: ignore[call-arg]
    if not nearest:  # then it matters that a product of two numbers that are not 0 is not 0, however small
        lost = np.int64(value == 0.0) & np.int64(x != 0.0) & np.int64(y != 0.0)
        value = np.int64(np.float64(value).view(np.int64) | lost).view(np.float64)
    return rounded(value, error, beyond, nearest, format)


@register_jitable
def total(x: Any, y: Any, beyond: Any, nearest: Any, format: Any) -> Any:
    """Return x + y in the format."""
    value = x + y
    other = value - x
    error = (x - (value - other)) + (y - other)
    if not nearest:  # rounding down, an exact zero is -0, but for 0 + 0
        negative = np.float64(x).view(np.int64) | np.float64(y).view(np.int64)
        downward = np.int64(format.down) & np.int64(value == 0.0) & np.int64(negative < 0)
        value = np.int64(np.float64(value).view(np.int64) | (downward << 63)).view(np.float64)
    return rounded(value, error, beyond, nearest, format)


@register_jitable
def random_fraction(seed: Any, count: Any) -> Any:
    """Return the random number of operation `count`: see :func:`exactnn.arithmetic.rounding.random_bits`."""
    x = seed + np.uint64(count + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = (x ^ (x >> np.uint64(31))) >> np.uint64(32)
    return (2.0 * np.float64(x) + 1.0) / 8589934592.0


@register_jitable
def threshold_of(format: Any, count: Any) -> Any:
    """Return the fraction beyond which the magnitude grows in operation `count`."""
    return random_fraction(np.uint64(format.seed), count) if format.beyond < 0.0 else format.beyond
