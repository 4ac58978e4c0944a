"""Domains of quantities: intervals of rationals, and of whole numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import short_text

__all__ = ["ANY", "BIT", "UNIT", "Domain"]


@dataclass(frozen=True, slots=True)
class Domain:
    """All numbers from `low` to `high`, or all whole ones; an end that is None is open to infinity.

    Examples
    --------
    >>> str(BIT), str(UNIT), str(Domain(mpq(0), None, whole=True)), str(ANY)
    ('{0, 1}', '[0, 1]', 'the whole numbers of [0, ∞)', '(-∞, ∞)')
    """

    low: mpq | None
    high: mpq | None
    whole: bool = False

    def __contains__(self, value: mpq) -> bool:
        if self.whole and value.denominator != 1:
            return False
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def includes(self, other: "Domain") -> bool:
        """Whether every number of another domain is in this one.

        >>> UNIT.includes(BIT), BIT.includes(UNIT)
        (True, False)
        """
        above = self.low is None or (other.low is not None and self.low <= other.low)
        below = self.high is None or (other.high is not None and other.high <= self.high)
        return above and below and (other.whole or not self.whole)

    def scaled(self, factor: mpq) -> "Domain":
        """Return the domain of ``factor * x``, the factor not 0."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        if factor < 0:
            low, high = high, low
        return Domain(low, high, self.whole and factor.denominator == 1)

    def clipped(self, low: mpq | None, high: mpq | None) -> "Domain":
        """Return the domain of x that is moved to the nearest end if it is outside of [low, high].

        >>> str(Domain(mpq(-3), mpq(2)).clipped(mpq(0), None))
        '[0, 2]'
        """
        ends = []
        for end, default in ((self.low, low), (self.high, high)):
            value = default if end is None else end
            if value is not None and low is not None:
                value = max(value, low)
            if value is not None and high is not None:
                value = min(value, high)
            ends.append(value)
        whole = self.whole and all(end is None or end.denominator == 1 for end in (low, high))
        return Domain(ends[0], ends[1], whole)

    def of_largest(self, other: "Domain") -> "Domain":
        """Return the domain of max(x, y), y in another domain.

        >>> str(Domain(None, mpq(1)).of_largest(Domain(mpq(0), mpq(2))))
        '[0, 2]'
        """
        lows = [low for low in (self.low, other.low) if low is not None]
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Domain(max(lows, default=None), high, self.whole and other.whole)

    def of_smallest(self, other: "Domain") -> "Domain":
        """Return the domain of min(x, y), y in another domain."""
        minus = mpq(-1)
        return self.scaled(minus).of_largest(other.scaled(minus)).scaled(minus)

    def __str__(self) -> str:
        if self == BIT:
            return "{0, 1}"
        low = "(-∞" if self.low is None else f"[{short_text(self.low)}"
        high = "∞)" if self.high is None else f"{short_text(self.high)}]"
        return f"{'the whole numbers of ' * self.whole}{low}, {high}"


def sum_domain(domains: Iterable[Domain], constant: mpq) -> Domain:
    """Return the domain of a constant plus a number of each domain."""
    low, high, whole = constant, constant, constant.denominator == 1
    lows: list[mpq | None] = [low]
    highs: list[mpq | None] = [high]
    for domain in domains:
        lows.append(domain.low)
        highs.append(domain.high)
        whole = whole and domain.whole
    return Domain(_sum(lows), _sum(highs), whole)


def _sum(ends: list[mpq | None]) -> mpq | None:
    known = [end for end in ends if end is not None]
    return sum(known, mpq(0)) if len(known) == len(ends) else None


BIT = Domain(mpq(0), mpq(1), whole=True)
"""0 or 1."""

UNIT = Domain(mpq(0), mpq(1))
"""From 0 to 1."""

ANY = Domain(None, None)
"""Every number."""
