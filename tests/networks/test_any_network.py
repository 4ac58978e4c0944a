"""Wherever a network is asked for, what has one will do: constructions, machines, their names, files."""

import json
from pathlib import Path

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from click.testing import CliRunner

import exactnn as xn
from exactnn.cli import main
from exactnn.constructions.folding import fold_network
from exactnn.errors import ConstructionError, MachineFileError, NetworkError, NetworkFileError
from exactnn.networks import network_of, runnable_of

PARITY = xn.compile("parity")
ABAB = NFA.from_regex("(ab)*")


@pytest.fixture
def file(tmp_path):
    xn.save_network(PARITY, tmp_path / "parity.json")
    return tmp_path / "parity.json"


@pytest.mark.parametrize(
    "function", [xn.step_formulas, network_of, fold_network, xn.contractivity, xn.run], ids=lambda of: of.__name__
)
def test_names_machines_and_constructions_are_alike(function):
    def of(given):
        return repr(function(given))

    assert of("begins-with-1") == of(xn.load("begins-with-1")) == of(xn.compile("begins-with-1"))


def test_exports_take_names(tmp_path):
    xn.save_network("parity", tmp_path / "a.json")
    assert xn.load_network(tmp_path / "a.json") == PARITY.network
    assert xn.to_weighted("binary-value") == xn.to_weighted(xn.compile("binary-value").network)


def test_files(file, monkeypatch):
    assert xn.run(str(file), "111").accepted
    assert xn.run(file, "111").accepted
    assert network_of(file) == PARITY.network
    monkeypatch.chdir(file.parent)
    Path("mine").write_bytes(file.read_bytes())
    assert runnable_of("mine") == PARITY.network
    assert xn.equivalent("mine", "parity")
    with pytest.raises(NetworkFileError, match="missing"):
        xn.run("missing.json", "")


def test_a_file_of_a_machine(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("kind: dfa\nstart state: q\nfinal states: [q]\ntable:\n  q: {a: q}\n", encoding="utf-8")
    assert xn.run(path, "aa").accepted
    assert xn.compile(path).machine == xn.load(path)


def test_a_machine_in_json_is_no_network_file(tmp_path):
    """What a file is, its text says: automata-lib's parameters are a machine, whatever the name is."""
    path = tmp_path / "mine.json"
    rows = {"q": {"a": "p", "b": "q"}, "p": {"a": "q", "b": "p"}}
    parts = {"states": ["q", "p"], "input_symbols": ["a", "b"], "initial_state": "q", "final_states": ["p"]}
    path.write_text(json.dumps(parts | {"transitions": rows}), encoding="utf-8")
    assert network_of(path) == xn.compile(xn.load(path)).network
    assert xn.run(path, "ab").accepted
    assert "automata-lib" in CliRunner().invoke(main, ["show", str(path)]).stdout


@pytest.mark.parametrize(
    "machine", [NFA.from_regex("(ab)*"), DFA.from_nfa(NFA.from_regex("(ab)*"))], ids=["NFA", "DFA"]
)
def test_machines_of_automata_lib(machine):
    for word in ("", "ab", "aba", "abab", "b"):
        assert xn.run(machine, word).accepted == machine.accepts_input(word)
    assert xn.equivalent(machine, xn.load(machine))
    assert xn.compile(machine).machine == xn.load(machine)


@pytest.mark.parametrize("value", [None, 5, ["parity"], {}, b"parity"])
def test_what_is_no_network(value):
    for function, error in ((network_of, NetworkError), (xn.run, NetworkError), (xn.compile, ConstructionError)):
        with pytest.raises(error):
            function(value)
    with pytest.raises(MachineFileError):
        xn.load(value)


def test_an_object_that_only_says_it_is_of_automata_lib():
    stranger = type("Stranger", (), {"__module__": "automata.strange"})()
    with pytest.raises(xn.ExactnnError, match="Stranger"):
        xn.run(stranger, "")


def test_a_name_of_the_zoo_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    xn.save_network("parity", "palindrome")
    assert xn.run("palindrome", "abba").accepted
    assert network_of("./palindrome") == PARITY.network


def test_what_has_a_network_is_one_whatever_its_module_is_called():
    class Own:
        __module__ = "automata.nets"
        network = PARITY.network

        def machine_steps(self, steps, word_length):
            return steps

        def decode(self, state, *, cells=None):
            return None

    assert xn.run(Own(), "1").accepted


def test_a_name_of_the_zoo_is_the_same_network_each_time():
    """So what a run finds out about it serves the next one; a file is read again."""
    assert network_of("parity") is network_of("parity")
    assert runnable_of("parity") is runnable_of("parity")
