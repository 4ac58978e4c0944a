import csv
import json

import polars
import pytest

from exactnn import FLOAT32, compile, first_divergence, load
from exactnn.arithmetic import has_number
from exactnn.automata import TapeConfiguration
from exactnn.cli.arguments import format_named
from exactnn.cli.collapse import configuration_difference


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


@pytest.mark.parametrize(("format", "fits"), [("p22", True), ("p20", False), ("float32", False)])
def test_a_value_that_fits_was_lost_on_the_way(invoke, format, fits):
    result = invoke("collapse", "palindrome", "a" * 9, "--format", format)
    found = first_divergence(compile(load("palindrome")), "a" * 9, format_named(format))
    assert has_number(format_named(format), found.exact_value) is fits
    assert ("and fits: something on the way did not" in result.stdout) is fits


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
    assert rows[-1]["verdict_right"] == "false"
    assert rows[0]["value_step"] == ""


def test_outputs_are_the_table(invoke, tmp_path):
    paths = {ending: str(tmp_path / f"table.{ending}") for ending in ("csv", "json", "parquet")}
    summary = tmp_path / "summary.csv"
    options = [part for path in paths.values() for part in ("-o", path)]
    arguments = ("collapse", "anbn", "a^n b^n", "--n", "3:5", "--summary", str(summary), "--json", *options)
    printed = json.loads(invoke(*arguments).stdout)
    saved = json.loads((tmp_path / "table.json").read_text())
    assert saved == printed
    rows = polars.read_parquet(paths["parquet"]).to_dicts()
    assert [(row["word"], row["pattern"], row["n"]) for row in rows[::2]] == [
        (row["word"], row["pattern"], row["n"]) for row in printed["rows"]
    ]
    assert polars.read_csv(paths["csv"], infer_schema_length=None).to_dicts() == rows
    firsts = {(row["format"], row["criterion"]): row["first_wrong_length"] for row in read_csv(summary)}
    for name, lengths in printed["first_failures"].items():
        for criterion, length in lengths.items():
            assert firsts[name, criterion] == ("" if length is None else str(length))


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("option", [("-o", "t.xls"), ("-o", "missing/t.csv"), ("--summary", "t.json"), ("--csv", "t")])
def test_bad_outputs_are_refused_before_anything_runs(invoke, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("collapse", "bb5", *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert option[1] in result.stderr


def test_many_precisions_are_summed_up_and_drawn_as_a_map(invoke, tmp_path):
    path = tmp_path / "map.svg"
    result = invoke("collapse", "anbn", "a^n b^n", "--n", "1:3", "--format", "p2:16e6", "--plot", str(path))
    assert result.exit_code == 0
    assert "precision (bits of the significand)" in path.read_text()
    assert "first wrong at length" in result.stdout
    assert len([line for line in result.stdout.splitlines() if "│ p" in line]) == 15
    few = invoke("collapse", "anbn", "ab", "--format", "p9:12", "--plot", str(path), "--force", "--json")
    assert json.loads(few.stdout)["formats"] == ["p9", "p10", "p11", "p12"]
    assert "network step" in path.read_text()


@pytest.mark.parametrize("name", ["p1:5", "p9:5", "p2:5000", "p2:"])
def test_ranges_of_formats_that_are_none(invoke, name):
    result = invoke("collapse", "parity", "01", "--format", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert name in result.stderr


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "html"])
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


def test_a_verdict_that_is_not_there_yet_is_not_called_right(invoke):
    result = invoke("collapse", "anbn", "a^n b^n", "--n", "1:2", "--format", "float16", "--max-steps", "3")
    assert "float16, verdicts: none is wrong on 2 words, 2 of them without one so far." in result.output
    assert "all right on these 2 words" in result.output  # values and configurations
