"""Files that a command writes besides its report: refused early where they cannot be, and then written in one go."""

import os
from pathlib import Path

from exactnn.errors import OptionError, shown

__all__ = ["check_new_files", "write_text_file"]


def check_new_files(files: dict[str, str | None], *, force: bool) -> None:
    """Refuse files that cannot be written, before anything is computed.

    Parameters
    ----------
    files : dict from option to the name of its file, or None
    force : bool
        Whether files that exist may be replaced.

    Raises
    ------
    OptionError
        If one is a folder, lies in a folder that does not exist, exists already, or is given twice.
    """
    given = {option: name for option, name in files.items() if name is not None}
    seen: dict[str, str] = {}
    for option, name in given.items():
        try:
            target = Path(name)
            if not name or target.is_dir():
                raise OptionError(f"{option} {shown(name)} is a folder: name a file in it")
            if not target.parent.is_dir():
                raise OptionError(f"{option} {shown(name, limit=1000)}: its folder does not exist, make it first")
            if target.exists() and not force:
                raise OptionError(
                    f"{option} {shown(name, limit=1000)} exists already: give another name, or --force to replace it"
                )
            real = os.path.realpath(target)
        except (OSError, ValueError):  # a NUL, what no file system can name
            raise OptionError(f"{option} {shown(name)}: give the name of a file") from None
        if real in seen:
            raise OptionError(f"{seen[real]} and {option} are both {shown(name, limit=1000)}: give two files")
        seen[real] = option


def write_text_file(option: str, name: str, text: str) -> None:
    """Write a text file; raises OptionError if that cannot be done."""
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OptionError(
            f"{option} {shown(name, limit=1000)} cannot be written: {error.strerror}: choose another file"
        ) from None
    except UnicodeEncodeError:
        raise OptionError(f"{option} {shown(name)}: a name holds half a surrogate pair, which is not text") from None
