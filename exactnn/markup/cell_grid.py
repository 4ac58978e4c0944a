"""Rows of coloured cells, such as a tape after each step; what a cell holds is shown when the pointer is over it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exactnn.markup.shapes import INK, circle, diagonals, letter, picture, rectangle, squares, text

__all__ = ["Cell", "cell_grid"]

SIZE = 14.0
MARGIN = 46.0
"""Room for the numbers of the rows."""
HEAD = 22.0
GAP = 24.0
DIGIT, LETTER = 6.6, 6.7
"""How wide a digit of a row's number and a letter of a heading are, at most about."""
LONGEST_HEADING = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: its colour, a letter in it, a mark (the head), whether it is ringed or hatched, what is told of it."""

    fill: str
    letter: str = ""
    marked: bool = False
    ringed: bool = False
    hatched: bool = False
    hover: str = ""


def cell_grid(
    panels: Sequence[tuple[str, Mapping[int, Mapping[int, Cell]]]],
    rows: Sequence[int],
    columns: range,
    *,
    title: str,
    ring: str = "#D55E00",
    where: Callable[[int, int, int], str] | None = None,
    legend: Sequence[tuple[Cell, str]] = (),
) -> str:
    """Return grids beside each other, with the same rows and columns; equal cells in a row are one shape.

    Parameters
    ----------
    panels : sequence of (heading, row -> column -> Cell)
    rows : sequence of int
        The numbers of the rows, from the top.
    columns : range
    title : str
    ring : str
        Colour of the ring.
    where : callable, optional
        From a row, a first and a last column to what is told there before what the cells tell.
    legend : sequence of (Cell, str)
        Cells that are explained below the grids, a line for each.

    Examples
    --------
    >>> head, blank = Cell(fill="#ffffff", letter="a", marked=True), Cell(fill="#ffffff")
    >>> drawn = cell_grid([("exact", {0: {0: head, 1: blank, 2: blank}})], [0], range(3), title="a")
    >>> drawn.count("<path"), drawn.count("<circle")
    (2, 1)
    """
    margin = max(MARGIN, 12 + DIGIT * max((len(str(row)) for row in rows), default=0))
    left = margin
    parts: list[str] = []
    for heading, cells in panels:
        width = len(columns) * SIZE
        room = max(width, LETTER * min(len(heading), LONGEST_HEADING))
        middle = width >= room
        anchor = "middle" if middle else "start"
        parts.append(text(left + width / 2 if middle else left, 14, heading, anchor=anchor, most=LONGEST_HEADING))
        parts += _panel(cells, rows, columns, left, ring, where)
        left += room + GAP
    step = max(1, len(rows) // 20)
    for place in range(0, len(rows), step):
        parts.append(text(margin - 6, HEAD + place * SIZE + 11, rows[place], size=11, anchor="end"))
    bottom = HEAD + len(rows) * SIZE + 8
    for cell, meaning in legend:
        parts += _panel({0: {0: cell}}, [0], range(1), margin, ring, None, top=bottom)
        parts.append(text(margin + SIZE + 6, bottom + 11, meaning, size=11, anchor="start", most=LONGEST_HEADING))
        bottom += SIZE + 6
    return picture(max(left - GAP + 10, 160), bottom, parts, title=title)


def _panel(
    cells: Mapping[int, Mapping[int, Cell]],
    rows: Sequence[int],
    columns: range,
    left: float,
    ring: str,
    where: Callable[[int, int, int], str] | None,
    top: float = HEAD,
) -> Iterator[str]:
    """Yield the shapes of a grid: what fills the cells, then their letters, then marks and rings, which lie on top."""
    letters: dict[str, list[str]] = {}
    marks: list[str] = []
    yield '<g stroke="#cccccc">'
    for place, row in enumerate(rows):
        y = top + place * SIZE
        for first, last, cell in _runs(cells.get(row, {}), columns):
            x = left + (first - columns[0]) * SIZE
            count = last - first + 1
            told = where(row, first, last) + cell.hover if where is not None else cell.hover
            yield squares(x, y, SIZE, count, fill=cell.fill, hover=told or None)
            if cell.letter:
                same = letters.setdefault(_readable(cell.fill), [])
                same += [letter(x + (i + 0.5) * SIZE, y + 11, cell.letter[:1]) for i in range(count)]
            if cell.hatched:
                marks.append(diagonals(x, y, SIZE, count))
            if cell.ringed:
                marks.append(rectangle(x + 0.5, y + 0.5, SIZE - 1, SIZE - 1, fill="none", stroke=ring, width=2))
            if cell.marked:
                middle = x + SIZE / 2, y + SIZE / 2
                marks.append(circle(*middle, SIZE / 2 - 2, fill="none", stroke=_readable(cell.fill)))
    for fill, drawn in letters.items():
        yield f'</g><g font-size="11" text-anchor="middle" pointer-events="none" fill="{fill}">'
        yield from drawn
    yield '</g><g pointer-events="none">'
    yield from marks
    yield "</g>"


def _runs(cells: Mapping[int, Cell], columns: range) -> Iterator[tuple[int, int, Cell]]:
    """Yield the first and the last column of each run of equal cells without marks, and other cells by themselves."""
    found: list[tuple[int, int, Cell]] = []
    for column in columns:
        cell = cells.get(column)
        if cell is None:
            continue
        if found and found[-1][1] == column - 1 and found[-1][2] == cell and not (cell.marked or cell.ringed):
            found[-1] = found[-1][0], column, cell
        else:
            found.append((column, column, cell))
    yield from found


def _readable(fill: str) -> str:
    """Return black on light colours, white on dark ones."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 299 * red + 587 * green + 114 * blue > 140_000 else "#FFFFFF"
