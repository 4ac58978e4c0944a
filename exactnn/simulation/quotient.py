"""Long fractions in lowest terms without a long gcd, where the primes of the denominator are known."""

from typing import Any, NamedTuple

from gmpy2 import gcd, mpq, mpz

__all__ = ["quotient"]

LONG = 3000
"""Bits from which on this is faster than the gcd of :class:`gmpy2.mpq`; measured."""


class Fraction(NamedTuple):
    """What gmpy2 takes for a fraction in lowest terms, by the name of its class.

    That of the standard library would be asked for its parts by a method of Python, where Ctrl-C becomes a SystemError.
    """

    numerator: int
    denominator: int


def quotient(numerator: mpz, denominator: mpz, primes: mpz) -> mpq:
    """Return numerator / denominator in lowest terms; every prime of the denominator divides `primes`.

    The gcd of two long numbers takes time quadratic in their length; with a short number or a power of two it is
    linear. And gmpy2 looks for the gcd whatever it is given, except for a :class:`Fraction`.

    >>> quotient(mpz(10) ** 1000, mpz(6) ** 1500, mpz(6)) == mpq(5) ** 1000 / (mpz(2) ** 500 * mpz(3) ** 1500)
    True
    """
    if denominator.bit_length() < max(LONG, 8 * primes.bit_length()) or not primes & (primes - 1) or not numerator:
        return mpq(numerator, denominator)
    rest, power = numerator, primes
    while (factor := gcd(rest, power)) != 1:
        rest //= factor
        power *= power
    if rest != numerator:
        common = gcd(numerator // rest, denominator)
        numerator, denominator = numerator // common, denominator // common
    reduced: Any = Fraction(int(numerator), int(denominator))
    return mpq(reduced)
