"""Tapes or stacks over time as a film for slides: the exact ones, and below them those of formats."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactnn.errors import OptionError
from exactnn.options import result
from exactnn.plots.film_file import FILM_SIZE, check_film_file, checked_speed, save_film
from exactnn.plots.looks import RED, plain
from exactnn.plots.picture_file import new_figure
from exactnn.plots.space_time_plot import LOST_COLOUR, tape_colours
from exactnn.plots.tape_player import played_tapes
from exactnn.precision import SpaceTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tape_film"]

MOST_TAPES = 4
MOST_STEPS = 240
"""Of more, some are left out, evenly; not those where a format goes wrong for the first time."""
WIDEST = 31
"""Cells that are seen; of wider tapes those around the head of the exact run."""
LONGEST_NAME = 3
"""Letters in a cell."""


def tape_film(found: SpaceTime, *, path: str | os.PathLike[str], per_second: int = 4, replace: bool = True) -> None:
    """Save the tapes or stacks of a run as a film, a frame for each step: exact first, then those of formats.

    The head's cell, or the top of each stack, has a thick frame. The first wrong cell of a format is ringed, and the
    film stays there for two seconds, as it does at the end. Of more than 240 steps some are left out, evenly.

    Parameters
    ----------
    found : SpaceTime
        With at most three formats.
    path : str or path
        The film: .gif, or .mp4, which needs ffmpeg or imageio-ffmpeg.
    per_second : int
        How many frames a second has, 1 to 30.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If there are too many formats, the tape is wider than 400 cells, or `path` cannot be written.
    MissingExtraError
        If matplotlib, or for .mp4 ffmpeg, is not installed.

    Examples
    --------
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> from exactnn.precision import space_time
    >>> tape_film(space_time(siegelmann_sontag(load("bb3")), "", "float16"), path="tape.svg")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: film 'tape.svg': name a file that ends in .gif or .mp4
    """
    result("found", found, SpaceTime, "space_time(net, word, formats)")
    check_film_file(path)
    per_second = checked_speed(per_second)
    if len(found.computed) >= MOST_TAPES:
        raise OptionError(f"{len(found.computed)} formats do not fit below each other: give at most {MOST_TAPES - 1}")
    tapes = played_tapes(found)
    figure: Any = new_figure(*FILM_SIZE)
    colours = dict(zip(map(str, found.layout.symbols), tape_colours(found.layout), strict=True))
    colours[""] = "#FFFFFF"

    def draw(number: int) -> None:
        figure.clear()
        step, runs = tapes["steps"][number], tapes["runs"]
        figure.text(0.03, 0.95, plain(f"{found.name}, step {step:,}"), fontsize=15, va="top")
        height = 0.82 / len(runs)
        for place, run in enumerate(runs):
            axes = figure.add_axes((0.03, 0.84 - (place + 1) * height + 0.1 * height, 0.94, 0.5 * height))
            _draw_tape(axes, tapes, run, number, colours)

    save_film(figure, _frames(tapes), draw, path, per_second=per_second, replace=replace)


def _frames(tapes: dict[str, Any]) -> list[tuple[int, bool]]:
    """Return the numbers of the steps that are shown, and whether the film stays there."""
    steps: Sequence[int] = tapes["steps"]
    wrong = {run["wrong"] for run in tapes["runs"]}
    stride = -(-len(steps) // MOST_STEPS)
    return [
        (number, step in wrong or number == len(steps) - 1)
        for number, step in enumerate(steps)
        if number % stride == 0 or step in wrong or number == len(steps) - 1
    ]


def _draw_tape(axes: "Axes", tapes: dict[str, Any], run: dict[str, Any], number: int, colours: dict[str, str]) -> None:
    from matplotlib.patches import Rectangle

    step = tapes["steps"][number]
    row = run["rows"][min(number, len(run["rows"]) - 1)]
    columns = range(tapes["first"], tapes["first"] + len(row["cells"]))
    seen = _seen(columns, next((head for head in tapes["runs"][0]["rows"][number]["heads"] if head is not None), 0))
    for column in seen:
        if column in tapes["gaps"]:
            continue
        cell = row["cells"][column - tapes["first"]]
        colour = LOST_COLOUR if cell is None else colours[cell]
        axes.add_patch(Rectangle((column - 0.5, 0), 1, 1, facecolor=colour, edgecolor="0.4", lw=0.8))
        letter = "?" if cell is None else cell if len(cell) <= LONGEST_NAME else cell[: LONGEST_NAME - 1] + "…"
        axes.text(
            column, 0.48, plain(letter), ha="center", va="center", fontsize=13, color=_ink(colour), clip_on=True
        )  # fmt: skip
    for head in row["heads"]:
        if head in seen:
            axes.add_patch(Rectangle((head - 0.5, 0), 1, 1, facecolor="none", edgecolor="black", lw=3.2, zorder=3))
    wrong = run["wrong"]
    if step == wrong and run["cell"] in seen:
        axes.plot([run["cell"]], [0.5], marker="o", ms=34, mfc="none", mec=RED, mew=4, zorder=4, clip_on=False)
    told = f"{run['name']}, state {row['state']}"
    if wrong is not None and step >= wrong:
        told += f": wrong from step {wrong:,}"
    axes.set_title(plain(told), loc="left", fontsize=13, color=RED if wrong is not None and step >= wrong else "black")
    axes.set_xlim(seen[0] - 0.6, seen[0] + max(len(seen), 12) - 0.4)
    axes.set_ylim(-0.15, 1.15)
    axes.set_axis_off()


def _seen(columns: range, head: int) -> range:
    """Return the cells that are shown: all if there is room, else those around the head."""
    if len(columns) <= WIDEST:
        return columns
    first = max(columns.start, min(columns.stop - WIDEST, head - WIDEST // 2))
    return range(first, first + WIDEST)


def _ink(colour: str) -> str:
    """Return black or white, whichever is read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 110 else "white"
