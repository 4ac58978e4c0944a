"""When a search ends although there is more to be found: bounds on states, memory and time, and Ctrl-C."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from exactnn.options import time_limit, whole_number

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
        object.__setattr__(self, "states", whole_number("max_states", self.states, 1, MOST_STATES))
        object.__setattr__(self, "bytes", whole_number("max_bytes", self.bytes, 1))
        time_limit(self.seconds)

    def watch(self, nbytes: Callable[[], int]) -> Callable[[], None]:
        """Return a function that raises LimitReached once the time is up, or `nbytes` is beyond the memory."""
        end = time.monotonic() + time_limit(self.seconds)

        def look() -> None:
            if time.monotonic() > end:
                raise LimitReached(f"the limit of {self.seconds:g} seconds was reached")
            if nbytes() > self.bytes:
                raise LimitReached(f"the limit of {self.bytes:,} bytes was reached")

        return look
