"""Pages that play tapes: what they hold is what was decoded, and no symbol of a machine becomes a part of the page."""

import json
import re
import shutil

import pytest

import exactnn as xn
from exactnn.plots import tape_player

SIZES = (390, 1280, 1920)


def data_of(page):
    return json.loads(re.search(r"const data = (.*);\n", page).group(1))


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


def test_bad_input_is_told(tapes, tmp_path):
    with pytest.raises(xn.ExactnnError, match=r"name a file that ends in \.html"):
        tape_player(tapes, path=tmp_path / "tape.gif")
    with pytest.raises(xn.ExactnnError, match="space_time"):
        tape_player("palindrome")
    page = tape_player(tapes, path=tmp_path / "tape.html")
    assert (tmp_path / "tape.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_it_plays_in_a_browser(tapes, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    browser = shutil.which("chromium") or pytest.skip("needs chromium")
    tape_player(tapes, path=tmp_path / "tape.html")
    with playwright.sync_playwright() as found:
        chromium = found.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for width in SIZES:
            for scheme in ("light", "dark"):
                page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                told = []
                page.on("console", lambda message, told=told: told.append(message.text))
                page.on("pageerror", lambda error, told=told: told.append(str(error)))
                page.goto((tmp_path / "tape.html").as_uri())
                for _ in range(8):
                    page.keyboard.press("ArrowRight")
                assert page.evaluate("now") == 8
                assert page.locator(".ring").count() == 1
                page.click("#next")
                assert page.locator(".ring").count() == 0
                page.click("#play")
                page.wait_for_function("now >= 10")
                page.click("#play")
                assert page.locator("#play").text_content() == "play"
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                page.click("#back")
                page.screenshot(path=tmp_path / f"{width}_{scheme}.png")
                assert told == []
                page.close()
        chromium.close()
