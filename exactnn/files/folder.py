"""Folders that are made for files."""

import os
from pathlib import Path

from exactnn.errors import ExactnnError, reason_of, shown
from exactnn.options import file_path

__all__ = ["made_folder"]


def made_folder(name: str, value: str | os.PathLike[str], *, error: type[ExactnnError]) -> Path:
    """Return the path of a folder, without links, which is made if it is not there; `name` is for the message.

    Examples
    --------
    >>> from exactnn.errors import OptionError
    >>> made_folder("keep", "/dev/null", error=OptionError)
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: keep='/dev/null' is no folder, and none can be made: File exists
    """
    given = file_path(name, value, error=error)
    try:
        path = Path(os.path.realpath(given))
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        what = f"{name}={shown(str(value), limit=1000)} is no folder, and none can be made: {reason_of(problem)}"
        raise error(what) from None
    return path
