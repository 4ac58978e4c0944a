"""How large compiled networks are: the formulas of the constructions, and the figures that are told of them."""

import sys
import warnings
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from seeded_machines import in_relu, reachable
from strategies import stack_machines, turing_machines

from exactnn.automata import TuringMachine
from exactnn.constructions import (
    chung_siegelmann,
    layered_network,
    layered_stacks,
    merged_stacks,
    real_time_stacks,
    siegelmann_sontag,
    siegelmann_sontag_book,
)
from exactnn.constructions.tapes.siegelmann_sontag_plan import RealTimePlan
from exactnn.errors import ConstructionError, LargeNetworkWarning
from exactnn.machine_files import load
from exactnn.networks import Activation
from tests.promptness import promptly


def entered(machine):
    """Yield (state, direction, written symbol) of every rule that can apply."""
    for q in reachable(machine):
        for rule in machine.transitions.get(q, {}).values():
            yield rule.next_state, rule.move, rule.written


def real_time_units(machine):
    """Return the number of units of the real-time network, counted from the machine alone.

    A unit per state; per pair (state, direction of entry) one for each symbol but the blank, all halting states
    together counting as one; two halves and a comparator per symbol for each stack. Reading a word adds the states
    LOAD and REWIND, one unit per letter under the rewinding head, and the entry into the initial state.
    A semi-infinite tape has one more comparator on the left (the bottom), three parts instead of two on the right,
    and units for a head that stays; rewinding over it ends in a state READY.
    """
    states, letters = reachable(machine), len(machine.input_symbols)
    blank, symbols = machine.blank_symbol, len(machine.tape_symbols)
    bounded = machine.tape == "semi_infinite"
    loads = bool(letters) or machine.initial_state in machine.halting_states

    def scanner(q):
        return "halted" if q in machine.halting_states else ("state", q)

    pairs = {(scanner(q), move) for q, move, _ in entered(machine)}
    stays = {(scanner(q), written) for q, move, written in entered(machine) if move == "L" and written != blank}
    rewinding = letters
    if loads:
        pairs.add((scanner(machine.initial_state), "L" if bounded else "R"))
        stays |= {(scanner(machine.initial_state), a) for a in machine.input_symbols}
        stays |= {("ready", a) for a in machine.input_symbols}
    units = len(states) + (symbols - 1) * len(pairs) + (rewinding + 2 + bounded if loads else 0)
    if not bounded:
        return units + 2 * (symbols + 1)
    return units + len(stays) + (2 + symbols) + 3 * symbols


def book_units(machine):
    """Return 1 + 2(1+2G) + halting states + (2+2G)(G + R + L G), without the loading terms where nothing is read."""
    g = len(machine.tape_symbols) + 1
    left = right = 0
    for q in reachable(machine):
        for a, rule in machine.transitions.get(q, {}).items():
            count = 2 if a == machine.blank_symbol else 1
            left, right = left + count * (rule.move == "L"), right + count * (rule.move == "R")
    halting = len([q for q in reachable(machine) if q in machine.halting_states])
    loads = bool(machine.input_symbols) or machine.initial_state in machine.halting_states
    return 1 + (2 * (1 + 2 * g) if loads else 0) + halting + (2 + 2 * g) * (g * loads + right + left * g)


@given(turing_machines(max_states=4, max_symbols=4))
def test_the_real_time_network(machine):
    network = siegelmann_sontag(machine).network
    assert network.neurons == network.circuit.units == real_time_units(machine)
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.SLU}
    assert len(network.circuit.layers) == 1


@given(turing_machines(max_states=4, max_symbols=4))
def test_the_real_time_network_in_relu(machine):
    network = in_relu(machine).network
    assert network.neurons == network.circuit.units == real_time_units(machine) + 2 * (len(machine.tape_symbols) - 1)
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.RELU}
    assert len(network.circuit.layers) == 1


@settings(max_examples=10)
@given(turing_machines(max_states=2))
def test_the_book_form(machine):
    network = siegelmann_sontag_book(machine).network
    assert network.neurons == network.circuit.units == book_units(machine)
    assert {unit.activation for unit in network.circuit.layers[0]} == {Activation.RELU}
    assert len(network.circuit.layers) == 1


@pytest.mark.parametrize(
    ("name", "units", "most_weights"),
    [("bb2", 13, 65), ("bb4", 19, 103), ("bb5", 20, 111), ("bb2x4", 28, 246)],
)
def test_busy_beavers(name, units, most_weights):
    network = siegelmann_sontag(load(name)).network
    assert network.neurons == units
    assert network.circuit.weights <= most_weights
    assert in_relu(load(name)).network.neurons == units + 2 * (len(load(name).tape_symbols) - 1)


def test_the_formula_for_machines_without_input_on_a_two_way_tape():
    """|Q| + (m-1)(P + H) + 2(m+1) + (halting states), as the documentation says."""
    for name, states, symbols, pairs, halting in (("bb2", 2, 2, 3, 1), ("bb4", 4, 2, 7, 1), ("bb5", 5, 2, 7, 1)):
        machine = load(name)
        ways = {(q, move) for q, move, _ in entered(machine)}
        assert (len(machine.states) - 1, len(machine.tape_symbols)) == (states, symbols)
        assert len({way for way in ways if way[0] not in machine.halting_states}) == pairs
        assert siegelmann_sontag(machine).network.neurons == states + (symbols - 1) * (pairs + halting) + 2 * (
            symbols + 1
        ) + len(machine.halting_states)


def test_unreachable_states_and_verdicts_cost_nothing():
    parts = {"input_symbols": "a", "tape_symbols": "a_", "initial_state": "p", "blank_symbol": "_", "accept_state": "A"}
    rows = {"p": {"a": ("p", "a", "R"), "_": ("A", "_", "R")}}
    small = TuringMachine(states=["p", "A"], transitions=rows, **parts)
    idle = {"z": {"a": ("z", "a", "L"), "_": ("R", "a", "R")}}
    large = TuringMachine(states=["p", "A", "z", "R"], transitions=rows | idle, reject_state="R", **parts)
    for compiled in (siegelmann_sontag, siegelmann_sontag_book):
        assert compiled(large).network.circuit == compiled(small).network.circuit


def test_the_default_weights_of_the_real_time_network_are_exact_in_binary():
    for name in ("bb2", "bb2x3", "bb2x4", "palindrome", "rogozhin-4-6"):
        for layer in siegelmann_sontag(load(name)).network.circuit.layers:
            for unit in layer:
                for number in (unit.bias, *(weight for _, weight in unit.linear)):
                    assert number.denominator.bit_count() == 1


@settings(max_examples=60)
@given(turing_machines(max_states=5, max_symbols=5))
def test_the_small_network_is_as_large_as_the_table_says(machine):
    """2 m + ceil(log2 Q) + Q m + 5 + h, 3 more with a left end, and what reading takes; the base depends on the end."""
    found, m, letters = reachable(machine), len(machine.tape_symbols), len(machine.input_symbols)
    halting = len(set(found) & set(machine.halting_states))
    working, bounded = len(found) - halting, machine.tape == "semi_infinite"
    loads = letters or machine.initial_state in machine.halting_states
    reading = 2 + letters.bit_length() if loads else 0
    bits = max(0, working - 1).bit_length()
    net = chung_siegelmann(machine)
    assert net.network.neurons == 2 * m + bits + working * m + 5 + halting + 3 * bounded + reading
    least = 2 * m if bounded else 2 * (m - 1)
    base = next(b for b in (4, 8, 16, 32) if b > least)
    names = net.network.circuit.state_names
    (moved,) = (unit for unit in net.network.circuit.layers[0] if unit.name == "right moved R")
    assert dict(moved.linear)[names.index("right")] == base


@given(turing_machines(max_states=4, max_symbols=4))
def test_without_left_end_and_reading_the_real_time_network_is_as_large_as_the_table_says(machine):
    """Q + (m - 1) (P + H) + 2 (m + 1) + h: also where no halting state can be reached, or two can."""
    machine = replace(machine, input_symbols=(), tape="two_way_infinite")
    assume(machine.initial_state not in machine.halting_states)
    m, ways = len(machine.tape_symbols), {(q, move) for q, move, _ in entered(machine)}
    halts = {move for q, move in ways if q in machine.halting_states}
    pairs = [way for way in ways if way[0] not in machine.halting_states]
    expected = len(reachable(machine)) + (m - 1) * (len(pairs) + len(halts)) + 2 * (m + 1)
    assert siegelmann_sontag(machine).network.neurons == expected


@pytest.mark.by_hand
def test_the_size_of_a_large_network_is_told_before_it_is_built(monkeypatch):
    """The building of two million weights takes a while; nobody should wait without knowing."""
    monkeypatch.setattr(layered_network, "one_layer_network", _never)
    with (
        pytest.warns(LargeNetworkWarning, match="binary-addition.* has 3,056 units and up to 3,058,472 weights"),
        pytest.raises(ZeroDivisionError),
    ):
        siegelmann_sontag_book(load("binary-addition"))


@pytest.mark.by_hand
def test_the_size_of_a_real_time_network_is_told_before_it_is_built(monkeypatch):
    monkeypatch.setattr(sys.modules[real_time_stacks.__module__], "one_layer_network", _never)
    with (
        pytest.warns(LargeNetworkWarning, match="has 7,853 units and up to 5,831,219 weights: building it takes"),
        pytest.raises(ZeroDivisionError),
    ):
        real_time_stacks(load("stack-manipulation"))


def _walker(states):
    """Return a machine that goes through so many states, each with a row of its own."""
    rows = {i: {a: ((i + 1) % states, a, "R") for a in "ab_"} for i in range(states)}
    return TuringMachine(
        states=[*range(states), "yes"], input_symbols="ab", tape_symbols="ab_", initial_state=0, blank_symbol="_",
        transitions=rows | {0: rows[0] | {"_": ("yes", "_", "R")}}, accept_state="yes",
    )  # fmt: skip


@pytest.mark.parametrize(("construction", "states"), [(siegelmann_sontag_book, 1000), (chung_siegelmann, 2500)])
def test_a_network_of_more_weights_than_any_memory_has_is_refused_before_it_is_built(construction, states, monkeypatch):
    """A machine file of some ten kilobytes asks for thousands of millions of weights."""
    defined_in = sys.modules[construction.__module__]
    for name in ("fold", "one_layer_network", "add_gated_rule"):
        monkeypatch.setattr(defined_in, name, _never, raising=False)
    with pytest.raises(ConstructionError, match=r"weights, and 50,000,000 is the most that is built: take another"):
        construction(_walker(states))


@pytest.mark.slow
def test_the_size_of_a_network_whose_rules_all_read_each_other_is_told_before_it_is_built(monkeypatch):
    monkeypatch.setattr(sys.modules[chung_siegelmann.__module__], "one_layer_network", _never)
    with (
        pytest.warns(LargeNetworkWarning, match="has 1,200 units and up to 1,440,000 weights: building it takes"),
        pytest.raises(ZeroDivisionError),
    ):
        chung_siegelmann(_walker(400))


def _never(*_values, **_parts):
    raise ZeroDivisionError("it was built")


# What is told of a network before it is built


def told(build, machine):
    """Return units and most weights that a construction foretells, and the circuit."""
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys.modules[build.__module__], "foretell", lambda _, units, weights: said.append((units, weights))
        )
        circuit = build(machine).network.circuit
    (size,) = said
    return *size, circuit


@settings(max_examples=20)
@given(stack_machines(max_stacks=2, max_symbols=3), st.sampled_from([layered_stacks, merged_stacks, real_time_stacks]))
def test_networks_of_stack_machines_are_as_large_as_is_told(machine, build):
    units, most, circuit = told(build, machine)
    assert units == circuit.units
    assert circuit.weights <= most <= 4 * circuit.weights


@settings(max_examples=40)
@given(turing_machines(max_states=4, max_symbols=4), st.sampled_from(["slu", "relu"]))
def test_real_time_networks_are_as_large_as_is_told(machine, activation):
    size = RealTimePlan(machine, relu=activation == "relu").size
    circuit = siegelmann_sontag(machine, activation=activation).network.circuit
    assert size[0] == circuit.units
    assert circuit.weights <= size[1]


def test_a_large_real_time_network_is_told_before_it_is_built():
    symbols = [str(i) for i in range(60)]
    machine = TuringMachine(
        states=[*range(60), "halt"], input_symbols=symbols[1:], tape_symbols=symbols, blank_symbol="0",
        transitions={q: {a: ((q + 1) % 60, a, "RL"[q % 2]) for a in symbols} for q in range(60)},
        initial_state=0, halt_state="halt",
    )  # fmt: skip
    with warnings.catch_warnings(), promptly():
        warnings.simplefilter("error", LargeNetworkWarning)
        with pytest.raises(LargeNetworkWarning, match=r"units and up to [0-9,]{9,} weights"):
            siegelmann_sontag(machine)
