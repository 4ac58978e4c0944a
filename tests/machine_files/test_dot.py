"""DOT text: a node for each state, an arrow for each pair of states, and names that stay as they are."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas, moore_machines, turing_machines

from exactnn.automata import (
    DFA,
    MooreMachine,
    PushdownAutomaton,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
)
from exactnn.errors import MachineError
from exactnn.machine_files import load, write_dot, zoo_names

NODE = re.compile(r'  q(\d+) \[label="((?:[^"\\]|\\.)*)"(.*)\];')
ARROW = re.compile(r'  q(\d+) -> q(\d+) \[label="((?:[^"\\]|\\.)*)"\];')
HOSTILE = ['"', "\\", "\\N", "\n", "\\n", "&amp;", "<b>x</b>", "", "a b", '"]; x -> y [', "\x00", "\ud800", "é", "}"]


def unquoted(label):
    """What Graphviz draws of a label."""
    text = re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), label)
    return text.replace("&amp;", "&")


def read(text):
    """The labels of the nodes, their looks, and the labels of the arrows; every line is one of the few kinds."""
    first, *lines, last = text.splitlines()
    assert first.startswith('digraph "')
    assert first.endswith('" {')
    assert last == "}"
    lines = [line for line in lines if not re.fullmatch('  comment="[a-z_]+";', line)]
    assert lines[:3] == ["  rankdir=LR;", "  node [shape=circle];", '  start [shape=point, label=""];']
    labels, looks, arrows, starts = [], [], {}, []
    for line in lines[3:]:
        if match := NODE.fullmatch(line):
            assert int(match[1]) == len(labels)
            labels.append(unquoted(match[2]))
            looks.append(match[3])
        elif match := ARROW.fullmatch(line):
            assert (int(match[1]), int(match[2])) not in arrows
            arrows[int(match[1]), int(match[2])] = unquoted(match[3])
        else:
            starts.append(line)
    (start,) = starts
    return labels, looks, arrows, int(re.fullmatch(r"  start -> q(\d+);", start)[1])


@given(dfas())
def test_a_dfa_can_be_read_back_from_its_graph(dfa):
    labels, looks, arrows, start = read(write_dot(dfa))
    assert tuple(labels) == dfa.states
    assert labels[start] == dfa.initial_state
    assert [look == ", shape=doublecircle" for look in looks] == [q in dfa.final_states for q in dfa.states]
    assert {(labels[p], a): labels[q] for (p, q), symbols in arrows.items() for a in symbols.split(", ")} == {
        (q, a): target for q, row in dfa.transitions.items() for a, target in row.items()
    }


@given(moore_machines())
def test_a_moore_machine_shows_its_outputs(machine):
    labels, looks, _, start = read(write_dot(machine))
    assert labels == [f"{q} / {machine.outputs[q]}" for q in machine.states]
    assert start == machine.states.index(machine.initial_state)
    assert set(looks) == {""}


@given(turing_machines())
def test_a_turing_machine_can_be_read_back_from_its_graph(machine):
    labels, looks, arrows, start = read(write_dot(machine))
    assert tuple(labels) == machine.states
    assert labels[start] == machine.initial_state
    found = {}
    for (p, q), text in arrows.items():
        for line in text.split("\n"):
            symbol, written, move = re.fullmatch("(.) / (.), ([LR])", line).groups()
            found[labels[p], symbol] = (labels[q], written, move)
    assert found == {(q, a): tuple(rule) for q, row in machine.transitions.items() for a, rule in row.items()}
    for state, look in zip(machine.states, looks, strict=True):
        expected = ", style=dashed" if state == machine.reject_state else ", shape=doublecircle"
        assert look == (expected if state in machine.halting_states else "")


def hostile_dfa():
    return DFA(
        states=HOSTILE,
        input_symbols=[a for a in HOSTILE if a],
        transitions={q: {a: a for a in HOSTILE if a} for q in HOSTILE},
        initial_state="",
        final_states=["\\"],
        name='"\n\\',
    )


def shown_as(text):
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


def test_names_that_look_like_dot_stay_names():
    text = write_dot(hostile_dfa())
    labels, _, arrows, start = read(text)
    assert labels == [shown_as(name) for name in HOSTILE]
    assert start == HOSTILE.index("")
    assert len(arrows) == len(HOSTILE) * (len(HOSTILE) - 1)
    text.encode("utf-8")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_names_as_they_are():
    text = write_dot(hostile_dfa())
    drawn = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True, timeout=300)
    assert drawn.stderr == b""
    root = ElementTree.fromstring(drawn.stdout)
    name = "{http://www.w3.org/2000/svg}"
    labels = {
        node.find(f"{name}title").text: "".join(text.text.replace("\xa0", " ") for text in node.iter(f"{name}text"))
        for node in root.iter(f"{name}g")
        if node.get("class") == "node"
    }
    assert labels == {"start": ""} | {f"q{i}": shown_as(label) for i, label in enumerate(HOSTILE)}


def test_symbols_are_quoted_where_they_could_be_taken_for_several():
    symbols = ["a", ",", "b, c", " "]
    dfa = DFA(
        states="q",
        input_symbols=symbols,
        transitions={"q": dict.fromkeys(symbols, "q")},
        initial_state="q",
        final_states=[],
    )
    assert """label="a, ',', 'b, c', ' '\"""" in write_dot(dfa)


def test_symbols_with_one_target_share_an_arrow_and_rules_have_a_line_each():
    assert '  q0 -> q0 [label="0, 1"];' in write_dot(
        DFA(states="q", input_symbols="01", transitions={"q": {"1": "q", "0": "q"}}, initial_state="q", final_states=[])
    )
    shuttle = TuringMachine(
        states="qy",
        input_symbols="01",
        tape_symbols="01_",
        transitions={"q": {"0": ("q", "1", "R"), "1": ("q", "1", "R"), "_": ("y", "_", "L")}},
        initial_state="q",
        blank_symbol="_",
        accept_state="y",
    )
    assert '  q0 -> q0 [label="0 / 1, R\\n1 / 1, R"];\n  q0 -> q1 [label="_ / _, L"];' in write_dot(shuttle)


@pytest.mark.parametrize("name", zoo_names())
def test_every_machine_of_the_zoo_has_a_graph(name):
    machine = load(name)
    labels, *_ = read(write_dot(machine))
    if isinstance(machine, WeightedAutomaton):
        assert labels == [f"{q} / {x}" if x else str(q) for q, x in zip(machine.states, machine.final, strict=True)]
    elif isinstance(machine, MooreMachine):
        assert labels == [f"{q} / {machine.outputs[q]}" for q in machine.states]
    elif isinstance(machine, WeightedPushdownAutomaton):
        assert [label.partition(" / ")[0] for label in labels] == [str(q) for q in machine.states]
    elif isinstance(machine, PushdownAutomaton):
        assert labels == [str(q) for q in machine.control_states]
    else:
        assert labels == [str(q) for q in machine.states]


@given(st.sampled_from((None, "parity", 3)))
def test_other_things_have_no_graph(thing):
    with pytest.raises(MachineError, match="give a DFA, a weighted automaton or a Moore, counter"):
        write_dot(thing)


def test_outputs_of_any_kind_are_printed():
    machine = MooreMachine(
        states="q", input_symbols="a", transitions={"q": {"a": "q"}}, initial_state="q", outputs={"q": (1, '"')}
    )
    assert 'label="q / (1, \'\\"\')"' in write_dot(machine)
