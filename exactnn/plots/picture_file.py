"""Pictures as files: which names are possible, and saving one."""

import os
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING

from exactnn.errors import MissingExtraError, OptionError, shown
from exactnn.files import new_file, write_file
from exactnn.interrupts import Uninterrupted
from exactnn.options import result, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENDINGS", "SETTINGS", "check_picture_file", "new_figure", "save_picture"]

ENDINGS = (".png", ".svg", ".pdf")
_TIMES = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""What is left out, so that the same picture is the same file."""
SETTINGS = Lock()
"""Settings of matplotlib are those of all threads."""


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of `width` by `height` inches that no window shows, but notebooks do.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        with Uninterrupted("loading matplotlib"):
            import matplotlib.figure  # noqa: F401  (another module may have been loaded when it was there)

            from exactnn.plots.notebook_figure import NotebookFigure
    except ImportError:
        raise MissingExtraError('pictures need matplotlib: pip install "exactnn[plots]"') from None
    figure: Figure = NotebookFigure(figsize=(width, height), layout="constrained")
    return figure


def check_picture_file(path: object) -> None:
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
    new_file("picture", path, ENDINGS, error=OptionError)
    new_figure(1, 1)


def check_drawing(
    name: str, data: object, kind: type | tuple[type, ...], function: str, path: object, title: object
) -> None:
    """Check what is to be drawn, and the options of its picture, before anything is drawn.

    Raises
    ------
    OptionError, MissingExtraError
    """
    result(name, data, kind, function)
    if title is not None:
        text("title", title)
    if path is not None:
        check_picture_file(path)


def save_picture(figure: "Figure", path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write `figure` to `path`; text in SVG and PDF stays text.

    Parameters
    ----------
    figure : Figure
    path : str or path
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If it cannot be written.
    """
    check_picture_file(path)
    ending = _ending(path)
    with Uninterrupted("loading matplotlib"):
        from matplotlib import rc_context
        from matplotlib.backend_bases import get_registered_canvas_class

        get_registered_canvas_class(ending[1:])  # loads what writes such files
    stream = BytesIO()
    with SETTINGS, rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "exactnn"}):
        figure.savefig(stream, dpi=200, format=ending[1:], metadata=_TIMES.get(ending))
    write_file(path, stream.getvalue(), error=OptionError, subject=_subject(path), replace=replace)


def _ending(path: object) -> str:
    return os.path.splitext(str(path))[1].lower()


def _subject(path: object) -> str:
    return f"picture {shown(str(path))} cannot be written"
