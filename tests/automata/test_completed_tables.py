"""Tables as people write them: moves that stay, several final states, transitions that are not defined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import EMPTY, KEEP, POP, StackMachine, TuringMachine, interpret, push
from exactnn.errors import MachineError, OptionError
from exactnn.machine_files import load, load_file, write_yaml
from exactnn.outcome import Outcome, Verdict


def first_is_last(move="S", **options):
    """Accept words over a, b that begin and end alike; with moves that stay."""
    rows = {"start": {"a": ("a", "a", move), "b": ("b", "b", move), "_": ("no", "_", move)}}
    for q in "ab":
        rows[q] = {"a": (q, "a", "R"), "b": (q, "b", "R"), "_": (f"{q}?", "_", "L")}
        rows[f"{q}?"] = {q: ("yes", q, move)}
    return TuringMachine(
        states=["start", *rows, "yes", "no"], input_symbols="ab", tape_symbols="ab_", transitions=rows,
        initial_state="start", blank_symbol="_", accept_state="yes", reject_state="no", undefined="reject", **options,
    )  # fmt: skip


@pytest.mark.parametrize("move", ["S", "N"])
@pytest.mark.parametrize("tape", ["semi_infinite", "two_way_infinite"])
@given(word=st.text("ab", max_size=6))
def test_moves_that_stay(move, tape, word):
    machine = first_is_last(move, tape=tape)
    expected = Verdict.ACCEPT if word and word[0] == word[-1] else Verdict.REJECT
    assert interpret(machine, word).outcome.verdict is expected
    assert xn.run(machine, word).verdict is expected


def test_a_move_that_stays_is_one_there_and_one_back():
    machine = first_is_last()
    assert machine.transitions["start"]["a"] == ("a back", "a", "R")
    assert set(machine.transitions["a back"].values()) == {("a", x, "L") for x in "ab_"}
    assert interpret(machine, "a").steps == 2 + 1 + 1 + 2  # stay, to the end, back, stay


def test_an_endless_stay_does_not_halt():
    machine = TuringMachine(
        states=["q", "h"], input_symbols="a", tape_symbols="a_", transitions={"q": {"a": ("q", "a", "S")}},
        initial_state="q", blank_symbol="_", undefined="halt", halt_state="h",
    )  # fmt: skip
    assert xn.run(machine, "a").outcome is Outcome.NON_HALTING


def test_a_name_that_is_taken():
    machine = TuringMachine(
        states=["q", "q back", "reject"], input_symbols="a", tape_symbols="a_",
        transitions={
            "q": {"a": ("q back", "a", "S")}, "q back": {"_": ("q", "_", "S")}, "reject": {"a": ("q", "a", "L")},
        },
        initial_state="q", blank_symbol="_", final_states=[], undefined="reject",
    )  # fmt: skip
    assert set(machine.states) == {"q", "q back", "reject", "q back'", "q back back", "reject'"}
    assert machine.reject_state == "reject'"
    assert machine.accept_state is None


def test_final_states():
    rows = {"q": {"a": ("y", "a", "R"), "b": ("z", "b", "R"), "_": ("q", "_", "R")}}
    given = {"states": ["q", "y", "z"], "input_symbols": "ab", "tape_symbols": "ab_", "transitions": rows,
             "initial_state": "q", "blank_symbol": "_"}  # fmt: skip
    machine = TuringMachine(**given, final_states={"y", "z"})
    assert machine.accept_state == "y"
    assert machine.states == ("q", "y")
    assert [interpret(machine, word).outcome.verdict for word in ("a", "b")] == [Verdict.ACCEPT] * 2
    with pytest.raises(MachineError, match="final states beside an accept or a halt state"):
        TuringMachine(**given, final_states=["y"], accept_state="z")
    with pytest.raises(MachineError, match="final state 'x' is not one of the states"):
        TuringMachine(**given, final_states=["x", "y", "z"])
    with pytest.raises(MachineError, match="transitions of 'q', which is a final state"):
        TuringMachine(**given, final_states=["q", "y", "z"])
    with pytest.raises(MachineError, match="final_states is 3"):
        TuringMachine(**given, final_states=3)


def stack_machine(**options):
    """Accept a^n b^n for n of at least 1: count on the second stack."""
    rows = {
        "q": {("a", top): ("q", (POP, push("a"))) for top in ("a", EMPTY)} | {("b", "a"): ("p", (POP, POP))},
        "p": {("b", "a"): ("p", (POP, POP)), (EMPTY, EMPTY): ("yes", (KEEP, KEEP))},
    }
    return StackMachine(
        states=["q", "p", "yes"], input_symbols="ab", stack_symbols="ab", stacks=2, transitions=rows,
        initial_state="q", accept_state="yes", **options,
    )  # fmt: skip


@given(st.one_of(st.text("ab", max_size=7), st.integers(0, 5).map(lambda n: "a" * n + "b" * n)))
def test_a_stack_machine_with_a_partial_table(word):
    half = len(word) // 2
    expected = Verdict.ACCEPT if word and word == "a" * half + "b" * half else Verdict.REJECT
    machine = stack_machine(undefined="reject")
    assert interpret(machine, word).outcome.verdict is expected
    assert xn.run(machine, word).verdict is expected


def test_wrong_completions():
    with pytest.raises(MachineError, match="undefined transition from state 'q'"):
        stack_machine()
    with pytest.raises(MachineError, match="gives no verdict"):
        stack_machine(undefined="halt")
    with pytest.raises(OptionError, match="undefined='accept'"):
        stack_machine(undefined="accept")
    with pytest.raises(MachineError, match="makes 1,180,591,620,717,411,303,424 rules") as caught:
        StackMachine(
            states=["q", "h"], input_symbols="abc", stack_symbols="abc", stacks=35, transitions={}, initial_state="q",
            halt_state="h", undefined="halt",
        )  # fmt: skip
    assert len(str(caught.value)) < 1000


def test_files_with_moves_that_stay(tmp_path):
    text = """
blank: '_'
start state: q
input: aa
table:
  q:
    a: {write: b, S: q}
    b: R
    _: {N: accept}
  accept:
"""
    (tmp_path / "stays.yaml").write_text(text)
    machine = load(tmp_path / "stays.yaml")
    assert "q back" in machine.states
    assert xn.run(machine, "aa").verdict is Verdict.ACCEPT
    (tmp_path / "written.yaml").write_text(write_yaml(load_file(tmp_path / "stays.yaml")))
    assert load(tmp_path / "written.yaml") == machine
