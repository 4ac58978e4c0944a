"""A distinguishing word tells two automata apart, and no shorter word does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_automata import difference_by_brute_force, random_table, shuffled

from exactnn.equivalence import AutomatonTable, DistinguishingWord, distinguish, minimal_table
from exactnn.errors import OptionError

SEEDS = st.integers(0, 10**9)


def product_distance(first, second):
    """The length of a shortest distinguishing word, breadth first over all pairs without a union-find; or None."""
    pairs = {(first.initial_state, second.initial_state)}
    layer, length = pairs, 0
    columns = [second.symbols.index(a) for a in first.symbols]
    while layer:
        for p, q in layer:
            if first.label_names[first.labels[p]] != second.label_names[second.labels[q]]:
                return length
        following = {
            (int(first.transitions[p, a]), int(second.transitions[q, b]))
            for p, q in layer
            for a, b in enumerate(columns)
        }
        layer = following - pairs
        pairs = pairs | layer
        length += 1
    return None


def check(first, second, found):
    """What a distinguishing word says is so."""
    assert (first.label_after(found.word), second.label_after(found.word)) == found.labels
    assert found.labels[0] != found.labels[1]


@given(SEEDS, SEEDS, st.integers(1, 4), st.integers(1, 4), st.sampled_from(("a", "ab")))
def test_no_shorter_word_differs_by_brute_force(seed, other_seed, states, other_states, symbols):
    first, second = random_table(seed, states, symbols), random_table(other_seed, other_states, symbols)
    found = distinguish(first, second)
    length = difference_by_brute_force(first, second, states + other_states - 1)
    assert (None if found is None else len(found.word)) == length
    if found is not None:
        check(first, second, found)


@given(SEEDS, st.integers(2, 60), st.integers(0, 10**9), st.sampled_from(("a", "ab", "abc")))
def test_the_word_is_shortest_where_one_label_or_transition_differs(seed, states, change, symbols):
    """Automata that are nearly equal have long distinguishing words, and classes with many members on the way."""
    table = random_table(seed, states, symbols)
    other = shuffled(table, seed + 1, copies=2)
    state = change % other.states
    labels, transitions = other.labels.copy(), other.transitions.copy()
    if change % 3:
        labels[state] = 1 - labels[state]
    else:
        transitions[state, 0] = change // other.states % other.states
    changed = AutomatonTable(
        transitions=transitions,
        labels=labels,
        symbols=other.symbols,
        label_names=other.label_names,
        initial_state=other.initial_state,
    )
    for first, second in ((table, changed), (changed, table), (minimal_table(table), changed)):
        found = distinguish(first, second)
        assert (None if found is None else len(found.word)) == product_distance(first, second)
        if found is not None:
            check(first, second, found)


@given(SEEDS, st.integers(1, 60), st.integers(1, 3))
def test_equivalent_tables_are_not_told_apart(seed, states, copies):
    table = random_table(seed, states)
    assert distinguish(table, shuffled(table, seed, copies=copies)) is None
    assert distinguish(table, table) is None


@given(SEEDS, SEEDS, st.integers(1, 12), st.integers(1, 12), st.permutations("abc"))
def test_the_order_of_symbols_does_not_matter(seed, other_seed, states, other_states, order):
    first, second = random_table(seed, states, "abc"), random_table(other_seed, other_states, "abc")
    again = AutomatonTable(
        transitions=second.transitions[:, ["abc".index(a) for a in order]],
        labels=second.labels,
        symbols=order,
        label_names=second.label_names,
        initial_state=second.initial_state,
    )
    assert distinguish(first, again) == distinguish(first, second)


def cycle(states, marked):
    labels = np.zeros(states, dtype=np.int32)
    labels[marked] = 1
    return AutomatonTable(
        transitions=((np.arange(states) + 1) % states)[:, None], labels=labels, symbols="a", label_names=[False, True]
    )


def test_a_word_longer_than_either_automaton():
    """Cycles of 5 and 7 without and with a mark in common: by the theorem, at most 5 + 7 - 2 symbols are needed."""
    found = distinguish(cycle(5, []), cycle(7, [6]))
    assert found == DistinguishingWord(word=("a",) * 6, labels=(False, True))
    everywhere = cycle(5, range(5))
    assert len(distinguish(everywhere, cycle(7, range(6))).word) == 6


def test_a_witness_of_a_hundred_thousand_symbols():
    found = distinguish(cycle(100_000, [99_999]), cycle(100_003, [100_002]))
    assert (len(found.word), found.labels) == (99_999, (True, False))


def test_pairs_by_the_billion_are_not_followed():
    """Two equivalent cycles of coprime lengths have 10^10 pairs; in classes, they are few."""
    assert distinguish(cycle(99_991, range(99_991)), cycle(100_003, range(100_003))) is None


def test_automata_that_differ_at_once():
    one, other = cycle(1, []), cycle(1, [0])
    assert distinguish(one, other) == DistinguishingWord(word=(), labels=(False, True))


def test_labels_are_compared_by_name():
    table = AutomatonTable(transitions=[[1], [0]], labels=[0, 1], symbols="a", label_names="xy")
    renamed = AutomatonTable(transitions=[[1], [0]], labels=[1, 0], symbols="a", label_names="yx")
    unlike = AutomatonTable(transitions=[[1], [0]], labels=[0, 1], symbols="a", label_names="xz")
    assert distinguish(table, renamed) is None
    assert distinguish(table, unlike) == DistinguishingWord(word=("a",), labels=("y", "z"))


@pytest.mark.parametrize(
    ("symbols", "fault"),
    [
        ("ac", "symbol 'b' is of the first automaton only"),
        ("abc", "symbol 'c' is of the second automaton only"),
        ("", "symbol 'a' is of the first automaton only"),
    ],
)
def test_other_symbols_are_refused(symbols, fault):
    with pytest.raises(OptionError, match=fault):
        distinguish(random_table(0, 3, "ab"), random_table(0, 3, symbols))
