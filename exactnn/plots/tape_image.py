"""The tape of a run as a table of small numbers, a row for each step and a column for each cell."""

from dataclasses import dataclass
from math import nan

from exactnn.automata import LOST, Symbol
from exactnn.precision import SpaceTime, TapeRow, TapeRows

__all__ = ["TapeImage", "tape_image"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeImage:
    """Cells as numbers of the machine's tape symbols; one more for what is lost.

    `heads` are the cells under the head; NaN where that is not in the picture, or lost together with the state.
    """

    cells: list[list[int]]
    heads: list[float]


def tape_image(found: SpaceTime, run: TapeRows, window: tuple[int, int]) -> TapeImage:
    """Return the cells of a run from the first to the last one of `window`.

    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> from exactnn.precision import space_time
    >>> tapes = space_time(siegelmann_sontag(load("bb3")), "", [FLOAT16])
    >>> tape_image(tapes, tapes.exact, (-1, 2)).cells[:4]
    [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]
    """
    numbers: dict[Symbol, int] = {symbol: i for i, symbol in enumerate(found.machine.tape_symbols)}
    numbers[LOST] = len(numbers)
    blank = numbers[found.machine.blank_symbol]
    return TapeImage(
        cells=[_cells(row, numbers, blank, window) for row in run.rows],
        heads=[_head(row, window) for row in run.rows],
    )


def _cells(row: TapeRow, numbers: dict[Symbol, int], blank: int, window: tuple[int, int]) -> list[int]:
    first, last = window
    found = row.configuration
    cells = [_beyond(found.left, numbers, blank)] * (last - first + 1)
    for cell in range(max(first, row.head), last + 1):
        cells[cell - first] = _beyond(found.right, numbers, blank)
    for offset, symbol in enumerate((found.scanned, *found.right)):
        if first <= row.head + offset <= last:
            cells[row.head + offset - first] = numbers[symbol]
    for offset, symbol in enumerate(found.left, start=1):
        if first <= row.head - offset <= last:
            cells[row.head - offset - first] = numbers[symbol]
    return cells


def _head(row: TapeRow, window: tuple[int, int]) -> float:
    return float(row.head) if window[0] <= row.head <= window[1] and row.configuration.state is not LOST else nan


def _beyond(side: tuple[Symbol, ...], numbers: dict[Symbol, int], blank: int) -> int:
    """Return what is beyond the cells of a side: blank, but lost where the last of them is."""
    return numbers[LOST] if side and side[-1] is LOST else blank
