"""Rounding to floating-point formats of 54 to 79 bits, for the compiled loops.

A number is the sum of the two float64 in a complex number: the one nearest to it, and the rest. Sums and products are
exact as sums of several float64, each far below the one before; of these, the first that the format has not room for
is rounded, and those after it say on which side of it the exact result is.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable

from exactnn.simulation.rounding_kernels import binade_of, multiply_add

__all__ = ["wide_product", "wide_total"]

_INFINITY = np.inf
_BEYOND = 2.0**1000  # more than any number of these formats


@register_jitable
def two_sum(x: Any, y: Any) -> Any:
    """Return the float64 sum, and its error."""
    value = x + y
    other = value - x
    return value, (x - (value - other)) + (y - other)


@register_jitable
def wide_rounded(first: Any, second: Any, third: Any, fourth: Any, format: Any) -> Any:
    """Return the sum of four parts in the format; each is at most half a unit in the last place of the one before."""
    if not abs(first) < _INFINITY:
        infinity = np.copysign(format.infinity, first)
        return complex(infinity if abs(first) == _INFINITY else first, 0.0)
    rest = third if third != 0.0 else fourth
    after = second if second != 0.0 else rest
    magnitude = abs(first)
    binade = binade_of(first)
    if magnitude == binade and after != 0.0 and (after < 0.0) != (first < 0.0):
        binade *= 0.5  # the number is just below a power of two
    last = max(binade, format.smallest) * format.unit
    if last > binade_of(first) * 2.0**-52:  # few digits are left so far down
        value = complex(nearest_multiple(first, last, after, first, format), 0.0)
    else:
        high, low = two_sum(first, nearest_multiple(second, last, rest, first, format))
        value = complex(high, low)
    if abs(value.real) < format.flush or (abs(value.real) == format.flush and (value.imag < 0.0) != (first < 0.0)
                                          and value.imag != 0.0):  # fmt: skip
        value = complex(0.0, 0.0)
    limit = format.largest
    if abs(value.real) > limit or (
        abs(value.real) == limit and (value.imag == 0.0 or (value.imag < 0.0) == (first < 0.0))
    ):
        beyond = format.below if first < 0.0 else format.above
        if not abs(beyond) < _INFINITY:
            return complex(beyond, 0.0)
        return complex(np.copysign(limit, first), np.copysign(0.5 * limit * format.unit, -first))
    return complex(np.copysign(value.real, first), value.imag)


@register_jitable
def nearest_multiple(value: Any, last: Any, rest: Any, sign: Any, format: Any) -> Any:
    """Round value + rest to a multiple of `last`, a power of two; |rest| is less than anything that value shows.

    `sign` has the sign of the whole number.
    """
    shift = np.copysign(2.0**52 * last, value)
    result = (value + shift) - shift
    error = value - result
    if format.positive and format.negative:
        if 2.0 * abs(error) == last:
            towards = rest if rest != 0.0 else (sign if format.away else 0.0)
            if towards != 0.0 and (towards < 0.0) == (error < 0.0):
                result += np.copysign(last, error)
        return result
    side = error if error != 0.0 else rest
    up = format.positive if sign > 0.0 else not format.negative
    if side > 0.0 and up:
        result += last
    elif side < 0.0 and not up:
        result -= last
    return result


@register_jitable
def renormalised(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return four numbers with the same sum, each at most half a unit in the last place of the one before."""
    for _ in range(3):
        c, d = two_sum(c, d)
        b, c = two_sum(b, c)
        a, b = two_sum(a, b)
    if c == 0.0:
        c, d = d, 0.0
    if b == 0.0:
        b, c, d = c, d, 0.0
    return a, b, c, d


@register_jitable
def wide_total(x: Any, y: Any, format: Any) -> Any:
    """Return x + y in the format."""
    a, b = two_sum(x.real, y.real)
    if not abs(a) < _INFINITY:
        return wide_rounded(a, 0.0, 0.0, 0.0, format)
    if a == 0.0 and x.imag == -y.imag:  # an exact zero; rounding down it is -0, but for 0 + 0
        positive = np.copysign(1.0, x.real) > 0.0 and np.copysign(1.0, y.real) > 0.0
        return complex(-0.0 if format.down and not positive else a, 0.0)
    c, d = two_sum(x.imag, y.imag)
    a, b, c, d = renormalised(a, b, c, d)
    return wide_rounded(a, b, c, d, format)


@register_jitable
def wide_product(x: Any, y: Any, format: Any) -> Any:
    """Return x * y in the format."""
    a = x.real * y.real
    if abs(a) == _INFINITY and abs(x.real) < _INFINITY and abs(y.real) < _INFINITY:
        a = np.copysign(_BEYOND, a)
        return wide_rounded(a, 0.0, 0.0, 0.0, format)
    if a == 0.0 or not abs(a) < _INFINITY:
        lost = a == 0.0 and x.real != 0.0 and y.real != 0.0
        return wide_rounded(np.copysign(5e-324, a) if lost else a, 0.0, 0.0, 0.0, format)
    b: Any = multiply_add(x.real, y.real, -a)  # type: ignore[call-arg]
    if x.imag == 0.0 and y.imag == 0.0:
        return wide_rounded(a, b, 0.0, 0.0, format)
    c, d = x.real * y.imag, x.imag * y.real
    e: Any = multiply_add(x.real, y.imag, -c)
    f: Any = multiply_add(x.imag, y.real, -d)
    g = x.imag * y.imag
    for _ in range(6):
        f, g = two_sum(f, g)
        e, f = two_sum(e, f)
        d, e = two_sum(d, e)
        c, d = two_sum(c, d)
        b, c = two_sum(b, c)
        a, b = two_sum(a, b)
    tail = e if e != 0.0 else (f if f != 0.0 else g)
    a, b, c, d = renormalised(a, b, c, d)
    return wide_rounded(a, b, c, d if d != 0.0 else tail, format)
