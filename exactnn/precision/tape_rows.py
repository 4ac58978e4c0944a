"""The decoded tape or stacks of one run after each step; and these side by side as SVG, for notebooks.

Cells have places in a line. On a tape the word begins with cell 0; stacks lie beside each other, their bottoms left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from exactnn.arithmetic import Arithmetic
from exactnn.automata import LOST, StackConfiguration, State, Symbol, TapeConfiguration, configuration_text
from exactnn.markup import Cell, cell_grid
from exactnn.precision.divergence import Divergence

__all__ = ["NO_SYMBOL", "CellLayout", "StackRow", "TapeRow", "TapeRows", "space_time_picture", "used_cells"]

NO_SYMBOL = ""
"""What is beyond the top of a stack."""

MOST_ROWS = 120
MOST_CELLS = 60
LOST_CELL = Cell(fill="#d9d9d9", hatched=True, hover="cannot be read")
LEGEND = ((LOST_CELL, LOST_CELL.hover),)
COLOURS = ("#0072b2", "#f0e442", "#d55e00", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#332288")
"""Those of Okabe and Ito, which the colour-blind tell apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLayout:
    """What cells may hold, and where they end.

    Parameters
    ----------
    symbols : tuple of str
        With `blank` among them.
    blank : str
        What an unused cell holds.
    ends : tuple of int
        The first cell of a semi-infinite tape, or the bottom of each stack; empty for a two-way infinite tape.
    stacks : bool
    """

    symbols: tuple[Symbol, ...]
    blank: Symbol
    ends: tuple[int, ...]
    stacks: bool = False

    @property
    def gaps(self) -> frozenset[int]:
        """The cells between stacks."""
        return frozenset(end - 1 for end in self.ends[1:] if self.stacks)

    @property
    def pointer(self) -> str:
        """What stands on a cell of each line."""
        return "top" if self.stacks else "head"

    def where(self, cell: int) -> str:
        """Return what a cell is called.

        >>> layout = CellLayout(symbols=("", "a"), blank="", ends=(0, 4), stacks=True)
        >>> layout.where(1), layout.where(6)
        ('stack 1, cell 1', 'stack 2, cell 2')
        """
        if not self.stacks:
            return f"cell {cell}"
        stack = max(1, sum(end <= cell for end in self.ends))
        return f"stack {stack}, cell {cell - self.ends[stack - 1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRow:
    """The decoded configuration of a machine with stacks after a step.

    Parameters
    ----------
    step : int
    configuration : StackConfiguration
    bottoms : tuple of int
        The cell of the bottom of each stack.
    heights : tuple of int
        How many cells each stack has; more than can be read where its lower part is lost.
    """

    step: int
    configuration: StackConfiguration
    bottoms: tuple[int, ...]
    heights: tuple[int, ...]

    @property
    def state(self) -> State:
        """The state of the machine."""
        return self.configuration.state

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The cell at the top of each stack; None of an empty one."""
        return tuple(bottom + height - 1 if height else None for bottom, height in self._places)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last cell that is used."""
        return self.bottoms[0], max(bottom + max(height, 1) - 1 for bottom, height in self._places)

    @property
    def has_lost(self) -> bool:
        """Whether the state or a cell cannot be read."""
        return LOST in (self.state, *(symbol for stack in self.configuration.stacks for symbol in stack))

    @property
    def _places(self) -> list[tuple[int, int]]:
        return list(zip(self.bottoms, self.heights, strict=True))

    def text(self, blank: Symbol, reach: int | None = None) -> str:
        """Return the configuration as text, at most `reach` cells of each stack."""
        return configuration_text(self.configuration, reach=reach)

    def cells(self, columns: range, blank: Symbol) -> list[Symbol]:
        """Return what cells hold; where a stack ends lost, it is lost down to its bottom.

        >>> found = StackConfiguration(state="q", stacks=(("a", "b"), ("c", LOST)))
        >>> StackRow(step=3, configuration=found, bottoms=(0, 4), heights=(2, 3)).cells(range(0, 8), "")
        ['b', 'a', '', '', '?', '?', 'c', '']
        """
        held: dict[int, Symbol] = {}
        for stack, (bottom, height) in zip(self.configuration.stacks, self._places, strict=True):
            top = bottom + height - 1
            held |= dict.fromkeys(range(bottom, top + 1 - len(stack)), LOST)
            held |= {top - depth: symbol for depth, symbol in enumerate(stack)}
        return [held.get(cell, blank) for cell in columns]


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRow:
    """The decoded configuration after a step; `head` is the cell under the head, where the word begins with cell 0."""

    step: int
    head: int
    configuration: TapeConfiguration

    @property
    def state(self) -> State:
        """The state of the machine."""
        return self.configuration.state

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The cell under the head."""
        return (self.head,)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last cell that is used."""
        return self.head - len(self.configuration.left), self.head + len(self.configuration.right)

    def text(self, blank: Symbol, reach: int | None = None) -> str:
        """Return the configuration as text, at most `reach` cells on either side of the head."""
        return configuration_text(self.readable(blank), reach=reach)

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
    """The tape of one run, or its stacks.

    Parameters
    ----------
    arithmetic : Arithmetic
    rows : tuple of TapeRow or StackRow
        Those of a rounded run are decoded a little beyond the exact tape.
    divergence : Divergence or None
        Where it leaves the exact run; None for that one. What is decoded after a verdict stands for nothing.
    wrong_cell : int or None
        The wrong cell that is nearest to a head, or to the top of a stack, in the first wrong configuration; the cell
        there if only the state is wrong.
    """

    arithmetic: Arithmetic
    rows: tuple[TapeRow | StackRow, ...]
    divergence: Divergence | None = None
    wrong_cell: int | None = None


def used_cells(layout: CellLayout, runs: Sequence[TapeRows], rows: int | None = None) -> tuple[int, int]:
    """Return the first and the last cell that so many rows use, of the exact tape or of the stacks of all runs."""
    spans = [row.span for run in (runs if layout.stacks else runs[:1]) for row in run.rows[:rows]]
    return min(first for first, _ in spans), max(last for _, last in spans)


def space_time_picture(name: str, layout: CellLayout, runs: Sequence[TapeRows]) -> str:
    """Return tapes or stacks beside each other, the exact one first, at most 120 rows of 60 cells.

    The first wrong cell of each has a red ring. Cells that cannot be read are hatched.
    """
    rows = [row.step for row in runs[0].rows[:MOST_ROWS]]
    wrong = [run.wrong_cell for run in runs if run.wrong_cell is not None]
    first, last = used_cells(layout, runs, len(rows))
    first, last = min([first, *wrong]), max([last, *wrong])
    middle = wrong[0] if wrong else first + MOST_CELLS // 2 if layout.stacks else runs[0].rows[0].heads[0] or 0
    columns = range(max(first, middle - MOST_CELLS // 2), min(last, middle + MOST_CELLS // 2) + 1)
    panels = [(_heading(run), {row.step: _cells(layout, run, row, columns) for row in run.rows}) for run in runs]
    any_lost = any(row.has_lost for run in runs for row in run.rows[: len(rows)])
    title = f"{'stacks' if layout.stacks else 'tapes'} of {name}, step by step"
    where = partial(_where, layout)
    return cell_grid(panels, rows, columns, title=title, where=where, legend=LEGEND if any_lost else ())


def _where(layout: CellLayout, step: int, first: int, last: int) -> str:
    if layout.stacks:
        return f"step {step}, {layout.where(first)}{'' if first == last else f' to {layout.where(last)}'}: "
    return f"step {step}, {f'cell {first}' if first == last else f'cells {first} to {last}'}: "


def _heading(run: TapeRows) -> str:
    return "exact" if run.divergence is None else str(run.arithmetic)


def _cells(layout: CellLayout, run: TapeRows, row: TapeRow | StackRow, columns: range) -> Mapping[int, Cell]:
    wrong = None if run.divergence is None else run.divergence.configuration
    return {
        column: _cell(
            layout, symbol, row, column,
            ringed=wrong is not None and wrong.step == row.step and column == run.wrong_cell,
        )
        for column, symbol in zip(columns, row.cells(columns, layout.blank), strict=True)
        if column not in layout.gaps
    }  # fmt: skip


def _cell(layout: CellLayout, symbol: Symbol, row: TapeRow | StackRow, column: int, *, ringed: bool) -> Cell:
    state = row.state
    marked = column in row.heads and state is not LOST
    if symbol is LOST:
        return replace(LOST_CELL, marked=marked, ringed=ringed)
    told = f"{symbol}, state {state}" if marked else str(symbol)
    blank = symbol == layout.blank
    return Cell(
        fill=_fill(layout, symbol), letter="" if blank else str(symbol), marked=marked, ringed=ringed, hover=told
    )


def _fill(layout: CellLayout, symbol: Symbol) -> str:
    if symbol == layout.blank:
        return "#ffffff"
    others = [a for a in layout.symbols if a != layout.blank]
    return COLOURS[others.index(symbol) % len(COLOURS)]
