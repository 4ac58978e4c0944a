"""Step limits of the direct interpreters, and the outcomes that they give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import HALTING, dfas, words

from exactnn.automata import DFA, TuringMachine, configurations, interpret
from exactnn.errors import MachineError, OptionError, WordError
from exactnn.outcome import Outcome, Verdict

ENDS_IN_B = DFA(
    states="xy",
    input_symbols="ab",
    transitions={"x": {"a": "x", "b": "y"}, "y": {"a": "x", "b": "y"}},
    initial_state="x",
    final_states="y",
)


def counter(final, **halting):
    """A machine that moves right over a's and enters `final` on the first blank."""
    return TuringMachine(
        states=["p", *halting.values()],
        input_symbols="a",
        tape_symbols="a_",
        transitions={"p": {"a": ("p", "a", "R"), "_": (final, "_", "R")}},
        initial_state="p",
        blank_symbol="_",
        **halting,
    )


@pytest.mark.parametrize(
    ("limit", "outcome", "steps", "state"),
    [
        (0, Outcome.STEP_LIMIT, 0, "x"),
        (1, Outcome.STEP_LIMIT, 1, "x"),
        (2, Outcome.ACCEPTED, 2, "y"),
        (3, Outcome.ACCEPTED, 2, "y"),
        (None, Outcome.ACCEPTED, 2, "y"),
    ],
)
def test_a_dfa_decides_when_the_word_is_read(limit, outcome, steps, state):
    run = interpret(ENDS_IN_B, "ab", max_steps=limit)
    assert (run.outcome, run.steps, run.configuration) == (outcome, steps, state)


def test_the_empty_word_needs_no_step():
    assert interpret(ENDS_IN_B, "", max_steps=0).outcome is Outcome.REJECTED


@pytest.mark.parametrize("limit", [*range(6), None])
def test_a_turing_machine_decides_when_it_enters_a_halting_state(limit):
    run = interpret(counter("A", accept_state="A"), "aaa", max_steps=limit)
    decided = limit is None or limit >= 4
    assert run.steps == (4 if decided else limit)
    assert run.outcome is (Outcome.ACCEPTED if decided else Outcome.STEP_LIMIT)
    assert run.verdict is (Verdict.ACCEPT if decided else None)


@pytest.mark.parametrize("halting", HALTING)
@pytest.mark.parametrize("kind", ["accept_state", "reject_state", "halt_state"])
def test_outcomes_of_the_halting_states(halting, kind):
    if kind in halting:
        run = interpret(counter(halting[kind], **halting))
        expected = {"accept_state": "accepted", "reject_state": "rejected", "halt_state": "halted"}[kind]
        verdict = {"accept_state": Verdict.ACCEPT, "reject_state": Verdict.REJECT}.get(kind)
        assert (run.outcome, run.verdict, run.steps) == (expected, verdict, 1)


def test_a_machine_whose_initial_state_halts_makes_no_move():
    still = TuringMachine(
        states="A", input_symbols="a", tape_symbols="a_", transitions={}, initial_state="A", blank_symbol="_",
        accept_state="A",
    )  # fmt: skip
    run = interpret(still, "aa", max_steps=0)
    assert (run.outcome, run.steps, str(run.configuration)) == (Outcome.ACCEPTED, 0, "A: [a] a")


@pytest.mark.parametrize("limit", [-1, 1.0, "3"])
def test_other_limits_are_refused_and_shown(limit):
    with pytest.raises(OptionError, match=f"max_steps={limit!r}"):
        interpret(ENDS_IN_B, "", max_steps=limit)


@pytest.mark.parametrize("read", [interpret, configurations])
def test_a_foreign_symbol_is_refused_before_the_first_move(read):
    with pytest.raises(WordError, match="'c' at position 1"):
        read(ENDS_IN_B, "ac")


@pytest.mark.parametrize("read", [interpret, configurations])
@pytest.mark.parametrize("machine", [None, ["parity"], 3])
def test_there_is_no_interpreter_of_other_things(read, machine):
    with pytest.raises(MachineError, match=f"no interpreter for {type(machine).__name__}"):
        read(machine, "")


@st.composite
def automata_and_words(draw):
    dfa = draw(dfas())
    return dfa, draw(words(dfa.input_symbols))


@given(automata_and_words(), st.integers(0, 12))
def test_a_limited_run_is_a_prefix(pair, limit):
    dfa, word = pair
    path = list(configurations(dfa, word))
    run = interpret(dfa, word, max_steps=limit)
    assert run.steps == min(limit, len(word))
    assert run.configuration == path[run.steps]
    assert (run.outcome is Outcome.STEP_LIMIT) == (limit < len(word))
