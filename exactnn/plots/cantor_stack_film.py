"""A stack in one number as a film for slides: with fewer and fewer bits of precision its digits drop off."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from exactnn.errors import OptionError
from exactnn.options import entries, result, whole_number
from exactnn.plots.cantor_stack_page import BEYOND, MOST_BITS, MOST_PRECISION, read_rounded, read_symbols
from exactnn.plots.cantor_stack_plot import plot_cantor_stack
from exactnn.plots.film_file import FILM_SIZE, check_film_file, checked_speed, save_film
from exactnn.plots.looks import LINES, plain
from exactnn.plots.picture_file import new_figure
from exactnn.stacks import CantorStack

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cantor_stack_film"]

LEVELS = 5
MOST_DIGITS = 64
"""Of the number, in binary."""
COLOURS = {"0": LINES[0][0], "1": LINES[1][0]}
"""Those of the picture of the Cantor set."""


def cantor_stack_film(
    found: CantorStack,
    bits: str | Sequence[int] = "0110100110010110",
    *,
    path: str | os.PathLike[str],
    precisions: Sequence[int] = range(40, 1, -1),
    per_second: int = 4,
    replace: bool = True,
) -> None:
    """Save a stack in one number as a film, a frame for each precision: the digits that are left, and the stack read.

    The number is rounded once. The first symbol that is read wrong is ringed. Below is the Cantor set of all stacks,
    with the number and the rounded one.

    Parameters
    ----------
    found : CantorStack
    bits : str or sequence of int
        The stack, its top first; up to 40 bits.
    path : str or path
        The film: .gif, or .mp4, which needs ffmpeg or imageio-ffmpeg.
    precisions : sequence of int
        Bits of the significand, each from 2 to 64, in the order of the frames.
    per_second : int
        How many frames a second has, 1 to 30.
    replace : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    OptionError
        If there are too many bits, no precisions, no unit reads the tops of such a stack, or `path` cannot be written.
    MissingExtraError
        If matplotlib, or for .mp4 ffmpeg, is not installed.

    Examples
    --------
    >>> cantor_stack_film(CantorStack(), path="stack.png")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: film 'stack.png': name a file that ends in .gif or .mp4
    """
    result("found", found, CantorStack, "CantorStack()")
    check_film_file(path)
    per_second = checked_speed(per_second)
    asked = [whole_number("a precision", p, least=2, most=MOST_PRECISION) for p in entries("precisions", precisions)]
    if not asked:
        raise OptionError("precisions is empty: give the bits of the first frame, and of those after it")
    given: Any = bits if isinstance(bits, str) else entries("bits", bits)
    if len(given) > MOST_BITS:
        raise OptionError(f"bits: a stack of {len(given):,} is too long for a film: give at most {MOST_BITS}")
    number = found.number(given)
    stack, _ = found.read(number)
    most = len(stack) + BEYOND
    right = read_symbols(stack, mpq(0), most)
    figure: Any = new_figure(*FILM_SIZE)

    title = figure.text(0.03, 0.96, "", fontsize=15, va="top")
    places = ((0.73, 0.11), (0.56, 0.11), (0.45, 0.07), (0.11, 0.31))
    top, below, digits, intervals = (figure.add_axes((0.03, bottom, 0.94, height)) for bottom, height in places)
    plot_cantor_stack(found, levels=LEVELS, ax=intervals, title="")
    intervals.set_yticks([])
    intervals.axvline(float(number), color="black", lw=1.5)
    line = intervals.axvline(0, color="black", lw=2.5, ls=":")

    def draw(precision: int) -> None:
        rounded, read, left = read_rounded(found, number, most, precision)
        other = read_symbols(read, left, most)
        wrong = next((place for place, symbol in enumerate(right) if [symbol] != other[place : place + 1]), None)
        ends = "read right" if wrong is None else f"place {wrong + 1} from the top is read wrong"
        title.set_text(f"a stack in one number, {precision} bits: {ends}")
        for axes in (top, below, digits):
            axes.clear()
            axes.set_axis_off()
        _draw_cells(top, "the stack", right, wrong, most)
        _draw_cells(below, "as it is read", other, wrong, most)
        _draw_digits(digits, number, rounded, precision)
        line.set_xdata([float(rounded)] * 2)

    frames = [(precision, i in (0, len(asked) - 1)) for i, precision in enumerate(asked)]
    save_film(figure, frames, draw, path, per_second=per_second, replace=replace)


def _draw_cells(axes: "Axes", name: str, symbols: Sequence[str], wrong: int | None, most: int) -> None:
    from matplotlib.patches import Rectangle

    size = min(13, 480 / (most + 1))
    for place, symbol in enumerate(symbols):
        colour = COLOURS.get(symbol, "#FFFFFF")
        axes.add_patch(Rectangle((place, 0), 1, 1, facecolor=colour, alpha=0.75, edgecolor="0.4", lw=0.8))
        axes.text(place + 0.5, 0.48, plain(symbol), ha="center", va="center", fontsize=size)
    if wrong is not None:
        frame = Rectangle((wrong, 0), 1, 1, facecolor="none", edgecolor="black", lw=4, zorder=3, clip_on=False)
        axes.add_patch(frame)
    axes.set_title(name, loc="left", fontsize=11)
    axes.set_xlim(-0.1, max(most + 1, 16) + 0.1)
    axes.set_ylim(-0.05, 1.05)


def _draw_digits(axes: "Axes", number: mpq, rounded: mpq, precision: int) -> None:
    """Write the binary digits of the number, and below those of the rounded one: what dropped off is grey."""
    before = int(number).bit_length() if number >= 1 else -_digits(number).find("1")
    for height, sign, value in ((0.75, "q =", number), (0.15, "≈", rounded)):
        axes.text(0, height, f"{sign} {int(value):b}.", fontsize=9, family="monospace", va="center")
        for place, digit in enumerate(_digits(value)):
            colour = "black" if place < precision - before else "0.7"
            axes.text(place + 4.4, height, digit, fontsize=9, family="monospace", va="center", color=colour)
    axes.set_xlim(0, MOST_DIGITS + 5)
    axes.set_ylim(0, 1)


def _digits(number: mpq) -> str:
    """Return the first binary digits after the point, without zeros at the end."""
    return f"{int((number - int(number)) * 2**MOST_DIGITS):0{MOST_DIGITS}b}".rstrip("0")
