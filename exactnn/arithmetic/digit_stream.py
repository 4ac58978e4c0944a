"""Digits one after the other from a Python source: drawn when they are asked for, and never twice."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Thread
from typing import Any

from exactnn.errors import ExactnnError, NumberError, shown
from exactnn.options import text, whole_number

__all__ = ["DigitSource", "DigitStream"]

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
        return iter(source)
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
