"""Morphett's rules, OpenFST's acceptors, and the forms of bbchallenge text: each by a second interpreter."""

import itertools
import re
from pathlib import Path

import pytest

from exactnn.automata import interpret
from exactnn.errors import MachineFileError
from exactnn.machine_files import FORMATS, format_of, load, load_file, written_tape
from exactnn.outcome import Outcome
from tests.promptness import promptly

FOREIGN = Path(__file__).parent / "foreign"


def words(alphabet, longest):
    return itertools.chain.from_iterable(itertools.product(alphabet, repeat=n) for n in range(longest + 1))


def run_rules(text, word, most=10_000):
    """Run rules as the simulator does: the special ones first. Return the last state, moves, stays and the tape."""
    rules = {}
    for line in text.splitlines():
        fields = line.split(";")[0].replace("!", "").split()
        if fields:
            rules[fields[0], fields[1]] = fields[2:]
    tape, head, state, moves, stays = dict(enumerate(word)), 0, "0", 0, 0
    while not state.startswith("halt"):
        under = tape.get(head, "_")
        for key in ((state, under), (state, "*"), ("*", under), ("*", "*")):
            if key in rules:
                break
        else:
            return None, moves, stays, tape
        written, move, target = rules[key]
        tape[head] = under if written == "*" else written
        head += {"l": -1, "r": 1, "*": 0}[move]
        state = state if target == "*" else target
        moves, stays = moves + 1, stays + (move == "*")
        assert moves < most
    return state, moves, stays, tape


@pytest.mark.parametrize("file", ["increment", "palindrome", "any-state"])
def test_morphett(file):
    path = FOREIGN / f"{file}.tm"
    machine, text = load(path), path.read_text(encoding="utf-8")
    ends = {"halt-accept": Outcome.ACCEPTED, "halt-reject": Outcome.REJECTED, "halt": Outcome.HALTED}
    seen = set()
    for word in words(machine.input_symbols, 6):
        state, moves, stays, tape = run_rules(text, word)
        run = interpret(machine, word)
        seen.add(run.outcome)
        assert run.outcome is ends[state.rstrip("2")]
        assert run.steps == moves + stays
        assert "".join(written_tape(machine, run.configuration)) == "".join(tape[i] for i in sorted(tape)).strip("_")
    assert seen in ({Outcome.ACCEPTED, Outcome.REJECTED}, {Outcome.HALTED})
    assert load_file(path).format == "Morphett"
    assert "it counts twice" in load_file(path).notes[0]


@pytest.mark.parametrize(("file", "pattern"), [("x-star-y-z-or-w", "x*y[zw]"), ("epsilon", "a*|b*")])
def test_openfst(file, pattern):
    machine = load(FOREIGN / f"{file}.fst")
    for word in words(machine.input_symbols, 6):
        assert machine.accepts(word) == bool(re.fullmatch(pattern, "".join(word)))


@pytest.mark.parametrize("text", [
    "1RB1LB_1LA1RZ", "1rb1lb_1la1rz", "1RB 1LB  1LA 1RZ", "1RB1LB 1LA1RZ", " 1RB1LB_1LA1RZ\n",
    "https://bbchallenge.org/1RB1LB_1LA1RZ", "bbchallenge.org/1RB1LB_1LA1RZ&status=halt",
    "https://wiki.bbchallenge.org/wiki/1RB1LB_1LA1RZ",
])  # fmt: skip
def test_forms_of_bbchallenge_text(text, tmp_path):
    assert load(text) == load("1RB1LB_1LA1RZ")
    (tmp_path / "beaver.txt").write_text(text)
    assert load(tmp_path / "beaver.txt") == load("1RB1LB_1LA1RZ")


def test_bbchallenge_files_run():
    assert interpret(load(FOREIGN / "bb4.txt")).steps == 107
    assert interpret(load(FOREIGN / "bb3-address.txt")).steps == 21
    assert load("0RB_0LZ").tape_symbols == ("0",)


@pytest.mark.parametrize(("text", "words"), [
    ("0 1 0 r 0\n0 1 1 r 0\n", "line 2: a rule for state '0' on '1' is in line 1"),
    ("0 1 0 r 0\n0 _ 0 r 0\n0 2 0 r 0\n1 2 ab r 3\n", "line 4: '1 2 ab r 3' is no rule"),
    ("0 1 a 0.5\n1\n", "line 1: '0.5' is an output or a weight"),
    ("0 1 a b\n1\n", "line 1: 'b' is an output or a weight"),
    ("0 1 a\n1 2.5\n", "line 2: '2.5' is an output or a weight"),
    ("HOA: v1\nStates: 1\n", "(HOA): it is about infinite words"),
    ("@DFA 0 * 1\n0 a 1\n", "(FAdo): it is not read"),
    ("https://bbchallenge.org/7410754", "a number names a machine of a database"),
    ("Dear Sir,\nor Madam", "none of the formats bbchallenge, JFLAP, DOT, Morphett, OpenFST, automata-lib, Doty, YAML"),
])  # fmt: skip
def test_refused(text, words):
    with promptly(), pytest.raises(MachineFileError) as caught:
        load(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["HOA: v1\n" + "\n" * 10**6, "0 1 0 r 0\n" * 10**5, "0 0 a\n" * 150_000 + "x"])
def test_large_texts_end_soon(text):
    with promptly(), pytest.raises(MachineFileError):
        load(text)


def test_every_format_recognises_its_own_files_and_no_other():
    endings = {
        ".yaml": "Doty",
        ".json": "automata-lib",
        ".jff": "JFLAP",
        ".dot": "DOT",
        ".tm": "Morphett",
        ".fst": "OpenFST",
        ".txt": "bbchallenge",
    }
    files = sorted(FOREIGN.iterdir())
    assert len(files) >= 20
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert [row.name for row in FORMATS if row.is_like(text)] == [endings[path.suffix]], path
        assert format_of(text).name == load_file(path).format


def test_the_page_has_the_table_of_formats():
    page = (Path(__file__).parents[2] / "docs/machine_files.md").read_text(encoding="utf-8")
    for row in FORMATS:
        writer = f"`{row.writer}`" if row.writer else "no"
        assert f"| {row.name} | {row.machines or 'nothing'} | {writer} | {row.refused} |" in page
