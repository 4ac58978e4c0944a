"""float64 and float32 runs, bit for bit, against a plain Python loop over the same circuit in numpy scalars."""

import math

import numpy as np
import pytest
from every_executor import check_run
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_circuit import Plain, bits, fraction, rounding
from strategies import dfas, extreme_rationals, network_words, networks_and_words, rationals, turing_machines

from exactnn.arithmetic import FLOAT32, FLOAT64
from exactnn.constructions import minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.networks import ACTIVATIONS, Activation, Circuit, Network, SimpleRNN, Unit
from exactnn.simulation import executor_for, run

FORMATS = [FLOAT64, FLOAT32]
LIMIT = 14
ROUNDED = st.one_of(rationals(), rationals(largest=10**9), extreme_rationals())


def check(network, word, format, limit=LIMIT):
    return check_run(network, word, format, rounding(format), limit)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@given(pair=networks_and_words(weights=ROUNDED))
def test_random_networks(format, pair):
    check(*pair, format)


@st.composite
def dense_networks(draw):
    """Simple RNNs with rows long enough to be summed by columns."""
    size = draw(st.integers(8, 12))
    weight = st.one_of(rationals(), extreme_rationals())
    row = st.lists(weight, min_size=size, max_size=size)
    matrix = st.lists(row, min_size=size, max_size=size)
    return SimpleRNN(
        V=draw(matrix),
        W=draw(matrix),
        b=draw(row),
        s=draw(row),
        readout_weight=draw(row),
        activation=draw(st.sampled_from(["relu", "slu", "heaviside", "identity"])),
    )


@pytest.mark.parametrize("format", FORMATS, ids=str)
@settings(max_examples=12)
@given(network=dense_networks(), data=st.data())
def test_dense_networks(format, network, data):
    check(network, data.draw(network_words(network, max_size=4)), format)


@st.composite
def dense_circuits(draw):
    """Two layers of long rows over 5 + 4 registers, in ascending order, in another order, or with repetitions."""
    order = draw(st.sampled_from(["sorted", "shuffled", "repeated"]))

    def unit(name, available):
        registers = list(range(available))
        if order == "shuffled":
            registers = draw(st.permutations(registers))
        elif order == "repeated":
            registers = sorted([*registers, draw(st.sampled_from(registers))])
        bilinear = draw(
            st.lists(st.tuples(st.sampled_from(registers), st.sampled_from(registers), ROUNDED), max_size=1)
        )
        return Unit(
            name=name,
            bias=draw(ROUNDED),
            linear=tuple((register, draw(ROUNDED)) for register in registers),
            bilinear=tuple(bilinear),
            activation=draw(st.sampled_from(tuple(ACTIVATIONS.values()))),
        )

    layers = tuple(tuple(unit(f"u{depth}.{i}", 9 + 3 * depth) for i in range(3)) for depth in range(2))
    return Network(
        circuit=Circuit(state_size=5, input_size=4, layers=layers, next_state=(12, 13, 14, 9, 0)),
        initial_state=tuple(draw(ROUNDED) for _ in range(5)),
        readout=(unit("y", 5),),
    )


@pytest.mark.parametrize("format", FORMATS, ids=str)
@settings(max_examples=20)
@given(network=dense_circuits(), data=st.data())
def test_dense_circuits(format, network, data):
    check(network, data.draw(network_words(network, max_size=3)), format)


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_a_sum_in_descending_order_is_summed_in_descending_order(format):
    big = mpq(2) ** (format.precision + 1)
    weights = [1, big, -big, *[1] * 7]
    states = []
    for order in (1, -1):
        terms = tuple(enumerate(map(mpq, weights)))[::order]
        units = tuple(Unit(name=f"u{i}", bias=mpq(0), linear=terms) for i in range(10))
        network = Network(
            circuit=Circuit(state_size=10, input_size=0, layers=(units,), next_state=tuple(range(10, 20))),
            initial_state=(mpq(1),) * 10,
            readout=(Unit(name="y", bias=mpq(0)),),
        )
        states.append(check(network, [()], format).final_state)
    assert states[0] != states[1]


@pytest.mark.mostly_slow(quick=3)
@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("compiled", [siegelmann_sontag, siegelmann_sontag_book])
@settings(max_examples=10)
@given(machine=turing_machines(max_states=2), data=st.data())
def test_compiled_turing_machines(format, compiled, machine, data):
    network = compiled(machine).network
    check(network, data.draw(network_words(network, max_size=4)), format, limit=24)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@given(dfa=dfas(), data=st.data())
def test_compiled_automata_are_exact_in_floats(format, dfa, data):
    network = minsky(dfa).network
    word = data.draw(network_words(network))
    result = check(network, word, format)
    assert list(result.trace) == Plain(network, fraction).run(word, LIMIT)[1]


def test_both_ways_of_summing_are_met():
    square = [[1] * 9] * 9
    dense = SimpleRNN(V=square, W=square, b=[0] * 9, s=[0] * 9, readout_weight=[1] * 9)
    sparse = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert executor_for(dense, FLOAT64).engine == "float64 column-sparse (numba)"
    assert executor_for(sparse, FLOAT32).engine == "float32 row-sparse (numba)"


def growing(weight, activation="identity", **changes):
    parameters = {"V": [[weight]], "W": [[1]], "b": [0], "s": [1], "readout_weight": [1], **changes}
    return SimpleRNN(activation=activation, **parameters)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize(
    ("activation", "last"), [("identity", math.inf), ("relu", math.inf), ("slu", 1.0), ("heaviside", 1.0)]
)
def test_overflow_is_infinite(format, activation, last):
    network = growing(10**400, activation)
    result = check(network, [0] * 3, format)
    assert result.outputs[-1] == last
    assert run(network, [0] * 3).outputs[-1] == (10**1200 if last == math.inf else 1)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("activation", ["identity", "relu", "slu", "heaviside"])
def test_infinity_minus_infinity_is_not_a_number(format, activation):
    huge = [[10**200, -(10**200)], [10**200, 10**200]]
    network = SimpleRNN(V=huge, W=[[0], [0]], b=[0, 0], s=[1, -1], readout_weight=[1, 1], activation=activation)
    result = check(network, [0] * 6, format)
    if activation == "identity":
        assert math.isnan(result.outputs[-1])


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("activation", ["identity", "relu", "slu", "heaviside"])
def test_zero_times_infinity_is_not_a_number(format, activation):
    network = growing(1, activation, W=[[10**400]], s=[0])
    result = check(network, [0, 0], format)
    assert math.isnan(result.outputs[0]) == (activation != "heaviside")


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_underflow_is_gradual(format):
    result = check(growing("1/2"), [0] * 1100, format, limit=1100)
    smallest = mpq(1, 2 ** (1074 if format is FLOAT64 else 149))
    assert smallest in list(map(mpq, result.outputs))
    assert result.outputs[-1] == 0


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_there_is_no_fused_multiply_add(format):
    """(1+u)(1-u) - 1 is -u^2 when fused and 0 when the product is rounded first."""
    u = format.unit_roundoff * 2
    network = growing(1 - u, s=[1 + u], b=[-1])
    assert check(network, [0], format).outputs[0] == 0
    assert run(network, [0]).outputs[0] == -u * u


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_sums_are_not_reordered(format):
    big = mpq(2) ** (format.precision + 1)
    network = SimpleRNN(
        V=[[0] * 3] * 3, W=[[0]] * 3, b=[0] * 3, s=[1, 1, 1], readout_weight=[big, 1, -big], readout_bias=0
    )
    assert run(network, [], arithmetic=format).initial_output == 0.0
    assert run(network, []).initial_output == 1


def zeros_network(terms, activation=Activation.IDENTITY):
    """A network that copies its input into the state and reads it out after a bias that rounds to -0."""
    bias = mpq(-1, 10**400)
    u = Unit(name="u", bias=bias, linear=tuple((terms + i, mpq(1)) for i in range(terms)), activation=activation)
    return Network(
        circuit=Circuit(
            state_size=terms, input_size=terms, layers=((u,) * terms,), next_state=tuple(range(2 * terms, 3 * terms))
        ),
        initial_state=(mpq(0),) * terms,
        readout=(Unit(name="y", bias=bias, linear=((0, mpq(1)),)),),
    )


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("terms", [1, 9])
@pytest.mark.parametrize("signs", [(0, -1, 0, -1), (-1, -1, 0, 0)])
@pytest.mark.parametrize("activation", [a for a in ACTIVATIONS.values() if a.is_rational], ids=str)
def test_the_sign_of_a_zero_is_kept_where_values_may_be_negative(format, terms, signs, activation):
    word = [(mpq(sign, 10**400),) * terms for sign in signs]
    network = zeros_network(terms, activation)
    check(network, word, format)
    signs_met = {
        math.copysign(1, x) for state in run(network, word, arithmetic=format, record="all").trace for x in state
    }
    assert signs_met == ({1, -1} if activation.low is None or activation.low < 0 else {1})


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("word", [[mpq(-1, 10**400)] * 6, [mpq(-1, 10**400), 0] * 3], ids=["one input", "two inputs"])
def test_outputs_that_alternate_between_the_two_zeros(format, word):
    tiny = mpq(-1, 10**400)
    network = SimpleRNN(
        V=[[-1]], W=[[1]], b=[tiny], s=[0], readout_weight=[1], readout_bias=tiny, activation="identity"
    )
    outputs = run(network, word, arithmetic=format).outputs
    assert bits(list(outputs)) == bits(Plain(network, rounding(format)).run(word, 6)[2][1:])
    assert {math.copysign(1, y) for y in outputs} == {1, -1}


def test_float32_numbers_are_float32_numbers():
    result = run(growing("1/3"), [0] * 5, arithmetic=FLOAT32, record="all")
    assert all(float(np.float32(x)) == x for state in result.trace for x in state)
