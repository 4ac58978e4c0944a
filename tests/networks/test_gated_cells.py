"""Gated cells mean their textbook equations, evaluated in `cells` without circuits."""

import inspect
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product

import gmpy2
import pytest
from cells import CELLS, DOUBLING, EXACT_SQUASHINGS, SMOOTH_SQUASHINGS, grus, width, words
from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn import networks
from exactnn.arithmetic import FloatFormat, Interval
from exactnn.networks import (
    GRU,
    LSTM,
    SQUASHINGS,
    DoublingLSTM,
    LSTMLayer,
    SimpleRNN,
    StackedRNN,
    load_network,
    save_network,
)
from exactnn.simulation import run

STARTS = {"h", "c", "s", "S"}
"""What start states are called."""


def test_every_layer_is_in_the_table():
    missing = layers() - {cell.layer.__name__ for cell in CELLS.values()}
    assert not missing, (
        f"{', '.join(sorted(missing))}: enter its equations and parameters in CELLS of tests/networks/cells.py"
    )


def layers():
    """Return the names of the layers that are public."""
    named = {name for name in networks.__all__ if name.endswith("Layer")} - {"RecurrentLayer"}
    return {getattr(networks, name).__name__ for name in named}  # two names may be one class


def network_of(kind, parameters):
    """Return the network of one layer, made by the function of its cell."""
    constructor = getattr(networks, CELLS[kind].function)
    if kind == "doubling":
        parameters.pop("p", None)  # its function has no peepholes
    return constructor(**parameters, readout_weight=[1] * CELLS[kind].layer(**parameters).hidden_size)


def check_states(network, equations, layer, start, word):
    """Compare every state of a run with the equations, exactly."""
    state, expected = start, [[x for vector in start for x in vector]]
    for x in word:
        state = equations(layer, state, x, EXACT_SQUASHINGS)
        expected.append([entry for vector in state for entry in vector])
    assert [list(seen) for seen in run(network, word, record="all").trace] == expected


@pytest.mark.parametrize("kind", CELLS)
@given(st.data())
def test_a_cell_is_its_equations(kind, data):
    _, equations, parameters, start, *_ = CELLS[kind]
    cell = data.draw(parameters(n=data.draw(st.integers(1, 2)), d=data.draw(st.integers(1, 2))))
    network = network_of(kind, cell)
    check_states(network, equations, cell, start(cell), data.draw(words(network.circuit.input_size, most=4)))


@pytest.mark.parametrize("kind", CELLS)
@settings(max_examples=6)
@given(st.data())
def test_every_executor_runs_a_cell(kind, data):
    network = network_of(kind, data.draw(CELLS[kind].parameters(n=1, d=data.draw(st.integers(1, 2)))))
    check_every_executor(network, data.draw(words(network.circuit.input_size, most=2)))


BOUNDED = {"gate": ["slu", "hard_sigmoid", "step", "limit_sigmoid"], "candidate": ["hard_tanh", "sign", "slu"]}


@given(st.data(), grus())
def test_the_states_of_a_gru_stay_between_minus_one_and_one(data, layer):
    network = bounded(data, layer)
    trace = run(network, data.draw(words(width(layer), most=5)), record="all").trace
    assert all(-1 <= x <= 1 for state in trace for x in state)


def bounded(data, layer):
    layer |= {kind: data.draw(st.sampled_from(names)) for kind, names in BOUNDED.items()}
    layer["h"] = [max(Fraction(-1), min(Fraction(1), x)) for x in layer["h"]]
    return GRU(**layer, readout_weight=[1] * len(layer["h"]))


@given(st.data(), grus(), st.integers(2, 12), st.integers(3, 6), st.sampled_from(["nearest even", "nearest away"]))
def test_they_stay_there_where_sums_are_rounded_to_nearest(data, layer, precision, exponent_bits, rounding):
    network = bounded(data, layer)
    format = FloatFormat(precision=precision, exponent_bits=exponent_bits, rounding=rounding)
    trace = run(network, data.draw(words(width(layer), most=5)), arithmetic=format, record="all").trace
    assert not any(abs(x) > 1 for state in trace for x in state)


def test_they_do_not_where_sums_are_rounded_up():
    """The gate is 1/16, and 15/16 is rounded to 1."""
    network = GRU(
        V={gate: [[0]] for gate in "rzn"},
        W={gate: [[0]] for gate in "rzn"},
        b={"r": [0], "z": ["1/16"], "n": [1]},
        h=[1],
        gate="slu",
        candidate="sign",
        readout_weight=[1],
    )
    up = FloatFormat(precision=3, exponent_bits=4, rounding="up")
    assert run(network, [[0]], arithmetic=up).outputs == [1.25]


def test_start_states_are_zero_if_they_are_not_given():
    one = {key: dict.fromkeys("ifgo", value) for key, value in (("V", [[1]]), ("W", [[1]]), ("b", [1]))}
    assert LSTM(**one, readout_weight=[1]) == LSTM(**one, h=[0], c=[0], readout_weight=[1])


def test_a_doubling_lstm_with_shared_forget_gates_cannot_keep():
    """With the same weights, f1 + f2 of saturated gates is 0 or 2; with weights of their own it is 0, 1 or 2."""

    def cell_states(f1, f2):
        zero = {gate: [[0, 0, 0]] for gate in DOUBLING}
        network = DoublingLSTM(
            V={gate: [[0]] for gate in DOUBLING},
            W={**zero, "f1": [f1], "f2": [f2]},
            b={gate: [0] for gate in DOUBLING},
            c=[5],
            readout_weight=[1],
            gate="step",
            candidate="sign",
            output="identity",
            alphabet="012",
        )
        return [run(network, letter).final_state[1] for letter in "012"]

    assert cell_states([0, 1, 1], [0, 0, 1]) == [0, 5, 10]
    for shared in product((-1, 0, 1), repeat=3):
        assert 5 not in cell_states(shared, shared)


@st.composite
def stacks(draw):
    """Kinds of layers with parameters that fit one upon the other, and a word."""
    size = width = draw(st.integers(1, 2))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    layers = []
    for kind in kinds:
        parameters = draw(CELLS[kind].parameters(n=draw(st.integers(1, 2)), d=size))
        layers.append((kind, parameters))
        size = CELLS[kind].layer(**parameters).hidden_size
    return layers, draw(words(width, most=2)), size


@settings(max_examples=60)
@given(stacks())
def test_a_stack_of_any_cells(stack):
    layers, word, top = stack
    network = StackedRNN([CELLS[kind].layer(**layer) for kind, layer in layers], readout_weight=[1] * top)
    states = [CELLS[kind].start(layer) for kind, layer in layers]
    expected, outputs = [flat(states)], []
    for x in word:
        for i, (kind, layer) in enumerate(layers):
            states[i] = CELLS[kind].equations(layer, states[i], x, EXACT_SQUASHINGS)
            x = states[i][0]
        expected.append(flat(states))
        outputs.append(sum(x))
    result = run(network, word, record="all")
    assert [list(state) for state in result.trace] == expected
    assert list(result.outputs) == outputs


@given(stacks())
def test_a_layer_can_be_made_of_its_own_parameters(stack):
    for kind, parameters in stack[0]:
        layer = CELLS[kind].layer(**parameters)
        assert replace(layer) == layer
        assert len(layer.start) >= layer.hidden_size


def test_every_squashing_has_an_equation():
    rational = {name for name, squashing in SQUASHINGS.items() if squashing.is_rational}
    for known, names in (("EXACT", rational), ("SMOOTH", SQUASHINGS.keys() - rational)):
        equations = {"EXACT": EXACT_SQUASHINGS, "SMOOTH": SMOOTH_SQUASHINGS}[known]
        missing = names - equations.keys()
        assert not missing, f"{missing}: enter the equation in {known}_SQUASHINGS of tests/networks/cells.py"


@pytest.mark.parametrize("name", sorted(EXACT_SQUASHINGS))
def test_a_squashing_is_its_equation_at_every_breakpoint(name):
    """There and on either side, where an equation with < is another one than with ≤; and far away."""
    breaks = {
        (bound - piece.offset) / piece.scale
        for piece in SQUASHINGS[name].pieces
        for bound in (0, piece.activation.low, piece.activation.high)
        if bound is not None
    }
    numbers = sorted({x + step for x in breaks for step in map(mpq, (0, "1/1000", "-1/1000", "1/3", "-1/3", 99, -99))})
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], activation=name, readout_weight=[1])
    found = run(network, [[x] for x in numbers]).outputs
    assert [Fraction(y) for y in found] == [EXACT_SQUASHINGS[name](Fraction(x)) for x in numbers]


@pytest.mark.parametrize("name", sorted(SMOOTH_SQUASHINGS))
def test_a_smooth_squashing_is_its_equation_in_narrow_enclosures(name):
    numbers = [mpq(i, 7) for i in range(-70, 71)]
    network = SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], activation=name, readout_weight=[1])
    found = run(network, [[x] for x in numbers], arithmetic=Interval(bits=200)).outputs
    with gmpy2.context(precision=300):
        for x, enclosure in zip(numbers, found, strict=True):
            value, error = mpq(SMOOTH_SQUASHINGS[name](gmpy2.mpfr(x))), mpq(1, 2**250)
            assert enclosure.low - error <= value <= enclosure.high + error, x
            assert enclosure.width < mpq(1, 2**150)


@pytest.mark.parametrize("kind", CELLS)
def test_what_is_not_given_of_a_cell(kind):
    """Start states are zero, gates are those of the table, and what is above the layer arrives."""
    cell = CELLS[kind]
    defaults = {field.name: field.default for field in fields(cell.layer)}
    found = {name: default for name, default in defaults.items() if isinstance(default, str) and default in SQUASHINGS}
    assert found == {name: cell.squashings.get(name) for name in found}
    optional = {name for name in STARTS & defaults.keys() if defaults[name] is None}
    if optional or not STARTS & defaults.keys():
        without = {name: value for name, value in cell.call.items() if name not in optional}
        assert not any(cell.layer(**without).start)
    layer = cell.layer(**cell.call)
    above = {"readout_weight": [2] * layer.hidden_size, "readout_bias": 7}
    made = getattr(networks, cell.function)(**cell.call, **above, name="mine")
    assert made == replace(StackedRNN([layer], **above), name="mine")
    assert (made.readout[0].bias, {weight for _, weight in made.readout[0].linear}) == (7, {2})


def test_a_layer_and_the_function_of_its_name_have_the_same_defaults():
    for name in layers():
        of_layer, of_function = (
            inspect.signature(getattr(networks, each)).parameters for each in (name, name.removesuffix("Layer"))
        )
        different = {
            field: (of_layer[field].default, of_function[field].default)
            for field in of_layer.keys() & of_function.keys()
            if of_layer[field].default != of_function[field].default
        }
        assert not different, f"{name} and the function of its name have other defaults: {different}"


def has_gates(layer):
    return "gate" in {field.name for field in fields(layer)}


def flat(states):
    return [entry for layer in states for vector in layer for entry in vector]


def test_units_are_named_by_gate_and_layer():
    parameters = {name: dict.fromkeys("ifgo", value) for name, value in (("V", [[1]]), ("W", [[1]]), ("b", [1]))}
    one = LSTM(**parameters, readout_weight=[1])
    names = [[unit.name for unit in layer] for layer in one.circuit.layers]
    assert names == [["i[0]", "f[0]", "g[0]", "o[0]"], ["c[0]"], ["output(c)[0]"], ["h[0]"]]
    two = StackedRNN([LSTMLayer(**parameters)] * 2, readout_weight=[1])
    assert two.circuit.state_names == ("h1[0]", "c1[0]", "h2[0]", "c2[0]")


@given(stacks(), st.sampled_from(sorted(SQUASHINGS)))
def test_files_keep_every_cell_and_squashing(tmp_path_factory, stack, squashing):
    layers, _, top = stack
    built = [
        CELLS[kind].layer(**layer, **({"gate": squashing} if has_gates(CELLS[kind].layer) else {}))
        for kind, layer in [(kind, {k: v for k, v in layer.items() if k != "gate"}) for kind, layer in layers]
    ]
    network = StackedRNN(built, readout_weight=[1] * top, alphabet="ab"[: built[0].input_size])
    path = tmp_path_factory.getbasetemp() / "stack.json"
    save_network(network, path)
    assert load_network(path) == network
