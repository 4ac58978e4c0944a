"""Moore and Mealy machines in networks: every word, the commuting square, extraction, comparison, files."""

import itertools

import pytest
from every_construction import EDGES, REMAINDER, every, of_kind
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import MealyMachine, MooreMachine, configurations, output_word, translation
from exactnn.constructions import compile, minsky_mealy


@st.composite
def tables(draw):
    """States, symbols and transitions."""
    states = [f"q{i}" for i in range(draw(st.integers(1, 4)))]
    symbols = "abc"[: draw(st.integers(1, 3))]
    state = st.sampled_from(states)
    return states, symbols, {q: {a: draw(state) for a in symbols} for q in states}


OUTPUTS = st.sampled_from(["x", "y", "", "long one", 3])


@every(of_kind(MealyMachine))
@given(tables(), st.data())
def test_mealy_machines(compiled, table, data):
    states, symbols, transitions = table
    outputs = {q: {a: data.draw(OUTPUTS) for a in symbols} for q in states}
    machine = MealyMachine(
        states=states, input_symbols=symbols, transitions=transitions, initial_state="q0", outputs=outputs
    )
    word = data.draw(st.text(symbols, max_size=7))
    net = compiled(machine)
    run = xn.run(net, word, record="all")
    assert tuple(map(net.said, run.outputs)) == translation(machine, word)
    assert list(map(net.decode, run.trace)) == list(configurations(machine, word))
    assert xn.equivalent(machine, net).equal


@every(of_kind(MooreMachine))
@given(tables(), st.data())
def test_moore_machines(compiled, table, data):
    states, symbols, transitions = table
    outputs = {q: data.draw(OUTPUTS) for q in states}
    machine = MooreMachine(
        states=states, input_symbols=symbols, transitions=transitions, initial_state="q0", outputs=outputs
    )
    word = data.draw(st.text(symbols, max_size=7))
    net = compiled(machine)
    run = xn.run(net, word, record="all")
    assert tuple(map(net.said, run.outputs)) == output_word(machine, word)[1:]
    assert list(map(net.decode, run.trace)) == list(configurations(machine, word))
    assert xn.equivalent(machine, net).equal


@pytest.mark.parametrize("machine", [REMAINDER, EDGES], ids=["Moore", "Mealy"])
def test_the_units_are_the_transitions(machine):
    net = compile(machine)
    for word in map("".join, itertools.product("01", repeat=5)):
        for before, after in itertools.pairwise(configurations(machine, word)):
            assert after in machine.transitions[before].values()
        assert net.decode(xn.run(net, word).final_state) == list(configurations(machine, word))[-1]
    assert net.network.neurons == 1 + len(machine.states) * 2


def test_another_output_is_found():
    other = MealyMachine(
        states=EDGES.states,
        input_symbols="01",
        transitions=EDGES.transitions,
        initial_state="low",
        outputs={"low": {"0": "same", "1": "up"}, "high": {"0": "same", "1": "same"}},
    )
    found = xn.equivalent(other, compile(EDGES))
    assert (found.equal, found.witness, found.labels) == (False, ("1", "0"), ("same", "down"))


def test_extraction_gives_a_moore_machine_of_numbers():
    extracted = xn.extract_state_machine(minsky_mealy(EDGES).network, xn.FLOAT8_E4M3)
    assert extracted.complete
    marks = {tuple("1" if i == k else "0" for i in range(3)) for k in range(-1, 3)}
    assert set(extracted.minimal.outputs.values()) == marks
