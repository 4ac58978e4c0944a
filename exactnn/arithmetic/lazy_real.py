"""Lazily refined reals: numbers given by a stream of digits, of which as many are drawn as a question needs."""

from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic.digit_stream import DigitSource, DigitStream
from exactnn.arithmetic.enclosure import Enclosure
from exactnn.arithmetic.exact_number import ExactNumber, exact, short_text
from exactnn.errors import NumberError, shown
from exactnn.options import whole_number

__all__ = ["LazyReal", "lazy_real"]

MOST_BASE = 1 << 20
"""A value is kept for each digit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LazyReal:
    """The real number 0.d1 d2 d3 ... in a base, where d is what stands for a digit of the stream in this number.

    Several numbers may read one stream, each with values of its own: so a string of symbols is a vector, with a number
    for each symbol that counts its places only.

    Parameters
    ----------
    stream : DigitStream
    base : int
        At least 2.
    values : tuple of int
        What each digit of the stream, from 0 on, counts in this number: whole numbers from 0 to base - 1.

    Raises
    ------
    NumberError
        If the base is too small, or the values are not as many as the stream has digits, or not in range.

    Examples
    --------
    The word "aba..." as a vector in base 4, where a place counts 3: its b-part is 0.030...

    >>> word = DigitStream([0, 1, 0], base=2, name="aba")
    >>> b_part = LazyReal(stream=word, base=4, values=(0, 3))
    >>> b_part.enclosure(2)
    Enclosure(low=mpq(3,16), high=mpq(1,4))
    >>> b_part.enclosure(9).width
    mpq(0,1)
    """

    stream: DigitStream
    base: int
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", whole_number("base", self.base, 2, error=NumberError))
        if len(self.values) != self.stream.base:
            raise NumberError(f"{len(self.values)} values for the {self.stream.base} digits of {self.stream.name}")
        for value in self.values:
            if not isinstance(value, int) or not 0 <= value < self.base:
                raise NumberError(f"value {shown(value)} of a digit: give whole numbers from 0 to {self.base - 1}")

    def tail(self, position: int, digits: int) -> Enclosure:
        """Return bounds of 0.d(position+1) d(position+2) ... from its first `digits` digits.

        They are equal if these go beyond the end of the stream. That they go up to it is not enough, whatever the
        stream knows of its end: what the digits tell does not depend on who else has asked for more.
        """
        numerator = 0  # of a fraction over base**places, which is made once: many digits take many sums
        for places, place in enumerate(range(position, position + digits)):
            digit = self.stream.at(place)
            if digit is None:
                end = mpq(numerator, self.base**places)
                return Enclosure(low=end, high=end)
            numerator = numerator * self.base + self.values[digit]
        scale = mpq(1, self.base**digits)
        low = numerator * scale
        return Enclosure(low=low, high=low + scale * max(self.values) / (self.base - 1))

    def enclosure(self, digits: int) -> Enclosure:
        """Return bounds of the number from its first `digits` digits.

        Raises
        ------
        NumberError
            If `digits` is no whole number of at least 0.
        """
        return self.tail(0, whole_number("digits", digits, error=NumberError))

    def within(self, width: ExactNumber) -> Enclosure:
        """Return bounds that are at most `width` apart, from no more digits than that needs.

        Raises
        ------
        NumberError
            If `width` is not above 0.

        Examples
        --------
        >>> lazy_real(lambda position: 3).within("1/1000")
        Enclosure(low=mpq(333,1000), high=mpq(167,500))
        """
        most = exact(width)
        if most <= 0:
            raise NumberError(f"width={short_text(most)}: give a number above 0")
        digits, width = 0, mpq(max(self.values), self.base - 1)
        while width > most and self.stream.at(digits) is not None:
            digits, width = digits + 1, width / self.base
        return self.enclosure(digits + (width > most))


def lazy_real(
    source: DigitSource, *, base: int = 10, name: str = "the real", patience: float | None = None
) -> LazyReal:
    """Return the number 0.d1 d2 d3 ... of the digits that `source` gives.

    Parameters
    ----------
    source : iterable of int, or function from position to int or None
        As for :class:`DigitStream`. If the digits end, the rest is 0.
    base : int
    name, patience
        As for :class:`DigitStream`.

    Examples
    --------
    >>> from itertools import cycle
    >>> lazy_real(cycle([1, 4, 2, 8, 5, 7])).enclosure(3)
    Enclosure(low=mpq(71,500), high=mpq(143,1000))
    """
    base = whole_number("base", base, 2, MOST_BASE, error=NumberError)
    stream = DigitStream(source, base=base, name=name, patience=patience)
    return LazyReal(stream=stream, base=base, values=tuple(range(base)))
