"""What is done once on a machine, by whichever process comes first; the others wait for it."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # there it is done by every process
    fcntl = None  # type: ignore[assignment]

__all__ = ["do_once", "forget_once"]


def do_once(name: str, function: Callable[[], object]) -> None:
    """Call a function unless a process of this machine has done so under that name; wait for one that is at it.

    A lock ends with the process that holds it: where that was killed, or the function raised something, the next one
    calls.
    """
    if fcntl is None:
        function()
        return
    descriptor = os.open(_place(name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not os.read(descriptor, 1):
            function()
            os.write(descriptor, b".")
    finally:
        os.close(descriptor)


def forget_once(name: str) -> None:
    """Forget that something was done under that name."""
    with suppress(OSError):
        _place(name).unlink()


def _place(name: str) -> Path:
    return Path(tempfile.gettempdir(), name)
