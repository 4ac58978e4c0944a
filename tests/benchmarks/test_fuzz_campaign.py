"""The fuzz campaign: every subject is drawn and checked, and a difference becomes a line of the record."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import fuzz_campaign
from fuzz_subjects import SUBJECTS, Subject

from exactnn.constructions import CONSTRUCTIONS


def test_every_construction_of_machines_is_a_subject():
    assert CONSTRUCTIONS.keys() <= SUBJECTS.keys()


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_few_cases_of_every_subject(name):
    arithmetics = SUBJECTS[name].arithmetics
    for arithmetic in dict.fromkeys((arithmetics[0], arithmetics[-1])):
        line = fuzz_campaign.one_chunk(name, arithmetic, 0, shrink=False, cases=3)
        assert line["wrong"] is None
        assert line["cases"] >= 1


@pytest.fixture
def campaign(monkeypatch, tmp_path):
    """A campaign of two subjects, one of which is wrong about numbers from 10 on."""

    def check(arithmetic, case):
        if arithmetic == "down" and case >= 10:
            raise AssertionError(f"{case} in {arithmetic}")

    wrong = Subject(cases=lambda arithmetic: st.integers(0, 1000), check=check, arithmetics=("up", "down"))
    right = Subject(cases=lambda arithmetic: st.just(1), check=check)
    subjects = {"wrong": wrong, "right": right}
    monkeypatch.setattr(fuzz_campaign, "SUBJECTS", subjects)
    option = next(option for option in fuzz_campaign.main.params if option.name == "names")
    monkeypatch.setattr(option.type, "choices", tuple(subjects))

    def run(*arguments):
        record = tmp_path / "record.jsonl"
        result = CliRunner().invoke(fuzz_campaign.main, ["--record", str(record), *arguments])
        return result, [json.loads(line) for line in record.read_text().splitlines()]

    return run


def test_a_difference_is_shrunk_and_recorded(campaign):
    result, lines = campaign("--chunks", "1")
    assert [(line["subject"], line["arithmetic"]) for line in lines] == [
        ("wrong", "up"),
        ("right", "exact"),
        ("wrong", "down"),
    ]
    assert [line["wrong"] for line in lines] == [None, None, "AssertionError: 10 in down"]
    assert result.exit_code == 1
    assert "10 in down" in result.output


def test_a_campaign_goes_on_after_its_record(campaign):
    campaign("--chunks", "1", "--subject", "right")
    result, lines = campaign("--chunks", "2", "--subject", "right")
    assert [line["chunk"] for line in lines] == [0, 1]
    assert result.exit_code == 0
