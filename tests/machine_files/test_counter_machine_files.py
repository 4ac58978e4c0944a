"""Counter machines in files: patterns, what is undefined, faults with their lines, and writing them back."""

import pytest
from hypothesis import given
from strategies import counter_machines

from exactnn.automata import RESET, CounterRule
from exactnn.errors import MachineFileError
from exactnn.machine_files import MachineFile, read_yaml, write_dot, write_yaml

GOOD = """\
kind: counter_machine
counters: 2
input symbols: [a, b]
undefined: reject
start state: p
accept: {p: "0.", q: [11, "00"]}
table:
  p:
    [a, 0.]: {do: [+1, reset]}
    [[a, b], [10, 11]]: {do: [-1, 0], go: q}
  q:
    [., "00"]: {go: p}
expect:
  - {word: a, verdict: reject, steps: 1}
"""


def faults_of(text):
    with pytest.raises(MachineFileError) as caught:
        read_yaml(text)
    return caught.value.faults


def test_what_a_file_says():
    machine = read_yaml(GOOD).machine
    assert machine.transitions["p"]["a"][0, 1] == CounterRule("p", (1, RESET))
    assert machine.transitions["p"]["b"][1, 1] == machine.transitions["p"]["a"][1, 0] == CounterRule("q", (-1, 0))
    assert machine.transitions["q"]["b"][0, 0] == CounterRule("p", (0, 0))
    assert machine.transitions["q"]["a"][0, 1] == CounterRule("reject", (0, 0))
    assert machine.acceptance == (("p", (0, 0)), ("p", (0, 1)), ("q", (1, 1)), ("q", (0, 0)))
    assert machine.states == ("p", "q", "reject")


FAULTS = [
    ("counters: 2\n", "", 1, "'counters:' is missing"),
    ("counters: 2", "counters: 9", 2, "'counters:' is 9: write a number from 1 to 8"),
    ("counters: 2", "counters: two", 2, "write a whole number in digits"),
    ("start state: p", "start state: z", 5, "start state 'z' has no row"),
    ("undefined: reject", "undefined: error", 8, "state 'p' has no rule for [b, 00], [b, 01]: add rules"),
    ("input symbols: [a, b]", "input symbols: [a]", 3, "the table has the symbol 'b', which is not listed"),
    ("input symbols: [a, b]", "input symbols: [a, b, .]", 3, "'.' stands for anything and cannot be a symbol"),
    ('{p: "0."', '{z: "0."', 6, "'accept:' has 'z', which has no row"),
    ('{p: "0."', '{p: "0"', 6, "zero test '0' of 2 counters: write 0 (zero), 1 (not zero) or . (any) for each"),
    ('{p: "0.", q: [11, "00"]}', "[p]", 6, "'accept:' is a mapping from states to zero tests"),
    ("[a, 0.]:", "[a]:", 9, "before ':' stand a symbol and zero tests"),
    ("[a, 0.]:", "a:", 9, "before ':' stand a symbol and zero tests"),
    ("[a, 0.]:", "[a, 0x]:", 9, "zero test '0x'"),
    ("[a, 0.]:", "['', 0.]:", 9, "a symbol is a text or a list of texts"),
    ("do: [+1, reset]", "do: [+1]", 9, "'do:' has 1 updates for 2 counters"),
    ("do: [+1, reset]", "do: [+2, reset]", 9, "unknown update '+2': write +1, -1, 0 or reset"),
    ("{do: [+1, reset]}", "up", 9, "an instruction is a mapping"),
    ("{do: [+1, reset]}", "{doo: 1}", 9, "did you mean 'do'?"),
    ("go: q}", "go: z}", 10, "goes to 'z', which has no row"),
    ('[., "00"]: {go: p}', '[., .0]: {go: p}\n    [a, "00"]: {go: p}', 13, "never applies"),
    ("verdict: reject", "outcome: halted, tape: a", 14, "'tape:' of a machine without a tape"),
    ("verdict: reject, ", "", 14, "an expectation needs 'verdict: accept'"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "words"), FAULTS)
def test_faults_have_lines(old, new, line, words):
    assert GOOD.count(old) == 1
    faults = faults_of(GOOD.replace(old, new))
    assert any(fault.startswith(f"line {line}: ") and words in fault for fault in faults), faults


def test_a_symbol_may_be_a_dot():
    text = GOOD.replace("[a, b]\n", "[a, b, .]\nany: any\n").replace('[., "00"]', '[any, "00"]')
    machine = read_yaml(text).machine
    assert machine.transitions["q"]["."][0, 0] == CounterRule("p", (0, 0))
    again = read_yaml(write_yaml(MachineFile(machine=machine, name="m")))
    assert again.machine.transitions == machine.transitions


@given(counter_machines(max_counters=3, max_symbols=3))
def test_writing_and_reading_gives_the_same_machine(machine):
    again = read_yaml(write_yaml(MachineFile(machine=machine, name=machine.name))).machine
    assert set(again.acceptance) == set(machine.acceptance)
    assert (again.transitions, again.states, again.initial_state) == (
        machine.transitions, machine.states, machine.initial_state,
    )  # fmt: skip


def test_the_graph():
    text = write_dot(read_yaml(GOOD).machine)
    assert 'q0 -> q0 [label="a [00] / 1, reset\\na [01] / 1, reset"];' in text
    assert 'q0 [label="p", shape=doublecircle];' in text
    assert 'q2 [label="reject"];' in text
