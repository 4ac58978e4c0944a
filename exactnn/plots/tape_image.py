"""The tape of a run as a table of small numbers, a row for each step and a column for each cell."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import LOST, Symbol
from exactnn.errors import OptionError
from exactnn.precision import SpaceTime, TapeRow, TapeRows

__all__ = ["TapeImage", "tape_image"]

MOST_CELLS = 10**8


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeImage:
    """Cells as numbers of the machine's tape symbols; one more for what is lost.

    `heads` are the cells under the head; NaN where that is not in the picture, or lost together with the state.
    """

    cells: NDArray[np.uint16]
    heads: list[float]


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
    numbers: dict[Symbol, int] = {symbol: i for i, symbol in enumerate(found.machine.tape_symbols)}
    numbers[LOST] = len(numbers)
    width = window[1] - window[0] + 1
    if len(run.rows) * width > MOST_CELLS:
        raise OptionError(f"a tape of {width:,} cells over {len(run.rows):,} rows is too large: ask for fewer rows")
    cells = np.full((len(run.rows), width), numbers[found.machine.blank_symbol], dtype=np.uint16)
    for row, line in zip(run.rows, cells, strict=True):
        _fill(line, row, numbers, window)
    return TapeImage(cells=cells, heads=[_head(row, window) for row in run.rows])


def _fill(line: NDArray[np.uint16], row: TapeRow, numbers: dict[Symbol, int], window: tuple[int, int]) -> None:
    """Write the symbols of a row into its line, which is blank; where a side ends lost, it is lost from there on."""
    first, last = window
    found = row.configuration
    _write(line, [numbers[symbol] for symbol in (found.scanned, *found.right)], row.head - first)
    _write(line[::-1], [numbers[symbol] for symbol in found.left], last - row.head + 1)
    if found.right and found.right[-1] is LOST:
        line[max(0, row.head + len(found.right) - first) :] = numbers[LOST]
    if found.left and found.left[-1] is LOST:
        line[: max(0, row.head - len(found.left) - first + 1)] = numbers[LOST]


def _write(line: NDArray[np.uint16], symbols: list[int], place: int) -> None:
    """Write symbols into a line from `place` on, as far as they are in it."""
    shown = symbols[max(0, -place) :][: max(0, len(line) - max(0, place))]
    line[max(0, place) : max(0, place) + len(shown)] = shown


def _head(row: TapeRow, window: tuple[int, int]) -> float:
    return float(row.head) if window[0] <= row.head <= window[1] and row.configuration.state is not LOST else nan
