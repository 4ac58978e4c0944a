"""The fuzz campaign: every subject is drawn and checked, and a difference becomes a line of the record."""

import json
import signal
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import fuzz_campaign
from fuzz_subjects import SUBJECTS, Subject
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, compared_formats

import exactnn as xn
from exactnn.constructions import CONSTRUCTIONS
from exactnn.simulation import executor_for
from exactnn.simulation.emulated import EmulatedFixedExecutor


def test_every_construction_of_machines_is_a_subject():
    assert CONSTRUCTIONS.keys() <= SUBJECTS.keys()


@pytest.mark.mostly_slow(quick=1)
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


def test_a_subject_that_is_named_twice_is_one(campaign):
    _, lines = campaign("--chunks", "1", "--subject", "right", "--subject", "right")
    assert [line["subject"] for line in lines] == ["right"]


def test_a_line_that_was_not_written_to_its_end_is_cut_off(campaign, tmp_path):
    campaign("--chunks", "1", "--subject", "right")
    record = tmp_path / "record.jsonl"
    whole = record.read_text()
    record.write_text(whole + whole[:30])
    result, lines = campaign("--chunks", "2", "--subject", "right")
    assert [line["chunk"] for line in lines] == [0, 1]
    assert "line 2 was not written to its end" in result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no JSON\n", "line 1 is no JSON"),
        (b"\xff\n", "line 1 is no JSON"),
        (b"[1]\n", "line 1 is none of this record"),
    ],
)
def test_a_file_that_is_no_record_is_refused_and_left_alone(content, said, tmp_path):
    record = tmp_path / "record.jsonl"
    record.write_bytes(content)
    result = CliRunner().invoke(fuzz_campaign.main, ["--record", str(record), "--chunks", "1"])
    assert (result.exit_code, record.read_bytes()) == (2, content)
    assert said in result.output


@pytest.mark.parametrize(
    "options", [("--chunks", "0"), ("--seconds", "-1"), ("--record", "."), ("--record", "no/a.jsonl")]
)
def test_options_that_are_wrong_are_refused(options):
    result = CliRunner().invoke(fuzz_campaign.main, options)
    assert result.exit_code == 2
    assert "Error: Invalid value" in result.output


def test_ctrl_c_ends_the_campaign_also_within_a_run(campaign, monkeypatch):
    network = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])

    def check(arithmetic, case):
        run = xn.run(network, [1, 1], progress=lambda steps: signal.raise_signal(signal.SIGINT))
        assert run.outcome is xn.Outcome.COMPLETED

    monkeypatch.setitem(fuzz_campaign.SUBJECTS, "wrong", Subject(cases=lambda arithmetic: st.just(1), check=check))
    result, lines = campaign("--chunks", "1", "--subject", "right", "--subject", "wrong")
    assert [(line["subject"], line["wrong"]) for line in lines] == [("right", None)]
    assert result.exit_code == 1
    assert "Aborted" in result.output


def test_of_several_faults_one_is_told_with_its_case(monkeypatch):
    def check(arithmetic, case):
        assert case < 500, f"{case} is large"
        return 1 / (case - 100)

    subject = Subject(cases=lambda arithmetic: st.integers(0, 1000) | st.just(100), check=check)
    monkeypatch.setitem(fuzz_campaign.SUBJECTS, "several", subject)
    wrong = fuzz_campaign.one_chunk("several", "exact", 0)["wrong"]
    assert "500 is large" in wrong or ("ZeroDivisionError" in wrong and "case=100" in wrong)


@pytest.mark.parametrize("arithmetic", [ANY_FLOAT, ANY_FIXED])
def test_formats_are_not_compared_with_themselves(arithmetic):
    network = xn.SimpleRNN(V=[["1/2"]], W=[["1/2"]], b=[0], s=[0], readout_weight=["1/2"])

    @settings(max_examples=100, deadline=None, database=None)
    @given(compared_formats(arithmetic))
    def each(format):
        fitting = not isinstance(format, xn.FixedPoint) or format.largest_word >= 1 << format.fraction_bits
        if fitting:
            executor = executor_for(network, format)
            assert not isinstance(executor, EmulatedFixedExecutor)
            assert "in rationals" not in executor.engine

    each()
