"""Writing a whole file in one step: which targets are allowed, and how it is put there."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from exactnn.errors import ExactnnError, reason_of, shown
from exactnn.options import file_path, flag

__all__ = [
    "REMEDY",
    "RefusedError",
    "Target",
    "found_target",
    "new_file",
    "os_errors_as",
    "sync_folder",
    "target_of",
    "write_file",
    "written_elsewhere",
]


# --- Which file a name means to one who writes: a regular one, links followed; or why there is none.

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
        reason = f"{reason_of(failure)}: {REMEDY}"
    except ValueError as failure:  # a NUL, half a surrogate pair: what no file system can name
        reason = f"{failure}: give the name of a file"
    else:
        return
    raise error(f"{subject or f'cannot write {shown(_text(path), limit=1000)}'}: {reason}") from None


def _text(path: object) -> object:
    """Return a path as the text that the caller gave: its end names the file."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path


_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""What file systems say that have no hard links."""
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)
"""What file systems say whose folders need not be written out."""


def write_file(
    path: str | os.PathLike[str],
    content: bytes,
    *,
    error: type[ExactnnError],
    subject: str | None = None,
    replace: bool = True,
) -> None:
    """Put `content` into the file `path`, whole or not at all.

    Parameters
    ----------
    path : str or path
    content : bytes
    error : class of errors
    subject : str, optional
        What a message begins with; "cannot write" and the name unless given.
    replace : bool
        Whether a file that is there may be replaced. If not, it is left alone, also if it was made just now.

    Raises
    ------
    error
        If it cannot be written, is no regular file, or may not be replaced; what was there stays as it was.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from exactnn.errors import OptionError
    >>> with TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/notes", b"one", error=OptionError)
    ...     write_file(f"{folder}/notes", b"two", error=OptionError)
    ...     Path(folder, "notes").read_bytes(), os.listdir(folder)
    (b'two', ['notes'])
    """
    flag("replace", replace)
    with os_errors_as(error, path, subject):
        target = found_target(path)
        if target.status is not None and not replace:
            raise RefusedError("it is there already: give another name")
        temporary = _unused_name(target.path)
        try:
            _fill(temporary, content, target.status)
            _put(temporary, target.path, replace=replace)
        finally:
            with suppress(OSError):  # a file that is left over is no harm; what went wrong before is told
                temporary.unlink(missing_ok=True)
        sync_folder(target.path.parent)


def _unused_name(target: Path) -> Path:
    """Return a name that no other writer has: not another thread, and not a process that was killed."""
    while True:
        name = target.with_name(f"{target.name[:40]}.{os.urandom(8).hex()}.part")
        if not os.path.lexists(name):
            return name


def _fill(temporary: Path, content: bytes, old: os.stat_result | None) -> None:
    """Write a new file to the disk, with the permissions of an old one; nobody else may ever read more of it."""
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode) & 0o777
    with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        if old is not None and os.name == "posix":
            _keep_permissions(file.fileno(), old, mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep_permissions(descriptor: int, old: os.stat_result, mode: int) -> None:
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root gives files away
            os.fchown(descriptor, old.st_uid, old.st_gid)
    with suppress(PermissionError):  # file systems without permissions
        os.fchmod(descriptor, mode)


def _put(temporary: Path, target: Path, *, replace: bool) -> None:
    """Give a file its name; without `replace` only if nobody has it."""
    if not replace:
        try:
            os.link(temporary, target)
            return
        except FileExistsError:
            raise RefusedError("it is there already: give another name") from None
        except OSError as failure:
            if failure.errno not in _NO_LINKS:
                raise
        _claim(target)
    try:
        os.replace(temporary, target)
    except BaseException:
        if not replace and temporary.exists():
            target.unlink(missing_ok=True)  # it is ours, and empty
        raise


def _claim(target: Path) -> None:
    """Make an empty file, which nobody else can then make."""
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        raise RefusedError("it is there already: give another name") from None


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, so that a file is there after a loss of power too."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # a folder may be written and not read
        return
    try:
        os.fsync(descriptor)
    except OSError as failure:
        if failure.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def written_elsewhere(
    name: str, write: Callable[[Path], object], *, error: type[ExactnnError], subject: str | None = None
) -> bytes:
    """Return what `write` puts into a file of that name, in a folder of its own: of libraries that write to names only.

    Examples
    --------
    >>> from exactnn.errors import OptionError
    >>> written_elsewhere("notes", lambda path: path.write_text("a"), error=OptionError)
    b'a'
    """
    with os_errors_as(error, name, subject), TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()
