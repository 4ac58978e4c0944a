"""The rational reference against plain fractions, on random circuits of every shape."""

from fractions import Fraction

import pytest
from every_executor import check_run
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_circuit import fraction
from strategies import dfas, long_rationals, network_words, networks_and_words, rationals, turing_machines

from exactnn.arithmetic import RATIONAL
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.networks import MultiLayerRNN, SimpleRNN
from exactnn.simulation import executor_for, run

LIMIT = 10
EXACT = type(mpq(0))


def check(network, word):
    check_run(network, word, RATIONAL, fraction, LIMIT)


@given(networks_and_words())
def test_random_networks(pair):
    check(*pair)


@pytest.mark.slow
@given(networks_and_words(weights=st.one_of(rationals(), long_rationals()), max_size=3))
def test_networks_with_long_weights(pair):
    check(*pair)


@given(st.one_of(dfas().map(minsky), turing_machines().map(siegelmann_sontag)), st.data())
def test_compiled_networks(construction, data):
    check(construction.network, data.draw(network_words(construction.network)))


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("identity", ["-1/3", "0", "1/3", "1", "4/3"]),
        ("relu", ["0", "0", "1/3", "1", "4/3"]),
        ("slu", ["0", "0", "1/3", "1", "1"]),
        ("heaviside", ["0", "0", "1", "1", "1"]),
    ],
)
def test_activations_beside_and_at_their_breakpoints(activation, expected):
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=activation)
    outputs = run(network, ["-1/3", "0", "1/3", "1", "4/3"], arithmetic=RATIONAL).outputs
    assert list(outputs) == list(map(mpq, expected))


ENTRIES = st.one_of(
    st.integers(-3, 3),
    st.floats(-3, 3),
    st.builds(Fraction, st.integers(-9, 9), st.integers(1, 9)),
    rationals(),
    st.sampled_from(["1/3", "-0.1", "0x1f/0x20", "2"]),
)


@given(st.data(), st.integers(1, 3), st.integers(1, 2))
def test_no_float_leaks_from_what_users_write(data, size, layers):
    def matrix(height, width):
        return data.draw(st.lists(st.lists(ENTRIES, min_size=width, max_size=width), min_size=height, max_size=height))

    (readout_weight,) = matrix(1, size)
    network = MultiLayerRNN(
        V=[matrix(size, size) for _ in range(layers)],
        W=[matrix(size, size) for _ in range(layers)],
        b=matrix(layers, size),
        s=matrix(layers, size),
        readout_weight=readout_weight,
        readout_bias=data.draw(ENTRIES),
        activation=data.draw(st.sampled_from(["relu", "slu", "heaviside", "identity"])),
    )
    result = run(network, matrix(4, size), record="all")
    assert {type(x) for x in (*sum(result.trace, ()), *result.outputs, result.initial_output)} == {EXACT}


def test_a_float_parameter_is_exactly_what_it_is():
    network = SimpleRNN(V=[[0.1]], W=[[0]], b=[0], s=[1], readout_weight=[0.1])
    result = run(network, [0] * 50)
    assert result.outputs[-1] == mpq(0.1) ** 51
    assert result.outputs[-1] != mpq(1, 10) ** 51


@given(networks_and_words(), st.integers(0, 4))
def test_an_executor_never_changes_a_state_that_it_was_given(pair, count):
    network, word = pair
    executor = executor_for(network, run(network, word, max_steps=0).arithmetic)
    state = executor.start()
    before = tuple(executor.values(state))
    for symbol in network.inputs(word)[:1]:
        first = executor.advance(state, symbol, count, until_decided=False)
        again = executor.advance(state, symbol, count, until_decided=False)
        assert (first.steps, first.outputs) == (again.steps, again.outputs)
        assert executor.values(first.state) == executor.values(again.state)
    assert tuple(executor.values(state)) == before
