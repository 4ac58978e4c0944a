"""The file that a command is to write."""

from pathlib import Path

from exactnn.errors import OptionError, shown

__all__ = ["check_target"]


def check_target(output: str, force: bool) -> None:
    """Refuse a file that is there already, or a folder, before anything is computed.

    Raises
    ------
    OptionError
        If `output` is a folder, or is there and `force` is not set.
    """
    target = Path(output)
    if target.is_dir():
        raise OptionError(f"-o {shown(output)} is a folder: name a file in it")
    if target.exists() and not force:
        raise OptionError(f"-o {shown(output)} exists already: give another name, or --force to replace it")
