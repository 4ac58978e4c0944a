"""Square roots of rationals: exact where there are any, else certified bounds."""

from gmpy2 import is_square, isqrt, mpq, mpz

__all__ = ["rational_square_root", "rounded_up", "square_root_above"]

BITS = 32
"""Significant bits of a bound."""


def rational_square_root(value: mpq) -> mpq | None:
    """Return the square root of a positive rational if it is rational.

    >>> rational_square_root(mpq(16, 25)), rational_square_root(mpq(2))
    (mpq(4,5), None)
    """
    if is_square(value.numerator) and is_square(value.denominator):
        return mpq(isqrt(value.numerator), isqrt(value.denominator))
    return None


def rounded_up(value: mpq, bits: int = BITS) -> mpq:
    """Return the least number with so many significant bits that is not below `value`, which is not negative.

    >>> rounded_up(mpq(1, 3), 4), rounded_up(mpq(5))
    (mpq(11,32), mpq(5,1))
    """
    if not value:
        return mpq(0)
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    scale = mpq(mpz(1) << shift) if shift >= 0 else 1 / mpq(mpz(1) << -shift)
    scaled = value * scale
    if scaled >= mpz(1) << bits:
        scale, scaled = scale / 2, scaled / 2
    return -(-scaled.numerator // scaled.denominator) / scale


def square_root_above(value: mpq, bits: int = BITS) -> mpq:
    """Return a rational of so many significant bits whose square is at least `value`, which is not negative.

    It exceeds the root by less than one part in 2^(`bits` - 2).

    >>> bound = square_root_above(mpq(2))
    >>> bound**2 >= 2, float(bound)
    (True, 1.4142135623842478)
    """
    root = rational_square_root(value)
    if root is None:
        p, q = value.numerator, value.denominator
        shift = max(0, 2 * bits - p.bit_length() + q.bit_length())
        shift += shift % 2
        root = mpq(isqrt((p << shift) // q) + 1, mpz(1) << (shift // 2))
    return rounded_up(root, bits)
