"""The space-time diagram: the tape of the exact run beside the tapes of rounded runs, time downwards."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactnn.automata import LOST
from exactnn.errors import OptionError
from exactnn.plots.looks import LEGEND, PANEL, RED, TITLE, WIDTH, plain, same_sizes
from exactnn.plots.picture_file import new_figure, save_picture
from exactnn.plots.tape_colours import LOST_COLOUR, tape_colours
from exactnn.plots.tape_image import TapeImage, tape_image
from exactnn.precision import SpaceTime, TapeRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_space_time"]

MOST_PANELS = 4
FEW_ROWS = 130
"""Up to so many rows the head is a dot in its cell, beyond that a line."""
MOST_NAMES = 12
"""Symbols that the legend names."""
LONGEST_NAME = 12


def plot_space_time(
    found: SpaceTime,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    r"""Draw the decoded tape after each step, a colour for each symbol: the exact run, and the formats beside it.

    The head is a black dot or line, and is not shown where the state is lost; the first wrong cell is in a red ring.
    Cells that cannot be read back from the rounded state are grey. Where a rounded run says something too early, what
    it does after that is covered. A vertical line is the end of a semi-infinite tape, if a cell beyond it is wrong.

    Parameters
    ----------
    found : SpaceTime
    path : str or path, optional
        Save the picture there too: .png, .svg or .pdf, 6.5 inches wide.
    ax : matplotlib axes, optional
        Draw the tape of the first format alone, into these axes.
    title : str, optional
        By default the name of the network.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OptionError
        If there are more than three formats, or `path` cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> from exactnn.precision import space_time
    >>> figure = plot_space_time(space_time(siegelmann_sontag(load("bb3")), "", [FLOAT16]))
    >>> [axes.get_title() for axes in figure.axes]
    ['exact', 'float16\nall right']
    """
    runs = (found.exact, *found.computed)
    if len(runs) > MOST_PANELS:
        raise OptionError(f"{len(found.computed)} formats do not fit beside each other: give at most {MOST_PANELS - 1}")
    window = _window(found)
    heading = plain(found.name if title is None else title)
    if ax is not None:
        figure: Any = ax.figure
        _draw_panel(ax, found, found.computed[0], window)
        _label(ax)
        ax.set_title(heading, fontsize=TITLE)
    else:
        figure = new_figure(WIDTH, min(7.5, 2.4 + 0.035 * len(found.exact.rows)))
        panels = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)[0]
        for axes, run in zip(panels, runs, strict=True):
            _draw_panel(axes, found, run, window)
            axes.set_xlabel("cell")
            axes.set_title(_caption(run), fontsize=PANEL)
        _label(panels[0], len(runs))
        figure.suptitle(heading, fontsize=TITLE)
        figure.legend(
            handles=_legend(found), loc="outside lower center", ncols=7, frameon=False, fontsize=LEGEND,
            handlelength=1.5, columnspacing=1.3,
        )  # fmt: skip
    same_sizes(*(figure.axes if ax is None else [ax]))
    if path is not None:
        save_picture(figure, path)
    return figure  # type: ignore[no-any-return]


def _window(found: SpaceTime) -> tuple[int, int]:
    """Return the first and the last cell that are drawn: the exact tape and a cell on either side, and wrong cells."""
    rows = found.exact.rows
    first = min(row.head - len(row.configuration.left) for row in rows)
    last = max(row.head + len(row.configuration.right) for row in rows)
    first = max(0, first - 1) if found.machine.tape == "semi_infinite" else first - 1
    wrong = [run.wrong_cell for run in found.computed if run.wrong_cell is not None]
    return min([first, *wrong]), max([last + 1, *wrong])


def _draw_panel(axes: "Axes", found: SpaceTime, run: TapeRows, window: tuple[int, int]) -> None:
    from matplotlib.colors import ListedColormap

    image: TapeImage = tape_image(found, run, window)
    colours = ListedColormap([*tape_colours(found.machine), LOST_COLOUR])
    first, last = window
    bottom = len(image.cells) * found.stride - 0.5
    axes.imshow(
        image.cells, cmap=colours, vmin=-0.5, vmax=colours.N - 0.5, aspect="auto", interpolation="nearest",
        extent=(first - 0.5, last + 0.5, bottom, -0.5),
    )  # fmt: skip
    few = len(image.cells) <= FEW_ROWS
    size = min(3.0, 230 / max(1, len(image.cells)), 110 / (last - first + 1))
    style: dict[str, Any] = {"ls": "", "marker": "o", "ms": size, "mec": "white", "mew": 0.3} if few else {"lw": 0.6}
    axes.plot(image.heads, [row.step for row in run.rows], color="black", label="head", **style)
    if found.machine.tape == "semi_infinite" and first < 0:  # a rounded run may read cells beyond the end
        axes.axvline(-0.5, color="black", lw=1.2, label="end of the tape")
    _mark_first_wrong(axes, run)
    _cover_after_verdict(axes, run, bottom)
    axes.set_xlim(first - 0.5, last + 0.5)
    axes.set_ylim(bottom, -0.5)


def _mark_first_wrong(axes: "Axes", run: TapeRows) -> None:
    """Put a ring around the first wrong cell, and a line through the step."""
    wrong = None if run.divergence is None else run.divergence.configuration
    if wrong is None or run.wrong_cell is None:
        return
    axes.axhline(wrong.step, color=RED, lw=0.7, ls="--")
    for colour, width, label in (("white", 3.4, "_halo"), (RED, 1.8, "first wrong cell")):
        axes.plot(
            [run.wrong_cell], [wrong.step], ls="", marker="o", ms=9, mfc="none", mec=colour, mew=width, clip_on=False,
            zorder=4, label=label,
        )  # fmt: skip


def _cover_after_verdict(axes: "Axes", run: TapeRows, bottom: float) -> None:
    """Cover what is decoded after a rounded run has said something that the exact one does not say yet."""
    verdict = None if run.divergence is None else run.divergence.verdict
    if verdict is None or verdict.computed is None or verdict.step + 0.5 >= bottom:
        return
    axes.axhspan(verdict.step + 0.5, bottom, facecolor="0.93", edgecolor="0.8", hatch="..", lw=0, zorder=3)
    axes.text(
        0.5, (verdict.step + 0.5 + bottom) / 2, f"{verdict.computed} at step {verdict.step}",
        transform=axes.get_yaxis_transform(), ha="center", va="center", fontsize=LEGEND, zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip


def _label(axes: "Axes", panels: int = 1) -> None:
    """Name the axes, with as many numbers across as a panel has room for."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=max(3, 10 // panels), integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_ylabel("network step")
    axes.set_xlabel("cell")


def _caption(run: TapeRows) -> str:
    if run.divergence is None:
        return "exact"
    wrong = run.divergence.configuration
    return plain(f"{run.arithmetic}\n" + ("all right" if wrong is None else f"wrong from step {wrong.step}"))


def _legend(found: SpaceTime) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    symbols = found.machine.tape_symbols
    handles: list[Any] = [
        _patch(colour, ("blank " if symbol == found.machine.blank_symbol else "") + _symbol_name(symbol))
        for symbol, colour in list(zip(symbols, tape_colours(found.machine), strict=True))[:MOST_NAMES]
    ]
    if len(symbols) > MOST_NAMES:
        handles.append(Patch(color="none", label=f"and {len(symbols) - MOST_NAMES} more"))
    if any(_has_lost(run.rows) for run in found.computed):
        handles.append(_patch(LOST_COLOUR, "cannot be read"))
    dot: dict[str, Any] = {"ls": "", "marker": "o", "ms": 3} if len(found.exact.rows) <= FEW_ROWS else {"lw": 0.8}
    handles.append(Line2D([], [], color="black", label="head", **dot))
    if found.machine.tape == "semi_infinite" and _window(found)[0] < 0:
        handles.append(Line2D([], [], color="black", lw=1.2, label="end of the tape"))
    if any(run.wrong_cell is not None for run in found.computed):
        handles.append(Line2D([], [], ls="", marker="o", ms=8, mfc="none", mec=RED, mew=1.5, label="first wrong cell"))
    return handles


def _patch(colour: str, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor="black", lw=0.5, label=plain(label))


def _symbol_name(symbol: str) -> str:
    """Return a symbol as it stands in a legend, where a name must be seen and does not begin with an underscore."""
    name = symbol if symbol.isprintable() and symbol.strip() == symbol else repr(symbol)
    name = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    return f"'{name}'" if name.startswith("_") else name


def _has_lost(rows: Sequence[Any]) -> bool:
    return any(LOST in row.configuration.tape for row in rows)
