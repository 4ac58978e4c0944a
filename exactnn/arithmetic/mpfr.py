"""Operations by MPFR: on numbers of formats of any precision, and on pairs of bounds with directed rounding.

In float64 and float32 the processor has the same operations, which take less time.
"""

from collections.abc import Callable
from ctypes import c_float
from math import isfinite
from typing import Any

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic.float_format import FLOAT32, FLOAT64, FloatFormat
from exactnn.arithmetic.interval import Enclosure
from exactnn.arithmetic.operations import MARGIN, FloatOperations, Number
from exactnn.arithmetic.rounding import Rounding
from exactnn.arithmetic.smooth import exp_to_odd, sigmoid_to_odd, softplus_to_odd, tanh_to_odd
from exactnn.errors import BitLimitError

__all__ = [
    "Bounds",
    "DirectedRounding",
    "MpfrOperations",
    "ProcessorOperations",
    "can_mpfr",
    "exact_dyadic",
    "is_dyadic",
    "operations_of",
]


# --- Operations on the numbers of formats like those of IEEE 754, of any precision, by MPFR.

_MODES = {
    Rounding.NEAREST_EVEN: gmpy2.RoundToNearest,
    Rounding.TOWARD_ZERO: gmpy2.RoundToZero,
    Rounding.UP: gmpy2.RoundUp,
    Rounding.DOWN: gmpy2.RoundDown,
}


def can_mpfr(format: FloatFormat) -> bool:
    """Return whether MPFR computes in a format as it stands."""
    usual = format.specials == "ieee" and format.overflow == "infinity" and format.subnormals
    return usual and format.rounding in _MODES


class MpfrOperations:
    """As :class:`FloatOperations`, for formats in which MPFR computes; numbers are gmpy2's mpfr.

    Examples
    --------
    >>> operations = MpfrOperations(FloatFormat(precision=3, exponent_bits=4))
    >>> three, eight = operations.number(mpq(3)), operations.number(mpq(-8))
    >>> operations.add(three, eight), operations.fused(three, three, eight)
    (mpfr('-5.0',3), mpfr('1.0',3))
    """

    way = "by MPFR"

    def __init__(self, format: FloatFormat, count: int = 0) -> None:
        emax = format.largest_exponent + 1
        self.format = format
        self.count = count
        self._bits = format.precision + MARGIN
        self._least = format.smallest_exponent - self._bits
        self._context: Any = gmpy2.context(
            precision=format.precision,
            emax=emax,
            emin=4 - emax - format.precision,
            subnormalize=True,
            round=_MODES[format.rounding],
        )

    def __reduce__(self) -> tuple[type["MpfrOperations"], tuple[FloatFormat, int]]:
        return type(self), (self.format, self.count)  # a context of gmpy2 cannot be pickled

    def number(self, number: Number) -> Any:
        """Return a number of the format as an mpfr."""
        return gmpy2.mpfr(number, self.format.precision)

    def convert(self, number: Any) -> Any:
        """Return a number of another format in this one."""
        return self._context.mul(number, ONE)

    @staticmethod
    def plain(number: Any) -> Number:
        """Return an mpfr as a rational, or as a float if it is 0, infinite or NaN."""
        return mpq(number) if gmpy2.is_finite(number) and number else float(number)

    def multiply(self, x: Any, y: Any) -> Any:
        """Return x * y."""
        return self._context.mul(x, y)

    def add(self, x: Any, y: Any) -> Any:
        """Return x + y."""
        return self._context.add(x, y)

    def fused(self, x: Any, y: Any, z: Any) -> Any:
        """Return x * y + z with one rounding."""
        return self._context.fma(x, y, z)

    def sigmoid(self, x: Any) -> Any:
        """Return 1 / (1 + exp(-x))."""
        return self.convert(sigmoid_to_odd(x, self._bits, self._least))

    def tanh(self, x: Any) -> Any:
        """Return tanh(x)."""
        return self.convert(tanh_to_odd(x, self._bits, self._least))

    def softplus(self, x: Any) -> Any:
        """Return log(1 + exp(x))."""
        return self.convert(softplus_to_odd(x, self._bits, self._least))

    def exp(self, x: Any) -> Any:
        """Return exp(x)."""
        return self.convert(exp_to_odd(x, self._bits, self._least, self.format.largest_exponent + 1))


class ProcessorOperations(MpfrOperations):
    """The same in float64 and float32 as the processor has them; numbers are floats. Smooth functions are MPFR's.

    A product of two float32 is a float64. A sum of two may not be one, but then rounding to float64 first changes
    nothing: float64 has more than twice the bits (S. Figueroa, "When is double rounding innocuous?", 1995).

    Examples
    --------
    >>> [ProcessorOperations(FloatFormat(precision=p, exponent_bits=e)).add(1.0, 1e-9) for p, e in ((53, 11), (24, 8))]
    [1.000000001, 1.0]
    """

    way = "by the processor"

    def __init__(self, format: FloatFormat, count: int = 0) -> None:
        super().__init__(format, count)
        self._is_double = format == FLOAT64

    def number(self, number: Number) -> float:
        """Return a number of the format as a float."""
        return float(number)

    @staticmethod
    def plain(number: float) -> Number:
        """Return a float as a rational, or as it is if it is 0, infinite or NaN."""
        return mpq(number) if isfinite(number) and number else number

    def multiply(self, x: float, y: float) -> float:
        """Return x * y."""
        return x * y if self._is_double else c_float(x * y).value

    def add(self, x: float, y: float) -> float:
        """Return x + y."""
        return x + y if self._is_double else c_float(x + y).value

    def sigmoid(self, x: float) -> float:
        """Return 1 / (1 + exp(-x))."""
        return float(super().sigmoid(super().number(x)))

    def tanh(self, x: float) -> float:
        """Return tanh(x)."""
        return float(super().tanh(super().number(x)))

    def softplus(self, x: float) -> float:
        """Return log(1 + exp(x))."""
        return float(super().softplus(super().number(x)))

    def exp(self, x: float) -> float:
        """Return exp(x)."""
        return float(super().exp(super().number(x)))


def operations_of(format: FloatFormat) -> type[MpfrOperations] | type[FloatOperations]:
    """Return the fastest operations that follow the definition of a format and of its accumulator.

    >>> [operations_of(FloatFormat(precision=24, exponent_bits=8, specials=s)).__name__ for s in ("ieee", "nan")]
    ['ProcessorOperations', 'FloatOperations']
    """
    if format in (FLOAT64, FLOAT32):
        return ProcessorOperations
    both = can_mpfr(format) and can_mpfr(format.accumulator or format)
    return MpfrOperations if both else FloatOperations


# --- Operations on pairs of bounds with directed rounding, by MPFR: whatever they compute encloses the exact result.
#
# A bound is an mpfr. Operations round to a few bits more than the bounds that are kept, so that a sum of many terms is
# nearly as narrow as if it were rounded once. Operands may have any precision: they are taken as they are.

Bounds = tuple[Any, Any]
"""The lower and the upper bound of a number, as mpfrs."""

GUARD_BITS = 20
"""More than the bounds have that are kept: a million roundings are less than one of those."""

MOST_EXPONENT = 1 << 20
"""A bound of 2 to this power or more is refused, and none that is kept is between 0 and 2 to minus this."""

LEAST_ALONG = 512
"""Bits from which on exponentials are dear enough to compute them at one bound only."""

ONE, ZERO = gmpy2.mpfr(1), gmpy2.mpfr(0)
HALF, QUARTER, NARROW = gmpy2.mpfr(0.5), gmpy2.mpfr(0.25), gmpy2.mpfr(2.0**-64)
_BEYOND = f"a bound of an enclosure is beyond 2^{MOST_EXPONENT}: the enclosures tell nothing any more"

TINY = mpq(1, mpz(1) << MOST_EXPONENT)


class DirectedRounding:
    """Arithmetic on bounds of `bits` bits, and on those of a few bits more within a sum.

    Examples
    --------
    >>> rounding = DirectedRounding(10)
    >>> print(rounding.enclosure(rounding.kept(rounding.tanh(rounding.enclosed(mpq(1))))))
    [0.76074, 0.76172]
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.working_bits = bits + GUARD_BITS
        self.down = _context(self.working_bits, gmpy2.RoundDown)
        self.up = _context(self.working_bits, gmpy2.RoundUp)
        self._last_down = _context(bits, gmpy2.RoundDown)
        self._last_up = _context(bits, gmpy2.RoundUp)

    @staticmethod
    def wide() -> Any:
        """Return a context to compute in: with every exponent that there is, whatever the caller's context has."""
        return _context(53, gmpy2.RoundToNearest)

    def enclosed(self, value: mpq) -> Bounds:
        """Return the closest bounds of a rational that can be kept."""
        numerator, denominator = exact_dyadic(mpq(value.numerator)), exact_dyadic(mpq(value.denominator))
        return self.kept((self._last_down.div(numerator, denominator), self._last_up.div(numerator, denominator)))

    def kept(self, bounds: Bounds) -> Bounds:
        """Return bounds rounded outward to the bits that are kept.

        Raises
        ------
        BitLimitError
            If a bound is beyond what exponents may be.
        """
        low, high = bounds
        return _in_range(self._last_down.plus(low), up=False), _in_range(self._last_up.plus(high), up=True)

    @staticmethod
    def finite(bounds: Bounds) -> Bounds:
        """Return the bounds if they are numbers; raises BitLimitError if a sum overflowed."""
        for bound in bounds:
            if not gmpy2.is_finite(bound):
                raise BitLimitError(_BEYOND)
        return bounds

    @staticmethod
    def enclosure(bounds: Bounds) -> Enclosure:
        """Return bounds as an enclosure of exact numbers."""
        return Enclosure(low=mpq(bounds[0]), high=mpq(bounds[1]))

    def product(self, x: Bounds, y: Bounds) -> Bounds:
        """Return bounds of a product of two numbers that may be any in their bounds.

        Of the four products of bounds, signs tell which is the least and which the greatest.
        """
        down, up = self.down.mul, self.up.mul
        (a, b), (c, d) = x, y
        if a >= 0:
            return down(a if c >= 0 else b, c), up(b if d >= 0 else a, d)
        if b <= 0:
            return down(a if d >= 0 else b, d), up(b if c >= 0 else a, c)
        if c >= 0:
            return down(a, d), up(b, d)
        if d <= 0:
            return down(b, c), up(a, c)
        return min(down(a, d), down(b, c)), max(up(a, c), up(b, d))

    def square(self, x: Bounds) -> Bounds:
        """Return bounds of the square of a number, which is narrower than a product of two."""
        low, high = x
        if low < 0 < high:
            return ZERO, max(self.up.mul(low, low), self.up.mul(high, high))
        near, far = (low, high) if low >= 0 else (high, low)
        return self.down.mul(near, near), self.up.mul(far, far)

    def sigmoid(self, x: Bounds) -> Bounds:
        """Return bounds of 1 / (1 + exp(-x)).

        Notes
        -----
        It increases. Its lower bound rounds up exp(-x) and 1 + exp(-x), which are in the denominator, and rounds the
        quotient down; its upper bound the other way round. Every step is monotone and its operands are positive, so
        that the errors have one sign. An overflow of exp(-x) is infinite upward, with the quotient 0, and the largest
        number downward.
        """
        if self._is_steep(x):
            return self._along(x, self._sigmoid_at, _sigmoid_slope)
        down, up = self.down, self.up
        low = down.div(ONE, up.add(ONE, up.exp(up.minus(x[0]))))
        return low, up.div(ONE, down.add(ONE, down.exp(down.minus(x[1]))))

    def _sigmoid_at(self, x: Any) -> Bounds:
        """Return bounds of the sigmoid of a number; its exponential is computed once."""
        down, up = self.down, self.up
        least = down.exp(down.minus(x))  # its sign changes exactly: it has no more bits than there are
        return down.div(ONE, up.add(ONE, _above(least))), up.div(ONE, down.add(ONE, least))

    def tanh(self, x: Bounds) -> Bounds:
        """Return bounds of tanh(x), which increases, and which MPFR rounds correctly."""
        if self._is_steep(x):
            return self._along(x, self._tanh_at, _tanh_slope)
        return self.down.tanh(x[0]), self.up.tanh(x[1])

    def _tanh_at(self, x: Any) -> Bounds:
        least = self.down.tanh(x)
        return least, _above(least)

    def _is_steep(self, x: Bounds) -> bool:
        """Whether a function is better computed at one bound only: it takes long, and the bounds are close."""
        if self.bits < LEAST_ALONG or not (x[0] > 0 or x[1] < 0):
            return False
        if max(x[0].precision, x[1].precision) > self.working_bits:
            return False
        return bool(x[0] != x[1] and self.up.sub(x[1], x[0]) < NARROW)

    def _along(self, x: Bounds, at: Callable[[Any], Bounds], slope: Callable[[Any], Any]) -> Bounds:
        """Return bounds of a function that is steeper the nearer to 0: from the bound nearer to 0 it changes most.

        By the mean value theorem its value at the other bound is at most the width times that slope away.
        """
        positive = x[0] > 0
        low, high = at(x[0] if positive else x[1])
        change = self.up.mul(self.up.sub(x[1], x[0]), slope(low if positive else high))
        return (low, self.up.add(high, change)) if positive else (self.down.sub(low, change), high)

    def softplus(self, x: Bounds) -> Bounds:
        """Return bounds of log(1 + exp(x)), which is x + log(1 + exp(-x)); every rounding goes the way of its bound."""
        return _softplus(x[0], self.down), _softplus(x[1], self.up)

    def exp(self, x: Bounds) -> Bounds:
        """Return bounds of exp(x), which increases, and which MPFR rounds correctly."""
        return self.down.exp(x[0]), self.up.exp(x[1])


def _above(value: Any) -> Any:
    """Return the next number of as many bits: an upper bound of what was rounded down."""
    return gmpy2.next_above(value)  # type: ignore[attr-defined]


def _tanh_slope(value: Any) -> Any:
    """Return what the derivative of tanh is at most, where its value is at least so far from 0, on that side."""
    least = _FEW_DOWN.mul(value, value)
    return _FEW_UP.sub(ONE, least)


def _sigmoid_slope(value: Any) -> Any:
    """Return what the derivative of the sigmoid is at most, where its value is at least so far from 1/2."""
    far = _FEW_DOWN.sub(value, HALF) if value > HALF else _FEW_UP.sub(value, HALF)
    return _FEW_UP.sub(QUARTER, _FEW_DOWN.mul(far, far))


def _softplus(x: Any, context: Any) -> Any:
    if x > 0:
        return context.add(x, context.log1p(context.exp(context.minus(x))))
    return context.log1p(context.exp(x))


def is_dyadic(value: mpq) -> bool:
    """Return whether the denominator is a power of two.

    >>> is_dyadic(mpq(3, 8)), is_dyadic(mpq(1, 3))
    (True, False)
    """
    return not value.denominator & (value.denominator - 1)


def exact_dyadic(value: mpq) -> Any:
    """Return a dyadic rational as the mpfr that it is.

    >>> exact_dyadic(mpq(3, 8)) == mpq(3, 8)
    True
    """
    return gmpy2.mpfr(value, max(2, value.numerator.bit_length()))


def _context(bits: int, rounding: int) -> Any:
    return gmpy2.context(precision=bits, round=rounding, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min())


_FEW_DOWN, _FEW_UP = _context(64, gmpy2.RoundDown), _context(64, gmpy2.RoundUp)


def _in_range(bound: Any, *, up: bool) -> Any:
    if not gmpy2.is_finite(bound) or (exponent := gmpy2.get_exp(bound)) > MOST_EXPONENT:
        raise BitLimitError(_BEYOND)
    if exponent > -MOST_EXPONENT or not bound:
        return bound
    if up == (bound > 0):
        return exact_dyadic(TINY if up else -TINY)
    return ZERO
