"""Activations as data: any clamp and any jump, in every arithmetic; piecewise linear functions from breakpoints."""

import json
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import pytest
from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.constructions.folding import fold_network
from exactnn.equivalence import state_bound
from exactnn.errors import NetworkError, NumberError
from exactnn.networks import ACTIVATIONS, GRULayer, Kind, LSTMLayer, SimpleRNNLayer
from exactnn.networks.network_file import network_from_json, network_to_json
from exactnn.networks.squashing import SQUASHINGS
from exactnn.simulation import short_run
from exactnn.simulation.executor import Basic, basic, basic_twin
from tests.strategies import rationals

ONE = mpq(1)
OWN = (
    xn.Activation(name="clip", low=-2, high="3/7"),
    xn.Activation(name="at most", high="5/3"),
    xn.Activation(name="at least", low="-1/3"),
    xn.Activation(name="above", low="1/4", high=2),
    xn.Activation(name="sign or so", kind="jump", low=-1, high="1/2"),
)
"""One of every form that the named ones do not have."""
FAR = 40
"""Where smooth functions have come as near to their bounds as float64 tells."""
BOUNDS = st.one_of(st.none(), rationals())


@st.composite
def activations(draw):
    """A clamp or a jump with any bounds."""
    low, high = draw(BOUNDS), draw(BOUNDS)
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high) + (low == high)
    jump = draw(st.booleans()) and low is not None and high is not None
    return xn.Activation(name="drawn", kind="jump" if jump else "clamp", low=low, high=high)


def one_unit(activation, **changes):
    made = {
        "V": [["1/2", -1], [1, "1/3"]],
        "W": [[1], ["-3/4"]],
        "b": ["1/3", 0],
        "s": [0, 1],
        "readout_weight": [1, "-1/2"],
    }
    return xn.SimpleRNN(**made | changes, activation=activation)


def value(activation, x):
    """The definition, in one line for each kind."""
    if activation.kind is Kind.JUMP:
        return activation.high if x > 0 else activation.low
    x = x if activation.low is None else max(activation.low, x)
    return x if activation.high is None else min(activation.high, x)


@pytest.mark.parametrize("activation", OWN, ids=str)
def test_an_activation_of_ones_own_in_every_arithmetic(activation):
    check_every_executor(one_unit(activation), [(mpq(x),) for x in (1, -2, "1/8", 3, -5, 0)])


@given(activations(), st.lists(rationals(), min_size=1, max_size=6))
@example(xn.Activation(name="six", low=0, high=6), [mpq(9), mpq(-9)])
def test_exact_runs_of_any_clamp_and_jump(activation, word):
    network = one_unit(activation)
    reference = xn.run(network, word, arithmetic=xn.RATIONAL, record="all")
    fast = xn.run(network, word, record="all")
    assert (fast.trace.states, list(fast.outputs)) == (reference.trace.states, list(reference.outputs))
    single = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=activation)
    assert list(xn.run(single, word).outputs) == [value(activation, x) for x in word]


@given(activations())
def test_the_twin_has_the_four_activations(activation):
    twin = basic_twin(one_unit(activation))
    assert {basic(unit.activation) for layer in twin.circuit.layers for unit in layer} <= set(Basic)
    assert twin.circuit.state_names == one_unit(activation).circuit.state_names


def test_the_twin_is_made_once_after_the_first_steps_and_later_runs_know_what_earlier_ones_found_out(monkeypatch):
    network = one_unit("relu6")
    monkeypatch.setattr(short_run, "FIRST_SECONDS", 1e9)
    xn.run(network, [1, 7, -2])
    assert basic_twin not in network.laid_out
    monkeypatch.setattr(short_run, "FIRST_SECONDS", 0.0)
    xn.run(network, [1, 7, -2] * 400)
    twin = basic_twin(network)
    assert network.laid_out[basic_twin][1] is twin
    assert twin.laid_out
    assert basic_twin(replace(network)) is not twin


def test_a_readout_that_clamps_has_no_twin_and_runs_all_the_same():
    network = one_unit("relu")
    clamped = replace(network, readout=(replace(network.readout[0], activation=OWN[0]),))
    assert basic_twin(clamped) is None
    word = [1, 4, -3]
    assert list(xn.run(clamped, word).outputs) == list(xn.run(clamped, word, arithmetic=xn.RATIONAL).outputs)
    assert xn.run(clamped, word).engine == "exact: 3 steps in rationals"


@given(activations())
def test_network_files_keep_an_activation(activation):
    network = one_unit(activation)
    again = network_from_json(json.loads(json.dumps(network_to_json(network))))
    assert again == network
    assert [str(unit.activation) for unit in again.circuit.layers[0]] == ["drawn"] * 2


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "a", "kind": "leap"},
        {"name": 3, "kind": "clamp"},
        {"name": "a"},
        {"kind": "clamp"},
        [],
        None,
        "elu",
        {"name": "a", "kind": "clamp", "low": "1", "high": "0"},
        {"name": "a", "kind": "clamp", "slope": "2"},
        {"name": "a", "kind": "jump", "low": "1"},
        {"name": "a", "kind": "clamp", "low": 0.5},
    ],
)
def test_a_file_with_another_activation_is_refused(entry):
    data = network_to_json(one_unit("relu"))
    data["layers"][0][0]["activation"] = entry
    with pytest.raises(NetworkError):
        network_from_json(data)


@pytest.mark.parametrize("made", [
    {"kind": "leap"}, {"kind": "jump"}, {"kind": "jump", "low": 0}, {"low": 1, "high": 1}, {"low": 2, "high": 1},
    {"low": "x"}, {"name": ""}, {"name": None}, {"low": float("nan")},
    {"kind": "tanh", "low": 0}, {"kind": "sigmoid", "high": 2}, {"kind": "exp", "high": 5}, {"kind": "exp", "low": 1},
])  # fmt: skip
def test_what_is_no_activation(made):
    with pytest.raises((NetworkError, NumberError)):
        xn.Activation(**{"name": "a"} | made)


def test_a_smooth_one_has_its_own_bounds_and_no_others():
    assert xn.Activation(name="squash", kind="tanh", low=-1, high=1) == xn.Activation.TANH
    with pytest.raises(NetworkError, match=r"high of cut is .*5.*, and exp has none: leave it out, or clamp"):
        xn.Activation(name="cut", kind="exp", high=5)


@pytest.mark.parametrize("activation", [*ACTIVATIONS.values(), *OWN], ids=str)
def test_what_an_activation_says_of_itself_holds_for_its_values(activation):
    """Its bounds, whether it keeps 0 and whether it takes numbers no further apart: proofs rest on these."""
    unit = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=activation)
    numbers = [mpq(i, 8) for i in range(-8 * FAR, 8 * FAR + 1)]
    values = list(xn.run(unit, [[x] for x in numbers], xn.FLOAT64).outputs)
    slopes = [8 * (after - before) for before, after in pairwise(values)]
    assert min(slopes) >= 0, "it decreases"
    assert (max(slopes) <= 1) is activation.is_nonexpansive
    assert (values[numbers.index(0)] == 0) is activation.keeps_zero
    for end, bound in ((values[0], activation.low), (-values[-1], activation.high and -activation.high)):
        if bound is None:
            assert end <= -FAR, "it has a bound"
        else:
            assert abs(end - bound) < mpq(1, 10**12), "its bound is another one"


def test_it_is_a_frozen_value():
    slu = ACTIVATIONS["slu"]
    with pytest.raises(FrozenInstanceError):
        slu.low = ONE
    assert slu == xn.Activation(name="saturated", low=0, high=1)
    assert slu != ACTIVATIONS["heaviside"]
    assert hash(slu) == hash(xn.Activation(name="saturated", low=0.0, high="1"))


@pytest.mark.parametrize("name", sorted(SQUASHINGS))
def test_one_vocabulary(name):
    """Every name goes for a simple RNN and for every gate."""
    layer = SimpleRNNLayer(V=[[1]], W=[[1]], b=[0], s=[0], activation=name)
    xn.StackedRNN([layer], readout_weight=[1])
    gru = {gate: [[1]] for gate in "rzn"}, {gate: [0] for gate in "rzn"}
    GRULayer(V=gru[0], W=gru[0], b=gru[1], gate=name, candidate=name)
    lstm = {gate: [[1]] for gate in "ifgo"}, {gate: [0] for gate in "ifgo"}
    LSTMLayer(V=lstm[0], W=lstm[0], b=lstm[1], gate=name, candidate=name, output=name)


# --- breakpoints


def interpolated(points, below, above, x):
    """The function by its definition."""
    if x <= points[0][0]:
        return points[0][1] + below * (x - points[0][0])
    for (a, y), (b, z) in pairwise(points):
        if x <= b:
            return y + (z - y) * (x - a) / (b - a)
    return points[-1][1] + above * (x - points[-1][0])


@given(
    st.lists(rationals(), min_size=1, max_size=5, unique=True), st.data(), rationals(), rationals(),
    st.lists(rationals(), min_size=1, max_size=6),
)  # fmt: skip
def test_a_piecewise_linear_function_is_a_sum_of_units(places, data, below, above, word):
    points = [(x, data.draw(rationals())) for x in sorted(places)]
    function = xn.Squashing.piecewise_linear(points, below=below, above=above)
    network = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=function)
    word = [*word, *(x for x, _ in points)]
    expected = [interpolated(points, below, above, mpq(x)) for x in word]
    assert (
        list(xn.run(network, word).outputs) == list(xn.run(network, word, arithmetic=xn.RATIONAL).outputs) == expected
    )


@pytest.mark.parametrize("points", [[], [(0, 0), (0, 1)], [(1, 0), (0, 0)], [(0,)], [0], None, [("x", 0)]])
def test_what_are_no_breakpoints(points):
    with pytest.raises((NetworkError, NumberError)):
        xn.Squashing.piecewise_linear(points)


def test_a_clamp_folds_into_relu_units():
    network = one_unit(OWN[0])
    folded = fold_network(network)
    word = ["1/2", -3, 2]
    assert list(xn.run(folded.network, word).outputs) == list(xn.run(network, word).outputs)


def test_the_bound_on_states_counts_integers_between_bounds():
    clip = xn.Activation(name="clip", low=-1, high=2)
    network = xn.SimpleRNN(V=[[1]], W=[[3, -2]], b=[0], s=[0], readout_weight=[1], activation=clip, alphabet="ab")
    assert state_bound(network, xn.RATIONAL) == 4
    assert xn.extract_state_machine(network, xn.EXACT).states == 3  # 0, 2 and -1


# --- a kind that somebody forgot


def forgotten():
    """A network with an activation of a kind that nothing knows."""
    network = one_unit("relu")
    for unit in network.circuit.layers[0]:
        strange = replace(ACTIVATIONS["relu"], name="strange")
        object.__setattr__(strange, "kind", "strange")
        object.__setattr__(unit, "activation", strange)
    return network


@pytest.mark.parametrize("arithmetic", [
    xn.RATIONAL, xn.EXACT, xn.FLOAT64, xn.FLOAT32, xn.BFLOAT16, xn.FloatFormat(precision=113, exponent_bits=15),
    xn.FixedPoint(integer_bits=8, fraction_bits=8), xn.FixedPoint(integer_bits=40, fraction_bits=40),
    xn.Interval(bits=20),
], ids=str)  # fmt: skip
def test_an_unknown_kind_computes_nothing(arithmetic):
    """It must not be taken for another one."""
    with pytest.raises((AssertionError, KeyError, xn.ExactnnError)):
        xn.run(forgotten(), [1, 2], arithmetic=arithmetic)
