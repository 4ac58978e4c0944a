import json

import pytest

from exactnn import __version__, zoo
from exactnn.constructions import constructions_for
from exactnn.machine_files import load_file, write_dot


def test_the_zoo_is_listed(invoke):
    text = invoke("zoo").stdout
    assert all(entry.name in text and entry.summary in text for entry in zoo())
    listed = json.loads(invoke("zoo", "--json").stdout)["machines"]
    assert [entry["name"] for entry in listed] == [entry.name for entry in zoo()]


def test_the_version(program):
    done = program("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"exactnn {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_the_commands(invoke, arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert all(name in result.stdout for name in ("zoo", "show", "run", "compile", "collapse"))


@pytest.mark.parametrize("command", ["zoo", "show", "run", "compile", "collapse"])
def test_every_command_has_help(invoke, command):
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout


@pytest.mark.parametrize("name", ["parity", "anbn", "bb2", "1RB1LB_1LA0LC_1RZ1LD_1RD0RA"])
def test_show_gives_table_and_constructions(invoke, name):
    machine = load_file(name).machine
    text = invoke("show", name).stdout
    assert all(str(q) in text for q in machine.states)
    assert all(f"construction  {construction}" in text for construction in constructions_for(machine))
    record = json.loads(invoke("show", name, "--json").stdout)
    assert record["states"] == [str(q) for q in machine.states]
    assert [entry["construction"] for entry in record["constructions"]] == list(constructions_for(machine))
    assert all(entry["neurons"] > 0 for entry in record["constructions"])


def test_show_marks_states(invoke):
    text = invoke("show", "anbn").stdout
    for part in ("→ start", "accept (accepts)", "reject (rejects)", "the blank symbol is _", "_, R → seek"):
        assert part in text
    assert "odd (final)" in invoke("show", "parity").stdout
    assert "Z (halts)" in invoke("show", "bb2").stdout


def test_text_from_a_file_is_neither_markup_nor_control(invoke, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text(
        'title: "[bold]x[/bold] \\e[31m"\ninput: a\nblank: _\nstart state: "[red]"\naccept state: y\n'
        'table:\n  "[red]": {[a, _]: {R: y}}\n  y:\n'
    )
    text = invoke("show", str(path)).stdout
    assert "[red]" in text
    assert "\x1b" not in text


def test_show_reports_a_construction_that_refuses(invoke, tmp_path):
    path = tmp_path / "reserved.yaml"
    path.write_text(
        "blank: _\ninput symbols: [EOS]\nstart state: s\naccept state: y\ntable:\n  s: {[EOS, _]: {R: y}}\n  y:\n"
    )
    result = invoke("show", str(path))
    assert result.exit_code == 0
    assert "refused" in result.stdout


def test_compile_saves_a_network_that_runs(invoke, tmp_path):
    path = tmp_path / "parity.json"
    record = json.loads(invoke("compile", "parity", "-o", str(path), "--json").stdout)
    assert (record["neurons"], record["weights"], record["file"]) == (5, 14, str(path))
    assert record["bytes"] == path.stat().st_size
    assert json.loads(invoke("show", str(path), "--json").stdout)["neurons"] == 5
    assert json.loads(invoke("run", str(path), "111", "--json").stdout)["verdict"] == "accept"


def test_compile_replaces_a_file_only_by_force(invoke, tmp_path):
    path = tmp_path / "net.json"
    path.write_text("mine")
    assert invoke("compile", "parity", "-o", str(path)).exit_code == 2
    assert path.read_text() == "mine"
    result = invoke("compile", "anbn", "-o", str(path), "--force")
    assert result.exit_code == 0
    assert "T(w) = |w| + k + 2" in result.stdout
    assert "43" in result.stdout


def test_show_draws_a_graph(invoke):
    assert invoke("show", "parity", "--dot").stdout == write_dot(load_file("parity").machine)
    assert '"A"' in invoke("show", "1RB1LB_1LA1RZ", "--dot").stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["parity", "--json"], "--dot and --json"),
        (["parity", "--construction", "minsky"], "--dot and --construction"),
        (["net.json"], "is a network"),
    ],
)
def test_a_graph_is_of_a_machine_only(invoke, arguments, reason):
    result = invoke("show", "--dot", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1
