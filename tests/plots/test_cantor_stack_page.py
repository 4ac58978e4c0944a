"""Stacks in one number one plays with: the page computes what exactnn does, for every stack and every precision."""

import json
import random
import shutil
import subprocess

import pytest
from gmpy2 import mpq

import exactnn as xn
from exactnn.plots import cantor_stack_page
from exactnn.plots.cantor_stack_page import ARITHMETIC
from tests.plots.pages import data_of, views

STACKS = [
    xn.CantorStack(),
    xn.CantorStack(base=5),
    xn.CantorStack(base=3, offset="1/9"),
    xn.CantorStack(base=10, offset="1/1000000000000000000"),
    xn.CantorStack(base=1_000_000),
]


def rounded(number, precision):
    """Return a number rounded to nearest, ties to even, by a search among whole numbers of units."""
    if not number:
        return number
    unit = mpq(1)
    while number / unit < 2 ** (precision - 1):
        unit /= 2
    while number / unit >= 2**precision:
        unit *= 2
    below = number // unit
    rest = number / unit - below
    return unit * (below + (rest > mpq(1, 2) or (rest == mpq(1, 2) and below % 2)))


@pytest.mark.parametrize("stack", STACKS, ids=repr)
def test_the_table_in_the_page_is_right(stack):
    bits = "01101001110"
    data = data_of(cantor_stack_page(stack, bits, precision=24))
    assert (data["base"], data["precision"]) == (stack.base, 24)
    assert [mpq(text) for text in data["digits"]] == list(stack.digits)
    assert data["bits"] == [int(bit) for bit in bits]
    assert [precision for precision, *_ in data["checks"]] == list(range(2, 65))
    for precision, value, read, left in data["checks"]:
        assert mpq(value) == rounded(stack.number(bits), precision)
        assert stack.read(mpq(value), most=len(bits) + data["beyond"]) == (read, mpq(left))
    for level, row in enumerate(data["intervals"], start=1):
        for (bits, low, width), (same, lowest, highest) in zip(row, stack.intervals(level), strict=True):
            assert bits == same
            assert abs(low / 100 - lowest) < 1e-5
            assert abs((low + width) / 100 - highest) < 1e-5


@pytest.mark.parametrize("stack", STACKS, ids=repr)
def test_what_the_page_computes_is_what_the_library_does(stack):
    node = shutil.which("node") or pytest.skip("needs node")
    drawn = random.Random(1)
    cases = [
        ([drawn.randrange(2) for _ in range(drawn.choice([0, 1, 2, 3, 5, 8, 20, 40]))], drawn.randrange(2, 65))
        for _ in range(300)
    ]
    data = data_of(cantor_stack_page(stack))
    script = (
        f"const data = {json.dumps(data)}, cases = {json.dumps(cases)};{ARITHMETIC}"
        + """
    console.log(JSON.stringify([checked, cases.map(([stack, p]) => {
      const q = numberOf(stack), near = rounded(q, p), found = read(near, stack.length + data.beyond);
      return [written(q), written(near), found.bits.join(""), written(found.left)];
    })]));
    """
    )
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True, timeout=300)
    checked, computed = json.loads(done.stdout)
    assert checked
    for (bits, precision), (number, near, read, left) in zip(cases, computed, strict=True):
        exact = stack.number(bits)
        assert mpq(number) == exact
        assert mpq(near) == rounded(exact, precision)
        assert (read, mpq(left)) == stack.read(mpq(near), most=len(bits) + data["beyond"])


def test_a_page_with_a_wrong_table_would_say_so():
    node = shutil.which("node") or pytest.skip("needs node")
    data = data_of(cantor_stack_page(xn.CantorStack()))
    data["checks"][9][1] = "1/2"
    script = f"const data = {json.dumps(data)};{ARITHMETIC}console.log(checked)"
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "false\n"


def test_bits_are_a_text_or_numbers():
    assert cantor_stack_page(xn.CantorStack(), "0110") == cantor_stack_page(xn.CantorStack(), [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"found": "0110"}, r"found='0110': give what CantorStack\(\) returns"),
        ({"found": xn.CantorStack(base=2, offset=0)}, "base=2, offset=0: .* no slope tells .* give base=4"),
        ({"found": xn.CantorStack(offset=mpq(1, 3**50))}, "is too long for the page: give a fraction of at most 64"),
        ({"bits": "012"}, "a bit is '2': give 0 or 1"),
        ({"bits": "01" * 21}, "a stack of 42 is too long for the page: give at most 40"),
        ({"precision": 1}, "precision=1: give a whole number from 2 to 64"),
    ],
)
def test_what_has_no_page_is_told(call, said):
    with pytest.raises(xn.ExactnnError, match=said):
        cantor_stack_page(**({"found": xn.CantorStack()} | call))


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS[:2], ids=repr)
def test_it_plays_in_a_browser(stack, tmp_path):
    cantor_stack_page(stack, "0110", precision=24, path=tmp_path / "stack.html")
    for page in views(tmp_path / "stack.html"):
        bits = [0, 1, 1, 0]
        page.keyboard.press("1")
        page.click("#push0")
        page.keyboard.press("0")
        page.keyboard.press("Backspace")
        page.click("#pop")
        bits = [1, *bits]
        assert page.evaluate("stack") == bits
        for p in range(24, 2, -1):
            number = stack.number(bits)
            near = rounded(number, p)
            assert page.locator("#number").text_content() == f"exactly {number}, rounded {near}"
            read, left = stack.read(near, most=len(bits) + 3)
            right = (read, left) == ("".join(map(str, bits)), 0)
            cells = page.locator("#read span").all_text_contents()
            assert "".join(cells[: len(read)]) == read
            assert page.locator(".ring").count() == (0 if right else 2)
            assert page.locator("#first").is_disabled() == right
            page.keyboard.press("ArrowLeft")
        page.click("#first")
        assert "The Cantor set" in page.locator("#view").text_content()
        for _ in range(50):
            page.keyboard.press("1")
        assert page.evaluate("stack.length") == 40
        for ring in page.locator(".ring").all():
            box = ring.bounding_box()
            assert 0 <= box["x"] <= page.viewport_size["width"] - box["width"]
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement !== document.body")
