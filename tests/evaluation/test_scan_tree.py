"""Composites of scans: each is the product of its letters exactly, and the states are those of runs in that order."""

from functools import reduce

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.evaluation import affine_steps, run_in_order

ORDERS = [xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(1), xn.chunkwise(4)]
FORMATS = [xn.FLOAT8_E5M2, xn.BFLOAT16, xn.FixedPoint(integer_bits=6, fraction_bits=3), xn.EXACT]
MIXES = xn.LinearRecurrence(
    A=[[["1/2", 1], [0, "1/3"]], [["1/3", 0], ["-1/2", 1]]], V=[[1, 0], [0, 1]], s=[1, 2], readout_weight=[1, 1]
)
LETTERS = [[1, 0], [0, 1], [1, 1], [0, 1], [1, 0], [1, 0], [0, 1]]


def composed(late, early):
    """Return the composite of two affine maps, entry by entry."""
    (second, shift), (first, start) = late, early
    size = range(len(shift))
    matrix = tuple(tuple(sum((second[i][k] * first[k][j] for k in size), mpq(0)) for j in size) for i in size)
    return matrix, tuple(shift[i] + sum((second[i][k] * start[k] for k in size), mpq(0)) for i in size)


def letters_of(word):
    return [
        (tuple(tuple(row.get(j, mpq(0)) for j in range(len(vector))) for row in rows), vector)
        for rows, vector in affine_steps(MIXES, word)
    ]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
@pytest.mark.parametrize("length", [0, 1, 2, 5, 7])
def test_a_node_is_the_composite_of_its_letters(order, length):
    word = LETTERS[:length]
    tree = xn.scan_tree(MIXES, word, order, xn.BFLOAT16)
    steps = letters_of(word)
    for node in tree.nodes:
        covered = steps[node.first : node.last + 1]
        if node.exact is None:
            assert node.last < node.first
        else:
            assert node.exact == reduce(lambda early, late: composed(late, early), covered)
    assert [node.exact for node in tree.nodes if node.round == 0] == steps


@pytest.mark.parametrize("order", ORDERS, ids=repr)
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_states_are_those_of_the_run(order, format):
    tree = xn.scan_tree(MIXES, LETTERS, order, format)
    rounded = run_in_order(MIXES, LETTERS, order, format, record=True).trace.states
    exact = xn.run(MIXES, LETTERS, record="all").trace.states
    assert [state.computed for state in tree.states] == list(rounded)
    assert [state.exact for state in tree.states] == list(exact)
    wrong = [t for t, (a, b) in enumerate(zip(exact, rounded, strict=True)) if a != b]
    assert tree.first_wrong_state == (wrong[0] if wrong else None)
    assert (tree.first_wrong is None) == all(node.exact == node.computed for node in tree.nodes)


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_a_state_is_computed_from_an_earlier_one_by_its_nodes(order):
    tree = xn.scan_tree(MIXES, LETTERS, order, xn.FLOAT16)
    for letters, state in enumerate(tree.states):
        value = tree.states[state.before].exact if letters else state.exact
        for number in state.nodes:
            node = tree.nodes[number]
            if node.exact is not None:
                matrix, vector = node.exact
                value = tuple(
                    b + sum((a * h for a, h in zip(row, value, strict=True)), mpq(0))
                    for row, b in zip(matrix, vector, strict=True)
                )
        assert value == state.exact
        assert state.stage == (tree.states[state.before].stage + 1 if letters else 0)
    stages = {"STEP": 7, "KOGGE_STONE": 1, "BLELLOCH": 1, "chunkwise(1)": 7, "chunkwise(4)": 2}
    assert max(state.stage for state in tree.states) == stages[repr(order)]


def test_words_that_are_too_long_are_refused_before_anything_is_computed():
    with pytest.raises(xn.ExactnnError, match="numbers each: give a shorter word, for at most 2,000,000 numbers"):
        xn.scan_tree(MIXES, [[1, 0]] * 40_000, xn.KOGGE_STONE, xn.FLOAT16)


def test_letters_that_are_too_many_are_not_even_composed(monkeypatch):
    """Nor is an order made for them, nor their steps: of a wide network each takes long."""
    monkeypatch.setattr(type(xn.STEP), "schedule", None)
    monkeypatch.setattr("exactnn.evaluation.ordered.distinct_steps", None)
    with pytest.raises(xn.ExactnnError, match=r"BLELLOCH has at least 400,000 composites"):
        xn.scan_tree(MIXES, [[1, 0]] * 400_000, xn.BLELLOCH, xn.FLOAT16)


def test_it_is_shown_as_a_table():
    tree = xn.scan_tree(MIXES, LETTERS, xn.KOGGE_STONE, xn.FLOAT8_E5M2)
    table = tree.as_table()
    assert [row[:2] for row in table.rows] == [("letters", 7), (1, 6), (2, 5), (3, 3)]
    assert "then 7 states" in table.note
