"""The rational number system: numbers of unbounded size, nothing ever rounded."""

from dataclasses import dataclass

__all__ = ["RATIONAL", "RationalArithmetic"]


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
