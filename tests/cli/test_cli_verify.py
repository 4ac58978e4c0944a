import json
import sys
from pathlib import Path

import pytest

import exactnn as xn

sys.path.append(str(Path(__file__).parents[1] / "certificates"))
from shuttle import certificate, steps_of


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "shuttle.json"
    xn.save_certificate(certificate(12), path)
    return path


def test_a_true_certificate(invoke, path):
    record = json.loads(invoke("verify", str(path), "--json").stdout)
    assert (record["verified"], record["eos_steps"], record["outcome"]) == (True, steps_of(12), "halted")
    assert (record["steps"], record["network"], record["word"]) == (steps_of(12) + 12, "shuttle", ["a"] * 12)
    text = invoke("verify", str(path))
    assert text.exit_code == 0
    assert "T = 91 of them on EOS" in text.stdout
    assert text.stderr == ""


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_wrong_certificate_is_one_line_and_code_2(invoke, path, options):
    data = certificate(12)
    data["end"]["eos_steps"] = steps_of(12) + 1
    xn.save_certificate(data, path)
    result = invoke("verify", str(path), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "exactnn: error: the verdict comes after 91 EOS steps, not 92\n"


def test_no_certificate(invoke, path, program):
    path.write_text("{}")
    for done in (invoke("verify", str(path)), program("verify", str(path))):
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert "shuttle.json" in done.stderr
        assert "this is no certificate" in done.stderr
    assert invoke("verify", str(path.with_name("missing.json"))).exit_code == 2
