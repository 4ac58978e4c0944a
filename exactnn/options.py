"""Checks of options that all calls share: numbers, limits of steps and of time, names."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from math import inf
from numbers import Integral, Real
from operator import index
from pathlib import Path
from typing import Any, TypeVar

from exactnn.errors import ExactnnError, OptionError, TimeLimitError, shown

__all__ = [
    "callback",
    "choice",
    "entries",
    "file_path",
    "flag",
    "is_whole",
    "listed",
    "mapped",
    "result",
    "seconds",
    "step_limit",
    "text",
    "time_limit",
    "time_watch",
    "whole_number",
    "whole_numbers",
]


# --- What calls check of their options: a function for each notion, which returns the value in one form or refuses it.
#
# What an option means is not known here. Every function raises OptionError that names the option, shows the value and
# says what may be given; `error` is another class where the option is part of a definition.

Key = TypeVar("Key")
Entry = TypeVar("Entry")
Collected = TypeVar("Collected", list[Any], dict[Any, Any])


def whole_number(
    name: str,
    value: object,
    least: int | None = 0,
    most: int | None = None,
    *,
    otherwise: str = "",
    error: type[ExactnnError] = OptionError,
) -> int:
    """Return a whole number within bounds as an int.

    >>> whole_number("rows", 3, least=1)
    3
    >>> whole_number("rows", 0, least=1, most=9, otherwise="None")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: rows=0: give a whole number from 1 to 9, or None
    """
    number = _index(value)
    if number is not None and (least is None or number >= least) and (most is None or number <= most):
        return number
    size = "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
    raise error(f"{name}={shown(value)}: give a whole number{size}{otherwise and f', or {otherwise}'}")


def _index(value: object) -> int | None:
    """Return a whole number as an int, None for anything else; True and False are no numbers."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    try:
        return index(value)
    except TypeError:  # an array of several numbers
        return None


def whole_numbers(name: str, value: object, what: str, least: int = 0) -> tuple[int, ...]:
    """Return one or more whole numbers, each once, as ints; `what` says what is to be given.

    >>> whole_numbers("lengths", [2, 1, 2], "at least one length, such as range(1, 41)")
    (2, 1)
    """
    given = listed(name, value, what, least=1) if isinstance(value, Iterable) else []
    numbers = [number for number in map(_index, given) if number is not None and number >= least]
    if not numbers or len(numbers) < len(given):
        raise OptionError(f"{name}={shown(value)}: give {what}")
    return tuple(dict.fromkeys(numbers))


def step_limit(max_steps: object) -> int | None:
    """Return a limit of steps as an int, or None for no limit.

    >>> step_limit(5), step_limit(None)
    (5, None)
    """
    return None if max_steps is None else whole_number("max_steps", max_steps, otherwise="None for no limit")


def seconds(name: str, value: object, *, positive: bool = False, otherwise: str = "") -> float:
    """Return a time as a float of at least 0, or above it; infinity is one.

    >>> seconds("checkpoint_seconds", 10), seconds("checkpoint_seconds", 10**400)
    (10.0, inf)
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        number = _float(value)
        if number > 0 or (number == 0 and not positive):
            return number
    least = "above 0" if positive else "of at least 0"
    raise OptionError(f"{name}={shown(value)}: give a number of seconds {least}{otherwise and f', or {otherwise}'}")


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number that no float has
        return inf if value > 0 else -inf


def time_limit(max_seconds: object) -> float:
    """Return a limit of time as a float, infinity for None.

    >>> time_limit(2), time_limit(None)
    (2.0, inf)
    """
    return inf if max_seconds is None else seconds("max_seconds", max_seconds, otherwise="None for no limit")


def flag(name: str, value: object, *, error: type[ExactnnError] = OptionError) -> bool:
    """Return True or False, those of numpy as well.

    >>> flag("certify", "no")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: certify='no': give True or False
    """
    numpy = sys.modules.get("numpy")  # who has a value of numpy has imported it
    if isinstance(value, bool if numpy is None else (bool, numpy.bool_)):
        return bool(value)
    raise error(f"{name}={shown(value)}: give True or False")


def choice(name: str, value: object, choices: Iterable[str], *, error: type[ExactnnError] = OptionError) -> None:
    """Raise unless `value` is one of some texts.

    >>> choice("by", "ending", ("outcome", "acceptance"))
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: by='ending': give one of 'outcome', 'acceptance'
    """
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise error(f"{name}={shown(value)}: give one of {', '.join(map(repr, known))}")


def callback(name: str, value: object) -> None:
    """Raise unless `value` can be called or is None.

    >>> callback("progress", 3)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: progress=3: give a function, or None
    """
    if value is not None and not callable(value):
        raise OptionError(f"{name}={shown(value)}: give a function, or None")


def text(name: str, value: object, *, error: type[ExactnnError] = OptionError) -> str:
    """Return a text.

    >>> text("name", 3)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: name=3: give text
    """
    if isinstance(value, str):
        return str(value)
    raise error(f"{name}={shown(value)}: give text")


def file_path(name: str, value: object, *, error: type[ExactnnError] = OptionError) -> Path:
    """Return the path of a file; that there is such a file, or may be one, is not known here.

    >>> file_path("checkpoint", None)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: checkpoint=None: give a file name
    """
    if isinstance(value, str | os.PathLike):
        try:
            name_of_file = os.fspath(value)
        except TypeError:
            name_of_file = b""
        if isinstance(name_of_file, str) and name_of_file:
            return Path(name_of_file)
    raise error(f"{name}={shown(value)}: give a file name")


def result(name: str, value: object, kind: type | tuple[type, ...], function: str) -> None:
    """Raise unless `value` is what a function returns.

    >>> result("table", [], dict, "exactnn.collapse")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: table=[]: give what exactnn.collapse returns
    """
    if not isinstance(value, kind):
        raise OptionError(f"{name}={shown(value)}: give what {function} returns")


def listed(name: str, value: Iterable[Entry], what: str, *, least: int = 0) -> list[Entry]:
    """Return the entries of a collection that is no text, of at least so many; `what` says what is to be given.

    >>> listed("formats", "float16", "a sequence of formats, such as [FLOAT16]")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: formats='float16': give a sequence of formats, such as [FLOAT16]
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        found = entries(name, value)
        if len(found) >= least:
            return found
    raise OptionError(f"{name}={shown(value)}: give {what}")


def entries(name: str, value: Iterable[Entry], *, error: type[ExactnnError] = OptionError) -> list[Entry]:
    """Return the entries of any collection; every one that a caller gives is read here, for its own code may fail.

    >>> entries("words", (1 // n for n in [1, 0]))
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: words=<generator object <genexpr> at ...>: it raises ZeroDivisionError(...) where ...
    """
    return _read(name, value, list, error)


def mapped(name: str, value: Mapping[Key, Entry], *, error: type[ExactnnError] = OptionError) -> dict[Key, Entry]:
    """Return the entries of any mapping, as :func:`entries` those of a collection."""
    return _read(name, value, dict, error)


def _read(name: str, value: Any, kind: type[Collected], error: type[ExactnnError]) -> Collected:
    try:
        return kind(value)
    except ExactnnError:
        raise
    except Exception as raised:  # the code of others may raise anything
        raise error(
            f"{name}={shown(value)}: it raises {shown(raised)} where its entries are read: give a {kind.__name__}"
        ) from raised


# --- A limit of time for work that has no result before its end: what is long looks at it now and then.


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


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number of Python or numpy; True and False are none.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
