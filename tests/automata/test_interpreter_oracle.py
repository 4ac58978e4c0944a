"""The direct interpreters against automata-lib, which shares no code with them."""

from itertools import islice

import pytest
from automata.fa import dfa as other_dfa
from automata.tm.dtm import DTM
from hypothesis import given
from hypothesis import strategies as st
from strategies import dfas, turing_machines, words

from exactnn.automata import configurations, interpret
from exactnn.errors import ExactnnError
from exactnn.outcome import Outcome, Verdict

LIMIT = 40
OUTCOMES = {"A": Outcome.ACCEPTED, "R": Outcome.REJECTED, "H": Outcome.HALTED}


@st.composite
def automata_and_words(draw):
    dfa = draw(dfas())
    return dfa, draw(words(dfa.input_symbols))


@st.composite
def machines_and_words(draw):
    machine = draw(turing_machines(tapes=("two_way_infinite",)))
    return machine, draw(words(machine.input_symbols))


@given(automata_and_words())
def test_a_dfa_decides_as_the_other_library_does(pair):
    dfa, word = pair
    other = other_dfa.DFA(
        states=set(dfa.states),
        input_symbols=set(dfa.input_symbols),
        transitions={q: dict(row) for q, row in dfa.transitions.items()},
        initial_state=dfa.initial_state,
        final_states=set(dfa.final_states),
    )
    path = list(other.read_input_stepwise("".join(word), ignore_rejection=True))
    run = interpret(dfa, word)
    assert list(configurations(dfa, word)) == path
    assert run.verdict == (Verdict.ACCEPT if other.accepts_input("".join(word)) else Verdict.REJECT)
    assert bool(run) == run.accepted == other.accepts_input("".join(word))
    assert (run.steps, run.configuration) == (len(word), path[-1])


def test_a_run_without_a_verdict_is_neither_true_nor_false():
    run = interpret("bb2")
    assert (run.outcome, run.accepted) == (Outcome.HALTED, None)
    with pytest.raises(ExactnnError, match="neither true nor false"):
        bool(run)


def configurations_of_the_other_library(machine, word):
    """Return (state, {cell: symbol}, head) of at most LIMIT moves; cells count from the first one of the word."""
    other = DTM(
        states=set(machine.states),
        input_symbols=set(machine.input_symbols),
        tape_symbols=set(machine.tape_symbols),
        transitions={q: {a: tuple(rule) for a, rule in row.items()} for q, row in machine.transitions.items()},
        initial_state=machine.initial_state,
        blank_symbol=machine.blank_symbol,
        final_states=set(machine.halting_states),
    )
    for step in islice(other.read_input_stepwise("".join(word)), LIMIT + 1):
        yield step.state, "".join(step.tape.tape), step.tape.current_position


def stripped(machine, left, scanned, right):
    """Return tape pieces without the blanks at the ends."""
    blank = machine.blank_symbol
    return "".join(left).lstrip(blank), scanned, "".join(right).rstrip(blank)


@given(machines_and_words())
def test_a_two_way_machine_moves_as_in_the_other_library(pair):
    machine, word = pair
    expected = [
        (state, *stripped(machine, tape[:head], tape[head], tape[head + 1 :]))
        for state, tape, head in configurations_of_the_other_library(machine, word)
    ]
    ours = list(islice(configurations(machine, word), LIMIT + 1))
    assert [(c.state, "".join(reversed(c.left)), c.scanned, "".join(c.right)) for c in ours] == expected
    run = interpret(machine, word, max_steps=LIMIT)
    assert run.configuration == ours[-1]
    assert run.steps == len(ours) - 1
    assert run.outcome == OUTCOMES.get(ours[-1].state, Outcome.STEP_LIMIT)
