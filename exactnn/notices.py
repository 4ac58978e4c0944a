"""What takes long though nobody asked for it, a kernel that is compiled: who is told, and whether it is put off.

Where nobody listens, as at the prompt of Python, a person at a terminal or in a notebook reads it once, on standard
error.
"""

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["COMPILING", "Patience", "at_once", "listening", "tell", "waits"]

COMPILING = "exactnn: compiling for this machine, once: 'exactnn warm' does it ahead"
"""What a person who waits is told."""

Listener = Callable[[str], object]
_listeners: list[Listener] = []
_said: list[str] = []
"""What was said where nobody listened."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` with what begins while the block runs, such as "compiling advance".

    >>> heard = []
    >>> with listening(heard.append):
    ...     tell("compiling advance")
    >>> tell("compiling something else")
    >>> heard
    ['compiling advance']
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(what: str) -> None:
    """Tell all listeners that something begins, or the person who waits, once, if there is no listener."""
    for listener in tuple(_listeners):
        listener(what)
    if not _listeners and not _said and _is_read(sys.stderr):
        _said.append(what)
        print(COMPILING, file=sys.stderr, flush=True)


def _is_read(stream: TextIO | None) -> bool:
    """Whether a person reads a stream: at a terminal, or below the cell of a notebook."""
    return stream is not None and (stream.isatty() or type(stream).__module__.partition(".")[0] == "ipykernel")


_put_off = [True]


def waits() -> bool:
    """Return whether a kernel is compiled when there is enough work for it, not at its first call.

    >>> with at_once():
    ...     waits()
    False
    """
    return _put_off[-1]


@contextmanager
def at_once() -> Iterator[None]:
    """Within the block, compile a kernel at its first call, however small its work is."""
    _put_off.append(False)
    try:
        yield
    finally:
        _put_off.pop()


SECONDS = 1.5
"""What Python may take before a loop is compiled; about a third of what that takes."""


class Patience:
    """How long loops of each kind are waited for: the seconds that Python may still take for their steps."""

    def __init__(self) -> None:
        self._left: dict[Hashable, float] = {}

    def left(self, kind: Hashable) -> float | None:
        """Return the seconds that are left; None if nobody has looked yet whether the loop is compiled."""
        return self._left.get(kind) if waits() else 0

    def begin(self, kind: Hashable) -> float:
        """Return the seconds that there are at first, or what another thread has left of them."""
        return self._left.setdefault(kind, SECONDS)

    def took(self, kind: Hashable, seconds: float) -> None:
        """Subtract what steps took, if anybody has looked."""
        if kind in self._left:
            self._left[kind] -= seconds

    def end(self, kind: Hashable) -> None:
        """Let the loop be called from now on."""
        self._left[kind] = 0
