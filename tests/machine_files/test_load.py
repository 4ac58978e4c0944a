"""Finding machines: the zoo, paths, bbchallenge text, and what to say when there is none."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import exactnn
from exactnn.constructions import compile
from exactnn.errors import MachineFileError, NetworkFileError
from exactnn.machine_files import MachineFile, load, load_file, zoo, zoo_names, zoo_path
from exactnn.networks import save_network
from tests.promptness import promptly


def test_name_path_and_text():
    assert load("bb2").name == "bb2"
    assert load(zoo_path("bb2")) == load(str(zoo_path("bb2"))) == load("bb2")
    assert load("1RB1LB_1LA1RZ").name == "1RB1LB_1LA1RZ"
    assert isinstance(load_file("1RB1LB_1LA1RZ"), MachineFile)


def test_text_of_a_file():
    text = zoo_path("parity").read_text(encoding="utf-8")
    assert load(text) == replace(load("parity"), name="machine")
    assert load("name: odd\n" + text).name == "odd"
    with pytest.raises(MachineFileError, match="machine text: line 1: it looks like none of the formats bbchallenge, "):
        load("two\nlines")


def test_a_name_without_the_ending_of_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(zoo_path("anbn"), "mine.yaml")
    with pytest.raises(MachineFileError, match=r"no such machine: did you mean the file 'mine\.yaml'"):
        load("mine")


@pytest.mark.parametrize("path", ["parity.json", Path("parity.JSON")])
def test_a_network_file_is_no_machine_file(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MachineFileError, match="there is no such file"):
        load(path)
    with pytest.raises(MachineFileError):
        load("a" * 300 + ".json")  # longer than names of files may be
    save_network(compile("parity").network, tmp_path / "parity.json")
    (tmp_path / "parity.json").rename(path)
    with pytest.raises(MachineFileError, match=r"exactnn\.load_network reads it"):
        load(path)


def test_zoo_name_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(zoo_path("anbn"), "bb2")
    shutil.copy(zoo_path("anbn"), "mine")
    shutil.copy(zoo_path("anbn"), "1RB.yml")
    assert load("bb2").name == "bb2"
    assert load("./bb2").accept_state == "accept"
    assert load("mine").name == "mine"
    assert load("1RB.yml").name == "1RB"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("palindrom", "did you mean palindrome?"),
        ("Palindrome", "did you mean palindrome?"),
        ("bb6", "did you mean bb"),
        ("tomita-8", "did you mean tomita-"),
        ("lstm-anbn", "did you mean lstm_anbn?"),
        ("my-weights.x", "there is no such file, and no such machine: 'exactnn zoo' lists them"),
        ("wholly unlike", "there is no such machine: 'exactnn zoo' lists them"),
        ("", "there is no such machine"),
        ("x" * 100_000, "there is no such machine"),
        ("bb2\n", "did you mean bb2"),
    ],
)
def test_unknown_name(name, near):
    with pytest.raises(MachineFileError) as caught:
        load(name)
    message = str(caught.value)
    assert near in message
    assert "'exactnn zoo' lists them" in message
    assert repr(name)[:20] in message
    assert len(message) < 300
    assert "\n" not in message


@pytest.mark.parametrize("name", ["palindrome", "lstm_anbn"])
def test_a_name_with_a_format(name):
    with pytest.raises(MachineFileError, match=f"give {name}, and the format by itself, as .* arithmetic='float16'"):
        load(f"{name}@float16")
    with pytest.raises(MachineFileError, match="did you mean palindrome"):
        load("palindrom@float16")


def test_a_network_is_no_machine():
    with pytest.raises(MachineFileError, match=r"this is a network, and needs no machine: exactnn\.lstm_anbn\(\)"):
        load("lstm_anbn")


@pytest.mark.parametrize("source", [None, 5, b"bb2", ["bb2"]])
def test_other_sources(source):
    with pytest.raises(MachineFileError, match="give a name of the zoo, the path of a file, or its text"):
        load(source)


def test_listing_is_fast_and_sorted():
    with promptly():
        entries = zoo()
    assert [entry.name for entry in entries] == sorted(zoo_names())
    assert all(entry.summary and "\n" not in entry.summary for entry in entries)
    assert {entry.kind for entry in entries} == {
        "counter_machine",
        "dfa",
        "pushdown_automaton",
        "mealy_machine",
        "moore_machine",
        "stack_machine",
        "turing_machine",
        "weighted_automaton",
        "weighted_pushdown_automaton",
    }


def test_machines_inside_the_package_come_first(tmp_path):
    """An installed wheel has the folder ``machines`` in the package: rebuild that shape, and list."""
    package = tmp_path / "exactnn"
    shutil.copytree(Path(exactnn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    (package / "machines").mkdir()
    shutil.copy(zoo_path("parity"), package / "machines" / "only.yaml")
    code = "from exactnn.machine_files import zoo, zoo_path; print([e.name for e in zoo()], zoo_path('only'))"
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"['only'] {package / 'machines' / 'only.yaml'}"


@pytest.mark.parametrize(
    ("ending", "reader"), [("safetensors", "load_safetensors"), ("onnx", "load_onnx"), ("pt", "from_torch")]
)
def test_a_trained_model_is_pointed_to_what_reads_it(ending, reader, tmp_path):
    file = tmp_path / f"model.{ending}"
    file.write_bytes(bytes(range(200, 256)))
    with pytest.raises(MachineFileError, match=reader):
        load(str(file))
    with pytest.raises(NetworkFileError, match=reader):
        exactnn.load_network(file)
