"""Which file a name means to one who writes: a regular one, links followed; or why there is none."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactnn.errors import ExactnnError, shown
from exactnn.options import file_path

__all__ = ["REMEDY", "RefusedError", "Target", "found_target", "new_file", "os_errors_as", "target_of"]

REMEDY = "choose a file name in a folder that exists, can be written and has room"
_STANDARD_STREAMS = {1: "standard output", 2: "standard error"}
_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


class RefusedError(Exception):
    """Why a file is not written; it leaves this folder as an error of whoever asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A regular file that is there, or a place in a folder where one can be made.

    Parameters
    ----------
    path : Path
        Without links.
    status : os.stat_result or None
        Of the file that is there.
    """

    path: Path
    status: os.stat_result | None


def target_of(path: str | os.PathLike[str], *, error: type[ExactnnError], subject: str | None = None) -> Target:
    """Return the file that is written under the name `path`.

    Parameters
    ----------
    path : str or path
    error : class of errors
    subject : str, optional
        What a message begins with; "cannot write" and the name unless given.

    Raises
    ------
    error
        If it is no name, or of what is no regular file, or its folder does not exist.

    Examples
    --------
    >>> from exactnn.errors import OptionError
    >>> target_of("/dev/null", error=OptionError)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: cannot write '/dev/null': it is a device: give the name of a regular file
    """
    with os_errors_as(error, path, subject):
        return found_target(path)


def new_file(name: str, value: Any, endings: Sequence[str], *, error: type[ExactnnError]) -> Path:
    """Return the path of a file with one of these endings that can be written, as far as its name tells.

    Examples
    --------
    >>> from exactnn.errors import OptionError
    >>> new_file("picture", "collapse.gif", (".png", ".svg"), error=OptionError)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: picture 'collapse.gif': name a file that ends in .png or .svg
    """
    path = file_path(name, value, error=error)
    subject = f"{name} {shown(str(path))}"
    if path.suffix.lower() not in endings:
        *others, last = endings
        raise error(f"{subject}: name a file that ends in {', '.join(others)}{' or ' * bool(others)}{last}")
    target_of(path, error=error, subject=f"{subject} cannot be written")
    return path


def found_target(path: str | os.PathLike[str]) -> Target:
    """Return what :func:`target_of` does; raises RefusedError, OSError or ValueError."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name:
        raise RefusedError("give the name of a file")
    if not os.path.basename(name):
        raise RefusedError("it is the name of a folder: name a file in it")
    real = Path(os.path.realpath(name))
    try:
        status = os.stat(name)
    except FileNotFoundError:
        os.stat(real.parent)
        return Target(path=real, status=None)
    if stat.S_ISDIR(status.st_mode):
        raise RefusedError("it is a folder: name a file in it")
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "of another kind")
        raise RefusedError(f"it is {kind}: give the name of a regular file")
    if stream := _stream(status):
        raise RefusedError(f"the {stream} of this program goes there: give another name")
    if not os.path.lexists(real):  # /dev/fd/3 of a file that was deleted
        raise RefusedError("it is a file without a name: give the name of a file")
    return Target(path=real, status=status)


def _stream(status: os.stat_result) -> str | None:
    """Return which stream of this process goes to a file: what is printed would be lost with the old one."""
    for descriptor, name in _STANDARD_STREAMS.items():
        with suppress(OSError):  # it is closed
            if os.path.samestat(os.fstat(descriptor), status):
                return name
    return None


@contextmanager
def os_errors_as(error: type[ExactnnError], path: object, subject: str | None) -> Iterator[None]:
    """Raise what goes wrong with a file as `error`, with its name."""
    try:
        yield
    except RefusedError as refused:
        reason = str(refused)
    except OSError as failure:
        reason = f"{failure.strerror or failure}: {REMEDY}"
    except ValueError as failure:  # a NUL, half a surrogate pair: what no file system can name
        reason = f"{failure}: give the name of a file"
    else:
        return
    raise error(f"{subject or f'cannot write {shown(_text(path), limit=1000)}'}: {reason}") from None


def _text(path: object) -> object:
    """Return a path as the text that the caller gave: its end names the file."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path
