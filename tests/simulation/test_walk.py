"""A walk through a word: what goes along with it sees what the run of the word sees."""

import time
from dataclasses import replace
from itertools import count

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import EXACT, FLOAT32, RATIONAL, FixedPoint, FloatFormat
from exactnn.constructions import siegelmann_sontag
from exactnn.errors import BitLimitError, DigitLimitError, SizeLimitError
from exactnn.machine_files import load
from exactnn.networks import Decision, Protocol, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.precision import first_divergence
from exactnn.simulation import Position, Walk, cut_short_by, executor_for, outcome_after, run, values_along, verdict_of
from tests.strategies import networks_and_words

ARITHMETICS = (RATIONAL, EXACT, FLOAT32, FixedPoint(integer_bits=12, fraction_bits=6))
LIMIT = 12


def passed(walk):
    """Return where a walk passes, and its outputs."""
    stretches = list(walk)
    outputs = [output for stretch in stretches for output, times in stretch.segment.outputs for _ in range(times)]
    return [stretch.position.steps for stretch in stretches], outputs


@given(networks_and_words(), st.sampled_from(ARITHMETICS), st.integers(0, LIMIT), st.integers(1, 5))
def test_a_walk_comes_where_the_run_does_however_many_steps_are_taken_at_once(drawn, arithmetic, limit, at_once):
    network, word = drawn
    executor, inputs = executor_for(network, arithmetic), network.inputs(word)
    expected = run(network, word, arithmetic=arithmetic, max_steps=limit)
    walk = Walk(executor, inputs, limit=limit, at_once=at_once)
    places, outputs = passed(walk)
    ended = Outcome.STEP_LIMIT if expected.outcome is Outcome.NON_HALTING else expected.outcome
    assert walk.outcome is ended
    assert places == sorted(set(places))
    same = slice(expected.steps)
    assert list(map(repr, outputs[same])) == list(map(repr, expected.outputs))
    if expected.outcome is not Outcome.NON_HALTING:
        assert walk.position.steps == expected.steps
        assert repr(executor.values(walk.position.state)) == repr(expected.final_state)
    other = Walk(executor, inputs, limit=limit, at_once=at_once)
    assert (other.to_the_end(), other.position.steps) == (ended, walk.position.steps)


@given(networks_and_words(), st.sampled_from(ARITHMETICS), st.integers(0, LIMIT))
def test_a_walk_goes_on_from_any_position(drawn, arithmetic, middle):
    network, word = drawn
    executor, inputs = executor_for(network, arithmetic), network.inputs(word)
    whole = Walk(executor, inputs, limit=LIMIT, watching=True)
    _, outputs = passed(whole)
    first = Walk(executor, inputs, limit=min(middle, LIMIT), watching=True)
    _, begun = passed(first)
    second = Walk(executor, inputs, limit=LIMIT, watching=True, begin=first.position)
    _, rest = passed(second)
    assert list(map(repr, begun + rest)) == list(map(repr, outputs))
    assert (second.outcome, second.position.steps) == (whole.outcome, whole.position.steps)


def test_stretches_end_at_multiples_and_the_last_one_at_the_limit():
    network = siegelmann_sontag(load("bb4")).network
    walk = Walk(executor_for(network, FLOAT32), [], limit=20, at_once=100, every=7)
    assert passed(walk)[0] == [7, 14, 20]
    assert walk.outcome is Outcome.STEP_LIMIT


def test_no_step_begins_when_time_is_up():
    network = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    walk = Walk(executor_for(network, RATIONAL), network.inputs("ab"), end=time.perf_counter() - 1)
    assert passed(walk) == ([], [])
    assert (walk.outcome, walk.position.steps) == (Outcome.TIME_LIMIT, 0)


def test_a_walk_stops_where_it_is_told_to():
    network = siegelmann_sontag(load("bb4")).network
    asked = count()
    walk = Walk(executor_for(network, RATIONAL), [], at_once=1)
    with pytest.raises(KeyboardInterrupt):
        walk.to_the_end(lambda: next(asked) == 4)
    assert walk.position.steps == 5


def test_what_cuts_a_walk_short_has_an_outcome():
    errors = (KeyboardInterrupt(), SizeLimitError(""), MemoryError(), DigitLimitError(""), BitLimitError(""))
    found = [cut_short_by(error) for error in errors]
    limits = [Outcome.SIZE_LIMIT, Outcome.SIZE_LIMIT, Outcome.DIGIT_LIMIT, Outcome.BIT_LIMIT]
    assert found == [Outcome.INTERRUPTED, *limits]
    with pytest.raises(ValueError, match="another"):
        cut_short_by(ValueError("another"))


def test_an_output_says_something_only_where_the_protocol_listens():
    eos = siegelmann_sontag(load("bb2")).network
    assert [outcome_after(eos, 2, steps, mpq(1)) for steps in (1, 2)] == [None, None]
    assert outcome_after(eos, 2, 3, mpq(1)) is Outcome.HALTED
    assert outcome_after(eos, 2, 3, mpq(0)) is None
    word = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    said = [outcome_after(word, 1, 1, output) for output in (mpq(1), mpq(0), float("nan"))]
    assert said == [Outcome.ACCEPTED, Outcome.REJECTED, Outcome.UNDECIDED]
    assert outcome_after(replace(word, decision=Decision(protocol=Protocol.OUTPUTS)), 1, 1, 0.0) is Outcome.COMPLETED


def test_steps_are_taken_again_beyond_a_verdict():
    network = siegelmann_sontag(load("bb2")).network
    ended = run(network, arithmetic=RATIONAL, record="all")
    assert ended.outcome is Outcome.HALTED
    values = list(values_along(executor_for(network, RATIONAL), [], ended.steps + 3))
    assert values[: ended.steps + 1] == list(ended.trace)
    assert len(values) == ended.steps + 4


@given(networks_and_words(), st.integers(0, LIMIT), st.booleans())
def test_numbers_of_every_state_in_calls_of_many_steps(drawn, steps, every_state):
    network, word = drawn
    inputs = network.inputs(word)
    many = values_along(executor_for(network, EXACT, every_state=every_state), inputs, steps)
    assert list(many) == list(values_along(executor_for(network, RATIONAL), inputs, steps))


def test_a_walk_without_a_word_begins_after_it():
    network = siegelmann_sontag(load("palindrome")).network
    executor = executor_for(network, RATIONAL)
    word = network.inputs("abba")
    after = list(Walk(executor, word, limit=len(word)))[-1].position
    rest = Walk(executor, (), begin=Position(0, after.state))
    assert rest.to_the_end() is run(network, "abba", arithmetic=RATIONAL).outcome


@pytest.mark.parametrize("seed", range(8))
def test_the_verdict_is_that_of_the_output_which_the_run_gives(seed):
    """Where rounding is at random, an output that is computed again is another."""
    network = replace(
        SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1], readout_bias="-1/5", alphabet="a"),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(5, 4)),
    )
    format = FloatFormat(precision=2, exponent_bits=4, rounding="stochastic", seed=seed)
    for length in range(6):
        outcome = run(network, length * "a", arithmetic=format).outcome
        assert verdict_of(executor_for(network, format), length * [0], None) == (outcome, length)
        found = first_divergence(network, length * "a", format)
        assert (found.verdict.computed if found.verdict else found.outcome) is outcome
