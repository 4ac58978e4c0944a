"""Machines in the text of bbchallenge.org: what the library reads and runs, against an interpreter of the text itself.

The interpreter knows three letters for each entry, a dictionary as tape, and that ``---`` writes 1, moves right and
halts. Configurations are compared one by one, with that after the last step among them, before and after the machine is
written as text again.
"""

import random
from collections.abc import Iterator
from itertools import islice
from string import ascii_uppercase

from hypothesis import strategies as st

from exactnn.automata import TapeConfiguration, TuringMachine, configurations, interpret
from exactnn.machine_files import read_bbchallenge, write_bbchallenge
from fuzz_subjects.subject import Subject

__all__ = ["MACHINE_TEXTS"]

MOVES = 120
MOST_WRITTEN = 25
"""States of a machine that can be written: one letter is left for halting."""

Snapshot = tuple[str | None, dict[int, str]]
"""The letter of a state, None for one without a row, and the cells that are not 0, counted from the head."""


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> str:
    """Rows of entries, a few of them undefined; a state beyond the last row halts."""
    rows, symbols = draw(st.integers(1, 6) | st.sampled_from((25, 26))), draw(st.integers(2, 5))
    states = st.sampled_from(ascii_uppercase[: rows + 1]) | st.sampled_from(ascii_uppercase[:rows] + "Z")
    defined = st.builds("{}{}{}".format, st.integers(0, symbols - 1), st.sampled_from("LR"), states)
    entry = st.one_of(*[defined] * 5, st.just("---"))
    if draw(st.integers(0, 3)):
        entries = list(entries_that_go_on(random.Random(draw(st.integers(0, 10**9))), rows, symbols))
    else:
        entries = draw(st.lists(entry, min_size=rows * symbols, max_size=rows * symbols))
    return "_".join("".join(entries[i : i + symbols]) for i in range(0, len(entries), symbols))


def entries_that_go_on(rng: random.Random, rows: int, symbols: int) -> Iterator[str]:
    """Yield entries of which about one halts: of those that Hypothesis draws most halt within two moves."""
    for _ in range(rows * symbols):
        to, halting = rng.choice(ascii_uppercase[:rows]), rng.random() * rows * symbols
        to = rng.choice("Z" + ascii_uppercase[rows : rows + 1]) if halting < 0.5 else to
        entry = f"{rng.randrange(symbols)}{rng.choice('LR')}{to}"
        yield "---" if 0.5 <= halting < 1 else entry


def plain_path(text: str) -> Iterator[Snapshot]:
    """Yield what a machine does on a blank tape, as its text says it."""
    rows = dict(zip(ascii_uppercase, text.split("_"), strict=False))
    state, head = "A", 0
    tape: dict[int, str] = {}
    while state in rows:
        yield state, seen_from(head, tape)
        scanned = int(tape.get(head, "0"))
        entry = rows[state][3 * scanned : 3 * scanned + 3]
        tape[head], move, state = ("1", "R", "halts") if entry == "---" else entry
        head += 1 if move == "R" else -1
    yield None, seen_from(head, tape)


def seen_from(head: int, tape: dict[int, str]) -> dict[int, str]:
    return {cell - head: symbol for cell, symbol in tape.items() if symbol != "0"}


def snapshot(machine: TuringMachine, configuration: TapeConfiguration) -> Snapshot:
    state = None if configuration.state in machine.halting_states else configuration.state
    return state, seen_from(len(configuration.left), dict(enumerate(configuration.tape)))


def check(arithmetic: str, text: str) -> None:
    expected = list(islice(plain_path(text), MOVES + 1))
    machine = read_bbchallenge(text)
    check_path(text, machine, expected)
    if text.count("_") >= MOST_WRITTEN:
        return
    written = write_bbchallenge(machine)
    assert list(islice(plain_path(written), MOVES + 1)) == expected, f"{text} is written as {written}"
    check_path(written, read_bbchallenge(written), expected)


def check_path(text: str, machine: TuringMachine, expected: list[Snapshot]) -> None:
    found = [snapshot(machine, now) for now in islice(configurations(machine), MOVES + 1)]
    for move, pair in enumerate(zip(found, expected, strict=False)):
        assert pair[0] == pair[1], f"{text} after {move} moves: {pair[0]}, not {pair[1]}"
    assert len(found) == len(expected), f"{text} makes {len(found) - 1} moves, not {len(expected) - 1}"
    run = interpret(machine, max_steps=MOVES)
    outcome = "halted" if expected[-1][0] is None else "step limit"
    said = run.outcome.value, run.steps, snapshot(machine, run.configuration)
    assert said == (outcome, len(expected) - 1, expected[-1]), f"{text} ends as {said}"


MACHINE_TEXTS = Subject(cases=cases, check=check)
