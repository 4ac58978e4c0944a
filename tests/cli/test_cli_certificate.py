"""``exactnn run --certificate``: a proof in a file, and a run that is not lost where none can be written."""

import json
import os

import pytest
from click.testing import CliRunner

from exactnn.cli import main


def invoke(*arguments):
    return CliRunner().invoke(main, arguments)


def test_a_certificate_is_written_and_verified(tmp_path):
    file = str(tmp_path / "bb4.json")
    result = invoke("run", "bb4", "--certificate", file, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["certificate"] == file
    checked = invoke("verify", file, "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["eos_steps"] == 107


def test_the_report_is_printed_where_the_file_cannot_be_written(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = invoke("run", "bb4", "--certificate", str(tmp_path / "bb4.json"), "--json")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert (report["steps"], report["certificate"]) == (107, None)
    assert "cannot write" in result.stderr


def test_a_run_without_a_verdict_has_no_certificate(tmp_path):
    file = tmp_path / "bb4.json"
    result = invoke("run", "bb4", "--max-steps", "50", "--certificate", str(file), "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["steps"] == 50
    assert "no certificate" in result.stderr
    assert not file.exists()


@pytest.mark.parametrize("name", ["", ".", "/", "no/such/folder.json", "/dev/null", "-"])
def test_no_name_of_a_file_is_refused_before_it_runs(name):
    result = invoke("run", "bb4", "--certificate", name, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--certificate {name!r}" in result.stderr


def test_one_file_cannot_be_both(tmp_path):
    file = str(tmp_path / "file")
    result = invoke("run", "bb4", "--checkpoint", file, "--certificate", f"{tmp_path}/./file")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give two files" in result.stderr
    assert not (tmp_path / "file").exists()


def test_a_network_without_eos_steps_is_refused_before_it_runs(tmp_path):
    file = tmp_path / "parity.json"
    result = invoke("run", "parity", "0110", "--certificate", str(file))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "would prove EOS steps" in result.stderr
    assert not file.exists()
