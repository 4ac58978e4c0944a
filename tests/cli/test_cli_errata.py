import json
from pathlib import Path

import exactnn
from exactnn.corrections.ledger import ENTRIES

PAGE = Path(exactnn.__file__).parent.parent / "docs" / "errata.md"


def test_the_command(invoke):
    record = json.loads(invoke("errata", "--json").stdout)
    assert [entry["id"] for entry in record["errata"]] == list(ENTRIES)
    assert record["errata"][0]["literal_outcome"] == "0, 0, 0, 0, 1, 4, 3, -1"
    assert set(record["errata"][0]) == {
        "id", "title", "where", "statement", "counterexample", "literal_outcome", "corrected_outcome", "correction",
    }  # fmt: skip
    result = invoke("errata", "E20", "E1")
    assert result.exit_code == 0
    assert "top(empty) = 0, top(0) = 0" in result.stdout
    assert "0, 0, 0, 0, 1, 4, 3, -1" in result.stdout
    assert "E26" not in result.stdout
    assert invoke("errata", "--markdown").stdout == PAGE.read_text(encoding="utf-8")


def test_bad_input_is_one_line(invoke):
    for arguments, part in ((["E99"], "'E99' is unknown"), (["--markdown", "--json"], "choose one of the two")):
        result = invoke("errata", *arguments)
        assert result.exit_code == 2
        assert part in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
