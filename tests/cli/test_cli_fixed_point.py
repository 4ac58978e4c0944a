"""Fixed-point formats on the command line, by their bits."""

import json

import pytest

import exactnn as xn
from exactnn.cli.arguments import arithmetic_named, format_named


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("q8.8", xn.FixedPoint(integer_bits=8, fraction_bits=8)),
        ("q1.15", xn.FixedPoint(integer_bits=1, fraction_bits=15)),
        ("q16.0", xn.FixedPoint(integer_bits=16, fraction_bits=0)),
        ("uq0.8", xn.FixedPoint(integer_bits=0, fraction_bits=8, signed=False)),
    ],
)
def test_a_name_is_read_and_written(name, format):
    assert format_named(name) == arithmetic_named(name) == format
    assert str(format_named(name)) == name


@pytest.mark.parametrize("name", ["q8", "q8.", "q.8", "q-1.8", "q8.8.8", "sq8.8", "q0.0", "uq0.0", "q99999.1"])
def test_other_names_are_refused(invoke, name):
    for arguments in (("run", "parity", "0110", "--arithmetic", name), ("collapse", "parity", "01", "--format", name)):
        result = invoke(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("exactnn: error: ")
        assert result.stderr.count("\n") == 1


def test_a_run(invoke):
    result = invoke("run", "palindrome", "abba", "--arithmetic", "q8.20", "--json")
    record = json.loads(result.stdout)
    assert (record["arithmetic"], record["verdict"], record["machine_steps"]) == ("q8.20", "accept", 15)
    assert record["nonblank"] == 0
    assert record["configuration"].startswith("accept")


def test_a_collapse_table_and_its_csv(invoke, tmp_path):
    file = tmp_path / "table.csv"
    names = ("q8.8", "q8.20", "float16")
    options = [part for name in names for part in ("--format", name)]
    result = invoke("collapse", "palindrome", "a^n", "--n", "1:4", *options, "--json", "--csv", str(file))
    record = json.loads(result.stdout)
    assert record["formats"] == list(names)
    assert record["first_failures"]["q8.8"]["verdict"] == 3
    value = record["rows"][2]["formats"]["q8.8"]["value"]
    assert (value["step"], value["neuron"], value["ulps"], value["bits"]) == (3, "left push", "3/8", 10)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1 + 4 * 3
    result = invoke("collapse", "palindrome", "a^n", "--n", "1:4", *options)
    assert "q8.8, verdicts: first wrong at length 3" in result.stdout


def test_a_network_that_does_not_fit(invoke):
    for name in ("q4.20", "q4.60"):
        result = invoke("run", "palindrome", "abba", "--arithmetic", name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "is 64, beyond the numbers of q4." in result.stderr
        assert "integer_bits=8" in result.stderr


def test_a_run_goes_on_from_its_checkpoint(invoke, tmp_path):
    file = str(tmp_path / "run")
    arguments = ("run", "palindrome", "abba", "--arithmetic", "q8.20", "--checkpoint", file)
    assert invoke(*arguments, "--max-steps", "9").exit_code == 3
    record = json.loads(invoke(*arguments, "--json").stdout)
    assert (record["verdict"], record["resumed_from"]) == ("accept", 9)
