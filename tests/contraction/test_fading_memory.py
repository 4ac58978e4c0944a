"""What came before the last inputs changes no output by more than the tolerance: any two histories."""

from dataclasses import replace
from itertools import product

import pytest
from contractive_networks import bound_of, contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

import exactnn as xn
from exactnn.contraction import fading_memory
from exactnn.contraction.fading_memory import power_above

LEAKY = xn.SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def output_after(network, word):
    run = xn.run(network, word, arithmetic=xn.RATIONAL)
    return run.outputs[-1] if word else run.initial_output


@given(st.data(), st.sampled_from(["relu", "slu", "identity"]), st.sampled_from([mpq(1, 2), mpq(1, 20), 3]))
def test_random_histories_are_forgotten(data, activation, tolerance):
    start = st.just(mpq(1, 2)) if data.draw(st.booleans()) else None
    network = data.draw(contractive_networks(activation=activation, start=start))
    found = fading_memory(network, tolerance=tolerance, input_bound=bound_of(network))
    first, second = (data.draw(inputs_of(network, max_size=12)) for _ in range(2))
    common = data.draw(inputs_of(network, max_size=12))
    change = abs(output_after(network, [*first, *common]) - output_after(network, [*second, *common]))
    assert change <= found.bound(len(common))
    if len(common) >= found.steps:
        assert change <= tolerance


def test_all_histories_of_a_network_on_symbols_are_forgotten():
    rows = [["1/2", "-1/4"], ["1/4", "1/2"]]
    network = xn.SimpleRNN(V=rows, W=[[1, 0], ["-1/2", 1]], b=[0, "1/4"], s=[0, 0], readout_weight=[1, -1],
                           alphabet="ab")  # fmt: skip
    tolerance = mpq(1, 2)
    found = fading_memory(network, tolerance=tolerance)
    assert found.steps == 5
    outputs = {}
    for length in range(found.steps, 10):
        for word in map("".join, product("ab", repeat=length)):
            outputs.setdefault(word[-found.steps :], set()).add(output_after(network, word))
    assert len(outputs) == 2**found.steps
    changes = [max(values) - min(values) for values in outputs.values()]
    assert 0 < max(changes) <= tolerance


@given(contractive_networks(), rationals())
def test_the_steps_are_the_least_of_the_bound(network, tolerance):
    tolerance = abs(tolerance) or mpq(1, 10**9)
    found = fading_memory(network, tolerance=tolerance, input_bound=bound_of(network))
    exactly = [found.rate**t * found.distance * found.gain for t in range(max(0, found.steps - 1), found.steps + 1)]
    assert exactly[-1] <= found.bound(found.steps) <= tolerance
    assert found.steps == 0 or exactly[0] > tolerance


def test_the_distance_of_states_that_are_not_negative_is_less():
    options = {"V": [["3/5"]], "W": [[1]], "b": [0], "readout_weight": [1]}

    def distance(**more):
        return fading_memory(xn.SimpleRNN(**options, **more), tolerance=1, input_bound=3).distance

    radius = xn.reachable_ball(LEAKY, input_bound=3).radius
    assert distance(s=[0], activation="identity") == distance(s=[-1]) == 2 * radius
    assert 2 * radius**2 <= distance(s=[0]) ** 2 < mpq(20001, 10000) * radius**2
    assert distance(s=[0], activation="slu") == 1
    assert distance(s=[3], activation="slu") == 3


@given(st.integers(0, 300), rationals())
def test_powers_are_bounded_from_above(exponent, base):
    base = abs(base)
    found = power_above(base, exponent, bits=16)
    assert base**exponent <= found <= base**exponent * (1 + mpq(1, 2**14)) ** (exponent + 1)


def test_a_rate_near_1_takes_long_but_is_found_at_once():
    slow = xn.SimpleRNN(V=[[1 - mpq(1, 10**9)]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert fading_memory(slow, tolerance="1/1000", input_bound=1).steps > 10**9


def test_the_tolerance_may_be_met_at_once():
    still = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert fading_memory(still, tolerance=2, input_bound=1).steps == 0
    assert fading_memory(still, tolerance="1/100", input_bound=1).steps == 1


def test_a_readout_of_several_outputs_has_the_largest_gain():
    network = xn.SimpleRNN(V=[["1/2", 0], [0, "1/2"]], W=[[1], [1]], b=[0, 0], s=[0, 0],
                           readout_weight=[[1, 1], [3, 4], [0, -2]])  # fmt: skip
    assert fading_memory(network, tolerance=1, input_bound=1).gain == 5


@pytest.mark.parametrize("tolerance", [0, -1, "x", None])
def test_wrong_tolerances(tolerance):
    with pytest.raises(xn.ExactnnError, match="tolerance"):
        fading_memory(LEAKY, tolerance=tolerance, input_bound=1)


def test_wrong_networks():
    rotates = xn.SimpleRNN(V=[["3/5", "-4/5"], ["4/5", "3/5"]], W=[[1], [0]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    with pytest.raises(xn.ExactnnError, match="not contractive"):
        fading_memory(rotates, tolerance=1, input_bound=1)
    with pytest.raises(xn.ExactnnError, match="input_bound is missing"):
        fading_memory(LEAKY, tolerance=1)
    (unit,) = LEAKY.readout
    squared = replace(LEAKY, readout=(replace(unit, linear=(), bilinear=((0, 0, mpq(1)),)),))
    with pytest.raises(xn.ExactnnError, match="products of states"):
        fading_memory(squared, tolerance=1, input_bound=1)
    jumps = replace(LEAKY, readout=(replace(unit, activation=xn.Activation.HEAVISIDE),))
    with pytest.raises(xn.ExactnnError, match="outputs jump"):
        fading_memory(jumps, tolerance=1, input_bound=1)
