import numpy as np
import pytest
from contractive_networks import contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import matrices, rationals

from exactnn import MultiLayerRNN, SimpleRNN, contractivity, gated_counter, is_contractive, reachable_ball, run
from exactnn.contraction import elman
from exactnn.errors import ConstructionError, OptionError
from exactnn.linear_algebra import dot


def recurrent(rows, activation="relu"):
    n = len(rows)
    return SimpleRNN(V=rows, W=[[1]] * n, b=[0] * n, s=[0] * n, readout_weight=[1] * n, activation=activation)


@given(st.integers(1, 4).flatmap(lambda n: matrices(n, n, rationals(largest=3))), st.integers(1, 8))
def test_contractive_exactly_if_the_norm_is_below_one(rows, scale):
    network = recurrent([[entry / scale for entry in row] for row in rows])
    verdict = contractivity(network)
    norm = np.linalg.norm(np.array([[float(x) for x in row] for row in verdict.matrix]), 2)
    if abs(norm - 1) > 1e-9:
        assert verdict.contractive == (norm < 1)
    assert is_contractive(network) == verdict.contractive
    low, high = verdict.norm_bounds(24)
    assert high - low <= mpq(1, 2**24)
    assert float(low) - 1e-12 <= norm <= float(high) + 1e-12
    assert (high < 1) >= verdict.contractive


def test_rotations_have_norm_one():
    """A rational rotation, its product with a contraction in one direction, and a matrix just above."""
    turn = [["3/5", "-4/5"], ["4/5", "3/5"]]
    assert contractivity(recurrent(turn)).norm_is_one
    assert not is_contractive(recurrent(turn))
    squeezed = [["3/10", "-4/5"], ["4/10", "3/5"]]
    assert contractivity(recurrent(squeezed)).norm_is_one
    above = contractivity(recurrent([["3/5", "-4/5"], ["4/5", "601/1000"]]))
    assert not above.norm_is_one
    assert "above 1" in str(above)


@pytest.mark.parametrize(
    ("rows", "pivot"),
    [([[1, 0], [0, 2]], "pivot 2 of I - V'V is -3"), ([[1, "1/2"], [0, 0]], "pivot 1 of I - V'V is 0")],
)
def test_the_pivot_that_is_named_is_the_one_that_decides(rows, pivot):
    """A pivot of 0 that is passed over does not say that the norm is above 1; one with more beside it does."""
    assert f"above 1 ({pivot})" in str(contractivity(recurrent(rows)))


@pytest.mark.parametrize("bits", [0, -1, 1.5, True, "1", None, 10**6 + 1, 2**70])
def test_bits_of_the_norm_are_checked(bits):
    with pytest.raises(OptionError, match="give a whole number from 1 to 1000000"):
        contractivity(recurrent([["1/2"]])).norm_bounds(bits)


def test_the_heaviside_step_is_never_contractive():
    assert not is_contractive(recurrent([["1/2"]], activation="heaviside"))
    assert is_contractive(recurrent([["1/2"]], activation="slu"))
    with pytest.raises(ConstructionError, match="heaviside"):
        reachable_ball(recurrent([["1/2"]], activation="heaviside"), input_bound=1)


@given(contractive_networks(reads="vectors"), st.data())
def test_no_run_leaves_the_ball(network, data):
    word = data.draw(inputs_of(network, bound=mpq(2)))
    ball = reachable_ball(network, input_bound=2)
    assert ball.holds(elman(network), (mpq(2),) * network.circuit.input_size)
    for state in run(network, word, record="all").trace.states:
        assert dot(state, state) <= ball.radius**2


def test_the_ball_is_reached():
    """With one unit that only adds, the bound is the limit of the states, up to rounding."""
    ball = reachable_ball(recurrent([["1/2"]]), input_bound=1)
    assert ball.drive == 1
    assert 2 <= ball.radius <= 2 + mpq(1, 2**16)
    last = run(recurrent([["1/2"]]), [1] * 60).final_state[0]
    assert 2 - last < mpq(1, 2**58)


def test_other_networks_are_no_simple_rnns():
    two = MultiLayerRNN(V=[[[0]], [[0]]], W=[[[1]], [[1]]], b=[[0], [0]], s=[[0], [0]], readout_weight=[1])
    with pytest.raises(ConstructionError, match="2 layers"):
        contractivity(two)
    with pytest.raises(ConstructionError, match="no simple RNN"):
        contractivity(gated_counter())
    with pytest.raises(OptionError, match="missing"):
        reachable_ball(recurrent([["1/2"]]))
    with pytest.raises(ConstructionError, match="above 1"):
        reachable_ball(recurrent([[3]]), input_bound=1)
