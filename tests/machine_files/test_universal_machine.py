"""Universal machines simulate their guests: the halting tape holds what the tag system or bi-tag system ends with."""

import pytest
from tag_systems import bi_tag_run, bi_tag_symbol, bi_tag_tape, bi_tag_word, codes, tag_run, tag_word

from exactnn.automata import configurations, interpret
from exactnn.machine_files import load, load_file, written_tape

DOUBLE = ([0, 0],)
"""P(a1) = a1 a1; a2 halts."""

FOUR_LETTERS = ([2, 2, 1, 0, 3], [2, 2, 0], [2, 2])
"""P(a1) = a3 a3 a2 a1 a4, P(a2) = a3 a3 a1, P(a3) = a3 a3; a4 halts."""

LETTERS = ([2, 2, 3], [2, 2, 0, 1], [2, 2])


@pytest.mark.parametrize(
    ("productions", "word"),
    [
        (DOUBLE, [0, 0, 1]),
        (DOUBLE, [0, 1, 1, 0]),
        (DOUBLE, [1, 0, 0, 0]),
        (FOUR_LETTERS, [1, 0, 0]),
        (FOUR_LETTERS, [2, 0, 3, 1]),
        (LETTERS, [0, 1, 3, 0]),
        (LETTERS, [1, 2, 0, 0]),
    ],
)
def test_simulates_the_tag_system(productions, word):
    machine = load("rogozhin-4-6")
    result = tag_run(productions, word)
    run = interpret(machine, tag_word(productions, word), max_steps=400_000)
    assert run.outcome.value == "halted"
    number = codes(productions)
    ending = "".join("1" * number[letter] + "c" for letter in result) + "1" * number[-1]
    assert "".join(written_tape(machine, run.configuration)).endswith(ending)


def test_expectations_are_these_tag_systems():
    words = ["".join(expectation.word) for expectation in load_file("rogozhin-4-6").expectations]
    assert words == [tag_word(DOUBLE, [0, 0, 1]), tag_word(FOUR_LETTERS, [1, 0, 0])]


def test_smallest_guest_takes_518_steps_and_uses_every_rule():
    machine = load("rogozhin-4-6")
    path = list(configurations(machine, tag_word(DOUBLE, [0, 0, 1])))
    own = [c for c in path if c.state in ("q1", "q2", "q3", "q4")]
    assert len(own) == 518  # the last one is the halting instruction
    rules = {(c.state, c.scanned) for c in own}
    everything = {(q, a) for q in ("q1", "q2", "q3", "q4") for a in "1b><0c"}
    assert everything - rules == {("q4", "<")}


E1, E2, E3 = ("e", 1), ("e", 2), ("e", 3)
ONE_LETTER = {(1, 1): (1, 2)}
DOUBLES = {(1, 1): (1, 1, 2)}
TWO_LETTERS = {(1, 1): (1, 2, 2), (1, 2): (2, 2), (2, 1): (2, 3), (2, 2): (1, 3)}
GROWS = {(1, 1): (1, 2, 2), (1, 2): (2, 1, 1), (2, 1): (2, 1), (2, 2): (1, 1, 3)}
THREE_MARKERS = {(1, 1): (1, 2), (2, 1): (1, 1, 3), (3, 1): (1, 4)}


@pytest.mark.parametrize(
    ("productions", "word"),
    [
        (ONE_LETTER, [E2, 1]),
        (ONE_LETTER, [E1, 1, 1, 1]),
        (DOUBLES, [1, E1, 1, 1]),
        (TWO_LETTERS, [E1, 1, 2, 2]),
        (TWO_LETTERS, [2, E2, 2, 1]),
        (GROWS, [E1, 2, 1, 2]),
        (THREE_MARKERS, [E1, 1, 1]),
        (THREE_MARKERS, [1, 1, E3, 1]),
    ],
)
def test_simulates_the_bi_tag_system(productions, word):
    machine = load("neary-woods-15-2")
    (_, *letters), _ = bi_tag_run(productions, word)
    run = interpret(machine, bi_tag_word(productions, word), max_steps=600_000)
    assert run.outcome.value == "halted"
    ending = "bb" + "".join(bi_tag_symbol(productions, letter) for letter in letters) + "cb"
    assert "".join(written_tape(machine, run.configuration)).endswith(ending)


def test_an_endless_bi_tag_system_is_simulated_without_end():
    endless = {(1, 1): (1, 1)}
    assert bi_tag_run(endless, [E1, 1, 1])[1] is None
    assert interpret(load("neary-woods-15-2"), bi_tag_word(endless, [E1, 1, 1]), max_steps=300_000).verdict is None


@pytest.mark.slow
def test_fifteen_states_have_29_rules_and_one_pair_that_halts():
    """The figures of the paper; and guests use every rule."""
    machine = load("neary-woods-15-2")
    own = [f"u{i}" for i in range(1, 16)]
    rules = {(q, a) for q in own for a in "cb"}
    assert {(q, a) for q, a in rules if machine.transitions[q][a].next_state == "halt"} == {("u10", "b")}
    met = set()
    for productions, word in ((TWO_LETTERS, [E1, 1, 2, 2]), (THREE_MARKERS, [E1, 1, 1])):
        met |= {(c.state, c.scanned) for c in configurations(machine, bi_tag_word(productions, word))}
    assert met >= rules


def test_the_machine_begins_in_the_middle_of_a_tape_of_two_symbols():
    """After "load" and "back" comes what the first rule of u1 makes of the tape."""
    machine = load("neary-woods-15-2")
    left, right = bi_tag_tape(ONE_LETTER, [E1, 1, 1])
    own = (c for c in configurations(machine, bi_tag_word(ONE_LETTER, [E1, 1, 1])) if c.state not in ("load", "back"))
    first = next(own)
    assert (first.state, first.scanned) == ("u2", right[1])
    assert "".join(first.tape) == left + right


def test_expectations_are_bi_tag_systems():
    words = ["".join(expectation.word) for expectation in load_file("neary-woods-15-2").expectations]
    assert words == [bi_tag_word(ONE_LETTER, [E2, 1]), bi_tag_word(ONE_LETTER, [E1, 1, 1])]
