"""JFLAP's files: each against a second interpreter, written and read again, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from plain_jflap import PlainJflap, words

import exactnn as xn
from exactnn.automata import (
    MealyMachine,
    MultiTapeTuringMachine,
    TuringMachine,
    interpret,
    output_word,
    translation,
)
from exactnn.errors import MachineFileError
from exactnn.machine_files import load, load_file, read_jflap, write_jflap, zoo_path
from exactnn.outcome import Outcome
from tests.promptness import promptly

FOREIGN = Path(__file__).parent / "foreign"
FILES = sorted(FOREIGN.glob("*.jff"))


def of_kind(kind):
    return [pytest.param(path, id=path.stem) for path in FILES if f"<type>{kind}<" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", of_kind("fa"))
def test_finite_automata(path):
    machine, plain = load(path), PlainJflap(path)
    verdicts = set()
    for word in words(machine.input_symbols, 3 if len(machine.input_symbols) > 4 else 8):
        verdicts.add(plain.accepts_finite(word))
        assert machine.accepts(word) == plain.accepts_finite(word), word
    assert verdicts == {True, False}


@pytest.mark.parametrize("path", of_kind("turing"))
def test_turing_machines(path):
    machine, plain = load(path), PlainJflap(path)
    verdicts = set()
    for word in words(machine.input_symbols, 5):
        accepted, moves, stays, tape = plain.run_tapes(word)
        run = interpret(machine, word)
        verdicts.add(accepted)
        assert run.outcome is (Outcome.ACCEPTED if accepted else Outcome.REJECTED), word
        if accepted:  # a stay is two moves on one tape
            assert run.steps == moves + (stays if isinstance(machine, TuringMachine) else 0), word
        if isinstance(machine, TuringMachine):
            cells = run.configuration.tape
            written = [tape[place] for place in sorted(tape)]
            assert "".join(cells).strip("□") == "".join(written).strip("□"), word
    assert verdicts == {True, False}


@pytest.mark.parametrize("path", of_kind("pda"))
def test_pushdown_automata(path):
    machine, plain = load(path), PlainJflap(path)
    verdicts = set()
    for word in words(machine.input_symbols, 7):
        verdicts.add(plain.accepts_with_stack(word))
        assert machine.accepts(word) == plain.accepts_with_stack(word), word
    assert verdicts == {True, False}
    net = xn.compile(machine)
    for word in ("abccba", "abccab", "cc", "abcba", "aacc"):
        assert (xn.run(net, word).verdict == "accept") == plain.accepts_with_stack(word)


@pytest.mark.parametrize("path", of_kind("mealy") + of_kind("moore"))
def test_machines_with_outputs(path):
    machine, plain = load(path), PlainJflap(path)
    outputs = translation if isinstance(machine, MealyMachine) else output_word
    for word in words(machine.input_symbols, 6):
        assert outputs(machine, word) == plain.translated(word)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_written_and_read_again(path):
    machine = load(path)
    assert read_jflap(write_jflap(machine), name=machine.name).machine == machine


@pytest.mark.parametrize("name", ["parity", "tomita-3", "word-problem-s3", "divisible-by-7"])
def test_automata_of_the_zoo_come_back(name):
    machine = load(name)
    assert read_jflap(write_jflap(machine), name=name).machine == machine


def test_a_tape_machine_of_the_zoo_comes_back_with_other_blanks():
    machine = load("binary-addition")
    with pytest.raises(MachineFileError, match="it halts without a verdict in"):
        write_jflap(machine)
    with pytest.raises(MachineFileError, match="its tape is semi-infinite"):
        write_jflap(load("wcw"))


def test_notes_say_what_differs():
    assert load_file(FOREIGN / "anbn.jff").format == "JFLAP"
    notes = load_file(FOREIGN / "anbn.jff").notes
    assert any("a move that stays is one move to the right and one back" in note for note in notes)
    assert any("the move into the reject state counts" in note for note in notes)
    assert "nondeterministic" in load_file(FOREIGN / "ends-in-ab.jff").notes[0]
    assert isinstance(load(FOREIGN / "copy-two-tapes.jff"), MultiTapeTuringMachine)


def test_a_file_is_what_it_holds(tmp_path):
    for source, ending in (("anbn.jff", ".yaml"), ("anbn.jff", ".txt")):
        path = tmp_path / f"copy{ending}"
        path.write_bytes((FOREIGN / source).read_bytes())
        assert load(path) == replace(load(FOREIGN / source), name="copy")
    (tmp_path / "parity.jff").write_bytes(zoo_path("parity").read_bytes())
    assert load_file(tmp_path / "parity.jff").format == "YAML"


TEXT = """<structure><type>{kind}</type>{extra}<automaton>
<state id="0" name="q"><initial/></state>
<state id="1" name="r"><final/></state>
{moves}
</automaton></structure>
"""


def move(*labels, ends=(0, 1)):
    return "<transition><from>{}</from><to>{}</to>{}</transition>".format(*ends, "".join(labels))


@pytest.mark.parametrize(
    ("kind", "extra", "moves", "words"),
    [
        ("grammar", "", "", "it is a grammar: convert it"),
        ("re", "", "", "it is a regular expression"),
        ("cheese", "", "", "its type is 'cheese'"),
        ("fa", "", move("<read>a</read>", ends=(0, 7)), "line 4: a transition has <to> '7'"),
        ("fa", "", '<state id="0"/>', "line 4: a state has the id '0'"),
        ("fa", "", '<state id="5"><initial/></state>', "there are 2 initial states"),
        ("turing", "<tapes>6</tapes>", "", "there are '6' tapes"),
        ("turing", "", move("<read>a,b}w</read><write>w</write><move>R</move>"), "a variable of JFLAP"),
        ("turing", "", move("<read>ab</read><write/><move>R</move>"), "a transition reads 'ab'"),
        ("turing", "", move("<read>a</read><write/><move>X</move>"), "a transition moves 'X'"),
        (
            "turing",
            "",
            move("<read>a</read><write/><move>R</move>") + move("<read>a</read><write/><move>L</move>"),
            "two transitions leave 'q' on the same symbols",
        ),
        ("turing", "<tapes>5</tapes>", "".join(
            move(f'<read tape="1">{a}</read><write tape="1">{a}</write>' + "".join(
                f'<move tape="{i}">R</move>' for i in range(1, 6))) for a in "abcdefgh"), "which is not read"),
        ("mealy", "", move("<read>a</read><transout>x</transout>"), "state 'r' has no transition on 'a'"),
        ("moore", "", move("<read/>"), "a transition reads nothing"),
    ],
)  # fmt: skip
def test_refused(kind, extra, moves, words):
    with pytest.raises(MachineFileError) as caught:
        load(TEXT.format(kind=kind, extra=extra, moves=moves))
    assert words in str(caught.value)
    assert "JFLAP" in str(caught.value)


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE structure [<!ENTITY a0 "x">'
    + "".join(f'<!ENTITY a{i} "&a{i - 1};&a{i - 1};">' for i in range(1, 60))
    + "]><structure><type>&a59;</type></structure>"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "it declares a document type or entities"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><structure/>\n', "it declares a document type or entities"),
        ("<structure>\n" + "<a>" * 300_000, "nested more than 12 deep"),
        ("<structure>\n" + "<a/>" * 250_000 + "</structure>", "more than 200,000 elements"),
        ("<structure>\n<type>fa</structure>", "line 2: not valid XML"),
        ("<structure>\n&nothing;</structure>", "line 2: not valid XML"),
        ("<structure>\n\0</structure>", "line 2: not valid XML"),
    ],
)
def test_hostile_documents_end_soon(text, words):
    with promptly(), pytest.raises(MachineFileError) as caught:
        load(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_encodings(tmp_path):
    path = tmp_path / "m.jff"
    text = TEXT.format(kind="fa", extra="", moves=move("<read>é</read>"))
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(MachineFileError, match="line 4: byte 0xe9 is not UTF-8 text"):
        load(path)
    path.write_bytes(text.encode("utf-16"))
    with pytest.raises(MachineFileError, match="the file is UTF-16 text"):
        load(path)
    path.write_text('<?xml version="1.0" encoding="ISO-8859-1"?>' + text, encoding="utf-8")
    assert load(path).input_symbols == ("é",)
