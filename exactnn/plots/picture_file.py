"""Pictures as files: which names are possible, and saving one."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from exactnn.errors import MissingExtraError, OptionError, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["check_picture_file", "new_figure", "save_picture"]

ENDINGS = (".png", ".svg", ".pdf")
_TIMES = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""What is left out, so that the same picture is the same file."""


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of `width` by `height` inches that no window shows, but notebooks do.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure

        from exactnn.plots.notebook_figure import NotebookFigure
    except ImportError:
        raise MissingExtraError('pictures need matplotlib: pip install "exactnn[plots]"') from None
    figure: Figure = NotebookFigure(figsize=(width, height), layout="constrained")
    return figure


def check_picture_file(path: str | os.PathLike[str]) -> None:
    """Check that a picture can be drawn and saved as `path`, before anything is computed for it.

    Raises
    ------
    OptionError
        If the ending is not .png, .svg or .pdf, or the folder does not exist.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> check_picture_file("collapse.gif")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: picture 'collapse.gif': name a file that ends in .png, .svg or .pdf
    """
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"picture {shown(str(path))}: name a file that ends in .png, .svg or .pdf")
    if target.is_dir():
        raise OptionError(f"picture {shown(str(path))} is a folder: name a file in it")
    if not target.absolute().parent.is_dir():
        raise OptionError(f"picture {shown(str(path))}: there is no such folder, make it first")
    new_figure(1, 1)


def save_picture(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write `figure` to `path`, replacing what was there; text in SVG and PDF stays text.

    Raises
    ------
    OptionError
        If it cannot be written.
    """
    from matplotlib import rc_context

    check_picture_file(path)
    try:
        with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "exactnn"}):
            ending = Path(path).suffix.lower()
            figure.savefig(path, dpi=200, format=ending[1:], metadata=_TIMES.get(ending))
    except OSError as error:
        raise OptionError(f"picture {shown(str(path))} cannot be written: {error.strerror}") from None
