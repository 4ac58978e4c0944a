"""Rounding modes, and the one definition of what they mean: where a real number goes between two neighbours."""

from enum import StrEnum

from gmpy2 import mpq, mpz

from exactnn.errors import OptionError, shown

__all__ = ["RANDOM_BITS", "Rounding", "random_bits", "rounded_quotient"]

RANDOM_BITS = 32
"""Random bits of one stochastic rounding."""

_MASK = (1 << 64) - 1


class Rounding(StrEnum):
    """The direction in which a number that a format lacks is rounded.

    IEEE 754-2019, section 4.3, has the first five; STOCHASTIC goes up or down with the probability that makes the
    expected value right (Croci et al. 2022), by a random number of RANDOM_BITS bits.
    """

    NEAREST_EVEN = "nearest even"
    NEAREST_AWAY = "nearest away"
    TOWARD_ZERO = "toward zero"
    UP = "up"
    DOWN = "down"
    STOCHASTIC = "stochastic"

    @classmethod
    def of(cls, value: "Rounding | str") -> "Rounding":
        """Return the mode of that name; raises OptionError if there is none.

        >>> Rounding.of("toward zero")
        <Rounding.TOWARD_ZERO: 'toward zero'>
        """
        if isinstance(value, str) and value in list(cls):
            return cls(value)
        raise OptionError(f"rounding={shown(value)} is unknown: give one of {', '.join(cls)}")


def rounded_quotient(magnitude: mpq, rounding: Rounding, *, negative: bool, draw: int = 0) -> mpz:
    """Return a number of at least 0, the magnitude of a negative one or not, rounded to an integer.

    `draw` is the random number of a stochastic rounding, RANDOM_BITS bits: the magnitude grows if its fraction is above
    (draw + 1/2) / 2**RANDOM_BITS.

    Examples
    --------
    >>> five_halves = mpq(5, 2)
    >>> modes = (Rounding.NEAREST_EVEN, Rounding.UP, Rounding.DOWN)
    >>> [int(rounded_quotient(five_halves, mode, negative=True)) for mode in modes]
    [2, 2, 3]
    """
    whole, rest = divmod(magnitude.numerator, magnitude.denominator)
    fraction = mpq(rest, magnitude.denominator)
    if rounding is Rounding.TOWARD_ZERO or not rest:
        grows = False
    elif rounding is Rounding.UP or rounding is Rounding.DOWN:
        grows = negative == (rounding is Rounding.DOWN)
    elif rounding is Rounding.STOCHASTIC:
        grows = fraction > mpq(2 * draw + 1, 2 << RANDOM_BITS)
    elif fraction == mpq(1, 2):
        grows = rounding is Rounding.NEAREST_AWAY or whole % 2 == 1
    else:
        grows = fraction > mpq(1, 2)
    return whole + grows


def random_bits(seed: int, counter: int) -> int:
    """Return the random number of one stochastic rounding: RANDOM_BITS bits of splitmix64 (Steele et al. 2014).

    >>> random_bits(0, 0), random_bits(0, 1)
    (3793791033, 1853398634)
    """
    x = (seed + (counter + 1) * 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return (x ^ (x >> 31)) >> (64 - RANDOM_BITS)
