"""The picture of counters: components of the state against the step, a panel for each run."""

import os
from collections.abc import Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from exactnn.errors import OptionError
from exactnn.options import flag, listed
from exactnn.plots.looks import GREY, LEGEND, LINES, PANEL, WIDTH, legend_text, plain, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_counters"]

MOST_POINTS = 2000
MOST_COLUMNS = 2
MOST_IN_ROW = 4
"""Names beside each other below a panel."""
MOST_NAMED = 12
"""Components that the legend of a panel names."""


def plot_counters(
    found: Trajectory | Sequence[Trajectory],
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
    one_scale: bool = True,
) -> "Figure":
    """Draw components of the state after each step, a line for each, and a panel for each run.

    Grey lines are where the word goes on with another symbol. A line is interrupted where a value is not finite.

    Parameters
    ----------
    found : Trajectory or sequence of Trajectory
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw into these axes, if there is one run.
    title : str, optional
        Of one run; by default the names of network and arithmetic.
    one_scale : bool
        Give all panels one vertical scale, so that heights can be compared. Without it each panel has its own, which
        shows small values beside large ones.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there is nothing to draw, if there are axes or a title and several runs, if `one_scale` is no bool, or if
        `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import trajectory
    >>> parts = {"V": [[1]], "W": [[1, -1]], "b": [0], "s": [0]}
    >>> counter = SimpleRNN(**parts, readout_weight=[1], activation="identity", alphabet="ab")
    >>> figure = plot_counters(trajectory(counter, "aaabbb"))
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0]
    """
    flag("one_scale", one_scale)
    runs = [found] if isinstance(found, Trajectory) else listed("found", found, "what exactnn.trajectory returns")
    for each in runs:
        check_drawing("found", each, Trajectory, "exactnn.trajectory", path, title)
    if not runs or any(not each.values for each in runs):
        raise OptionError("there is no state: there is nothing to draw")
    if len(runs) > 1 and (ax is not None or title is not None):
        raise OptionError(f"{len(runs)} runs have a panel each: leave out ax and title, or draw them one by one")
    figure, panels = _panels(len(runs), ax)
    for axes, each in zip(panels, runs, strict=True):
        if one_scale and axes is not panels[0]:
            axes.sharey(panels[0])
        _draw(axes, each)
        axes.set_title(plain(f"{each.name}, {each.arithmetic}" if title is None else title), fontsize=PANEL)
    same_sizes(*panels)
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _panels(count: int, ax: Any) -> tuple[Any, list[Any]]:
    if ax is not None:
        return ax.figure, [ax]
    columns = min(count, MOST_COLUMNS)
    rows = -(-count // columns)
    figure: Any = new_figure(WIDTH, 0.4 + 2.6 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for empty in panels[count:]:
        empty.set_axis_off()
    return figure, panels[:count]


def _number(value: Any) -> float:
    """Return a value as it is drawn: an enclosure by its midpoint, NaN for what is not finite."""
    number = float(getattr(value, "midpoint", value))
    return number if isfinite(number) else nan


def _draw(axes: "Axes", run: Trajectory) -> None:
    from matplotlib.ticker import MaxNLocator

    stride = -(-len(run.values) // MOST_POINTS) or 1
    steps = range(0, len(run.values), stride)
    for index, name in enumerate(run.components):
        colour = LINES[index % len(LINES)][0]
        label = legend_text(name) if index < MOST_NAMED else f"_{name}"
        style = "-" if index < len(LINES) else "--"
        axes.plot(steps, [_number(run.values[t][index]) for t in steps], color=colour, lw=1.2, ls=style, label=label)
    for step in range(1, min(len(run.word), run.steps + 1)):
        if run.word[step] != run.word[step - 1] and len(set(run.word)) <= len(LINES):
            axes.axvline(step, color=GREY, lw=0.7, ls=":", zorder=0)
    axes.set_xlim(0, max(1, run.steps))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.set_xlabel("network step")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(
        frameon=False, fontsize=LEGEND, ncols=MOST_IN_ROW, handlelength=1.2, columnspacing=1.0,
        loc="upper center", bbox_to_anchor=(0.5, -0.2),
    )  # fmt: skip
