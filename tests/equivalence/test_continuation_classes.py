"""Classes by continuations: against the labels after all short continuations, and Moore's refinement to its end."""

from itertools import product

import numpy as np
import pytest

from exactnn.equivalence.state_levels import continuation_classes
from tests.equivalence.plain_automata import moore_classes, random_table, reachable


def partition(classes):
    """Return classes as the set of their sets of states."""
    return {frozenset(np.flatnonzero(classes == number).tolist()) for number in set(classes.tolist())}


def said(table, state, length):
    """Return the labels after all continuations of up to so many symbols."""
    found = []
    for n in range(length + 1):
        for word in product(range(len(table.symbols)), repeat=n):
            target = state
            for symbol in word:
                target = table.transitions[target, symbol]
            found.append(int(table.labels[target]))
    return tuple(found)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_two_states_are_in_a_class_if_no_continuation_tells_them_apart(seed, rounds):
    table = random_table(seed, 2 + seed // 3, labels=1 + seed % 3)
    classes = continuation_classes(table.labels, table.transitions, [table.states] * (rounds + 1))
    rows = [said(table, state, rounds) for state in range(table.states)]
    assert partition(classes) == partition(np.unique(rows, axis=0, return_inverse=True)[1])


@pytest.mark.parametrize("seed", range(40))
def test_many_rounds_give_the_equivalent_states(seed):
    table = random_table(seed, 1 + seed, labels=2)
    classes = continuation_classes(table.labels, table.transitions, [table.states] * (table.states + 1))
    states = reachable(table)
    oracle = moore_classes(table)
    assert partition(classes[states]) == partition(np.array([oracle[q] for q in states]))


def test_a_round_of_fewer_states_is_not_the_last_one_though_it_splits_nothing():
    chain = np.array([[1], [2], [3]])
    assert partition(continuation_classes(np.array([0, 0, 0, 1]), chain, [4, 3, 2])) == {frozenset({0}), frozenset({1})}


def test_only_so_many_states_are_needed_in_each_round():
    """A tree of words: those of one symbol less are told apart by one symbol more."""
    labels = np.arange(15) % 2
    children = np.array([[2 * q + 1, 2 * q + 2] for q in range(7)])
    assert partition(continuation_classes(labels, children, [15, 7, 3])) == {frozenset({0, 2}), frozenset({1})}
    assert continuation_classes(labels, children, [15, 7, 3, 1]).tolist() == [0]
