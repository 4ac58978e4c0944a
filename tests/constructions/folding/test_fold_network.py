"""Lemma 4.4: the simple RNN has the outputs of the network, at every length, on random networks of every shape."""

from dataclasses import replace

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_circuit import Plain, fraction
from strategies import network_words, networks, rationals

from exactnn.arithmetic import RATIONAL
from exactnn.automata import DFA
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.constructions.affine import var
from exactnn.constructions.folding import (
    InputLeaf,
    ReluForms,
    ReluUnit,
    StateLeaf,
    fold_network,
    hidden_layer_form,
    matrix_step,
    relu_forms,
)
from exactnn.errors import ConstructionError, NetworkError, OptionError, WordError
from exactnn.machine_files import load
from exactnn.networks import (
    EOS,
    Activation,
    Circuit,
    Decision,
    MultiLayerRNN,
    Network,
    Protocol,
    SimpleRNN,
    affine_unit,
)
from exactnn.simulation import executor_for, run


def continuous(unit):
    activation = Activation.RELU if unit.activation == Activation.HEAVISIDE else unit.activation
    return replace(unit, bilinear=(), activation=activation)


def affine(unit):
    return replace(unit, bilinear=(), activation=Activation.IDENTITY)


def piecewise_linear(network):
    """Return the network without products and jumps, with an affine readout."""
    layers = tuple(tuple(map(continuous, layer)) for layer in network.circuit.layers)
    return replace(
        network, circuit=replace(network.circuit, layers=layers), readout=tuple(map(affine, network.readout))
    )


@st.composite
def networks_and_words(draw, **options):
    network = piecewise_linear(draw(networks(**options)))
    return network, draw(network_words(network, max_size=4)), draw(st.integers(0, 3))


def exact_fraction(value):
    return fraction(mpq(value))


def plain_outputs(network, word, eos):
    """Return the states and outputs of the definition, in fractions, the EOS symbols one by one."""
    plain = Plain(network, exact_fraction)
    vectors = [*plain.vectors(word), *([plain.one_hot("EOS")] * eos if network.decision.protocol.reads_eos else [])]
    state = plain.start()
    states, outputs = [state], [plain.output(state)]
    for vector in vectors:
        state = plain.step(state, vector)
        states.append(state)
        outputs.append(plain.output(state))
    return states, outputs


def folded_outputs(folded, word, eos):
    """Return the original's states, and all outputs, of the simple RNN on the padded word."""
    network = folded.network
    executor = executor_for(network, RATIONAL)
    inputs = network.inputs(folded.pad(word))
    if network.decision.protocol.reads_eos:
        inputs = [*inputs, *[network.alphabet.index("EOS")] * (eos * folded.steps_per_step)]
    state = executor.start()
    raw = [executor.values(state)]
    for symbol in inputs:
        state = executor.advance(state, symbol, 1, until_decided=False).state
        raw.append(executor.values(state))
    counted = raw[:: folded.steps_per_step]
    return [folded.original_state(values) for values in counted], [executor.output(values) for values in raw]


@given(networks_and_words())
def test_the_simple_rnn_has_the_same_states_and_outputs_at_every_length(case):
    network, word, eos = case
    folded = fold_network(network)
    states, outputs = plain_outputs(network, word, eos)
    found, raw = folded_outputs(folded, word, eos)
    assert found == states
    assert raw[:: folded.steps_per_step] == outputs


@given(networks_and_words())
def test_it_is_a_simple_rnn_and_silent_between_the_steps_that_count(case):
    network, word, eos = case
    folded = fold_network(network)
    (layer,) = folded.network.circuit.layers
    size = folded.network.neurons
    assert len(layer) == size
    assert {unit.activation for unit in layer} <= {Activation.RELU}
    assert not any(unit.bilinear for unit in layer)
    assert folded.network.circuit.next_state == tuple(
        range(size + network.circuit.input_size, 2 * size + network.circuit.input_size)
    )
    _, raw = folded_outputs(folded, word, eos)
    between = [y for t, y in enumerate(raw) if t % folded.steps_per_step]
    silent = 0 if network.scalar_output else (0,) * len(network.readout)
    assert all(y == silent for y in between)


@given(networks_and_words(max_layers=2, max_state=2, max_input=1))
def test_one_hidden_layer_where_there_is_such_a_form_and_a_kink_where_not(case):
    network, word, eos = case
    forms = relu_forms(network)
    found = hidden_layer_form(forms)
    if found.exists:
        folded = fold_network(network, hidden_layers=1)
        assert folded.steps_per_step == 1
        states, outputs = plain_outputs(network, word, eos)
        assert folded_outputs(folded, word, eos) == (states, outputs)
    else:
        assert found.exists is False
        with pytest.raises(ConstructionError, match="has no form with one hidden layer: the slope"):
            fold_network(network, hidden_layers=1)
        check_kink(network, forms, found.kink)


def check_kink(network, forms, kink):
    """The slope of the definition jumps at both points of the hyperplane, by different amounts."""
    size = network.circuit.state_size
    plain = Plain(network, exact_fraction)
    leaves = [*map(StateLeaf, range(size)), *map(InputLeaf, range(network.circuit.input_size))]
    leaf, weight = next(iter(kink.hyperplane.terms.items()))

    def value(point, shift):
        numbers = [point.get(name, 0) + (shift if name == leaf else 0) for name in leaves]
        numbers = [exact_fraction(x) for x in numbers]
        following = plain.step(numbers[:size], numbers[size:])
        return mpq(following[kink.component])

    for point, jump in zip(kink.points, kink.jumps, strict=True):
        assert kink.hyperplane.at(point) == 0
        step = mpq(1, 10**9) / weight
        assert value(point, step) + value(point, -step) - 2 * value(point, 0) == jump * mpq(1, 10**9)
    assert kink.jumps[0] != kink.jumps[1]


def test_the_maximum_of_two_numbers_and_zero_has_no_hidden_layer_form():
    """E5: continuous and piecewise linear, and yet no sum of ReLUs of affine forms."""
    x, y = InputLeaf(0), InputLeaf(1)
    inner, outer = ReluUnit(0, "inner"), ReluUnit(1, "outer")
    units = {inner: var(y), outer: var(x) - var(inner)}
    forms = ReluForms(units=units, next_state=(var(inner) + var(outer),), readout=(), leaf_names={x: "x", y: "y"})
    assert hidden_layer_form(forms).exists is False
    assert hidden_layer_form(forms, most_cells=2).exists is None


@st.composite
def nested_sums(draw):
    """A sum of nested functions of one variable each, and of a linear one: they all have a form with one layer."""
    leaves = [InputLeaf(i) for i in range(draw(st.integers(1, 2)))]
    units, output = {}, draw(rationals()) * var(leaves[0]) + draw(rationals())
    for leaf in leaves:
        own = [var(leaf)]
        for _ in range(draw(st.integers(1, 3))):
            unit = ReluUnit(len(units), f"u{len(units)}")
            form = draw(rationals()) + sum((draw(rationals()) * part for part in own[1:]), draw(rationals()) * own[0])
            if form.terms:
                units[unit] = form
                own.append(var(unit))
        output = sum((draw(rationals()) * part for part in own), output)
    forms = ReluForms(units=units, next_state=(output,), readout=(), leaf_names={x: str(x.number) for x in leaves})
    points = draw(st.lists(st.tuples(*[rationals()] * len(leaves)), min_size=1, max_size=5))
    return forms, [dict(zip(leaves, point, strict=True)) for point in points]


def values_of(forms, point):
    values = dict(point)
    for unit, form in forms.units.items():
        values[unit] = max(mpq(0), form.at(values))
    return [form.at(values) for form in forms.next_state]


@given(nested_sums())
def test_the_form_with_one_hidden_layer_is_the_same_function(case):
    forms, points = case
    found = hidden_layer_form(forms)
    assert found.exists
    assert found.forms.hidden_layers == 1
    for point in points:
        assert values_of(found.forms, point) == values_of(forms, point)


def test_out_of_turn_all_units_of_a_layer_are_zero():
    network = MultiLayerRNN(
        V=[[[1]], [[1]]],
        W=[[[1, 2]], [[1]]],
        b=[[1], [1]],
        s=[[0], [3]],
        readout_weight=[1],
        readout_bias=5,
        alphabet="ab",
    )
    folded = fold_network(network)
    result = run(folded.network, folded.pad("abba"), arithmetic=RATIONAL, record="all")
    names = (
        "start",
        "h1[0]",
        "h2[0] for layer 2",
        "turn of layer 1",
        "h2[0]",
        "h1[0] for the next state",
        "turn of layer 2",
    )
    assert folded.network.circuit.state_names == names
    assert [result.initial_output, *result.outputs][1::2] == [0] * 4
    for t, state in enumerate(result.trace):
        turn = range(1, 4) if t % 2 else range(4, 7)
        assert {i for i, value in enumerate(state) if value} == (set(turn) if t else {0})


def test_a_nested_function_of_one_variable_has_one():
    """relu(1 - relu(1 - relu(x))) = slu(x)."""
    x = InputLeaf(0)
    a, b, c = (ReluUnit(i, name) for i, name in enumerate("abc"))
    units = {a: var(x), b: 1 - var(a), c: 1 - var(b)}
    forms = ReluForms(units=units, next_state=(var(c),), readout=(), leaf_names={x: "x"})
    found = hidden_layer_form(forms)
    assert found.exists
    assert len(found.forms.units) == 2
    assert found.forms.hidden_layers == 1


@given(st.data())
def test_a_step_given_by_matrices_becomes_a_simple_rnn_that_is_right_at_length_zero(data):
    n, m, d = (data.draw(st.integers(1, 3)) for _ in range(3))
    vector = lambda size: st.lists(rationals(), min_size=size, max_size=size)  # noqa: E731
    U, V, W = (data.draw(st.lists(vector(w), min_size=h, max_size=h)) for h, w in ((n, m), (m, n), (m, d)))
    b, s, readout = data.draw(vector(m)), data.draw(vector(n)), data.draw(vector(n))
    word = data.draw(st.lists(vector(d), max_size=4))
    network = matrix_step(U=U, V=V, W=W, b=b, s=s, readout_weight=readout, readout_bias="1/2")
    result = run(fold_network(network).network, word, arithmetic=RATIONAL)
    h, expected = s, []
    dot = lambda row, values: sum((w * x for w, x in zip(row, values, strict=True)), mpq(0))  # noqa: E731
    for x in [None, *word]:
        if x is not None:
            hidden = [max(mpq(0), dot(V[j], h) + dot(W[j], x) + b[j]) for j in range(m)]
            h = [dot(row, hidden) for row in U]
        expected.append(dot(readout, h) + mpq(1, 2))
    assert [result.initial_output, *result.outputs] == expected


def test_a_simple_rnn_stays_as_large_as_it_is():
    parity = DFA(
        states=["even", "odd"],
        input_symbols="01",
        transitions={"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
        initial_state="even",
        final_states=["odd"],
    )
    folded = fold_network(minsky(parity).network)
    assert folded.steps_per_step == 1
    assert folded.network.neurons == minsky(parity).network.neurons == 5


@pytest.mark.parametrize("activation", ["slu", "relu"])
def test_an_eos_network_takes_d_times_as_many_eos_symbols(activation):
    network = MultiLayerRNN(
        V=[[[1]], [[1]]], W=[[[1, 0]], [["1/8"]]], b=[[0], [0]], s=[[0], [0]], readout_weight=[1],
        activation=activation, alphabet=["a", "EOS"],
    )  # fmt: skip
    network = replace(network, decision=replace(network.decision, threshold=mpq(1, 2)))
    folded = fold_network(network)
    direct, result = run(network, "aa", max_steps=20), run(folded.network, folded.pad("aa"), max_steps=40)
    assert direct.outcome is result.outcome
    assert result.eos_steps == folded.steps_per_step * direct.eos_steps


def test_a_turing_machine_network_in_slu_becomes_one_in_relu():
    net = siegelmann_sontag(load("anbn"))
    folded = fold_network(net.network)
    for word in ("", "ab", "aab"):
        result, direct = run(folded.network, word), run(net.network, word)
        assert (result.outcome, result.eos_steps) == (direct.outcome, direct.eos_steps)


def test_what_has_jumps_or_products_is_refused():
    step = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="heaviside")
    with pytest.raises(ConstructionError, match="heaviside unit, which is not continuous"):
        fold_network(step)
    (unit,) = step.circuit.layers[0]
    product = replace(unit, bilinear=((0, 1, mpq(1)),), activation=Activation.RELU)
    with pytest.raises(ConstructionError, match="multiplies two registers"):
        fold_network(replace(step, circuit=replace(step.circuit, layers=((product,),))))
    readout = replace(step.readout[0], activation=Activation.RELU)
    relu = replace(
        step, readout=(readout,), circuit=replace(step.circuit, layers=((replace(unit, activation="relu"),),))
    )
    with pytest.raises(ConstructionError, match="readout that is not affine"):
        fold_network(relu)


def eos_counter(threshold):
    """Return a network with two hidden layers, the output of which is -1 after the first EOS."""
    rows = (((0, 1),), ((2, 1),))
    layers = tuple((affine_unit(f"u{i}", dict(row), mpq(0), Activation.RELU),) for i, row in enumerate(rows))
    return Network(
        circuit=Circuit(state_size=1, input_size=1, layers=layers, next_state=(3,)),
        initial_state=(mpq(1),),
        readout=(affine_unit("y", {0: 1}, mpq(-2), Activation.IDENTITY),),
        alphabet=(EOS,),
        decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=threshold),
    )


def test_a_threshold_below_0_is_refused_where_the_silence_between_steps_would_be_a_verdict():
    kept = eos_counter(mpq(0))
    assert run(fold_network(kept).network).outcome == run(kept).outcome
    with pytest.raises(ConstructionError, match="has the threshold -1/2, and the output 0 between"):
        fold_network(eos_counter(mpq(-1, 2)))
    one = eos_counter(mpq(-1, 2))
    assert run(fold_network(one, hidden_layers=1).network).outcome == run(one).outcome


def test_wrong_options_and_words_are_refused():
    with pytest.raises(ConstructionError, match="fold_network folds a Network, not 5"):
        fold_network(5)
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    with pytest.raises(OptionError, match="hidden_layers=3: the step of 'simple RNN' has 1"):
        fold_network(network, hidden_layers=3)
    with pytest.raises(WordError, match="'b'"):
        fold_network(network).pad("b")
    with pytest.raises(NetworkError, match="U has 2 rows, not 1"):
        matrix_step(U=[[1], [1]], V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    assert network.decision.protocol is Protocol.END_OF_WORD
