"""Files that commands write: one policy for all of them, and nothing that was there is lost."""

import json
import os
import stat
from functools import cache

import numpy as np
import pytest

import exactnn as xn
from exactnn import plots
from exactnn.cli import main
from exactnn.plots.picture_file import new_figure
from exactnn.testing import Fuzzing, compare, compiler

THRESHOLD = ("threshold", "palindrome", "abba", "--precision", "12:13")
SWEEP = ("threshold", "palindrome", "--lengths", "1:2", "--precision", "12:13")
COLLAPSE = ("collapse", "anbn", "ab", "--format", "float16")
CHECK = ("check", "anbn", "ab", "--format", "float16")
EXTRACT = ("extract", "parity", "--arithmetic", "exact")

FILES = {
    ("show", "--plot"): (("show", "parity"), ".svg"),
    ("run", "--certificate"): (("run", "bb2"), ".json"),
    ("compile", "-o"): (("compile", "parity"), ".json"),
    ("import", "-o"): (("import", "model.safetensors"), ".json"),
    ("export", "-o"): (("export", "third.json"), ".onnx"),
    ("export", "-o tensors"): (("export", "model.safetensors.json"), ".safetensors"),
    ("unitary", "-o"): (("unitary", "third.json", "--input-bound", "1"), ".json"),
    ("extract", "-o"): (EXTRACT, ".yaml"),
    ("extract", "--dot"): (EXTRACT, ".dot"),
    ("extract", "--certificate"): (EXTRACT, ".json"),
    ("constructions", "-o"): (("constructions", "parity"), ".csv"),
    ("check", "-o"): (CHECK, ".csv"),
    ("check", "--plot"): (CHECK, ".svg"),
    ("collapse", "-o"): (COLLAPSE, ".csv"),
    ("collapse", "--csv"): (COLLAPSE, ".csv"),
    ("collapse", "--summary"): (COLLAPSE, ".csv"),
    ("collapse", "--plot"): (COLLAPSE, ".svg"),
    ("threshold", "--plot"): (THRESHOLD, ".svg"),
    ("threshold", "--plot lengths"): (SWEEP, ".svg"),
    ("plot", "-o"): (("plot", "bits", "palindrome", "abba"), ".svg"),
    ("fuzz", "-o"): (("fuzz", "--construction", "literal_book", "--seconds", "100"), ".yaml"),
}
"""Every option that names a file to write: a command, and how the name ends."""

GONE_ON_WITH = {("run", "--checkpoint"), ("threshold", "--store"), ("check", "--store")}
"""Files that a command reads, and writes again: they need no --force."""
READ = {("fuzz", "--replay")}

REPORTS = [key for key in FILES if key[0] in ("constructions", "run", "extract", "collapse", "threshold", "fuzz")]
"""Commands whose result is printed, and not lost where the file cannot be written."""


@cache
def found_by_fuzzing():
    found = compare(compiler("literal_book"), xn.load("anbn"), "ab")
    return Fuzzing(found=found, tried=1, refused=0, agree_up_to=None, interrupted=False, seconds=0)


@pytest.fixture
def option(key, tmp_path, monkeypatch):
    """Return the arguments up to the name of the file, and the name, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    arguments, ending = FILES[key]
    if "third.json" in arguments:
        pytest.importorskip("onnx")
        xn.save_network(xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1]), "third.json")
    if arguments[-1].startswith("model"):
        pytest.importorskip("safetensors")
        net = xn.from_torch({"weight_ih_l0": np.array([[1.0]]), "weight_hh_l0": np.array([[0.5]])})
        xn.save_safetensors(net, "model.safetensors")
        xn.save_network(net, "model.safetensors.json")
    if ending == ".svg":
        pytest.importorskip("matplotlib")
        for name in ("plot_collapse", "plot_precision_map", "plot_required_bits"):  # an empty one is soon drawn
            monkeypatch.setattr(plots, name, lambda *_, **__: new_figure(1, 1))
    if key[0] == "fuzz":
        monkeypatch.setattr("exactnn.cli.fuzz.fuzz", lambda *_, **__: found_by_fuzzing())
    (tmp_path / "folder").mkdir()
    return [*arguments, key[1].split()[0]], f"folder/file{ending}"


def written(invoke, option, *more):
    arguments, name = option
    result = invoke(*arguments, name, *more)
    assert result.exit_code == 0, result.stderr
    with open(name, "rb") as file:
        return file.read()


def check_refused(result, *parts):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("exactnn: error: ")
    assert len(result.stderr.splitlines()) == 1
    for part in parts:
        assert part in result.stderr


def test_every_option_that_names_a_file_is_here():
    """By the name that messages have for it: the short one, or the long one."""
    found = set()
    for name in main.list_commands(None):
        command = main.get_command(None, name)
        options = [one for one in command.params if one.metavar in ("FILE", "NET") and one.param_type_name == "option"]
        found |= {(name, one.opts[0]) for one in options}
        if {(name, one.opts[0]) for one in options} - GONE_ON_WITH - READ:
            assert any("--force" in one.opts for one in command.params), f"{name} has no --force"
    assert found == {(name, flag.split()[0]) for name, flag in FILES} | GONE_ON_WITH | READ


@pytest.mark.parametrize("key", FILES, ids=" ".join)
def test_what_is_there_is_replaced_with_force_only(invoke, key, option):
    arguments, name = option
    with open(name, "w", encoding="utf-8") as file:
        file.write("kept")
    os.chmod(name, 0o640)
    check_refused(invoke(*arguments, name), "exists already: give another name, or --force")
    with open(name, encoding="utf-8") as file:
        assert file.read() == "kept"
    assert written(invoke, option, "--force") not in (b"", b"kept")
    assert stat.S_IMODE(os.stat(name).st_mode) == 0o640
    assert os.listdir("folder") == [os.path.basename(name)]


@pytest.mark.parametrize("key", FILES, ids=" ".join)
def test_what_is_no_regular_file_is_refused_with_force_too(invoke, key, option):
    arguments, name = option
    os.mkfifo(name)
    check_refused(invoke(*arguments, name, "--force"), "it is a named pipe")
    assert stat.S_ISFIFO(os.lstat(name).st_mode)
    os.unlink(name)
    os.symlink("/dev/null", name)
    check_refused(invoke(*arguments, name, "--force"), "it is a device")
    assert os.readlink(name) == "/dev/null"
    os.unlink(name)
    os.mkdir(name)
    check_refused(invoke(*arguments, name, "--force"), "is a folder")


@pytest.mark.parametrize("key", REPORTS, ids=" ".join)
def test_a_full_disk_loses_neither_the_old_file_nor_the_report(invoke, key, option, monkeypatch):
    arguments, name = option
    with open(name, "w", encoding="utf-8") as file:
        file.write("kept")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = invoke(*arguments, name, "--force", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)
    assert "No space left on device" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    with open(name, encoding="utf-8") as file:
        assert file.read() == "kept"
    assert os.listdir("folder") == [os.path.basename(name)]


MEANWHILE = [("run", "--certificate"), ("extract", "-o"), ("collapse", "-o"), ("fuzz", "-o"), ("plot", "-o")]


@pytest.mark.parametrize("key", MEANWHILE, ids=" ".join)
def test_a_file_that_somebody_makes_meanwhile_is_left_alone(invoke, key, option, monkeypatch):
    arguments, name = option
    real = os.fsync

    def made_meanwhile(descriptor):
        if not os.path.exists(name):
            with open(name, "w", encoding="utf-8") as file:
                file.write("kept")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", made_meanwhile)
    result = invoke(*arguments, name)
    assert result.exit_code == 2
    assert "there already" in result.stderr
    with open(name, encoding="utf-8") as file:
        assert file.read() == "kept"


TEXTS = [("extract", "-o"), ("extract", "--dot"), ("fuzz", "-o")]


@pytest.mark.parametrize("key", TEXTS, ids=" ".join)
@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_text_goes_to_standard_output_and_the_report_elsewhere(invoke, key, name, option):
    arguments, file = option
    expected = written(invoke, option).decode()
    result = invoke(*arguments, name)
    assert (result.exit_code, result.stdout) == (0, expected)
    assert result.stderr
    check_refused(invoke(*arguments, name, "--json"), "standard output takes one of them")
    assert not os.path.exists("-")
    assert os.listdir("folder") == [os.path.basename(file)]


@pytest.mark.parametrize("key", [key for key in FILES if key not in TEXTS], ids=" ".join)
def test_no_other_file_is_standard_output(invoke, key, option):
    arguments, _ = option
    for name in ("-", "/dev/stdout"):
        check_refused(invoke(*arguments, name, "--force"), name)
    assert not os.path.exists("-")


def test_two_files_are_not_both_standard_output(invoke):
    check_refused(invoke(*EXTRACT, "-o", "-", "--dot", "/dev/stdout"), "give two files")


@pytest.mark.parametrize(
    "arguments",
    [
        (*COLLAPSE, "-o", "a.csv", "-o", "./a.csv"),
        (*COLLAPSE, "-o", "a.csv", "--summary", "a.csv"),
        (*SWEEP, "--store", "a.svg", "--plot", "./a.svg"),
        ("run", "bb2", "--checkpoint", "a", "--certificate", "./a"),
    ],
    ids=" ".join,
)
def test_one_file_is_not_two(invoke, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_refused(invoke(*arguments), "give two files")
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_gone_on_with_needs_no_force(invoke, tmp_path):
    arguments = ("run", "bb2", "--checkpoint", str(tmp_path / "c"))
    assert [invoke(*arguments).exit_code for _ in range(2)] == [0, 0]
    arguments = (*SWEEP, "--store", str(tmp_path / "s"))
    assert [invoke(*arguments).exit_code for _ in range(2)] == [0, 0]
