"""Interval arithmetic as a number system: enclosures with bounds of so many bits, or of as many as it takes."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from gmpy2 import mpq

from exactnn.arithmetic.enclosure import Enclosure
from exactnn.arithmetic.exact_number import ExactNumber, exact, short_text
from exactnn.errors import OptionError
from exactnn.options import whole_number

__all__ = ["CERTIFIED", "MOST_BITS", "Certified", "Interval"]

MOST_BITS = 1_000_000
"""Of the bounds of an enclosure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Interval arithmetic: every number is enclosed between two of `bits` bits, rounded outward.

    What is said of an enclosure holds for the number of the exact run, whatever the activations are.

    Parameters
    ----------
    bits : int
        Of the significand of each bound, from 2 to 1,000,000.

    Raises
    ------
    OptionError
        If there cannot be so many bits.

    References
    ----------
    R. E. Moore, R. B. Kearfott and M. J. Cloud, "Introduction to Interval Analysis", SIAM, 2009.

    Examples
    --------
    >>> str(Interval(bits=128))
    'interval128'
    """

    bits: int = 53
    is_exact: ClassVar[Literal[False]] = False
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[True]] = True
    rounds_at_random: ClassVar[Literal[False]] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", whole_number("bits", self.bits, 2, MOST_BITS))

    def __str__(self) -> str:
        return f"interval{self.bits}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """Interval arithmetic whose bits are doubled until the run is decided: what it says is proven.

    Parameters
    ----------
    bits : int
        Of the first run.
    most_bits : int
        Of the last one; the bits are doubled up to this.
    width : exact number
        Networks that give outputs and no verdicts: the widest an enclosure may be, beside the size of the output where
        that is above 1 (:meth:`tells`).

    Raises
    ------
    OptionError
        If there cannot be so many bits, or the width is not above 0.

    Examples
    --------
    >>> str(CERTIFIED), str(Certified(bits=100, most_bits=1000, width="1/1000"))
    ('certified', 'certified(100 to 1000 bits, width 1/1000)')
    >>> [interval.bits for interval in Certified(bits=100, most_bits=1000).intervals]
    [100, 200, 400, 800, 1000]
    """

    bits: int = 64
    most_bits: int = 4096
    width: mpq = mpq(1, 2**53)
    is_exact: ClassVar[Literal[False]] = False
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[True]] = True
    rounds_at_random: ClassVar[Literal[False]] = False

    def __post_init__(self) -> None:
        for name in ("bits", "most_bits"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 2, MOST_BITS))
        if self.bits > self.most_bits:
            raise OptionError(f"bits={self.bits} are more than most_bits={self.most_bits}: give no more bits than that")
        object.__setattr__(self, "width", _width(self.width))

    def __str__(self) -> str:
        if self == CERTIFIED:
            return "certified"
        width = "" if self.width == CERTIFIED.width else f", width {short_text(self.width)}"
        return f"certified({self.bits} to {self.most_bits} bits{width})"

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The interval arithmetics that are tried, one after the other."""
        bits = [self.bits]
        while bits[-1] < self.most_bits:
            bits.append(min(2 * bits[-1], self.most_bits))
        return tuple(Interval(bits=count) for count in bits)

    def tells(self, output: Enclosure) -> bool:
        """Return whether an enclosure is narrow enough: at most `width` times the size of the number, or of 1.

        >>> CERTIFIED.tells(Enclosure(low=2**60, high=2**60 + 1)), CERTIFIED.tells(Enclosure(low=0, high=1))
        (True, False)
        """
        return bool(output.width <= self.width * max(mpq(1), abs(output.low), abs(output.high)))


def _width(value: ExactNumber) -> mpq:
    if isinstance(value, bool):
        raise OptionError(f"width={value}: give a number above 0")
    width = exact(value)
    if width <= 0:
        raise OptionError(f"width={short_text(width)}: give a number above 0")
    return width


CERTIFIED = Certified()
"""Interval arithmetic from 64 bits up to 4096, as many as the verdict or the outputs need."""
