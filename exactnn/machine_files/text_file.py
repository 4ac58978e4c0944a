"""Reading a machine file from disk as text, within bounds: a machine file is small, regular and UTF-8."""

import os
import stat
from pathlib import Path

from exactnn.errors import MachineFileError, reason_of, shown

__all__ = ["MAX_BYTES", "decoded", "read_text", "subject_of"]

MAX_BYTES = 2**20
"""No machine file is larger; the size is looked at before anything is read."""


def subject_of(path: Path) -> str:
    """Return how messages name the file at `path`."""
    return f"machine file {shown(str(path), limit=200)}"


def read_text(path: Path) -> str:
    """Return the text of the file at `path`.

    Raises
    ------
    MachineFileError
        If it cannot be read, is not a regular file, is larger than `MAX_BYTES`, or is not UTF-8 text.
    """
    try:
        status = path.stat()
        if fault := _refused(status):
            raise MachineFileError(subject_of(path), [fault])
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise MachineFileError(subject_of(path), [_unreadable(path, error)]) from error
    if len(content) > MAX_BYTES:
        raise MachineFileError(subject_of(path), [_too_large("more")])
    return decoded(content, subject_of(path))


def decoded(content: bytes, subject: str) -> str:
    """Return UTF-8 `content` as text; a byte order mark of UTF-8 is dropped.

    Raises
    ------
    MachineFileError
        If the bytes are not UTF-8; the line is named.

    Examples
    --------
    >>> decoded(b"blank: '_'", "machine file 'm.yaml'")
    "blank: '_'"
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MachineFileError(subject, ["line 1: the file is UTF-16 text: save it as UTF-8"])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        fault = f"line {line}: byte 0x{content[error.start]:02x} is not UTF-8 text: save the file as UTF-8"
        raise MachineFileError(subject, [fault]) from error


def _refused(status: os.stat_result) -> str | None:
    if stat.S_ISDIR(status.st_mode):
        return "it is a folder: name a file in it"
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file: copy its text into one"
    return _too_large(str(status.st_size)) if status.st_size > MAX_BYTES else None


def _too_large(size: str) -> str:
    return f"the file has {size} bytes, the limit is {MAX_BYTES} (1 MiB): a machine file holds one machine"


def _unreadable(path: Path, error: OSError | ValueError) -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return f"there is no such file: check the path (working folder {shown(str(Path.cwd()), limit=200)})"
    if isinstance(error, PermissionError):
        return "permission to read it is missing: make it readable (chmod u+r)"
    return f"it cannot be read ({reason_of(error)}): check the path"
