"""Sigmoid, tanh, softplus and exp, correctly rounded, for the compiled loops.

A value is computed together with a bound of its error, and rounded at both ends of what it may be. Where the ends go to
the same number, so does the value, since rounding is monotone. That is tried with float64, if the format is much
shorter, then with pairs of float64, of which only what matters most is computed, then with all of it, and what is left
is done by MPFR (:mod:`exactnn.simulation.mpfr_kernels`), as for all numbers in the definition
(:mod:`exactnn.arithmetic.operations`).

Softplus is left to MPFR, where it is neither nearly 0 nor nearly its operand.

Exponentials are in :mod:`exactnn.simulation.exponential_kernels`. Sigmoid and tanh are those of an exponential e of a
number that is not positive: with t = e / (1 + e), the sigmoid is t or 1 - t, and tanh is 1 - 2t; near 0, where that
cancels, it is -(e - 1) / (2 + (e - 1)).
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from exactnn.networks import Kind
from exactnn.simulation.compiled import compiled
from exactnn.simulation.exponential_kernels import (
    exact_sum,
    pair_exponential,
    pair_quotient,
    pair_sum,
    power_of_two,
    quick_exponential,
    quick_sum,
    rough_exponential,
)
from exactnn.simulation.float_rows import KINDS
from exactnn.simulation.mpfr_kernels import hard_pair, hard_word
from exactnn.simulation.rounding_kernels import rounded

__all__ = ["BEYOND_WORDS", "JUMP", "SMOOTH", "TANH", "odd_fraction", "smooth_native", "smooth_pair", "smooth_rounded"]

JUMP, SMOOTH, TANH = KINDS[Kind.JUMP], KINDS[Kind.SIGMOID], KINDS[Kind.TANH]
SOFTPLUS, EXP = KINDS[Kind.SOFTPLUS], KINDS[Kind.EXP]
"""The kinds of activations from SMOOTH on are the smooth ones: the sigmoid, then tanh, softplus and exp."""

ROUGH = 2.0**-47
"""More than the relative error in float64: each of a dozen operations adds 2**-53 at most, the polynomial 2**-56."""
CLOSE = 2.0**-92
"""More than that of pairs: operations on pairs add a few times 2**-104, the polynomial 2**-98, where e - 1 is divided
by something as small as 2**-7.5 they are that much more."""
NEAR, NEARER = 2.0**-63, 2.0**-57
"""More than that of pairs in a hurry: 2**-67, and where e - 1 is divided by a small number, 2**-59."""
TINY, HUGE = 2.0**-700, 2.0**700
"""Below what tells how numbers of formats with 10 bits of exponent are rounded, and above all of them."""
BEYOND_WORDS = np.int64(1) << 62
"""Above all words of formats with unbounded activations that are compiled."""

_FRACTION = (1 << 62) - 1


@compiled
def smooth_pair(code: int, x: float, x_low: float, quick: bool) -> tuple[float, float, float]:
    """Return sigmoid, tanh or exp at x + x_low, which is not 0, as a pair, in a hurry or not, and a bound of its error.

    Far from 0 and next to it the pair only tells on which side the value is of numbers with a few hundred bits.
    """
    size, close = abs(x), NEAR if quick else CLOSE
    if code == EXP:
        if size > 600.0:
            return (HUGE, 0.0, 0.0) if x > 0.0 else (TINY, 0.0, 0.0)
        if size < 2.0**-60:
            return 1.0, np.copysign(max(size, TINY), x), size * 2.0**-58 if size > TINY else 0.0
        e, e_low, _, _ = quick_exponential(x, x_low) if quick else pair_exponential(x, x_low)
        return e, e_low, e * close
    tanh = code == TANH
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
def rough(code: Any, x: Any) -> Any:
    """Return sigmoid, tanh or exp, neither next to 0 nor far from it, in float64, with an error below ROUGH."""
    y = x if code == EXP else -2.0 * abs(x) if code == TANH else -abs(x)
    power, power_low, p = rough_exponential(y)
    if code == TANH:
        more = (power - 1.0) + (power_low + power * p)
        return np.copysign(more / (2.0 + more), x)
    e = power + power * p
    if code == EXP:
        return e
    return (1.0 if x > 0.0 else e) / (1.0 + e)


@compiled
def smooth_64(code: int, x: float) -> float:
    """Return the float64 nearest to sigmoid, tanh or exp."""
    if x != x or (code == TANH and abs(x) < 2.0**-30):
        return x
    if code != TANH and x < -600.0:
        return 0.0 if x < -746.0 else hard_pair(code - SMOOTH, x)[0]
    if code == EXP and x > 600.0:
        return np.inf if x > 710.0 else hard_pair(code - SMOOTH, x)[0]
    for attempt in range(2):
        value, low, bound = smooth_pair(code, x, 0.0, attempt == 0)
        result = value + (low - bound)
        if result == value + (low + bound):
            return result
    nearest: float = hard_pair(code - SMOOTH, x)[0]
    return nearest


@register_jitable
def odd(value: Any, error: Any) -> Any:
    """Return value + error, of which value is the nearest float64, rounded to odd."""
    bits = np.float64(value).view(np.int64)
    if error == 0.0 or bits & 1:
        return value
    return np.int64(bits + (1 if (error > 0.0) == (value > 0.0) else -1)).view(np.float64)


@compiled
def smooth_32(code: int, x: float) -> Any:
    """Return the float32 nearest to sigmoid, tanh or exp."""
    if x != x or (code == TANH and x == 0.0):
        return np.float32(x)
    if 2.0**-30 < abs(x) < 300.0:
        value = rough(code, x)
        result = np.float32(value * (1.0 - ROUGH))
        if result == np.float32(value * (1.0 + ROUGH)):
            return result
    for attempt in range(2):
        value, low, bound = smooth_pair(code, x, 0.0, attempt == 0)
        low_end, low_error = quick_sum(value, low - bound)
        high_end, high_error = quick_sum(value, low + bound)
        result = np.float32(odd(low_end, low_error))
        if result == np.float32(odd(high_end, high_error)):
            return result
    value, low = hard_pair(code - SMOOTH, x)
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
        return softplus_32(np.float64(x)) if code == SOFTPLUS else smooth_32(code, np.float64(x))

    def double(code: Any, x: Any) -> Any:
        return softplus_64(x) if code == SOFTPLUS else smooth_64(code, x)

    return single if x == types.float32 else double


@compiled
def smooth_rounded(code: Any, x: Any, beyond: Any, format: Any) -> Any:
    """Return the value in a format: see :func:`exactnn.simulation.rounding_kernels.rounded`."""
    tanh, nearest = code == TANH, format.nearest
    if x != x or (tanh and x == 0.0):
        return x
    if abs(x) == np.inf and code >= SOFTPLUS:
        return max(x, 0.0)
    if code == SOFTPLUS:
        value, low = softplus_pair(x)
        return rounded(value, low, beyond, nearest, format)
    if abs(x) == np.inf:
        return np.copysign(1.0, x) if tanh else (1.0 if x > 0.0 else 0.0)
    if x == 0.0:
        return rounded(1.0 if code == EXP else 0.5, 0.0, beyond, nearest, format)
    if format.scale >= 1024.0 and 2.0**-30 < abs(x) < 300.0:
        value = rough(code, x)
        result = rounded(value * (1.0 - ROUGH), 0.0, beyond, nearest, format)
        if result == rounded(value * (1.0 + ROUGH), 0.0, beyond, nearest, format):
            return result
    for attempt in range(2):
        value, low, bound = smooth_pair(code, x, 0.0, attempt == 0)
        end, error = quick_sum(value, low - bound)
        result = rounded(end, error, beyond, nearest, format)
        end, error = quick_sum(value, low + bound)
        if result == rounded(end, error, beyond, nearest, format):
            return result
    value, low = hard_pair(code - SMOOTH, x)
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

    The last bit is 1 if there are more bits that are not 0. There are up to 61 digits after the point. From
    BEYOND_WORDS on the words are that.
    """
    if code == SOFTPLUS:
        below, below_rest = hard_word(SOFTPLUS - SMOOTH, word, digits)
        return below, below_rest, below, below_rest
    tanh = code == TANH
    one = np.int64(1) << digits
    if word == 0:
        whole, rest = (0, 0) if tanh else (one >> 1, (np.int64(1) << 61) if digits == 0 else 0)
        whole, rest = (one, 0) if code == EXP else (whole, rest)
        return whole, rest, whole, rest
    unit = power_of_two(-digits)
    x, x_low = exact_sum(np.float64(word >> 32) * 4294967296.0, np.float64(word & 0xFFFFFFFF))
    x, x_low = x * unit, x_low * unit
    if abs(x) > (0.35 if tanh else 0.7) * (digits + 42) and (code != EXP or word < 0):  # the rest is below 2**-40
        if word > 0:
            return one - 1, _FRACTION, one - 1, _FRACTION
        whole = -one if tanh else 0
        return whole, 1, whole, 1
    value, low, bound = smooth_pair(code, x, x_low, quick)
    scale = power_of_two(digits)
    if value * scale >= np.float64(BEYOND_WORDS):
        return BEYOND_WORDS, 0, BEYOND_WORDS, 0
    below, below_rest = split(value * scale, (low - bound) * scale, -1)
    above, above_rest = split(value * scale, (low + bound) * scale, 2)
    return below, below_rest, above, above_rest
