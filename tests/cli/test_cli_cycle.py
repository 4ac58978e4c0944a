"""``exactnn run`` of what never halts: the proof is a result."""

import json

import pytest

from exactnn import save_network
from tests.odometer import odometer

SHUTTLE = "1RB1RB_1LA1LA"
"""Goes between two cells for ever."""


@pytest.mark.parametrize("arithmetic", ["float32", "float16", "q8.8", "rational", "exact"])
@pytest.mark.parametrize("limit", ["none", "1000"])
def test_a_proof_is_a_result(invoke, arithmetic, limit):
    result = invoke("run", SHUTTLE, "--arithmetic", arithmetic, "--max-steps", limit, "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (report["outcome"], report["verdict"], report["period"]) == ("proven non-halting", None, 2)
    assert report["preperiod"] + report["period"] <= report["eos_steps"] == report["steps"] < 20
    assert "never ends" in report["sentence"]


def test_the_text_says_where_it_repeats(invoke, tmp_path):
    file = str(tmp_path / "odometer.json")
    save_network(odometer(2, 30, preperiod=41), file)
    result = invoke("run", file, "--arithmetic", "float64", "--max-steps", "none")
    assert result.exit_code == 0
    for part in ("proven non-halting: The run never ends: a state came again", "period 900 from EOS step 41 on"):
        assert part in " ".join(result.stdout.split())
    assert "T =" not in result.stdout


def test_a_limit_before_the_proof_is_code_3(invoke, tmp_path):
    file = str(tmp_path / "odometer.json")
    save_network(odometer(1, 9), file)
    codes = [invoke("run", file, "--arithmetic", "float32", "--max-steps", str(limit)).exit_code for limit in (24, 25)]
    assert codes == [3, 0]
    report = json.loads(invoke("run", file, "--arithmetic", "float32", "--max-steps", "24", "--json").stdout)
    assert (report["outcome"], report["preperiod"], report["period"]) == ("step limit", None, None)


def test_a_palindrome_in_bfloat16(invoke):
    result = invoke(
        "run", "palindrome", "aaaaaaaaabbbbbbbbb", "--arithmetic", "bfloat16", "--max-steps", "none", "--json"
    )
    report = json.loads(result.stdout)
    assert (result.exit_code, report["verdict"], report["preperiod"], report["period"]) == (0, None, 6, 1)


def test_a_run_that_halts_has_no_cycle(invoke):
    report = json.loads(invoke("run", "anbn", "ab", "--json").stdout)
    assert (report["verdict"], report["preperiod"], report["period"]) == ("accept", None, None)


def test_the_checkpoint_gives_the_proof_again(invoke, tmp_path):
    file = str(tmp_path / "file")
    command = ("run", SHUTTLE, "--arithmetic", "float32", "--checkpoint", file, "--json")
    first = json.loads(invoke(*command).stdout)
    again = json.loads(invoke(*command).stdout)
    assert again["resumed_from"] == first["steps"]
    keys = ("outcome", "preperiod", "period", "steps", "configuration", "output")
    assert [again[key] for key in keys] == [first[key] for key in keys]


def test_its_certificate_says_that_it_never_ends(invoke, tmp_path):
    file = tmp_path / "certificate"
    assert invoke("run", SHUTTLE, "--certificate", str(file)).exit_code == 0
    verified = invoke("verify", str(file), "--json")
    assert verified.exit_code == 0
    assert json.loads(verified.stdout)["outcome"] == "proven non-halting"
