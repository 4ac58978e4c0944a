"""The digits of whole numbers and of finite fractions in any base, millions of them at a time."""

from collections.abc import Iterator, Sequence
from functools import cache

import gmpy2
from gmpy2 import mpq, mpz

__all__ = ["digit_chunks", "digits_of", "divided", "places"]

CHUNK = 1 << 14
"""Digits of a chunk."""
LARGEST_NAMED = 62
"""The largest base that gmpy2 has letters for."""

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES = (
    bytes.maketrans(_LETTERS.lower()[:36].encode(), bytes(range(36))),
    bytes.maketrans(_LETTERS.encode(), bytes(range(LARGEST_NAMED))),
)


def divided(number: mpz, base: int, digits: int) -> tuple[mpz, mpz]:
    """Return ``divmod(number, base**digits)``, fast for powers of two.

    >>> divided(mpz(123456), 10, 2)
    (mpz(1234), mpz(56))
    """
    if base & (base - 1):
        return divmod(number, mpz(base) ** digits)
    bits = (base.bit_length() - 1) * digits
    high = number >> bits
    return high, number - (high << bits)


def digits_of(number: mpz, base: int, count: int) -> Sequence[int]:
    """Return the last `count` digits of a number of at least 0 that has no more, the most significant first.

    >>> list(digits_of(mpz(123), 10, 5))
    [0, 0, 1, 2, 3]
    """
    if base <= LARGEST_NAMED:
        text = number.digits(base) if number else ""
        return text.encode().translate(_VALUES[base > 36]).rjust(count, b"\0")
    if count <= 1:
        return (int(number),) * count
    low = count // 2
    high, rest = divided(number, base, low)
    return (*digits_of(high, base, count - low), *digits_of(rest, base, low))


def digit_chunks(number: mpz, base: int, count: int) -> Iterator[Sequence[int]]:
    """Yield what :func:`digits_of` returns in pieces, of lengths that depend on `count` alone.

    >>> [len(chunk) for chunk in digit_chunks(mpz(7), 2, 20_000)]
    [10000, 10000]
    """
    if count <= CHUNK:
        yield digits_of(number, base, count)
        return
    low = count // 2
    high, rest = divided(number, base, low)
    yield from digit_chunks(high, base, count - low)
    yield from digit_chunks(rest, base, low)


def places(value: mpq, base: int) -> int | None:
    """Return how many digits a number has after the point, or None if they do not end.

    >>> places(mpq(1, 8), 10), places(mpq(5), 10), places(mpq(1, 3), 10)
    (3, 0, None)
    """
    rest, most = value.denominator, 0
    for prime, power in _factors(base):
        rest, found = gmpy2.remove(rest, prime)
        most = max(most, -(-found // power))
    return most if rest == 1 else None


@cache
def _factors(base: int) -> tuple[tuple[int, int], ...]:
    """Return the primes of a base with their powers."""
    found: dict[int, int] = {}
    prime = 2
    while base > 1:
        if base % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            base //= prime
        elif prime * prime > base:
            prime = base
        else:
            prime += 1
    return tuple(found.items())
