"""The image of a tape, cell by cell, for every place of the head and of the window."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactnn.automata import LOST, TapeConfiguration
from exactnn.errors import OptionError
from exactnn.plots import tape_image as module
from exactnn.plots.tape_image import tape_image
from exactnn.precision import TapeRow

MACHINE = SimpleNamespace(tape_symbols=("a", "b", "_"), blank_symbol="_")
SIDES = st.tuples(st.lists(st.sampled_from("ab_"), max_size=6), st.booleans()).map(
    lambda drawn: (*drawn[0], LOST) if drawn[1] else tuple(drawn[0])
)


@dataclass(frozen=True)
class Run:
    rows: tuple[TapeRow, ...]


def expected(row, cell):
    """Return the number that stands for a cell, looked up one by one."""
    found = row.configuration
    if cell == row.head:
        symbol = found.scanned
    else:
        side = found.right if cell > row.head else found.left
        depth = abs(cell - row.head)
        beyond = LOST if side and side[-1] is LOST else "_"
        symbol = side[depth - 1] if depth <= len(side) else beyond
    return 3 if symbol is LOST else MACHINE.tape_symbols.index(symbol)


@given(SIDES, SIDES, st.sampled_from(("a", "b", "_", LOST)), st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 9))
def test_every_cell_is_the_one_of_the_configuration(left, right, scanned, head, first, more):
    row = TapeRow(
        step=0, head=head, configuration=TapeConfiguration(state="q", left=left, scanned=scanned, right=right)
    )
    found = tape_image(SimpleNamespace(machine=MACHINE), Run((row,)), (first, first + more))
    assert found.cells[0].tolist() == [expected(row, cell) for cell in range(first, first + more + 1)]
    assert (found.heads[0] == head) is (first <= head <= first + more)


def test_a_tape_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 5)
    row = TapeRow(step=0, head=0, configuration=TapeConfiguration(state="q", left=(), scanned="a", right=()))
    with pytest.raises(OptionError, match="6 cells over 1 rows"):
        tape_image(SimpleNamespace(machine=MACHINE), Run((row,)), (0, 5))
