"""Graphs in the DOT language: those of AALpy, by AALpy; those that we draw; and what is refused."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from exactnn.automata import MealyMachine, MooreMachine, output_word, translation
from exactnn.errors import MachineFileError
from exactnn.machine_files import load, load_file, read_dot, write_dot
from exactnn.strategies import dfas
from tests.promptness import promptly

FOREIGN = Path(__file__).parent / "foreign"


def words(alphabet, longest):
    return itertools.chain.from_iterable(itertools.product(alphabet, repeat=n) for n in range(longest + 1))


def by_aalpy(path, kind):
    """Read a file by AALpy itself, and return its outputs on a word."""
    from aalpy.utils import load_automaton_from_file

    machine = load_automaton_from_file(path, kind)

    def outputs(word):
        machine.reset_to_initial()
        return tuple(str(machine.step(a)) for a in word)

    return outputs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("file", "kind"), [("coffee", "mealy"), ("no-aa", "dfa"), ("count-mod-3", "moore")])
def test_as_aalpy_reads_them(file, kind, tmp_path):
    path = FOREIGN / f"{file}.dot"
    machine, theirs = load(path), by_aalpy(path, kind)
    for word in words(machine.input_symbols, 6):
        match machine:
            case MealyMachine():
                ours = translation(machine, word)
            case MooreMachine():
                ours = output_word(machine, word)[1:]
            case _:
                ours = tuple(str(machine.accepts(word[: i + 1])) for i in range(len(word)))
        assert tuple(output.strip() for output in theirs(word)) == ours


@pytest.mark.filterwarnings("ignore")
def test_what_aalpy_saves_is_read():
    from aalpy.utils.AutomatonGenerators import generate_random_deterministic_automata

    for kind in ("dfa", "moore", "mealy"):
        model = generate_random_deterministic_automata(kind, 7, 3, 2)
        from aalpy.utils.FileHandler import save_automaton_to_file

        machine = read_dot(save_automaton_to_file(model, "model", "string")).machine
        for word in words(machine.input_symbols, 4):
            model.reset_to_initial()
            theirs = [str(model.step(a)) for a in word]
            match machine:
                case MealyMachine():
                    assert list(translation(machine, word)) == theirs
                case MooreMachine():
                    assert list(output_word(machine, word))[1:] == theirs
                case _:
                    assert not word or str(machine.accepts(word)) == theirs[-1]


@given(dfas())
def test_dfas_come_back(dfa):
    found = read_dot(write_dot(dfa), name=dfa.name).machine  # a drawing has no order of symbols
    assert replace(found, input_symbols=dfa.input_symbols, final_states=dfa.final_states) == dfa
    assert set(found.input_symbols) == set(dfa.input_symbols)
    assert set(found.final_states) == set(dfa.final_states)


@pytest.mark.parametrize("file", ["coffee", "count-mod-3"])
def test_machines_with_outputs_come_back(file):
    machine = load(FOREIGN / f"{file}.dot")
    assert read_dot(write_dot(machine), name=machine.name).machine == machine


def test_the_guess_is_told():
    assert load_file(FOREIGN / "coffee.dot").notes == ("every arrow has input/output: it is read as a Mealy machine",)
    assert load_file(FOREIGN / "no-aa.dot").format == "DOT"
    assert read_dot(write_dot(load("parity"))).notes == ()


START = ' __start0 [shape=none, label=""]; __start0 -> a; }'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('digraph { a -> b [label="x:0.5"]; a -> a [label="x:0.5"];' + START, "a Markov decision process"),
        ('digraph { a -> b [label="x/y:0.5"]; a -> a [label="x/y:0.5"];' + START, "a stochastic Mealy machine"),
        ('digraph { a -> b [label="0.5"]; a -> a [label=".5"];' + START, "it is a Markov chain"),
        ('digraph { a -> b [label="x/y"]; a -> a [label="x/z"];' + START, "ONFSM"),
        ('digraph { a -> b [label="x"]; a -> a [label="x"];' + START, "two arrows leave 'a' on 'x': it is an NFA"),
        ('digraph { a -> b [label="x / push(A)"];' + START, "visibly pushdown"),
        ('digraph { a -> b [label="x/y"]; a -> b [label="z"];' + START, "some arrows have input/output"),
        ('digraph { a -> b [label="x"];' + START, "state 'b' has no arrow on 'x'"),
        ('digraph { a -> b [label="x"] }', "no arrow '__start0 -> STATE'"),
        ("digraph { a -> b [label=<b>x</b>] }", "HTML labels are not read"),
        ("digraph { subgraph c { a } }", "subgraphs and ports are not read"),
        ("graph { a -- b }", "write 'digraph' and '->'"),
        ('digraph { a -> a [label="x"];', "the graph does not end"),
        ("digraph {} digraph {}", "keep one machine in a file"),
        ('digraph { a [label="x', "is not read in DOT"),
        ("digraph {}", "no arrow '__start0 -> STATE'"),
    ],
)
def test_refused(text, words):
    with promptly(), pytest.raises(MachineFileError) as caught:
        load(text)
    assert words in str(caught.value)
    assert "(DOT)" in str(caught.value)


def test_drawings_of_other_machines_are_refused():
    with pytest.raises(MachineFileError, match="it draws a turing machine, and a drawing does not hold all of that"):
        read_dot(write_dot(load("bb2")))


@pytest.mark.mostly_slow(quick=2, slow=1)
@pytest.mark.parametrize("text", ["a;" * 500_000, "a -> b;" * 120_000, "[" * 900_000, '"' * 900_001, "/*" * 400_000])
def test_large_texts_end_soon(text):
    with promptly(), pytest.raises(MachineFileError):
        read_dot("digraph {" + text)


def test_ten_million_lines_are_refused_by_their_size(tmp_path):
    path = tmp_path / "large.dot"
    with path.open("wb") as file:
        file.write(b"digraph {\n")
        file.truncate(10**8)
    with promptly(), pytest.raises(MachineFileError, match="the limit is 1048576"):
        load(path)
