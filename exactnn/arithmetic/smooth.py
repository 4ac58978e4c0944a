"""Smooth functions of binary numbers, to any precision, rounded to odd: what every rounding of them begins with."""

from collections.abc import Callable
from typing import Any

import gmpy2
from gmpy2 import mpq

__all__ = ["binary_real", "bits_before_point", "exp_to_odd", "sigmoid_to_odd", "softplus_to_odd", "tanh_to_odd"]

# Their values are no rationals but those of all but softplus at 0 (Lindemann and Weierstrass: the exponential of an
# algebraic number, unless it is 0, is transcendental). So they are never a number of a format nor in the middle of two,
# and enough bits always tell where they are to be rounded: those are computed with more and more digits until that is
# clear [2]_. What is returned has so many bits of the value, cut off, and then one bit more, which is 1 and stands for
# all the others: it is on the same side as the value of all numbers with fewer bits [1]_.
# ----------
# .. [1] S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
#    odd", IEEE Transactions on Computers, 2008.
# .. [2] A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM
# Transactions on Mathematical Software, 1991.

ZERO, HALF = gmpy2.mpfr(0), gmpy2.mpfr("0.5")
ONE, MINUS_ONE = gmpy2.mpfr(1), gmpy2.mpfr(-1)


def _context(bits: int, rounding: int = gmpy2.RoundToZero) -> Any:
    """Return how MPFR computes with so many bits and the widest range of exponents."""
    return gmpy2.context(precision=max(bits, 2), emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max(), round=rounding)


def binary_real(number: mpq) -> Any:
    """Return a rational whose denominator is a power of two as an mpfr, exactly.

    >>> float(binary_real(mpq(-3, 8)))
    -0.375
    """
    context = _context(number.numerator.bit_length())
    return context.div_2exp(context.add(ZERO, number.numerator), number.denominator.bit_length() - 1)


def tanh_to_odd(x: Any, bits: int, least: int) -> Any:
    """Return tanh(x) to `bits` bits, and one more, as an mpfr; 0, infinities and NaN are exact.

    Examples
    --------
    >>> float(tanh_to_odd(gmpy2.mpfr(1), 60, -100)), tanh_to_odd(gmpy2.mpfr("-inf"), 60, -100)
    (0.7615941559557649, mpfr('-1.0'))
    """
    if gmpy2.is_infinite(x):
        return ONE if x > 0 else MINUS_ONE
    if gmpy2.is_nan(x) or not x:
        return x
    return _one_bit_more(_context(bits).tanh(x), bits)


def sigmoid_to_odd(x: Any, bits: int, least: int) -> Any:
    """Return 1 / (1 + exp(-x)) to `bits` bits, and one more, as an mpfr; 0, infinities and NaN are exact.

    Values below 2**`least` are 2**`least` / 2: for formats whose numbers and middles of them are all further from 0.

    Examples
    --------
    >>> float(sigmoid_to_odd(gmpy2.mpfr(1), 60, -100)), sigmoid_to_odd(gmpy2.mpfr("-inf"), 60, -100)
    (0.7310585786300049, mpfr('0.0'))
    >>> float(sigmoid_to_odd(gmpy2.mpfr(-1e300), 60, -100)) == 2.0**-101
    True
    """
    if gmpy2.is_infinite(x):
        return ONE if x > 0 else ZERO
    if gmpy2.is_nan(x):
        return x
    if not x:
        return HALF
    context = _context(bits)
    if x < 0 and x < least:  # exp(x) < 2**x
        return context.div_2exp(ONE, 1 - least)
    if x > 0 and x > bits + 2:  # exp(-x) < 2**-(bits + 2): cut off, all bits are 1
        return _one_bit_more(context.next_below(context.add(ONE, 0)), bits)
    if gmpy2.get_exp(x) < -bits:  # the value is 1/2 + x/4, but for less than that
        return _one_bit_more(HALF if x > 0 else context.next_below(context.add(HALF, 0)), bits)
    return _cut(_sigmoid, x, bits)


def softplus_to_odd(x: Any, bits: int, least: int) -> Any:
    """Return log(1 + exp(x)) to `bits` bits, and one more, as an mpfr; infinities and NaN are exact.

    Values below 2**`least` are 2**`least` / 2: for formats whose numbers and middles of them are all further from 0.

    Examples
    --------
    >>> float(softplus_to_odd(gmpy2.mpfr(0), 60, -100)), softplus_to_odd(gmpy2.mpfr("-inf"), 60, -100)
    (0.6931471805599453, mpfr('0.0'))
    >>> softplus_to_odd(gmpy2.mpfr(1e300), 60, -100) > 1e300
    True
    """
    if gmpy2.is_infinite(x):
        return x if x > 0 else ZERO
    if gmpy2.is_nan(x):
        return x
    if x < 0 and x < least:  # the value is below exp(x), and that below 2**x
        return _context(bits).div_2exp(ONE, 1 - least)
    return _cut(_softplus, x, bits)


def exp_to_odd(x: Any, bits: int, least: int, most: int | None = None) -> Any:
    """Return exp(x) to `bits` bits, and one more, as an mpfr; exp(0) = 1, infinities and NaN are exact.

    Values below 2**`least` are 2**`least` / 2: for formats whose numbers and middles of them are all further from 0.
    Far above 2**`most` they are hardly above it: for formats whose numbers are all below it. Without it all bits before
    the point are computed that `bits` has room for.

    Examples
    --------
    >>> float(exp_to_odd(gmpy2.mpfr(1), 60, -100)), exp_to_odd(gmpy2.mpfr("-inf"), 60, -100)
    (2.718281828459045, mpfr('0.0'))
    >>> float(exp_to_odd(gmpy2.mpfr(1e300), 60, -100, 100)) == 2.0**100
    True
    """
    if gmpy2.is_infinite(x):
        return x if x > 0 else ZERO
    if gmpy2.is_nan(x):
        return x
    if not x:
        return ONE
    context = _context(bits)
    if x < 0 and x < least:  # exp(x) < 2**x
        return context.div_2exp(ONE, 1 - least)
    if most is not None and x > most:  # exp(x) > 2**x
        return _one_bit_more(context.mul_2exp(ONE, most), bits)
    return _one_bit_more(context.exp(x), bits)


def bits_before_point(x: Any) -> int:
    """Return a bound on the bits that exp(x) has before its point: exp(x) < 2**(3x/2) for x > 0.

    >>> [bits_before_point(gmpy2.mpfr(x)) for x in (-3, 1, 1000)]
    [1, 4, 1502]
    """
    return 1 if x < 0 else 3 * (int(x) + 1) // 2 + 1


def _cut(bound: Callable[[Any, int, int], Any], x: Any, bits: int) -> Any:
    """Return a value to so many bits and one more: between bounds with more and more bits, until both are cut alike."""
    context, working = _context(bits), bits + 16
    while True:
        low, high = (bound(x, working, mode) for mode in (gmpy2.RoundDown, gmpy2.RoundUp))
        cut = context.add(low, 0)
        if cut == context.add(high, 0):
            return _one_bit_more(cut, bits)
        working *= 2


def _softplus(x: Any, bits: int, mode: int) -> Any:
    """Return a bound of the softplus: log(1 + exp(x)), or x + log(1 + exp(-x)), so that exponentials are at most 1."""
    context = _context(bits, mode)
    rest = context.log1p(context.exp(_context(x.precision).minus(x) if x > 0 else x))
    return context.add(x, rest) if x > 0 else rest


def _sigmoid(x: Any, bits: int, mode: int) -> Any:
    """Return a bound of the sigmoid: 1 / (1 + exp(-x)) where nothing cancels, else exp(x) / (1 + exp(x))."""
    other = gmpy2.RoundUp if mode == gmpy2.RoundDown else gmpy2.RoundDown
    same, opposite = _context(bits, mode), _context(bits, other)
    if x > 0:
        return same.div(ONE, opposite.add(ONE, opposite.exp(_context(x.precision).minus(x))))
    # Of the same exponential: e / (1 + e) = 1 / (1 + 1/e) grows with it.
    return same.div(ONE, opposite.add(ONE, opposite.div(ONE, same.exp(x))))


def _one_bit_more(cut: Any, bits: int) -> Any:
    """Return the middle between a number of `bits` bits and the next one away from 0."""
    context = _context(bits + 2)
    half = context.div_2exp(ONE if cut > 0 else MINUS_ONE, bits + 1 - gmpy2.get_exp(cut))
    return context.add(cut, half)
