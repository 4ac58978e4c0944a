"""Ctrl-C that waits for what must not end half-way: loading a library, compiling a kernel, Python called by a kernel.

A library that was loaded in part, or numba with a compilation in part, is of no use until the process ends; and where
C calls back into Python, the exception may be lost. So the signal is noted there, and delivered after it.
"""

import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from types import FrameType, ModuleType

__all__ = ["Uninterrupted", "loaded"]


class Uninterrupted:
    """A block that Ctrl-C does not end: whatever handled it before does so after the block.

    In other threads than the main one nothing is done, since signals do not come there; nor where Ctrl-C is ignored, or
    ends the process. Who presses it more than once is told what it waits for. Blocks may be nested; one that is not
    entered at the moment may be entered again.

    Parameters
    ----------
    doing : str
        What is told, such as "loading numba".

    Examples
    --------
    >>> done = []
    >>> try:
    ...     with Uninterrupted("counting"):
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("all of it")
    ... except KeyboardInterrupt:
    ...     done.append("interrupted")
    >>> done
    ['all of it', 'interrupted']
    """

    __slots__ = ("_before", "_doing", "_presses")

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        self._presses = 0
        self._before = None
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self._presses:
                signal.raise_signal(signal.SIGINT)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._presses += 1
        if self._presses > 1 and sys.stderr is not None:
            with suppress(OSError, RuntimeError, ValueError):  # it is closed, or in the middle of writing
                print(f"exactnn: Ctrl-C comes after {self._doing}, which cannot end half-way", file=sys.stderr)


def loaded(name: str) -> ModuleType:
    """Return a module, which is imported as a whole.

    >>> loaded("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """
    if name in sys.modules:
        return import_module(name)
    with Uninterrupted(f"loading {name}"):
        return import_module(name)
