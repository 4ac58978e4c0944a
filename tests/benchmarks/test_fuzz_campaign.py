"""The fuzz campaign: every subject is drawn and checked, and a difference becomes a line of the record."""

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
from exactnn.campaigns import Ledger
from exactnn.constructions import CONSTRUCTIONS
from exactnn.simulation import executor_for
from exactnn.simulation.emulated import EmulatedFixedExecutor


def test_every_construction_of_machines_is_a_subject():
    assert CONSTRUCTIONS.keys() <= SUBJECTS.keys()


@pytest.mark.mostly_slow(quick=1, slow=5)
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_few_cases_of_every_subject(name):
    arithmetics = SUBJECTS[name].arithmetics
    for arithmetic in dict.fromkeys((arithmetics[0], arithmetics[-1])):
        line = fuzz_campaign.one_chunk(name, arithmetic, 0, shrink=False, cases=2)
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
        store = str(tmp_path / "store")
        result = CliRunner().invoke(fuzz_campaign.main, ["--store", store, *arguments])
        with Ledger(store) as ledger:
            return result, {tuple(unit.identity[name] for name in FIELDS): unit.row["wrong"] for unit in ledger.all()}

    return run


FIELDS = ("subject", "arithmetic", "chunk")


def test_a_difference_is_shrunk_and_kept(campaign):
    result, rows = campaign("--chunks", "1")
    assert rows == {
        ("wrong", "up", 0): None,
        ("right", "exact", 0): None,
        ("wrong", "down", 0): "AssertionError: 10 in down",
    }
    assert result.exit_code == 1
    assert "10 in down" in result.output


def test_a_campaign_goes_on_in_its_store(campaign, monkeypatch):
    campaign("--chunks", "1", "--subject", "right")
    ran, one_chunk = [], fuzz_campaign.one_chunk
    monkeypatch.setattr(fuzz_campaign, "one_chunk", lambda *given: ran.append(given) or one_chunk(*given))
    result, rows = campaign("--chunks", "2", "--subject", "right")
    assert list(rows) == [("right", "exact", 0), ("right", "exact", 1)]
    assert ran == [("right", "exact", 1)]
    assert result.exit_code == 0


def test_a_subject_that_is_named_twice_is_one(campaign):
    _, rows = campaign("--chunks", "1", "--subject", "right", "--subject", "right")
    assert list(rows) == [("right", "exact", 0)]


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path):
    store = tmp_path / "store"
    store.write_bytes(b"no store")
    result = CliRunner().invoke(fuzz_campaign.main, ["--store", str(store), "--chunks", "1"])
    assert (result.exit_code, store.read_bytes()) == (2, b"no store")
    assert "is something else" in result.output


@pytest.mark.parametrize("options", [("--chunks", "0"), ("--seconds", "-1"), ("--jobs", "0")])
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
    result, rows = campaign("--chunks", "1", "--subject", "right", "--subject", "wrong")
    assert rows == {("right", "exact", 0): None}
    assert "stopped early: the same command goes on" in result.output


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
