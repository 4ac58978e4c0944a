"""Rows of coloured cells, such as a tape after each step; what a cell holds is shown when the pointer is over it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exactnn.markup.shapes import INK, circle, picture, rectangle, text

__all__ = ["Cell", "cell_grid"]

SIZE = 14.0
MARGIN = 46.0
"""Room for the numbers of the rows."""
HEAD = 22.0
LETTER = 6.3
"""About how wide a letter of a heading is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: its colour, a letter in it, a mark (the head), whether it is ringed, and what is told of it."""

    fill: str
    letter: str = ""
    marked: bool = False
    ringed: bool = False
    hover: str = ""


def cell_grid(
    panels: Sequence[tuple[str, Mapping[int, Mapping[int, Cell]]]],
    rows: Sequence[int],
    columns: range,
    *,
    title: str,
    ring: str = "#D55E00",
) -> str:
    """Return grids beside each other, with the same rows and columns.

    Parameters
    ----------
    panels : sequence of (heading, row -> column -> Cell)
    rows : sequence of int
        The numbers of the rows, from the top.
    columns : range
    title : str
    ring : str
        Colour of the ring.

    Examples
    --------
    >>> head = Cell(fill="#ffffff", letter="a", marked=True)
    >>> drawn = cell_grid([("exact", {0: {0: head}})], [0], range(1), title="a")
    >>> drawn.count("<rect"), drawn.count("<circle")
    (1, 1)
    """
    width = len(columns) * SIZE
    gap = 24.0
    parts: list[str] = []
    for number, (heading, cells) in enumerate(panels):
        left = MARGIN + number * (width + gap)
        long = LETTER * len(heading) > width
        parts.append(text(left if long else left + width / 2, 14, heading, anchor="start" if long else "middle"))
        for place, row in enumerate(rows):
            for column, cell in cells.get(row, {}).items():
                if column in columns:
                    parts += _cell(left + (column - columns[0]) * SIZE, HEAD + place * SIZE, cell, ring)
    step = max(1, len(rows) // 20)
    for place in range(0, len(rows), step):
        parts.append(text(MARGIN - 6, HEAD + place * SIZE + 11, rows[place], size=11, anchor="end"))
    last = max(width, LETTER * len(panels[-1][0]))
    whole = MARGIN + (len(panels) - 1) * (width + gap) + last + 10
    return picture(max(whole, 160), HEAD + len(rows) * SIZE + 8, parts, title=title)


def _cell(x: float, y: float, cell: Cell, ring: str) -> list[str]:
    hover = cell.hover or None
    drawn = [rectangle(x, y, SIZE, SIZE, fill=cell.fill, stroke=ring if cell.ringed else "#cccccc", hover=hover)]
    if cell.ringed:
        drawn.append(rectangle(x + 1, y + 1, SIZE - 2, SIZE - 2, fill="none", stroke=ring))
    if cell.letter:
        drawn.append(text(x + SIZE / 2, y + 11, cell.letter[:1], size=11, fill=_readable(cell.fill)))
    if cell.marked:
        drawn.append(circle(x + SIZE / 2, y + SIZE / 2, SIZE / 2 - 2, fill="none", stroke=_readable(cell.fill)))
    return drawn


def _readable(fill: str) -> str:
    """Return black on light colours, white on dark ones."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 299 * red + 587 * green + 114 * blue > 140_000 else "#FFFFFF"
