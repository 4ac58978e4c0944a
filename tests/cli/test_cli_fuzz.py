"""``exactnn fuzz``: what it finds, the file it writes, replaying it, exit codes, bad input."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import exactnn
from exactnn.automata import interpreter
from exactnn.cli import main
from exactnn.errors import TimeLimitError
from exactnn.machine_files import load, load_file, write_yaml
from exactnn.testing import Rules, compare, compiler, disagreement, disagreement_text, fuzz

ROOT = Path(exactnn.__file__).parents[1]

OWN = """
from exactnn import DFA, minsky

def forgetful(dfa: DFA):
    if len(dfa.states) > 1:
        raise RuntimeError("too many states")
    return minsky(dfa)
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_chapter_from_scratch_and_again(invoke, tmp_path):
    done = invoke("fuzz", "--construction", "literal_book", "--seconds", "300", "--json")
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["found"]["word"] == []
    assert record["replay_file"] == "fuzz-literal_book.yaml"
    assert (tmp_path / "fuzz-literal_book.yaml").read_text() == record["found"]["replay"]
    again = json.loads(invoke("fuzz", "--replay", "fuzz-literal_book.yaml", "--json").stdout)
    assert again["disagrees"]
    assert (again["expected_then"], again["found_then"]) == (again["found"]["expected"], again["found"]["found"])


def test_a_format_on_a_given_machine(invoke, tmp_path):
    options = ("--arithmetic", "float16", "--by", "configuration", "--seconds", "100", "-o", "found.yaml")
    done = invoke("fuzz", "anbn", *options)
    assert done.exit_code == 0
    for part in ("siegelmann_sontag", "float16", "no shorter word does", "machine is in", "start state: start"):
        assert part in done.stdout
    assert "replay with: exactnn fuzz --replay found.yaml\n" in done.stdout
    again = invoke("fuzz", "--replay", "found.yaml")
    assert again.exit_code == 0
    assert "they disagree" in again.stdout
    refused = invoke("fuzz", "anbn", *options)
    assert refused.exit_code == 2
    assert "found.yaml' exists already" in refused.stderr


def test_nothing_found(invoke):
    done = invoke("fuzz", "parity", "--seconds", "0.5", "--json")
    assert done.exit_code == 3
    record = json.loads(done.stdout)
    assert record["found"] is None
    assert record["agree_up_to"] >= 1
    assert record["replay_file"] is None
    text = invoke("fuzz", "parity", "--seconds", "0.5")
    assert text.exit_code == 3
    assert "nothing in this time; all words of up to" in text.stdout


def test_a_construction_of_ones_own(invoke, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    done = invoke("fuzz", "--construction", "own:forgetful", "--seconds", "100", "--json")
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["found"]["states"] == 2
    assert record["found"]["found"] == "raised RuntimeError: 'too many states'"
    file = record["replay_file"]
    untrusted = invoke("fuzz", "--replay", file)
    assert untrusted.exit_code == 2
    assert "names code, 'own:forgetful': if you trust it, add --construction own:forgetful" in untrusted.stderr
    trusted = invoke("fuzz", "--replay", file, "--construction", "own:forgetful", "--json")
    assert json.loads(trusted.stdout)["disagrees"]
    mended = invoke("fuzz", "--replay", file, "--construction", "minsky")
    assert "machine and network agree" in mended.stdout


HOSTILE = """kind: dfa
input symbols: ["'", '"', "$HOME", "a b", "\\n", "é", "END", "\\u2028", "`id`", "\\\\"]
start state: "q '$(id)'"
final states: []
table:
  "q '$(id)'": {"'": "EOF\\nEND", '"': "EOF\\nEND", "$HOME": "EOF\\nEND", "a b": "EOF\\nEND", "\\n": "EOF\\nEND",
    "é": "EOF\\nEND", "END": "EOF\\nEND", "\\u2028": "EOF\\nEND", "`id`": "EOF\\nEND", "\\\\": "EOF\\nEND"}
  "EOF\\nEND": {"'": "EOF\\nEND", '"': "EOF\\nEND", "$HOME": "EOF\\nEND", "a b": "EOF\\nEND", "\\n": "EOF\\nEND",
    "é": "EOF\\nEND", "END": "EOF\\nEND", "\\u2028": "EOF\\nEND", "`id`": "EOF\\nEND", "\\\\": "EOF\\nEND"}
"""
ALL_BUT_ONE = """
from dataclasses import replace
from exactnn import DFA, minsky

def wrong(dfa: DFA):
    return minsky(replace(dfa, final_states=dfa.states[1:])).network
"""


@pytest.mark.parametrize("name", ["a 'b' $HOME.yaml", "é;ls.yaml", "two\nlines \\ '.yaml", "-x.yaml"])
def test_the_command_is_one_that_a_shell_reads(invoke, tmp_path, name):
    (tmp_path / "flipped.py").write_text(ALL_BUT_ONE)
    (tmp_path / "m.yaml").write_text(HOSTILE, encoding="utf-8")
    done = invoke("fuzz", "m.yaml", "--construction", "flipped:wrong", "-o", name, "--seconds", "100")
    assert done.exit_code == 0
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("replay with: ")]
    command = line.partition(": ")[2].replace("exactnn", f"{sys.executable} -m exactnn", 1)
    again = subprocess.run(
        ["bash", "-c", command],
        env={"PYTHONPATH": str(ROOT), "PATH": "/bin:/usr/bin", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "they disagree" in again.stdout, again.stderr


def test_the_command_in_a_message_is_one_that_a_shell_reads(tmp_path):
    """The whole replay file stands in it, and nothing in it is the end of it."""
    (tmp_path / "flipped.py").write_text(ALL_BUT_ONE)
    (tmp_path / "m.yaml").write_text(HOSTILE, encoding="utf-8")
    found = fuzz(compiler("flipped:wrong"), machine=load("m.yaml"), seconds=100).found
    command = disagreement_text(found).partition("replay with:\n")[2]
    again = subprocess.run(
        ["bash", "-c", command.replace("exactnn", f"{sys.executable} -m exactnn", 1)],
        env={"PYTHONPATH": str(ROOT), "PATH": "/bin:/usr/bin", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "they disagree" in again.stdout, again.stderr


def test_files_are_not_overwritten(invoke, tmp_path):
    (tmp_path / "other.py").write_text(OWN.replace("forgetful", "again"))
    names = [
        json.loads(invoke("fuzz", "--construction", "other:again", "--seconds", "100", "--json").stdout)["replay_file"]
        for _ in range(2)
    ]
    assert names == ["fuzz-again.yaml", "fuzz-again-2.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to test: give M or --construction NAME"),
        (["--construction", "minsk"], "construction 'minsk' is unknown"),
        (["--construction", "nowhere:f"], "cannot be imported"),
        (["nothing"], "there is no such machine"),
        (["parity", "--construction", "siegelmann_sontag"], "compiles a TuringMachine, not the DFA 'parity'"),
        (["parity", "--seconds", "0"], "seconds=0"),
        (["parity", "--seconds", "nan"], "seconds=nan"),
        (["parity", "--max-moves", "0"], "give a whole number from 1"),
        (["parity", "--arithmetic", "float15"], "the arithmetic 'float15' is unknown"),
        (["parity", "--replay", "x.yaml"], "give neither M nor -o"),
        (["--replay", "x.yaml"], "there is no such file"),
        (["parity", "-o", "."], "is a folder"),
        (["--construction", "third:anything"], "does not say which machines it compiles"),
    ],
)
def test_bad_input(invoke, tmp_path, arguments, message):
    (tmp_path / "third.py").write_text("def anything(machine):\n    return machine\n")
    done = invoke("fuzz", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("by", "moves"), [("outcome", 10**17), ("configuration", 10**6)])
def test_a_replay_file_cannot_ask_for_more_than_the_time(invoke, tmp_path, by, moves):
    """A few lines of somebody else ask for as many moves as they like."""
    machine = load_file("sweeper")
    lines = [
        "format: exactnn replay 1", "construction: siegelmann_sontag", "arithmetic: exact", f"by: {by}",
        f"max moves: {moves}", "word: []", "machine: |", *(f"  {line}" for line in write_yaml(machine).splitlines()),
    ]  # fmt: skip
    Path("endless.yaml").write_text("\n".join(lines), encoding="utf-8")
    done = invoke("fuzz", "--replay", "endless.yaml", "--seconds", "0")
    assert (done.exit_code, "the time was over" in done.stderr) == (3, True)


@pytest.mark.parametrize("by", ["outcome", "configuration"])
def test_a_comparison_ends_in_time_wherever_it_is(monkeypatch, by):
    """The time is over at the first look of each part: the machine's run, the network's, and the configurations."""
    rules, said = Rules(by=by, max_moves=100), []
    monkeypatch.setattr(interpreter, "MOVES", 10)
    for looks in range(6):
        left = itertools.chain([60.0] * looks, itertools.repeat(0.0))
        monkeypatch.setattr(disagreement._Clock, "left", property(lambda _self, left=left: next(left)))
        try:
            compare(compiler("siegelmann_sontag"), load("sweeper"), "", rules)
        except TimeLimitError as error:
            said.append(str(error))
    assert "the machine was stopped after" in said[0]
    assert "the time was over" in said[1]
    assert len(said) == (2 if by == "outcome" else 6)


def test_a_replay_on_standard_input(tmp_path):
    text = CliRunner().invoke(main, ["fuzz", "--construction", "literal_book", "--seconds", "300", "--json"]).stdout
    replay = json.loads(text)["found"]["replay"]
    done = CliRunner().invoke(main, ["fuzz", "--replay", "-", "--json"], input=replay)
    assert json.loads(done.stdout)["disagrees"]


@pytest.mark.parametrize("module", ["exactnn.testing", "exactnn.strategies", "exactnn.cli.fuzz"])
def test_without_hypothesis_the_extra_is_named(module):
    """Hypothesis is hidden from the search for modules, as if it were not installed."""
    program = (
        "import importlib, importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'hypothesis' else find(name)\n"
        "import exactnn\n"
        f"try: importlib.import_module('{module}')\n"
        "except exactnn.ExactnnError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 'pip install "exactnn[testing]"' in done.stdout
