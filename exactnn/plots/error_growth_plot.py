"""The picture of growing errors: the largest error of a neuron after each step, a line for each format."""

import os
from typing import TYPE_CHECKING, Any

from exactnn.errors import OptionError
from exactnn.plots.looks import (
    LEGEND,
    WIDTH,
    binary_logarithm,
    legend_text,
    line_looks,
    line_style,
    powers_of_two,
    put_title,
    same_sizes,
    thinned,
)
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import ErrorGrowth, FormatErrors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_error_growth"]

MARKS = {"configuration": ("o", "none"), "verdict": ("X", None)}
"""Marker and its filling for what is first wrong; None is the colour of the line."""
MANY_POINTS = 500
"""Lines of more points are thin."""
MOST_TICKS = 500
"""Marks of infinite values of one format."""


def plot_error_growth(
    found: ErrorGrowth,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the largest absolute error of a neuron's value after each network step, as powers of two.

    A line is interrupted where the state is exact or not finite; the latter is marked at the upper edge. Marks show the
    first wrong configuration and verdict. Of more than 2000 steps the largest error of each stretch is drawn.

    Parameters
    ----------
    found : ErrorGrowth
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes.
    title : str, optional
        By default the name of the network.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If no step was compared, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import error_growth
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> figure = plot_error_growth(error_growth(thirds, [1, 0, 0, 0]))
    >>> figure.axes[0].get_ylabel()
    'largest error of a neuron (absolute)'
    """
    check_drawing("found", found, ErrorGrowth, "exactnn.error_growth", path, title)
    if any(not entry.errors for entry in found.formats):
        raise OptionError("no state was compared: there is nothing to draw")
    figure: Any = new_figure(WIDTH, 3.6) if ax is None else ax.figure
    axes: Any = figure.subplots() if ax is None else ax
    looks = line_looks(entry.arithmetic for entry in found.formats)
    for index, entry in enumerate(found.formats):
        _draw_line(axes, entry, index, looks[entry.arithmetic])
        _mark_infinite(axes, entry, looks[entry.arithmetic][0])
    for index, entry in enumerate(found.formats):
        _mark_first_wrong(axes, entry, index, looks[entry.arithmetic][0])
    _dress(axes, found)
    put_title(axes, found.name if title is None else title)
    same_sizes(axes)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _draw_line(axes: "Axes", entry: FormatErrors, index: int, look: tuple[str, str]) -> None:
    """Draw the errors of a format; later lines are thinner, so that one under another is seen."""
    colour, marker = look
    steps, values = thinned([binary_logarithm(error) if error else None for error in entry.errors])
    few = len(steps) <= 60
    label = f"{entry.arithmetic}" + ("" if any(error != 0 for error in entry.errors) else ", always exact")
    width = max(0.8, 2.4 - 0.5 * index) if len(steps) <= MANY_POINTS else 0.7
    axes.plot(
        steps, values, color=colour, ls=line_style(look), lw=width, marker=marker if few else ".",
        ms=max(2.5, 5 - 0.7 * index) if few else width, label=legend_text(label),
    )  # fmt: skip


def _mark_infinite(axes: "Axes", entry: FormatErrors, colour: str) -> None:
    """Mark at the upper edge where a format has infinite values or NaN."""
    steps = [step for step, error in enumerate(entry.errors) if error is None]
    if steps:
        shown = steps[:: -(-len(steps) // MOST_TICKS)]
        axes.plot(
            shown, [0.98] * len(shown), transform=axes.get_xaxis_transform(), color=colour, ls="",
            marker="|", ms=7, clip_on=False, label=f"_{entry.arithmetic}, infinite or NaN",
        )  # fmt: skip


def _mark_first_wrong(axes: "Axes", entry: FormatErrors, index: int, colour: str) -> None:
    """Mark the first wrong configuration and verdict on the line; at an edge where it has no point there."""
    for what, (marker, fill) in MARKS.items():
        part = getattr(entry.divergence, what)
        if part is None or part.step >= len(entry.errors):
            continue
        error = entry.errors[part.step]
        height = binary_logarithm(error) if error else float(error is None)
        axes.plot(
            [part.step], [height], color=colour, mfc=fill or colour, mec="white" if fill is None else colour,
            marker=marker, ms=max(6.0, 12 - 2 * index), mew=0.6 if fill is None else 1.4, clip_on=False, zorder=4,
            transform=axes.transData if error else axes.get_xaxis_transform(),
            label=f"_{entry.arithmetic}, first wrong {what}",
        )  # fmt: skip


def _dress(axes: "Axes", found: ErrorGrowth) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    if all(not error for entry in found.formats for error in entry.errors):
        axes.set_yticks([])
        text = "no finite error" if any(None in entry.errors for entry in found.formats) else "no error"
        axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes, color="0.3")
    else:
        powers_of_two(axes)
    axes.set_xlim(0, max(1, found.steps))
    axes.margins(y=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.set_xlabel("network step")
    axes.set_ylabel("largest error of a neuron (absolute)")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = list(axes.get_legend_handles_labels()[0])
    for what, (marker, fill) in MARKS.items():
        if any(getattr(entry.divergence, what) is not None for entry in found.formats):
            handles.append(Line2D([], [], color="0.3", ls="", marker=marker, mfc=fill or "0.3", ms=7,
                                  label=f"first wrong {what}"))  # fmt: skip
    if any(error is None for entry in found.formats for error in entry.errors):
        handles.append(Line2D([], [], color="0.3", ls="", marker="|", ms=7, label="infinite or NaN"))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=LEGEND)
