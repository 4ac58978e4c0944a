"""What `max_steps` and `record` mean, in every phase of a run."""

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import networks_and_words

from exactnn.arithmetic import FLOAT64, RATIONAL, FloatFormat
from exactnn.automata import DFA, TuringMachine
from exactnn.constructions import minsky, siegelmann_sontag
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.networks import SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import Trace, run
from tests.odometer import odometer

COUNTER = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
"""Adds its inputs up."""

ENDS_IN_B = minsky(
    DFA(
        states="xy",
        input_symbols="ab",
        transitions={"x": {"a": "x", "b": "y"}, "y": {"a": "x", "b": "y"}},
        initial_state="x",
        final_states="y",
    )
)

ACCEPTS = siegelmann_sontag(
    TuringMachine(
        states="pA",
        input_symbols="a",
        tape_symbols="a_",
        transitions={"p": {"a": ("p", "a", "R"), "_": ("A", "_", "L")}},
        initial_state="p",
        blank_symbol="_",
        accept_state="A",
    )
)  # fmt: skip
"""Accepts a^n after k = n + 1 moves: T = |w| + k + 2 = 2n + 3 EOS symbols."""

FOR_EVER = siegelmann_sontag(
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

ARITHMETICS = pytest.mark.parametrize("arithmetic", [RATIONAL, FLOAT64], ids=str)


@ARITHMETICS
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 100])
def test_a_limit_inside_the_word(arithmetic, limit):
    result = run(COUNTER, [1, 1, 1], arithmetic=arithmetic, max_steps=limit)
    assert result.steps == result.final_state[0] == min(limit, 3)
    assert result.outputs == [1, 2, 3][:limit]
    assert result.outcome is (Outcome.COMPLETED if limit >= 3 else Outcome.STEP_LIMIT)
    assert (result.eos_steps, result.verdict) == (0, None)


@ARITHMETICS
@pytest.mark.parametrize("word", ["", "a", "b", "ab", "aabb"])
def test_a_limit_of_a_network_that_decides_after_the_word(arithmetic, word):
    for limit in range(len(word) + 2):
        result = run(ENDS_IN_B, word, arithmetic=arithmetic, max_steps=limit)
        assert result.steps == result.machine_steps == min(limit, len(word))
        assert (result.outcome is Outcome.STEP_LIMIT) == (limit < len(word))
        if limit >= len(word):
            assert result.outcome is (Outcome.ACCEPTED if word.endswith("b") else Outcome.REJECTED)


@ARITHMETICS
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_limit_in_the_word_among_the_eos_steps_and_at_the_verdict(arithmetic, n):
    decided = n + 2 * n + 3
    for limit in [*range(decided + 3), None]:
        result = run(ACCEPTS, "a" * n, arithmetic=arithmetic, max_steps=limit)
        steps = decided if limit is None else min(limit, decided)
        assert (result.steps, result.eos_steps) == (steps, max(0, steps - n))
        assert result.outputs.count == steps
        assert result.outcome is (Outcome.ACCEPTED if steps == decided else Outcome.STEP_LIMIT)
        assert result.machine_steps == max(0, steps - (2 * n + 2))


@pytest.mark.parametrize(
    ("network", "word", "arithmetic"),
    [(FOR_EVER, "a", RATIONAL), (odometer(3, 16), "", FLOAT64)],
    ids=["rational", "float64"],
)
def test_a_run_that_never_decides_stops_exactly_at_its_limit(network, word, arithmetic):
    for limit in (0, 1, 63, 64, 65, 1000):
        result = run(network, word, arithmetic=arithmetic, max_steps=limit)
        assert (result.steps, result.outcome) == (limit, Outcome.STEP_LIMIT)
        assert result.outputs == [0] * limit


@pytest.mark.parametrize("limit", [-1, -(10**30), 1.0, "7", float("inf")])
def test_other_limits_are_refused_and_shown(limit):
    with pytest.raises(OptionError, match="max_steps="):
        run(COUNTER, [1], max_steps=limit)


@pytest.mark.parametrize(
    "record", ["some", "every", "every-", "every-0", "every--1", "every-x", "every-1.5", "ALL", ""]
)
def test_other_records_are_refused_and_shown(record):
    with pytest.raises(OptionError, match=f"record='{record}'"):
        run(COUNTER, [1], record=record)


@pytest.mark.parametrize("record", [0, -1, 1.5, None, ("all",), [1], "every-" + "9" * 5000], ids=lambda r: str(r)[:12])
def test_records_of_the_wrong_kind_are_refused(record):
    with pytest.raises(OptionError, match="record="):
        run(COUNTER, [1], record=record)


def test_an_arithmetic_without_an_executor_is_refused_with_the_choice():
    for arithmetic in ("decimal", None, 64):
        with pytest.raises(UnsupportedArithmeticError, match=r"(?i)one of .*rational.*float64"):
            run(COUNTER, [1], arithmetic=arithmetic)


def test_an_arithmetic_may_be_given_by_its_name():
    assert run(COUNTER, [1], "float64").outputs == run(COUNTER, [1], arithmetic=FLOAT64).outputs
    with pytest.raises(UnsupportedArithmeticError, match="'flot32' is unknown: did you mean 'float32'"):
        run(COUNTER, [1], arithmetic="flot32")


def test_a_trace_gives_a_component_by_its_name():
    trace = run(ENDS_IN_B, "abb", record="all").trace
    for j, name in enumerate(trace.names):
        assert trace[name] == tuple(state[j] for state in trace)
    with pytest.raises(OptionError, match="no component 'h': did you mean"):
        Trace(names=("h0", "h1"), steps=(0,), states=((mpq(0), mpq(0)),))["h"]
    with pytest.raises(OptionError, match="no values of 'h0' are recorded: run with record='all'"):
        Trace(names=("h0", "h1"))["h0"]


def test_a_name_that_several_components_have_names_none():
    """Two components that hold one unit differ at the start."""
    twice = Trace(names=("u", "u", "v"), steps=(0, 1), states=((0.0, 1.0, 3.0), (2.0, 2.0, 4.0)))
    assert twice["v"] == (3.0, 4.0)
    with pytest.raises(OptionError, match="2 components of the trace are called 'u'"):
        twice["u"]


def test_a_float_format_is_known_by_its_parameters_whatever_its_name():
    same = FloatFormat(precision=53, exponent_bits=11)
    assert run(COUNTER, [1], arithmetic=same).outputs == run(COUNTER, [1], arithmetic=FLOAT64).outputs


def test_the_initial_state_is_recorded_and_then_every_kth():
    for record, steps in (("outputs", []), ("all", [0, 1, 2, 3, 4, 5]), ("every-2", [0, 2, 4]), (3, [0, 3]), (9, [0])):
        trace = run(COUNTER, [1] * 5, record=record).trace
        assert list(trace.steps) == steps
        assert [state[0] for state in trace] == steps
        assert len(trace) == len(steps)
    assert trace[0] == (mpq(0),)
    assert trace.names == ("h[0]",)


@ARITHMETICS
@given(pair=networks_and_words(), k=st.integers(1, 4), limit=st.integers(0, 9))
def test_all_records_tell_of_the_same_run(arithmetic, pair, k, limit):
    network, word = pair
    every = run(network, word, arithmetic=arithmetic, max_steps=limit, record="all")
    assert list(every.trace.steps) == list(range(every.steps + 1))
    assert repr(every.trace[-1]) == repr(every.final_state)
    for record in ("outputs", k, f"every-{k}"):
        other = run(network, word, arithmetic=arithmetic, max_steps=limit, record=record)
        assert repr(list(other.outputs)) == repr(list(every.outputs))  # repr, since NaN is not equal to itself
        assert repr(other.final_state) == repr(every.final_state)
        assert (other.outcome, other.steps, other.eos_steps) == (every.outcome, every.steps, every.eos_steps)
        if record != "outputs":
            assert other.trace.steps == every.trace.steps[::k]
            assert repr(other.trace.states) == repr(every.trace.states[::k])


@ARITHMETICS
@given(pair=networks_and_words(), limit=st.integers(0, 9))
def test_a_limited_run_is_a_prefix(arithmetic, pair, limit):
    network, word = pair
    longer = run(network, word, arithmetic=arithmetic, max_steps=12, record="all")
    shorter = run(network, word, arithmetic=arithmetic, max_steps=limit, record="all")
    assert shorter.steps == min(limit, longer.steps)
    assert repr(shorter.trace.states) == repr(longer.trace.states[: shorter.steps + 1])
    assert repr(list(shorter.outputs)) == repr(list(longer.outputs)[: shorter.steps])
    if shorter.steps < longer.steps:
        assert shorter.outcome is Outcome.STEP_LIMIT
