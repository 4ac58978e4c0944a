"""Stack machines in YAML: patterns of tops, faults with their lines, and what is written is read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import stack_machines
from test_yaml_faults import faults_of
from test_yaml_writer import STATES, SYMBOLS

from exactnn.automata import EMPTY, KEEP, POP, StackMachine, StackRule, push
from exactnn.machine_files import Expectation, MachineFile, disagreements, load_file, read_yaml, write_dot, write_yaml
from exactnn.outcome import Outcome
from tests.promptness import promptly

GOOD = """\
kind: stack_machine
stacks: 2
stack symbols: [a, b]
input symbols: [a]
undefined: reject
start state: q
accept state: accept
reject state: reject
table:
  q:
    [a, .]: {do: [pop, push b]}
    [_, [a, b]]: {go: back}
    [_, .]: {do: [keep, push a], go: accept}
  back: {[., .]: {go: accept}}
  accept:
  reject:
expect:
  - {word: "", verdict: accept, steps: 1, stack: ""}
"""


def test_the_first_pattern_that_fits_applies():
    machine = read_yaml(GOOD).machine
    row = machine.transitions["q"]
    assert len(row) == 9
    assert {row["a", top] for top in ("a", "b", EMPTY)} == {StackRule("q", (POP, push("b")))}
    assert row[EMPTY, "a"] == row[EMPTY, "b"] == StackRule("back", (KEEP, KEEP))
    assert row[EMPTY, EMPTY] == StackRule("accept", (KEEP, push("a")))
    assert row["b", EMPTY] == StackRule("reject", (KEEP, KEEP))
    assert (machine.stacks, machine.input_symbols, machine.stack_symbols) == (2, ("a",), ("a", "b"))


def test_one_stack_needs_no_brackets():
    text = (
        "kind: stack_machine\nstacks: 1\nstart state: q\nhalt state: H\ntable:\n  q: {a: {do: pop}, _: {go: H}}\n  H:\n"
    )
    machine = read_yaml(text).machine
    assert machine.transitions["q"] == {("a",): StackRule("q", (POP,)), (EMPTY,): StackRule("H", (KEEP,))}
    assert machine.input_symbols == ("a",)


FAULTS = [
    ("kind: stack_machine", "kind: stack", 1, "write turing_machine or dfa or moore_machine or mealy_machine or"),
    ("stacks: 2\n", "", 1, "'stacks:' is missing"),
    ("stacks: 2", "stacks: 0", 2, "'stacks:' is 0: write a number from 1 to 12"),
    ("stacks: 2", "stacks: 999999999999", 2, "write a number from 1 to 12"),
    ("stacks: 2", "stacks: two", 2, "write a whole number in digits"),
    ("stacks: 2", "stacks: 12", 9, "at most 50000 cells"),
    ("stack symbols: [a, b]", "stack symbols: [a]", 11, "has the symbol 'b', which 'stack symbols:' does not list"),
    ("stack symbols: [a, b]", "stack symbols: [a, b, _]", 3, "'_' stands for an empty stack and cannot be a symbol"),
    ("stack symbols: [a, b]", "stack symbols: [a, b, .]", 3, "'.' stands for anything"),
    ("stacks: 2", "stacks: 2\nany: _", 4, "stands for an empty stack and for anything"),
    ("input symbols: [a]", "input symbols: [c]", 3, "the input symbol 'c' is not listed"),
    ("undefined: reject", "undefined: error", 10, "state 'q' has no rule for b/a, b/b, b/(empty)"),
    ("undefined: reject", "undefined: halt", 9, "'undefined: halt' in a machine with verdicts"),
    ("start state: q", "start state: z", 6, "start state 'z' has no row"),
    ("[a, .]: {do", "[a]: {do", 11, "1 tops of 2 stacks: before ':' stand 2 tops in brackets"),
    ("[a, .]: {do", "[a, '']: {do", 11, "a top is a symbol or a list of symbols"),
    ("[a, .]: {do", "[a, [[b]]]: {do", 11, "a top is a symbol or a list of symbols"),
    ("do: [pop, push b]", "do: [pop]", 11, "'do:' has 1 operations for 2 stacks"),
    ("do: [pop, push b]", "do: [pop, peek]", 11, "unknown operation 'peek': write keep, pop or"),
    ("do: [pop, push b]", "do: [pop, [b]]", 11, "an operation is a text"),
    ("{do: [pop, push b]}", "push", 11, "an instruction is a mapping"),
    ("{do: [pop, push b]}", "{doo: [pop, push b]}", 11, "did you mean 'do'?"),
    ("[_, .]: {do: [keep, push a], go: accept}", "[_, a]: {go: accept}", 13, "never applies"),
    ("go: back", "go: forth", 12, "goes to 'forth', which has no row"),
    ("  accept:\n", "  accept: {[., .]: {go: q}}\n", 15, "state 'accept' halts"),
    ("stack: \"\"", "stack: c", 18, "symbol 'c' at position 0"),
    ("stack: \"\"", "tape: a", 18, "'tape:' of a machine without a tape"),
    ("stack: \"\"", "nonblank: 1", 18, "'nonblank:' of a machine without a tape"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "words"), FAULTS)
def test_faults_have_lines(old, new, line, words):
    assert GOOD.count(old) == 1
    faults = faults_of(GOOD.replace(old, new))
    assert any(fault.startswith(f"line {line}: ") and words in fault for fault in faults), faults


def test_hostile_patterns_are_bounded():
    rules = "\n".join(["    [" + ", ".join(["[a, b, _]"] * 8) + "]: {go: q}"] * 400)
    text = f"kind: stack_machine\nstacks: 8\nstart state: q\nhalt state: H\ntable:\n  q:\n{rules}\n  H:\n"
    assert any("more than 2000000 readings" in fault for fault in faults_of(text))


def test_a_tape_machine_has_no_stack():
    text = write_yaml(load_file("anbn")).replace("{word: a, ", '{word: a, stack: "", ')
    assert any("'stack:' of a machine without stacks" in fault for fault in faults_of(text))


def test_a_wrong_stack_is_a_disagreement():
    found = load_file("binary-increment-stacks")
    wrong = Expectation(word=("1",), outcome=Outcome.HALTED, steps=5, stack=("1", "1"))
    assert disagreements(found.machine, wrong) == ["stack is ('1', '0'), expected ('1', '1')"]


@st.composite
def oddly_named(draw):
    """Stack machines whose states and symbols have any names."""
    machine = draw(stack_machines(max_states=2, max_symbols=3, max_stacks=2))
    names = draw(st.lists(STATES, min_size=len(machine.states), max_size=len(machine.states), unique=True))
    texts = draw(st.lists(SYMBOLS, min_size=3, max_size=3, unique=True))
    state, symbol = dict(zip(machine.states, names, strict=True)), dict(zip("abc", texts, strict=True)) | {EMPTY: EMPTY}

    def renamed(rule):
        return state[rule.next_state], tuple((o[0], *(symbol[a] for a in o[1:])) for o in rule.operations)

    return StackMachine(
        states=names,
        input_symbols=[symbol[a] for a in machine.input_symbols],
        stack_symbols=[symbol[a] for a in machine.stack_symbols],
        stacks=machine.stacks,
        transitions={
            state[q]: {tuple(symbol[a] for a in r): renamed(rule) for r, rule in row.items()}
            for q, row in machine.transitions.items()
        },
        initial_state=state[machine.initial_state],
        accept_state=None if machine.accept_state is None else state[machine.accept_state],
        reject_state=None if machine.reject_state is None else state[machine.reject_state],
        halt_state=None if machine.halt_state is None else state[machine.halt_state],
        name="odd",
    )


@settings(max_examples=33)
@given(oddly_named(), st.data())
def test_what_is_written_is_read_back(machine, data):
    words = st.lists(st.sampled_from(machine.input_symbols), max_size=4) if machine.input_symbols else st.just([])
    stacks = st.lists(st.sampled_from(machine.stack_symbols), max_size=4).map(tuple)
    promise = Expectation(
        word=tuple(data.draw(words)), outcome=Outcome.STEP_LIMIT, steps=3, stack=data.draw(st.none() | stacks)
    )
    found = MachineFile(machine=machine, name="odd", title="t", source="s", expectations=(promise,))
    assert read_yaml(write_yaml(found)) == found


def test_the_graph_has_an_arrow_for_every_pair_of_states():
    text = write_dot(load_file("anbn-stacks").machine)
    assert text.count("->") == 1 + 4 + 3
    assert "b, a / pop, pop" in text
    assert "ε, ε / keep, keep" in text


def test_many_input_symbols_are_refused_at_once():
    many = ", ".join(f"s{i}" for i in range(100_000))
    text = GOOD.replace("stack symbols: [a, b]\n", "").replace("input symbols: [a]", f"input symbols: [{many}]")
    with promptly():
        assert any("at most 50000 cells" in fault for fault in faults_of(text))
