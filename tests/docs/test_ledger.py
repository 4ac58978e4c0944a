"""The ledger names functions, tests and notebooks that exist."""

import re
from pathlib import Path

import exactnn

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| statement")
]


def test_every_row_names_what_there_is():
    assert len(ROWS) > 20
    for row in ROWS:
        _, _, functions, tests, notebooks = row
        for name in re.findall(r"`([^`]+)`", functions):
            assert hasattr(exactnn, name), row
        paths = re.findall(r"`([^`]+)`", tests)
        assert paths, row
        for path in [*paths, *(f"docs/{path}" for path in re.findall(r"\]\(([^)]+)\)", notebooks))]:
            assert (ROOT / path).is_file(), path
