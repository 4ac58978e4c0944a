"""Operations on the numbers of a format, in rationals: slow, short, and what every fast executor is tested by."""

from collections.abc import Callable
from functools import partial
from math import copysign, inf, isfinite, nan
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic.fixed_point import FixedPoint
from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.rounding import RANDOM_BITS, Rounding, random_bits
from exactnn.arithmetic.smooth import (
    binary_real,
    bits_before_point,
    exp_to_odd,
    sigmoid_to_odd,
    softplus_to_odd,
    tanh_to_odd,
)

__all__ = [
    "FixedOperations",
    "FloatOperations",
    "Number",
    "has_number",
    "is_finite",
]


# --- Operations on the numbers of a float format, in rationals: slow, short, and what every fast executor is tested by.
#
# A number is a rational, or one of the floats 0.0, -0.0, inf, -inf and nan. Every operation is the exact one, rounded
# once; zeros have the signs, and infinities and NaN the rules, of IEEE 754-2019, sections 6 and 7 (9.2 for tanh).

Number = mpq | float
"""A rational, not 0, or a float that is 0, -0, infinite or NaN."""

MARGIN = RANDOM_BITS + 4
"""Bits beyond those of a format that tell how a number is rounded, at random or not."""


class FloatOperations:
    """The operations in one format; the i-th one takes the i-th random number if rounding is stochastic.

    Examples
    --------
    >>> operations = FloatOperations(FloatFormat(precision=3, exponent_bits=4))
    >>> operations.add(mpq(1), mpq(1, 10)), operations.multiply(mpq(-3), 0.0), operations.fused(mpq(3), mpq(3), mpq(-8))
    (mpq(1,1), -0.0, mpq(1,1))
    """

    way = "in rationals"

    def __init__(self, format: FloatFormat, count: int = 0) -> None:
        self.format = format
        self.count = count

    def number(self, number: Number) -> Number:
        """Return a number of the format, a rational or any float, in the form that the operations take."""
        return mpq(number) if isinstance(number, float) and number and isfinite(number) else number

    @staticmethod
    def plain(number: Number) -> Number:
        """Return what :meth:`number` or an operation gave as a number."""
        return number

    def convert(self, number: Number) -> Number:
        """Return a number of another format in this one."""
        draw = self._draw()
        return self._special(number) if isinstance(number, float) else self.format.rounded(number, draw)

    def multiply(self, x: Number, y: Number) -> Number:
        """Return x * y."""
        draw = self._draw()
        if isinstance(x, float) or isinstance(y, float):
            return self._special(_as_special(x) * _as_special(y))
        return self.format.rounded(x * y, draw)

    def divide(self, x: Number, y: Number) -> Number:
        """Return x / y: infinite, or NaN if x is 0 too, where y is 0."""
        draw = self._draw()
        if isinstance(x, float) or isinstance(y, float):
            return self._special(_special_quotient(_as_special(x), _as_special(y)))
        return self.format.rounded(x / y, draw)

    def add(self, x: Number, y: Number) -> Number:
        """Return x + y."""
        draw = self._draw()
        if not (is_finite(x) and is_finite(y)):
            return self._special(_as_special(x) + _as_special(y))
        return self._sum(x, y, draw)

    def fused(self, x: Number, y: Number, z: Number) -> Number:
        """Return x * y + z with one rounding."""
        draw = self._draw()
        if not (is_finite(x) and is_finite(y)):
            return self._special(_as_special(x) * _as_special(y) + _as_special(z))
        if not is_finite(z):
            return self._special(_as_special(z))
        product = _as_special(x) * _as_special(y) if isinstance(x, float) or isinstance(y, float) else x * y
        return self._sum(product, z, draw)

    def sigmoid(self, x: Number) -> Number:
        """Return 1 / (1 + exp(-x)): 0 for -inf, 1 for inf."""
        draw = self._draw()
        if not isinstance(x, float):
            return self._smooth(sigmoid_to_odd, x, draw)
        if isfinite(x):
            return self.format.rounded(mpq(1, 2), draw)
        return self.format.rounded(mpq(x > 0), draw) if x == x else self._special(x)

    def tanh(self, x: Number) -> Number:
        """Return tanh(x): x for 0 and -0, -1 for -inf, 1 for inf."""
        draw = self._draw()
        if not isinstance(x, float):
            return self._smooth(tanh_to_odd, x, draw)
        return x if not x or x != x else mpq(copysign(1, x))

    def softplus(self, x: Number) -> Number:
        """Return log(1 + exp(x)): 0 for -inf, inf for inf."""
        draw = self._draw()
        if not isinstance(x, float) or isfinite(x):
            return self._smooth(softplus_to_odd, _exact(x), draw)
        return self._special(0.0 if x < 0 else x)

    def exp(self, x: Number) -> Number:
        """Return exp(x): 1 for 0 and -0, 0 for -inf, inf for inf."""
        draw = self._draw()
        if not isinstance(x, float) or isfinite(x):
            return self._smooth(partial(exp_to_odd, most=self.format.largest_exponent + 1), _exact(x), draw)
        return self._special(0.0 if x < 0 else x)

    def _smooth(self, function: Callable[[Any, int, int], Any], x: mpq, draw: int) -> Number:
        """Return a value of one of the smooth functions, of a number that it has no value of the format at."""
        bits = self.format.precision + MARGIN
        return self.format.rounded(mpq(function(binary_real(x), bits, self.format.smallest_exponent - bits)), draw)

    def _draw(self) -> int:
        self.count += 1
        stochastic = self.format.rounding is Rounding.STOCHASTIC
        return random_bits(self.format.seed, self.count - 1) if stochastic else 0

    def _sum(self, x: Number, y: Number, draw: int) -> Number:
        """Return the sum of two finite numbers; an exact zero is +0, or -0 when rounding down, but for -0 + -0."""
        total = _exact(x) + _exact(y)
        if total:
            return self.format.rounded(total, draw)
        if isinstance(x, float) and isinstance(y, float) and copysign(1, x) == copysign(1, y):
            return x
        return -0.0 if self.format.rounding is Rounding.DOWN else 0.0

    def _special(self, value: float) -> Number:
        """Return 0, an infinity or NaN as this format has it; an infinity that it lacks has overflowed."""
        if value == 0 or value != value or self.format.specials == "ieee":
            return value
        return float("nan") if self.format.overflow == "nan" else mpq(copysign(1, value)) * self.format.largest


def has_number(format: FloatFormat, number: Number) -> bool:
    """Return whether a number can be one of a format; NaN can, since an accumulator may have made it.

    >>> [has_number(FloatFormat(precision=bits, exponent_bits=4), 1.75) for bits in (2, 3)]
    [False, True]
    """
    if is_finite(number):
        return not number or format.parameters.rounded(mpq(number)) == number
    return number != number or format.specials == "ieee"


def is_finite(x: object) -> bool:
    """Return whether a number is neither infinite nor NaN, as only floats are: rationals may be beyond all floats."""
    return not isinstance(x, float) or isfinite(x)


def _exact(x: Number) -> mpq:
    return mpq(0) if isinstance(x, float) else x


def _as_special(x: Number) -> float:
    """Return a float that is as a number is, but 1 or -1 where it is finite and not 0: its size plays no part."""
    return x if isinstance(x, float) else (1.0 if x > 0 else -1.0)


def _special_quotient(x: float, y: float) -> float:
    """Return x / y of floats, one of which is 0, infinite or NaN, with the signs of IEEE 754."""
    if y:
        return x / y
    return copysign(inf, x) * copysign(1, y) if x and x == x else nan


# --- Operations on the numbers of a fixed-point format, in rationals: slow, short, and what tests the fast ones.
#
# A number is a rational. Every operation is the exact one, rounded once.


class FixedOperations:
    """As :class:`FloatOperations`; the i-th operation takes the i-th random number if rounding is stochastic.

    Examples
    --------
    >>> operations = FixedOperations(FixedPoint(integer_bits=3, fraction_bits=2))
    >>> operations.add(mpq(3), mpq(3)), operations.multiply(mpq(1, 4), mpq(-1, 4)), operations.convert(mpq(3, 8))
    (mpq(15,4), mpq(0,1), mpq(1,2))
    """

    way = "in rationals"

    def __init__(self, format: FixedPoint, count: int = 0) -> None:
        self.format = format
        self.count = count

    def number(self, number: mpq | float) -> mpq:
        """Return a number of the format in the form that the operations take."""
        return mpq(number)

    @staticmethod
    def plain(number: mpq) -> mpq:
        """Return what :meth:`number` or an operation gave as a number."""
        return number

    def convert(self, number: mpq) -> mpq:
        """Return a number of another format in this one."""
        draw = 0
        if self.format.rounding is Rounding.STOCHASTIC:
            draw = random_bits(self.format.seed, self.count)
        self.count += 1
        return self.format.rounded(number, draw)

    def multiply(self, x: mpq, y: mpq) -> mpq:
        """Return x * y."""
        return self.convert(x * y)

    def add(self, x: mpq, y: mpq) -> mpq:
        """Return x + y."""
        return self.convert(x + y)

    def sigmoid(self, x: mpq) -> mpq:
        """Return 1 / (1 + exp(-x))."""
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(sigmoid_to_odd(binary_real(x), bits, -bits)))

    def tanh(self, x: mpq) -> mpq:
        """Return tanh(x)."""
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(tanh_to_odd(binary_real(x), bits, -bits)))

    def softplus(self, x: mpq) -> mpq:
        """Return log(1 + exp(x)), which is as long before the point as the number."""
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(softplus_to_odd(binary_real(x), bits + self.format.integer_bits + 1, -bits)))

    def exp(self, x: mpq) -> mpq:
        """Return exp(x); where the format wraps, all bits before the point are computed, of which there are 3x/2.

        Where it saturates, no more are than the format has.
        """
        most = self.format.integer_bits if self.format.overflow == "saturate" else None
        real = binary_real(x if most is None else min(x, mpq(most + 1)))
        bits = self.format.fraction_bits + MARGIN
        return self.convert(mpq(exp_to_odd(real, bits + bits_before_point(real), -bits, most)))
