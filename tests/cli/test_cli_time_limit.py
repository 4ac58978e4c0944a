"""Runs have a limit of time, and none of steps: what is computed soon is answered without an option."""

import json
from pathlib import Path

import pytest

from exactnn.cli import threshold

NEVER_HALTS = """\
kind: turing_machine
tape: two_way_infinite
blank: _
input symbols: [a]
start state: p
accept state: A
table:
  p: {a: R, _: {write: a, R: p}}
  A: {}
"""


@pytest.fixture
def never_halts(tmp_path: Path) -> str:
    (tmp_path / "never.yaml").write_text(NEVER_HALTS)
    return str(tmp_path / "never.yaml")


def test_a_long_run_gives_its_answer_without_an_option(invoke):
    done = invoke("run", "bb5", "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["outcome"], report["machine_steps"]) == (0, "halted", 47_176_870)
    assert (report["max_steps"], report["max_seconds"]) == (None, 60)


def test_a_time_limit_is_code_3(invoke, never_halts):
    done = invoke("run", never_halts, "--seconds", "0.05", "--arithmetic", "rational", "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["outcome"], report["verdict"]) == (3, "time limit", None)
    assert report["steps"] > 0
    assert report["max_seconds"] == 0.05
    text = " ".join(invoke("run", "bb4", "--seconds", "0").stdout.split())
    assert "time limit: The time limit was reached before a verdict" in text
    assert "Give --seconds none, or more of them." in text


def test_no_limit_of_time(invoke):
    report = json.loads(invoke("run", "bb4", "--seconds", "none", "--json").stdout)
    assert (report["outcome"], report["max_seconds"]) == ("halted", None)


def test_a_checkpoint_goes_on_with_new_time(invoke, tmp_path):
    file = str(tmp_path / "run.json")
    first = invoke("run", "bb4", "--seconds", "0", "--checkpoint", file, "--json")
    assert (first.exit_code, json.loads(first.stdout)["steps"]) == (3, 0)
    again = json.loads(invoke("run", "bb4", "--checkpoint", file, "--json").stdout)
    assert (again["outcome"], again["resumed_from"]) == ("halted", 0)


def test_no_certificate_of_what_was_not_decided(invoke, tmp_path):
    file = tmp_path / "c.json"
    done = invoke("run", "bb4", "--seconds", "0", "--certificate", str(file))
    assert (done.exit_code, file.exists()) == (3, False)
    assert "the outcome is time limit" in done.stderr


@pytest.mark.parametrize("command", ["collapse", "threshold"])
def test_tables_have_it_for_each_word(invoke, never_halts, command):
    done = invoke(command, never_halts, "a", "aa", "--seconds", "0.01", "--json")
    rows = json.loads(done.stdout)["rows" if command == "collapse" else "words"]
    assert done.exit_code == 3
    assert [row["outcome"] for row in rows] == ["time limit"] * 2


def test_a_sweep_is_bounded_by_steps(invoke, never_halts, monkeypatch):
    monkeypatch.setattr(threshold, "SWEEP_STEPS", 5)
    done = invoke("threshold", never_halts, "--lengths", "1:2", "--precision", "4:5", "--json")
    entries = json.loads(done.stdout)["lengths"]
    assert (done.exit_code, [entry["undecided"] for entry in entries]) == (3, [1, 1])
    assert [entry["steps"] for entry in entries] == [5, 5]
    refused = invoke("threshold", never_halts, "--lengths", "1:2", "--seconds", "5")
    assert refused.exit_code == 2
    assert "--seconds is no limit of --lengths" in refused.stderr


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e3", "", "1_0", "٣"])
def test_what_is_no_time(invoke, text):
    done = invoke("run", "bb2", "--seconds", text)
    assert done.exit_code == 2
    assert "give a number of seconds such as 600, or none" in done.stderr
