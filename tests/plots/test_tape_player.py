"""Pages that play tapes: what they hold is what was decoded, and no symbol of a machine becomes a part of the page."""

import re

import pytest

import exactnn as xn
from exactnn.plots import tape_player
from tests.plots.pages import data_of, views


@pytest.fixture(scope="module")
def tapes():
    return xn.space_time("palindrome", "aaabbaba", "float32")


def test_the_page_has_every_step_and_where_the_format_is_wrong(tapes):
    data = data_of(tape_player(tapes))
    exact, rounded = data["runs"]
    assert data["steps"] == [row.step for row in tapes.exact.rows]
    assert exact["wrong"] is None
    assert (rounded["wrong"], rounded["cell"]) == (8, tapes.computed[0].wrong_cell)
    at = data["steps"].index(8)
    ringed = rounded["cell"] - data["first"]
    assert exact["rows"][at]["cells"][ringed] != rounded["rows"][at]["cells"][ringed]
    assert exact["rows"][at]["cells"] == ["" if cell == "_" else cell for cell in cells_at(tapes, at, data)]


def cells_at(tapes, at, data):
    width = len(data["runs"][0]["rows"][at]["cells"])
    return tapes.exact.rows[at].cells(range(data["first"], data["first"] + width), tapes.machine.blank_symbol)


def test_stacks_are_played():
    found = xn.space_time("mirror-stacks", "ab#ba", "float16")
    page = tape_player(found)
    data = data_of(page)
    assert "The tops of stacks are shaded" in page
    assert data["gaps"] == [found.layout.ends[1] - 1]
    assert data["places"][0] == "stack 1, cell 0"
    assert data["places"][-1].startswith("stack 2, cell ")
    assert [row["heads"] for row in data["runs"][0]["rows"]] == [list(row.heads) for row in found.exact.rows]
    assert data["runs"][0]["rows"][5]["cells"][:5] == list("ab#ba")


def test_no_top_of_a_rounded_stack_is_cut_off():
    """In float16 the second stack gets higher than it should be."""
    found = xn.space_time("mirror-stacks", "abab#baba", "float16")
    last = max(row.span[1] for row in found.computed[0].rows)
    assert last > max(row.span[1] for row in found.exact.rows)
    rows = data_of(tape_player(found))["runs"][1]["rows"]
    assert all(row["cells"][head] for row in rows for head in row["heads"] if head is not None)
    assert found._repr_svg_().count(f"stack 2, cell {last - found.layout.ends[1]}") > 0


def test_symbols_are_data():
    bad = "</script><b>"
    machine = xn.TuringMachine(
        states={"q", "h", "no"},
        input_symbols={bad},
        tape_symbols={bad, "_"},
        transitions={"q": {bad: ("q", bad, "R"), "_": ("h", "_", "R")}},
        initial_state="q",
        blank_symbol="_",
        accept_state="h",
        reject_state="no",
    )
    page = tape_player(xn.space_time(machine, [bad], "float32"))
    assert page.count("</script>") == 1
    assert bad in data_of(page)["runs"][0]["rows"][1]["cells"]


@pytest.mark.slow
def test_it_plays_in_a_browser(tapes, tmp_path):
    tape_player(tapes, path=tmp_path / "tape.html")
    for page in views(tmp_path / "tape.html"):
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        assert page.evaluate("now") == 8
        assert page.locator(".ring").count() == 1
        page.click("#next")
        assert page.locator(".ring").count() == 0
        page.click("#play")
        page.locator("#step", has_text=re.compile(r"^\d\d$")).wait_for()
        page.click("#play")
        assert page.locator("#play").text_content() == "play"
        page.click("#back")
