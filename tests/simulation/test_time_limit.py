"""What `max_seconds` means: a run ends with what was computed, as at a step limit; the clock here is no real one."""

import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from exactnn.arithmetic import CERTIFIED, EXACT, FLOAT64, RATIONAL, Certified, Interval
from exactnn.automata import DFA, TuringMachine
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import OptionError
from exactnn.networks import SimpleRNN
from exactnn.outcome import Outcome
from exactnn.precision import collapse, precision_threshold
from exactnn.precision import divergence as lockstep
from exactnn.simulation import driver, intervals, run, walk

NEVER_HALTS = siegelmann_sontag(
    TuringMachine(
        states="pA",
        input_symbols="a",
        tape_symbols="a_",
        transitions={"p": {"a": ("p", "a", "R"), "_": ("p", "a", "R")}},
        initial_state="p",
        blank_symbol="_",
        accept_state="A",
    )
)
EVEN = minsky(
    DFA(
        states="xy",
        input_symbols="a",
        transitions={"x": {"a": "y"}, "y": {"a": "x"}},
        initial_state="x",
        final_states="x",
    )
)
SMOOTH = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")


@pytest.fixture
def _ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second pass whenever somebody looks at the clock."""
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)), monotonic=time.monotonic)
    for module in (driver, walk, intervals, lockstep):
        monkeypatch.setattr(module, "time", clock)


@pytest.mark.usefixtures("_ticking")
@pytest.mark.parametrize("arithmetic", [RATIONAL, EXACT, FLOAT64, Interval(bits=64)], ids=str)
@pytest.mark.parametrize("word", ["", "aaa"])
def test_what_was_computed_is_that_of_so_many_steps(arithmetic, word):
    ended = run(NEVER_HALTS, word, arithmetic=arithmetic, max_seconds=40, record="all")
    assert ended.outcome is Outcome.TIME_LIMIT
    assert (ended.verdict, ended.outcome.cut_short, ended.certificate) == (None, True, None)
    assert ended.steps > 0
    same = run(NEVER_HALTS, word, arithmetic=arithmetic, max_steps=ended.steps, record="all")
    assert same.outcome is Outcome.STEP_LIMIT
    for field in ("steps", "eos_steps", "machine_steps", "outputs", "trace", "final_state", "cycle"):
        assert getattr(ended, field) == getattr(same, field)
    assert "time limit" in repr(ended)
    assert "time limit" in ended.as_table().rows[2][1]


@pytest.mark.usefixtures("_ticking")
def test_the_time_may_end_within_the_word():
    ended = run(EVEN, "a" * 1000, arithmetic=RATIONAL, max_seconds=10)
    assert (ended.outcome, ended.eos_steps) == (Outcome.TIME_LIMIT, 0)
    assert ended.steps < 1000
    assert ended.final_state == run(EVEN, "a" * ended.steps).final_state


def test_no_time_is_no_step():
    ended = run(NEVER_HALTS, "a", max_seconds=0)
    assert (ended.outcome, ended.steps, ended.outputs.count) == (Outcome.TIME_LIMIT, 0, 0)
    assert run(EVEN, "", max_seconds=0).outcome is Outcome.ACCEPTED  # it takes no step
    assert run(NEVER_HALTS, "a", max_seconds=0, max_steps=0).outcome is Outcome.STEP_LIMIT


def test_no_certificate_of_a_run_without_verdict():
    ended = run(NEVER_HALTS, "a", certify=True, max_seconds=0)
    assert ended.certificate is None
    assert ended.engine.endswith("no certificate: the outcome is time limit")


def test_on_the_clock_of_the_machine():
    began = time.perf_counter()
    ended = run(NEVER_HALTS, arithmetic=RATIONAL, max_seconds=0.1)
    assert ended.outcome is Outcome.TIME_LIMIT
    assert 0.1 <= time.perf_counter() - began < 30
    assert run(EVEN, "aa", max_seconds=1e300).outcome is Outcome.ACCEPTED


@pytest.mark.usefixtures("_ticking")
def test_a_checkpoint_goes_on_with_new_time(tmp_path: Path):
    options = {"arithmetic": RATIONAL, "checkpoint": tmp_path / "run.json", "max_seconds": 30, "record": 7}
    parts = [run(NEVER_HALTS, "aa", **options) for _ in range(3)]
    steps = [part.steps for part in parts]
    assert 0 < steps[0] < steps[1] < steps[2]
    assert [part.resumed_from for part in parts] == [None, *steps[:2]]
    whole = run(NEVER_HALTS, "aa", arithmetic=RATIONAL, record=7, max_steps=steps[2])
    assert (parts[2].final_state, parts[2].outputs, parts[2].trace) == (whole.final_state, whole.outputs, whole.trace)


@pytest.mark.usefixtures("_ticking")
def test_certified_runs_have_one_limit_together():
    wanted = Certified(bits=4, most_bits=4096, width="1/1000000000000000000000000000000")
    ended = run(SMOOTH, [1, 1, 1], arithmetic=wanted, max_seconds=8)
    assert ended.outcome is Outcome.TIME_LIMIT
    assert ended.bits < run(SMOOTH, [1, 1, 1], arithmetic=wanted).bits
    assert run(SMOOTH, [1, 1, 1], arithmetic=CERTIFIED, max_seconds=1000).outcome is Outcome.COMPLETED


@pytest.mark.usefixtures("_ticking")
def test_tables_have_it_for_each_word():
    table = collapse(NEVER_HALTS, ["a" * 50, "a"], [FLOAT64], max_seconds=20)
    assert [row.outcome for row in table.rows] == [Outcome.TIME_LIMIT] * 2
    assert all(0 < row.steps < 50 for row in table.rows)
    assert table.complete
    assert "none yet" in str(table.as_table())
    found = precision_threshold(NEVER_HALTS, ["a"], precisions=[4, 5], max_seconds=20)
    assert found.words[0].outcome is Outcome.TIME_LIMIT
    assert "exact runs without a verdict within the limit: 1" in found.as_table().note


@pytest.mark.parametrize("limit", [-1, float("nan"), "1", True, [1]])
def test_what_is_no_time(limit):
    for call in (run, lambda net, word, **options: collapse(net, [word], **options)):
        with pytest.raises(OptionError, match="max_seconds="):
            call(EVEN, "a", max_seconds=limit)
