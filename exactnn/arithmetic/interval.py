"""Interval arithmetic: enclosures, two exact bounds of a number that is not known, and how long they may be."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic.rational import ExactNumber, exact, short_text
from exactnn.errors import NumberError, OptionError
from exactnn.options import whole_number

__all__ = ["CERTIFIED", "MOST_BITS", "Certified", "Enclosure", "Interval", "exact_cell", "number_cell"]


# --- Enclosures: a lower and an upper bound of a number that is not known, both exact.

DIGITS = 3
"""How many digits are shown beyond those in which the bounds agree."""

MOST_DIGITS = 40

MOST_EXACT = 5000
"""Bits of a bound that are converted to decimal digits as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """All that is known of a number: it is at least `low` and at most `high`.

    A comparison with it has three answers: True and False where they hold for every number between the bounds, None
    where they do not tell. There are no operators for it, since ``x > t`` has two answers only.

    Parameters
    ----------
    low, high : mpq

    Raises
    ------
    NumberError
        If the lower bound is above the upper one, or one is no number.

    Examples
    --------
    >>> third = Enclosure(low="341/1024", high="342/1024")
    >>> third.above("1/4"), third.above("1/3"), third.above("1/2"), third.contains("1/3")
    (True, None, False, True)
    >>> print(third, third.width)
    [0.333, 0.33399] 1/1024
    >>> low, high = third
    """

    low: mpq
    high: mpq

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            if type(getattr(self, name)) is not mpq:
                object.__setattr__(self, name, exact(getattr(self, name)))
        if self.low > self.high:
            raise NumberError(
                f"low={short_text(self.low)} is above high={short_text(self.high)}: no number is enclosed"
            )

    def __iter__(self) -> Iterator[mpq]:
        return iter((self.low, self.high))

    def __float__(self) -> float:
        """Return the middle, rounded: what may be drawn or put into an array, but proves nothing."""
        return float(self.midpoint)

    @property
    def width(self) -> mpq:
        """How far the bounds are apart; 0 if the number is known."""
        return self.high - self.low

    @property
    def midpoint(self) -> mpq:
        """The middle between the bounds."""
        return (self.low + self.high) / 2

    def contains(self, value: "ExactNumber | Enclosure") -> bool:
        """Return whether a number, or all of another enclosure, is between the bounds.

        >>> Enclosure(low=0, high=1).contains(1), Enclosure(low=0, high=1).contains(Enclosure(low=0, high=2))
        (True, False)
        """
        if isinstance(value, Enclosure):
            return self.low <= value.low and value.high <= self.high
        return self.low <= exact(value) <= self.high

    def above(self, bound: ExactNumber) -> bool | None:
        """Return whether the number is above `bound`; None if the enclosure does not tell."""
        at = exact(bound)
        return True if self.low > at else False if self.high <= at else None

    def below(self, bound: ExactNumber) -> bool | None:
        """Return whether the number is below `bound`; None if the enclosure does not tell.

        >>> Enclosure(low=0, high=1).below(2), Enclosure(low=0, high=1).below(0), Enclosure(low=0, high=1).below(1)
        (True, False, None)
        """
        at = exact(bound)
        return True if self.high < at else False if self.low >= at else None

    def __str__(self) -> str:
        """Return the bounds in decimal digits, rounded outward: what is shown encloses the number too."""
        if self.low == self.high and len(text := short_text(self.low)) <= MOST_DIGITS // 2 and "≈" not in text:
            return text
        digits = self._digits()
        return f"[{_decimal(self.low, digits, 'D')}, {_decimal(self.high, digits, 'U')}]"

    def _digits(self) -> int:
        """Return how many decimal digits show the width: its size beside that of the number."""
        size = max(abs(self.low), abs(self.high))
        if not self.width:
            return MOST_DIGITS // 2
        ratio = size / self.width
        bits = ratio.numerator.bit_length() - ratio.denominator.bit_length()
        return min(MOST_DIGITS, DIGITS + max(0, bits * 30103 // 100000))


def _decimal(value: mpq, digits: int, direction: str) -> str:
    """Return a number with so many digits, rounded down (D) or up (U)."""
    rounding = gmpy2.RoundDown if direction == "D" else gmpy2.RoundUp
    # Rounding twice in the same direction is rounding in that direction; most bounds have few bits, and are exact here.
    bits = max(16 + 4 * digits, min(MOST_EXACT, value.numerator.bit_length()))
    with gmpy2.context(precision=bits, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min(), round=rounding):
        return f"{gmpy2.mpfr(value):.{digits}{direction}g}"


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

    @property
    def intervals(self) -> "tuple[Interval, ...]":
        """The interval arithmetics that are tried: this one alone."""
        return (self,)


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


def exact_cell(value: Any) -> str:
    """Return a number as a table of data has it: a fraction with all its digits, inf, -inf or nan, or two bounds.

    >>> exact_cell(0.75), exact_cell(float("nan")), exact_cell(Enclosure(low=mpq(1, 3), high=mpq(1, 2)))
    ('3/4', 'nan', '[1/3, 1/2]')
    """
    if isinstance(value, Enclosure):
        return f"[{value.low}, {value.high}]"
    return repr(value) if isinstance(value, float) and not isfinite(value) else str(mpq(value))


def number_cell(value: object) -> float | str:
    """Return a float as it is, and any other number as :func:`exact_cell` does.

    >>> number_cell(0.75), number_cell(mpq(3, 4))
    (0.75, '3/4')
    """
    return value if isinstance(value, float) else exact_cell(value)
