"""``exactnn threshold --lengths``."""

import json

import pytest


def test_a_sweep_as_json_and_as_a_table(invoke, tmp_path):
    file, picture = tmp_path / "sweep.jsonl", tmp_path / "map.svg"
    arguments = ["threshold", "palindrome", "--lengths", "0:4", "--precision", "2:14", "--file", str(file)]
    done = invoke(*arguments, "--json", "--plot", str(picture))
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["complete"]
    assert [entry["words"] for entry in record["lengths"]] == [1, 2, 4, 8, 16]
    assert [entry["steps"] for entry in record["lengths"]] == [3, 7, 12, 18, 25]
    for entry in record["lengths"][2:]:
        wrong = [p for p, count in zip(record["precisions"], entry["wrong"], strict=True) if count]
        assert wrong == list(range(2, 3 * entry["length"] + 2))
    assert len(file.read_text().splitlines()) == 6
    assert "svg" in picture.read_text()[:300]
    again = invoke(*arguments)
    assert again.exit_code == 0
    assert "all 16" in again.stdout
    assert "2-13" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lengths", "0:2", "abba"], "goes with no words"),
        (["--lengths", "0:2", "--criterion", "value"], "no other --criterion"),
        (["--lengths", "2:0"], "is empty"),
        (["--lengths", "x"], "write first:last"),
        (["--lengths", "0:2", "--words", "0"], "words=0: give a whole number of at least 1"),
        (["--file", "sweep.jsonl"], "goes with --lengths"),
        (["--lengths", "0:2", "--file", "no/such/folder"], "No such file"),
    ],
)
def test_wrong_options(invoke, arguments, message):
    done = invoke("threshold", "palindrome", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_warning_beyond_the_safe_length(invoke):
    done = invoke("run", "palindrome", "abba", "--arithmetic", "float16", "--safe-length", "3", "--max-steps", "50")
    assert "warning: a word of 4 symbols in float16" in done.stderr
