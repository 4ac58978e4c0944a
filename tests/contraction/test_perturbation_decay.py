"""Perturbations decay as the certified rate says, in exact arithmetic; in floats they stall or merge."""

import pytest
from contractive_networks import contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_circuit import Plain, rounding
from strategies import rationals

import exactnn as xn
from exactnn.contraction import elman, perturbation_decay

LEAKY = xn.SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[1], readout_weight=[1])


def distances_by_hand(network, word, delta):
    """The squared distances by the equations of a simple RNN, without an executor."""
    matrices = elman(network)
    clip = {"relu": lambda x: max(x, 0), "slu": lambda x: min(max(x, 0), 1), "identity": lambda x: x}
    activation = clip[str(matrices.activation)]
    first = list(matrices.s)
    second = [x + d for x, d in zip(first, delta, strict=True)]
    yield sum((x - y) ** 2 for x, y in zip(first, second, strict=True))
    for symbol in word:
        x = [int(symbol == a) for a in network.alphabet] if network.alphabet else symbol
        first, second = (
            [
                activation(sum(w * v for w, v in zip((*row, *by), (*h, *x), strict=True)) + b)
                for row, by, b in zip(matrices.V, matrices.W, matrices.b, strict=True)
            ]
            for h in (first, second)
        )
        yield sum((x - y) ** 2 for x, y in zip(first, second, strict=True))


@given(st.data(), st.sampled_from(["relu", "slu", "identity"]))
def test_exact_distances_are_those_of_the_equations_and_keep_the_bound(data, activation):
    network = data.draw(contractive_networks(activation=activation))
    word = data.draw(inputs_of(network))
    delta = data.draw(st.lists(rationals(), min_size=network.neurons, max_size=network.neurons))
    found = perturbation_decay(network, word, perturbation=delta)
    assert list(found.squared_distances) == list(distances_by_hand(network, word, delta))
    assert found.rate < 1
    assert found.keeps_bound
    assert found.first_beyond is None
    assert found.squared_bounds == tuple(
        found.rate ** (2 * t) * sum(d * d for d in delta) for t in range(len(word) + 1)
    )
    assert perturbation_decay(network, word, perturbation=delta, arithmetic=xn.EXACT).squared_distances == (
        found.squared_distances
    )


@given(st.data())
def test_the_bound_is_true_of_networks_that_are_not_contractive(data):
    entry = rationals(largest=3)
    rows = [[data.draw(entry) for _ in range(2)] for _ in range(2)]
    network = xn.SimpleRNN(V=[[1 + rows[0][0] ** 2, rows[0][1]], rows[1]], W=[[1], [-1]], b=[0, 1], s=[0, 0],
                           readout_weight=[1, 0])  # fmt: skip
    word = data.draw(inputs_of(network))
    found = perturbation_decay(network, word, perturbation=[data.draw(entry), 1])
    assert found.rate >= 1
    assert found.keeps_bound


@given(st.data())
def test_distances_in_float32_are_those_of_numpy(data):
    network = data.draw(contractive_networks())
    word = data.draw(inputs_of(network, max_size=5))
    delta = [mpq(1, 3)] * network.neurons
    found = perturbation_decay(network, word, perturbation=delta, arithmetic=xn.FLOAT32)
    moved = xn.SimpleRNN(
        V=elman(network).V, W=elman(network).W, b=elman(network).b, s=[x + mpq(1, 3) for x in network.initial_state],
        readout_weight=[1] * network.neurons, alphabet=network.alphabet,
    )  # fmt: skip
    runs = []
    for start in (network, moved):
        plain = Plain(start, rounding(xn.FLOAT32))
        states = [plain.start()]
        for vector in plain.vectors(word):
            states.append(plain.step(states[-1], vector))
        runs.append(states)
    pairs = zip(*runs, strict=True)
    expected = [sum((mpq(float(x)) - mpq(float(y))) ** 2 for x, y in zip(*pair, strict=True)) for pair in pairs]
    assert list(found.squared_distances) == expected


def test_in_floats_the_runs_stall_or_merge_and_the_bound_fails():
    network = xn.SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    stalled = perturbation_decay(network, [1] * 200, perturbation=[8], arithmetic=xn.FLOAT8_E4M3)
    assert stalled.first_beyond == 2
    assert stalled.merged_from is None
    assert set(stalled.squared_distances[50:]) == {9}
    merged = perturbation_decay(network, [1] * 200, perturbation=["1/100"], arithmetic=xn.FLOAT8_E4M3)
    assert merged.merged_from == 0
    assert set(merged.squared_distances) == {0}
    assert perturbation_decay(network, [1] * 200, perturbation=[8]).merged_from is None


def test_relu_merges_runs_exactly():
    network = xn.SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    found = perturbation_decay(network, [-5, -5, 1], perturbation=[4])
    assert found.squared_distances == (16, 0, 0, 0)
    assert found.merged_from == 1


def test_infinite_values_have_no_distance():
    doubles = xn.SimpleRNN(V=[[2]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    tiny = xn.FloatFormat(precision=4, exponent_bits=3)
    found = perturbation_decay(doubles, [0] * 6, perturbation=[1], arithmetic=tiny)
    assert found.squared_distances == (1, 4, 16, None, None, None, None)
    assert found.first_beyond == 3


def test_wrong_input():
    with pytest.raises(xn.ExactnnError, match=r"perturbation=\[1, 2\]: give a sequence of 1 numbers"):
        perturbation_decay(LEAKY, [1], perturbation=[1, 2])
    with pytest.raises(xn.ExactnnError, match="perturbation: 'x' is not a number"):
        perturbation_decay(LEAKY, [1], perturbation=["x"])
    with pytest.raises(xn.ExactnnError, match="perturbation=1: give a sequence"):
        perturbation_decay(LEAKY, [1], perturbation=1)
    steps = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="heaviside")
    with pytest.raises(xn.ExactnnError, match="no perturbation is small"):
        perturbation_decay(steps, [1], perturbation=[1])
    with pytest.raises(xn.ExactnnError, match="no simple RNN"):
        perturbation_decay(xn.gated_counter(), "a", perturbation=[1])
    twin = xn.unitary(LEAKY, input_bound=3)
    with pytest.raises(xn.ExactnnError, match="at position 1 is beyond the input bounds"):
        perturbation_decay(twin, [3, 4], perturbation=[0, 0])
