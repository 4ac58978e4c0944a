"""Deterministic pushdown automata: against all runs, automata-lib and their stack machine; files; what is refused."""

import json
from itertools import product

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import EMPTY, PushdownAutomaton, PushdownRule, interpret
from exactnn.cli import main
from exactnn.errors import MachineError, MachineFileError
from exactnn.machine_files import (
    MachineFile,
    from_automata_lib,
    load,
    read_jflap,
    to_automata_lib,
    write_jflap,
    write_yaml,
)
from exactnn.outcome import Outcome

WORDS = ["".join(word) for n in range(5) for word in product("ab", repeat=n)]


def accepted_by_search(moves, initial, stack, final, acceptance, word, most=150):
    """Whether some run accepts, by a search of all configurations; None if there are too many.

    `moves` are (state, read, pop, next state, push); the first symbol of a text is on top. A pop of None wants an empty
    stack, one of "" anything.
    """
    seen, waiting = set(), [(initial, word, stack)]
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        if len(seen) > most:
            return None
        q, rest, stack = found
        by_state, by_stack = acceptance != "empty stack", acceptance != "final state"
        if not rest and ((by_state and q in final) or (by_stack and not stack)):
            return True
        for p, read, pop, target, push in moves:
            if p == q and rest.startswith(read) and (not stack if pop is None else stack.startswith(pop)):
                waiting.append((target, rest[len(read) :], push + stack[len(pop or "") :]))
    return False


@st.composite
def automata(draw, empties=True):
    """Draw automata of two symbols, up to three states and two stack symbols."""
    states, tops = "pqr"[: draw(st.integers(1, 3))], "ZA"
    rules = st.tuples(st.sampled_from(states), st.text(tops, max_size=3))
    table = {}
    for q in states:
        for top in [*tops, EMPTY] if empties else tops:
            for symbol in draw(st.sampled_from([(), ("",), ("a",), ("b",), ("a", "b")])):
                table.setdefault(q, {})[symbol, top] = draw(rules)
    return PushdownAutomaton(
        states=states,
        input_symbols="ab",
        stack_symbols=tops,
        transitions=table,
        initial_state="p",
        initial_stack_symbol=draw(st.sampled_from(["Z", ""])) if empties else "Z",
        final_states=draw(st.sets(st.sampled_from(states))),
        acceptance=draw(st.sampled_from(["final state", "empty stack", "either"])),
    )


def moves_of(machine):
    return [
        (q, a, top if top else None, rule.next_state, "".join(rule.pushed))
        for q, row in machine.control.items()
        for (a, top), rule in row.items()
    ]


def silent_loop(rule, **more):
    return PushdownAutomaton(
        states="pq",
        input_symbols="ab",
        stack_symbols="ZA",
        transitions={"p": {("", "Z"): rule}} | more,
        initial_state="p",
        initial_stack_symbol="Z",
        final_states="q",
    )


@given(automata())
@example(silent_loop(("p", "Z")))
@example(silent_loop(("p", "ZA")))
@example(silent_loop(("p", "AZ"), q={}))
def test_accepts_is_what_a_search_of_all_runs_finds(machine):
    for word in WORDS:
        start = (machine.first_state, machine.initial_stack_symbol, machine.final_states, machine.acceptance)
        found = accepted_by_search(moves_of(machine), *start, word)
        assert found is None or machine.accepts(word) == found, word


@pytest.mark.parametrize("push", ["Z", "ZA", "AZ"])
def test_moves_that_read_nothing_for_ever_accept_nothing(push):
    machine = silent_loop(("p", push))
    assert not machine.accepts("")
    assert eval(repr(machine), {"PushdownAutomaton": PushdownAutomaton, "PushdownRule": PushdownRule}) == machine


@given(automata())
def test_the_stack_machine_decides_as_the_automaton(machine):
    for word in WORDS:
        run = interpret(machine, word, max_steps=150)
        if run.outcome is not Outcome.STEP_LIMIT:
            assert (run.outcome is Outcome.ACCEPTED) == machine.accepts(word), word
        else:
            assert not machine.accepts(word)


def test_the_layered_network_of_an_automaton(palindromes):
    net = xn.compile(palindromes, "layered_stacks")
    for word in ["", "c", "aca", "acb", "abcba", "abbcbba", "abbcbab", "ab", "cc"]:
        run = xn.run(net, word)
        assert (run.verdict == "accept") == (word.partition("c")[0] == word.partition("c")[2][::-1] and "c" in word)


def test_the_real_time_network_of_an_automaton():
    """Of a^n b^n, which has few stack symbols, as the network has a unit for each reading of several of them."""
    automaton = PushdownAutomaton(
        states=["as", "bs"],
        input_symbols="ab",
        stack_symbols="a",
        transitions={
            "as": {("a", EMPTY): ("as", "a"), ("a", "a"): ("as", "aa"), ("b", "a"): ("bs", "")},
            "bs": {("b", "a"): ("bs", "")},
        },
        initial_state="as",
        initial_stack_symbol="",
        acceptance="empty stack",
    )
    net = xn.compile(automaton, "real_time_stacks")
    for word in map("".join, product("ab", repeat=4)):
        assert (xn.run(net, word).verdict == "accept") == (word == "aabb"), word
    for word, belongs in {"": True, "ab": True, "a": False, "b": False, "aaabbb": True, "aaabb": False}.items():
        assert (xn.run(net, word).verdict == "accept") == belongs, word


@pytest.fixture
def palindromes():
    """Return the automaton of all w c w reversed."""
    table = {"in": {(a, top): ("in", a + top) for a in "ab" for top in "abZ"}}
    table["in"] |= {("c", top): ("out", top) for top in "abZ"}
    table["out"] = {(a, a): ("out", "") for a in "ab"} | {("", "Z"): ("end", "Z")}
    return PushdownAutomaton(
        states=["in", "out", "end"],
        input_symbols="abc",
        stack_symbols="abZ",
        transitions=table,
        initial_state="in",
        initial_stack_symbol="Z",
        final_states=["end"],
        name="palindromes",
    )


@given(automata(empties=False))
def test_automata_lib_decides_alike_and_gives_it_back(machine):
    other = to_automata_lib(machine)
    again = from_automata_lib(other, name=machine.name)
    assert (again.control, again.acceptance) == (machine.control, machine.acceptance)
    assert set(again.final_states) == set(machine.final_states)
    for word in WORDS[:31]:
        if interpret(machine, word, max_steps=200).outcome is not Outcome.STEP_LIMIT:  # it would go on for ever there
            assert other.accepts_input(word) == machine.accepts(word), word


@given(automata())
def test_yaml_gives_it_back(machine):
    assert load(write_yaml(MachineFile(machine=machine, name="m"))) == machine


@given(automata(empties=False))
def test_jflap_gives_it_back(machine):
    if machine.acceptance == "either" or (machine.acceptance == "final state") != bool(machine.final_states):
        with pytest.raises(MachineFileError, match="accepts by"):
            write_jflap(machine)
        return
    again = load(write_jflap(machine))
    assert (again.acceptance, set(again.final_states)) == (machine.acceptance, set(machine.final_states))
    assert (again.control, again.first_state, again.control_states) == (
        machine.control,
        machine.first_state,
        machine.control_states,
    )


LABELS = st.tuples(st.sampled_from("pq"), st.text("ab", max_size=2), st.text("ZA", max_size=2), st.sampled_from("pq"))


@given(st.lists(st.tuples(LABELS, st.text("ZA", max_size=3)), max_size=6), st.booleans())
@example([(("p", "a", "", "p"), "A"), (("p", "b", "AZ", "q"), ""), (("q", "", "A", "q"), "")], True)
@example([(("p", "ab", "Z", "q"), "Z")], True)
@example([(("p", "ab", "", "q"), ""), (("p", "b", "ZA", "p"), "")], True)
@example([(("p", "ab", "", "q"), ""), (("p", "ac", "ZA", "p"), "")], True)
@example([(("p", "aab", "", "q"), ""), (("p", "aac", "AZ", "p"), "Z"), (("p", "b", "", "p"), "A")], True)
@example([(("p", "ab", "Z", "q"), "A")], False)
@example([(("p", "bb", "", "p"), "ZA"), (("p", "a", "Z", "p"), "A")], False)
@example([(("p", "", "ZA", "q"), "Z"), (("p", "a", "ZZ", "p"), ""), (("q", "ab", "", "p"), "Z")], True)
def test_jflap_with_labels_of_several_symbols(drawn, final):
    moves = [(q, read, pop, target, push) for (q, read, pop, target), push in drawn]
    text = document(moves, final)
    if not_deterministic(moves):
        with pytest.raises(MachineFileError, match="at once"):
            load(text)
        return
    try:
        machine = load(text)
    except MachineFileError as error:
        several = any(len(read) > 1 or len(pop) > 1 for _, read, pop, _, _ in moves)
        assert several and not final and "labels of several symbols" in str(error)  # noqa: PT017, PT018
        return
    for word in ["".join(word) for n in range(5) for word in product(machine.input_symbols, repeat=n)]:
        how = "final state" if final else "empty stack"
        found = accepted_by_search(moves, "p", "Z", "q" if final else "", how, word)
        assert found is None or machine.accepts(word) == found, word


def not_deterministic(moves):
    """Whether two moves of a state are possible for one word and one stack."""

    def alike(one, two):
        return one.startswith(two) or two.startswith(one)

    every = set(moves)
    return any(m != n and m[0] == n[0] and alike(m[1], n[1]) and alike(m[2], n[2]) for m in every for n in every)


def document(moves, final):
    """Return a file of JFLAP with the states p, the initial one, and q."""
    arrows = "".join(
        f"<transition><from>{q}</from><to>{target}</to><read>{read}</read><pop>{pop}</pop><push>{push}</push></transition>"
        for q, read, pop, target, push in moves
    )
    states = f'<state id="p" name="p"><initial/></state><state id="q" name="q">{"<final/>" * final}</state>'
    return f"<structure><type>pda</type><automaton>{states}{arrows}</automaton></structure>"


def test_jflap_says_how_it_accepts():
    notes = {final: read_jflap(document([("p", "a", "", "q", "")], final)).notes for final in (True, False)}
    assert "by final state" in notes[True][0]
    assert "by empty stack" in notes[False][0]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"transitions": {"p": {("a", "Z"): ("p", ""), ("", "Z"): ("p", "")}}}, "can read 'a' or nothing"),
        ({"transitions": {"p": {("c", "Z"): ("p", "")}}}, "is of no reading"),
        ({"transitions": {"p": {"aZ": ("p", "")}}}, "is of no reading"),
        ({"transitions": {"p": {("a", "Z"): ("x", "")}}}, "goes to 'x'"),
        ({"transitions": {"p": {("a", "Z"): ("p", "b")}}}, "pushes 'b'"),
        ({"transitions": {"p": {("a", "Z"): "p"}}}, "write \\(next state, pushed symbols\\)"),
        ({"transitions": {"x": {("a", "Z"): ("p", "")}}}, "transitions of 'x'"),
        ({"initial_state": "x"}, "initial state 'x'"),
        ({"initial_stack_symbol": "x"}, "initial_stack_symbol is 'x'"),
        ({"final_states": ["x"]}, "final state 'x'"),
        ({"transitions": {"p": {("a", "Z"): ("p", "Z" * 101)}}}, "pushes 101 symbols: at most 100"),
        ({"acceptance": "both"}, "acceptance is 'both': give one of final state"),
        ({"input_symbols": [], "stack_symbols": [], "initial_stack_symbol": ""}, "no symbols"),
        ({"stack_symbols": map(str, range(2000)), "initial_stack_symbol": "0"}, "table of more than"),
    ],
)
def test_faults(changed, said):
    parts = {
        "states": ["p"],
        "input_symbols": "ab",
        "stack_symbols": "Z",
        "transitions": {},
        "initial_state": "p",
        "initial_stack_symbol": "Z",
    }
    with pytest.raises(MachineError, match=said):
        PushdownAutomaton(**(parts | changed))


def test_it_is_drawn_as_its_control(palindromes):
    graph, table = palindromes.graph(), palindromes.as_table()
    assert [node.name for node in graph.nodes] == ["in", "out", "end"]
    assert [node.double for node in graph.nodes] == [False, False, True]
    assert "c, Z / Z" in {line for arrow in graph.arrows for line in arrow.lines}
    assert "accepts in a final state" in table.note


def test_show_says_what_it_is():
    done = CliRunner().invoke(main, ["show", "two-brackets"])
    assert "pushdown automaton" in done.stdout
    record = json.loads(CliRunner().invoke(main, ["show", "two-brackets", "--json"]).stdout)
    assert (record["kind"], record["states"], record["initial_stack_symbol"]) == (
        "pushdown_automaton",
        ["read", "end"],
        "Z",
    )
    assert record["transitions"]["read"]["ε,Z"] == ["end", ["Z"]]


def test_automata_lib_has_no_moves_with_an_empty_stack():
    machine = PushdownAutomaton(
        states="p", input_symbols="a", stack_symbols="Z", transitions={"p": {("a", ""): ("p", "Z")}},
        initial_state="p", initial_stack_symbol="",
    )  # fmt: skip
    with pytest.raises(MachineError, match=r"empty at the start.*moves with an empty stack"):
        to_automata_lib(machine)
    with pytest.raises(MachineFileError, match="moves with an empty stack"):
        write_jflap(machine)
