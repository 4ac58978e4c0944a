"""The picture of a collapse table: what fails at which word length, and when."""

import math
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from exactnn.arithmetic import Format
from exactnn.errors import OptionError
from exactnn.plots.looks import (
    FAILURES,
    LEGEND,
    TITLE,
    WIDTH,
    Failure,
    Length,
    Look,
    edges,
    legend_columns,
    legend_text,
    lengths,
    line_looks,
    plain,
    put_title,
    same_sizes,
)
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import Collapse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_collapse"]


_STYLES = {"value": ("-", 2.5, True), "configuration": (":", 4.5, False)}
"""Line, size of the marker, and whether it is filled, for what is first wrong."""


LEAST_CELL = 0.01
"""The least part of the picture's width that a length takes."""


def plot_collapse(
    table: Collapse,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw a collapse table: above, a band per format with what has failed; below, the steps at which it does.

    Words of the same length count together: the worst failure and the earliest steps are drawn.

    Parameters
    ----------
    table : Collapse
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw the bands alone, into these axes.
    title : str, optional
        By default the name of the network.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If the table has no rows, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> figure = plot_collapse(collapse(thirds, [[1] * n for n in range(1, 6)]))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['', 'network step']
    """
    check_drawing("table", table, Collapse, "exactnn.collapse", path, title)
    if not table.rows:
        raise OptionError("the collapse table has no rows: there is nothing to draw")
    found = lengths(table)
    heading = table.name if title is None else title
    if ax is not None:
        figure: Any = ax.figure
        _draw_bands(ax, table.formats, found)
        ax.set_xlabel("word length")
        put_title(ax, heading, pad=10 + 12 * math.ceil(len(_failures(found)) / legend_columns(ax, 4)))
    else:
        figure = _two_panels(table.formats, found, heading)
    same_sizes(*(figure.axes if ax is None else [ax]))
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _two_panels(formats: Sequence[Format], found: list[Length], heading: str) -> "Figure":
    figure = new_figure(WIDTH, 3.6 + 0.2 * len(formats))
    from matplotlib.ticker import MaxNLocator

    grid = figure.add_gridspec(2, 1, height_ratios=[0.35 * len(formats) + 0.15, 2])
    bands = figure.add_subplot(grid[0])
    steps = figure.add_subplot(grid[1], sharex=bands)
    _draw_bands(bands, formats, found)
    _draw_steps(steps, formats, found)
    bands.tick_params(axis="x", bottom=False, labelbottom=False)
    steps.set_xlabel("word length")
    steps.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    handles = _legend_of_steps(formats, found)
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=LEGEND)
    figure.suptitle(plain(heading), fontsize=TITLE)
    return figure


def _draw_bands(axes: "Axes", formats: Sequence[Format], found: list[Length]) -> None:
    """Draw a band per format, the first on top, with a legend above."""
    from matplotlib.patches import Patch

    cells = _cells([entry.length for entry in found])
    for column in range(len(formats)):
        for failure, first, last in _stretches([entry.failures[column] for entry in found]):
            look = FAILURES[failure]
            paint: dict[str, Any] = {"color": look.colour, "hatch": look.hatch, "edgecolor": "white", "lw": 0}
            for left, right in _joined(cells[first : last + 1]):
                axes.barh(column, right - left, left=left, height=0.7, **paint)
        for left, right in _joined(cells):
            axes.barh(column, right - left, left=left, height=0.7, fill=False, edgecolor="black", lw=0.7)
    axes.set_yticks(range(len(formats)), [str(arithmetic) for arithmetic in formats])
    axes.set_ylim(len(formats) - 0.5, -0.5)
    axes.set_xlim(cells[0][0], cells[-1][1])
    axes.tick_params(axis="y", length=0)
    for side in ("top", "left", "right", "bottom"):
        axes.spines[side].set_visible(False)
    handles = [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white", lw=0, label=look.label)
        if failure is not Failure.NOTHING
        else Patch(facecolor="white", edgecolor="black", lw=0.7, label=look.label)
        for failure, look in _failures(found).items()
    ]
    axes.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 1),
        ncols=legend_columns(axes, 4),
        frameon=False,
        fontsize=LEGEND,
        borderpad=0.2,
    )


def _cells(lengths: Sequence[int]) -> list[tuple[float, float]]:
    """Return from where to where each length is drawn: as wide as the smallest step to the next one, if that is seen.

    >>> _cells([1, 2, 3, 20])
    [(0.5, 1.5), (1.5, 2.5), (2.5, 3.5), (19.5, 20.5)]
    """
    half = max(min([b - a for a, b in pairwise(lengths)], default=1) / 2, (lengths[-1] - lengths[0]) * LEAST_CELL / 2)
    borders = edges(lengths)
    return [
        (max(left, length - half), min(right, length + half))
        for length, (left, right) in zip(lengths, pairwise(borders), strict=True)
    ]


def _joined(cells: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield from where to where cells touch each other."""
    starts = [left for (_, end), (left, _) in pairwise(cells) if end < left]
    ends = [end for (_, end), (left, _) in pairwise(cells) if end < left]
    yield from zip([cells[0][0], *starts], [*ends, cells[-1][1]], strict=True)


def _failures(found: list[Length]) -> dict[Failure, Look]:
    """Return the failures that are drawn, with their looks."""
    return {failure: look for failure, look in FAILURES.items() if any(failure in entry.failures for entry in found)}


def _draw_steps(axes: "Axes", formats: Sequence[Format], found: list[Length]) -> None:
    """Draw the length of the exact run, and per format the steps of the first wrong value and configuration."""
    x = [entry.length for entry in found]
    steps = {b - a for a, b in pairwise(x)}
    marker = "" if len(steps) == 1 else "."  # a line alone would tell of lengths between, which were not run
    axes.plot(x, [max(1, e.steps) for e in found], color="black", lw=1.2, marker=marker, label="exact run, last step")
    looks = line_looks(formats)
    for column, arithmetic in enumerate(formats):
        colour, marker = looks[arithmetic]
        for what, (dashes, size, filled) in _STYLES.items():
            points = [(e.length, _steps(e, what)[column]) for e in found]
            points = [(length, max(1, step)) for length, step in points if step is not None]
            if points:
                axes.plot(
                    *zip(*points, strict=True),
                    color=colour,
                    ls=dashes,
                    lw=0.9,
                    marker=marker,
                    ms=size,
                    mfc=colour if filled else "none",
                    mew=0.8,
                    label=f"{arithmetic}, first wrong {what}",
                )
    axes.set_yscale("log")
    axes.set_ylabel("network step")
    axes.grid(True, axis="y", color="0.88", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _legend_of_steps(formats: Sequence[Format], found: list[Length]) -> list[Any]:
    """Return an entry for the exact run, one for each style that occurs, and one for each format."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color="black", lw=1.2, label="exact run, last step")]
    wrong = {(what, i) for what in _STYLES for e in found for i, step in enumerate(_steps(e, what)) if step is not None}
    for what, (dashes, size, filled) in _STYLES.items():
        if what not in {each for each, _ in wrong}:
            continue
        fill = "0.4" if filled else "none"
        handles.append(Line2D([], [], color="0.4", ls=dashes, lw=0.9, marker="o", ms=size, mfc=fill, mew=0.8,
                              label=f"first wrong {what}"))  # fmt: skip
    looks = line_looks(formats)
    for index, arithmetic in enumerate(formats):
        colour, marker = looks[arithmetic]
        name = f"{arithmetic}" + ("" if ("value", index) in wrong else ", always exact")
        handles.append(Line2D([], [], color=colour, lw=0.9, marker=marker, ms=4, label=legend_text(name)))
    return handles


def _steps(entry: Length, what: str) -> Sequence[int | None]:
    """Return the steps of the first wrong value or configuration, one for each format."""
    steps: Sequence[int | None] = getattr(entry, f"{what}_steps")
    return steps


def _stretches(failures: Sequence[Failure]) -> list[tuple[Failure, int, int]]:
    """Return (failure, first index, last index) for each stretch of equal failures."""
    found: list[tuple[Failure, int, int]] = []
    for index, failure in enumerate(failures):
        if found and found[-1][0] is failure:
            found[-1] = (failure, found[-1][1], index)
        else:
            found.append((failure, index, index))
    return found
