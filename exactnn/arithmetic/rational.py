"""The rational number system: numbers of unbounded size, nothing ever rounded."""

from dataclasses import dataclass
from typing import ClassVar, Literal

__all__ = ["EXACT", "RATIONAL", "ExactArithmetic", "RationalArithmetic"]


@dataclass(frozen=True, slots=True)
class RationalArithmetic:
    """Exact rational arithmetic (``gmpy2.mpq``).

    >>> str(RATIONAL)
    'rational'
    """

    name: str = "rational"
    is_exact: ClassVar[Literal[True]] = True
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[False]] = False
    rounds_at_random: ClassVar[Literal[False]] = False

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
    is_exact: ClassVar[Literal[True]] = True
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[False]] = False
    rounds_at_random: ClassVar[Literal[False]] = False

    def __str__(self) -> str:
        return self.name


EXACT = ExactArithmetic()
"""Exact arithmetic by the fast engine; it falls back to plain rationals by itself."""
