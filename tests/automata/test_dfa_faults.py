"""Every fault of an automaton's definition is found, named with its value, and all are told at once."""

import pytest

from exactnn.automata import DFA
from exactnn.errors import MachineError


def definition(**changes):
    return {
        "states": ["p", "q"],
        "input_symbols": ["a"],
        "transitions": {"p": {"a": "q"}, "q": {"a": "p"}},
        "initial_state": "p",
        "final_states": ["q"],
        "name": "m",
        **changes,
    }


FAULTS = {
    "no states": ({"states": []}, "there are no states"),
    "a state that cannot be printed": (
        {"states": ["p", "q", 10**5000]},
        "<int too long to print> is no name",
    ),
    "states alike": ({"states": ["p", "q", 1, "1"]}, "states 1 and '1' have the same name"),
    "symbol not text": ({"input_symbols": ["a", 0]}, "input symbol 0 is not a string"),
    "symbol empty": ({"input_symbols": ["a", ""]}, "input symbol '' is empty"),
    "initial unknown": ({"initial_state": "z"}, "initial state 'z' is not one of the states"),
    "initial none": ({"initial_state": None}, "initial state None is not one of the states"),
    "initial is a list": ({"initial_state": ["p"]}, "initial state ['p'] is not one of the states"),
    "final unknown": ({"final_states": ["q", "z"]}, "final state 'z' is not one of the states"),
    "row unknown": (
        {"transitions": {"p": {"a": "q"}, "q": {"a": "p"}, "z": {"a": "p"}}},
        "transitions of 'z', which is not",
    ),
    "no row": ({"transitions": {"p": {"a": "q"}}}, "no transition from state 'q' on 'a'"),
    "no entry": ({"transitions": {"p": {"a": "q"}, "q": {}}}, "no transition from state 'q' on 'a'"),
    "goes nowhere": ({"transitions": {"p": {"a": "q"}, "q": {"a": None}}}, "from 'q' on 'a' goes to None"),
    "goes to a list": ({"transitions": {"p": {"a": "q"}, "q": {"a": ["p"]}}}, "from 'q' on 'a' goes to ['p']"),
    "reads unknown": ({"transitions": {"p": {"a": "q"}, "q": {"a": "p", "b": "p"}}}, "from 'q' on 'b', which is not"),
}


def test_the_definition_itself_is_valid():
    assert DFA(**definition()).transitions == {"p": {"a": "q"}, "q": {"a": "p"}}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_shown(fault):
    changes, sentence = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        DFA(**definition(**changes))
    assert caught.value.subject == "m"
    assert any(sentence in found for found in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineError) as caught:
        DFA(
            states=["p", "q", 1, "1"],
            input_symbols=["a", "", 0],
            transitions={"p": {"a": "z", "b": "p"}, "r": {"a": "p"}},
            initial_state="i",
            final_states=["f", "q"],
        )
    told = " | ".join(caught.value.faults)
    for sentence in (
        *("states 1 and '1'", "symbol '' is empty", "symbol 0 is not a string", "initial state 'i'", "final state 'f'"),
        *("transitions of 'r'", "from 'p' on 'a' goes to 'z'", "from 'p' on 'b', which is not an input symbol"),
        "no transition from state 'q' on 'a'",
        "no transition from state 1 on 'a'",
    ):
        assert sentence in told


@pytest.mark.parametrize("row", [None, "q", ["q"]], ids=repr)
def test_a_row_that_is_no_table_is_a_fault(row):
    with pytest.raises(MachineError, match="'p'"):
        DFA(**definition(transitions={"p": row, "q": {"a": "p"}}))


def test_an_automaton_may_have_no_symbols_and_no_final_states():
    dfa = DFA(states=["p"], input_symbols=[], transitions={}, initial_state="p", final_states=[])
    assert (dfa.input_symbols, dfa.final_states) == ((), ())
