"""Weighted pushdown automata in files: what is written is read back, faults have lines, and graphs have the weights."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import WeightedPushdownAutomaton, configurations, interpret, kind_of
from exactnn.errors import ConstructionError, MachineError, MachineFileError
from exactnn.machine_files import Expectation, MachineFile, disagreements, read_yaml, write_dot, write_yaml
from exactnn.outcome import Outcome
from exactnn.strategies import machines_of_kind, weighted_pushdown_automata
from tests.machine_files.test_dot import ARROW, NODE, unquoted
from tests.promptness import promptly

MORE = """kind: weighted_pushdown_automaton
name: more a than b
states: [q, r]
stack symbols: [bottom, one]
input symbols: [a, b]
push:
  a:
    - [q, [bottom, one], q, one]
replace:
  b: [[q, one, r, one, 1/3]]
pop:
  b:
    - [[q, r], one, q, 0.5]
final:
  - [q, one, 2]
expect:
  - {word: aab, value: 1}
"""


def as_text(weights):
    return {tuple(map(str, key)): weight for key, weight in weights.items()}


def with_names(automaton):
    """The same automaton with texts for states and stack symbols, as they are in files."""
    return WeightedPushdownAutomaton(
        states=map(str, automaton.states),
        stack_symbols=map(str, automaton.stack_symbols),
        input_symbols=automaton.input_symbols,
        **{
            part: {
                a: {tuple(map(str, key)): x for key, x in row.items()} for a, row in getattr(automaton, part).items()
            }
            for part in ("push", "replace", "pop")
        },
        final={tuple(map(str, pair)): weight for pair, weight in automaton.final.items()},
        name=automaton.name,
    )


@given(weighted_pushdown_automata().map(with_names), st.data())
def test_what_is_written_is_read_back(automaton, data):
    word = tuple(data.draw(st.lists(st.sampled_from(automaton.input_symbols), max_size=4)))
    said = Expectation(word=word, outcome=Outcome.COMPLETED, value=automaton.weight(word))
    file = MachineFile(machine=automaton, name=automaton.name, expectations=(said,), sample_input=word)
    assert read_yaml(write_yaml(file)) == file
    assert disagreements(automaton, said) == []


def test_names_of_any_kind_are_written():
    names = ["0", "~", "null", "a b", '"', "\n", "é", ": ", "[x]"]
    automaton = WeightedPushdownAutomaton(
        states=["", *names],
        stack_symbols=["", *names],
        input_symbols=names,
        push={a: {("", "", a, a): "1/3"} for a in names},
        replace={"0": {}},
        pop={a: {(a, a, ""): 10**30} for a in names},
        final={("", ""): 0, ("~", "null"): 7},
    )
    file = MachineFile(machine=automaton, name=automaton.name)
    assert read_yaml(write_yaml(file)) == file
    bare = WeightedPushdownAutomaton(states=["q"], stack_symbols=["z"], input_symbols="a")
    assert read_yaml(write_yaml(MachineFile(machine=bare, name=bare.name))).machine == bare


def test_what_a_file_says():
    found = read_yaml(MORE)
    machine = found.machine
    assert kind_of(machine) == "weighted_pushdown_automaton"
    assert machine.push == {"a": {("q", "bottom", "q", "one"): 1, ("q", "one", "q", "one"): 1}}
    assert machine.pop == {"b": {("q", "one", "q"): mpq(1, 2), ("r", "one", "q"): mpq(1, 2)}}
    assert [str(machine.weight(word)) for word in ("a", "aab", "ab", "aabb")] == ["2", "1", "0", "1/3"]
    assert found.expectations[0].value == 1
    assert disagreements(machine, found.expectations[0]) == []
    without = read_yaml(MORE.replace("input symbols: [a, b]\n", "")).machine
    assert without.input_symbols == ("a", "b")
    assert without == machine


def test_a_run_by_the_definition():
    machine = read_yaml(MORE).machine
    run = interpret(machine, "aab")
    assert (run.value, run.steps, run.outcome, run.verdict) == (1, 3, Outcome.COMPLETED, None)
    path = list(configurations(machine, "aab"))
    assert [stack.steps for stack in path] == [0, 1, 2, 3]
    assert path[-1] == run.configuration == machine.read("aab")
    cut = interpret(machine, "aab", max_steps=2)
    assert (cut.outcome, cut.steps, cut.value, cut.configuration) == (Outcome.STEP_LIMIT, 2, None, path[2])
    late = interpret(machine, "aab", max_seconds=0)
    assert (late.outcome, late.steps, late.value) == (Outcome.TIME_LIMIT, 0, None)
    assert interpret(machine, "", max_seconds=0).value == 0
    with pytest.raises(ConstructionError, match="no construction compiles <WeightedPushdownAutomaton more a than b"):
        xn.compile(machine)


def test_a_time_limit_holds_for_long_words():
    machine = xn.load("rna-pairs")
    with promptly():
        assert interpret(machine, "GCAU" * 300, max_seconds=0.2).outcome is Outcome.TIME_LIMIT


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("states: [q, r]\n", "", 1, "'states:' is missing"),
        ("stack symbols: [bottom, one]\n", "", 1, "'stack symbols:' is missing"),
        ("final:\n  - [q, one, 2]\n", "", 1, "'final:' is missing"),
        ("states: [q, r]", "states: []", 3, "'states:' is empty"),
        ("states: [q, r]", "states: [q, q]", 3, "lists 'q' twice"),
        ("states: [q, r]", "states: q", 3, "is a list"),
        ("states: [q, r]", "states: [q]", 13, "has the state 'r', which 'states:' does not list"),
        ("[bottom, one]\ninput", "[bottom]\ninput", 8, "has the top 'one', which 'stack symbols:' does not list"),
        ("q, one]\nreplace", "q, two]\nreplace", 8, "has the new symbol 'two'"),
        ("one, r, one, 1/3", "one, s, one, 1/3", 10, "has the next state 's'"),
        ("input symbols: [a, b]", "input symbols: [a]", 10, "'replace:' has the symbol 'b', which is not listed"),
        ("input symbols: [a, b]", "input symbols: [a, a, b]", 5, "lists 'a' twice"),
        ("input symbols: [a, b]", "input symbols: []", 7, "'push:' has the symbol 'a', which is not listed"),
        ("1/3", "-1/3", 10, "is negative"),
        ("1/3", "x", 10, "'x' is not a number"),
        ("1/3", "[2]", 10, "is a number: write 2, 1/2 or 0.5"),
        ("one, 1/3]", "one, 1/3, 4]", 10, "is a list: write [state, top, next state, new symbol]"),
        ("[[q, r], one, q, 0.5]", "[q, one]", 13, "is a list: write [state, top, next state], or a weight"),
        ("[[q, r], one, q, 0.5]", "q", 13, "is a list"),
        ("[[q, r], one, q, 0.5]", "[[q, q], one, q]", 13, "twice (first in line 13)"),
        ("[[q, r], one, q, 0.5]", "[[], one, q]", 13, "the state in a row of 'pop:' of 'b' is a text, or a list"),
        ("[[q, r], one, q, 0.5]", "[q, one, [q]]", 13, "the next state in a row of 'pop:' of 'b' is a text: quote"),
        ("[[q, r], one, q, 0.5]", "[q, one, {q: r}]", 13, "is a text"),
        ("- [q, one, 2]", "- [q]", 15, "is a list: write [state, top], or a weight"),
        ("final:\n  - [q, one, 2]", "final: 1", 14, "'final:' is a list of rows: write [[state, top, weight]]"),
        ("replace:\n  b: [[q, one, r, one, 1/3]]", "replace: []", 9, "'replace:' is a mapping from symbols"),
        ("[[q, one, r, one, 1/3]]", "1", 10, "is a list of rows"),
        ("value: 1", "verdict: accept", 17, "gives words values: write 'value:'"),
        ("value: 1", "value: 1, steps: 3", 17, "makes one for each symbol: remove it"),
        (", value: 1", "", 17, "needs 'value:'"),
        ("word: aab", "word: aac", 17, "'c'"),
        ("final:", "table:", 14, "unknown key 'table'"),
    ],
)
def test_faults_have_lines(old, new, line, words):
    assert old in MORE
    with pytest.raises(MachineFileError) as refused:
        read_yaml(MORE.replace(old, new, 1))
    assert any(f"line {line}: " in fault and words in fault for fault in refused.value.faults), refused.value


def test_all_faults_are_told_at_once():
    with pytest.raises(MachineFileError) as refused:
        read_yaml(
            MORE.replace("1/3", "-1").replace("[q, one, 2]", "[q, two, 2]").replace("q, one]\nrep", "p, one]\nrep")
        )
    assert [fault.partition(":")[0] for fault in refused.value.faults] == ["line 8", "line 10", "line 15"]


def large(states, tops, rows, alternatives=False):
    names, symbols = [f"q{i}" for i in range(states)], [f"x{i}" for i in range(tops)]
    some = f"[[{', '.join(names)}], [{', '.join(symbols)}], q0]" if alternatives else "[q0, x0, q0]"
    lines = [f"states: [{', '.join(names)}]", f"stack symbols: [{', '.join(symbols)}]", "pop:"]
    lines += [f"  {i}: [{some}]" for i in range(rows)]
    return "\n".join(["kind: weighted_pushdown_automaton", *lines, "final: []", ""])


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (large(40, 11, 1), "40 states and 11 stack symbols: at most 400 pairs of them can be read"),
        (large(20_000, 1, 1), "at most 400 pairs"),
        (large(20, 20, 200, alternatives=True), "more than 50,000 rows"),
        (large(1, 1, 6000), "there are 6000 input symbols: at most 5000 can be read"),
    ],
)
def test_sizes_are_bounded(document, words):
    with promptly(), pytest.raises(MachineFileError, match=words):
        read_yaml(document)


def test_the_largest_that_is_read():
    with promptly():
        machine = read_yaml(large(20, 20, 125, alternatives=True)).machine
    assert sum(map(len, machine.pop.values())) == 50_000
    assert len(machine.as_table().rows) < 100
    assert machine.as_table().more > 49_000


@given(weighted_pushdown_automata())
def test_an_automaton_can_be_read_back_from_its_graph(automaton):
    """Every action whose weight is not 0 is a line of an arrow, and every end is at its state."""
    found, final = {"push": {}, "replace by": {}, "pop": {}}, {}
    tops = automaton.stack_symbols
    for line in write_dot(automaton).splitlines()[4:-1]:
        if match := NODE.fullmatch(line):
            _, _, ends = unquoted(match[2]).partition(" / ")
            every = "doublecircle" in line and not ends
            listed = (end.partition(" ") for end in ends.split(", ") if end)
            final[int(match[1])] = dict.fromkeys(map(str, tops), "1") if every else {x: w or "1" for x, _, w in listed}
        elif match := ARROW.fullmatch(line):
            for entry in unquoted(match[3]).split("\n"):
                reads, done, *weight = entry.split(" / ")
                action, _, new = done.rpartition(" ") if done != "pop" else ("pop", "", "")
                key = (*reads.split(", "), int(match[1]), int(match[2]), new)
                found[action][key] = weight[0] if weight else "1"
    for action, shown in (("push", "push"), ("replace", "replace by"), ("pop", "pop")):
        expected = {
            (a, str(key[1]), key[0], key[2], str(key[3]) if len(key) > 3 else ""): str(weight)
            for a, weights in getattr(automaton, action).items()
            for key, weight in weights.items()
            if weight
        }
        assert found[shown] == expected
    for state in automaton.states:
        ends = {str(top): str(automaton.final[state, top]) for top in tops if automaton.final[state, top]}
        assert final[state] == ends


def test_an_automaton_shows_itself():
    machine = read_yaml(MORE).machine
    assert "push one" in machine._repr_svg_()
    assert "ends in q with one (weight 2)" in machine._repr_html_()
    assert ("b", "pop", "r", "one", "q", "", "1/2") in machine.as_table().rows


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"states": [1, "1"]}, "states 1 and '1' have the same name"),
        ({"stack_symbols": [1, "1"]}, "stack symbols 1 and '1' have the same name"),
        ({"input_symbols": [1]}, "input symbol 1 is not a string"),
        ({"name": 3}, "name is 3: give text"),
    ],
)
def test_names_that_files_cannot_have_are_refused(changes, words):
    with pytest.raises(MachineError, match=words):
        WeightedPushdownAutomaton(**({"states": ["q"], "stack_symbols": ["z"], "input_symbols": "a"} | changes))


@given(machines_of_kind(WeightedPushdownAutomaton, max_states=2, max_symbols=2, shuffled=True))
def test_the_strategy_of_its_kind(automaton):
    assert isinstance(automaton, WeightedPushdownAutomaton)
    assert {*automaton.input_symbols} <= {"a", "b"}
