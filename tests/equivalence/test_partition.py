"""The partition parts what it is asked to part, and nothing that is equal."""

from math import inf, nan

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

from exactnn.equivalence.learning.learned_automaton import minimal
from exactnn.equivalence.learning.oracles import Partition
from exactnn.outcome import Outcome

FLOATS = st.one_of(st.floats(allow_nan=False), st.sampled_from((inf, -inf, 0.0, -0.0, 1.0)))


def states(numbers):
    return st.integers(1, 4).flatmap(lambda size: st.lists(st.tuples(*[numbers] * size), min_size=2, max_size=8))


@given(st.one_of(states(rationals()), states(FLOATS)), st.integers(1, 4))
def test_states_are_parted_until_they_have_clusters_of_their_own(found, dimensions):
    partition = Partition(first_dimensions=dimensions)
    *agreeing, conflicting = found
    for _ in range(len(found) * 5):
        cluster = partition.leaf(conflicting).cluster
        together = [state for state in agreeing if partition.leaf(state).cluster == cluster]
        size = partition.size
        clean = partition.refine(together, conflicting, found)
        if clean is None:
            assert all(state == conflicting for state in together)
            assert partition.size == size
            return
        assert partition.size > size
        if clean:
            assert partition.leaf(conflicting).cluster != cluster
            assert all(partition.leaf(state).cluster == cluster for state in together)
    pytest.fail("it went on for ever")


def test_the_first_refinement_splits_along_several_dimensions():
    partition = Partition(first_dimensions=2)
    low, high = (mpq(0),) * 3, (mpq(1), mpq(3), mpq(1))
    assert partition.refine([low], high, [low, (mpq(9), mpq(3), mpq(1))])
    assert partition.size == 4
    clusters = {partition.leaf((a, b, c)).cluster for a in (0, 1) for b in (0, 3) for c in (0, 1)}
    assert len(clusters) == 4
    # The gap of the first dimension is a ninth of its range, those of the others all of it.
    assert partition.leaf((mpq(0), mpq(3), mpq(1))).cluster == partition.leaf(high).cluster
    assert partition.refine([low], (mpq(1), mpq(0), mpq(0)), [])
    assert partition.size == 5


def test_the_threshold_is_exact():
    tiny = mpq(1, 10**400)
    partition = Partition(first_dimensions=1)
    assert partition.refine([(mpq(1),)], (1 + tiny,), [])
    assert partition.leaf((1 + tiny / 2,)).cluster == 0
    assert partition.leaf((1 + 2 * tiny / 3,)).cluster == 1


def test_not_a_number_parts_nothing():
    partition = Partition(first_dimensions=1)
    assert partition.refine([(nan, 1.0)], (2.0, 1.0), []) is None
    assert partition.refine([(nan, 1.0)], (2.0, 3.0), [(0.0, nan)])


@pytest.mark.parametrize("word", [(0, 0), (1,), ()])
def test_a_minimal_hypothesis_keeps_the_outcomes(word):
    yes, no = Outcome.ACCEPTED, Outcome.REJECTED
    rows, outcomes = [[1, 2], [2, 0], [1, 0], [3, 3]], [yes, no, no, no]
    hypothesis = minimal(rows, outcomes, 1)
    state = 1
    for symbol in word:
        state = rows[state][symbol]
    assert hypothesis.outcome(word) is outcomes[state]
    assert len(hypothesis) == 2
    assert hypothesis.distinguishing_suffix(0, 1) == ()
