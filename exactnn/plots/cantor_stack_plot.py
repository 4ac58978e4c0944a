"""The picture of a stack of bits in one number: where the numbers of stacks are, by what is on top."""

import os
from typing import TYPE_CHECKING, Any

from exactnn.options import whole_number
from exactnn.plots.looks import LINES, WIDTH, put_title, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.stacks import CantorStack

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_cantor_stack"]

MOST_LEVELS = 10
MOST_NAMED = 4
"""Intervals of a level that have their bits written on them."""


def plot_cantor_stack(
    found: CantorStack,
    *,
    levels: int = 4,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw where the numbers of stacks are: a row for each length, in it the interval of the stacks that begin so.

    The colour says what is on top. Two colours that touch or overlap are tops that no unit tells apart; a mark at 0 is
    a stack of zeros that looks as the empty one.

    Parameters
    ----------
    found : CantorStack
    levels : int
        How many rows, up to 10.
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If it is no such stack, `levels` is out of range, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> plot_cantor_stack(CantorStack()).axes[0].get_xlabel()
    'the number q of the stack'
    """
    check_drawing("found", found, CantorStack, "a CantorStack", path, title)
    levels = whole_number("levels", levels, least=1, most=MOST_LEVELS)
    figure: Any = new_figure(WIDTH, 0.6 + 0.42 * levels) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    colours = (LINES[0][0], LINES[1][0])
    for level in range(1, levels + 1):
        for bits, low, high in found.intervals(level):
            first, width = float(low), float(high - low)
            axes.barh(level, width, left=first, height=0.3, color=colours[bits[0] == "1"], alpha=0.75, lw=0)
            if 2**level <= MOST_NAMED:
                axes.text(first + width / 2, level - 0.28, bits, ha="center", va="center", fontsize=7)
            if not low:
                axes.plot([0], [level], marker="x", color="black", clip_on=False)
    axes.set_ylim(levels + 0.6, 0.4)
    axes.set_yticks(range(1, levels + 1))
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("the number q of the stack")
    axes.set_ylabel("bits from the top")
    put_title(axes, repr(found)[1:-1] if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]
