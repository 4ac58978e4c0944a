"""A positive rational as a sum of at most four squares of rationals.

References
----------
Which numbers are sums of two squares: P. de Fermat and L. Euler; of three: A.-M. Legendre, 1798; of four: J.-L.
Lagrange, 1770. M. O. Rabin and J. O. Shallit, "Randomized algorithms in number theory", *Comm. Pure Appl. Math.* 39,
1986: squares are taken away until what is left is a prime that is a sum of two; here the largest squares come first.
"""

from collections.abc import Callable
from math import prod

from gmpy2 import is_prime, is_square, isqrt, mpq, mpz, powmod

from exactnn.errors import SizeLimitError
from exactnn.linear_algebra.square_root import rational_square_root

__all__ = ["MOST_BITS", "fewest_squares", "require_short", "sum_of_squares"]

MOST_BITS = 8192
"""Bits of a number that primes are looked for in the place of: to test a longer one takes seconds, and none is near."""

Pair = tuple[mpz, mpz]

PRIMES = [p for p in range(2, 1 << 12) if is_prime(p)]
"""Prime factors that are looked for."""


def sum_of_squares(value: mpq, *, watch: Callable[[], object] = bool) -> tuple[mpq, ...]:
    """Return at most four positive rationals whose squares add up to a positive rational.

    They are as few as can be, unless a large composite factor hides that two would do: then they are three.

    Parameters
    ----------
    value : mpq
    watch : callable, optional
        Called before each number that is tried; it may raise an exception.

    Raises
    ------
    SizeLimitError
        If the numbers are so long that nobody would wait for it.

    Examples
    --------
    >>> sum_of_squares(mpq(16, 25)), sum_of_squares(mpq(8, 9))
    ((mpq(4,5),), (mpq(2,3), mpq(2,3)))
    >>> sum(root**2 for root in sum_of_squares(mpq(7, 16)))
    mpq(7,16)
    """
    root = rational_square_root(value)
    if root is not None:
        return (root,)
    number = value.numerator * value.denominator
    require_short(number.bit_length())
    two = _two_squares(number)
    roots: tuple[mpz, ...] = two if two is not None else _three_or_four_squares(number, watch)
    return tuple(mpq(part, value.denominator) for part in roots if part)


def fewest_squares(value: mpq) -> int | None:
    """Return the least number of rational squares that a positive rational is a sum of: 1, 2, 3 or 4.

    None if it is 2 or 3, and a large composite factor hides which.

    Notes
    -----
    A first column of a rational orthogonal matrix that has the entry w needs that many further entries for 1 - w².

    Examples
    --------
    >>> [1 + fewest_squares(1 - w**2) for w in (mpq(3, 5), mpq(1, 3), mpq(1, 2), mpq(3, 4))]
    [2, 3, 4, 5]
    """
    number = value.numerator * value.denominator
    require_short(number.bit_length())
    if is_square(number):
        return 1
    if not _is_three(number):
        return 4
    if _two_squares(number) is not None:
        return 2
    factors, rest = _factors(number)
    never = any(p % 4 == 3 and exponent % 2 for p, exponent in factors.items()) or rest % 4 == 3
    return 3 if never else None


def require_short(bits: int) -> None:
    """Raise SizeLimitError for numbers of so many bits if squares are not looked for in them."""
    if bits > MOST_BITS:
        raise SizeLimitError(
            f"squares are looked for that add up to a number of {bits:,} bits, {MOST_BITS:,} is the most: give shorter "
            "weights, or take form='2n' of a unitary twin, which needs no squares"
        )


def _is_three(number: mpz) -> bool:
    """Whether a positive integer is a sum of three squares: it is not 4^a (8 b + 7)."""
    while not number % 4:
        number //= 4
    return bool(number % 8 != 7)


def _three_or_four_squares(number: mpz, watch: Callable[[], object]) -> tuple[mpz, ...]:
    scale = mpz(1)
    while not number % 4:
        number, scale = number // 4, 2 * scale
    fourth = [scale] if number % 8 == 7 else []  # then number - 1 is 6 modulo 8, and a sum of three
    rest = number - len(fourth)
    third = isqrt(rest)
    while (two := _two_squares(rest - third * third)) is None:
        watch()
        third -= 1
    return scale * third, scale * two[0], scale * two[1], *fourth


def _two_squares(number: mpz) -> Pair | None:
    """Return two integers whose squares add up to a non-negative one; None if there are none, or none are found.

    Below the square of the largest prime that is looked for, nothing is missed.
    """
    if not number:
        return mpz(0), mpz(0)
    if number % 4 == 3:
        return None
    factors, rest = _factors(number)
    if any(p % 4 == 3 and exponent % 2 for p, exponent in factors.items()):
        return None
    if is_square(rest):
        result = isqrt(rest), mpz(0)
    elif rest % 4 == 1 and is_prime(rest):
        result = _of_prime(rest)
    else:
        return None
    for p, exponent in factors.items():
        if exponent % 2:
            result = _times(result, _of_prime(mpz(p)))
    scale = prod(p ** (exponent // 2) for p, exponent in factors.items())
    return scale * abs(result[0]), scale * abs(result[1])


def _factors(number: mpz) -> tuple[dict[int, int], mpz]:
    """Return the prime factors that are looked for, with exponents, and what is left."""
    found: dict[int, int] = {}
    for p in PRIMES:
        if p * p > number:
            break
        while not number % p:
            number //= p
            found[p] = found.get(p, 0) + 1
    if number <= PRIMES[-1] and number > 1:  # a prime, or a factor would have been found
        found[int(number)] = found.get(int(number), 0) + 1
        number = mpz(1)
    return found, number


def _times(first: Pair, second: Pair) -> Pair:
    """Return the product of two Gaussian integers."""
    return first[0] * second[0] - first[1] * second[1], first[0] * second[1] + first[1] * second[0]


def _of_prime(p: mpz) -> Pair:
    """Return two integers whose squares add up to 2, or to a prime that is 1 modulo 4."""
    if p == 2:
        return mpz(1), mpz(1)
    base = mpz(2)
    while powmod(base, (p - 1) // 2, p) == 1:
        base += 1
    high, low = p, powmod(base, (p - 1) // 4, p)  # a root of -1: Euclid's algorithm, halfway, ends in the two
    while low * low > p:
        high, low = low, high % low
    return low, high % low
