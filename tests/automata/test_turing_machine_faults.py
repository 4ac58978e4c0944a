"""Every fault of a Turing machine's definition is found, named with its value, and all are told at once."""

import pickle

import pytest

from exactnn.automata import TuringMachine
from exactnn.errors import ExactnnError, MachineError

RULE = ("p", "a", "R")


def definition(**changes):
    return {
        "states": ["p", "A", "R"],
        "input_symbols": ["a"],
        "tape_symbols": ["a", "_"],
        "transitions": {"p": {"a": RULE, "_": ("A", "_", "L")}},
        "initial_state": "p",
        "blank_symbol": "_",
        "accept_state": "A",
        "reject_state": "R",
        "name": "m",
        **changes,
    }


def on_a(rule):
    return {"transitions": {"p": {"a": rule, "_": RULE}}}


FAULTS = {
    "no states": ({"states": []}, "there are no states"),
    "states alike": ({"states": ["p", "A", "R", 1, "1"]}, "states 1 and '1' have the same name"),
    "symbol not text": ({"tape_symbols": ["a", "_", 3]}, "tape symbol 3 is not a string"),
    "symbol empty": ({"tape_symbols": ["a", "_", ""]}, "tape symbol '' is empty"),
    "blank unknown": ({"blank_symbol": "#"}, "blank symbol '#' is not one of the tape symbols"),
    "blank as input": ({"input_symbols": ["a", "_"]}, "blank symbol '_' cannot be an input symbol"),
    "input unknown": ({"input_symbols": ["a", "b"]}, "input symbol 'b' is not a tape symbol"),
    "tape unknown": ({"tape": "round"}, "tape 'round' is unknown: 'semi_infinite' or 'two_way_infinite'"),
    "initial unknown": ({"initial_state": "z"}, "initial state 'z' is not one of the states"),
    "initial none": ({"initial_state": None}, "initial state None is not one of the states"),
    "accept unknown": ({"accept_state": "z"}, "accept state 'z' is not one of the states"),
    "reject unknown": ({"reject_state": "z"}, "reject state 'z' is not one of the states"),
    "halt unknown": ({"halt_state": "z"}, "halt state 'z' is not one of the states"),
    "accept is reject": ({"reject_state": "A"}, "accept and reject state are both 'A'"),
    "halt and accept": ({"states": ["p", "A", "R", "H"], "halt_state": "H"}, "a machine with a halt state gives no"),
    "row unknown": ({"transitions": {"p": {"a": RULE, "_": RULE}, "z": {"a": RULE}}}, "transitions of 'z', which is"),
    "row of halting": ({"transitions": {"p": {"a": RULE, "_": RULE}, "A": {"a": RULE}}}, "which is a halting state"),
    "rule too short": (on_a(("p", "a")), "transition from 'p' on 'a' is ('p', 'a'): write (next state"),
    "rule too long": (on_a(("p", "a", "R", "R")), "transition from 'p' on 'a' is ('p', 'a', 'R', 'R')"),
    "rule is text": (on_a("paR"), "transition from 'p' on 'a' is 'paR'"),
    "rule is none": (on_a(None), "transition from 'p' on 'a' is None"),
    "undefined rule": ({"transitions": {"p": {"a": RULE}}}, "undefined transition from state 'p' on '_'"),
    "undefined row": ({"transitions": {}}, "undefined transition from state 'p' on 'a'"),
    "reads unknown": ({"transitions": {"p": {"a": RULE, "_": RULE, "x": RULE}}}, "from 'p' on 'x' reads a symbol"),
    "goes to unknown": (on_a(("z", "a", "R")), "from 'p' on 'a' goes to 'z', which is not one of the states"),
    "goes to a list": (on_a((["p"], "a", "R")), "from 'p' on 'a' is (['p'], 'a', 'R')"),
    "writes unknown": (on_a(("p", "x", "R")), "from 'p' on 'a' writes 'x', which is not a tape symbol"),
    "moves elsewhere": (on_a(("p", "a", "X")), "from 'p' on 'a' moves 'X': a move is 'L', 'R', 'S' or 'N'"),
    "moves in lower case": (on_a(("p", "a", "r")), "from 'p' on 'a' moves 'r'"),
    "moves nowhere": (on_a(("p", "a", None)), "from 'p' on 'a' moves None"),
}


def test_the_definition_itself_is_valid():
    assert TuringMachine(**definition()).halting_states == ("A", "R")


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_and_shown(fault):
    changes, sentence = FAULTS[fault]
    with pytest.raises(MachineError) as caught:
        TuringMachine(**definition(**changes))
    assert caught.value.subject == "m"
    assert any(sentence in found for found in caught.value.faults), caught.value.faults
    assert all(found in str(caught.value) for found in caught.value.faults)


def test_a_single_fault_is_told_once_and_alone():
    with pytest.raises(MachineError) as caught:
        TuringMachine(**definition(**on_a(("z", "a", "R"))))
    assert len(caught.value.faults) == 1


def test_all_faults_are_told_at_once():
    wrong = definition(
        states=["p", "A", 1, "1"],
        input_symbols=["a", "_", "b"],
        tape_symbols=["a", "_", "", 3],
        transitions={"p": {"a": ("z", "x", "S"), "y": RULE}, "A": {"a": RULE}, "q": {"a": RULE}},
        initial_state="i",
        accept_state="A",
        reject_state="A",
        halt_state="h",
        tape="round",
    )
    with pytest.raises(MachineError) as caught:
        TuringMachine(**wrong)
    told = " | ".join(caught.value.faults)
    for sentence in (
        *("states 1 and '1' have", "tape symbol '' is empty", "tape symbol 3 is not", "'_' cannot be an input symbol"),
        *("input symbol 'b' is not", "tape 'round' is unknown", "initial state 'i' is not", "halt state 'h' is not"),
        *("accept and reject state are both 'A'", "with a halt state gives no verdict", "goes to 'z'", "writes 'x'"),
        *("moves 'S'", "on 'y' reads a symbol", "transitions of 'A'", "transitions of 'q'"),
        "undefined transition from state 'p' on '_'",
        "undefined transition from state 1 on 'a'",
    ):
        assert sentence in told


def test_a_rule_of_the_wrong_shape_hides_no_other_fault():
    with pytest.raises(MachineError) as caught:
        TuringMachine(**definition(transitions={"p": {"a": ("p",), "_": ("z", "_", "L")}}, blank_symbol="#"))
    told = " | ".join(caught.value.faults)
    for sentence in ("transition from 'p' on 'a' is ('p',)", "blank symbol '#'", "goes to 'z'"):
        assert sentence in told


@pytest.mark.parametrize("row", [None, "A", [RULE, RULE]], ids=repr)
def test_a_row_that_is_no_table_is_a_fault(row):
    with pytest.raises(MachineError, match="'p'"):
        TuringMachine(**definition(transitions={"p": row}))


def test_the_error_survives_pickling():
    error = MachineError("m", ["first", "second"])
    again = pickle.loads(pickle.dumps(error))
    assert (again.subject, again.faults, str(again)) == ("m", ("first", "second"), "m: first; second")
    assert isinstance(again, ExactnnError)
