"""The linear part of a unitary twin preserves its form, exactly, and no more than that in floats."""

import pytest
from contractive_networks import bound_of, contractive_networks
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.contraction import elman, norm_preservation

LEAKY = xn.SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
TWIN = xn.unitary(LEAKY, input_bound=3)


@given(st.data(), st.sampled_from(["2n", "5n"]))
def test_the_norm_is_constant_in_rationals(data, form):
    network = data.draw(contractive_networks())
    twin = xn.unitary(network, input_bound=bound_of(network), form=form)
    start = data.draw(st.lists(st.integers(-5, 5), min_size=twin.network.neurons, max_size=twin.network.neurons))
    start[0] = start[0] or 1
    found = norm_preservation(twin, start=start, steps=4)
    assert found.preserved
    assert found.squared_norms == (found.squared_norm,) * 5
    assert found.squared_norm == sum(d * x * x for d, x in zip(twin.certificate.form, start, strict=True))
    assert set(found.drifts) == {0}


def test_the_drift_in_a_format_is_that_of_its_operations():
    """h' = N h by hand, in a format of three bits: every product and every sum is rounded."""
    coarse = xn.FloatFormat(precision=3, exponent_bits=5)
    found = norm_preservation(TWIN, start=[1, 2], steps=6, arithmetic=coarse)
    matrix = [[mpq(coarse.rounded(entry)) for entry in row] for row in elman(TWIN.network).V]
    state = [mpq(1), mpq(2)]
    for squared, drift in zip(found.squared_norms, found.drifts, strict=True):
        assert squared == sum(x * x for x in state)
        assert drift == (squared - 5) / 5
        products = [[mpq(coarse.rounded(w * x)) for w, x in zip(row, state, strict=True)] for row in matrix]
        state = [mpq(coarse.rounded(sum(row))) for row in products]
    assert found.largest_drift == max(map(abs, found.drifts)) > 0
    assert not found.preserved


def test_float_norms_drift_less_in_wider_formats():
    drifts = [
        norm_preservation(TWIN, start=[1, 2], steps=50, arithmetic=format).largest_drift
        for format in (xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.FLOAT8_E4M3)
    ]
    assert 0 < drifts[0] < drifts[1] < drifts[2] < drifts[3]
    assert drifts[0] < mpq(1, 10**13) < mpq(1, 10**7) < drifts[1]


def test_the_norm_of_an_infinite_state_is_unknown():
    tiny = xn.FloatFormat(precision=4, exponent_bits=3)
    found = norm_preservation(TWIN, start=[15, 15], steps=3, arithmetic=tiny)
    assert found.squared_norms[1] is None
    assert found.drifts[1] is None
    assert found.largest_drift is None
    assert not found.preserved


def test_wrong_input():
    with pytest.raises(xn.ExactnnError, match="is no unitary twin"):
        norm_preservation(LEAKY, start=[1], steps=1)
    with pytest.raises(xn.ExactnnError, match=r"start=\[1\]: give a sequence of 2 numbers"):
        norm_preservation(TWIN, start=[1], steps=1)
    with pytest.raises(xn.ExactnnError, match="start is 0"):
        norm_preservation(TWIN, start=[0, 0], steps=1)
    for steps in (-1, 1.5, True):
        with pytest.raises(xn.ExactnnError, match="give a whole number from 0"):
            norm_preservation(TWIN, start=[1, 0], steps=steps)
