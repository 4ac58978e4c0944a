import csv
import json

import pytest

from exactnn import FLOAT32, compile, first_divergence, load
from exactnn.automata import TapeConfiguration
from exactnn.cli.configuration_difference import configuration_difference


def test_the_table_is_what_first_divergence_says(invoke):
    table = json.loads(invoke("collapse", "anbn", "a^n b^n", "--n", "2:6", "--format", "float32", "--json").stdout)
    assert [row["length"] for row in table["rows"]] == [4, 6, 8, 10, 12]
    net = compile(load("anbn"))
    for row in table["rows"]:
        found = first_divergence(net, row["word"], FLOAT32)
        entry = row["formats"]["float32"]
        assert row["steps"] == found.steps
        assert entry["right"] is (found.verdict is None)
        assert (entry["value"] or {}).get("step") == found.step
        assert (entry["configuration"] or {}).get("exact") == (
            None if found.configuration is None else str(found.exact_configuration)
        )
    assert table["first_failures"]["float32"]["verdict"] == next(
        row["length"] for row in table["rows"] if not row["formats"]["float32"]["right"]
    )


def test_the_report_in_words(invoke):
    result = invoke("collapse", "anbn", "a^n b^n", "--n", "2:10:4")
    assert result.exit_code == 0
    for part in ("n = 10", "float64, verdicts: first wrong at length 20", "How float32 goes wrong", "computed", "^"):
        assert part in result.stdout


def test_words_of_the_file_by_default(invoke):
    table = json.loads(invoke("collapse", "anbn", "--json").stdout)
    assert [row["length"] for row in table["rows"]] == [0, 2, 6, 20]
    assert all(row["verdict"] == "accept" for row in table["rows"])


def test_words_and_patterns_together(invoke):
    table = json.loads(invoke("collapse", "parity", "101", "1^n", "--n", "2:3", "--json").stdout)
    assert [(row["word"], row["n"]) for row in table["rows"]] == [("101", None), ("11", 2), ("111", 3)]
    assert table["first_failures"]["float64"] == {"value": None, "configuration": None, "verdict": None}


def test_a_step_limit_is_code_3(invoke):
    result = invoke("collapse", "anbn", "aabb", "--max-steps", "5", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["rows"][0]["outcome"] == "step limit"


def test_csv_has_a_row_for_each_word_and_format(invoke, tmp_path):
    path = tmp_path / "table.csv"
    assert invoke("collapse", "anbn", "a^n b^n", "--n", "3:5", "--csv", str(path)).exit_code == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(row["n"], row["format"]) for row in rows] == [(n, f) for n in "345" for f in ("float64", "float32")]
    assert rows[-1]["verdict_right"] == "False"
    assert rows[0]["value_step"] == ""


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_drawn(invoke, tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    assert invoke("collapse", "anbn", "a^n b^n", "--n", "3:5", "--plot", str(path)).exit_code == 0
    assert path.stat().st_size > 1000


def test_differences_are_marked_under_each_other():
    exact = TapeConfiguration(state="q", left=("b", "a"), scanned="a", right=())
    computed = TapeConfiguration(state="?", left=("b",), scanned="b", right=())
    lines = [line.plain for line in configuration_difference(exact, computed)]
    assert lines == ["    exactly   q: a b [a]", "    computed  ?:   b [b]", "              ^^ ^   ^^^"]


def test_long_tapes_are_shown_around_the_difference():
    exact = TapeConfiguration(state="q", left=(), scanned="a", right=("a",) * 5000)
    computed = TapeConfiguration(state="q", left=(), scanned="a", right=("a",) * 4000 + ("b",) + ("a",) * 999)
    lines = [line.plain for line in configuration_difference(exact, computed)]
    assert max(map(len, lines)) < 100
    assert "b" in lines[1]
