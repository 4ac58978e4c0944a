"""The run loop with executors that stop early, or that take any number of steps at once."""

import json
import sys

import pytest
from click.testing import CliRunner
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import FLOAT32, FLOAT64, RATIONAL
from exactnn.cli import main
from exactnn.constructions import siegelmann_sontag
from exactnn.machine_files import load
from exactnn.networks import SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import Segment, advance_by, compiled_steps, executor_for, run
from exactnn.simulation.rational import RationalExecutor
from tests.strategies import networks_and_words

RUN_MODULE = sys.modules[run.__module__]  # the name of the module is that of the function


class Hesitant(RationalExecutor):
    """Takes at most `most` of the steps that it is asked for."""

    most = 1

    def advance(self, state, symbol, count, **options):
        return super().advance(state, symbol, min(count, self.most), **options)


class Leaper:
    """Takes all steps at once, whatever they are: an executor of a network that changes nothing."""

    engine = "leaper"
    paces_itself = False

    def __init__(self, network):
        self.network = network
        self.calls = 0

    def start(self):
        return ()

    def values(self, state):
        return state

    def output(self, state):
        return mpq(0)

    def advance(self, state, symbol, count, *, until_decided):
        self.calls += 1
        return Segment(steps=count, outputs=[(mpq(0), count)], state=state, outcome=None)


@given(networks_and_words(), st.integers(1, 5), st.sampled_from(["outputs", "all", 3]), st.none() | st.integers(0, 12))
def test_an_executor_may_stop_early(pair, most, record, limit):
    network, word = pair
    limit = 20 if limit is None else limit
    expected = run(network, word, record=record, max_steps=limit)
    hesitant = Hesitant(network)
    hesitant.most = most
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RUN_MODULE, "executor_for", lambda *_, **__: hesitant)
        result = run(network, word, record=record, max_steps=limit)
    assert (result.outcome, result.steps, result.eos_steps) == (expected.outcome, expected.steps, expected.eos_steps)
    assert result.outputs.runs == expected.outputs.runs
    assert (result.trace, result.final_state) == (expected.trace, expected.final_state)


def test_slices_have_no_bound(monkeypatch):
    network = siegelmann_sontag(load("bb2")).network
    leaper = Leaper(network)
    monkeypatch.setattr(RUN_MODULE, "executor_for", lambda *_, **__: leaper)
    result = run(network, max_steps=10**1000)
    assert (result.outcome, result.steps, result.outputs.count) == (Outcome.STEP_LIMIT, 10**1000, 10**1000)
    assert leaper.calls < 1000


@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32], ids=str)
def test_floats_keep_a_bounded_number_of_outputs(arithmetic):
    network = SimpleRNN(V=[[1]], W=[[1]], b=[1], s=[0], readout_weight=[1], activation="slu")
    executor = executor_for(network, arithmetic)
    segment = executor.advance(executor.start(), (mpq(0),), 10**30, until_decided=False)
    assert segment.steps == sum(n for _, n in segment.outputs) == compiled_steps.MOST_OUTPUTS
    assert advance_by(executor, executor.start(), (mpq(0),), 2**20 + 5).steps == 2**20 + 5


@pytest.mark.parametrize("arithmetic", [RATIONAL, FLOAT64], ids=str)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_advance_by_takes_exactly_so_many_steps(arithmetic, count, monkeypatch):
    monkeypatch.setattr(compiled_steps, "MOST_OUTPUTS", 3)
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    executor = executor_for(network, arithmetic)
    segment = advance_by(executor, executor.start(), (mpq(2),), count)
    assert (segment.steps, segment.outcome) == (count, None)
    assert segment.outputs == [(2 * i, 1) for i in range(1, count + 1)]
    assert executor.values(segment.state) == (2 * count,)


def test_a_trace_does_not_depend_on_where_the_executor_stops(monkeypatch):
    arguments = ["run", "bb3", "--arithmetic", "float64", "--trace", "--every", "4", "--json"]
    expected = json.loads(CliRunner().invoke(main, arguments).stdout)
    monkeypatch.setattr(compiled_steps, "MOST_OUTPUTS", 3)
    result = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert len(result["trace"]) > 4
    assert result["trace"] == expected["trace"]
