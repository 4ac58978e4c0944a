"""The campaign of writers and readers: it counts what it should, and sees a writer that writes in place."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="locks of POSIX")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from torn_reads import whole_file, work

from tests.written_files import KINDS, expected


def test_nothing_is_torn(tmp_path):
    path = tmp_path / "file"
    whole_file("graph", path, 0)[0]()
    counts = work("graph", path, 0, 0.2)
    assert counts["writes"] > 2
    assert counts["reads"] > 2
    assert {what for what in counts if counts[what]} == {"writes", "reads"}


def test_a_writer_in_place_is_seen(tmp_path, monkeypatch):
    expected("graph")

    def in_place(text, path):
        with path.open("w", encoding="utf-8") as file:
            time.sleep(0.01)
            file.write(text)

    monkeypatch.setitem(KINDS, "graph", replace(KINDS["graph"], save=in_place))
    (tmp_path / "file").write_bytes(expected("graph")[0])
    assert work("graph", tmp_path / "file", 0, 0.2)["torn"]
