"""Sipser's tape has a leftmost cell: a move to the left of it leaves the head where it is."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import turing_machines, words

from exactnn.automata import TuringMachine, configurations, interpret
from exactnn.outcome import Outcome


def machine(transitions, tape="semi_infinite", **states):
    return TuringMachine(
        states=[*transitions, *states.values()],
        input_symbols="a",
        tape_symbols="_ab",
        transitions=transitions,
        initial_state="p",
        blank_symbol="_",
        tape=tape,
        **states,
    )


BOUNCE = {"p": {"_": ("q", "a", "L"), "a": ("q", "b", "L"), "b": ("p", "a", "R")},
          "q": {"_": ("A", "_", "R"), "a": ("A", "a", "L"), "b": ("p", "b", "L")}}  # fmt: skip


def test_the_head_stays_on_the_leftmost_cell_and_sees_what_it_wrote():
    run = [str(c) for c in configurations(machine(BOUNCE, accept_state="A"), "a")]
    assert run == ["p: [a]", "q: [b]", "p: [b]", "p: a [_]", "q: [a] a", "A: [a] a"]


def test_the_same_machine_on_a_two_way_tape_walks_away():
    two_way = machine(BOUNCE, tape="two_way_infinite", accept_state="A")
    assert [str(c) for c in configurations(two_way, "a")] == ["p: [a]", "q: [_] b", "A: [b]"]


def test_blanks_left_of_the_head_are_cells_of_a_semi_infinite_tape():
    right = {"p": dict.fromkeys("_ab", ("p", "_", "R"))}
    configuration = interpret(machine(right, accept_state="A"), max_steps=3).configuration
    assert (configuration.left, configuration.scanned, configuration.right) == (("_",) * 3, "_", ())
    two_way = machine(right, tape="two_way_infinite", accept_state="A")
    assert interpret(two_way, max_steps=3).configuration.left == ()


def test_blanks_right_of_the_head_are_not():
    there = {"p": {"_": ("q", "b", "R"), "a": ("p", "a", "R"), "b": ("A", "_", "L")},
             "q": {"_": ("p", "_", "L"), "a": ("p", "a", "L"), "b": ("A", "_", "L")}}  # fmt: skip
    run = interpret(machine(there, accept_state="A"))
    assert str(run.configuration) == "A: [_]"
    assert (run.outcome, run.steps) == (Outcome.ACCEPTED, 3)


def plain_run(machine, word, limit):
    """Return (state, head, {cell: symbol}) after each move, by the definition with a numbered tape."""
    tape, state, head = dict(enumerate(word)), machine.initial_state, 0
    yield state, head, dict(tape)
    for _ in range(limit):
        if state in (machine.accept_state, machine.reject_state, machine.halt_state):
            return
        state, tape[head], move = machine.transitions[state][tape.get(head, "_")]
        head = head + 1 if move == "R" else max(head - 1, 0)
        yield state, head, dict(tape)


@st.composite
def machines_and_words(draw):
    machine = draw(turing_machines(tapes=("semi_infinite",)))
    return machine, draw(words(machine.input_symbols))


@given(machines_and_words())
def test_random_machines_against_a_numbered_tape(pair):
    machine, word = pair
    for configuration, (state, head, tape) in zip(configurations(machine, word), plain_run(machine, word, 30)):  # noqa: B905
        assert (configuration.state, len(configuration.left)) == (state, head)
        assert configuration.scanned == tape.get(head, "_")
        cells = [tape.get(i, "_") for i in range(max([head, *tape]) + 1)]
        assert list(configuration.tape) + ["_"] * (len(cells) - len(configuration.tape)) == cells
        assert not configuration.right or configuration.right[-1] != "_"
