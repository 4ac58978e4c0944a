"""What is special about the network on the unit square: its layers, the published count, real time, its edges."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeded_machines import next_configuration, reachable
from strategies import tape_configurations, turing_machines, words

from exactnn.arithmetic import FLOAT16, RATIONAL
from exactnn.automata import TuringMachine, configurations, interpret
from exactnn.constructions import Phase, carmantini, piecewise_affine_map
from exactnn.constructions.tapes.carmantini import CarmantiniPlan
from exactnn.errors import OptionError
from exactnn.networks import EOS, Activation
from exactnn.simulation import advance_by, executor_for, run

MINSKY = """
q1: y 0 L q1 | 0 0 L q1 | 1 1 L q2 | A 1 L q1
q2: y 0 L q1 | 0 y R q2 | 1 A R q2 | A y R q6
q3: y y L q3 | 0 0 R H  | 1 A L q3 | A 1 L q4
q4: y y L q4 | 0 y R q5 | 1 1 L q7 | A 1 L q4
q5: y y R q5 | 0 y L q3 | 1 A R q5 | A 1 R q5
q6: y y R q6 | 0 A L q3 | 1 A R q6 | A 1 R q6
q7: y 0 R q7 | 0 y R q6 | 1 1 R q7 | A 0 R q2
"""
"""M. L. Minsky, *Computation: Finite and Infinite Machines*, 1967, section 14.8: read, written, move, next state."""


def minsky_machine():
    rows = {}
    for line in MINSKY.strip().splitlines():
        state, rules = line.split(": ")
        table = [rule.split() for rule in rules.split("|")]
        rows[state] = {read: (target, written, move) for read, written, move, target in table}
    return TuringMachine(
        states=[*rows, "H"], input_symbols=(), tape_symbols="0y1A", transitions=rows, initial_state="q2",
        blank_symbol="0", halt_state="H", tape="two_way_infinite", name="Minsky (7, 4)",
    )  # fmt: skip


def test_the_published_count_of_minskys_universal_machine():
    """259 = 2 + (28 + 4) + 2 * 112 + 1, the last for biases, which are numbers here; and 4 for the halting state."""
    plan = CarmantiniPlan(minsky_machine(), binary=False)
    halting = {"BSL": 1, "LTL": 2, "MCL": 1}
    layers = carmantini(minsky_machine()).network.circuit.layers
    assert [len(layer) for layer in layers] == [32 + halting["BSL"], 224 + halting["LTL"], 2 + halting["MCL"]]
    assert sum(map(len, layers)) + 1 == 259 + 4
    assert len([cell for cell in plan.map.cells if len(cell.window) == 3]) == 112


def test_minskys_machine_from_a_written_tape():
    """It halts on some tapes only, and its network does what it does for 200 moves."""
    construction = carmantini(minsky_machine())
    executor, eos = executor_for(construction.network, RATIONAL), construction.network.alphabet.index(EOS)
    configuration = next(configurations(minsky_machine(), ""))
    tape = "110101110000010011011yyAyyAyy"
    head = 21
    configuration = type(configuration)(
        state="q2", left=tuple(reversed(tape[:head])), scanned=tape[head], right=tuple(tape[head + 1 :])
    )
    state = construction.encode(configuration)
    for _ in range(200):
        if configuration.state == "H":
            break
        configuration = next_configuration(minsky_machine(), configuration)
        state = advance_by(executor, state, eos, 1).state
        assert construction.decode(state) == configuration


@settings(max_examples=30)
@given(turing_machines(max_states=4, max_symbols=4))
def test_the_number_of_units(machine):
    """2 + Q m + m + 2 Q m^2 + 4 h, with one more symbol left of the head if there is a left end, and reading."""
    found, m, letters = reachable(machine), len(machine.tape_symbols), len(machine.input_symbols)
    halting = len(set(found) & set(machine.halting_states))
    working, left = len(found) - halting, m + (machine.tape == "semi_infinite")
    reading = letters + 5 if letters or machine.initial_state in machine.halting_states else 0
    network = carmantini(machine).network
    assert network.circuit.units == 2 + working * left + m + 2 * working * left * m + 4 * halting + reading
    assert network.neurons == 2 + halting + bool(reading)
    selection, transformation, configuration = network.circuit.layers
    assert {unit.activation for unit in selection} == {Activation.HEAVISIDE}
    assert {unit.activation for unit in transformation} == {Activation.RELU}
    assert [unit.activation for unit in configuration[:2]] == [Activation.RELU] * 2


@st.composite
def machines_and_configurations(draw):
    machine = draw(turing_machines(max_states=4, max_symbols=4))
    working = [q for q in reachable(machine) if q in machine.transitions]
    return machine, draw(tape_configurations(machine, states=working))


@settings(max_examples=40)
@given(pair=machines_and_configurations(), binary=st.booleans())
def test_one_step_is_one_move_and_the_map_of_the_square(pair, binary):
    """The commuting square on 250 machines, in the published bases too; x and y are the point of the map."""
    machine, configuration = pair
    construction = carmantini(machine, binary=binary)
    executor, eos = executor_for(construction.network, RATIONAL), construction.network.alphabet.index(EOS)
    square = CarmantiniPlan(machine, binary=binary).map
    state = construction.encode(configuration)
    for _ in range(5):
        configuration = next_configuration(machine, configuration)
        expected = square.at(state[:2])
        state = advance_by(executor, state, eos, 1).state
        assert state[:2] == expected
        assert construction.decode(state) == configuration
        if configuration.state in machine.halting_states:
            return


@settings(max_examples=30)
@given(machine=turing_machines(max_states=3, max_symbols=4), binary=st.booleans(), data=st.data())
def test_the_time_of_the_verdict(machine, binary, data):
    """T = k + 1, and k without a word to read."""
    word = data.draw(words(machine.input_symbols))
    direct = interpret(machine, word, max_steps=25)
    if direct.outcome.value == "step limit":
        return
    construction = carmantini(machine, binary=binary)
    result = run(construction, word)
    loads = construction.halting_time == "T(w) = k + 1"
    assert loads == (bool(machine.input_symbols) or machine.initial_state in machine.halting_states)
    assert (result.outcome, result.eos_steps) == (direct.outcome, direct.steps + loads)
    assert construction.decode(result.final_state) == direct.configuration
    assert construction.nonblank(result.final_state) == sum(
        a != machine.blank_symbol for a in direct.configuration.tape
    )


@pytest.mark.parametrize("states", ["pAR", "pRA", "RpA", "ARp"])
def test_the_verdict_does_not_depend_on_the_order_of_the_states(states):
    machine = TuringMachine(
        states=states, input_symbols="ab", tape_symbols="ab_",
        transitions={"p": {"a": ("A", "a", "R"), "b": ("R", "b", "R"), "_": ("p", "_", "R")}},
        initial_state="p", blank_symbol="_", accept_state="A", reject_state="R",
    )  # fmt: skip
    assert [run(carmantini(machine), word).verdict.value for word in "ab"] == ["accept", "reject"]


def test_the_word_is_read_into_its_place():
    machine = TuringMachine(
        states="pA", input_symbols="ab", tape_symbols="ab_",
        transitions={"p": {"a": ("p", "b", "R"), "b": ("p", "a", "R"), "_": ("A", "_", "L")}},
        initial_state="p", blank_symbol="_", accept_state="A",
    )  # fmt: skip
    net = carmantini(machine)
    result = run(net, "abb", record="all")
    seen = [str(net.decode(state)) for state in result.trace.states]
    assert seen == [
        f"{Phase.LOAD}: [_]", f"{Phase.LOAD}: [a]", f"{Phase.LOAD}: [a] b", f"{Phase.LOAD}: [a] b b",
        "p: [a] b b", "p: b [b] b", "p: b a [b]", "p: b a a [_]", "A: b a [a]",
    ]  # fmt: skip


def test_binary_bases_have_binary_weights_and_published_bases_do_not():
    three = TuringMachine(
        states="pH", input_symbols=(), tape_symbols="_ab",
        transitions={"p": {"_": ("p", "a", "R"), "a": ("H", "b", "L"), "b": ("p", "b", "R")}},
        initial_state="p", blank_symbol="_", halt_state="H", tape="two_way_infinite",
    )  # fmt: skip
    assert piecewise_affine_map(CarmantiniPlan(three, binary=False).tape.shift).bases == (2, 3, 3)
    for binary in (True, False):
        units = [unit for layer in carmantini(three, binary=binary).network.circuit.layers for unit in layer]
        numbers = [number for unit in units for number in (unit.bias, *(weight for _, weight in unit.linear))]
        assert all(number.denominator.bit_count() == 1 for number in numbers) == binary


def test_half_precision_loses_the_tape():
    """Two numbers hold the tape: after more cells than float16 has digits a symbol is lost that exact numbers keep."""
    writes = TuringMachine(
        states="pqH", input_symbols=(), tape_symbols="_ab",
        transitions={
            "p": {"_": ("p", "a", "R"), "a": ("q", "b", "L"), "b": ("q", "b", "L")},
            "q": {"_": ("p", "b", "R"), "a": ("p", "a", "R"), "b": ("p", "a", "R")},
        },
        initial_state="p", blank_symbol="_", halt_state="H", tape="two_way_infinite",
    )  # fmt: skip
    net = carmantini(writes)
    exact = net.decode(run(net, "", max_steps=20).final_state)
    rounded = net.decode(run(net, "", max_steps=20, arithmetic=FLOAT16).final_state, cells=20)
    assert exact.left == ("a",) * 20
    assert rounded.left[:2] == ("a", "a")
    assert rounded.left != exact.left


def test_wrong_options():
    with pytest.raises(OptionError, match="binary='yes'"):
        carmantini(minsky_machine(), binary="yes")
