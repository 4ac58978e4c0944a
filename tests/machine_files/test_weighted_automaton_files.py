"""Weighted automata in files: what is written is read back, faults have lines, and graphs have the weights."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import MachineFileError
from exactnn.machine_files import Expectation, MachineFile, read_yaml, write_dot, write_yaml
from exactnn.outcome import Outcome
from exactnn.strategies import weighted_automata
from tests.machine_files.test_dot import ARROW, NODE, unquoted

COUNTING = """kind: weighted_automaton
name: count
input symbols: [a, b]
initial: [1, 0]
final: [0, 1]
transitions:
  a: [[1, 1], [0, 1]]
  b: [[1, 0], [0, 1]]
expect:
  - {word: aab, value: 2}
"""


@given(weighted_automata(), st.data())
def test_what_is_written_is_read_back(automaton, data):
    word = tuple(data.draw(st.lists(st.sampled_from(automaton.input_symbols), max_size=4)))
    said = Expectation(word=word, outcome=Outcome.COMPLETED, value=automaton.value(word))
    file = MachineFile(machine=automaton, name=automaton.name, expectations=(said,), sample_input=word)
    assert read_yaml(write_yaml(file)) == file


def test_symbols_of_any_kind_are_written():
    symbols = ["0", "~", "null", "a b", '"', "\n", "é", ": "]
    automaton = xn.WeightedAutomaton(
        input_symbols=symbols, initial=["1/3"], transitions={a: [["-2/7"]] for a in symbols}, final=[10**30]
    )
    file = MachineFile(machine=automaton, name=automaton.name)
    assert read_yaml(write_yaml(file)) == file
    empty = xn.WeightedAutomaton(input_symbols=[], initial=[1, 2], transitions={}, final=[3, 4])
    assert read_yaml(write_yaml(MachineFile(machine=empty, name="empty"))).machine.value("") == 11


def test_what_a_file_says():
    found = read_yaml(COUNTING)
    assert found.machine == xn.load("counting").renamed("count")
    assert found.expectations[0].value == 2
    without = COUNTING.replace("input symbols: [a, b]\n", "")
    assert read_yaml(without).machine.input_symbols == ("a", "b")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("initial: [1, 0]\n", "", 1, "'initial:' is missing"),
        ("initial: [1, 0]", "initial: 3", 4, "is a list of numbers"),
        ("initial: [1, 0]", "initial: [1, x]", 4, "'x' is not a number"),
        ("initial: [1, 0]", "initial: [1, [0]]", 4, "is a number: write 2, 1/2 or 0.5"),
        ("final: [0, 1]", "final: [0]", 5, "'final:' has 1 numbers, 'initial:' has 2"),
        ("final: [0, 1]", "final: [0, nan]", 5, "'nan' is not a number"),
        ("[[1, 1], [0, 1]]", "[[1, 1]]", 7, "the matrix of 'a' has not 2 rows of 2 numbers"),
        ("[[1, 1], [0, 1]]", "[[1], [0, 1]]", 7, "the matrix of 'a' has not 2 rows of 2 numbers"),
        ("[[1, 1], [0, 1]]", "7", 7, "the matrix of 'a' is a list of rows"),
        ("  b: [[1, 0], [0, 1]]\n", "", 6, "no matrix for 'b'"),
        ("input symbols: [a, b]", "input symbols: [a]", 6, "a matrix for 'b', which is no input symbol"),
        ("value: 2", "verdict: accept", 10, "gives words values: write 'value:'"),
        ("value: 2", "value: 2, steps: 3", 10, "one for each symbol: remove it"),
        ("value: 2", "value: two", 10, "'two' is not a number"),
        (", value: 2", "", 10, "needs 'value:'"),
        ("word: aab", "word: aac", 10, "'c'"),
        ("transitions:", "table:", 6, "unknown key 'table'"),
    ],
)
def test_faults_have_lines(old, new, line, words):
    assert old in COUNTING
    with pytest.raises(MachineFileError) as refused:
        read_yaml(COUNTING.replace(old, new, 1))
    assert any(f"line {line}: " in fault and words in fault for fault in refused.value.faults), refused.value


def test_values_are_of_weighted_automata_only():
    dfa = "kind: dfa\nstart state: q\nfinal states: [q]\ntable:\n  q: {a: q}\nexpect:\n- {word: a, value: 1}\n"
    with pytest.raises(MachineFileError, match="gives no values: write 'verdict:'"):
        read_yaml(dfa)


@given(weighted_automata())
def test_an_automaton_can_be_read_back_from_its_graph(automaton):
    """Every weight that is not 0 is at its arrow, its state or its arrow from outside."""
    final, steps, initial = {}, {}, {}
    for line in write_dot(automaton).splitlines()[5:-1]:
        if match := NODE.fullmatch(line):
            _, _, weight = unquoted(match[2]).partition(" / ")
            final[int(match[1])] = weight or "0"
            assert bool(weight) == ("doublecircle" in line)
        elif match := ARROW.fullmatch(line):
            for entry in unquoted(match[3]).split("\n"):
                symbol, _, weight = entry.partition(" / ")
                steps[symbol, int(match[1]), int(match[2])] = weight
        else:
            to, _, label = line.removeprefix("  start -> q").removesuffix(";").partition(" ")
            initial[int(to)] = label.removeprefix('[label="').removesuffix('"]') or "1"
    states = automaton.states
    read = xn.WeightedAutomaton(
        input_symbols=automaton.input_symbols,
        initial=[initial.get(i, 0) for i in states],
        final=[final[i] for i in states],
        transitions={a: [[steps.get((a, i, j), 0) for j in states] for i in states] for a in automaton.input_symbols},
    )
    assert read == automaton
