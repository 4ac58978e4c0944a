"""Statements on unitary and contractive networks as they are often printed, and corrected: each is run, exactly."""

import dataclasses

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import RATIONAL
from exactnn.contraction import contractivity, is_contractive, unitary
from exactnn.linear_algebra import product, rank, transposed
from exactnn.networks import SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import run


def outputs(network, word):
    return list(run(network, word, arithmetic=RATIONAL).outputs[:])


def similar(*, W, F, b, C, T, biases):
    """The network in other coordinates T h, of the identity activation: with T b, or with b as it was."""
    return SimpleRNN(
        V=[[W]], W=[[T * F]], b=[T * b if biases else b], s=[0], readout_weight=[mpq(C) / T], activation="identity"
    )


def test_e21_the_bias_changes_coordinates_too():
    """W → TWT⁻¹, F → TF, C → CT⁻¹ is printed without b → Tb."""
    original = SimpleRNN(V=[["1/2"]], W=[[1]], b=[1], s=[0], readout_weight=[1], activation="identity")
    parts = {"W": mpq(1, 2), "F": 1, "b": 1, "C": 1, "T": 2}
    assert outputs(original, [1, 0]) == [2, 2]
    assert outputs(similar(**parts, biases=False), [1, 0]) == [mpq(3, 2), mpq(5, 4)]
    assert outputs(similar(**parts, biases=True), [1, 0]) == [2, 2]


def slow(A, epsilon, sign=-1):
    """I - ε AᵀA / ‖A‖², for a matrix A of which the spectral norm is its largest entry: diagonal, up to rotations."""
    square = product(transposed(A), A)
    norm = max(x for row in A for x in row) ** 2
    return [[mpq(i == j) + sign * epsilon * x / norm for j, x in enumerate(row)] for i, row in enumerate(square)]


def slow_network(W):
    n = len(W)
    return SimpleRNN(V=W, W=[[1]] * n, b=[0] * n, s=[0] * n, readout_weight=[1] * n)


def test_e22_the_slow_matrix_needs_a_minus_sign_and_an_invertible_matrix():
    singular, regular = ((mpq(1), mpq(0)), (mpq(0), mpq(0))), ((mpq(1), mpq(0)), (mpq(0), mpq(1, 2)))
    assert contractivity(slow_network(slow(singular, mpq(1, 100)))).norm_is_one
    assert not is_contractive(slow_network(slow(singular, mpq(1, 100))))
    assert is_contractive(slow_network(slow(regular, mpq(1, 100))))
    plus = contractivity(slow_network(slow(regular, mpq(1, 100), sign=1)))
    assert not plus.contractive
    assert not plus.norm_is_one


@given(st.lists(st.builds(mpq, st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=4).filter(any))
def test_e22_exactly_the_invertible_ones_are_contractive(diagonal):
    A = tuple(tuple(x if i == j else mpq(0) for j in range(len(diagonal))) for i, x in enumerate(diagonal))
    verdict = contractivity(slow_network(slow(A, mpq(1, 100))))
    assert verdict.contractive == (rank(A) == len(A))
    assert verdict.norm_is_one == (rank(A) < len(A))


LEAKY = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
BEYOND = (4, 0, 0, 0)


def test_e23_a_bias_from_a_bound_is_wrong_beyond_it():
    """The further unit with the bias -3: enough for one input of at most 3, and not for one of 4."""
    literal = SimpleRNN(V=[["3/5", "-4/5"], ["4/5", "3/5"]], W=[[1], [0]], b=[0, -3], s=[0, 0], readout_weight=[1, 0])
    assert outputs(literal, (3, 0, 0, 0)) == outputs(LEAKY, (3, 0, 0, 0))
    assert outputs(LEAKY, BEYOND)[2] == mpq(36, 25)
    assert outputs(literal, BEYOND)[2] == mpq(32, 25)


def test_e23_a_bias_for_one_input_is_wrong_for_many_within_the_bound():
    """States add up: the bound on ‖h‖ must be that of all words, 3/(1 - 3/5) here, not that of one input."""
    literal = SimpleRNN(V=[["3/5", "-4/5"], ["4/5", "3/5"]], W=[[1], [0]], b=[0, -3], s=[0, 0], readout_weight=[1, 0])
    assert outputs(literal, [3, 3, 3, 3]) != outputs(LEAKY, [3, 3, 3, 3])
    twin = unitary(LEAKY, input_bound=3)
    for word in ([3] * 40, [3, -3] * 20, BEYOND[1:]):
        assert outputs(twin, word) == outputs(LEAKY, word)


def test_e23_an_input_beyond_the_bound_is_refused_and_would_be_answered_wrongly():
    twin = unitary(LEAKY, input_bound=3, room=1)
    guarded = run(twin, BEYOND)
    assert guarded.outcome is Outcome.OUT_OF_DOMAIN
    assert guarded.steps == 0
    unguarded = dataclasses.replace(twin.network, input_bounds=None)
    # The bias allows for all words, so that it takes one input of 8, or some of 4, to go wrong.
    assert outputs(unguarded, BEYOND) == outputs(LEAKY, BEYOND) == [4, mpq(12, 5), mpq(36, 25), mpq(108, 125)]
    assert outputs(LEAKY, (8, 0, 0, 0))[2] == mpq(72, 25)
    assert outputs(unguarded, (8, 0, 0, 0))[2] == mpq(429496115, 134217728)
    assert outputs(LEAKY, [4] * 5)[:4] == outputs(unguarded, [4] * 5)[:4]
    assert outputs(LEAKY, [4] * 5)[4] == mpq(5764, 625)
    assert outputs(unguarded, [4] * 5)[4] == mpq(31675368443, 3355443200)
    for word in ((8, 0, 0, 0), [4] * 5):
        assert run(twin, word).outcome is Outcome.OUT_OF_DOMAIN


@pytest.mark.parametrize("form", ["2n", "5n"])
def test_e23_the_guard_is_at_the_input_that_is_beyond(form):
    twin = unitary(LEAKY, input_bound=3, form=form)
    assert run(twin, [3, -3, mpq(3000001, 1000000), 0]).steps == 2
