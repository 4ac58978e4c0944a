"""Rogozhin's machine simulates tag systems: its halting tape holds what the tag system ends with."""

import pytest

from exactnn.automata import configurations, interpret
from exactnn.machine_files import load, load_file, written_tape

DOUBLE = ([0, 0],)
"""P(a1) = a1 a1; a2 halts."""

FOUR_LETTERS = ([2, 2, 1, 0, 3], [2, 2, 0], [2, 2])
"""P(a1) = a3 a3 a2 a1 a4, P(a2) = a3 a3 a1, P(a3) = a3 a3; a4 halts."""

LETTERS = ([2, 2, 3], [2, 2, 0, 1], [2, 2])


def tag_run(productions, word):
    """Run a tag system that deletes two letters at a time; return its last word."""
    while len(word) >= 2:
        first, word = word[0], word[2:]
        if first == len(productions):
            break
        word = word + productions[first]
    return word


def codes(productions):
    """Return the number of ones that stand for each letter, the halting one last."""
    numbers = [1]
    for production in productions:
        numbers.append(numbers[-1] + 2 * len(production))
    return numbers


def tag_word(productions, word):
    """Return the universal machine's word for a tag system and its first word."""
    number = codes(productions)
    last = len(productions) - 1
    programs = []
    for i, production in enumerate(productions):
        assert production[:2] == [last, last]
        middle = "".join(f"b{'1' * number[letter]}b" for letter in reversed(production[1:]))
        programs.append(f"b1{middle}b{'1' * (number[last] - number[i])}")
    return "<b" + "".join(reversed(programs)) + "^" + "c".join("1" * number[letter] for letter in word)


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
