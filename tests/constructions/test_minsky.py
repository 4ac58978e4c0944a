"""Minsky's construction: its size and weights, outputs 0 and 1, and the activations that agree on it."""

from itertools import product

import pytest
from every_construction import PARITY
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas, words

from exactnn.arithmetic import FLOAT32, FLOAT64, RATIONAL
from exactnn.automata import DFA, LOST, interpret
from exactnn.constructions import minsky
from exactnn.errors import ConstructionError
from exactnn.networks import Activation, Circuit, Network, Protocol, Unit
from exactnn.simulation import run


@given(dfas(), st.data())
def test_the_output_is_0_or_1(dfa, data):
    word = data.draw(words(dfa.input_symbols))
    prefixes = [interpret(dfa, word[:n]).verdict.value == "accept" for n in range(len(word) + 1)]
    result = run(minsky(dfa), word)
    assert [result.initial_output, *result.outputs] == [int(accepted) for accepted in prefixes]


@given(dfas())
def test_size_and_weights(dfa):
    network = minsky(dfa).network
    states, symbols = len(dfa.states), len(dfa.input_symbols)
    assert network.neurons == network.circuit.units == 1 + states * symbols
    units = [unit for layer in network.circuit.layers for unit in layer]
    assert {weight for unit in units for _, weight in unit.linear} <= {mpq(1)}
    assert {unit.bias for unit in units[1:]} == {mpq(-1)}
    assert {unit.activation for unit in units} == {Activation.RELU}
    assert network.decision.protocol is Protocol.END_OF_WORD
    assert sum(network.initial_state) == 1


def test_parity_has_five_neurons():
    assert minsky(PARITY).network.neurons == 5
    assert [str(run(minsky(PARITY), w).verdict) for w in ("", "0", "1", "11", "111", "0101")] == [
        *("reject", "reject", "accept", "reject", "accept", "reject")
    ]


def with_activation(network, activation):
    """Return `network` with another activation in every unit."""
    layers = tuple(
        tuple(Unit(name=u.name, bias=u.bias, linear=u.linear, activation=activation) for u in layer)
        for layer in network.circuit.layers
    )
    circuit = network.circuit
    return Network(
        circuit=Circuit(
            state_size=circuit.state_size, input_size=circuit.input_size, layers=layers, next_state=circuit.next_state
        ),
        initial_state=network.initial_state,
        readout=network.readout,
        alphabet=network.alphabet,
        decision=network.decision,
    )


@given(dfas(), st.data())
def test_relu_slu_and_heaviside_agree_in_every_arithmetic(dfa, data):
    network = minsky(dfa).network
    word = data.draw(words(dfa.input_symbols))
    reference = run(network, word, record="all")
    for activation, arithmetic in product(("relu", "slu", "heaviside"), (RATIONAL, FLOAT64, FLOAT32)):
        other = run(with_activation(network, Activation.named(activation)), word, arithmetic=arithmetic, record="all")
        assert list(other.trace) == list(reference.trace)
        assert other.outputs == reference.outputs
        assert other.verdict is reference.verdict


def test_an_alphabet_without_symbols_leaves_the_start_unit():
    dfa = DFA(states=["p"], input_symbols=[], transitions={}, initial_state="p", final_states=["p"])
    assert minsky(dfa).network.neurons == 1


def test_a_state_that_is_never_entered_has_no_unit():
    lonely = DFA(
        states="pq",
        input_symbols="a",
        transitions={"p": {"a": "p"}, "q": {"a": "p"}},
        initial_state="p",
        final_states="",
    )
    with pytest.raises(ConstructionError, match="'q' is never entered"):
        minsky(lonely).encode("q")


@pytest.mark.parametrize("state", [(0,) * 5, (0, 1, 1, 0, 0), (float("nan"),) * 5, (float("inf"), 0, 0, 0, 0)])
def test_a_state_of_no_automaton_state_or_of_several_is_lost(state):
    assert minsky(PARITY).decode(state) in (LOST, "even", "odd")
    if state[0] != float("inf"):
        assert minsky(PARITY).decode(state) == LOST


def test_a_rounded_state_is_still_read():
    construction = minsky(PARITY)
    state = construction.encode("odd")
    assert construction.decode(tuple(float(x) * 0.9 + 0.01 for x in state)) == "odd"
