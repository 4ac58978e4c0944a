"""Moore machines: every fault of a definition is found; outputs are values of any kind."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import moore_machines, words

from exactnn import MooreMachine
from exactnn.automata import output_word
from exactnn.errors import MachineError, WordError
from exactnn.outcome import Verdict


def definition(**changes):
    return {
        "states": ["p", "q"],
        "input_symbols": ["a"],
        "transitions": {"p": {"a": "q"}, "q": {"a": "p"}},
        "initial_state": "p",
        "outputs": {"p": "x", "q": "y"},
        "name": "m",
        **changes,
    }


FAULTS = {
    "no states": ({"states": []}, "there are no states"),
    "states alike": ({"states": ["p", "q", 1, "1"]}, "states 1 and '1' have the same name"),
    "symbol not text": ({"input_symbols": ["a", 0]}, "input symbol 0 is not a string"),
    "symbol empty": ({"input_symbols": ["a", ""]}, "input symbol '' is empty"),
    "initial unknown": ({"initial_state": "z"}, "initial state 'z' is not one of the states"),
    "no entry": (
        {"transitions": {"p": {"a": "q"}, "q": {}}},
        "no transition from state 'q' on 'a': add one (a Moore machine must be complete)",
    ),
    "goes nowhere": ({"transitions": {"p": {"a": "q"}, "q": {"a": None}}}, "from 'q' on 'a' goes to None"),
    "row unknown": (
        {"transitions": {"p": {"a": "q"}, "q": {"a": "p"}, "z": {"a": "p"}}},
        "transitions of 'z', which is not",
    ),
    "no outputs": ({"outputs": None}, "outputs is None: give a mapping"),
    "a list of outputs": ({"outputs": ["x", "y"]}, "outputs is ['x', 'y']: give a mapping"),
    "output missing": ({"outputs": {"p": "x"}}, "no output of state 'q'"),
    "output too many": ({"outputs": {"p": "x", "q": "y", "z": "x"}}, "output of 'z', which is not one of the states"),
    "output unhashable": ({"outputs": {"p": "x", "q": ["y"]}}, "output of 'q' is ['y'], which is not hashable"),
    "outputs alike": ({"outputs": {"p": "1", "q": 1}}, "outputs '1' and 1 have the same name"),
    "name not text": ({"name": 5}, "name is 5: give text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_shown(fault):
    changes, sentence = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        MooreMachine(**definition(**changes))
    assert any(sentence in found for found in caught.value.faults), caught.value.faults


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineError) as caught:
        MooreMachine(**definition(initial_state="z", transitions={"p": {"a": "q"}}, outputs={"q": 1}))
    assert len(caught.value.faults) == 3


@given(st.data(), moore_machines())
def test_the_output_word_follows_the_transitions(data, machine):
    word = data.draw(words(machine.input_symbols))
    outputs = output_word(machine, word)
    assert len(outputs) == len(word) + 1
    state = machine.initial_state
    for symbol, output in zip([None, *word], outputs, strict=True):
        state = state if symbol is None else machine.transitions[state][symbol]
        assert output == machine.outputs[state]


def test_outputs_may_be_any_hashable_values():
    values = [None, Verdict.ACCEPT, (1, "a"), Fraction(1, 3)]
    machine = MooreMachine(
        states=range(4),
        input_symbols="a",
        transitions={i: {"a": (i + 1) % 4} for i in range(4)},
        initial_state=0,
        outputs=dict(enumerate(values)),
    )
    assert output_word(machine, "aaa") == tuple(values)


def test_a_word_outside_the_alphabet_is_refused():
    with pytest.raises(WordError, match="'b'"):
        output_word(MooreMachine(**definition()), "ab")


def test_a_machine_does_not_follow_the_tables_it_was_made_from():
    outputs = {"p": "x", "q": "y"}
    machine = MooreMachine(**definition(outputs=outputs))
    outputs["p"] = "z"
    assert machine.outputs == {"p": "x", "q": "y"}
