"""Collapse tables one plays with: the fields tell what the table has, of any kind of table."""

from dataclasses import replace

import pytest

import exactnn as xn
from exactnn.plots import collapse_page
from tests.plots.pages import Elements, data_of, views

FORMATS = ["float32", "float16"]


@pytest.fixture(scope="module")
def table():
    return xn.collapse("palindrome", ["aaaaa", "a", "aaab", "aaaa"], FORMATS)


def test_a_field_has_the_word_both_verdicts_and_the_first_wrong_steps(table):
    data = data_of(collapse_page(table))
    assert [column["length"] for column in data["columns"]] == [1, 4, 5]
    assert [row["label"] for row in data["rows"]] == FORMATS
    cell = data["cells"][1][2]
    found = table.rows[0].divergences[1]
    assert cell["failure"] == 3
    told = dict(data["columns"][2]["words"][cell["word"]] + cell["told"])
    assert told["word"] == "aaaaa"
    assert told["exactly"] == f"accept after {table.rows[0].steps} steps"
    assert (found.verdict.computed, told["computed"]) == (None, f"nothing yet at step {found.verdict.step}")
    assert str(found.value.exact) in told[f"first wrong value: step {found.value.step}"]
    assert f"first wrong configuration: step {found.configuration.step}" in told


def test_of_several_words_the_worst_is_told(table):
    data = data_of(collapse_page(table))
    rows = [row for row in table.rows if len(row.word) == 4]
    worst = max(rows, key=lambda row: (row.divergences[1].verdict is not None, -row.divergences[1].step))
    column, cell = data["columns"][1], data["cells"][1][1]
    assert column["words"][cell["word"]][0] == ["word", "".join(worst.word)]
    wrong = sum(row.divergences[1].verdict is not None for row in rows)
    assert cell["told"][-1] == ["words of this length", f"verdict wrong: {wrong} of 2"]


def test_a_verdict_that_rejects_is_told():
    data = data_of(collapse_page(xn.collapse("palindrome", ["ab", "aaabbaba"], "float32")))
    assert data["columns"][0]["words"][0][1][1].startswith("reject after")
    assert data["cells"][0][0]["told"] == [["computed", "the same"]]
    assert data["cells"][0][1]["told"][0][1] == "accept at step 28"


def test_precisions_go_upwards():
    formats = [xn.FloatFormat(precision=p, exponent_bits=10) for p in (5, 9, 7)]
    found = xn.collapse("palindrome", ["a", "ab"], formats)
    data = data_of(collapse_page(found))
    assert [row["label"] for row in data["rows"]] == ["9 bits", "7 bits", "5 bits"]
    assert data["rows"][0]["name"] == str(formats[1])
    for row, column in enumerate((1, 2, 0)):
        for place, one in enumerate(found.rows):
            assert (data["cells"][row][place]["failure"] == 3) == (one.divergences[column].verdict is not None)


def test_sweeps_and_thresholds_have_pages():
    sweep = xn.verdict_sweep("palindrome", [5, 2, 3], FORMATS)
    data = data_of(collapse_page(sweep))
    assert [column["length"] for column in data["columns"]] == [2, 3, 5]
    for entry, place in zip(sweep.lengths, (2, 0, 1), strict=True):
        for row, wrong in enumerate(entry.wrong):
            cell = data["cells"][row][place]
            assert (cell["failure"] == 3) == bool(wrong)
            assert cell["told"][0][1] == f"{wrong} of {entry.words} words"
    threshold = xn.precision_threshold("palindrome", ["ab", "b", "aa"], precisions=range(2, 9), criterion="value")
    data = data_of(collapse_page(threshold))
    assert [row["label"] for row in data["rows"]] == [f"{p} bits" for p in range(8, 1, -1)]
    for row, precision in enumerate(range(8, 1, -1)):
        failing = [word for word in threshold.words if precision in word.failing]
        for place, length in enumerate((1, 2)):
            wrong = [word for word in failing if len(word.word) == length]
            cell = data["cells"][row][place]
            assert cell["failure"] == (1 if wrong else 0)
            if wrong:
                assert data["columns"][place]["words"][cell["word"]][0][1] == "".join(wrong[0].word)


def test_outputs_without_verdicts_have_a_page():
    thirds = xn.SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    data = data_of(collapse_page(xn.collapse(thirds, [[1], [1, 0]], "float32")))
    assert dict(data["cells"][0][0]["told"])["computed"] == "completed, as exactly"
    assert data["columns"][1]["words"][0] == [["word", "1 0"], ["exactly", "completed after 2 steps"]]


def test_symbols_and_states_are_data():
    bad = "</script><script>alert(1)</script>"
    machine = xn.TuringMachine(
        states={bad, "h", "no"}, input_symbols={bad}, tape_symbols={bad, "_"}, initial_state=bad, blank_symbol="_",
        transitions={bad: {bad: (bad, bad, "R"), "_": ("h", "_", "R")}}, accept_state="h", reject_state="no",
    )  # fmt: skip
    page = collapse_page(xn.collapse(machine, [[bad] * 3], xn.FloatFormat(precision=3, exponent_bits=4)))
    assert [tag for tag, _ in Elements(page).found].count("script") == 1
    data = data_of(page)
    assert data["columns"][0]["words"][0][0][1] == " ".join([bad] * 3)
    assert bad in str(data["cells"])


def test_tables_that_are_empty_or_too_large_are_refused(table):
    with pytest.raises(xn.ExactnnError, match="there is nothing to show"):
        collapse_page(replace(table, rows=()))
    (row, *_) = table.rows
    many = [replace(row, word=("a",) * length, divergences=row.divergences * 150) for length in range(70)]
    large = replace(table, rows=tuple(many), formats=table.formats * 150)
    with pytest.raises(xn.ExactnnError, match="70 lengths by 300 formats are too many fields for a page: give at most"):
        collapse_page(large)


@pytest.mark.slow
def test_fields_are_reached_in_a_browser(table, tmp_path):
    collapse_page(table, path=tmp_path / "collapse.html")
    for page in views(tmp_path / "collapse.html"):
        assert "float32, length 1: all right" in page.locator("#told").text_content()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("End")
        assert "float16, length 5: verdict wrong" in page.locator("#told").text_content()
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "float16, length 5: verdict wrong"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.hover("td >> nth=0")
        assert "float32, length 1" in page.locator("#told").text_content()
        page.hover("h1")
        assert "float16, length 5" in page.locator("#told").text_content()
        page.click("td >> nth=1")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("here") == [0, 1]
