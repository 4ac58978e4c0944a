"""What takes long though nobody asked for it, a kernel that is compiled: who is told, and whether it is put off.

Where nobody listens, as at the prompt of Python, a person at a terminal reads it once, on standard error.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["COMPILING", "at_once", "listening", "tell", "waits"]

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
    """Tell all listeners that something begins, or the person at the terminal, once, if there is no listener."""
    for listener in tuple(_listeners):
        listener(what)
    if not _listeners and not _said and sys.stderr is not None and sys.stderr.isatty():
        _said.append(what)
        print(COMPILING, file=sys.stderr, flush=True)


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
