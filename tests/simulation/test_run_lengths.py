"""RunLengths is a sequence that may be longer than memory: it behaves as a list does, and beyond."""

import sys
from itertools import islice

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.simulation import RunLengths
from exactnn.simulation.result import GrowingRunLengths

RUNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=8)
HUGE = 10**30


def lengths(runs):
    growing = GrowingRunLengths()
    for value, repetitions in runs:
        growing.append(value, repetitions)
    sequence = growing.finished()
    assert sequence == growing == RunLengths(runs)
    return sequence


def plain(runs):
    return [value for value, repetitions in runs for _ in range(repetitions)]


@given(RUNS)
def test_it_has_the_entries_of_a_list(runs):
    sequence, entries = lengths(runs), plain(runs)
    assert list(sequence) == entries
    assert (len(sequence), sequence.count, bool(sequence)) == (len(entries), len(entries), bool(entries))
    assert list(reversed(sequence)) == entries[::-1]
    assert [value in sequence for value in range(5)] == [value in entries for value in range(5)]


@given(RUNS)
def test_every_index(runs):
    sequence, entries = lengths(runs), plain(runs)
    for i in range(-len(entries), len(entries)):
        assert sequence[i] == entries[i]
    for i in (len(entries), -len(entries) - 1, HUGE, -HUGE):
        with pytest.raises(IndexError):
            sequence[i]


BOUNDS = st.none() | st.integers(-12, 12)


@given(RUNS, BOUNDS, BOUNDS, st.none() | st.integers(-3, 3).filter(bool))
def test_every_slice(runs, start, stop, step):
    assert lengths(runs)[start:stop:step] == plain(runs)[start:stop:step]


@given(RUNS, RUNS)
def test_equality_is_that_of_the_entries(first, second):
    assert (lengths(first) == lengths(second)) == (plain(first) == plain(second))
    assert (lengths(first) == plain(second)) == (plain(first) == plain(second))
    assert (lengths(first) == tuple(plain(second))) == (plain(first) == plain(second))
    assert lengths(first) != "entries"


@given(RUNS)
def test_runs_are_as_long_as_can_be(runs):
    sequence = lengths(runs)
    assert [v for v, n in sequence.runs for _ in range(n)] == plain(runs)
    assert all(n > 0 for _, n in sequence.runs)
    assert all(a != b for (a, _), (b, _) in zip(sequence.runs, sequence.runs[1:], strict=False))


def beyond():
    return lengths([(0, HUGE), (1, 1), (2, HUGE)])


def test_indices_and_slices_beyond_the_largest_length():
    sequence = beyond()
    assert sequence.count == 2 * HUGE + 1 > sys.maxsize
    assert (sequence[0], sequence[HUGE - 1], sequence[HUGE], sequence[HUGE + 1], sequence[-1]) == (0, 0, 1, 2, 2)
    assert sequence[HUGE - 2 : HUGE + 3] == [0, 0, 1, 2, 2]
    assert sequence[-2:] == [2, 2]
    assert sequence[:: HUGE // 2] == [0, 0, 1, 2, 2]
    assert sequence.runs == [(0, HUGE), (1, 1), (2, HUGE)]
    assert sequence == beyond()
    assert sequence != [0]


def test_iteration_and_truth_beyond_the_largest_length():
    assert list(islice(beyond(), 3)) == [0, 0, 0]
    assert 0 in beyond()
    assert bool(beyond())


def test_the_length_beyond_the_largest_length_is_not_a_wrong_number():
    with pytest.raises(OverflowError):
        len(beyond())


def test_it_is_not_hashable_and_prints_shortly():
    with pytest.raises(TypeError):
        hash(RunLengths())
    assert repr(lengths([(0, 2), (1, 1)])) == "<3 entries: 0 x 2, 1>"
    assert repr(RunLengths()) == "<0 entries: >"
    assert len(repr(lengths([(i, 1) for i in range(10**4)]))) < 100


def test_text_stays_short_and_never_fails():
    long = mpq(1, 3**10_000)
    assert repr(lengths([(0, 10**5000), (1, 2)])) == "<about 1.000e5000 entries: 0 x about 1.000e5000, 1 x 2>"
    assert repr(lengths([(long, 5)])).startswith("<5 entries: ≈")
    assert len(repr(lengths([(long + i, 10**i) for i in range(100)]))) < 1000
    with pytest.raises(IndexError, match="sequence of about"):
        lengths([(0, 10**5000)])[10**5000]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4))), st.integers(0, 3))
def test_first_is_the_first_index(runs, wanted):
    outputs = RunLengths(runs)
    entries = list(outputs)
    expected = entries.index(wanted) if wanted in entries else None
    assert outputs.first(lambda entry: entry == wanted) == expected


def test_what_a_run_gave_cannot_be_changed():
    growing = GrowingRunLengths()
    growing.append(0, 3)
    done = growing.finished()
    growing.append(1, 1)
    assert (list(done), list(growing)) == ([0, 0, 0], [0, 0, 0, 1])
    assert not any(hasattr(done, name) for name in ("append", "extend", "truncate"))
