"""When a search ends although there is more to be found: bounds on states, memory and time, and Ctrl-C."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from exactnn.errors import OptionError, shown

__all__ = ["INTERRUPTED", "LimitReached", "Limits"]

INTERRUPTED = "it was interrupted"
"""The limit that Ctrl-C is."""

MOST_STATES = 1 << 30
"""As many as numbers of 32 bits can tell apart, also in pairs."""


class LimitReached(Exception):  # noqa: N818 - it is no error, and never leaves a search
    """A search came to a limit; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a search may cost.

    Parameters
    ----------
    states : int
        How many states it may find.
    bytes : int
        Memory that these may take, about.
    seconds : float, optional
        Time for the search.

    Raises
    ------
    OptionError
        If a limit is not a positive number.
    """

    states: int
    bytes: int
    seconds: float | None

    def __post_init__(self) -> None:
        for what, value in (("max_states", self.states), ("max_bytes", self.bytes)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise OptionError(f"{what}={shown(value)}: give a whole number of at least 1")
        if self.states > MOST_STATES:
            raise OptionError(f"max_states={self.states}: at most {MOST_STATES} states are told apart")
        number = isinstance(self.seconds, (int, float)) and not isinstance(self.seconds, bool)
        if self.seconds is not None and not (number and self.seconds >= 0):
            raise OptionError(f"max_seconds={shown(self.seconds)}: give a number of at least 0, or None")

    def watch(self, nbytes: Callable[[], int]) -> Callable[[], None]:
        """Return a function that raises LimitReached once the time is up, or `nbytes` is beyond the memory."""
        end = None if self.seconds is None else time.monotonic() + self.seconds

        def look() -> None:
            if end is not None and time.monotonic() > end:
                raise LimitReached(f"the limit of {self.seconds:g} seconds was reached")
            if nbytes() > self.bytes:
                raise LimitReached(f"the limit of {self.bytes:,} bytes was reached")

        return look
