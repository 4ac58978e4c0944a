"""Lazily refined reals: numbers given by a stream of digits, of which as many are drawn as a question needs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Thread
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic.interval import Enclosure
from exactnn.arithmetic.rational import ExactNumber, exact, short_text
from exactnn.errors import ExactnnError, NumberError, shown
from exactnn.options import text, whole_number

__all__ = ["DigitSource", "DigitStream", "LazyReal", "lazy_real"]


# --- Digits one after the other from a Python source: drawn when they are asked for, and never twice.

DigitSource = Iterable[int] | Callable[[int], int | None]
"""Digits in order, or a function from the position (0, 1, ...) to the digit there, None from the end on."""


class DigitStream:
    """The digits of a source, kept once they are drawn; where the source ends, all that follows is blank.

    Parameters
    ----------
    source : iterable of int, or function from position to int or None
        It may be endless. A generator is drawn from at most once for each digit.
    base : int
        A digit is a whole number from 0 to base - 1.
    name : str
        For error messages: what the digits are of.
    patience : float, optional
        Seconds that a digit may take. The source runs in a thread then, which is left behind if it takes longer.
        Without it a source that blocks is waited for, until Ctrl-C.

    Raises
    ------
    NumberError
        If `base` is less than 1 or `source` is neither, or `patience` is not above 0 or longer than a thread can wait;
        by :meth:`at` if the source gives what is no digit, raises, or takes too long. Then it gives no more digits: the
        error is raised again.

    Examples
    --------
    >>> thirds = DigitStream([3, 1, 2], base=4)
    >>> thirds.at(1), thirds.drawn, thirds.at(3)
    (1, 2, None)
    """

    __slots__ = ("_digits", "_ended", "_failure", "_source", "base", "name", "patience", "waiting")

    def __init__(
        self, source: DigitSource, *, base: int, name: str = "the digits", patience: float | None = None
    ) -> None:
        if patience is not None and (
            isinstance(patience, bool) or not isinstance(patience, (int, float)) or not 0 < patience <= TIMEOUT_MAX
        ):
            most = f"{int(TIMEOUT_MAX)} at most"
            raise NumberError(f"patience={shown(patience)}: give a number of seconds above 0, {most}, or None for ever")
        self.base = whole_number("base", base, 1, error=NumberError)
        self.patience = patience
        self.name = text("name", name, error=NumberError)
        self.waiting = False
        self._digits: list[int] = []
        self._ended = False
        self._failure: str | None = None
        self._source = _iterator(source, name)

    def __repr__(self) -> str:
        return f"<DigitStream {self.name}: {len(self._digits)} drawn>"

    @property
    def drawn(self) -> int:
        """How many digits have been drawn from the source."""
        return len(self._digits)

    @property
    def ended(self) -> bool:
        """Whether the source is known to have no more digits than have been drawn."""
        return self._ended

    def at(self, position: int) -> int | None:
        """Return the digit at `position`, counted from 0, or None if the digits end before."""
        while len(self._digits) <= position and not self._ended:
            self._draw()
        return self._digits[position] if position < len(self._digits) else None

    def _draw(self) -> None:
        if self._failure is not None:
            raise NumberError(self._failure)
        which = f"digit {len(self._digits)} of {self.name}"
        self.waiting = True  # and so it stays, if Ctrl-C ends the waiting
        self._failure = f"{which}: its source was interrupted there, and cannot go on: begin with a new source"
        try:
            digit = next(self._source) if self.patience is None else _within(self._source, self.patience)
        except Empty:
            self._failure = (
                f"{which} did not come within {self.patience} seconds: its source blocks, or needs more patience"
            )
            raise NumberError(self._failure) from None
        except StopIteration:
            self._ended = True
        except ExactnnError as error:
            self._failure = f"{which}: {error}"
            raise NumberError(self._failure) from error
        except Exception as error:
            self._failure = f"{which}: its source raised {type(error).__name__}: {shown(str(error))}: mend the source"
            raise NumberError(self._failure) from error
        else:
            self._check(digit, which)
            self._digits.append(int(digit))
        self._failure = None
        self.waiting = False

    def _check(self, digit: Any, which: str) -> None:
        if isinstance(digit, bool) or not isinstance(digit, int) or not 0 <= digit < self.base:
            self.waiting = False
            self._failure = f"{which} is {shown(digit)}: its source must give whole numbers from 0 to {self.base - 1}"
            raise NumberError(self._failure)


def _iterator(source: Any, name: str) -> Iterator[int]:
    if isinstance(source, Iterable):
        try:
            return iter(source)
        except Exception as error:  # the code of others may raise anything
            raise NumberError(f"{name}: its source raised {shown(error)}: mend the source") from error
    if callable(source):
        return _values(source)
    raise NumberError(f"{name}: {shown(source)} is no source: give digits in a row, or a function of the position")


def _values(function: Callable[[int], int | None]) -> Iterator[int]:
    for position in count():
        digit = function(position)
        if digit is None:
            return
        yield digit


def _within(source: Iterator[int], seconds: float) -> int:
    """Return the next digit, or raise what the source raises; raise Empty after so many seconds."""
    answers: SimpleQueue[tuple[int, BaseException | None]] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put((next(source), None))
        except BaseException as error:  # to be raised where the digit is waited for
            answers.put((0, error))

    Thread(target=ask, daemon=True).start()
    digit, error = answers.get(timeout=seconds)
    if error is not None:
        raise error
    return digit


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
