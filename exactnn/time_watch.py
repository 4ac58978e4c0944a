"""A limit of time for work that has no result before its end: what is long looks at it now and then."""

import time
from collections.abc import Callable

from exactnn.errors import TimeLimitError
from exactnn.options import time_limit

__all__ = ["time_watch"]


def time_watch(max_seconds: float | None, doing: str) -> Callable[[], None]:
    """Return a function that raises TimeLimitError once so many seconds are over, from now on.

    Raises
    ------
    OptionError
        If `max_seconds` is no number of at least 0, or None for no limit.

    Examples
    --------
    >>> look = time_watch(0, "counting")
    >>> look()
    Traceback (most recent call last):
    ...
    exactnn.errors.TimeLimitError: counting takes longer than 0 seconds: give more (max_seconds, or --seconds), or \
None (none) for no limit
    """
    end = time.monotonic() + time_limit(max_seconds)

    def look() -> None:
        if time.monotonic() >= end:
            raise TimeLimitError(
                f"{doing} takes longer than {max_seconds:g} seconds: give more (max_seconds, or --seconds), or None "
                "(none) for no limit"
            )

    return look
