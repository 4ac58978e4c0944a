"""The ledger names functions, tests, notebooks and pages that exist, and that belong to its statements."""

import json
import re
from pathlib import Path

import pytest

import exactnn
from exactnn.corrections.ledger import ENTRIES

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| statement")
]


def said_in(path):
    """Return the text of a page, or of a notebook without what came out."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


def named(cell):
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_names_what_there_is(row):
    statement, source, functions, tests, places = row
    assert statement
    assert source
    assert named(functions)
    for name in named(functions):
        assert hasattr(exactnn, name), name
    assert named(tests)
    for path in named(tests):
        assert "def test_" in (ROOT / path).read_text(encoding="utf-8"), path
    pages = [(ROOT / "docs" / path).resolve() for path in re.findall(r"\]\(([^)]+)\)", places)]
    assert pages
    for page in pages:
        found = any(re.search(rf"\b{name}\b", said_in(page)) for name in named(functions))
        assert found, f"{page.name} names none of {named(functions)}, whose place the ledger says it is"


def test_every_public_network_and_every_construction_is_there():
    functions = {name for row in ROWS for name in named(row[2])}
    table = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    firsts = {name for line in table.splitlines() for name in named(line.split(" | ")[0]) if line.startswith("| `")}
    public = {name for name in firsts if hasattr(exactnn, name)}
    assert len(public) > 20
    assert public <= functions


def test_every_erratum_belongs_to_a_statement():
    numbers = [number for row in ROWS for number in re.findall(r"\bE[0-9]+\b", row[1])]
    assert sorted(numbers) == sorted(ENTRIES)
