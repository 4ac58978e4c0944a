import json
import re

import pytest

from exactnn import NETWORKS, __version__, zoo
from exactnn.constructions import compile, constructions_for, layered_network
from exactnn.machine_files import load, load_file, write_dot, zoo_path
from exactnn.networks import step_formulas


def test_the_zoo_is_listed(invoke):
    text = invoke("zoo").stdout
    assert all(entry.name in text and entry.summary in text for entry in zoo())
    listed = json.loads(invoke("zoo", "--json").stdout)["machines"]
    assert [entry["name"] for entry in listed] == [entry.name for entry in zoo()]


def test_the_zoo_is_listed_by_tags(invoke):
    record = json.loads(invoke("zoo", "--tag", "regular", "--tag", "star-free", "--json").stdout)["machines"]
    wanted = [entry.name for entry in zoo() if {"regular", "star-free"} <= set(entry.tags)]
    assert [entry["name"] for entry in record] == wanted
    assert "tomita-1" in wanted
    assert all({"regular", "star-free"} <= set(entry["tags"]) for entry in record)
    text = invoke("zoo", "--tag", "universal").stdout
    assert "rogozhin-4-6" in text
    assert "parity" not in text


@pytest.mark.parametrize(
    ("tag", "told"),
    [("regulr", "did you mean regular? "), ("STAR-FREE", "did you mean star-free? "), ("", ""), ("wholly unlike", "")],
)
def test_an_unknown_tag_is_refused_with_those_that_there_are(invoke, tag, told):
    result = invoke("zoo", "--tag", tag)
    assert result.exit_code == 2
    assert f"no machine has the tag {tag!r}: {told}the tags are arithmetic, busy-beaver, " in result.stderr


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


def test_show_does_not_build_what_takes_long_unless_it_is_asked_for(invoke, monkeypatch):
    """To look at a machine of somebody else must not fill the memory."""
    monkeypatch.setattr(layered_network, "MANY_WEIGHTS", 1000)
    record = json.loads(invoke("show", "anbn", "--json").stdout)
    entry = next(entry for entry in record["constructions"] if entry["construction"] == "siegelmann_sontag_book")
    assert re.fullmatch(
        r"siegelmann_sontag_book\(anbn\) has [\d,]+ units and up to [\d,]+ weights: building it takes a while: "
        "--construction siegelmann_sontag_book builds it all the same",
        entry["refusal"],
    )
    asked = json.loads(invoke("show", "anbn", "--construction", "siegelmann_sontag_book", "--json").stdout)
    assert asked["constructions"][0]["neurons"] > 0


@pytest.mark.parametrize("expected", ["outcome: step limit, steps: 100000000000000000", "verdict: accept"])
def test_check_stops_after_a_time(invoke, tmp_path, expected):
    """A file of a few lines may expect anything of a machine that never halts."""
    path = tmp_path / "endless.yaml"
    path.write_text(
        "kind: turing_machine\ntape: two_way_infinite\nblank: 0\ninput symbols: []\nstart state: r\naccept state: y\n"
        f"table:\n  r: {{0: {{R: r}}}}\n  y:\nexpect:\n  - {{word: '', {expected}}}\n"
        "  - {word: '', outcome: step limit, steps: 3}\n"
    )
    result = invoke("show", str(path), "--check", "--seconds", "0")
    assert result.exit_code == 3
    assert result.stdout == "2 runs, none otherwise than as expected; 1 run did not end in time (--seconds)\n"
    refused = invoke("show", "parity", "--seconds", "1")
    assert (refused.exit_code, "give --check too" in refused.stderr) == (2, True)


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


def test_show_prints_a_machine_file(invoke, tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(invoke("show", "anbn", "--yaml").stdout, encoding="utf-8")
    assert own.read_bytes() == zoo_path("anbn").read_bytes()
    again = tmp_path / "again.yaml"
    again.write_text(invoke("show", str(own), "--yaml").stdout, encoding="utf-8")
    assert load_file(again) == load_file(own)
    assert "1RB1LB_1LA1RZ" in invoke("show", "1RB1LB_1LA1RZ", "--yaml").stdout


def test_show_checks_what_a_file_expects(invoke, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text(zoo_path("parity").read_text().replace('"0", verdict: reject', '"0", verdict: accept'))
    wrong = invoke("show", str(path), "--check")
    assert wrong.stdout == "'0': outcome is 'rejected', expected 'accepted'\n7 runs, 1 not as expected\n"
    assert (wrong.exit_code, invoke("show", "parity", "--check").exit_code) == (4, 0)
    path.write_text(zoo_path("parity").read_text().split("expect:")[0])
    assert "nothing is expected" in invoke("show", str(path), "--check").stdout


def test_show_writes_the_step_out(invoke, tmp_path):
    path = tmp_path / "net.json"
    invoke("compile", "anbn", "-o", str(path))
    network = compile(load("anbn")).network
    lines = invoke("show", "anbn", "--weights").stdout.splitlines()
    assert lines == list(step_formulas(network)) == invoke("show", str(path), "--weights").stdout.splitlines()
    assert invoke("show", "parity", "--weights", "--construction", "state_grid").exit_code == 0


@pytest.mark.parametrize("option", ["--dot", "--yaml", "--check"])
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["parity", "--json"], " and --json: leave one out"),
        (["parity", "--weights"], " and --weights: leave one out"),
        (["parity", "--construction", "minsky"], " and --construction"),
        (["net.json"], "is a network"),
    ],
)
def test_what_shows_a_machine_goes_alone(invoke, option, arguments, reason):
    result = invoke("show", option, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_networks_that_need_no_machine(invoke, tmp_path):
    listed = json.loads(invoke("zoo", "--json").stdout)["networks"]
    assert {entry["name"]: entry["summary"] for entry in listed} == NETWORKS
    assert all(name in invoke("zoo").stdout for name in NETWORKS)
    assert json.loads(invoke("zoo", "--tag", "regular", "--json").stdout)["networks"] == []
    assert json.loads(invoke("run", "scalar_stack", "1#1", "--json").stdout)["machine"] == "scalar_stack"
    report = json.loads(invoke("run", "lstm_anbn", "aabb", "--json").stdout)
    assert (report["verdict"], report["machine_steps"], report["configuration"]) == ("accept", 4, "bs: 0")
    assert "7 memory cells" in invoke("show", "lstm_anbncn").stdout
    for name in ("lstm_anbn", "gated_counter"):
        file = str(tmp_path / f"{name}.json")
        assert invoke("compile", name, "-o", file).exit_code == 0
        assert json.loads(invoke("run", file, "aabb", "--json").stdout)["verdict"] == "accept"
    assert "wrong" in invoke("collapse", "gated_counter", "a^n b^n", "--n", "1:12", "--formats", "p2e8").stdout
    assert "a network already" in invoke("run", "lstm_anbn", "ab", "--construction", "minsky").stderr
    assert "is a network" in invoke("show", "lstm_anbn", "--yaml").stderr
