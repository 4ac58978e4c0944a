"""Membership queries give what runs give, whatever was asked before and however few states are kept."""

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import networks, words

import exactnn as xn
from exactnn.equivalence.learning import membership as module
from exactnn.equivalence.learning.learned_automaton import LearningEnd, LimitReached, minimal
from exactnn.equivalence.learning.membership import Membership
from exactnn.networks import Protocol
from exactnn.outcome import Outcome

DECIDING = (Protocol.END_OF_WORD, Protocol.EOS_VERDICT, Protocol.EOS_HALT)
ARITHMETICS = (xn.EXACT, xn.RATIONAL, xn.FLOAT64, xn.FixedPoint(integer_bits=12, fraction_bits=4))


@settings(max_examples=40)
@given(networks(protocols=DECIDING), st.sampled_from(ARITHMETICS), st.sampled_from((0, 20, 1 << 20)), st.data())
def test_outcomes_are_those_of_runs(network, arithmetic, kept, data):
    if network.alphabet is None:
        return
    symbols = network.input_symbols
    asked = data.draw(st.lists(words(range(len(symbols))), max_size=8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_NUMBERS", kept)
        membership = Membership(network, arithmetic, max_eos_steps=5, max_queries=None)
        for word in [*asked, *asked]:
            run = xn.run(network, [symbols[a] for a in word], arithmetic=arithmetic, max_steps=len(word) + 5)
            proven = run.outcome is Outcome.NON_HALTING  # within the limit, which is all that is asked for
            assert membership.ask(word) is (Outcome.STEP_LIMIT if proven else run.outcome)
            point = membership.point(membership.prefix(word))
            if run.steps == len(word):
                assert list(map(repr, point.values)) == list(map(repr, run.final_state))
    assert membership.queries == len(set(asked))


def counter():
    return xn.SimpleRNN(V=[[1]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], readout_bias="-3/2", alphabet="ab")


def test_a_query_goes_on_from_its_longest_prefix():
    membership = Membership(counter(), xn.EXACT, max_eos_steps=1, max_queries=None)
    assert membership.ask((0,) * 50) is Outcome.ACCEPTED
    assert membership.steps == 50
    assert membership.ask((*(0,) * 50, 1)) is Outcome.ACCEPTED
    assert membership.ask((0,)) is Outcome.REJECTED
    assert membership.steps == 51


def test_equal_points_are_equal_states():
    membership = Membership(counter(), xn.EXACT, max_eos_steps=1, max_queries=None)
    first, same, other = (membership.point(membership.prefix(word)) for word in ((0, 1), (1, 0), (0, 0)))
    assert first == same
    assert first is same
    assert first != other
    assert first.values == (mpq(1),)


def test_points_with_equal_hashes_may_differ():
    assert hash(mpq(-1)) == hash(mpq(-2))
    net = xn.SimpleRNN(V=[[0]], W=[[-1, -2]], b=[0], s=[0], readout_weight=[1], activation="identity", alphabet="ab")
    membership = Membership(net, xn.EXACT, max_eos_steps=1, max_queries=None)
    first, second = (membership.point(membership.prefix(word)) for word in ((0,), (1,)))
    assert hash(first) == hash(second)
    assert first != second


def test_eos_may_be_the_first_symbol():
    """Once an a was read, EOS gives a verdict."""
    net = xn.SimpleRNN(
        V=[[1, 0], [1, 0]], W=[[0, 1, 0], [1, 0, 0]], b=[0, -1], s=[0, 0], readout_weight=[0, 1],
        activation="slu", alphabet=["EOS", "a", "b"],
    )  # fmt: skip
    membership = Membership(net, xn.EXACT, max_eos_steps=9, max_queries=None)
    asked = {word: membership.ask(word) for word in ((), (0,), (1,), (1, 0))}
    assert [word for word, outcome in asked.items() if outcome is Outcome.ACCEPTED] == [(0,), (1, 0)]
    assert {asked[()], asked[(1,)]} == {Outcome.STEP_LIMIT}


def test_zeros_of_different_signs_are_different_states():
    tiny = xn.FloatFormat(precision=2, exponent_bits=3)
    net = xn.SimpleRNN(V=[["1/4"]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], activation="identity", alphabet="ab")
    membership = Membership(net, tiny, max_eos_steps=1, max_queries=None)
    points = [membership.point(membership.prefix(word)) for word in ((0,), (1,))]
    assert points[0] != points[1]


def test_a_limit_of_queries_counts_words_once():
    membership = Membership(counter(), xn.EXACT, max_eos_steps=1, max_queries=2)
    for word in ((), (0,), (), (0,)):
        membership.ask(word)
    with pytest.raises(LimitReached) as reached:
        membership.ask((1,))
    assert reached.value.end is LearningEnd.QUERY_LIMIT
    assert membership.queries == 2


def test_contradictions_are_the_shortest():
    membership = Membership(counter(), xn.EXACT, max_eos_steps=1, max_queries=None)
    never = minimal([[0, 0]], [Outcome.REJECTED], 0)
    membership.ask((0,))
    assert membership.contradiction(never) is None
    membership.ask((0, 0, 0))
    membership.ask((1, 0))
    assert membership.contradiction(never) == (0, 0, 0)
    membership.ask((0, 0))
    assert membership.contradiction(never) == (0, 0)
