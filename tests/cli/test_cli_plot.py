"""``exactnn plot`` draws what the functions give, and says which steps are marked."""

import json
from pathlib import Path

import pytest

import exactnn as xn


def steps_of(found):
    parts = {"value": found.value, "configuration": found.configuration, "verdict": found.verdict}
    return {what: None if part is None else part.step for what, part in parts.items()}


@pytest.mark.parametrize(("kind", "label"), [("errors", "largest error of a neuron"), ("space-time", "cell")])
def test_errors_and_tapes(invoke, tmp_path, kind, label):
    path = tmp_path / "picture.svg"
    arguments = ("plot", kind, "palindrome", "abba", "-o", str(path), "--format", "float32", "--format", "float16")
    record = json.loads(invoke(*arguments, "--json").stdout)
    net = xn.compile(xn.load("palindrome"))
    for fmt in (xn.FLOAT32, xn.FLOAT16):
        assert record["first_wrong"][str(fmt)] == steps_of(xn.first_divergence(net, "abba", fmt))
    assert (record["plot"], record["outcome"], record["steps"]) == (kind, "accepted", xn.run(net, "abba").steps)
    assert label in path.read_text()
    assert "palindrome on abba" in path.read_text()
    assert "first wrong value at step" in invoke(*arguments, "--force").stdout


def test_bits(invoke, tmp_path):
    path = tmp_path / "bits.png"
    record = json.loads(invoke("plot", "bits", "palindrome", "abba", "-o", str(path), "--json").stdout)
    found = xn.required_bits(xn.run(xn.compile(xn.load("palindrome")), "abba", record="all"))
    assert (record["most_bits"], record["most_significand_bits"]) == (max(found.rational), found.most)
    assert path.stat().st_size > 1000
    text = invoke("plot", "bits", "palindrome", "abba", "-o", str(path), "--force").stdout
    assert f"{found.most} in the longest significand" in " ".join(text.split())


def test_a_step_limit_is_code_3_and_the_picture_is_there(invoke, tmp_path):
    for kind in ("errors", "space-time", "bits"):
        path = tmp_path / f"{kind}.png"
        result = invoke("plot", kind, "bb5", "-o", str(path), "--max-steps", "50", "--json")
        assert result.exit_code == 3
        assert json.loads(result.stdout)["steps"] == 50
        assert path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sounds", "bb2", "-o", "a.png"), "'sounds'"),
        (("errors", "bb2", "-o", "a.gif"), "'a.gif'"),
        (("space-time", "parity", "01", "-o", "a.png"), "no tape"),
        (("space-time", "bb2", "-o", "a.png", "--format", "p2:9"), "at most 3"),
        (("errors", "palindrome", "abc", "-o", "a.png"), "'c'"),
        (("errors", "palindrome", "ab"), "--output"),
    ],
)
def test_bad_input_is_one_line(invoke, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = invoke("plot", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("exactnn: error: ")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("ending", "head"), [("gif", b"GIF"), ("html", b"<!doctype html>")])
def test_the_command_writes_a_film_or_a_page_where_the_name_ends_so(invoke, tmp_path, ending, head):
    name = str(tmp_path / f"tape.{ending}")
    result = invoke("plot", "space-time", "bb2", "-o", name)
    assert result.exit_code == 0, result.stderr
    assert Path(name).read_bytes().startswith(head)
    again = invoke("plot", "space-time", "bb2", "-o", name)
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    for kind in ("errors", "bits"):
        refused = invoke("plot", kind, "bb2", "-o", name, "--force")
        assert refused.exit_code == 2
        assert "name a file that ends in .png, .svg or .pdf" in refused.stderr
