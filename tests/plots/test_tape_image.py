"""The image of a tape, cell by cell, for every place of the head and of the window."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.automata import LOST, StackConfiguration, TapeConfiguration
from exactnn.errors import OptionError
from exactnn.plots import space_time_plot as module
from exactnn.plots.space_time_plot import tape_image
from exactnn.precision import CellLayout, StackRow, TapeRow

LAYOUT = CellLayout(symbols=("a", "b", "_"), blank="_", ends=())
SIDES = st.tuples(st.lists(st.sampled_from("ab_"), max_size=6), st.booleans()).map(
    lambda drawn: (*drawn[0], LOST) if drawn[1] else tuple(drawn[0])
)


@dataclass(frozen=True)
class Run:
    rows: tuple[TapeRow, ...]


def expected(row, cell):
    """Return the number that stands for a cell, looked up one by one; with its state, what looks blank is lost."""
    found = row.configuration
    nothing = LOST if found.state is LOST else "_"
    if cell == row.head:
        symbol = found.scanned
    else:
        side = found.right if cell > row.head else found.left
        depth = abs(cell - row.head)
        beyond = LOST if side and side[-1] is LOST else nothing
        symbol = side[depth - 1] if depth <= len(side) else beyond
    symbol = nothing if symbol == "_" else symbol
    return 3 if symbol is LOST else LAYOUT.symbols.index(symbol)


@st.composite
def rows(draw):
    configuration = TapeConfiguration(
        state=draw(st.sampled_from(("q", LOST))),
        left=draw(SIDES),
        scanned=draw(st.sampled_from(("a", "b", "_", LOST))),
        right=draw(SIDES),
    )
    return TapeRow(step=0, head=draw(st.integers(-9, 9)), configuration=configuration)


@given(st.lists(rows(), min_size=1, max_size=3), st.integers(-9, 9), st.integers(0, 9))
def test_every_cell_is_the_one_of_the_configuration(drawn, first, more):
    window = range(first, first + more + 1)
    found = tape_image(SimpleNamespace(layout=LAYOUT), Run(tuple(drawn)), (first, first + more))
    assert found.cells.tolist() == [[expected(row, cell) for cell in window] for row in drawn]
    for row, (head,) in zip(drawn, found.heads, strict=True):
        assert bool(head == row.head) is (row.head in window and row.configuration.state is not LOST)
    lost = [(i, cell) for i, start, end in found.lost_runs() for cell in range(first + start, first + end)]
    assert lost == [(i, cell) for i, row in enumerate(drawn) for cell in window if expected(row, cell) == 3]


def test_a_tape_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 5)
    row = TapeRow(step=0, head=0, configuration=TapeConfiguration(state="q", left=(), scanned="a", right=()))
    with pytest.raises(OptionError, match="6 cells over 1 rows"):
        tape_image(SimpleNamespace(layout=LAYOUT), Run((row,)), (0, 5))


STACKS = st.lists(st.lists(st.sampled_from("ab"), max_size=4), min_size=3, max_size=3)


@given(STACKS, st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=3, max_size=3))
def test_every_cell_of_stacks_is_that_of_its_depth(stacks, lower):
    """A stack whose lower part is lost is lost from there down to its bottom; between stacks there is nothing."""
    read = [(*stack, *[LOST] * lost) for stack, (lost, _) in zip(stacks, lower, strict=True)]
    heights = [len(stack) + lost * more for stack, (lost, more) in zip(read, lower, strict=True)]
    bottoms = (0, 9, 20)
    configuration = StackConfiguration(state="q", stacks=tuple(read))
    row = StackRow(step=0, configuration=configuration, bottoms=bottoms, heights=tuple(heights))
    layout = CellLayout(symbols=("", "a", "b"), blank="", ends=bottoms, stacks=True)
    found = tape_image(SimpleNamespace(layout=layout), Run((row,)), (0, 29))
    expected = [0] * 30
    for bottom, stack, height in zip(bottoms, read, heights, strict=True):
        for cell in range(height):
            depth = height - 1 - cell
            symbol = stack[depth] if depth < len(stack) else LOST
            expected[bottom + cell] = 3 if symbol is LOST else layout.symbols.index(symbol)
    assert found.cells.tolist() == [expected]
    tops = [bottom + height - 1 if height else None for bottom, height in zip(bottoms, heights, strict=True)]
    assert [None if head != head else int(head) for head in found.heads[0]] == tops
    assert row.span == (0, max(bottom + max(0, height - 1) for bottom, height in zip(bottoms, heights, strict=True)))
    assert row.has_lost == any(lost for lost, _ in lower)
