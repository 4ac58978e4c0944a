"""Exponentials as pairs of float64, and the arithmetic of such pairs, for :mod:`exactnn.simulation.smooth_kernels`.

Nothing is taken from a library of unknown accuracy: the operations are those of IEEE 754, the constants come from MPFR.
exp(y) is 2**q 2**(j/64) exp(r), where j is a row of a table, |r| < 0.0055, and exp(r) - 1 is a polynomial (P. T. P.
Tang, 1989).
"""

from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpq
from numba.extending import register_jitable

from exactnn.simulation.compiled import compiled
from exactnn.simulation.rounding_kernels import multiply_add

__all__ = [
    "exact_sum",
    "pair_exponential",
    "pair_quotient",
    "pair_sum",
    "power_of_two",
    "quick_exponential",
    "quick_sum",
    "rough_exponential",
]

_WIDE: Any = gmpy2.context(precision=400)
_LENGTH = mpq(_WIDE.div(_WIDE.log(gmpy2.mpfr(2)), 64))  # of an interval of the table


def _parts(value: mpq, first: int) -> tuple[float, float, float]:
    """Return three floats, of which the first has so many bits, and with them some hundred and more of a number."""
    context: Any = gmpy2.context(precision=first)
    high = float(context.add(gmpy2.mpfr(0), gmpy2.mpfr(value, first)))
    middle = float(value - mpq(high))
    return high, middle, float(value - mpq(high) - mpq(middle))


_PER_UNIT = float(1 / _LENGTH)
_LONG, _SHORT, _SHORTEST = _parts(_LENGTH, 36)  # a multiple of the first by 17 bits is exact
_POWERS = np.array([_parts(mpq(_WIDE.exp2(_WIDE.div(j, 64))), 53)[:2] for j in range(64)])
_THIRD, _THIRD_LOW, _ = _parts(mpq(1, 6), 53)
_FOURTH, _FOURTH_LOW, _ = _parts(mpq(1, 24), 53)
_FIFTH, _FIFTH_LOW, _ = _parts(mpq(1, 120), 53)
_SIXTH, _SEVENTH, _EIGHTH, _NINTH = 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880
_TENTH, _ELEVENTH = 1 / 3628800, 1 / 39916800


@register_jitable
def exact_sum(x: Any, y: Any) -> Any:
    """Return the float64 sum, and its error."""
    value = x + y
    other = value - x
    return value, (x - (value - other)) + (y - other)


@register_jitable
def quick_sum(x: Any, y: Any) -> Any:
    """Return the float64 sum, and its error, where y is the smaller one."""
    value = x + y
    return value, y - (value - x)


@register_jitable
def pair_sum(x: Any, x_low: Any, y: Any, y_low: Any) -> Any:
    """Return the sum of two pairs."""
    value, error = exact_sum(x, y)
    low, rest = exact_sum(x_low, y_low)
    value, error = quick_sum(value, error + low)
    return quick_sum(value, error + rest)


@register_jitable
def pair_product(x: Any, x_low: Any, y: Any, y_low: Any) -> Any:
    """Return the product of two pairs."""
    value = x * y
    error: Any = multiply_add(x, y, -value)  # type: ignore[call-arg]
    return quick_sum(value, error + (x * y_low + x_low * y))


@register_jitable
def pair_quotient(x: Any, x_low: Any, y: Any, y_low: Any) -> Any:
    """Return the quotient of two pairs."""
    value = x / y
    rest: Any = multiply_add(-value, y, x)  # type: ignore[call-arg]
    return quick_sum(value, (rest + (x_low - value * y_low)) / y)


@register_jitable
def power_of_two(exponent: Any) -> Any:
    """Return 2**exponent, a normal number."""
    return np.int64((np.int64(exponent) + 1023) << 52).view(np.float64)


@register_jitable
def reduced(y: Any, y_low: Any) -> Any:
    """Return how many 64ths of log 2 there are in a number, rounded, and the rest as a pair."""
    k = np.rint(y * _PER_UNIT)
    r, rest = exact_sum(y - k * _LONG, -k * _SHORT)
    missing: Any = multiply_add(k, _SHORT, -(k * _SHORT))  # type: ignore[call-arg]
    r, low = quick_sum(r, rest + (y_low - missing - k * _SHORTEST))
    return k, r, low


@register_jitable
def power_for(k: Any) -> Any:
    """Return 2**(k / 64) as a pair."""
    row = np.int64(k) & 63
    scale = power_of_two(np.int64(k) >> 6)
    return scale * _POWERS[row, 0], scale * _POWERS[row, 1]


@register_jitable
def rough_exponential(y: Any) -> Any:
    """Return exp(y), for |y| < 600, as a power of two by a table, what is missing of that, and p: times 1 + p."""
    k = np.rint(y * _PER_UNIT)
    r = (y - k * _LONG) - k * _SHORT
    p = r * (1.0 + r * (0.5 + r * (_THIRD + r * (_FOURTH + r * (_FIFTH + r * _SIXTH)))))
    power, power_low = power_for(k)
    return power, power_low, p


@register_jitable
def quick_exponential(y: Any, y_low: Any) -> Any:
    """As :func:`pair_exponential`, to some 67 bits: of the polynomial all but the first term is a float64."""
    k, r, low = reduced(y, y_low)
    tail = _FIFTH + r * (_SIXTH + r * (_SEVENTH + r * _EIGHTH))
    tail = low + r * r * (0.5 + r * (_THIRD + r * (_FOURTH + r * tail)))
    power, power_low = power_for(k)
    p = power * r
    error: Any = multiply_add(power, r, -p)  # type: ignore[call-arg]
    p, p_low = quick_sum(p, error + (power * tail + power_low * r))
    e, e_low = quick_sum(power, p)
    above, above_low = exact_sum(power, -1.0)
    more, more_low = exact_sum(above, p)
    e, e_low = quick_sum(e, e_low + (p_low + power_low))
    more, more_low = quick_sum(more, more_low + (p_low + (power_low + above_low)))
    return e, e_low, more, more_low


@compiled
def pair_exponential(y: float, y_low: float) -> tuple[float, float, float, float]:
    """Return exp(y + y_low), for |y| < 700, and how much more than 1 it is, as pairs."""
    k, r, low = reduced(y, y_low)
    tail = _NINTH + r * (_TENTH + r * _ELEVENTH)
    tail = _SIXTH + r * (_SEVENTH + r * (_EIGHTH + r * tail))
    p, p_low = exact_sum(_FIFTH, r * tail)
    p_low += _FIFTH_LOW
    p, p_low = pair_product(r, low, p, p_low)
    p, p_low = pair_sum(_FOURTH, _FOURTH_LOW, p, p_low)
    p, p_low = pair_product(r, low, p, p_low)
    p, p_low = pair_sum(_THIRD, _THIRD_LOW, p, p_low)
    p, p_low = pair_product(r, low, p, p_low)
    p, p_low = pair_sum(0.5, 0.0, p, p_low)
    p, p_low = pair_product(r, low, p, p_low)
    p, p_low = pair_sum(1.0, 0.0, p, p_low)
    p, p_low = pair_product(r, low, p, p_low)
    power, power_low = power_for(k)
    p, p_low = pair_product(power, power_low, p, p_low)
    e, e_low = pair_sum(power, power_low, p, p_low)
    above, above_low = exact_sum(power, -1.0)
    above, above_low = quick_sum(above, above_low + power_low)
    more, more_low = pair_sum(above, above_low, p, p_low)
    return e, e_low, more, more_low
