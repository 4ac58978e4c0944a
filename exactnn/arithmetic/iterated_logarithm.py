"""How large numbers are that are too long to be written out: bounds of logarithms of logarithms of them.

Such bounds tell nearly always which of two towers of powers is larger, without a look at the powers in them.
"""

from math import log2
from typing import NamedTuple

__all__ = ["UNIT", "Size"]

UNIT = 1 << 32
"""Bounds are whole multiples of 1/UNIT."""
BOUND = 1 << 16
"""A logarithm is taken again until it is below this; so it is at least 16, within the bounds."""
FIRST_GAP, GAP = 80 * UNIT, UNIT >> 10
"""By how much logarithms of two numbers must differ so that one is far above the other: taken once, or more often."""


class Size(NamedTuple):
    """Bounds of a logarithm in base 2, taken `levels` times, of a number: low/UNIT and high/UNIT."""

    levels: int
    low: int
    high: int

    @classmethod
    def of(cls, value: int) -> "Size":
        """Return the size of a number above 1.

        >>> Size.of(1 << 1000).levels, Size.of(1 << 100000).levels
        (1, 2)
        """
        return cls(0, value * UNIT, value * UNIT).settled()

    def settled(self) -> "Size":
        """Return the same with as many logarithms as it takes."""
        size = self
        while size.high >= BOUND * UNIT or not size.levels:
            size = size.logarithm()
        return size

    def logarithm(self) -> "Size":
        """Return the same with one more logarithm taken."""
        low, high = (log2(max(1, bound)) - log2(UNIT) for bound in (self.low, self.high))
        slack = 2 + (int(high) >> 18)  # the logarithm of a long number has some wrong last bits
        return Size(self.levels + 1, int(low * UNIT) - slack, int(high * UNIT) + slack)

    def widened(self, bits: int) -> "Size":
        """Return the size of a number whose logarithm differs by `bits` at most, a small number of them.

        The logarithm of the logarithm changes by at most 2 * bits/2**16 then, that of this one by 2**16 times less.
        """
        wider = {1: bits * UNIT, 2: bits * UNIT >> 15}.get(self.levels, max(2, bits * UNIT >> 30))
        return Size(self.levels, self.low - wider, self.high + wider)

    def exceeds_bits(self, bits: int) -> bool:
        """Whether the number certainly has more bits than that.

        >>> Size.of(1 << 1000).exceeds_bits(999), Size.of(1 << 1000).exceeds_bits(1000)
        (True, False)
        """
        if self.levels == 1:
            return self.low > bits * UNIT
        return self.levels > 1 and self.is_far_above(Size(1, bits * UNIT, bits * UNIT).settled())

    def is_far_above(self, other: "Size") -> bool:
        """Whether a number is so much larger than another that the difference is over half of it, in any case.

        >>> Size(2, 20 * UNIT, 20 * UNIT).is_far_above(Size(1, 900 * UNIT, 1000 * UNIT))
        True
        """
        if self.levels > other.levels + 1:
            return True
        if self.levels < other.levels:
            return False
        if self.levels > other.levels:
            other = other.logarithm()
        return self.low - other.high >= (FIRST_GAP if self.levels == 1 else GAP)
