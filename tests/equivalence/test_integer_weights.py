"""Integer weights and clipped units make at most 2^d' states, or one more; ReLU and a weight 1/2 do not."""

from itertools import product

import pytest

from exactnn.arithmetic import EXACT, RATIONAL
from exactnn.equivalence import extract_state_machine, state_bound
from exactnn.networks import SimpleRNN
from exactnn.simulation import run


def shift_register(size, activation, first=0):
    """A network whose state is the last symbols, 1 for b; it begins with `first` and zeros."""
    return SimpleRNN(
        V=[[int(j == i - 1) for j in range(size)] for i in range(size)],
        W=[[0, int(i == 0)] for i in range(size)],
        b=[0] * size,
        s=[first] + [0] * (size - 1),
        readout_weight=[0] * (size - 1) + [1],
        activation=activation,
        alphabet="ab",
    )


@pytest.mark.parametrize("activation", ["slu", "heaviside"])
@pytest.mark.parametrize("size", range(1, 8))
def test_both_bounds_are_attained_in_every_size(size, activation):
    for first, most in ((0, 2**size), (1, 2**size), (2, 2**size + 1), (-1, 2**size + 1)):
        network = shift_register(size, activation, first)
        found = extract_state_machine(network, EXACT)
        assert found.complete
        assert found.states == found.bound == state_bound(network, RATIONAL) == most


def drains(activation, neurons):
    """max(0, #a - #b), step by step, and whether it is 0: asked by the readout, or by a neuron of its own."""
    if neurons == 1:
        parts = {"V": [[1]], "W": [[1, -1]], "b": [0], "s": [0], "readout_weight": [-1], "readout_bias": 1}
    else:
        parts = {"V": [[1, 0], [-1, 0]], "W": [[1, -1], [-1, 1]], "b": [0, 1], "s": [0, 1], "readout_weight": [0, 1]}
    return SimpleRNN(**parts, activation=activation, alphabet="ab")


def is_drained(word):
    level = 0
    for symbol in word:
        level = max(0, level + (1 if symbol == "a" else -1))
    return level == 0


@pytest.mark.parametrize("neurons", [1, 2])
def test_integers_and_relu_recognise_what_no_finite_automaton_does(neurons):
    network = drains("relu", neurons)
    for word in (w for length in range(9) for w in product("ab", repeat=length)):
        assert run(network, word).verdict == ("accept" if is_drained(word) else "reject")
    # The words a^n are all told apart: a^n b^m is accepted if m is at least n.
    for n, m in product(range(0, 60, 7), repeat=2):
        assert (run(network, "a" * n + "b" * m).verdict == "accept") == (m >= n)
    assert state_bound(network, EXACT) is None
    assert not extract_state_machine(network, EXACT, max_states=60).complete


@pytest.mark.parametrize("neurons", [1, 2])
def test_the_same_weights_with_clipped_units_forget_the_level(neurons):
    network = drains("slu", neurons)
    assert extract_state_machine(network, EXACT).states <= state_bound(network, EXACT) == 2**neurons
    assert run(network, "aab").verdict == "accept"
    assert not is_drained("aab")


def test_one_weight_of_a_half_is_enough_for_endlessly_many_states():
    network = SimpleRNN(V=[["1/2"]], W=[[0]], b=[0], s=[1], readout_weight=[1], activation="slu", alphabet="a")
    states = run(network, "a" * 100, record="all", arithmetic=RATIONAL).trace.states
    assert len(set(states[1:])) == 100
    assert state_bound(network, EXACT) is None
