"""Ctrl-C at every place where Python calls a function of Python, one after the other.

Where C is in between, such as in a property that gmpy2 asks for, the exception may get lost or become another one.
"""

import gc
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import exactnn
from exactnn.outcome import Outcome

OWN = str(Path(exactnn.__file__).parent)

Place = tuple[str, str, int]
"""What is called, from which file and line."""


def endings(call: Callable[[], Any], among: Callable[[CodeType], bool] | None = None) -> dict[Place, str]:
    """Return how calls end that are interrupted, at each place where they call a function for the first time.

    Functions count that are `among` those; by default those of other packages.
    """
    found: dict[Place, str] = {}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # where it runs is no place of the call, and it loses all exceptions
    try:
        while (pressed := _pressed(call, found, among or _of_others)) is not None:
            found[pressed[0]] = pressed[1]
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)
    return found


def wrong(found: dict[Place, str]) -> dict[Place, str]:
    """Return those that neither raise KeyboardInterrupt nor tell of it."""
    return {place: ending for place, ending in found.items() if ending not in ("KeyboardInterrupt", "told")}


def _of_others(code: CodeType) -> bool:
    return not code.co_filename.startswith((OWN, "<frozen"))


def _pressed(
    call: Callable[[], Any], known: dict[Place, str], among: Callable[[CodeType], bool]
) -> tuple[Place, str] | None:
    """Interrupt a call where it first comes to a new place; return that place and the ending, None if there is none."""
    places: list[Place] = []

    def look(frame: FrameType, event: str, argument: object) -> None:
        caller = frame.f_back
        if event != "call" or places or caller is None or not among(frame.f_code):
            return
        place = (frame.f_code.co_qualname, caller.f_code.co_filename, caller.f_lineno)
        if place not in known:
            places.append(place)
            signal.raise_signal(signal.SIGINT)

    try:
        sys.setprofile(look)
        try:
            result = call()
        finally:
            sys.setprofile(None)
        ending = "told" if _tells(result) else "lost"
    except BaseException as error:
        ending = type(error).__name__
    return (places[0], ending) if places else None


def _tells(result: Any) -> bool:
    """Whether a result says that it was interrupted."""
    if getattr(result, "outcome", None) is Outcome.INTERRUPTED or getattr(result, "complete", True) is False:
        return True
    return "interrupted" in getattr(result, "engine", "") + getattr(result, "reason", "")
