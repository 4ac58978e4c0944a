"""The page "Where is it?": every name imports, every test and page is there, and no numbered place is left out."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import exactnn
from exactnn.corrections.ledger import ENTRIES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| place")
]


def there(name):
    """Return whether a name is public, or stands where its dots say."""
    module, _, last = name.rpartition(".")
    return hasattr(import_module(module) if module else exactnn, last)


def anchors(page):
    """Return the anchors that the headings of a page have on GitHub."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_names_what_there_is(row):
    place, what, functions, tests, shown = row
    assert place
    assert what
    for name in re.findall(r"`([^`]+)`", functions + what):
        if "/" in name:
            assert (ROOT / name).exists(), name
        else:
            assert there(name), name
    assert functions or "not here, because" in what
    for path in re.findall(r"`([^`]+)`", tests):
        assert "def test_" in (ROOT / path).read_text(encoding="utf-8"), path
    for path, _, anchor in (link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", shown)):
        page = (ROOT / "docs" / path).resolve()
        assert page.exists(), path
        assert not anchor or anchor in anchors(page), anchor


def test_no_equation_of_the_chapter_is_left_out():
    chapter = TEXT.partition("## The lecture slides")[0]
    told = set()
    for first, last in re.findall(r"\(4\.([0-9]+)\)(?: to \(4\.([0-9]+)\))?", chapter):
        told |= set(range(int(first), int(last or first) + 1))
    assert told >= set(range(1, 36))
    for number in range(1, 8):
        assert re.search(rf"(Definition|Example|Theorem|Lemma) 4\.{number}\b", chapter), number


def test_every_erratum_of_the_documents_is_there():
    assert set(re.findall(r"\bE[0-9]+\b", TEXT)) == set(ENTRIES)
