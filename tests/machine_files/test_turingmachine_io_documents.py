"""Documents in the format of turingmachine.io: every feature of its syntax, with its meaning."""

from pathlib import Path

import pytest

from exactnn.automata import Rule, interpret
from exactnn.errors import MachineFileError
from exactnn.machine_files import load_file, read_yaml, written_tape
from exactnn.outcome import Outcome

WHOLE = """\
name: mark and return
source code: |
  # Turns a word of 0s and 1s into xs, and goes back.
  input: '010'   # a comment

  blank: ' '
  start state: go
  synonyms:
    home: {L: back}
    stop: {R: done}
  table:
    go:
      [0,1]: {write: x, R}
      ' '  : home
    back: {x: L, [' ',0]: stop, 1: R}
    done:
  # a comment at the end
positions:
  go:   {x: 100, y: 70}
  back: {x: 200.5, y: 70}
  done: {x: 300, y: 70, fixed: false}
"""


def document(table, *, head="blank: ' '\nstart state: q\n"):
    return f"{head}table:\n" + "".join(f"  {line}\n" for line in table.splitlines())


def test_whole_document():
    found = read_yaml(WHOLE)
    machine = found.machine
    assert (found.name, machine.name) == ("mark and return", "mark and return")
    assert found.sample_input == ("0", "1", "0")
    assert machine.tape == "two_way_infinite"
    assert (machine.halt_state, machine.accept_state, machine.reject_state) == ("done", None, None)
    assert machine.transitions["go"] == {
        "0": Rule("go", "x", "R"),
        "1": Rule("go", "x", "R"),
        " ": Rule("back", " ", "L"),
        "x": Rule("done", "x", "R"),  # undefined: halts
    }
    assert machine.transitions["back"] == {
        "x": Rule("back", "x", "L"),
        " ": Rule("done", " ", "R"),
        "0": Rule("done", "0", "R"),
        "1": Rule("back", "1", "R"),
    }
    run = interpret(machine, found.sample_input)
    assert (run.outcome, written_tape(machine, run.configuration)) == (Outcome.HALTED, ("x", "x", "x"))


def test_inner_text_alone():
    inner = WHOLE.split("source code: |\n")[1].split("positions:")[0]
    for text in (inner, "".join(line[2:] + "\n" for line in inner.splitlines())):
        assert read_yaml(text, name="mark and return") == read_yaml(WHOLE)


def test_lines_are_those_of_the_whole_document():
    text = WHOLE.replace("1: R}", "1: up}")
    (line,) = [i for i, row in enumerate(text.splitlines(), 1) if "up}" in row]
    with pytest.raises(MachineFileError) as caught:
        read_yaml(text)
    assert caught.value.faults == (
        f"line {line}: unknown instruction 'up': write L, R, S, {{write: symbol, R: state}} or a synonym",
    )


def test_every_scalar_is_text():
    machine = read_yaml(
        document("yes: {0: {write: 1, R: no}, on: R}\nno: {1.0: {R: 0x1}}\n0x1:", head="blank: 0\nstart state: yes\n")
    ).machine
    assert machine.states == ("yes", "no", "0x1")
    assert set(machine.tape_symbols) == {"0", "1", "on", "1.0"}
    assert machine.blank_symbol == "0"


def test_bare_moves_and_empty_targets_stay_in_the_state():
    machine = read_yaml(document("q: {a: R, b: L, c: {write: d, L}, d: {R}, ' ': {R: end}}\nend: {}")).machine
    assert [machine.transitions["q"][a] for a in "abcd"] == [
        Rule("q", "a", "R"),
        Rule("q", "b", "L"),
        Rule("q", "d", "L"),
        Rule("q", "d", "R"),
    ]


@pytest.mark.parametrize("row", ["end:", "end: {}", "end: ~", "end: null"])
def test_empty_row_halts(row):
    assert read_yaml(document(f"q: {{' ': {{R: end}}}}\n{row}")).machine.halt_state == "end"


def test_undefined_in_a_recogniser_rejects():
    machine = read_yaml(document("q: {a: R, ' ': {R: accept}}\np: {a: {L: q}}\naccept:")).machine
    assert machine.reject_state == "reject"
    assert machine.transitions["p"][" "] == Rule("reject", " ", "R")
    assert machine.states == ("q", "p", "accept", "reject")


def test_undefined_in_a_recogniser_enters_its_own_reject_state():
    machine = read_yaml(document("q: {a: R, ' ': {R: accept}}\np: {a: {L: q}}\naccept:\nreject:")).machine
    assert machine.transitions["p"][" "].next_state == machine.reject_state == "reject"


def test_undefined_elsewhere_halts():
    machine = read_yaml(document("q: {a: R}")).machine
    assert machine.halt_state == "halt"
    assert machine.transitions["q"][" "] == Rule("halt", " ", "R")


def test_added_states_avoid_taken_names():
    machine = read_yaml(document("q: {a: R, ' ': {R: halt}}\nhalt: {a: {R: q}}")).machine
    assert machine.halt_state == "halt'"


def test_total_machine_without_halting_state_gets_none():
    machine = read_yaml(document("q: {a: R, ' ': {write: a, L}}")).machine
    assert machine.halting_states == ()
    assert machine.states == ("q",)


def test_symbols_of_the_input_are_symbols():
    machine = read_yaml(document("q: {a: R}", head="input: abc\nblank: ' '\nstart state: q\n")).machine
    assert set(machine.input_symbols) == {"a", "b", "c"}
    assert interpret(machine, "abc").steps == 2


@pytest.mark.parametrize(
    ("table", "asked"),
    [
        ("q: {a: {R: one}, ' ': {R: two}}\none:\ntwo:", "halt state:"),
        ("q: {a: {R: accept}, ' ': {R: no}}\naccept:\nno:", "reject state:"),
    ],
)
def test_several_halting_states_need_a_name(table, asked):
    with pytest.raises(MachineFileError) as caught:
        read_yaml(document(table))
    assert asked in str(caught.value)


def test_our_keys_extend_the_format():
    head = "blank: ' '\nstart state: q\nreject state: no\ntape: semi_infinite\n"
    machine = read_yaml(document("q: {a: {R: accept}, ' ': {R: no}}\naccept:\nno:", head=head)).machine
    assert (machine.accept_state, machine.reject_state, machine.tape) == ("accept", "no", "semi_infinite")


EXAMPLES = Path(__file__).with_name("turingmachine_io")
RESULTS = {
    # name: (word or None for the input of the file, outcome, steps or None, tape or None)
    "binaryAdd": [(None, "halted", None, "100100 11001"), ("11+1", "halted", None, "100 1")],
    "binaryIncrement": [(None, "halted", None, "1100")],
    "binaryMult": [
        (None, "halted", None, "1111"),
        ("11*11", "halted", None, "1001"),
        ("111*110", "halted", None, "101010"),
    ],
    "busyBeaver3": [("", "halted", 13, "111111")],
    "busyBeaver4": [("", "halted", 107, None)],
    "copy1s": [(None, "halted", None, "1110111")],
    "divisibleBy3": [
        (None, "accepted", None, None),
        ("1111", "accepted", None, None),
        ("10100", "rejected", None, None),
    ],
    "divisibleBy3Base10": [("42", "accepted", None, None), ("1337", "rejected", None, None)],
    "lengthMult": [(None, "accepted", None, None), ("abc", "accepted", None, None), ("aabcc", "accepted", None, None)]
    + [(word, "rejected", None, None) for word in ("b", "aabcbc", "aabbbbcccccccc"[:-1])],
    "matchBinaryStrings": [(None, "accepted", None, None), ("#", "accepted", None, None)]
    + [(word, "rejected", None, None) for word in ("1#10", "10#1")]
    + [("10#10", "accepted", None, None)],
    "matchThreeLengths": [(None, "accepted", None, None)]
    + [(word, "rejected", None, None) for word in ("bac", "aabc", "aabcc", "aabcbc")],
    "palindrome": [(word, "accepted", None, None) for word in ("abba", "a", "bb", "babab", "")]
    + [("ab", "rejected", None, None)],
    "powersOfTwo": [(word, "accepted", None, None) for word in ("0000", "0", "00000000")]
    + [("000", "rejected", None, None)],
    "repeat01": [("", "step limit", None, None)],
    "unaryMult": [
        (None, "halted", None, "||*||| ||||||"),
        ("*", "halted", None, "*"),
        ("|*|||", "halted", None, "|*||| |||"),
        ("||||*||", "halted", None, "||||*|| ||||||||"),
    ],
}
"""What the comments in the published examples say of them."""


@pytest.mark.parametrize("name", RESULTS)
def test_published_example(name):
    found = load_file(EXAMPLES / f"{name}.yaml")
    for word, outcome, steps, tape in RESULTS[name]:
        run = interpret(found.machine, found.sample_input if word is None else word, max_steps=5000)
        assert run.outcome == outcome, word
        assert steps in (None, run.steps), word
        assert tape in (None, "".join(written_tape(found.machine, run.configuration))), word


def test_no_published_example_is_left_out():
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == set(RESULTS)
