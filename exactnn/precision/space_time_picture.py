"""The tapes of a space-time diagram as SVG, for notebooks: what a cell holds is told where the pointer is."""

from collections.abc import Mapping, Sequence

from exactnn.automata import LOST, Symbol, TuringMachine
from exactnn.markup import Cell, cell_grid
from exactnn.precision.tape_rows import TapeRow, TapeRows

__all__ = ["space_time_picture"]

MOST_ROWS = 120
MOST_CELLS = 60
LOST_FILL = "#9a9a9a"
COLOURS = ("#0072b2", "#f0e442", "#d55e00", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#332288")
"""Those of Okabe and Ito, which the colour-blind tell apart."""


def space_time_picture(name: str, machine: TuringMachine, runs: Sequence[TapeRows]) -> str:
    """Return tapes beside each other, the exact one first, at most 120 rows of 60 cells.

    The first wrong cell of each has a red ring.
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
    return cell_grid(panels, rows, columns, title=f"tapes of {name}, step by step", where=_where)


def _where(step: int, first: int, last: int) -> str:
    return f"step {step}, {f'cell {first}' if first == last else f'cells {first} to {last}'}: "


def _heading(run: TapeRows) -> str:
    return "exact" if run.divergence is None else str(run.arithmetic)


def _cells(machine: TuringMachine, run: TapeRows, row: TapeRow, columns: range) -> Mapping[int, Cell]:
    configuration = row.configuration
    symbols: dict[int, Symbol] = {row.head: configuration.scanned}
    symbols |= {row.head + 1 + i: symbol for i, symbol in enumerate(configuration.right)}
    symbols |= {row.head - 1 - i: symbol for i, symbol in enumerate(configuration.left)}
    wrong = None if run.divergence is None else run.divergence.configuration
    return {
        column: _cell(
            machine, symbols.get(column, machine.blank_symbol), row, column,
            ringed=wrong is not None and wrong.step == row.step and column == run.wrong_cell,
        )
        for column in columns
    }  # fmt: skip


def _cell(machine: TuringMachine, symbol: Symbol, row: TapeRow, column: int, *, ringed: bool) -> Cell:
    state = row.configuration.state
    marked = column == row.head and state is not LOST
    told = f"{symbol}, state {state}" if marked else str(symbol)
    blank = symbol == machine.blank_symbol
    return Cell(
        fill=_fill(machine, symbol), letter="" if blank else str(symbol), marked=marked, ringed=ringed, hover=told
    )


def _fill(machine: TuringMachine, symbol: Symbol) -> str:
    if symbol == machine.blank_symbol:
        return "#ffffff"
    others = [a for a in machine.tape_symbols if a != machine.blank_symbol]
    return COLOURS[others.index(symbol) % len(COLOURS)] if symbol in others else LOST_FILL
