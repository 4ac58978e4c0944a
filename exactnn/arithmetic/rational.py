"""The rational number system: numbers of unbounded size, nothing ever rounded."""

from dataclasses import dataclass

__all__ = ["EXACT", "RATIONAL", "ExactArithmetic", "RationalArithmetic"]


@dataclass(frozen=True, slots=True)
class RationalArithmetic:
    """Exact rational arithmetic (``gmpy2.mpq``).

    >>> str(RATIONAL)
    'rational'
    """

    name: str = "rational"

    def __str__(self) -> str:
        return self.name


RATIONAL = RationalArithmetic()
"""The plain reference arithmetic."""


@dataclass(frozen=True, slots=True)
class ExactArithmetic:
    """The same rational numbers, held as positional numerals where a network allows it: as exact, and fast.

    >>> str(EXACT)
    'exact'
    """

    name: str = "exact"

    def __str__(self) -> str:
        return self.name


EXACT = ExactArithmetic()
"""Exact arithmetic by the fast engine; it falls back to plain rationals by itself."""
