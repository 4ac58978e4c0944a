"""Interval arithmetic from the command line: bounds in the output, and exit code 3 where they do not tell."""

import json

import pytest

from exactnn import save_network
from exactnn.arithmetic import Enclosure, exact
from exactnn.networks import SimpleRNN

SMOOTH = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh", name="smooth")


@pytest.fixture
def smooth(tmp_path):
    path = tmp_path / "smooth.json"
    save_network(SMOOTH, path)
    return str(path)


def report(result):
    return json.loads(result.stdout)


@pytest.mark.parametrize(("arithmetic", "bits"), [("certified", 64), ("interval128", 128)])
def test_a_verdict_and_its_bits(invoke, arithmetic, bits):
    result = invoke("run", "parity", "0111", "--arithmetic", arithmetic, "--json")
    found = report(result)
    assert (result.exit_code, found["verdict"], found["bits"], found["arithmetic"]) == (0, "accept", bits, arithmetic)
    assert found["configuration"] == "odd"
    assert "interval" in found["engine"]


def test_other_arithmetics_have_no_bits(invoke):
    assert report(invoke("run", "parity", "0", "--json"))["bits"] is None


def test_outputs_are_bounds(invoke, smooth):
    result = invoke("run", smooth, "1 0", "--arithmetic", "interval64", "--json", "--trace")
    found = report(result)
    assert (result.exit_code, found["outcome"]) == (0, "completed")
    low, high = map(exact, found["output"].strip("[]").split(", "))
    assert 0 < high - low < exact("1/1000000000000000000")
    assert Enclosure(low="0.36339948", high="0.36339949").contains(Enclosure(low=low, high=high))
    assert [row["step"] for row in found["trace"]] == [0, 1, 2]
    assert found["trace"][0]["values"] == {}
    assert found["trace"][1]["values"]["h[0]"].startswith("[0.7615941559557648")
    lines = invoke("run", smooth, "1 0", "--arithmetic", "certified", "--trace").stdout
    assert "[0.7615941559557648" in lines
    assert "certified" in lines


def test_too_few_bits_are_a_limit(invoke):
    result = invoke("run", "palindrome", "abba", "--arithmetic", "interval4", "--json")
    found = report(result)
    assert result.exit_code == 3
    assert (found["outcome"], found["verdict"], found["bits"]) == ("undecided at these bits", None, 4)
    assert found["configuration"] is None
    assert found["nonblank"] is None
    text = invoke("run", "palindrome", "abba", "--arithmetic", "interval4")
    assert text.exit_code == 3
    assert "undecided at these bits" in text.stdout


def test_a_checkpoint_of_enclosures(invoke, smooth, tmp_path):
    file = str(tmp_path / "progress.json")
    cut = invoke("run", smooth, "1 0 1", "--arithmetic", "interval64", "--checkpoint", file, "--max-steps", "1")
    assert cut.exit_code == 3
    resumed = report(invoke("run", smooth, "1 0 1", "--arithmetic", "interval64", "--checkpoint", file, "--json"))
    whole = report(invoke("run", smooth, "1 0 1", "--arithmetic", "interval64", "--json"))
    assert resumed["resumed_from"] == 1
    assert resumed["output"] == whole["output"]
    refused = invoke("run", smooth, "1", "--arithmetic", "certified", "--checkpoint", file)
    assert refused.exit_code == 2
    assert "exactnn.Interval" in refused.stderr


@pytest.mark.parametrize("name", ["interval", "interval0", "interval1", "interval9999999", "interval:64"])
def test_names_of_no_interval_arithmetic(invoke, name):
    result = invoke("run", "parity", "0", "--arithmetic", name)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["certified", "interval64"])
def test_commands_that_need_numbers_refuse_enclosures(invoke, name):
    for arguments in (
        ("extract", "parity", "--format", name),
        ("collapse", "parity", "0", "--format", name),
        ("threshold", "parity", "0", "--format", name),
        ("plot", "errors", "parity", "0", "--format", name),
    ):
        result = invoke(*arguments)
        assert result.exit_code == 2, arguments
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["certified", "interval64"])
def test_enclosures_tell_how_words_end(invoke, name):
    result = invoke("compare", "parity", f"parity@{name}", "--max-length", "3")
    assert result.exit_code == 3
    assert "not decided: words of more than 3 symbols" in " ".join(result.stdout.split())
