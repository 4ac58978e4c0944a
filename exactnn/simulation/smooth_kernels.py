"""Sigmoid, tanh and softplus, correctly rounded, for the compiled loops.

A value is computed together with a bound of its error, and rounded at both ends of what it may be. Where the ends go to
the same number, so does the value, since rounding is monotone. That is tried with float64, if the format is much
shorter, then with pairs of float64, of which only what matters most is computed, then with all of it, and what is left
is done by MPFR (:mod:`exactnn.simulation.mpfr_kernels`), as for all numbers in the definition
(:mod:`exactnn.arithmetic.operations`). Nothing is taken from a library of unknown
accuracy: the operations are those of IEEE 754, the constants come from MPFR.

Softplus is left to MPFR, where it is neither nearly 0 nor nearly its operand.

The other two are those of an exponential e of a number that is not positive: with t = e / (1 + e), the sigmoid is t or
1 - t, and tanh is 1 - 2t; near 0, where that cancels, it is -(e - 1) / (2 + (e - 1)). And exp(y) is 2**q 2**(j/64)
exp(r), where j is a row of a table, |r| < 0.0055, and exp(r) - 1 is a polynomial (P. T. P. Tang, 1989).
"""

from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpq
from numba import types
from numba.extending import overload, register_jitable

from exactnn.networks import Kind
from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import KINDS
from exactnn.simulation.mpfr_kernels import hard_pair, hard_word
from exactnn.simulation.rounding_kernels import multiply_add, rounded

__all__ = ["JUMP", "SMOOTH", "odd_fraction", "smooth_native", "smooth_pair", "smooth_rounded"]

JUMP, SMOOTH, TANH, SOFTPLUS = (KINDS[kind] for kind in (Kind.JUMP, Kind.SIGMOID, Kind.TANH, Kind.SOFTPLUS))
"""The kinds of activations from SMOOTH on are the smooth ones: the sigmoid, then tanh, then softplus."""

ROUGH = 2.0**-47
"""More than the relative error in float64: each of a dozen operations adds 2**-53 at most, the polynomial 2**-56."""
CLOSE = 2.0**-92
"""More than that of pairs: operations on pairs add a few times 2**-104, the polynomial 2**-98, where e - 1 is divided
by something as small as 2**-7.5 they are that much more."""
NEAR, NEARER = 2.0**-63, 2.0**-57
"""More than that of pairs in a hurry: 2**-67, and where e - 1 is divided by a small number, 2**-59."""
TINY = 2.0**-700
"""Below what tells how numbers of formats with 10 bits of exponent are rounded."""

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
_FRACTION = (1 << 62) - 1


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
    """Return exp(y + y_low), where that is between -700 and 0, and how much more than 1 it is, as pairs."""
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


@compiled
def smooth_pair(tanh: bool, x: float, x_low: float, quick: bool) -> tuple[float, float, float]:
    """Return the value at x + x_low, which is not 0, as a pair, in a hurry or not, and a bound of its error.

    Far from 0 and next to it the pair only tells on which side the value is of numbers with a few hundred bits.
    """
    size = abs(x)
    if size > (300.0 if tanh else 600.0):
        if tanh:
            return np.copysign(1.0, x), np.copysign(TINY, -x), 0.0
        return (1.0, -TINY, 0.0) if x > 0.0 else (TINY, 0.0, 0.0)
    if tanh and size < 2.0**-30 and x_low == 0.0:
        if size < 2.0**-100:
            return x, -x * 2.0**-200, 0.0
        error = -x * x * x / 3.0
        return x, error, abs(error) * 2.0**-48
    if not tanh and size < 2.0**-60:
        error = max(size / 4.0, TINY)
        return 0.5, np.copysign(error, x), error * 2.0**-48 if error > TINY else 0.0
    factor = -2.0 if tanh else -1.0
    sign = 1.0 if x > 0.0 else -1.0
    if quick:
        e, e_low, more, more_low = quick_exponential(factor * sign * x, factor * sign * x_low)
    else:
        e, e_low, more, more_low = pair_exponential(factor * sign * x, factor * sign * x_low)
    close = NEAR if quick else CLOSE
    if tanh and e > 0.5:
        divisor, divisor_low = pair_sum(2.0, 0.0, more, more_low)
        value, low = pair_quotient(-more, -more_low, divisor, divisor_low)
        return sign * value, sign * low, value * (NEARER if quick else CLOSE)
    divisor, divisor_low = pair_sum(1.0, 0.0, e, e_low)
    t, t_low = pair_quotient(e, e_low, divisor, divisor_low)
    if not tanh and x < 0.0:
        return t, t_low, t * close
    factor = 2.0 if tanh else 1.0
    value, low = exact_sum(1.0, -factor * t)
    low -= factor * t_low
    bound = factor * t * close + abs(low) * 2.0**-50
    value, low = quick_sum(value, low)
    return (sign if tanh else 1.0) * value, (sign if tanh else 1.0) * low, bound


@register_jitable
def rough(tanh: Any, x: Any) -> Any:
    """Return the value at a number that is neither next to 0 nor far from it in float64, with an error below ROUGH."""
    y = -abs(x)
    y = 2.0 * y if tanh else y
    k = np.rint(y * _PER_UNIT)
    r = (y - k * _LONG) - k * _SHORT
    p = r * (1.0 + r * (0.5 + r * (_THIRD + r * (_FOURTH + r * (_FIFTH + r * _SIXTH)))))
    power, power_low = power_for(k)
    if tanh:
        more = (power - 1.0) + (power_low + power * p)
        return np.copysign(more / (2.0 + more), x)
    e = power + power * p
    return (1.0 if x > 0.0 else e) / (1.0 + e)


@compiled
def smooth_64(tanh: bool, x: float) -> float:
    """Return the nearest float64."""
    if x != x or (tanh and abs(x) < 2.0**-30):
        return x
    if not tanh and x < -600.0:
        return 0.0 if x < -746.0 else hard_pair(tanh, x)[0]
    for attempt in range(2):
        value, low, bound = smooth_pair(tanh, x, 0.0, attempt == 0)
        result = value + (low - bound)
        if result == value + (low + bound):
            return result
    nearest: float = hard_pair(tanh, x)[0]
    return nearest


@register_jitable
def odd(value: Any, error: Any) -> Any:
    """Return value + error, of which value is the nearest float64, rounded to odd."""
    bits = np.float64(value).view(np.int64)
    if error == 0.0 or bits & 1:
        return value
    return np.int64(bits + (1 if (error > 0.0) == (value > 0.0) else -1)).view(np.float64)


@compiled
def smooth_32(tanh: bool, x: float) -> Any:
    """Return the nearest float32."""
    if x != x or (tanh and x == 0.0):
        return np.float32(x)
    if 2.0**-30 < abs(x) < 300.0:
        value = rough(tanh, x)
        result = np.float32(value * (1.0 - ROUGH))
        if result == np.float32(value * (1.0 + ROUGH)):
            return result
    for attempt in range(2):
        value, low, bound = smooth_pair(tanh, x, 0.0, attempt == 0)
        low_end, low_error = quick_sum(value, low - bound)
        high_end, high_error = quick_sum(value, low + bound)
        result = np.float32(odd(low_end, low_error))
        if result == np.float32(odd(high_end, high_error)):
            return result
    value, low = hard_pair(tanh, x)
    return np.float32(odd(value, low))


@compiled
def softplus_pair(x: float) -> Any:
    """Return log(1 + exp(x)) of a number as the nearest float64, and the rest, rounded to odd.

    It is above exp(x) / 2 for x < 0, and above x by less than exp(-x).
    """
    if x < -600.0:
        return TINY, 0.0
    if x > 600.0:
        return x, TINY
    return hard_pair(SOFTPLUS - SMOOTH, x)


@compiled
def softplus_64(x: float) -> float:
    """Return the nearest float64."""
    if not x < 40.0:  # NaN and infinity too
        return x
    if x < -746.0:
        return 0.0
    nearest: float = hard_pair(SOFTPLUS - SMOOTH, x)[0]
    return nearest


@compiled
def softplus_32(x: float) -> Any:
    """Return the nearest float32."""
    if not x < 40.0:
        return np.float32(x)
    if x < -200.0:
        return np.float32(0.0)
    value, low = hard_pair(SOFTPLUS - SMOOTH, x)
    return np.float32(odd(value, low))


def smooth_native(code: Any, x: Any) -> Any:
    """Return the nearest number of the same type; only compiled."""
    raise NotImplementedError


@overload(smooth_native)
def _smooth_native(code: Any, x: Any) -> Any:
    def single(code: Any, x: Any) -> Any:
        return softplus_32(np.float64(x)) if code == SOFTPLUS else smooth_32(code == TANH, np.float64(x))

    def double(code: Any, x: Any) -> Any:
        return softplus_64(x) if code == SOFTPLUS else smooth_64(code == TANH, x)

    return single if x == types.float32 else double


@compiled
def smooth_rounded(code: Any, x: Any, beyond: Any, format: Any) -> Any:
    """Return the value in a format: see :func:`exactnn.simulation.rounding_kernels.rounded`."""
    tanh, nearest = code == TANH, format.nearest
    if x != x or (tanh and x == 0.0):
        return x
    if code == SOFTPLUS:
        if abs(x) == np.inf:
            return max(x, 0.0)
        value, low = softplus_pair(x)
        return rounded(value, low, beyond, nearest, format)
    if abs(x) == np.inf:
        return np.copysign(1.0, x) if tanh else (1.0 if x > 0.0 else 0.0)
    if x == 0.0:
        return rounded(0.5, 0.0, beyond, nearest, format)
    if format.scale >= 1024.0 and 2.0**-30 < abs(x) < 300.0:
        value = rough(tanh, x)
        result = rounded(value * (1.0 - ROUGH), 0.0, beyond, nearest, format)
        if result == rounded(value * (1.0 + ROUGH), 0.0, beyond, nearest, format):
            return result
    for attempt in range(2):
        value, low, bound = smooth_pair(tanh, x, 0.0, attempt == 0)
        end, error = quick_sum(value, low - bound)
        result = rounded(end, error, beyond, nearest, format)
        end, error = quick_sum(value, low + bound)
        if result == rounded(end, error, beyond, nearest, format):
            return result
    value, low = hard_pair(tanh, x)
    return rounded(value, low, beyond, nearest, format)


@register_jitable
def split(value: Any, low: Any, slack: Any) -> Any:
    """Return the integer below value + low, and 62 more bits of it and the last one set, with some slack added."""
    whole, whole_low = np.trunc(value), np.trunc(low)
    rest = np.int64(np.floor((value - whole) * 2.0**62)) + np.int64(np.floor((low - whole_low) * 2.0**62)) + slack
    return np.int64(whole) + np.int64(whole_low) + (rest >> 62), (rest & _FRACTION) | 1


@compiled
def odd_fraction(code: Any, word: Any, digits: Any, quick: Any) -> Any:
    """Return two numbers in fixed point between which the value is, each as the word below and 62 more bits.

    The last bit is 1 if there are more bits that are not 0. There are up to 61 digits after the point.
    """
    if code == SOFTPLUS:
        below, below_rest = hard_word(SOFTPLUS - SMOOTH, word, digits)
        return below, below_rest, below, below_rest
    tanh = code == TANH
    one = np.int64(1) << digits
    if word == 0:
        whole, rest = (0, 0) if tanh else (one >> 1, (np.int64(1) << 61) if digits == 0 else 0)
        return whole, rest, whole, rest
    unit = power_of_two(-digits)
    x, x_low = exact_sum(np.float64(word >> 32) * 4294967296.0, np.float64(word & 0xFFFFFFFF))
    x, x_low = x * unit, x_low * unit
    if abs(x) > (0.35 if tanh else 0.7) * (digits + 42):  # the rest is below 2**-40
        if word > 0:
            return one - 1, _FRACTION, one - 1, _FRACTION
        whole = -one if tanh else 0
        return whole, 1, whole, 1
    value, low, bound = smooth_pair(tanh, x, x_low, quick)
    scale = power_of_two(digits)
    below, below_rest = split(value * scale, (low - bound) * scale, -1)
    above, above_rest = split(value * scale, (low + bound) * scale, 2)
    return below, below_rest, above, above_rest
