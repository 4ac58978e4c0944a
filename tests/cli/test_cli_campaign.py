"""``exactnn campaign``: stores of any units, exported and kept whole."""

import json
import os
from dataclasses import dataclass

import pytest

from exactnn.campaigns import Campaign, Ledger, Unit


@dataclass(frozen=True)
class Clashing(Unit):
    """Its row has names of its identity, and of columns."""

    number: int

    def run(self, subject):
        if self.number == 2:
            raise ValueError("two")
        return {"number": -self.number, "error": 0.5, "kind": "x", "least": float("nan"), "all": [float("inf"), 1]}


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.csv"
    Campaign([Clashing(n) for n in (1, 2)]).run(store=path)
    return path


def test_columns_that_clash_are_told_apart(invoke, store, tmp_path):
    assert invoke("campaign", "export", str(store), str(tmp_path / "out.json")).exit_code == 0

    def refuse(constant):
        raise AssertionError(constant)

    one, other = json.loads((tmp_path / "out.json").read_text(), parse_constant=refuse)
    assert (one["number"], one["row.number"], one["row.error"], one["error"], one["row.kind"]) == (
        1,
        -1,
        0.5,
        None,
        "x",
    )
    assert (one["kind"], one["least"], one["all"]) == ("Clashing", "nan", '["inf",1]')
    assert (other["number"], other["row.number"], other["error"]) == (2, None, "ValueError: two")


@pytest.mark.parametrize("link", [False, True])
def test_a_store_is_not_exported_over_itself(invoke, store, tmp_path, link):
    output = tmp_path / "other.csv" if link else store
    if link:
        os.link(store, output)
    before = store.read_bytes()
    done = invoke("campaign", "export", str(store), str(output), "--force")
    assert done.exit_code == 2
    assert "give two files" in done.stderr
    assert store.read_bytes() == before


@pytest.mark.parametrize("name", ["status", "retry", "export"])
def test_an_empty_file_is_no_store_and_stays_empty(invoke, tmp_path, name):
    path = tmp_path / "empty"
    path.touch()
    done = invoke("campaign", name, str(path), *([str(tmp_path / "out.csv")] if name == "export" else []))
    assert done.exit_code == 2
    assert "the file is empty: give a store that --store has made" in done.stderr
    assert path.read_bytes() == b""


def test_a_store_that_cannot_be_written_is_read(invoke, store):
    store.chmod(0o400)
    assert "Clashing" in invoke("campaign", "status", str(store)).stdout


def test_a_failure_is_forgotten_by_retry(invoke, store):
    assert "1 unit will be tried again" in invoke("campaign", "retry", str(store)).stdout
    with Ledger(store) as ledger:
        assert not ledger.failures()
