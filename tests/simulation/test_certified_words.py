"""Words that go on from each other end as each does in a run of its own."""

from dataclasses import replace
from itertools import product

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks import Activation, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.certified_words import CertifiedWords
from exactnn.strategies import networks

SMOOTH = [Activation.named(name) for name in ("sigmoid", "tanh")]


@given(data=st.data())
def test_each_word_ends_as_in_a_run_of_its_own(data):
    network = data.draw(
        networks(protocols=[Protocol.END_OF_WORD], activations=SMOOTH, max_state=3).filter(lambda n: n.alphabet)
    )
    words = data.draw(st.lists(st.lists(st.integers(0, len(network.alphabet) - 1), max_size=5), max_size=8))
    limit = data.draw(st.none() | st.integers(0, 4))
    arithmetic = data.draw(st.sampled_from([xn.CERTIFIED, xn.Certified(bits=4, most_bits=64), xn.Interval(bits=6)]))
    found = CertifiedWords(network, arithmetic)
    for word in words:
        run = xn.run(network, network.written(word), arithmetic=arithmetic, max_steps=limit)
        assert found.verdict(word, limit) == (run.outcome, run.steps)


@pytest.fixture
def forgetful():
    return xn.SimpleRNN(V=[["1/2"]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], activation="tanh", alphabet="ab")


def test_words_in_any_order(forgetful):
    network = replace(forgetful, decision=replace(forgetful.decision, threshold=mpq(-1, 3)))
    words = [word for length in range(5) for word in product((0, 1), repeat=length)]
    expected = {word: xn.run(network, network.written(word), "certified").outcome for word in words}
    assert len(set(expected.values())) == 2
    for order in (words, words[::-1], words[::3] + words[1::3], sorted(words), sorted(words, key=lambda w: w[::-1])):
        found = CertifiedWords(network)
        assert {word: found.verdict(word)[0] for word in order} == {word: expected[word] for word in order}


def test_a_step_that_ctrl_c_ended_is_taken_again(forgetful, monkeypatch):
    words = CertifiedWords(forgetful)
    expected = [xn.run(forgetful, word, "certified").outcome for word in ("ab", "aba", "bb")]
    assert words.verdict((0, 1))[0] is expected[0]
    advance, calls = words._executor.advance, []

    def interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return advance(*arguments, **options)

    monkeypatch.setattr(words._executor, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        words.verdict((0, 1, 0))
    assert [words.verdict(word)[0] for word in ((0, 1), (0, 1, 0), (1, 1))] == expected


def test_what_the_first_bits_do_not_tell(forgetful):
    """The state after ab is tanh(tanh(1)/2 - 1), about -0.55; the threshold is that up to 2^-40, beyond 16 bits."""
    value = xn.run(forgetful, "ab", xn.Interval(bits=200)).outputs[-1]
    near = mpq(int(value.low * 2**40), 2**40)
    for threshold, outcome in ((near, Outcome.REJECTED), (near - mpq(1, 2**40), Outcome.ACCEPTED)):
        network = replace(forgetful, decision=replace(forgetful.decision, threshold=threshold))
        words = CertifiedWords(network, xn.Certified(bits=16, most_bits=256))
        assert words.verdict((0, 1)) == (outcome, 2)
        assert words.verdict((0, 0))[0] is Outcome.ACCEPTED
    equal = replace(forgetful, initial_state=(mpq(0),))
    assert CertifiedWords(equal).verdict(()) == (Outcome.REJECTED, 0)
