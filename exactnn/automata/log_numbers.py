"""Logarithms and their sums, correctly rounded to a format: weights of runs that would underflow."""

from collections.abc import Callable

from gmpy2 import mpq

from exactnn.arithmetic import Bounds, DirectedRounding, FloatFormat, Number, is_finite

__all__ = ["log_of", "log_of_sum"]


def log_of(weight: mpq, format: FloatFormat) -> Number:
    """Return the natural logarithm of a positive number, rounded once.

    >>> from exactnn.arithmetic import FLOAT64
    >>> float(log_of(mpq(1, 2), FLOAT64)), log_of(mpq(1), FLOAT64)
    (-0.6931471805599453, 0.0)
    """
    if weight == 1:
        return 0.0

    def bounds(rounding: DirectedRounding) -> Bounds:
        low, high = rounding.enclosed(weight)
        return rounding.down.log(low), rounding.up.log(high)

    return _rounded(bounds, format)


def log_of_sum(x: Number, y: Number, format: FloatFormat) -> Number:
    """Return log(exp(x) + exp(y)), rounded once; of NaN it is NaN, and of an infinity as of numbers that have none.

    >>> from exactnn.arithmetic import FLOAT64
    >>> float(log_of_sum(0.0, 0.0, FLOAT64)), float(log_of_sum(mpq(-2000), mpq(-1000), FLOAT64))
    (0.6931471805599453, -1000.0)
    """
    odd = [float(number) for number in (x, y) if not is_finite(number)]
    if any(number != number or number > 0 for number in odd):
        return max(odd, key=lambda number: number != number)
    if odd:
        return y if x == odd[0] else x
    low, high = sorted((mpq(x), mpq(y)))
    difference = low - high

    def bounds(rounding: DirectedRounding) -> Bounds:
        least, most = rounding.enclosed(high)
        away = rounding.enclosed(difference)
        down, up = rounding.down, rounding.up
        return down.add(least, down.log1p(down.exp(away[0]))), up.add(most, up.log1p(up.exp(away[1])))

    return _rounded(bounds, format)


def _rounded(bounds: Callable[[DirectedRounding], Bounds], format: FloatFormat) -> Number:
    """Round a number that is no rational, and so never in the middle of two numbers: with bits until it is clear."""
    bits = format.precision + 32
    while True:
        with DirectedRounding.wide():
            low, high = (format.rounded(mpq(bound)) for bound in bounds(DirectedRounding(bits)))
        if low == high:
            return low
        bits *= 2
