"""Machines go to automata-lib and come back, where both mean the same; elsewhere they are refused."""

import sys
from itertools import islice, product

import pytest
from automata.base.exceptions import RejectionException
from automata.fa import dfa as automata_lib
from automata.tm import dtm
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import HALTING, dfas, turing_machines, words

from exactnn.automata import DFA, TuringMachine, configurations, interpret
from exactnn.constructions import compile
from exactnn.errors import MachineError, MissingExtraError
from exactnn.machine_files import from_automata_lib, load, to_automata_lib
from exactnn.outcome import Outcome, Verdict
from exactnn.simulation import run

LIMIT = 30


@given(dfas())
def test_a_dfa_comes_back_in_breadth_first_order(dfa):
    again = from_automata_lib(to_automata_lib(dfa), name="DFA")
    assert set(again.states) == set(dfa.states)
    assert (again.input_symbols, again.transitions) == (tuple(sorted(dfa.input_symbols)), dfa.transitions)
    assert again.states[0] == again.initial_state == dfa.initial_state
    assert set(again.final_states) == set(dfa.final_states)
    assert from_automata_lib(to_automata_lib(again), name="DFA") == again


@given(st.data(), dfas())
def test_a_dfa_decides_as_it_does_in_automata_lib(data, dfa):
    word = data.draw(words(dfa.input_symbols))
    assert to_automata_lib(dfa).accepts_input("".join(word)) == (interpret(dfa, word).verdict == "accept")


@st.composite
def partial_dfas(draw):
    dfa = to_automata_lib(draw(dfas()))
    cells = [(q, a) for q in sorted(dfa.states) for a in sorted(dfa.input_symbols)]
    gone = set(draw(st.lists(st.sampled_from(cells), unique=True)))
    return automata_lib.DFA(
        states=dfa.states,
        input_symbols=dfa.input_symbols,
        transitions={q: {a: t for a, t in row.items() if (q, a) not in gone} for q, row in dfa.transitions.items()},
        initial_state=dfa.initial_state,
        final_states=dfa.final_states,
        allow_partial=True,
    )


@given(st.data(), partial_dfas())
def test_undefined_transitions_lead_to_a_trap(data, partial):
    dfa = from_automata_lib(partial)
    word = data.draw(words(sorted(partial.input_symbols)))
    assert (interpret(dfa, word).verdict == "accept") == partial.accepts_input("".join(word))
    missing = any(len(row) < len(partial.input_symbols) for row in partial.transitions.values())
    assert len(dfa.states) == len(partial.states) + missing
    assert ("trap" in dfa.states) == missing


def test_a_trap_gets_a_name_of_its_own():
    partial = automata_lib.DFA(
        states={"trap", 1}, input_symbols={"a"}, transitions={"trap": {}, 1: {"a": "trap"}},
        initial_state=1, final_states={"trap"}, allow_partial=True,
    )  # fmt: skip
    dfa = from_automata_lib(partial, name="p")
    assert (dfa.states, dfa.transitions["trap"], dfa.name) == ((1, "trap", "trap'"), {"a": "trap'"}, "p")


def test_the_order_of_states_is_that_of_the_least_words_whatever_the_order_of_rows():
    other = automata_lib.DFA(
        states={"x", "y", "z", "far"}, input_symbols={"a", "b"},
        transitions={"x": {"b": "y", "a": "z"}, "y": {"b": "y", "a": "y"}, "z": {"b": "x", "a": "z"},
                     "far": {"a": "x", "b": "x"}},
        initial_state="x", final_states={"y"},
    )  # fmt: skip
    assert from_automata_lib(other).states == ("x", "z", "y", "far")


def test_states_that_are_sets_come_in_an_order_that_hashes_do_not_decide():
    minimal = to_automata_lib(load("divisible-by-7")).minify(retain_names=True)
    dfa = from_automata_lib(minimal)
    assert dfa.states[0] == minimal.initial_state
    assert len(dfa.states) == 7
    assert [interpret(dfa, f"{n:b}").verdict == "accept" for n in range(1, 30)] == [n % 7 == 0 for n in range(1, 30)]


def test_a_dfa_without_symbols_goes_and_comes():
    dfa = DFA(states="p", input_symbols=[], transitions={}, initial_state="p", final_states="p", name="n")
    assert from_automata_lib(to_automata_lib(dfa), name="n").final_states == ("p",)


MACHINES = turing_machines(tapes=("two_way_infinite",), halting=HALTING[1:])


def configuration(step, blank):
    head, tape = step.tape.current_position, "".join(step.tape.tape)
    return step.state, tape[:head].lstrip(blank), tape[head], tape[head + 1 :].rstrip(blank)


def their_run(machine, word):
    """The configurations of at most LIMIT moves, and how the run ended."""
    found = []
    steps = machine.read_input_stepwise("".join(word))
    try:
        for step in islice(steps, LIMIT + 1):
            found.append(configuration(step, machine.blank_symbol))
    except automata_lib.exceptions.RejectionException:
        return found, Outcome.REJECTED
    return found, Outcome.ACCEPTED if found[-1][0] in machine.final_states else Outcome.STEP_LIMIT


@given(st.data(), MACHINES)
def test_a_turing_machine_runs_as_it_does_in_automata_lib(data, machine):
    word = data.draw(words(machine.input_symbols))
    found, outcome = their_run(to_automata_lib(machine), word)
    ours = [
        (c.state, "".join(reversed(c.left)), c.scanned, "".join(c.right))
        for c in islice(configurations(machine, word), LIMIT + 1)
    ]
    assert ours == found
    run = interpret(machine, word, max_steps=LIMIT)
    assert (run.outcome, run.steps) == (outcome, len(found) - 1)


@given(st.data(), MACHINES)
def test_a_turing_machine_comes_back_and_runs_alike(data, machine):
    again = from_automata_lib(to_automata_lib(machine))
    word = data.draw(words(machine.input_symbols))
    run, other = (interpret(m, word, max_steps=LIMIT) for m in (machine, again))
    assert (run.outcome, run.steps, run.configuration) == (other.outcome, other.steps, other.configuration)


@given(st.data(), MACHINES)
def test_undefined_transitions_of_a_dtm_reject_by_one_move(data, machine):
    full = to_automata_lib(machine)
    cells = [(q, a) for q in sorted(full.transitions) for a in sorted(full.transitions[q])]
    gone = set(data.draw(st.lists(st.sampled_from(cells), max_size=3)))
    rows = {q: {a: rule for a, rule in row.items() if (q, a) not in gone} for q, row in full.transitions.items()}
    partial = dtm.DTM(
        states=full.states,
        input_symbols=full.input_symbols,
        tape_symbols=full.tape_symbols,
        transitions=rows,
        initial_state=full.initial_state,
        blank_symbol=full.blank_symbol,
        final_states=full.final_states,
    )
    word = data.draw(words(machine.input_symbols))
    found, outcome = their_run(partial, word)
    run = interpret(from_automata_lib(partial), word, max_steps=LIMIT + 1)
    if outcome is Outcome.STEP_LIMIT:
        assert run.steps >= LIMIT
        return
    assert run.outcome is outcome
    assert run.steps - (len(found) - 1) in ((0, 1) if outcome is Outcome.REJECTED else (0,))


UNLIKE = {
    "a state called None": (
        lambda: DFA(
            states=[None], input_symbols="a", transitions={None: {"a": None}}, initial_state=None, final_states=[]
        ),
        "a state is None",
    ),
    "semi-infinite": (lambda: load("palindrome"), "its tape is semi-infinite"),
    "halts without a verdict": (lambda: load("bb3"), "it halts without a verdict"),
    "text": (lambda: "parity", "give a DFA, a TuringMachine or a PushdownAutomaton"),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_what_automata_lib_cannot_mean_is_refused(case):
    make, reason = UNLIKE[case]
    with pytest.raises(MachineError, match=reason):
        to_automata_lib(make())


def test_all_reasons_are_told_at_once():
    machine = TuringMachine(
        states="h",
        input_symbols="",
        tape_symbols="_",
        transitions={},
        initial_state="h",
        blank_symbol="_",
        halt_state="h",
    )
    with pytest.raises(MachineError) as caught:
        to_automata_lib(machine)
    assert len(caught.value.faults) == 3


def turing_machine(**changes):
    return dtm.DTM(
        **{
            "states": {"q", "y", "z"},
            "input_symbols": {"a"},
            "tape_symbols": {"a", "_"},
            "transitions": {"q": {"a": ("q", "a", "R"), "_": ("y", "_", "R")}},
            "initial_state": "q",
            "blank_symbol": "_",
            "final_states": {"y"},
        }
        | changes
    )


@settings(max_examples=50)
@given(st.data())
def test_dtms_with_moves_that_stay_and_several_final_states(data):
    """As automata-lib itself runs them, and as the machine's network does."""
    rules = st.tuples(st.sampled_from("qryz"), st.sampled_from("ab_"), st.sampled_from("LRN"))
    rows = {q: data.draw(st.dictionaries(st.sampled_from("ab_"), rules)) for q in "qr"}
    other = dtm.DTM(
        states=set("qryz"), input_symbols={"a", "b"}, tape_symbols={"a", "b", "_"}, initial_state="q",
        blank_symbol="_", transitions=rows, final_states=data.draw(st.sets(st.sampled_from("yz"), min_size=1)),
    )  # fmt: skip
    machine = from_automata_lib(other)
    net = compile(machine)
    for word in ("", "a", "ab", "bba"):
        try:
            taken = list(islice(other.read_input_stepwise(word), 50))
            expected = Verdict.ACCEPT if len(taken) < 50 else None
        except RejectionException:
            expected = Verdict.REJECT
        if expected is not None:  # a move that stays is two, and the first one into the state that rejects is one more
            assert interpret(machine, word, max_steps=100).outcome.verdict is expected
            assert run(net, word).verdict is expected


def test_a_dtm_that_a_machine_cannot_mean_is_refused():
    with pytest.raises(MachineError, match="it is a DFA: give a DFA, an NFA, a DTM or a DPDA of automata-lib"):
        from_automata_lib(load("parity"))
    twins = automata_lib.DFA(
        states={1, "1"}, input_symbols={"a"}, transitions={1: {"a": "1"}, "1": {"a": 1}}, initial_state=1,
        final_states={1},
    )  # fmt: skip
    with pytest.raises(MachineError, match="have the same name: rename one"):
        from_automata_lib(twins)


def test_a_state_called_none_is_refused():
    odd = automata_lib.DFA(
        states={None}, input_symbols={"a"}, transitions={None: {"a": None}}, initial_state=None, final_states={None}
    )
    with pytest.raises(MachineError, match="a state is None"):
        from_automata_lib(odd)


@pytest.mark.parametrize("call", [lambda: to_automata_lib(load("parity")), lambda: from_automata_lib(None)])
def test_a_missing_package_is_named(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "automata.fa.dfa", None)
    with pytest.raises(MissingExtraError, match=r'pip install "exactnn\[automata\]"'):
        call()


def test_symbols_of_several_characters_are_read_from_a_list():
    dfa = DFA(
        states="pq", input_symbols=["up", "down"],
        transitions={"p": {"up": "q", "down": "p"}, "q": {"up": "p", "down": "q"}}, initial_state="p", final_states="q",
    )  # fmt: skip
    other = to_automata_lib(dfa)
    for word in product(["up", "down"], repeat=3):
        assert other.accepts_input(word) == (interpret(dfa, word).verdict == "accept")
