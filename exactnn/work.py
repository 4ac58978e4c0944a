"""The work of a check, counted: a certificate that one machine refuses for its work, every machine refuses.

What it is not: a clock. A unit is a small step of a check, or an operation on numbers of about 1024 bits at most; an
operation on longer numbers is several. Somewhat more than a million of them are done in a second.
"""

from collections.abc import Iterable

from gmpy2 import lcm, mpq, mpz

from exactnn.errors import CertificateError, OptionError, shown
from exactnn.options import step_limit

__all__ = [
    "DEFAULT_BUDGET",
    "MOST_BITS",
    "Work",
    "common_denominator",
    "long_divisor",
    "long_product",
    "long_quotient",
    "long_words",
    "too_long",
]

MOST_BITS = 1 << 24
"""Bits of a number, and of all numbers of a step together: a network that squares them would fill any memory."""

DEFAULT_BUDGET = 100_000_000
"""Units of work that a check may take if nobody says how many: about a minute."""


class Work:
    """The units of work that a check has taken, and the most that it may take.

    Parameters
    ----------
    budget : int, optional
        None for no bound.

    Raises
    ------
    OptionError
        If `budget` is no whole number of at least 0.

    Examples
    --------
    >>> work = Work(3)
    >>> work.take(2)
    >>> work.units
    2
    >>> work.foresee(1)
    >>> work.take(2)
    Traceback (most recent call last):
    ...
    exactnn.errors.CertificateError: to check it takes at least 4 units of work, and the budget is 3: give a larger \
budget= (exactnn verify --budget), or None (none) for no bound
    """

    def __init__(self, budget: int | None = None) -> None:
        try:
            self.budget = step_limit(budget)
        except OptionError:
            raise OptionError(
                f"budget={shown(budget)}: give a whole number of at least 0, or None for no bound"
            ) from None
        self.units = 0

    def take(self, units: int) -> None:
        """Count so many units; raises CertificateError if there are more than the budget."""
        self.units += units
        if self.budget is not None and self.units > self.budget:
            self.foresee(0)

    def foresee(self, units: int) -> None:
        """Raise CertificateError if so many units more, which a check takes at least, are beyond the budget."""
        if self.budget is not None and self.units + units > self.budget:
            raise CertificateError(
                f"to check it takes at least {_text(self.units + units)} units of work, and the budget is "
                f"{_text(self.budget)}: give a larger budget= (exactnn verify --budget), or None (none) for no bound"
            )


def _text(units: int) -> str:
    return f"{units:,}" if units < 10**30 else f"2^{units.bit_length() - 1}"


def long_words(bits: int) -> int:
    """Return what a sum, or a look, at a number of so many bits takes more than at a short one.

    >>> long_words(1000), long_words(100_000)
    (0, 3)
    """
    return bits >> 15


def long_product(bits: int, other: int) -> int:
    """Return what a product of numbers of so many bits takes more than one of short numbers.

    >>> long_product(1000, 1000), long_product(100_000, 10), long_product(100_000, 100_000)
    (0, 3, 536)
    """
    short, long = (bits, other) if bits < other else (other, bits)
    words = 1 + (short >> 6)
    return (long >> 6) * min(words, 16 * words.bit_length()) >> 9  # digit by digit, and faster when there are many


def long_quotient(bits: int, other: int) -> int:
    """Return what a quotient, or a remainder, of numbers of so many bits takes more than one of short numbers."""
    return 4 * long_product(bits, other)


def long_divisor(bits: int) -> int:
    """Return what a greatest common divisor of numbers of so many bits takes more than one of short numbers."""
    return long_product(bits, bits) * bits.bit_length() ** 2 // 4


def common_denominator(numbers: Iterable[mpq], work: Work) -> mpz:
    """Return the least common multiple of the denominators, and count the work.

    >>> common_denominator([mpq(1, 4), mpq(1, 6)], Work())
    mpz(12)
    """
    found = mpz(1)
    for denominator in dict.fromkeys(number.denominator for number in numbers):
        work.take(1 + long_divisor(max(found.bit_length(), denominator.bit_length())))
        found = lcm(found, denominator)
        if found.bit_length() > MOST_BITS:
            raise too_long()
    return found


def too_long() -> CertificateError:
    """Return the error for numbers that would take too much memory."""
    return CertificateError(f"the numbers of a step may have more than {MOST_BITS} bits together: give shorter ones")
