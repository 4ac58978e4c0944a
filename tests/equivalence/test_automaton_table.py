"""Tables are values: checked once, frozen, compared by content, and not copied where they need not be."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_automata import random_table
from strategies import dfas, moore_machines, words

from exactnn.automata import DFA, interpret, output_word
from exactnn.equivalence import AutomatonTable, dfa_of, moore_machine_of, table_of
from exactnn.errors import MachineError, OptionError, WordError


def definition(**changes):
    return {
        "transitions": [[0, 1], [1, 0]],
        "labels": [0, 1],
        "symbols": "ab",
        "label_names": ["no", "yes"],
        "name": "t",
        **changes,
    }


FAULTS = {
    "no states": ({"transitions": np.empty((0, 2), dtype=int), "labels": []}, "transitions has no rows"),
    "not whole": ({"transitions": [[0.0, 1.0], [1.0, 0.0]]}, "give an array of whole numbers with 2 dimensions"),
    "booleans": ({"labels": [False, True]}, "labels is [False, True]: give an array of whole numbers"),
    "text": ({"transitions": "ab"}, "transitions is 'ab'"),
    "ragged": ({"transitions": [[0, 1], [0]]}, "transitions is [[0, 1], [0]]"),
    "flat": ({"transitions": [0, 1]}, "with 2 dimensions"),
    "target too large": ({"transitions": [[0, 2], [1, 0]]}, "transitions has the entry 2"),
    "target negative": ({"transitions": [[0, -1], [1, 0]]}, "transitions has the entry -1"),
    "target huge": ({"transitions": np.array([[0, 2**40], [1, 0]])}, "transitions has the entry 1099511627776"),
    "label too large": ({"labels": [0, 2]}, "labels has the entry 2"),
    "too few labels": ({"labels": [0]}, "labels has 1 entries, and transitions 2 rows"),
    "columns": ({"symbols": "abc"}, "transitions has 2 columns, and there are 3 symbols"),
    "symbol twice": ({"symbols": "aa"}, "each may be there once"),
    "symbol empty": ({"symbols": ["a", ""]}, "symbol '' is empty"),
    "name twice": ({"label_names": ["x", "x"]}, "each may be there once"),
    "names alike": ({"label_names": [1, "1"]}, "label names 1 and '1' have the same name"),
    "name unhashable": ({"label_names": [[1], "1"]}, "label name [1] is not hashable"),
    "initial too large": ({"initial_state": 2}, "initial_state is 2: there are the states 0 to 1"),
    "initial negative": ({"initial_state": -1}, "initial_state is -1"),
    "initial no number": ({"initial_state": "0"}, "initial_state is '0'"),
    "initial boolean": ({"initial_state": True}, "initial_state is True"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_shown(fault):
    changes, sentence = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        AutomatonTable(**definition(**changes))
    assert caught.value.subject == "t"
    assert any(sentence in found for found in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineError) as caught:
        AutomatonTable(**definition(transitions=[[5, -1], [0, 0]], labels=[9], symbols=["a", ""], label_names="xx"))
    assert len(caught.value.faults) == 6


def test_numba_is_loaded_by_those_who_need_it_only():
    program = (
        "import sys, exactnn, exactnn.equivalence as e; p = exactnn.load('parity'); "
        "e.table_of(p); e.is_empty(e.union(p, p)); assert 'numba' not in sys.modules; "
        "e.minimal(p); assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_arrays_of_the_right_form_are_not_copied_and_cannot_be_written_through_the_table():
    transitions, labels = np.zeros((5, 2), dtype=np.int32), np.zeros(5, dtype=np.int32)
    table = AutomatonTable(transitions=transitions, labels=labels, symbols="ab", label_names="x")
    assert np.shares_memory(table.transitions, transitions)
    assert np.shares_memory(table.labels, labels)
    with pytest.raises(ValueError, match="read-only"):
        table.transitions[0, 0] = 1
    transitions[0, 0] = 0  # the array of the caller stays as it was
    with pytest.raises(AttributeError):
        table.labels = labels


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.uint64])
def test_other_whole_numbers_are_converted(dtype):
    table = AutomatonTable(**definition(transitions=np.array([[0, 1], [1, 0]], dtype=dtype)))
    assert table.transitions.dtype == np.int32
    assert table == AutomatonTable(**definition())


def test_the_order_of_an_array_in_memory_does_not_matter():
    columns = np.asfortranarray(np.array([[0, 1], [1, 0]], dtype=np.int32))
    assert AutomatonTable(**definition(transitions=columns)) == AutomatonTable(**definition())


@pytest.mark.parametrize(
    "changes",
    [
        {"transitions": [[1, 1], [1, 0]]},
        {"labels": [0, 0]},
        {"symbols": "ba"},
        {"label_names": ["yes", "no"]},
        {"initial_state": 1},
    ],
)
def test_tables_that_differ_in_a_field_are_not_equal(changes):
    assert AutomatonTable(**definition(**changes)) != AutomatonTable(**definition())


def test_names_of_automata_do_not_count():
    assert AutomatonTable(**definition(name="other")) == AutomatonTable(**definition())
    assert AutomatonTable(**definition()) != "t"


def test_a_word_outside_the_alphabet_is_refused():
    with pytest.raises(WordError, match="'c'"):
        AutomatonTable(**definition()).label_after("abc")


@given(st.data(), dfas())
def test_a_dfa_comes_back_from_its_table_under_other_names(data, dfa):
    table = table_of(dfa)
    again = dfa_of(table)
    assert table_of(again) == table
    assert again.name == dfa.name
    word = data.draw(words(dfa.input_symbols))
    verdict = interpret(dfa, word).verdict
    assert interpret(again, word).verdict == verdict
    assert table.label_after(word) is (verdict == "accept")


@given(st.data(), moore_machines())
def test_a_moore_machine_comes_back_from_its_table_under_other_names(data, machine):
    table = table_of(machine)
    again = moore_machine_of(table)
    assert table_of(again) == table
    word = data.draw(words(machine.input_symbols))
    assert output_word(again, word) == output_word(machine, word)
    assert table.label_after(word) == output_word(machine, word)[-1]


def test_an_automaton_without_symbols_has_a_table():
    dfa = DFA(states="pq", input_symbols=[], transitions={}, initial_state="q", final_states="q")
    table = table_of(dfa)
    assert (table.transitions.shape, table.initial_state, table.label_after("")) == ((2, 0), 1, True)
    assert (dfa_of(table).states, dfa_of(table).transitions, dfa_of(table).final_states) == (("0", "1"), {}, ("1",))


def test_labels_that_are_no_verdict_need_to_be_told():
    table = random_table(1, 4)
    with pytest.raises(OptionError, match="label 'label 0' is neither True nor False"):
        dfa_of(table)
    accepting = dfa_of(table, accept=lambda label: label == "label 1", name="ones")
    assert (accepting.name, len(accepting.final_states)) == ("ones", int(table.labels.sum()))


@pytest.mark.parametrize("thing", [None, "parity", 3])
def test_other_things_have_no_table(thing):
    with pytest.raises(MachineError, match="give a DFA or a MooreMachine"):
        table_of(thing)
