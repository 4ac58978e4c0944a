"""Orders of evaluation one plays with: the boxes are what a scan computes, and the first wrong is ringed."""

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.plots import scan_page
from tests.plots.pages import data_of, views

FADES = xn.DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
ORDERS = [xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(3)]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
@pytest.mark.parametrize("word", ["+", "---+++-", "+--++-++"])
def test_the_page_has_every_composite_and_every_state(order, word):
    tree = xn.scan_tree(FADES, word, order, xn.FLOAT8_E4M3)
    data = data_of(scan_page(tree))
    boxes = data["boxes"]
    assert len(boxes) == len(tree.nodes) + len(tree.states)
    states = boxes[len(tree.nodes) :]
    rounded = xn.run(FADES, word, xn.FLOAT8_E4M3, order=order, record="all").trace.states
    exact = xn.run(FADES, word, record="all").trace.states
    for box, (true,), (computed,) in zip(states, exact, rounded, strict=True):
        assert box["differs"] == (true != computed)
        for _, first, second in box["numbers"]:
            assert mpq(first) == true
            assert mpq(first if second is None else second) == computed
    wrong = [number for number, box in enumerate(boxes) if box["differs"]]
    firsts = [next((n for n in wrong if (boxes[n]["kind"] == kind)), None) for kind in ("composite", "state")]
    assert data["ringed"] == [number for number in firsts if number is not None]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_each_box_stands_below_those_that_it_is_computed_from_and_alone_in_its_place(order):
    boxes = data_of(scan_page(xn.scan_tree(FADES, "+--++-++-+-", order, xn.FLOAT8_E4M3)))["boxes"]
    for box in boxes:
        assert all(boxes[part]["row"] < box["row"] for part in box["from"])
    places = [(box["row"], box["column"]) for box in boxes]
    assert len(set(places)) == len(places)


def test_numbers_that_do_not_fit_are_counted():
    tree = xn.scan_tree(xn.word_problem("A5"), "ab", xn.KOGGE_STONE, xn.FLOAT16)
    boxes = data_of(scan_page(tree))["boxes"]
    assert not any(box["differs"] for box in boxes)
    assert {len(box["numbers"]) + box["more"] for box in boxes if box["kind"] == "state"} == {5}


@pytest.mark.parametrize(
    ("word", "said"), [("", "a word of 0 letters with"), ("+" * 65, "a word of 65 letters with 131 boxes is nothing")]
)
def test_what_has_no_page_is_told(word, said):
    with pytest.raises(xn.ExactnnError, match=said):
        scan_page(xn.scan_tree(FADES, word, xn.STEP, xn.FLOAT16))


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=repr)
def test_it_plays_in_a_browser(order, tmp_path):
    tree = xn.scan_tree(FADES, "---+++-", order, xn.FLOAT8_E4M3)
    scan_page(tree, path=tmp_path / "scan.html")
    boxes = data_of((tmp_path / "scan.html").read_text(encoding="utf-8"))["boxes"]
    for page in views(tmp_path / "scan.html"):
        for row in range(1, page.evaluate("last") + 1):
            page.keyboard.press("ArrowRight")
            assert page.locator("#step").text_content() == f"{row} of {page.evaluate('last')}"
            wrong = sum(box["differs"] for box in boxes if box["row"] == row)
            said = page.locator("#where").text_content()
            assert said.endswith(f", {wrong} with a wrong number." if wrong else ", all exact.")
        rings = page.locator(".ring:visible")
        assert rings.count() == len(page.evaluate("data.ringed"))
        assert page.locator("#told h2").text_content() == boxes[page.evaluate("chosen")]["title"]
        page.keyboard.press("ArrowUp")
        page.locator("rect.box").first.click()
        assert page.evaluate("chosen") == 0
        last = page.evaluate("last")
        page.click("#play")  # from the beginning, since it is at the end
        page.locator("#play", has_text="play").wait_for()
        assert page.locator("#step").text_content() == f"{last} of {last}"
