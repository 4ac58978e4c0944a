"""Tables as files, read back by the readers that people use."""

import csv
import json
import sys
from fractions import Fraction

import polars
import pytest

import exactnn as xn
from exactnn.errors import MissingExtraError, OptionError
from exactnn.files import check_table_file
from exactnn.precision import collapse_record, collapse_rows, collapse_summary, save_collapse

FORMULAS = ("=1+1", "+x", "-y", "@z", 'say "a, b"', "two\nlines", "", "'")


@pytest.fixture(scope="module")
def table():
    net = xn.compile(xn.load("palindrome"))
    return xn.collapse(net, ["", "ab", "a" * 9, "b" * 19], [xn.FLOAT64, xn.FLOAT32, xn.FLOAT16])


def as_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def labels(table):
    return [{"word": FORMULAS[i], "n": i or None} for i in range(len(table.rows))]


def test_rows_say_what_the_divergences_say(table):
    rows = collapse_rows(table)
    divergences = [divergence for row in table.rows for divergence in row.divergences]
    assert len(rows) == len(divergences) == 12
    assert len({tuple(row) for row in rows}) == 1
    for row, found in zip(rows, divergences, strict=True):
        assert (row["word"], row["format"]) == ("".join(found.word), str(found.arithmetic))
        assert (row["value_step"], row["value_neuron"]) == (found.step, found.neuron)
        assert row["verdict_right"] is (found.verdict is None)
        if found.value is not None:
            assert Fraction(row["value_exact"]) == found.exact_value
            assert Fraction(row["value_computed"]) == Fraction(found.computed_value)
            assert Fraction(row["value_ulps"]) == found.value.ulps
            assert row["value_bits"] == found.value.bits
        if found.configuration is not None:
            assert row["configuration_depth"] == found.configuration.depth
            assert row["configuration_exact"] == str(found.exact_configuration)


def test_no_number_is_a_float(table):
    def numbers(data):
        if isinstance(data, dict):
            data = data.values()
        elif not isinstance(data, list):
            return [data]
        return [number for part in data for number in numbers(part)]

    for data in (collapse_rows(table), collapse_summary(table), collapse_record(table)):
        assert not any(isinstance(number, float) for number in numbers(data))


def test_csv_comes_back_and_tells_an_empty_word_from_nothing(table, tmp_path):
    path = tmp_path / "table.csv"
    save_collapse(table, path, labels=labels(table))
    expected = collapse_rows(table, labels=labels(table))
    with path.open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    for row, known in zip(read, expected, strict=True):
        assert row == {key: as_text(value) for key, value in known.items()}
    frame = polars.read_csv(path, infer_schema_length=None)
    assert frame["length"].to_list() == [row["length"] for row in expected]
    assert frame["value_step"].to_list() == [row["value_step"] for row in expected]
    assert frame["verdict_right"].to_list() == [row["verdict_right"] for row in expected]
    raw = path.read_bytes()
    assert b'"=1+1",,0,"float64",' in raw


def test_words_that_look_like_formulas_stay_as_they_are(table, tmp_path):
    path = tmp_path / "table.csv"
    for start in range(0, len(FORMULAS), len(table.rows)):
        words = FORMULAS[start : start + len(table.rows)]
        save_collapse(table, path, labels=[{"word": word} for word in words])
        with path.open(newline="", encoding="utf-8") as file:
            read = [row["word"] for row in csv.DictReader(file)]
        assert read == [word for word in words for _ in table.formats]
        assert polars.read_csv(path)["word"].to_list() == read


def test_parquet_comes_back_with_its_types(table, tmp_path):
    path = tmp_path / "table.parquet"
    save_collapse(table, path, labels=labels(table))
    frame = polars.read_parquet(path)
    assert frame.to_dicts() == collapse_rows(table, labels=labels(table))
    kinds = dict(zip(frame.columns, frame.dtypes, strict=True))
    assert (kinds["value_step"], kinds["value_exact"]) == (polars.Int64, polars.String)
    assert kinds["verdict_right"] == polars.Boolean
    right = xn.collapse(xn.compile(xn.load("parity")), ["01"])
    save_collapse(right, path)
    assert polars.read_parquet(path).dtypes == [kinds[name] for name in polars.read_parquet(path).columns]
    save_collapse(table, path, summary=True)
    assert polars.read_parquet(path).to_dicts() == collapse_summary(table)


def test_json_is_the_record_with_what_is_known_of_the_table(table, tmp_path):
    path = tmp_path / "table.json"
    save_collapse(table, path, about={"machine": "palindrome"}, labels=labels(table))
    read = json.loads(path.read_text())
    assert read == {"machine": "palindrome"} | collapse_record(table, labels=labels(table))
    assert read["rows"][0]["word"] == "=1+1"
    value = read["rows"][2]["formats"]["float32"]["value"]
    found = table.rows[2].divergences[1].value
    assert xn.arithmetic.exact(value["exact_hex"]) == found.exact
    assert xn.arithmetic.exact(value["computed_hex"]) == found.computed
    assert xn.arithmetic.exact(value["ulps_hex"]) == found.ulps


def test_the_summary_has_the_first_failing_lengths(table):
    summary = collapse_summary(table)
    assert [(row["format"], row["criterion"]) for row in summary] == [
        (str(fmt), what) for fmt in table.formats for what in ("value", "configuration", "verdict")
    ]
    for row in summary:
        fmt = next(fmt for fmt in table.formats if str(fmt) == row["format"])
        failure = table.first_failure(fmt, row["criterion"])
        assert row["first_wrong_length"] == (None if failure is None else len(failure.word))


def test_words_as_text():
    adds = xn.SimpleRNN(V=[[1]], W=[[1, "1/3"]], b=[0], s=[0], readout_weight=[1])
    rows = collapse_rows(xn.collapse(adds, [[(1, 0), ("1/2", 3)]], [xn.FLOAT32]))
    assert rows[0]["word"] == "1,0 1/2,3"


def test_infinities_are_named():
    triples = xn.SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    narrow = xn.FloatFormat(precision=40, exponent_bits=2)
    (row,) = collapse_rows(xn.collapse(triples, [[(3,)] + [(0,)] * 4], [narrow]))
    assert (row["value_computed"], row["value_ulps"]) == ("inf", None)


def test_a_file_is_replaced_as_a_whole(table, tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("before")
    module = sys.modules["exactnn.precision.collapse_file"]

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "replace", fail)
    with pytest.raises(OptionError, match="No space left"):
        save_collapse(table, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["table", "table.xls", "missing/table.csv", "folder.csv"])
def test_bad_paths_are_refused(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OptionError, match="table"):
        check_table_file(tmp_path / name)


def test_too_few_labels_are_refused(table, tmp_path):
    with pytest.raises(OptionError, match="2 labels for 4 words"):
        save_collapse(table, tmp_path / "table.csv", labels=[{}, {}])


def test_a_missing_polars_is_named(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"exactnn\[tables\]"):
        save_collapse(table, tmp_path / "table.parquet")
    save_collapse(table, tmp_path / "table.csv")
