"""Every fault of a file is found, with its line and a remedy, and all of them come in one error of one line."""

import pytest

from exactnn.errors import ExactnnError, MachineError, MachineFileError
from exactnn.machine_files import read_yaml
from exactnn.outcome import Outcome

GOOD = """\
kind: turing_machine
title: Ends in a
tape: semi_infinite
blank: _
input symbols: [a, b]
start state: q
accept state: accept
reject state: reject
table:
  q: {[a, b]: R, _: {L: last}}
  last: {a: {R: accept}, [b, _]: {R: reject}}
  accept:
  reject:
input: abba
expect:
  - {word: "", verdict: reject, steps: 2}
  - {word: [b, a], verdict: accept, steps: 4, nonblank: 2, tape: ba}
"""

DFA = """\
kind: dfa
start state: q
final states: [q]
table:
  q: {a: q, b: p}
  p: {[a, b]: p}
"""


def faults_of(text):
    with pytest.raises(MachineFileError) as caught:
        read_yaml(text)
    assert "\n" not in str(caught.value)
    assert all(fault.startswith("line ") for fault in caught.value.faults)
    return caught.value.faults


def test_the_unchanged_texts_are_good():
    found = read_yaml(GOOD)
    assert found.title == "Ends in a"
    assert [e.outcome for e in found.expectations] == [Outcome.REJECTED, Outcome.ACCEPTED]
    assert found.expectations[1].tape == ("b", "a")
    assert read_yaml(DFA).machine.final_states == ("q",)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("kind: turing_machine", "kind: turing machine", 1, "write turing_machine or dfa"),
        ("kind: turing_machine", "kind: [dfa]", 1, "needs one text"),
        ("title: Ends in a", "titel: Ends in a", 2, "did you mean 'title'?"),
        ("title: Ends in a", "tags: regular", 2, "'tags:' is a list"),
        ("title: Ends in a", "tags: [a, a]", 2, "'tags:' lists 'a' twice"),
        ("title: Ends in a", "tags: [Star free]", 2, "'tags:' has 'Star free': a tag is a word of small letters"),
        ("title: Ends in a", f"tags: [{', '.join(map(str, range(21)))}]", 2, "'tags:' has 21 entries: at most 20"),
        ("title: Ends in a", "42: Ends in a", 2, "unknown key '42'"),
        ("title: Ends in a", "title: {a: b}", 2, "needs one text"),
        ("title: Ends in a", "blank: x", 4, "is here twice (first in line 2)"),
        ("title: Ends in a", "positions: {}", 2, "unknown key 'positions'"),
        ("title: Ends in a", "final states: [q]", 2, "unknown key 'final states'"),
        ("tape: semi_infinite", "tape: infinite", 3, "write semi_infinite or two_way_infinite"),
        ("blank: _\n", "", 1, "'blank:' is missing"),
        ("blank: _", "blank:", 4, "'blank:' needs one text: quote it if it is empty or blank"),
        ("blank: _", "blank: [_]", 4, "'blank:' needs one text"),
        ("[a, b]\n", "[a, b, _]\n", 5, "the blank '_' cannot be an input symbol"),
        ("[a, b]\n", "[a, a]\n", 5, "lists 'a' twice"),
        ("[a, b]\n", "[a, [b]]\n", 5, "lists texts"),
        ("[a, b]\n", "ab\n", 5, "is a list: write [a, b]"),
        ("[a, b]\n", "[a, '']\n", 5, "lists the empty text"),
        ("title: Ends in a", "tape symbols: [a, _]", 2, "the input symbol 'b' is not listed"),
        ("title: Ends in a", "tape symbols: [a, b]", 2, "the blank '_' is not listed"),
        ("start state: q", "start state: r", 6, "start state 'r' has no row in the table"),
        ("start state: q\n", "", 1, "'start state:' is missing"),
        ("reject state: reject", "reject state: accept", 7, "accept state and reject state are both 'accept'"),
        ("reject state: reject", "halt state: reject", 7, "gives no verdict"),
        ("  accept:\n", "  accept: {a: R}\n", 12, "state 'accept' halts, so that its row must be empty"),
        ("  accept:\n", "  accept: R\n", 12, "the row of 'accept' is a mapping"),
        ("  accept:\n", "  accept: []\n", 12, "the row of 'accept' is a mapping"),
        ("  accept:\n", "  accept:\n  q:\n", 13, "a state 'q' is here twice (first in line 10)"),
        ("  accept:\n", "  accept:\n  [a, b]: {a: R}\n", 13, "a state is a text"),
        ("  accept:\n", "  accept:\n  idle:\n", 13, "state 'idle' has an empty row"),
        ("{L: last}", "{L: lost}", 10, "goes to 'lost', which has no row in the table: add a line 'lost:'"),
        ("{L: last}", "{L: last, R: q}", 10, "moves exactly once"),
        ("{L: last}", "{write: a}", 10, "moves exactly once"),
        ("{L: last}", "{write: , L: last}", 10, "'write:' needs a symbol"),
        ("{L: last}", "{write: [a], L: last}", 10, "needs one text, not a list"),
        ("{L: last}", "{wite: a, L: last}", 10, "unknown key 'wite' in an instruction: did you mean 'write'?"),
        ("{L: last}", "{L: {q: p}}", 10, "needs one text"),
        ("{L: last}", "[L, last]", 10, "an instruction is not a list"),
        ("{L: last}", "left", 10, "unknown instruction 'left'"),
        ("_: {L: last}}", "_: }", 10, "an empty instruction"),
        ("[a, b]: R, _", "[a, b, a]: R, _", 10, "symbol 'a' of state 'q' is here twice"),
        ("[a, b]: R, _", "[a, b]: R, a: L, _", 10, "symbol 'a' of state 'q' is here twice"),
        ("[a, b]: R, _", "[a, {b: c}]: R, _", 10, "before ':' stands a symbol or a list of symbols"),
        ("[a, b]: R, _", "a: R, _", 10, "state 'q' has no rule for 'b': add rules, or say 'undefined: reject'"),
        ("title: Ends in a", "undefined: maybe", 2, "write reject or halt or error"),
        ("title: Ends in a", "synonyms: [a]", 2, "'synonyms:' is a mapping"),
        ("title: Ends in a", "synonyms: {a: b}", 2, "unknown instruction 'b'"),
        ("input: abba", "input: abc", 14, "symbol 'c' at position 2 of the word is not in the alphabet"),
        ("input: abba", "input: {a: b}", 14, "'input:' needs one text"),
        ('word: ""', 'wrd: ""', 16, "unknown key 'wrd' in an expectation"),
        ('word: "", ', "", 16, "an expectation needs 'word:'"),
        ("verdict: reject", "verdict: no", 16, "write accept or reject"),
        ("verdict: reject", "outcome: no", 16, "write accepted or rejected or halted or step limit"),
        ("verdict: reject", "verdict: reject, outcome: rejected", 16, "keep one"),
        ("verdict: reject, ", "", 16, "an expectation needs 'verdict: accept'"),
        ("steps: 2", "steps: two", 16, "write a whole number in digits"),
        ("steps: 2", "steps: -2", 16, "write a whole number in digits"),
        ("steps: 2", f"steps: 1{'0' * 5000}", 16, "write a whole number in digits"),
        ("verdict: reject, steps: 2", "outcome: step limit", 16, "needs 'steps:'"),
        ("tape: ba", "tape: bc", 17, "symbol 'c' at position 1"),
        ("  - {word", "    {word", 17, "not valid YAML"),
    ],
)
def test_one_fault(old, new, line, words):
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    faults = faults_of(text)
    assert any(fault.startswith(f"line {line}: ") and words in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("final states: [q]\n", "", 1, "'final states:' is missing"),
        ("final states: [q]", "final states: q", 3, "is a list"),
        ("final states: [q]", "final states: [r]", 3, "final state 'r' has no row"),
        ("final states: [q]", "final states: [q]\ntape: semi_infinite", 4, "unknown key 'tape'"),
        ("final states: [q]", "final states: [q]\nundefined: halt", 4, "write reject or error"),
        ("b: p}", "b: r}", 5, "goes to 'r', which has no row in the table"),
        ("b: p}", "b: {R: p}}", 5, "the entry of a DFA's table is a state"),
        (", b: p}", "}", 5, "state 'q' has no entry for 'b': add it, or say 'undefined: reject'"),
        ("start state: q", "start state: r", 2, "start state 'r' has no row"),
        ("kind: dfa", "kind: dfa\ninput symbols: [a]", 6, "reads 'b', which 'input symbols:' does not list"),
        ("kind: dfa", "kind: dfa\nexpect: [{word: a, verdict: accept, tape: a}]", 2, "without a tape"),
        ("kind: dfa", "kind: dfa\nexpect: {}", 2, "'expect:' is a list"),
    ],
)
def test_one_fault_of_an_automaton(old, new, line, words):
    faults = faults_of(DFA.replace(old, new, 1))
    assert any(fault.startswith(f"line {line}: ") and words in fault for fault in faults), faults


def test_all_faults_at_once_in_the_order_of_their_lines():
    text = GOOD.replace("tape: semi", "tape: half").replace("{L: last}", "left").replace("{R: accept}", "{R: acept}")
    lines = [int(fault.split(":")[0].removeprefix("line ")) for fault in faults_of(text)]
    assert lines == [3, 10, 11]


def test_undefined_reject_completes_an_automaton():
    machine = read_yaml(DFA.replace(", b: p}", "}\n").replace("kind: dfa", "kind: dfa\nundefined: reject")).machine
    assert machine.transitions["q"]["b"] == "reject"
    assert machine.transitions["reject"] == {"a": "reject", "b": "reject"}


@pytest.mark.parametrize("undefined", ["reject", "halt"])
def test_undefined_completes_a_tape_machine(undefined):
    text = f"kind: turing_machine\nundefined: {undefined}\nblank: _\nstart state: q\ntable: {{q: {{a: R}}}}"
    machine = read_yaml(text).machine
    assert machine.halting_states == (undefined,)
    assert machine.transitions["q"]["_"] == (undefined, "_", "R")


def test_undefined_must_fit_the_verdicts():
    text = "kind: turing_machine\nundefined: {}\nblank: _\nstart state: q\n{}: end\ntable: {{q: {{a: R}}, end: }}"
    assert "write 'undefined: halt'" in faults_of(text.format("reject", "halt state"))[0]
    assert "write 'undefined: reject'" in faults_of(text.format("halt", "accept state"))[0]


def test_the_message_of_a_long_fault_list_is_cut_but_its_faults_are_not():
    with pytest.raises(MachineFileError, match="and 453 more faults") as caught:
        read_yaml("kind: dfa\n" + "".join(f"key{i}: x\n" for i in range(500)), name="m")
    assert len(caught.value.faults) == 503


def test_the_error_is_of_the_tree():
    assert issubclass(MachineFileError, MachineError)
    assert issubclass(MachineError, ExactnnError)
