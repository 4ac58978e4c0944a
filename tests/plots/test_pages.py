"""What holds for every page one plays with: whole HTML that loads nothing, names that stay names, short errors."""

import re
from dataclasses import replace
from functools import cache

import pytest

import exactnn as xn
from exactnn.plots import (
    automaton_page,
    cantor_stack_page,
    collapse_page,
    orbit_page,
    page,
    scan_page,
    tape_player,
)
from tests.plots.pages import Elements, data_of
from tests.test_nasty_values import NASTY

NAMES = ("DATA", "TITLE", "</script><script>alert(1)</script>", "\ud800", "a\nb", '"><img src=x onerror=alert(1)>')


@cache
def tapes():
    return xn.space_time("palindrome", "aab", "float32")


@cache
def table():
    return xn.collapse("palindrome", ["", "a", "ab", "aaaa"], ["float32", "float16"])


@cache
def composites():
    fades = xn.DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    return xn.scan_tree(fades, "---+++-", "blelloch", "float8_e4m3")


@cache
def orbit():
    return xn.trajectory(xn.word_problem("Z5", "rotation"), "aaaaaa", "float16")


@cache
def machine():
    return xn.load("parity")


MADE = {
    "tape_player": lambda **options: tape_player(**({"found": tapes()} | options)),
    "collapse_page": lambda **options: collapse_page(**({"found": table()} | options)),
    "cantor_stack_page": lambda **options: cantor_stack_page(**({"found": xn.CantorStack()} | options)),
    "scan_page": lambda **options: scan_page(**({"found": composites()} | options)),
    "orbit_page": lambda **options: orbit_page(**({"found": orbit()} | options)),
    "automaton_page": lambda **options: automaton_page(**({"found": machine(), "should": machine()} | options)),
}
NAMED = {"tape_player": tapes, "collapse_page": table, "scan_page": composites, "orbit_page": orbit}
OWN = {"cantor_stack_page": ("bits", "precision"), "automaton_page": ("should", "word")}
OPTIONS = [(name, option) for name in MADE for option in ("found", "path", "replace", *OWN.get(name, ()))]
FITTING = {
    "path": {"None"},
    "replace": {"True"},
    "precision": {"3"},
    "bits": {"empty", "[]", "{}"},
    "word": {"empty", "[]"},
}
"""Which of the nasty values may be given."""


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_whole_and_loads_nothing(name):
    text = MADE[name]()
    elements = Elements(text)
    assert "http" not in text.replace("http-equiv", "")
    assert not re.search(r"@import|url\(|fetch\(|XMLHttp|innerHTML|eval\(|document\.write", text)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == tags.count("h1") == 1
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'\$\("(\w+)"\)', text)) <= set(ids)
    for tag, attributes in elements.found:
        assert not {key for key in attributes if key.startswith("on")} | ({"src"} & set(attributes))
        if tag == "input":
            assert "aria-label" in attributes or f'for="{attributes["id"]}"' in text


@pytest.mark.parametrize("odd", NAMES)
@pytest.mark.parametrize("name", NAMED)
def test_a_network_may_have_any_name(name, odd, tmp_path):
    usual = NAMED[name]()
    text = MADE[name](found=replace(usual, name=odd), path=tmp_path / "page.html")
    assert [tag for tag, _ in Elements(text).found] == [tag for tag, _ in Elements(MADE[name]()).found]
    (heading,) = [told for tag, told in Elements(text).texts if tag == "h1"]
    assert odd.replace("\ud800", "?") in heading
    assert data_of(text) == data_of(MADE[name]())
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_what_does_not_belong_there_is_refused_in_one_line(name, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved = {} if option == "path" else {"path": "page.html"}
    for label, value in NASTY.items():
        if label in FITTING.get(option, ()):
            MADE[name](**saved | {option: value})
        else:
            with pytest.raises(xn.ExactnnError) as refused:
                MADE[name](**saved | {option: value})
            assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_saved_as_html_only(name, tmp_path):
    with pytest.raises(xn.ExactnnError, match=r"name a file that ends in \.html"):
        MADE[name](path=tmp_path / "page.gif")
    (tmp_path / "page.html").write_text("mine")
    with pytest.raises(xn.ExactnnError, match="cannot be written"):
        MADE[name](path=tmp_path / "page.html", replace=False)
    assert (tmp_path / "page.html").read_text() == "mine"


def test_a_page_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(page, "MOST_CHARACTERS", 1000)
    for make in MADE.values():
        with pytest.raises(xn.ExactnnError, match="is too long to be played with: give less data"):
            make()
