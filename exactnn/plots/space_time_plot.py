"""The space-time diagram: the tape or the stacks of the exact run beside those of rounded runs, time downwards."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import LOST, Symbol
from exactnn.errors import OptionError
from exactnn.plots.looks import LEGEND, PANEL, RED, TITLE, WIDTH, legend_text, plain, same_sizes
from exactnn.plots.picture_file import check_drawing, new_figure, save_picture
from exactnn.precision import CellLayout, SpaceTime, TapeRows
from exactnn.precision.tape_rows import used_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_space_time", "tape_image"]

MOST_CELLS = 10**8

LOST_COLOUR = "#D9D9D9"
"""Of cells that cannot be read, which are hatched besides: in grey, symbols look like this too."""
LOST_HATCH: dict[str, Any] = {"hatch": "/////", "edgecolor": "0.25", "lw": 0}
_OKABE_ITO = ("#0072B2", "#F0E442", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#332288")

MOST_PANELS = 4
FEW_ROWS = 130
"""Up to so many rows the head is a dot in its cell, beyond that a line."""
MOST_NAMES = 12
"""Symbols that the legend names."""
LONGEST_NAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeImage:
    """Cells as numbers of the machine's symbols; one more, `lost`, for what is lost.

    `heads` has a row of the cells under the head, or at the tops of the stacks; NaN where there is none, where it is
    not in the picture, or lost together with the state.
    """

    cells: NDArray[np.uint16]
    heads: NDArray[np.float64]
    lost: int

    def lost_runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the row, the first column and the column behind the last one of each run of cells that are lost."""
        edges = np.diff(self.cells == self.lost, axis=1, prepend=False, append=False)
        places = np.argwhere(edges).tolist()
        for (row, first), (_, last) in zip(places[::2], places[1::2], strict=True):
            yield row, first, last


def tape_image(found: SpaceTime, run: TapeRows, window: tuple[int, int]) -> TapeImage:
    """Return the cells of a run from the first to the last one of `window`.

    Raises
    ------
    OptionError
        If there are too many to be drawn.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> from exactnn.precision import space_time
    >>> tapes = space_time(siegelmann_sontag(load("bb3")), "", [FLOAT16])
    >>> tape_image(tapes, tapes.exact, (-1, 2)).cells[:4].tolist()
    [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]
    """
    numbers: dict[Symbol, int] = {symbol: i for i, symbol in enumerate(found.layout.symbols)}
    numbers[LOST] = len(numbers)
    width = window[1] - window[0] + 1
    if len(run.rows) * width > MOST_CELLS:
        raise OptionError(f"a tape of {width:,} cells over {len(run.rows):,} rows is too large: ask for fewer rows")
    columns, blank = range(window[0], window[1] + 1), found.layout.blank
    cells = np.empty((len(run.rows), width), dtype=np.uint16)
    for row, line in zip(run.rows, cells, strict=True):
        line[:] = [numbers[symbol] for symbol in row.cells(columns, blank)]
    heads = np.full((len(run.rows), max(1, len(found.layout.ends))), nan)
    for row, places in zip(run.rows, heads, strict=True):
        for place, head in enumerate(row.heads):
            if head is not None and window[0] <= head <= window[1] and row.state is not LOST:
                places[place] = head
    return TapeImage(cells=cells, lost=numbers[LOST], heads=heads)


def tape_colours(layout: CellLayout) -> list[str]:
    """Return the colours of the symbols, in their order.

    Beyond eight symbols and the blank they are taken from a scale that grows darker evenly.

    >>> tape_colours(CellLayout(symbols=("0", "1"), blank="0", ends=()))
    ['#FFFFFF', '#0072B2']
    """
    others = [symbol for symbol in layout.symbols if symbol != layout.blank]
    colours = dict(zip(others, _colours(len(others)), strict=True)) | {layout.blank: "#FFFFFF"}
    return [colours[symbol] for symbol in layout.symbols]


def _colours(count: int) -> list[str]:
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    scale = colormaps["viridis_r"]
    return [to_hex(scale(i / (count - 1))) for i in range(count)]


def plot_space_time(
    found: SpaceTime,
    *,
    path: str | os.PathLike[str] | None = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    r"""Draw the decoded tape, or the stacks, after each step, a colour for each symbol: exact, and formats beside it.

    The head is a black dot or line, and is not shown where the state is lost; the first wrong cell is in a red ring.
    Stacks lie beside each other with their bottoms, which a vertical line marks, on the left; dots are at their tops.
    Cells that cannot be read back from the rounded state are hatched in grey, and so are blanks where the state of the
    machine cannot be read: zeros decode to blanks. Where a rounded run says something too early, what
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
    check_drawing("found", found, SpaceTime, "exactnn.space_time", path, title)
    runs = (found.exact, *found.computed)
    if len(runs) > MOST_PANELS:
        raise OptionError(f"{len(found.computed)} formats do not fit beside each other: give at most {MOST_PANELS - 1}")
    window = _window(found)
    heading = plain(found.name if title is None else title)
    if ax is not None:
        figure: Any = ax.figure
        _draw_panel(ax, found, found.computed[0], window)
        _label(ax, found)
        ax.set_title(heading, fontsize=TITLE)
    else:
        figure = new_figure(WIDTH, min(7.5, 2.4 + 0.035 * len(found.exact.rows)))
        panels = figure.subplots(1, len(runs), sharex=True, sharey=True, squeeze=False)[0]
        for axes, run in zip(panels, runs, strict=True):
            _draw_panel(axes, found, run, window)
            axes.set_xlabel("stack" if found.layout.stacks else "cell")
            axes.set_title(_caption(run), fontsize=PANEL)
        _label(panels[0], found, len(runs))
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
    """Return the first and the last cell that are drawn: what is used, a cell on either side, and wrong cells."""
    ends = found.layout.ends
    first, last = used_cells(found.layout, (found.exact, *found.computed))
    first = max(ends[0], first - 1) if ends else first - 1
    wrong = [run.wrong_cell for run in found.computed if run.wrong_cell is not None]
    return min([first, *wrong]), max([last + 1, *wrong])


def _draw_panel(axes: "Axes", found: SpaceTime, run: TapeRows, window: tuple[int, int]) -> None:
    from matplotlib.colors import ListedColormap

    image: TapeImage = tape_image(found, run, window)
    colours = ListedColormap([*tape_colours(found.layout), LOST_COLOUR])
    first, last = window
    bottom = len(image.cells) * found.stride - 0.5
    axes.imshow(
        image.cells, cmap=colours, vmin=-0.5, vmax=colours.N - 0.5, aspect="auto", interpolation="nearest",
        extent=(first - 0.5, last + 0.5, bottom, -0.5),
    )  # fmt: skip
    _hatch_lost(axes, image, window, found.stride)
    few = len(image.cells) <= FEW_ROWS
    size = min(3.0, 230 / max(1, len(image.cells)), 110 / (last - first + 1))
    style: dict[str, Any] = {"ls": "", "marker": "o", "ms": size, "mec": "white", "mew": 0.3} if few else {"lw": 0.6}
    axes.plot(image.heads, [row.step for row in run.rows], color="black", label="head", **style)
    if found.layout.stacks:
        for end in found.layout.ends:
            axes.axvline(end - 0.5, color="black", lw=1.2, label="bottom")
    elif found.layout.ends and first < found.layout.ends[0]:  # a rounded run may read cells beyond the end
        axes.axvline(found.layout.ends[0] - 0.5, color="black", lw=1.2, label="end of the tape")
    _mark_first_wrong(axes, run)
    _cover_after_verdict(axes, run, bottom)
    axes.set_xlim(first - 0.5, last + 0.5)
    axes.set_ylim(bottom, -0.5)


def _hatch_lost(axes: "Axes", image: TapeImage, window: tuple[int, int], stride: int) -> None:
    """Hatch what cannot be read: one shape, of a rectangle for each run of such cells in a row."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    rectangles = [
        [(first, top), (last, top), (last, top + stride), (first, top + stride), (first, top)]
        for row, start, end in image.lost_runs()
        for first, last, top in [(window[0] + start - 0.5, window[0] + end - 0.5, row * stride - 0.5)]
    ]
    if rectangles:
        shape = Path.make_compound_path(*(Path(corners, closed=True) for corners in rectangles))
        axes.add_patch(PathPatch(shape, facecolor="none", label="cannot be read", **LOST_HATCH))


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


def _label(axes: "Axes", found: SpaceTime, panels: int = 1) -> None:
    """Name the axes, with as many numbers across as a panel has room for, or a number at the bottom of each stack."""
    from matplotlib.ticker import MaxNLocator

    ends = found.layout.ends
    if found.layout.stacks:
        axes.set_xticks([float(end) for end in ends], [str(number) for number in range(1, len(ends) + 1)])
        axes.set_xlabel("stack")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=max(3, 10 // panels), integer=True, min_n_ticks=1))
        axes.set_xlabel("cell")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_ylabel("network step")


def _caption(run: TapeRows) -> str:
    if run.divergence is None:
        return "exact"
    wrong = run.divergence.configuration
    return plain(f"{run.arithmetic}\n" + ("all right" if wrong is None else f"wrong from step {wrong.step}"))


def _legend(found: SpaceTime) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    images = [tape_image(found, run, _window(found)).cells for run in (found.exact, *found.computed)]
    seen = {int(number) for image in images for number in np.unique(image)}
    layout = found.layout
    coloured = enumerate(zip(layout.symbols, tape_colours(layout), strict=True))
    seen -= {layout.symbols.index(layout.blank)} if layout.stacks else set()  # what is beyond a top is no symbol
    symbols = [pair for number, pair in coloured if number in seen]
    handles: list[Any] = [
        _patch(colour, ("blank " if symbol == layout.blank else "") + _symbol_name(symbol))
        for symbol, colour in symbols[:MOST_NAMES]
    ]
    if len(symbols) > MOST_NAMES:
        handles.append(Patch(color="none", label=f"and {len(symbols) - MOST_NAMES} more"))
    if any(row.has_lost for run in found.computed for row in run.rows):
        handles.append(Patch(facecolor=LOST_COLOUR, label="cannot be read", **LOST_HATCH))
    dot: dict[str, Any] = {"ls": "", "marker": "o", "ms": 3} if len(found.exact.rows) <= FEW_ROWS else {"lw": 0.8}
    handles.append(Line2D([], [], color="black", label=layout.pointer, **dot))
    if layout.stacks:
        handles.append(Line2D([], [], color="black", lw=1.2, label="bottom"))
    elif layout.ends and _window(found)[0] < layout.ends[0]:
        handles.append(Line2D([], [], color="black", lw=1.2, label="end of the tape"))
    if any(run.wrong_cell is not None for run in found.computed):
        handles.append(Line2D([], [], ls="", marker="o", ms=8, mfc="none", mec=RED, mew=1.5, label="first wrong cell"))
    return handles


def _patch(colour: str, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor="black", lw=0.5, label=legend_text(label))


def _symbol_name(symbol: str) -> str:
    """Return a symbol as it stands in a legend, where a name must be seen."""
    name = symbol if symbol.isprintable() and symbol.strip() == symbol else repr(symbol)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
