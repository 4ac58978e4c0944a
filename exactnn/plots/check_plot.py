"""The picture of a check: the largest error after each step, a line for each format, and wrong decisions."""

import os
from math import log2
from typing import TYPE_CHECKING, Any

from exactnn.errors import OptionError
from exactnn.plots.looks import (
    GREY,
    LEGEND,
    WIDTH,
    legend_text,
    line_looks,
    line_style,
    powers_of_two,
    put_title,
    same_sizes,
    thinned,
)
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import CheckedFormat, FormatReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_check_format"]

MOST_FLIPS = 500
"""Marks of wrong decisions of one format."""


def plot_check_format(
    report: FormatReport,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the largest error of a number after each step, of all words that were checked, as powers of two.

    A dotted line of a format's colour is the distance of its numbers at 1. A cross is the first wrong decision on a
    word. A line is interrupted where nothing is wrong, or where a number is infinite or NaN.

    Parameters
    ----------
    report : FormatReport
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        By default the name of the network, and how many words there were.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If no word was run, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import check_format
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> plot_check_format(check_format(thirds, [[1, 0, 0, 0]], "float16")).axes[0].get_ylabel()
    'largest error of a number (absolute)'
    """
    check_drawing("report", report, FormatReport, "exactnn.check_format", path, title)
    if not report.words:
        raise OptionError("no word was run: there is nothing to draw")
    figure: Any = new_figure(WIDTH, 3.6) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    looks = line_looks(found.arithmetic for found in report.formats)
    for found in report.formats:
        _draw(axes, found, looks[found.arithmetic])
    _dress(axes, report)
    words = f"{report.words:,} word{'s' * (report.words != 1)}"
    put_title(axes, f"{report.name}, {words}" if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _draw(axes: "Axes", found: CheckedFormat, look: tuple[str, str]) -> None:
    colour, marker = look
    steps, values = thinned([log2(error) if error else None for error in found.by_step])
    few = len(steps) <= 60
    name = f"{found.arithmetic}" + ("" if any(found.by_step) else ",\nalways exact")
    axes.plot(
        steps, values, color=colour, ls=line_style(look), lw=1.4 if few else 0.9, marker=marker if few else "", ms=3.5,
        label=legend_text(name),
    )  # fmt: skip
    spacing = log2(found.arithmetic.spacing(1))
    axes.axhline(spacing, color=colour, lw=0.8, ls=":", zorder=1, label=f"_{found.arithmetic}, distance at 1")
    flips = [flip for flip in found.flips if found.by_step[flip.step]][:MOST_FLIPS]
    heights = [log2(found.by_step[flip.step] or 1) for flip in flips]
    axes.plot(
        [flip.step for flip in flips], heights, color=colour, mec="white", mew=0.6, ls="", marker="X", ms=8, zorder=4,
        label=f"_{found.arithmetic}, wrong decisions",
    )  # fmt: skip


def _dress(axes: "Axes", report: FormatReport) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    powers_of_two(axes)
    axes.set_xlim(0, max(1, *(len(found.by_step) - 1 for found in report.formats)))
    axes.margins(y=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.set_xlabel("network step")
    axes.set_ylabel("largest error of a number (absolute)")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = list(axes.get_legend_handles_labels()[0])
    handles.append(Line2D([], [], color=GREY, lw=0.8, ls=":", label="distance of its\nnumbers at 1"))
    if any(found.flips for found in report.formats):
        handles.append(Line2D([], [], color="0.3", mec="white", ls="", marker="X", ms=8, label="first wrong\ndecision"))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=LEGEND)
