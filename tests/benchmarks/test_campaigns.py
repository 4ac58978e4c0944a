"""The campaigns of the benchmarks run as units: the same rows on processes, and what differs is told."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import exact_campaign
import extraction_campaign
import interval_campaign
import reader_fuzz
import rounding_campaign
import unitary_campaign

COMMANDS = {
    "exact": (exact_campaign, ["--pairs", "3"], "3 pairs"),
    "interval": (interval_campaign, ["--steps", "20"], "LSTM by MPFR: 500 steps"),
    "reader": (reader_fuzz, ["--inputs", "1", "--reader", "bbchallenge"], "500 files"),
    "unitary": (
        unitary_campaign,
        ["--states", "2", "--words", "60", "--length", "5", "--rational-words", "2"],
        "n=2: 60 words of length 5",
    ),
    "rounding": (rounding_campaign, ["--operations", "300", "--format", "float16"], " 0 differences"),
}


@pytest.mark.mostly_slow(quick=2, slow=1)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_small_campaign(name, tmp_path, monkeypatch):
    monkeypatch.setattr("resource.setrlimit", lambda *given: None)  # it is for this process, and stays
    module, arguments, said = COMMANDS[name]
    arguments = [*arguments, "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(module.main, arguments)
    assert done.exit_code == 0, done.output
    assert said in done.output
    again = CliRunner().invoke(module.main, arguments)
    assert said in again.output


def test_a_difference_is_told(monkeypatch, tmp_path):
    def wrong(*given, **more):
        raise AssertionError("a bit is wrong")

    monkeypatch.setattr(exact_campaign, "compare", wrong)
    done = CliRunner().invoke(exact_campaign.main, ["--pairs", "1", "--folder", str(tmp_path)])
    assert done.exit_code == 1
    assert "a bit is wrong" in done.output
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_automata_come_back():
    row = extraction_campaign.Automaton(0, 3).run(None)
    formats = (*extraction_campaign.FORMATS, *extraction_campaign.LONG)
    assert (row["differences"], row["extractions"]) == ([], len(formats) + 1)
