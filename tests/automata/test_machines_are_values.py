"""Machines are values: frozen, comparable, hashable, picklable, and independent of what they were made from."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import counter_machines, dfas, moore_machines, stack_machines, turing_machines

from exactnn.automata import DFA, Transitions, TuringMachine, interpret
from exactnn.automata.transitions import ordered

MACHINES = st.one_of(counter_machines(), dfas(), moore_machines(), stack_machines(), turing_machines())


@given(MACHINES)
def test_a_machine_survives_pickling_and_copying(machine):
    for again in (pickle.loads(pickle.dumps(machine)), copy.deepcopy(machine), copy.copy(machine)):
        assert again == machine
        assert hash(again) == hash(machine)
    assert {machine: 1}[again] == 1


@given(MACHINES)
def test_nothing_of_a_machine_can_be_changed(machine):
    for field in type(machine).__dataclass_fields__:
        with pytest.raises(AttributeError):
            setattr(machine, field, None)
    with pytest.raises((AttributeError, TypeError)):
        machine.colour = "red"
    row = next(iter(machine.transitions.values()))
    for table in (machine.transitions, row):
        with pytest.raises(TypeError):
            table["p"] = {}


def test_a_machine_does_not_follow_the_tables_it_was_made_from():
    table = {"p": {"a": "p"}}
    dfa = DFA(states=["p"], input_symbols=["a"], transitions=table, initial_state="p", final_states=["p"])
    table["p"]["a"] = "q"
    table["q"] = {}
    assert dfa.transitions == {"p": {"a": "p"}}


def test_states_are_kept_in_their_order_and_sets_are_sorted():
    assert ordered(["q2", "q10", "q2", "q1"]) == ("q2", "q10", "q1")
    assert ordered({"q2", "q10", "q1"}) == ("q1", "q10", "q2")
    assert ordered(frozenset({3, (1, 2)})) == ((1, 2), 3)


def test_states_may_be_any_hashable_values():
    moves = {
        (0, 0): {"a": ((0, 1), "a", "R"), "_": (None, "a", "R")},
        (0, 1): {"a": ((0, 0), "_", "L"), "_": (7, "_", "L")},
        None: {"a": (7, "a", "L"), "_": (7, "a", "L")},
    }
    machine = TuringMachine(
        states=[(0, 0), (0, 1), None, 7],
        input_symbols="a",
        tape_symbols="a_",
        transitions=moves,
        initial_state=(0, 0),
        blank_symbol="_",
        accept_state=7,
    )
    assert interpret(machine, "a").configuration.state == 7
    assert interpret(machine, "").steps == 2


@given(st.dictionaries(st.text(), st.integers()))
def test_tables_equal_mappings_and_hash_by_content(entries):
    table = Transitions(entries)
    backwards = Transitions(dict(reversed(entries.items())))
    assert table == entries
    assert table == backwards
    assert hash(table) == hash(backwards)
    assert list(table) == list(entries)
    assert repr(table) == repr(entries)
    assert table != Transitions({**entries, "another key": 0})
