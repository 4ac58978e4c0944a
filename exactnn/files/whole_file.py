"""One file, whole: written beside its place under a name of its own, and put there in one step."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from exactnn.errors import ExactnnError
from exactnn.files.target import RefusedError, found_target, os_errors_as
from exactnn.options import flag

__all__ = ["sync_folder", "write_file"]

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
        name = target.with_name(f"{target.name[:40]}.{token_hex(8)}.part")
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
