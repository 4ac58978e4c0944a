"""The decoded tape of one run after each step; and tapes side by side as SVG, for notebooks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from exactnn.arithmetic import Arithmetic
from exactnn.automata import LOST, Symbol, TapeConfiguration, TuringMachine
from exactnn.markup import Cell, cell_grid
from exactnn.precision.divergence import Divergence

__all__ = ["TapeRow", "TapeRows", "space_time_picture"]

MOST_ROWS = 120
MOST_CELLS = 60
LOST_CELL = Cell(fill="#d9d9d9", hatched=True, hover="cannot be read")
LEGEND = ((LOST_CELL, LOST_CELL.hover),)
COLOURS = ("#0072b2", "#f0e442", "#d55e00", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#332288")
"""Those of Okabe and Ito, which the colour-blind tell apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRow:
    """The decoded configuration after a step; `head` is the cell under the head, where the word begins with cell 0."""

    step: int
    head: int
    configuration: TapeConfiguration

    @property
    def has_lost(self) -> bool:
        """Whether the state or a cell cannot be read."""
        return LOST in (self.configuration.state, *self.configuration.tape)

    def readable(self, blank: Symbol) -> TapeConfiguration:
        """Return the configuration as far as it can be read: where its state is lost, blanks are lost with it.

        Zeros decode to blanks, so that a network state that stands for nothing looks like an empty tape.

        >>> rounded = TapeConfiguration(state=LOST, left=("_", "a"), scanned="_", right=())
        >>> print(TapeRow(step=3, head=2, configuration=rounded).readable("_"))
        ?: ? a ? [?] ?
        """
        found = self.configuration
        if found.state is not LOST:
            return found
        left, right = ([LOST if cell == blank else cell for cell in side] for side in (found.left, found.right))
        return TapeConfiguration(
            state=LOST,
            left=(*left, LOST),
            scanned=LOST if found.scanned == blank else found.scanned,
            right=(*right, LOST),
        )

    def cells(self, columns: range, blank: Symbol) -> list[Symbol]:
        """Return what cells hold; where a side of the tape ends lost, it is lost from there on.

        >>> rounded = TapeConfiguration(state="q", left=("a",), scanned="b", right=("a", LOST))
        >>> TapeRow(step=3, head=0, configuration=rounded).cells(range(-2, 5), "_")
        ['_', 'a', 'b', 'a', '?', '?', '?']
        """
        found = self.readable(blank)
        held = dict(enumerate((found.scanned, *found.right), start=self.head))
        held |= {self.head - depth: symbol for depth, symbol in enumerate(found.left, start=1)}
        before, after = (LOST if side[-1:] == (LOST,) else blank for side in (found.left, found.right))
        return [held.get(cell, before if cell < self.head else after) for cell in columns]


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRows:
    """The tape of one run.

    Parameters
    ----------
    arithmetic : Arithmetic
    rows : tuple of TapeRow
        Those of a rounded run are decoded a little beyond the exact tape.
    divergence : Divergence or None
        Where it leaves the exact run; None for that one. What is decoded after a verdict stands for nothing.
    wrong_cell : int or None
        The wrong cell that is nearest to the head in the first wrong configuration; the head's own cell if only the
        state is wrong.
    """

    arithmetic: Arithmetic
    rows: tuple[TapeRow, ...]
    divergence: Divergence | None = None
    wrong_cell: int | None = None


def space_time_picture(name: str, machine: TuringMachine, runs: Sequence[TapeRows]) -> str:
    """Return tapes beside each other, the exact one first, at most 120 rows of 60 cells.

    The first wrong cell of each has a red ring. Cells that cannot be read are hatched.
    """
    rows = [row.step for row in runs[0].rows[:MOST_ROWS]]
    kept = set(rows)
    wrong = [run.wrong_cell for run in runs if run.wrong_cell is not None]
    shown = [row for row in runs[0].rows if row.step in kept]
    first = min([row.head - len(row.configuration.left) for row in shown] + wrong)
    last = max([row.head + len(row.configuration.right) for row in shown] + wrong)
    middle = wrong[0] if wrong else shown[0].head
    columns = range(max(first, middle - MOST_CELLS // 2), min(last, middle + MOST_CELLS // 2) + 1)
    panels = [(_heading(run), {row.step: _cells(machine, run, row, columns) for row in run.rows}) for run in runs]
    any_lost = any(row.has_lost for run in runs for row in run.rows[: len(rows)])
    title = f"tapes of {name}, step by step"
    return cell_grid(panels, rows, columns, title=title, where=_where, legend=LEGEND if any_lost else ())


def _where(step: int, first: int, last: int) -> str:
    return f"step {step}, {f'cell {first}' if first == last else f'cells {first} to {last}'}: "


def _heading(run: TapeRows) -> str:
    return "exact" if run.divergence is None else str(run.arithmetic)


def _cells(machine: TuringMachine, run: TapeRows, row: TapeRow, columns: range) -> Mapping[int, Cell]:
    wrong = None if run.divergence is None else run.divergence.configuration
    return {
        column: _cell(
            machine, symbol, row, column,
            ringed=wrong is not None and wrong.step == row.step and column == run.wrong_cell,
        )
        for column, symbol in zip(columns, row.cells(columns, machine.blank_symbol), strict=True)
    }  # fmt: skip


def _cell(machine: TuringMachine, symbol: Symbol, row: TapeRow, column: int, *, ringed: bool) -> Cell:
    state = row.configuration.state
    marked = column == row.head and state is not LOST
    if symbol is LOST:
        return replace(LOST_CELL, marked=marked, ringed=ringed)
    told = f"{symbol}, state {state}" if marked else str(symbol)
    blank = symbol == machine.blank_symbol
    return Cell(
        fill=_fill(machine, symbol), letter="" if blank else str(symbol), marked=marked, ringed=ringed, hover=told
    )


def _fill(machine: TuringMachine, symbol: Symbol) -> str:
    if symbol == machine.blank_symbol:
        return "#ffffff"
    others = [a for a in machine.tape_symbols if a != machine.blank_symbol]
    return COLOURS[others.index(symbol) % len(COLOURS)]
