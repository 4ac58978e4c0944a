"""Sigmoid and tanh of binary numbers, to any precision, rounded to odd: what every rounding of them begins with.

Their values are no rationals but at 0 (Lindemann and Weierstrass: the exponential of an algebraic number, unless it is
0, is transcendental). So they are never a number of a format nor in the middle of two, and enough bits always tell
where they are to be rounded: those are computed with more and more digits until that is clear [2]_. What is returned
has so many bits of the value, cut off, and then one bit more, which is 1 and stands for all the others: it is on the
same side as the value of all numbers with fewer bits [1]_.

References
----------
.. [1] S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
   odd", IEEE Transactions on Computers, 2008.
.. [2] A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM Transactions
   on Mathematical Software, 1991.
"""

from typing import Any

import gmpy2
from gmpy2 import mpq

__all__ = ["binary_real", "sigmoid_to_odd", "tanh_to_odd"]

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
    working = bits + 16
    while True:
        low, high = (_sigmoid(x, working, mode) for mode in (gmpy2.RoundDown, gmpy2.RoundUp))
        cut = context.add(low, 0)
        if cut == context.add(high, 0):
            return _one_bit_more(cut, bits)
        working *= 2


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
