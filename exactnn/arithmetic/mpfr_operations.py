"""Operations on the numbers of formats like those of IEEE 754, of any precision, by MPFR."""

from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic.float_format import FloatFormat
from exactnn.arithmetic.float_operations import MARGIN, Number
from exactnn.arithmetic.rounding import Rounding
from exactnn.arithmetic.smooth_functions import sigmoid_to_odd, tanh_to_odd

__all__ = ["MpfrOperations", "can_mpfr"]

ONE = gmpy2.mpfr(1)

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
