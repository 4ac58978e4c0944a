"""The period of powers modulo a number."""

from functools import lru_cache
from math import lcm

import gmpy2

from exactnn.errors import SizeLimitError

__all__ = ["carmichael"]

DECIDED_BITS = 64
"""Up to here the primality test of GMP (Baillie-PSW) is known to have no exception."""
LARGEST_FACTOR = 1 << 20
"""Factors that a modulus is searched for."""


@lru_cache(1 << 12)
def carmichael(number: int) -> int:
    """Return a period of all powers modulo a number of what is prime to it: Carmichael's function.

    Raises
    ------
    SizeLimitError
        If the number has two large factors, so that the period is not known.

    Examples
    --------
    >>> [carmichael(n) for n in (1, 8, 15, 49, 2**61 - 1)]
    [1, 2, 4, 42, 2305843009213693950]
    """
    period, divisor = 1, 2
    while divisor * divisor <= number and divisor < LARGEST_FACTOR:
        count = 0
        while not number % divisor:
            number //= divisor
            count += 1
        if count:
            twos = divisor == 2 and count >= 3
            period = lcm(period, 2 ** (count - 2) if twos else (divisor - 1) * divisor ** (count - 1))
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        if number >= LARGEST_FACTOR**2 and not (number.bit_length() <= DECIDED_BITS and gmpy2.is_prime(number)):
            raise SizeLimitError(f"the period of powers modulo a number of {number.bit_length()} bits is not known")
        period = lcm(period, number - 1)
    return period
