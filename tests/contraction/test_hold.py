"""What is certified to be held stays 0 on every word, and then the twins have the same states."""

import pytest
from contractive_networks import bound_of, contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.contraction import hold, twin_separation
from exactnn.contraction.states import states_on

FORMATS = (
    xn.FLOAT64,
    xn.FLOAT32,
    xn.FLOAT16,
    xn.BFLOAT16,
    xn.FLOAT8_E4M3,
    xn.FloatFormat(precision=12, exponent_bits=5, subnormals=False),
    xn.FloatFormat(precision=12, exponent_bits=6, fused=True, rounding="up"),
    xn.FloatFormat(precision=12, exponent_bits=6, summation="bias last", rounding="down"),
    xn.FixedPoint(integer_bits=24, fraction_bits=12),
    xn.FixedPoint(integer_bits=24, fraction_bits=8, rounding="up"),
)


def unitary(network, **options):
    """With biases as high as exact runs allow, so that rounding shows."""
    return xn.unitary(network, room=1, **options)


def leaky(weight):
    return xn.SimpleRNN(V=[[weight]], W=[[1]], b=[0], s=[0], readout_weight=[1])


@given(st.data(), st.sampled_from(FORMATS), st.sampled_from([1, mpq(9, 8), 2, 5]))
def test_certified_units_are_held_on_random_words(data, format, room):
    network = data.draw(contractive_networks())
    bound = bound_of(network)
    twin = unitary(network, input_bound=bound and bound * room)
    found = hold(twin, format, input_bound=bound)
    if found.certified:
        word = data.draw(inputs_of(network, max_size=8)) * 3
        runs = twin_separation(twin, word, format)
        assert runs.first_release is None
        assert runs.together
        for state in states_on(twin.original, network.inputs(word), format):
            assert sum(x * x for x in state) <= found.radius**2
        assert found.highest <= 0
        assert not found.reason
    else:
        assert found.reason


@pytest.mark.parametrize("format", [xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3])
def test_what_is_released_is_not_certified(format):
    seen = 0
    for weight in ("1/4", "4/5", "7/20", "13/20"):
        for tenths in (2, 7, 13, 29):
            bound = mpq(tenths, 10)
            twin = unitary(leaky(weight), input_bound=bound)
            if twin_separation(twin, [[bound]] * 60, format).first_release is not None:
                seen += 1
                assert not hold(twin, format).certified
    assert seen


def test_room_for_the_rounding_is_certified():
    twin = unitary(leaky("4/5"), input_bound=2)
    certified = [hold(twin, format, input_bound=1).certified for format in FORMATS[:5]]
    assert certified == [True, True, True, True, False]
    assert hold(twin, xn.FLOAT64).certified
    found = hold(twin, xn.FLOAT16, input_bound=1)
    assert 5 < found.radius < mpq(51, 10)
    assert -3 < found.highest < mpq(-29, 10)  # 3/5 * 5 - 3/5 * 10, and rounding


@pytest.mark.parametrize(
    ("format", "weight", "bound", "reason"),
    [
        (xn.FloatFormat(precision=24, exponent_bits=8, accumulator=xn.FLOAT64), "3/5", 1, "accumulators"),
        (xn.FloatFormat(precision=24, exponent_bits=8, summation="pairwise"), "3/5", 1, "sums in pairs"),
        (xn.FloatFormat(precision=24, exponent_bits=8, rounding="stochastic"), "3/5", 1, "random"),
        (xn.FLOAT8_E4M3, "3/5", 300, "a number of the twin is beyond"),
        (xn.FLOAT8_E4M3, "1/100", 440, "a sum may be beyond"),
        (xn.FLOAT8_E4M3, "99/100", 1, "need not be contractive"),
        (xn.BFLOAT16, "4/5", "7/10", "may become positive"),
    ],
)
def test_reasons(format, weight, bound, reason):
    found = hold(unitary(leaky(weight), input_bound=bound), format)
    assert not found.certified
    assert reason in found.reason


def test_wrong_input():
    twin = unitary(leaky("3/5"), input_bound=3)
    with pytest.raises(xn.ExactnnError, match="is no unitary twin"):
        hold(leaky("3/5"), xn.FLOAT32)
    with pytest.raises(xn.ExactnnError, match="does not round: give a format"):
        hold(twin, xn.RATIONAL)
    with pytest.raises(xn.ExactnnError, match="right only for inputs up to 3"):
        hold(twin, xn.FLOAT32, input_bound=4)
    with pytest.raises(xn.ExactnnError, match=r"beyond the numbers of q2\.4"):
        hold(twin, xn.FixedPoint(integer_bits=2, fraction_bits=4))
