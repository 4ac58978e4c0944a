"""Tables of pages: what was measured anew replaces what was measured before."""

import re
from itertools import pairwise

import pytest
from page_blocks import PAGES, ROOT

TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
MEASURED = "| format | words spelt otherwise |"


def tables(text):
    """Return the tables of a page, with where each of them begins and ends."""
    return [(found.group().splitlines(), found.start(), found.end()) for found in TABLE.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_table_follows_another_of_the_same_heading(page):
    text = page.read_text(encoding="utf-8")
    found = tables(text)
    for (first, _, end), (second, start, _) in pairwise(found):
        assert text[end:start].strip() or first[0] != second[0], second[0]


def test_the_page_on_real_networks_has_the_table_of_the_results():
    pages = (ROOT / "docs/real_networks.md", ROOT / "benchmarks/RESULTS.md")
    ours, results = (
        [lines for lines, _, _ in tables(page.read_text(encoding="utf-8")) if lines[0].startswith(MEASURED)]
        for page in pages
    )
    assert len(ours) == 1
    assert ours == results
