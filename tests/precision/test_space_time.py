"""The tapes are the decoded ones, on the cells on which the machine has them."""

import pytest

import exactnn as xn
from exactnn.automata import LOST
from exactnn.precision import space_time


def cells(row, blank):
    """Return what is written, by cell."""
    tape = dict(enumerate((row.configuration.scanned, *row.configuration.right), start=row.head))
    tape |= {row.head - i: symbol for i, symbol in enumerate(row.configuration.left, start=1)}
    return {cell: symbol for cell, symbol in tape.items() if symbol != blank}


@pytest.mark.mostly_slow(quick=3, slow=2)
@pytest.mark.parametrize("construction", ["siegelmann_sontag", "siegelmann_sontag_book"])
@pytest.mark.parametrize(
    ("machine", "word"), [("bb4", ""), ("bb2x4", ""), ("palindrome", "abaaba"), ("binary-increment", "1011")]
)
def test_a_move_changes_no_cell_but_the_one_under_the_head(machine, word, construction):
    net = xn.compile(xn.load(machine), construction=construction)
    found = space_time(net, word, [xn.FLOAT64], max_steps=300)
    blank = net.machine.blank_symbol
    ready = net.set_up_steps(len(word))
    assert cells(found.exact.rows[ready], blank) == dict(enumerate(word))
    assert found.exact.rows[ready].head == 0
    for before, after in zip(found.exact.rows[ready:], found.exact.rows[ready + 1 :], strict=False):
        changed = set(cells(before, blank).items()) ^ set(cells(after, blank).items())
        assert {cell for cell, _ in changed} <= {before.head}
        assert abs(after.head - before.head) <= 1


def test_the_rows_are_the_decoded_states_and_the_first_wrong_one_is_there():
    net = xn.compile(xn.load("bb4"))
    found = space_time(net, "", [xn.FLOAT16])
    run = xn.run(net, "", arithmetic=xn.RATIONAL, record="all")
    assert [row.configuration for row in found.exact.rows] == [net.decode(state) for state in run.trace]
    (tapes,) = found.computed
    wrong = tapes.divergence.configuration
    assert tapes.divergence == xn.first_divergence(net, "", xn.FLOAT16)
    for row, true in zip(tapes.rows, found.exact.rows, strict=True):
        if row.step < wrong.step:
            assert (row.head, row.configuration) == (true.head, true.configuration)
    row, true = tapes.rows[wrong.step], found.exact.rows[wrong.step]
    different = {cell for cell, _ in set(cells(row, "0").items()) ^ set(cells(true, "0").items())}
    assert tapes.wrong_cell in different
    assert abs(tapes.wrong_cell - row.head) == wrong.depth == min(abs(cell - row.head) for cell in different)


@pytest.mark.parametrize("rows", [1, 7, 50, 107, 108, 1000])
def test_few_rows_do_not_miss_the_first_wrong_step(rows):
    net = xn.compile(xn.load("bb4"))
    found = space_time(net, "", [xn.FLOAT16], rows=rows)
    steps = [row.step for row in found.exact.rows]
    assert len(steps) <= rows
    assert [row.step for row in found.computed[0].rows] == steps
    assert found.computed[0].divergence.configuration.step in steps
    assert [step // found.stride for step in steps] == list(range(len(steps)))
    assert (found.steps // found.stride) + 1 == len(steps)
    full = {row.step: row for row in space_time(net, "", [xn.FLOAT16]).exact.rows}
    assert all(full[row.step] == row for row in found.exact.rows)


def test_what_has_no_tape_is_refused():
    parity = xn.compile(xn.load("parity"))
    for network in (parity, parity.network):
        with pytest.raises(xn.ExactnnError, match="no tape"):
            space_time(network, "01")
    net = xn.compile(xn.load("bb2"))
    with pytest.raises(xn.ExactnnError, match="at least one format"):
        space_time(net, "", [])
    for rows in (0, True, 2.5):
        with pytest.raises(xn.ExactnnError, match="rows="):
            space_time(net, "", rows=rows)


@pytest.mark.parametrize(
    ("machine", "construction", "word"),
    [
        ("mirror-stacks", "layered_stacks", "abab#baba"),
        ("mirror-stacks", "merged_stacks", "ab#bb"),
        ("anbn-stacks", "real_time_stacks", "aaabbb"),
    ],
)
def test_stacks_stand_beside_each_other(machine, construction, word):
    net = xn.compile(xn.load(machine), construction=construction)
    found = space_time(net, word, ["float16", "float8_e4m3"])
    run = xn.run(net, word, arithmetic=xn.RATIONAL, record="all")
    assert [row.configuration for row in found.exact.rows] == [net.decode(state) for state in run.trace]
    assert (found.outcome, found.steps) == (run.outcome, run.steps)
    assert {row.bottoms for tapes in (found.exact, *found.computed) for row in tapes.rows} == {found.layout.ends}
    width = max(row.span[1] for tapes in (found.exact, *found.computed) for row in tapes.rows) + 1
    for row in found.exact.rows:
        cells = row.cells(range(width), "")
        for stack, bottom in zip(row.configuration.stacks, row.bottoms, strict=True):
            assert cells[bottom : bottom + len(stack) + 1] == [*reversed(stack), ""][: width - bottom]
        assert sum(map(len, row.configuration.stacks)) == sum(map(bool, cells))
        assert not any(cells[gap] for gap in found.layout.gaps)
    assert all(row.cells(range(width), "")[gap] == "" for gap in found.layout.gaps for row in found.computed[0].rows)
    for tapes in found.computed:
        wrong = tapes.divergence.configuration
        row, true = tapes.rows[wrong.step], found.exact.rows[wrong.step]
        if wrong.depth is not None:
            at = tapes.wrong_cell
            assert row.cells(range(width), "")[at] != true.cells(range(width), "")[at]
        assert all(
            rounded.configuration == exact.configuration
            for rounded, exact in zip(tapes.rows[: wrong.step], found.exact.rows, strict=False)
        )


def test_a_stack_whose_lower_part_is_lost_is_as_high_as_it_should_be():
    found = space_time("mirror-stacks", "ab#ba", ["p6e5"])
    row, true = found.computed[0].rows[4], found.exact.rows[4]
    assert (row.configuration.stacks, true.configuration.stacks) == ((("a", "b", LOST), ()), (("a", "b", "#", "b"), ()))
    assert (row.heads, row.heights) == (true.heads, true.heights)
    assert row.cells(range(5), "") == [LOST, LOST, "b", "a", ""]


def test_two_first_wrong_steps_in_one_row_do_not_move_each_others_cells():
    net = xn.compile(xn.load("bb4"))
    formats = [xn.FLOAT16, xn.BFLOAT16]
    full, few = space_time(net, "", formats), space_time(net, "", formats, rows=1)
    assert [run.wrong_cell for run in few.computed] == [run.wrong_cell for run in full.computed]
