"""Numbers computed from lazily refined reals, and how many digits have been read to compare them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gmpy2 import mpq

from exactnn.arithmetic.interval import Enclosure
from exactnn.arithmetic.lazy_real import DigitStream, LazyReal
from exactnn.arithmetic.rational import ExactNumber, exact, short_text
from exactnn.errors import DigitLimitError

__all__ = ["DigitCount", "LazyNumber", "linear_combination"]


class DigitCount:
    """How many digits of each stream have been read, and how many may be: what one run consumes.

    Streams keep their digits, so that another run reads the same ones again. That a stream has ended is read like one
    more digit, and counts as one: what a run knows does not depend on the runs before it.

    Parameters
    ----------
    most : int or None
        The largest number of digits that may be read, of all streams together; None for no limit.
    """

    __slots__ = ("_read", "most")

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self._read: dict[DigitStream, int] = {}

    @property
    def read(self) -> int:
        """How many digits have been read, of all streams together."""
        return sum(self._read.values())

    @property
    def waiting(self) -> tuple[DigitStream, ...]:
        """The streams whose source was asked for a digit and has not answered."""
        return tuple(stream for stream in self._read if stream.waiting)

    def of(self, stream: DigitStream) -> int:
        """Return how many digits of `stream` have been read, its end included."""
        return self._read.setdefault(stream, 0)

    def tail(self, real: LazyReal, position: int, digits: int) -> Enclosure:
        """Return the bounds that :meth:`LazyReal.tail` gives, and count the digits.

        Raises
        ------
        DigitLimitError
            If these would be more than may be read.
        """
        if not digits:
            return real.tail(position, 0)  # whatever lies before the tail
        stream, end = real.stream, position + digits
        more = end - self.of(stream)
        if more > 0 and self.most is not None and self.read + more > self.most:
            raise DigitLimitError(f"a comparison needs more than {self.most} digits of {stream.name}: raise max_digits")
        bounds = real.tail(position, digits)
        self._read[stream] = max(self.of(stream), min(end, stream.drawn + stream.ended))
        return bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyNumber:
    """An exact number that is not known to be rational: constant + sum of coefficient * (tail of a real).

    Parameters
    ----------
    constant : mpq
    terms : tuple of (LazyReal, position, coefficient)
        The tail at position k of 0.d1 d2 ... is 0.d(k+1) d(k+2) ...
    count : DigitCount
        Counts the digits that are read to compare the number.

    Notes
    -----
    Digits are read until a comparison is decided: for ever if the numbers are equal and no digits show it, as with
    0.333... and 1/3.

    Examples
    --------
    >>> from exactnn.arithmetic.lazy_real import lazy_real
    >>> third = LazyNumber(constant=mpq(0), terms=((lazy_real(lambda position: 3), 0, mpq(1)),))
    >>> third
    <LazyNumber from 0 to 1>
    >>> third > mpq(33, 100), third.count.read, third
    (True, 3, <LazyNumber from 333/1000 to 167/500>)
    """

    constant: mpq
    terms: tuple[tuple[LazyReal, int, mpq], ...]
    count: DigitCount = field(default_factory=DigitCount, compare=False)

    def enclosure(self, more: int = 0) -> Enclosure:
        """Return bounds from the digits that have been read, and so many more of each stream.

        Of a tail that begins beyond these digits, so many are read, and those before it.
        """
        low = high = self.constant
        ends = {real.stream: self.count.of(real.stream) + more for real, *_ in self.terms}  # before any of them is read
        for real, position, coefficient in self.terms:
            digits = max(0, more, ends[real.stream] - position)
            least, most = self.count.tail(real, position, digits)
            low += coefficient * (least if coefficient > 0 else most)
            high += coefficient * (most if coefficient > 0 else least)
        return Enclosure(low=low, high=high)

    def __add__(self, other: "mpq | LazyNumber") -> "mpq | LazyNumber":
        return linear_combination([(self, mpq(1)), (other, mpq(1))], mpq(0), self.count)

    __radd__ = __add__

    def __mul__(self, factor: mpq) -> "mpq | LazyNumber":
        return linear_combination([(self, mpq(factor))], mpq(0), self.count)

    __rmul__ = __mul__

    def __gt__(self, other: ExactNumber) -> bool:
        """Whether the number is above `other`; raises DigitLimitError where the digits do not tell."""
        bound = exact(other)
        return next(low > bound for low, high in self._enclosures() if low > bound or high <= bound)

    def __lt__(self, other: ExactNumber) -> bool:
        """Whether the number is below `other`; raises DigitLimitError where the digits do not tell."""
        bound = exact(other)
        return next(high < bound for low, high in self._enclosures() if high < bound or low >= bound)

    def exceeds(self, bound: mpq) -> bool:
        """Return True if the number is at least `bound`, False if it is at most that; where equal, either.

        That is what a continuous activation needs to know, and it needs fewer digits.
        """
        return next(low >= bound for low, high in self._enclosures() if low >= bound or high <= bound)

    def _enclosures(self) -> Iterator[Enclosure]:
        yield self.enclosure()
        while True:
            yield self.enclosure(1)

    def rewritten(self) -> "LazyNumber | mpq":
        """Return the same number in terms of the tails after all digits that have been read."""
        constant = self.constant
        terms = []
        for real, position, coefficient in self.terms:
            end = self.count.of(real.stream)
            low, high = self.count.tail(real, position, max(0, end - position))
            constant += coefficient * low
            if low != high:
                scale = mpq(1, real.base) ** max(0, end - position)
                terms.append((real, max(position, end), coefficient * scale))
        return LazyNumber(constant=constant, terms=tuple(terms), count=self.count) if terms else constant

    def __repr__(self) -> str:
        low, high = self.enclosure()
        return f"<LazyNumber from {short_text(low)} to {short_text(high)}>"


def linear_combination(
    summands: "Iterable[tuple[mpq | LazyNumber, mpq]]", constant: mpq, count: DigitCount
) -> mpq | LazyNumber:
    """Return the constant plus each number times its weight; a rational if nothing real is left.

    >>> from exactnn.arithmetic.lazy_real import lazy_real
    >>> third = LazyNumber(constant=mpq(0), terms=((lazy_real(lambda position: 3), 0, mpq(1)),))
    >>> linear_combination([(third, mpq(2)), (third, mpq(-2)), (mpq(1, 2), mpq(3))], mpq(1), DigitCount())
    mpq(5,2)
    """
    terms: dict[tuple[LazyReal, int], mpq] = {}
    for value, weight in summands:
        if not isinstance(value, LazyNumber):
            constant += weight * value
            continue
        constant += weight * value.constant
        for real, position, coefficient in value.terms:
            key = real, position
            terms[key] = terms.get(key, mpq(0)) + weight * coefficient
    left = tuple((*key, coefficient) for key, coefficient in terms.items() if coefficient)
    return LazyNumber(constant=constant, terms=left, count=count) if left else constant
