"""Fixed point written down as plainly as possible, in Python's integers: the oracle of formats and executors.

Nothing here comes from exactnn but formats as data and the names of the rounding modes.
"""

from fractions import Fraction
from functools import total_ordering

from exactnn.arithmetic import FixedPoint, Rounding

DETERMINISTIC = tuple(mode for mode in Rounding if mode is not Rounding.STOCHASTIC)
OVERFLOWS = ("saturate", "wrap")


def small_formats(most=6):
    """Return all formats of up to so many bits, in the usual rounding."""
    return [
        FixedPoint(integer_bits=i, fraction_bits=bits - i, signed=signed)
        for signed in (True, False)
        for bits in range(1 + signed, most + 1)
        for i in range(bits + 1)
    ]


def quotient(n, d, mode):
    """Return n / d as an integer, rounded by the definition of a mode; d is positive."""
    low = n // d
    if low * d == n:
        return low
    high = low + 1
    below, above = n - low * d, high * d - n
    toward_zero, away = (low, high) if n > 0 else (high, low)
    match mode:
        case Rounding.DOWN:
            return low
        case Rounding.UP:
            return high
        case Rounding.TOWARD_ZERO:
            return toward_zero
    if below != above:
        return low if below < above else high
    if mode is Rounding.NEAREST_AWAY:
        return away
    assert mode is Rounding.NEAREST_EVEN
    return low if low % 2 == 0 else high


def settled(k, format):
    """Return the word that an integer becomes: the nearest one, or the one with the same last bits."""
    bits = format.integer_bits + format.fraction_bits
    if format.overflow == "wrap":
        digits = [(k >> i) & 1 for i in range(bits)]
        value = sum(digit << i for i, digit in enumerate(digits))
        return value - 2**bits if format.signed and digits[-1] else value
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if format.signed else (0, 2**bits - 1)
    return sorted((low, k, high))[1]


def product(j, k, format):
    """Return the word of the product of two words."""
    return settled(quotient(j * k, 2**format.fraction_bits, format.rounding), format)


def total(j, k, format):
    """Return the word of the sum of two words."""
    return settled(j + k, format)


def words(format):
    """Return all words of a format."""
    bits = format.integer_bits + format.fraction_bits
    return range(-(2 ** (bits - 1)), 2 ** (bits - 1)) if format.signed else range(2**bits)


@total_ordering
class Word:
    """A number of a format without an accumulator, for the plain oracle of networks."""

    def __init__(self, k, format):
        self.k, self.format = k, format

    @classmethod
    def nearest(cls, format):
        """Return the function that rounds a rational within the range to a number."""

        def number(value):
            scaled = value * 2**format.fraction_bits
            n, d = (scaled, 1) if isinstance(scaled, int) else (int(scaled.numerator), int(scaled.denominator))
            k = quotient(n, d, Rounding.NEAREST_EVEN)
            return cls(sorted((words(format)[0], k, words(format)[-1]))[1], format)

        return number

    @property
    def value(self):
        return Fraction(self.k, 2**self.format.fraction_bits)

    def smooth(self, function):
        """Return a function of this number, rounded."""
        value = function(self.value) * 2**self.format.fraction_bits
        k = quotient(int(value.numerator), int(value.denominator), self.format.rounding)
        return Word(settled(k, self.format), self.format)

    def __mul__(self, other):
        return Word(product(self.k, other.k, self.format), self.format)

    def __add__(self, other):
        return Word(total(self.k, other.k, self.format), self.format)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Word) else other)

    def __lt__(self, other):
        return self.value < (other.value if isinstance(other, Word) else other)

    def __hash__(self):
        return hash(self.value)

    def __float__(self):
        return float(self.value)
