"""What is special about the small network: its number of units, its three steps per move, how it reads a word."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeded_machines import next_configuration, reachable
from strategies import tape_configurations, turing_machines, words

from exactnn.arithmetic import RATIONAL
from exactnn.automata import TuringMachine, interpret
from exactnn.constructions import Phase, chung_siegelmann
from exactnn.machine_files import load
from exactnn.networks import EOS, Activation
from exactnn.simulation import advance_by, executor_for, run


def published_units(states, symbols):
    """Return 2|S| + ceil(log2 |Q|) + |Q||S| + 5."""
    return 2 * symbols + (math.ceil(math.log2(states)) if states else 0) + states * symbols + 5


def added_units(machine):
    """Return what halting, reading a word and a semi-infinite tape add."""
    letters = len(machine.input_symbols)
    loads = bool(letters) or machine.initial_state in machine.halting_states
    halting = sum(q in machine.halting_states for q in reachable(machine))
    return halting + loads * (2 + math.ceil(math.log2(letters + 1))) + 3 * (machine.tape == "semi_infinite")


def six_states(*, halts, symbols="_abc"):
    """A machine of six states and four symbols, with a halting state that is reached or not."""
    names = [f"u{i}" for i in range(6)]
    rows = {
        q: {a: (names[(i + j) % 6], symbols[(i * j + 1) % len(symbols)], "LR"[(i + j) % 2])
            for j, a in enumerate(symbols)}
        for i, q in enumerate(names)
    }  # fmt: skip
    if halts:
        rows["u0"]["_"] = ("H", "_", "R")
    return TuringMachine(
        states=[*names, "H"], input_symbols="", tape_symbols=symbols, transitions=rows, initial_state="u0",
        blank_symbol="_", halt_state="H", tape="two_way_infinite",
    )  # fmt: skip


def test_six_states_and_four_symbols_take_forty_units():
    assert published_units(6, 4) == 40
    assert chung_siegelmann(six_states(halts=False)).network.neurons == 40
    assert chung_siegelmann(six_states(halts=True)).network.neurons == 41


@given(turing_machines(max_states=6, max_symbols=5))
def test_the_number_of_units(machine):
    network = chung_siegelmann(machine).network
    states = sum(q not in machine.halting_states for q in reachable(machine))
    bare = published_units(states, len(machine.tape_symbols))
    assert network.neurons == network.circuit.units == bare + added_units(machine)
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.SLU}
    assert len(network.circuit.layers) == 1


@pytest.mark.parametrize(("name", "units"), [("bb2", 15), ("bb3", 18), ("bb4", 20), ("bb5", 23), ("bb2x4", 23)])
def test_busy_beavers(name, units):
    assert chung_siegelmann(load(name)).network.neurons == units


@st.composite
def machines_and_configurations(draw):
    machine = draw(turing_machines(max_states=5, max_symbols=4))
    working = [q for q in reachable(machine) if q in machine.transitions]
    return machine, draw(tape_configurations(machine, states=working))


@settings(max_examples=40)
@given(pair=machines_and_configurations())
def test_three_steps_make_a_move(pair):
    """The commuting square on 250 machines; between two moves a state stands for one of their configurations."""
    machine, configuration = pair
    construction = chung_siegelmann(machine)
    executor, eos = executor_for(construction.network, RATIONAL), construction.network.alphabet.index(EOS)
    state = construction.encode(configuration)
    for _ in range(4):
        following = next_configuration(machine, configuration)
        for expected in (configuration, configuration, following):
            state = advance_by(executor, state, eos, 1).state
            assert construction.decode(state) == expected
        configuration = following
        if configuration.state in machine.halting_states:
            return


@settings(max_examples=30)
@given(machine=turing_machines(max_states=3, max_symbols=5), data=st.data())
def test_the_time_of_the_verdict(machine, data):
    """T = 3 k + 2, and 3 k without a word to read."""
    word = data.draw(words(machine.input_symbols))
    direct = interpret(machine, word, max_steps=25)
    if direct.outcome.value == "step limit":
        return
    construction = chung_siegelmann(machine)
    result = run(construction, word)
    loads = construction.halting_time == "T(w) = 3 k + 2"
    assert loads == (bool(machine.input_symbols) or machine.initial_state in machine.halting_states)
    assert (result.outcome, result.eos_steps) == (direct.outcome, 3 * direct.steps + 2 * loads)
    executor, eos = executor_for(construction.network, RATIONAL), construction.network.alphabet.index(EOS)
    state = result.final_state
    for _ in range(8):  # the verdict stays, and so does the configuration
        segment = advance_by(executor, state, eos, 1)
        state = segment.state
        assert segment.outputs[-1][0] == result.outputs[-1]
        assert construction.decode(state) == direct.configuration


@settings(max_examples=20)
@given(machine=turing_machines(max_states=2, max_symbols=6), data=st.data())
def test_every_letter_is_read_in_one_step_into_its_place(machine, data):
    word = data.draw(words(machine.input_symbols, max_size=30))
    construction = chung_siegelmann(machine)
    if construction.set_up == (0, 0):
        return
    states = run(construction, word, max_steps=len(word) + 2, record="all").trace.states
    for length, state in enumerate(states[: len(word) + 2]):
        seen = construction.decode(state)
        assert (seen.state, seen.left, seen.scanned) == (Phase.LOAD, (), machine.blank_symbol)
        assert seen.right == word[:length]
    seen = construction.decode(states[len(word) + 2])
    assert (seen.state, seen.left) == (machine.initial_state, ())
    assert (seen.scanned, *seen.right) == (word or (machine.blank_symbol,))


def test_weights_are_exact_in_binary():
    for name in ("bb2", "palindrome", "rogozhin-4-6"):
        for unit in chung_siegelmann(load(name)).network.circuit.layers[0]:
            for number in (unit.bias, *(weight for _, weight in unit.linear)):
                assert number.denominator.bit_count() == 1
