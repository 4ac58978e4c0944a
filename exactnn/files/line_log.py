"""A file that grows: lines are appended, by one process or thread at a time, and all of a line or nothing of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO

from exactnn.errors import ExactnnError
from exactnn.files.whole_file import found_target, os_errors_as, sync_folder
from exactnn.interrupts import loaded

__all__ = ["LineLog", "open_log"]


class LineLog:
    """A file of lines that nobody else reads or appends to while it is open."""

    def __init__(self, file: FileIO) -> None:
        self._file = file

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.seek(0, os.SEEK_END)

    def read(self) -> bytes:
        """Return all of it; the last line may be a half one, which somebody wrote who was killed."""
        self._file.seek(0)
        return self._file.readall()

    def append(self, line: bytes) -> None:
        """Write a line, which ends in a newline, to the disk; a half line before it is dropped.

        What goes wrong leaves the file without the line.
        """
        self._drop_half_a_line()
        end = self.size
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except BaseException:
            self._file.truncate(end)
            raise

    def _drop_half_a_line(self) -> None:
        if not self.size:
            return
        self._file.seek(-1, os.SEEK_END)
        if self._file.read(1) != b"\n":
            self._file.truncate(self.read().rfind(b"\n") + 1)


@contextmanager
def open_log(
    path: str | os.PathLike[str], *, error: type[ExactnnError], subject: str | None = None
) -> Iterator[LineLog]:
    """Open the file `path` to read it and to append lines, and make it if it is not there; others wait meanwhile.

    Parameters
    ----------
    path : str or path
    error : class of errors
    subject : str, optional
        What a message begins with; "cannot write" and the name unless given.

    Raises
    ------
    error
        If it cannot be read or written, or is no regular file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from exactnn.errors import OptionError
    >>> with TemporaryDirectory() as folder:
    ...     for line in (b"one\\n", b"two\\n"):
    ...         with open_log(f"{folder}/log", error=OptionError) as log:
    ...             log.append(line)
    ...             log.read()
    b'one\\n'
    b'one\\ntwo\\n'
    """
    with os_errors_as(error, path, subject):
        target = found_target(path)
        with open(target.path, "a+b", buffering=0) as file:
            _lock(file)
            if target.status is None:
                sync_folder(target.path.parent)
            yield LineLog(file)


def _lock(file: FileIO) -> None:
    """Wait until nobody else has the file open; closing it, and the end of the process, unlock it."""
    if os.name == "posix":
        fcntl = loaded("fcntl")
        fcntl.flock(file, fcntl.LOCK_EX)
