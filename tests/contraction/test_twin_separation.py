"""A contractive network and its unitary twin in formats: together while the further units are held, and only then."""

from dataclasses import replace

import pytest
from contractive_networks import bound_of, contractive_networks, inputs_of
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.contraction import elman, twin_separation

FLOATS = (xn.FLOAT64, xn.FLOAT32, xn.TF32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3, xn.FLOAT8_E5M2, xn.FLOAT6_E3M2,
          xn.FLOAT6_E2M3, xn.FLOAT4_E2M1)  # fmt: skip
TERM_BY_TERM = (
    *FLOATS,
    xn.FloatFormat(precision=2, exponent_bits=4),
    xn.FloatFormat(precision=5, exponent_bits=5, subnormals=False),
    xn.FloatFormat(precision=5, exponent_bits=5, fused=True),
    xn.FloatFormat(precision=5, exponent_bits=5, summation="bias last"),
    xn.FloatFormat(precision=5, exponent_bits=5, accumulator=xn.FloatFormat(precision=3, exponent_bits=4)),
    xn.FloatFormat(precision=5, exponent_bits=5, accumulator=xn.FLOAT32, summation="bias last"),
    *(xn.FloatFormat(precision=4, exponent_bits=5, rounding=name) for name in ("up", "down", "toward zero")),
    xn.FixedPoint(integer_bits=24, fraction_bits=1),
    xn.FixedPoint(integer_bits=24, fraction_bits=8, rounding="up"),
    xn.FixedPoint(integer_bits=24, fraction_bits=8, accumulator=xn.FixedPoint(integer_bits=12, fraction_bits=4)),
)
"""Formats in which sums are formed term by term, with rounding that is not random."""


def unitary(network, **options):
    """With biases as high as exact runs allow, so that rounding shows."""
    return xn.unitary(network, room=1, **options)


def leaky(weight):
    return xn.SimpleRNN(V=[[weight]], W=[[1]], b=[0], s=[0], readout_weight=[1])


def separated(weight, bound, format, *, steps=60, input_bound=None):
    """What a network with one unit and its largest input do, all the time."""
    return twin_separation(unitary(leaky(weight), input_bound=input_bound or bound), [[bound]] * steps, format)


@given(st.data(), st.sampled_from(TERM_BY_TERM), st.sampled_from(["2n", "5n"]))
def test_networks_are_together_until_a_further_unit_is_released(data, format, form):
    network = data.draw(contractive_networks())
    twin = unitary(network, input_bound=bound_of(network), form=form)
    word = data.draw(inputs_of(network, max_size=10)) * data.draw(st.integers(1, 3))
    found = twin_separation(twin, word, format)
    if found.first_separation is not None:
        assert found.first_release is not None
        assert found.first_release < found.first_separation
    last = found.steps if found.first_release is None else found.first_release
    assert all(distance in (0, None) for distance in found.squared_separations[: last + 1])
    assert found.original_errors[: last + 1] == found.twin_errors[: last + 1]


@given(st.data(), st.sampled_from([xn.RATIONAL, xn.EXACT]))
def test_nothing_separates_in_exact_arithmetic(data, arithmetic):
    network = data.draw(contractive_networks())
    twin = unitary(network, input_bound=bound_of(network))
    found = twin_separation(twin, data.draw(inputs_of(network)), arithmetic)
    assert found.together
    assert found.first_release is None
    assert found.released is None
    assert {*found.squared_separations, *found.original_errors, *found.twin_errors} == {0}


@given(st.data(), st.sampled_from([xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16]))
def test_with_room_for_the_rounding_the_twins_are_together(data, format):
    """The input bound is twice that of the words."""
    network = data.draw(contractive_networks())
    if network.alphabet is not None:
        network = replace(network, alphabet=None, decision=xn.networks.Decision(protocol=xn.networks.Protocol.OUTPUTS))
    twin = unitary(network, input_bound=2)
    found = twin_separation(twin, data.draw(inputs_of(network, max_size=20)), format)
    matrices = elman(network)
    if any(map(any, matrices.W)):
        assert found.together
        assert found.first_release is None


@pytest.mark.parametrize(
    ("weight", "bound", "format", "release", "separation"),
    [
        ("1/4", "29/10", xn.FLOAT32, 14, 15),
        ("1/4", "7/10", xn.FLOAT16, 7, 8),
        ("4/5", "7/10", xn.BFLOAT16, 21, 22),
        ("4/5", "7/10", xn.FLOAT8_E4M3, 11, 12),
        ("1/4", "7/10", xn.FLOAT8_E5M2, 3, None),
        ("3/5", 3, xn.FixedPoint(integer_bits=8, fraction_bits=8), 12, 13),
    ],
)
def test_a_further_unit_is_released_in_round_to_nearest(weight, bound, format, release, separation):
    """The slack of the biases is less than what rounding adds; what follows may be rounded away again."""
    found = separated(weight, bound, format)
    assert (found.first_release, found.first_separation) == (release, separation)
    assert found.released == "held[0]"
    assert found.together == (separation is None)
    if separation is not None:
        assert found.squared_separations[separation] > 0 == found.squared_separations[separation - 1]


def test_the_release_by_hand():
    """w = 1/4, inputs of 29/10, in float32, operation by operation."""
    rounded = xn.FLOAT32.rounded
    twin = unitary(leaky("1/4"), input_bound="29/10")
    matrices = elman(twin.network)
    weight, bias, drive = rounded(matrices.V[1][0]), rounded(matrices.b[1]), rounded(mpq(29, 10))
    state, held = mpq(0), []
    for _ in range(14):
        held.append(max(mpq(rounded(bias + rounded(weight * state))), 0))
        state = rounded(rounded(mpq(1, 4) * state) + drive)
    assert held[:13] == [0] * 13
    assert held[13] > 0


def test_a_wider_input_bound_holds_the_units():
    for format in (xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E4M3):
        for weight, bound in (("1/4", mpq(29, 10)), ("4/5", mpq(7, 10))):
            found = separated(weight, bound, format, input_bound=bound * mpq(3, 2))
            assert found.first_release is None
            assert found.together


def test_a_bias_beyond_a_format_without_infinity_is_nan_at_once():
    found = separated("3/5", 300, xn.FLOAT8_E4M3, steps=3)  # the bias is -600, the largest number 448
    assert found.first_release == 1
    assert found.first_separation == 2
    assert found.squared_separations[:3] == (0, 0, None)
    assert found.twin_errors[2] is None
    assert found.original_errors[2] is not None


def test_an_infinite_bias_holds_its_unit():
    huge = xn.FloatFormat(precision=4, exponent_bits=4)  # the largest number is 240
    found = separated("3/5", 100, huge, input_bound=300)
    assert found.together
    assert found.first_release is None


def test_a_bias_that_is_cut_to_the_largest_number_releases_its_unit():
    """The first further unit reads both units: 15/2 + 1/3 * 15/2 is more than 15/2, the largest number."""
    assert xn.FLOAT6_E2M3.largest == mpq(15, 2)
    network = xn.SimpleRNN(V=[["1/2", "-1/2"], [0, 0]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    found = twin_separation(unitary(network, input_bound="15/2"), [["15/2"]] * 3, xn.FLOAT6_E2M3)
    assert found.first_release == 2
    assert found.released == "held[0]"


def test_wrap_around_releases_units():
    """W3 h - M is below the lowest number, -32, when h is (0, 17/2)."""
    wraps = xn.FixedPoint(integer_bits=6, fraction_bits=8, overflow="wrap")
    network = xn.SimpleRNN(V=[["1/2", "1/2"], [0, 0]], W=[[0], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 0])
    twin = unitary(network, input_bound="17/2")
    word = [["17/2"]] * 9
    assert twin_separation(twin, word, replace(wraps, overflow="saturate")).first_release is None
    assert twin_separation(twin, word, wraps).first_release == 2


@pytest.mark.parametrize("options", [{"summation": "pairwise"}, {"rounding": "stochastic"}])
def test_sums_in_pairs_and_random_rounding_separate_while_all_units_are_held(options):
    rows = [["1/3", "1/5"], ["1/7", "1/3"]]
    network = xn.SimpleRNN(V=rows, W=[[1, "1/3"], ["2/3", "1/9"]], b=["1/11", "1/13"], s=[0, 0], readout_weight=[1, 1])
    format = xn.FloatFormat(precision=8, exponent_bits=8, **options)
    found = twin_separation(unitary(network, input_bound=4), [["1/3", "2/7"]] * 30, format)
    assert found.first_release is None
    assert found.first_separation is not None
    assert not found.together


def test_wrong_input():
    twin = unitary(leaky("3/5"), input_bound=3)
    with pytest.raises(xn.ExactnnError, match="is no unitary twin"):
        twin_separation(leaky("3/5"), [3], xn.FLOAT32)
    with pytest.raises(xn.ExactnnError, match="at position 1 is beyond the input bounds"):
        twin_separation(twin, [3, 4], xn.FLOAT32)
    with pytest.raises(xn.ExactnnError, match=r"beyond the numbers of q2\.4"):
        twin_separation(twin, [3], xn.FixedPoint(integer_bits=2, fraction_bits=4))
