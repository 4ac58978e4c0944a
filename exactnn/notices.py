"""What takes long though nobody asked for it, told to whoever listens: a kernel is compiled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["listening", "tell"]

Listener = Callable[[str], object]
_listeners: list[Listener] = []


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
    """Tell all listeners that something begins."""
    for listener in tuple(_listeners):
        listener(what)
