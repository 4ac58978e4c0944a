"""The minimal automaton: smallest, equivalent, canonical, and found in n log n steps."""

import random

import numpy as np
import pytest
from automata.fa import dfa as automata_lib
from hypothesis import given
from hypothesis import strategies as st
from plain_automata import moore_classes, random_table, reachable, shuffled, words_up_to

from exactnn.equivalence import AutomatonTable, distinguish, minimal_table, state_classes
from exactnn.equivalence.automata import algebra, minimisation
from exactnn.equivalence.automata import table as tables

TABLES = st.builds(
    random_table,
    st.integers(0, 10**9),
    st.integers(1, 12),
    st.sampled_from(("", "a", "ab", "abc")),
    st.integers(1, 3),
)
LARGE_TABLES = st.builds(
    random_table, st.integers(0, 10**9), st.integers(20, 200), st.sampled_from(("a", "ab", "abcd")), st.integers(1, 4)
)


def partition(classes):
    """Blocks of equal class, whatever the classes are called."""
    blocks = {}
    for state, c in classes.items():
        blocks.setdefault(c, set()).add(state)
    return set(map(frozenset, blocks.values()))


@given(st.one_of(TABLES, LARGE_TABLES))
def test_classes_are_those_of_moores_refinement(table):
    classes = state_classes(table)
    plain = moore_classes(table)
    assert {q for q in range(table.states) if classes[q] >= 0} == set(plain)
    assert partition({q: classes[q] for q in plain}) == partition(plain)
    assert minimal_table(table).states == len(set(plain.values()))


@given(TABLES)
def test_the_minimal_table_gives_the_same_labels(table):
    minimal = minimal_table(table)
    for word in words_up_to(table.symbols, 5):
        assert minimal.label_after(word) == table.label_after(word)


@given(st.one_of(TABLES, LARGE_TABLES), st.integers(0, 10**9), st.integers(1, 3))
def test_equivalent_tables_have_equal_minimal_tables(table, seed, copies):
    other = shuffled(table, seed, copies=copies)
    minimal, again = minimal_table(table), minimal_table(other)
    assert minimal == again
    assert hash(minimal) == hash(again)
    assert (minimal.transitions.tobytes(), minimal.labels.tobytes()) == (
        again.transitions.tobytes(),
        again.labels.tobytes(),
    )
    assert minimal_table(minimal) == minimal


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 3), st.integers(1, 3))
def test_minimal_tables_are_equal_only_of_equivalent_automata(seed, other_seed, states, other_states):
    """Small ones, so that both cases come up."""
    first, second = random_table(seed, states, "a"), random_table(other_seed, other_states, "a")
    assert (minimal_table(first) == minimal_table(second)) == (distinguish(first, second) is None)


@given(st.one_of(TABLES, LARGE_TABLES))
def test_states_and_labels_are_numbered_in_breadth_first_order(table):
    minimal = minimal_table(table)
    assert minimal.initial_state == 0
    assert reachable(minimal) == list(range(minimal.states))
    assert list(dict.fromkeys(minimal.labels.tolist())) == list(range(len(minimal.label_names)))
    assert minimal.symbols == table.symbols


@given(st.one_of(TABLES, LARGE_TABLES))
def test_classes_are_the_states_of_the_minimal_table(table):
    minimal, classes = minimal_table(table), state_classes(table)
    for state in reachable(table):
        assert classes[table.transitions[state]].tolist() == minimal.transitions[classes[state]].tolist()
        assert table.label_names[table.labels[state]] == minimal.label_names[minimal.labels[classes[state]]]


@pytest.mark.parametrize("seed", range(40))
def test_as_many_states_as_automata_lib_finds(seed):
    table = random_table(seed, random.Random(seed).choice([3, 10, 50, 200]), "abc"[: 1 + seed % 3])
    other = automata_lib.DFA(
        states=set(range(table.states)),
        input_symbols=set(table.symbols),
        transitions={q: dict(zip(table.symbols, row, strict=True)) for q, row in enumerate(table.transitions.tolist())},
        initial_state=table.initial_state,
        final_states={q for q, label in enumerate(table.labels.tolist()) if label},
    )
    assert minimal_table(table).states == len(other.minify().states)


def chain(states, *, backwards=False, symbols="ab"):
    """States in a row, each leading to the next; only the last is labelled. Moore's refinement takes n rounds."""
    following = np.minimum(np.arange(1, states + 1), states - 1)
    labels = np.zeros(states, dtype=np.int32)
    labels[-1] = 1
    if backwards:
        following = (states - 1 - following)[::-1]
        labels = labels[::-1]
    return AutomatonTable(
        transitions=np.repeat(following[:, None], len(symbols), axis=1),
        labels=labels,
        symbols=symbols,
        label_names=[False, True],
        initial_state=states - 1 if backwards else 0,
    )


@pytest.mark.parametrize("backwards", [False, True])
def test_a_long_chain_is_minimal_whatever_the_order_of_its_states(backwards):
    """Quadratic time would be 10^10 steps."""
    minimal = minimal_table(chain(100_000, backwards=backwards))
    assert minimal == chain(100_000)


def test_a_long_cycle_folds_to_its_period():
    states, period = 120_000, 3
    table = AutomatonTable(
        transitions=((np.arange(states) + 1) % states)[:, None],
        labels=(np.arange(states) % period == 0).astype(np.int32),
        symbols="a",
        label_names=[False, True],
    )
    minimal = minimal_table(table)
    assert minimal.transitions.tolist() == [[1], [2], [0]]
    assert minimal.labels.tolist() == [0, 1, 1]
    assert minimal.label_names == (True, False)


def fibonacci_word(length):
    older, word = "b", "a"
    while len(word) < length:
        older, word = word, word + older
    return word


def test_the_cycle_of_a_fibonacci_word_is_minimal():
    """Hopcroft's algorithm needs n log n steps for such cycles (Castiglione, Restivo and Sciortino, LATA 2008)."""
    word = fibonacci_word(10**5)
    table = AutomatonTable(
        transitions=((np.arange(len(word)) + 1) % len(word))[:, None],
        labels=[int(letter == "b") for letter in word],
        symbols="a",
        label_names="ab",
    )
    assert minimal_table(table).states == len(word)


def test_one_symbol_that_leads_everywhere_to_one_state():
    """A target with 10^5 predecessors, of which each label is a class."""
    states = 10**5
    labels = np.arange(states, dtype=np.int32)
    reach_all = np.stack([np.zeros(states, dtype=np.int32), np.minimum(labels + 1, states - 1)], axis=1)
    table = AutomatonTable(transitions=reach_all, labels=labels % 1000, symbols="ab", label_names=range(1000))
    minimal = minimal_table(table)
    assert minimal.states == states
    assert minimal == table


def test_tables_of_64_bits_give_the_same(monkeypatch):
    """They are for more than 2^31 states, which no test has room for."""
    pairs = [(random_table(seed, 50), random_table(seed + 100, 50)) for seed in range(20)]
    narrow = [(minimal_table(one), state_classes(one).tolist(), distinguish(one, other)) for one, other in pairs]
    monkeypatch.setattr(tables, "INT32_STATES", 0)
    monkeypatch.setattr(minimisation, "INT32_ENTRIES", 0)
    monkeypatch.setattr(algebra, "INT32_STATES", 0)
    pairs = [(random_table(seed, 50), random_table(seed + 100, 50)) for seed in range(20)]
    assert {one.transitions.dtype for one, _ in pairs} == {np.dtype(np.int64)}
    wide = [(minimal_table(one), state_classes(one).tolist(), distinguish(one, other)) for one, other in pairs]
    assert wide == narrow


def test_states_of_one_label_are_one_state():
    table = random_table(7, 500, "ab", labels=1)
    minimal = minimal_table(table)
    assert (minimal.states, minimal.transitions.tolist(), minimal.labels.tolist()) == (1, [[0, 0]], [0])


def test_an_automaton_without_symbols_is_its_initial_state():
    table = AutomatonTable(
        transitions=np.empty((3, 0), dtype=np.int32), labels=[0, 1, 0], symbols="", label_names="xy", initial_state=1
    )
    minimal = minimal_table(table)
    assert (minimal.states, minimal.label_names, minimal.transitions.shape) == (1, ("y",), (1, 0))
    assert state_classes(table).tolist() == [-1, 0, -1]


def test_labels_need_not_all_occur():
    table = AutomatonTable(transitions=[[1], [0]], labels=[7, 2], symbols="a", label_names="abcdefgh")
    assert minimal_table(table).label_names == ("h", "c")
