"""Runs that are proven never to end: preperiod and period against a plain dictionary of all states.

The states come from the plain oracles, or from the definition of a format in rationals, one step at a time.
"""

import json
import math
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT4_E2M1,
    FLOAT8_E4M3,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    MpfrOperations,
)
from exactnn.automata import configurations, interpret
from exactnn.constructions import chung_siegelmann, minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.errors import CheckpointError, OptionError
from exactnn.machine_files import load
from exactnn.networks import EOS, Decision, Protocol, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import Cycle, driver, executor_for, run, stepping, walk
from exactnn.simulation import checkpoint as checkpoint_module
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor
from exactnn.simulation.executors import exact_executor_for
from exactnn.simulation.fixed import FixedExecutor
from exactnn.simulation.floats import FloatExecutor
from exactnn.simulation.positional import direct
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.rational import RationalExecutor
from exactnn.simulation.rounded import RoundedExecutor
from exactnn.simulation.stepping import anchor_steps
from tests.odometer import odometer
from tests.plain_circuit import Plain, bits, fraction, proof_step, rounding
from tests.plain_fixed import Word
from tests.simulation.test_checkpoint import everything, forged, interrupt_at_line
from tests.strategies import networks_and_words, turing_machines

RUN_MODULE = sys.modules[run.__module__]  # the name of the module is that of the function
SMALL = FloatFormat(precision=3, exponent_bits=4)
SATURATED = FloatFormat(precision=4, exponent_bits=3, overflow="saturate", accumulator=SMALL)
FIXED = FixedPoint(integer_bits=4, fraction_bits=2)
WRAPPED = FixedPoint(integer_bits=4, fraction_bits=3, overflow="wrap")


class Stepped:
    """The states of an executor, one step at a time: the oracle for formats whose definition is in rationals."""

    def __init__(self, network, format):
        self.network = network
        self.executor = EmulatedExecutor(network, format, FloatOperations)

    def start(self):
        return self.executor.start()

    def step(self, state, vector):
        symbol = self.network.alphabet.index(EOS) if vector is None else vector
        return self.executor.advance(state, symbol, 1, until_decided=False).state

    def numbers(self, state):
        return self.executor.values(state)

    def output(self, state):
        return self.executor.output(state)


class Oracle(Plain):
    """The plain oracle, in symbols of the alphabet instead of vectors."""

    def step(self, state, symbol):
        return super().step(state, self.one_hot(EOS if symbol is None else self.network.alphabet[symbol]))

    def numbers(self, state):
        return state

    def output(self, state):
        with np.errstate(all="ignore"):
            return super().output(state)


def native(format):
    return (lambda net: FloatExecutor(net, format)), (lambda net: Oracle(net, rounding(format))), format


def compiled(format):
    return (lambda net: RoundedExecutor(net, format)), (lambda net: Stepped(net, format)), format


def emulated(format, operations=FloatOperations):
    return (lambda net: EmulatedExecutor(net, format, operations)), (lambda net: Stepped(net, format)), format


def fixed(executor, format):
    return (lambda net: executor(net, format)), (lambda net: Oracle(net, Word.nearest(format))), format


EXECUTORS = {
    "float32": native(FLOAT32),
    "float64": native(FLOAT64),
    "rounded e4m3": compiled(FLOAT8_E4M3),
    "rounded p3e4": compiled(SMALL),
    "rounded p4e3 with an accumulator": compiled(SATURATED),
    "in rationals": emulated(FLOAT4_E2M1),
    "in rationals with an accumulator": emulated(SATURATED),
    "by MPFR": emulated(SMALL, MpfrOperations),
    "fixed": fixed(FixedExecutor, FIXED),
    "fixed, wraps": fixed(FixedExecutor, WRAPPED),
    "emulated fixed": fixed(EmulatedFixedExecutor, FIXED),
    "rational": (RationalExecutor, lambda net: Oracle(net, fraction), RATIONAL),
    "exact": (exact_executor_for, lambda net: Oracle(net, fraction), EXACT),
    "exact, at once": (partial(exact_executor_for, many=True), lambda net: Oracle(net, fraction), EXACT),
}
"""Of each kind one or more: what makes it of a network, what makes its oracle, and the arithmetic."""

EXACT_ONES = ("rational", "exact", "exact, at once")


def exact_bits(value):
    """Return a number such that equal means equal: floats bit for bit, all NaNs alike."""
    return bits(value) if isinstance(value, (float, np.floating)) else fraction(mpq(value))


def key_of(oracle, state):
    numbers = oracle.numbers(state)
    return tuple((x.k if isinstance(x, Word) else exact_bits(x)) for x in numbers)


def expectation(oracle, word, limit):
    """Return outcome, EOS steps and cycle of a run of at most `limit` EOS steps, by a dictionary of all states."""
    network = oracle.network
    state = oracle.start()
    for symbol in word:
        state = oracle.step(state, network.alphabet.index(symbol))
    seen = {key_of(oracle, state): 0}
    for step in range(1, limit + 1):
        state = oracle.step(state, None)
        output = oracle.output(state)
        verdict = Plain(network, fraction).outcome(output, 1, 0)
        if verdict is not None:
            return verdict, step, None
        key = key_of(oracle, state)
        if key in seen:
            cycle = Cycle(preperiod=seen[key], period=step - seen[key])
            proven = proof_step(cycle.preperiod, cycle.period)
            return (Outcome.NON_HALTING, proven, cycle) if proven <= limit else (Outcome.STEP_LIMIT, limit, None)
        seen[key] = step
    return Outcome.STEP_LIMIT, limit, None


def run_by(executor, network, word="", **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RUN_MODULE, "executor_for", lambda *_, **__: executor)
        return run(network, word, **options)


def check(name, network, word, limit, record="outputs"):
    executor, oracle = (make(network) for make in EXECUTORS[name][:2])
    outcome, eos_steps, cycle = expectation(oracle, word, limit)
    result = run_by(executor, network, word, max_steps=len(word) + limit, record=record)
    assert (result.outcome, result.eos_steps, result.cycle) == (outcome, eos_steps, cycle)
    assert result.outputs.count == result.steps == len(word) + eos_steps
    assert result.verdict is outcome.verdict
    if record == "all":
        assert len(result.trace) == result.steps + 1
    if cycle is not None and record == "all":
        states = [repr(state) for state in result.trace][len(word) :]
        assert states[eos_steps] == states[eos_steps - cycle.period].replace("-nan", "nan")
        assert eos_steps < 3 * max(cycle.preperiod, cycle.period) or eos_steps == 1
    return result


# Against a dictionary of all states


@pytest.mark.parametrize("name", EXECUTORS)
@given(networks_and_words(protocols=(Protocol.EOS_VERDICT, Protocol.EOS_HALT)), st.sampled_from(["outputs", "all", 3]))
def test_random_networks(name, pair, record):
    limit = 9 if name in EXACT_ONES else 40  # products of numbers with themselves grow fast
    check(name, *pair, limit, record)


@pytest.mark.parametrize("name", EXECUTORS)
@given(st.integers(1, 3), st.integers(2, 3), st.integers(0, 2), st.none() | st.integers(1, 3), st.integers(0, 100))
def test_a_network_that_counts(name, digits, base, preperiod, verdict_at, limit):
    network = odometer(digits, base, preperiod=preperiod, verdict_at=verdict_at)
    if name == "in rationals":
        network = odometer(digits, 2, preperiod=min(preperiod, 1))  # numbers up to 6
    result = check(name, network, "", limit)
    if result.cycle is not None:
        assert result.cycle.period == (2 if name == "in rationals" else base) ** digits


@pytest.mark.parametrize(
    ("arithmetic", "digits", "base", "preperiod"),
    [
        (FLOAT32, 1, 100_003, 137),
        (FLOAT32, 1, 131_072, 100_000),
        (FLOAT64, 2, 401, 401**2 + 1),
        (FLOAT16, 5, 10, 0),
        (BFLOAT16, 4, 17, 255),
        (FixedPoint(integer_bits=20, fraction_bits=2), 1, 100_003, 200_000),
        (FixedPoint(integer_bits=6, fraction_bits=0), 5, 10, 17),
    ],
    ids=str,
)
def test_long_cycles(arithmetic, digits, base, preperiod):
    seen = []
    network = odometer(digits, base, preperiod=preperiod)
    result = run(network, arithmetic=arithmetic, progress=seen.append)
    assert (result.outcome, result.verdict) == (Outcome.NON_HALTING, None)
    assert result.cycle == Cycle(preperiod=preperiod, period=base**digits)
    assert result.steps == result.eos_steps == proof_step(preperiod, base**digits)
    assert result.outputs.runs == [(0, result.steps)]
    assert sorted(seen) == seen
    assert seen[-1] == result.steps
    before = run(network, arithmetic=arithmetic, max_steps=result.steps - 1)
    assert (before.outcome, before.cycle, before.steps) == (Outcome.STEP_LIMIT, None, result.steps - 1)


# Which states are the same


def zeros():
    """A network of one number, 0 and -0 in turn: the bias is too small for a float, and becomes -0."""
    return SimpleRNN(
        V=[[-1]], W=[[0]], b=[-(mpq(2) ** -2000)], s=[0], readout_weight=[1], activation="identity", alphabet=["EOS"]
    )


@pytest.mark.parametrize(
    "arithmetic", [FLOAT64, FLOAT32, FLOAT16, FloatFormat(precision=60, exponent_bits=10)], ids=str
)
def test_minus_zero_is_not_zero(arithmetic):
    result = run(zeros(), arithmetic=arithmetic, record="all")
    assert [math.copysign(1, x) for (x,) in result.trace][:4] == [1, -1, 1, -1]
    assert result.cycle == Cycle(preperiod=0, period=2)


@pytest.mark.parametrize(
    "arithmetic", [FLOAT64, FLOAT32, FLOAT16, FloatFormat(precision=60, exponent_bits=10)], ids=str
)
def test_not_a_number_is_the_same_for_ever(arithmetic):
    largest = mpq(2) ** (arithmetic.largest_exponent - 1)
    network = SimpleRNN(
        V=[[largest, -largest]] * 2, W=[[0], [0]], b=[0, 0], s=[largest] * 2, readout_weight=[1, 0],
        activation="identity", alphabet=["EOS"],
    )  # fmt: skip
    result = run(network, arithmetic=arithmetic)
    assert all(math.isnan(x) for x in result.final_state)
    assert (result.outcome, result.cycle) == (Outcome.NON_HALTING, Cycle(preperiod=1, period=1))


@pytest.mark.parametrize("arithmetic", [FLOAT64, FLOAT32, FLOAT16], ids=str)
def test_a_compiled_loop_stops_at_another_not_a_number(arithmetic):
    network = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1], activation="identity", alphabet=["EOS"])
    executor = executor_for(network, arithmetic)
    states = [executor.unpack(pack(executor, text)) for text in ("nan", "-nan")]
    for state in states:
        for anchor in states:
            assert executor.alike(state, anchor)
            assert executor.advance(state, 0, 9, until_decided=True, anchor=anchor).steps == 1
        assert not executor.alike(state, executor.start())


def pack(executor, text):
    data = executor.pack(executor.start())
    return [text] if isinstance(data, list) else data | {"numbers": [text]}


def stretch(executor, state, count, *, until_decided, anchor=None):
    """Take steps as a walk does, since an executor may take fewer than it is asked for."""
    steps = 0
    while steps < count:
        segment = executor.advance(state, 0, count - steps, until_decided=until_decided, anchor=anchor)
        state, steps = segment.state, steps + segment.steps
        if segment.outcome is not None or (anchor is not None and executor.alike(state, anchor)):
            break
    return state, steps, segment.outcome


@pytest.mark.parametrize("name", EXECUTORS)
def test_the_anchor_is_a_state_to_stop_at_and_a_verdict_comes_first(name):
    network = odometer(1, 5, verdict_at=4)
    executor = EXECUTORS[name][0](network)
    start = executor.start()
    third, *_ = stretch(executor, start, 3, until_decided=True)
    for until_decided in (False, True):
        state, steps, outcome = stretch(executor, start, 9, until_decided=until_decided, anchor=third)
        assert (steps, outcome) == (3, None)
        assert executor.alike(state, third)
    fourth, *_ = stretch(executor, third, 1, until_decided=True)
    assert stretch(executor, start, 9, until_decided=True, anchor=fourth)[1:] == (4, Outcome.ACCEPTED)
    assert stretch(executor, fourth, 9, until_decided=False, anchor=fourth)[1] == 5
    assert stretch(executor, start, 9, until_decided=False)[1] == 9


# Verdicts


@pytest.mark.parametrize("name", EXECUTORS)
def test_a_verdict_where_the_state_of_the_word_comes_again(name):
    """The output of that state was not looked at before."""
    network = SimpleRNN(
        V=[[-1]], W=[[0, 1]], b=[0], s=[1], readout_weight=[1], activation="identity", alphabet=["a", "EOS"]
    )
    network = replace(network, decision=Decision(protocol=Protocol.EOS_VERDICT, threshold=mpq(1, 2)))
    result = check(name, network, "", 9)
    assert (result.outcome, result.eos_steps, result.cycle) == (Outcome.ACCEPTED, 2, None)


@pytest.mark.parametrize("name", [name for name in EXECUTORS if name != "in rationals"])  # 4 bits are not enough
@pytest.mark.parametrize(("preperiod", "verdict_at"), [(3, 0), (0, 2), (2, 2)])
def test_a_verdict_before_a_state_comes_again(name, preperiod, verdict_at):
    network = odometer(1, 3, preperiod=preperiod, verdict_at=verdict_at)
    assert check(name, network, "", 50).outcome is Outcome.ACCEPTED


def test_without_eos_nothing_changes():
    for machine, word in (("parity", "0101010"), ("tomita-4", "000000")):
        result = run(minsky(load(machine)), word, arithmetic=FLOAT32)
        assert (result.steps, result.eos_steps, result.cycle) == (len(word), 0, None)
    same = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    result = run(same, [1] * 9, arithmetic=FLOAT32)
    assert (result.outcome, result.steps, result.cycle) == (Outcome.COMPLETED, 9, None)


# Random numbers


STOCHASTIC = {"rounding": "stochastic", "seed": 3}
AT_RANDOM = (
    FloatFormat(precision=9, exponent_bits=5, **STOCHASTIC),
    FloatFormat(precision=9, exponent_bits=5, accumulator=FloatFormat(precision=12, exponent_bits=5, **STOCHASTIC)),
    FloatFormat(precision=60, exponent_bits=12, **STOCHASTIC),
    FixedPoint(integer_bits=6, fraction_bits=3, **STOCHASTIC),
    FixedPoint(integer_bits=6, fraction_bits=3, accumulator=FixedPoint(integer_bits=9, fraction_bits=3, **STOCHASTIC)),
    FixedPoint(integer_bits=6, fraction_bits=70, **STOCHASTIC),
)


@pytest.mark.parametrize("arithmetic", AT_RANDOM, ids=str)
@pytest.mark.parametrize("digits", [1, 2])
def test_stochastic_rounding_proves_nothing(arithmetic, digits):
    """Random numbers go by the number of the operation, which never comes again."""
    result = run(odometer(digits, 3), arithmetic=arithmetic, max_steps=100)
    assert (result.outcome, result.cycle, result.steps) == (Outcome.STEP_LIMIT, None, 100)
    thirds = SimpleRNN(V=[["1/3"]], W=[[0]], b=["1/7"], s=[0], readout_weight=[0], alphabet=["EOS"])
    assert run(thirds, arithmetic=arithmetic, max_steps=100).outcome is Outcome.STEP_LIMIT


# Machines


@pytest.mark.mostly_slow(quick=5, slow=4)
@pytest.mark.parametrize("arithmetic", [FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 11])
def test_palindromes_in_narrow_formats_end(arithmetic, n):
    construction = siegelmann_sontag(load("palindrome"))
    for word in ("a" * n, "ab" * n, "a" * n + "b" * n):
        result = run(construction, word, arithmetic=arithmetic)
        assert (result.cycle is None) == (result.verdict is not None)
        assert (result.outcome is Outcome.NON_HALTING) == (result.cycle is not None)
        if result.cycle is not None:
            oracle = Stepped(construction.network, arithmetic)
            assert expectation(oracle, word, result.eos_steps) == (result.outcome, result.eos_steps, result.cycle)
            longer = run(construction, word, arithmetic=FLOAT64, max_steps=10**6)
            assert longer.eos_steps > result.cycle.preperiod


def test_some_palindromes_never_end_in_narrow_formats():
    construction = siegelmann_sontag(load("palindrome"))
    assert run(construction, "a" * 9 + "b" * 9, arithmetic=BFLOAT16).cycle == Cycle(preperiod=6, period=1)
    assert run(construction, "a" * 9 + "b" * 9, arithmetic=FLOAT16).cycle == Cycle(preperiod=7, period=1)


def machine_cycle(machine, limit):
    """Return preperiod and period of a machine that never halts, from its configurations; None if none is found."""
    seen = {}
    for step, configuration in enumerate(configurations(machine)):
        text = str(configuration)
        if text in seen:
            return seen[text], step - seen[text]
        if step == limit:
            return None
        seen[text] = step
    return None


SHUTTLES = {
    "two cells": ("1RB1RB_1LA1LA", 2),
    "far": ("1RB1RB_1RC1RC_1LD1LD_1LA1LA", 4),
}


@pytest.mark.parametrize("name", SHUTTLES)
def test_a_machine_that_never_halts(name):
    """In float32 as in exact arithmetic, and as the machine's own configurations say."""
    text, period = SHUTTLES[name]
    machine = load(text)
    cycle = machine_cycle(machine, 1000)
    assert cycle is not None
    assert period in (None, cycle[1])
    assert interpret(machine, max_steps=10**4).outcome is Outcome.STEP_LIMIT
    construction = siegelmann_sontag(machine)
    results = [run(construction, arithmetic=arithmetic) for arithmetic in (RATIONAL, EXACT, FLOAT32, FLOAT16)]
    assert {result.outcome for result in results} == {Outcome.NON_HALTING}
    assert len({(result.cycle, result.steps, result.machine_steps) for result in results}) == 1
    assert results[0].cycle.period == cycle[1]
    assert results[0].cycle.preperiod >= cycle[0]


@given(turing_machines(tapes=("two_way_infinite",)))
def test_machines_at_random(machine):
    cycle = machine_cycle(machine, 40)
    limit = 400 if cycle is not None else 40
    construction = siegelmann_sontag(machine)
    exactly = run(construction, arithmetic=RATIONAL, max_steps=limit)
    rounded = run(construction, arithmetic=FLOAT64, max_steps=limit)
    assert (exactly.cycle is not None) == (cycle is not None)
    at_once = run_by(ExactExecutor(construction.network, warm_up=0), construction.network, max_steps=4 * limit)
    assert at_once.cycle == exactly.cycle
    if cycle is not None:
        assert (exactly.outcome, exactly.cycle.period) == (Outcome.NON_HALTING, cycle[1])
        if cycle[0] + cycle[1] < 12:  # a short tape, which float64 has room for
            assert rounded.cycle == exactly.cycle


SHUTTLE = """
input: 'a'
blank: ' '
start state: right
table:
  right:
    a: R
    ' ': {L: left}
  left:
    a: L
    ' ': {R: right}
  done:
"""
MODES = {
    "at once": {"warm_up": 0},
    "later": {"warm_up": 50},
    "short limbs": {"warm_up": 0, "limb_digits": 2},
    "with a shadow": {"warm_up": 0, "shadow": True},
    "in rationals": {"warm_up": 1 << 20},
}


@pytest.mark.parametrize("letters", [1, 20, 90])
@pytest.mark.parametrize("make", [siegelmann_sontag, siegelmann_sontag_book, chung_siegelmann, "relu"])
def test_a_cycle_is_seen_whatever_mode_takes_the_steps(make, letters, tmp_path):
    """Direct mode compares states, too, and the network that it steps may be a smaller one."""
    (tmp_path / "shuttle.yaml").write_text(SHUTTLE)
    machine = load(tmp_path / "shuttle.yaml")
    construction = siegelmann_sontag(machine, activation="relu") if make == "relu" else make(machine)
    network, word = construction.network, "a" * letters
    expected = run(network, word, arithmetic=RATIONAL)
    assert expected.outcome is Outcome.NON_HALTING
    for name, options in MODES.items():
        executor = ExactExecutor(network, **options)
        result = run_by(executor, network, word, max_steps=6 * expected.steps)
        assert (result.outcome, result.cycle) == (expected.outcome, expected.cycle), name
        assert ("direct" in executor.engine) == (options["warm_up"] < expected.steps)


@pytest.mark.parametrize("room", [0, 1 << 9])
def test_the_anchor_is_kept_in_arenas_that_are_full(room, tmp_path, monkeypatch):
    """Its tails are long and pushed once: the arena gets no longer with every call."""
    monkeypatch.setattr(direct, "SMALLEST_ARENA", room)
    (tmp_path / "shuttle.yaml").write_text(SHUTTLE)
    network, word = siegelmann_sontag(load(tmp_path / "shuttle.yaml")).network, "a" * 300
    executor = ExactExecutor(network, warm_up=0, limb_digits=1)
    longest, pushed, push, begin = [], [], Arena.push, Arena.__init__

    def noted(arena, runs, tail=(0, 0)):
        pushed.append(len(runs))
        return push(arena, runs, tail)

    def made(arena, radix, capacity):
        longest.append(capacity)
        begin(arena, radix, capacity)

    monkeypatch.setattr(Arena, "push", noted)
    monkeypatch.setattr(Arena, "__init__", made)
    result = run_by(executor, network, word, record=20, max_steps=4000)
    expected = run(network, word, arithmetic=RATIONAL, record=20, max_steps=4000)
    assert (result.outcome, result.cycle) == (expected.outcome, expected.cycle)
    assert list(result.trace)[: len(expected.trace)] == list(expected.trace)
    assert 0 < max(longest) < 4 * executor._modes._engines.direct.room + 2 * room
    assert sum(pushed) < 2000


def test_what_ran_before_has_no_part_in_the_outcome():
    construction = siegelmann_sontag(load("1RB1RB_1RC1RC_1LD1LD_1LE1LE_1LF1LF_1RA1RA"))
    network, word = odometer(3, 7, preperiod=100), ""
    expected = run(network, word, arithmetic=RATIONAL)
    found = [run(network, word, max_steps=3000) for _ in range(4)]
    assert {(result.outcome, result.cycle) for result in found} == {(Outcome.NON_HALTING, expected.cycle)}
    found = [run(construction, max_steps=3000) for _ in range(4)]
    assert {result.outcome for result in found} == {run(construction, arithmetic=RATIONAL, max_steps=3000).outcome}


def test_where_weights_are_no_short_numbers_states_are_compared_for_ever():
    network, prime = odometer(1, 20_011), mpq(1, (1 << 61) - 1)
    *carries, (count,) = network.circuit.layers
    count = replace(count, bias=count.bias - prime, linear=(*count.linear, (network.circuit.state_size, prime)))
    network = replace(network, circuit=replace(network.circuit, layers=(*carries, (count,))))
    result = run(network, max_steps=60_000)
    assert (result.outcome, result.cycle.period) == (Outcome.NON_HALTING, 20_011)
    assert "direct" not in result.engine


def test_a_cycle_of_the_smaller_network_is_told_as_that_of_the_full_states():
    network = siegelmann_sontag_book(load("1RB1RB_1LA1LA")).network
    expected = run(network, arithmetic=RATIONAL)
    result = run_by(ExactExecutor(network, warm_up=0), network, max_steps=10**4)
    assert (result.outcome, result.cycle) == (expected.outcome, expected.cycle)


# Checkpoints and Ctrl-C


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.checkpoint"


@pytest.mark.mostly_slow(quick=60)
@pytest.mark.parametrize("stop", [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 24, 25])
@pytest.mark.parametrize("name", EXECUTORS)
def test_a_run_stopped_at_a_limit_finds_the_same_cycle(file, name, stop, monkeypatch):
    network = odometer(2, 3, preperiod=7) if name != "in rationals" else odometer(3, 2, preperiod=3)
    monkeypatch.setattr(RUN_MODULE, "executor_for", lambda *_, **__: EXECUTORS[name][0](network))
    arithmetic = EXECUTORS[name][2]
    expected = run(network, arithmetic=arithmetic)
    assert expected.outcome is Outcome.NON_HALTING
    for limit in (stop, stop + 1, None, None):
        if limit is not None and limit > expected.steps:
            limit = expected.steps
        result = run(network, arithmetic=arithmetic, max_steps=limit, checkpoint=file)
        assert result.steps == (expected.steps if limit is None else limit)
    assert result.resumed_from == expected.steps
    assert everything(result) == everything(expected)


@pytest.mark.mostly_slow(quick=29)
@pytest.mark.parametrize("line", range(60, 400, 12))
@pytest.mark.parametrize("name", ["float32", "fixed", "rational", "exact", "exact, at once"])
def test_ctrl_c_at_any_line_of_the_search_leaves_a_file_to_go_on_from(file, name, line, monkeypatch):
    monkeypatch.setattr(checkpoint_module, "SHARE", 1)
    network = odometer(2, 3, preperiod=5)
    monkeypatch.setattr(RUN_MODULE, "executor_for", lambda *_, **__: EXECUTORS[name][0](network))
    options = {"arithmetic": EXECUTORS[name][2], "record": "all"}
    expected = run(network, **options)
    hit = []
    previous = sys.gettrace()
    sys.settrace(interrupt_at_line(line, hit, {driver.__file__, walk.__file__, stepping.__file__}))
    try:
        with suppress(KeyboardInterrupt):  # before the first step there is no result
            result = run(network, checkpoint=file, checkpoint_seconds=60 if line % 8 else 0, **options)
            assert result.outcome is Outcome.INTERRUPTED
            assert list(result.outputs) == list(expected.outputs)[: result.steps]
    finally:
        sys.settrace(previous)
    assert hit, "no line was interrupted"
    assert everything(run(network, checkpoint=file, **options)) == everything(expected)


@pytest.mark.parametrize(("base", "preperiod"), [(8192, 5000), (8192, 9000)])
def test_a_run_that_ends_where_states_are_no_more_compared_is_read_again(file, base, preperiod):
    """A cycle seen at the last EOS step at which an exact run compares states, and one that is there too late."""
    network = odometer(1, base, preperiod=preperiod)
    first = run(network, max_steps=16_384, checkpoint=file)
    assert (first.cycle is not None) == (preperiod == 5000)
    again = run(network, max_steps=16_390, checkpoint=file)
    assert (again.resumed_from, again.cycle) == (16_384, first.cycle)


def test_a_period_that_is_a_power_of_a_prime_is_looked_into_once():
    steps = []

    def later(state, count):
        steps.append(count)
        return (state + count) % 1024

    watch = stepping.Watch(start=0, anchor=0)
    assert watch.cycle(1024, lambda x, y: x == y, later) == Cycle(preperiod=0, period=1024)
    assert steps == [512, 1024]
    assert watch.cycle(1024 * 9, lambda x, y: x % 1024 == y % 1024, later).period == 1024


def test_ctrl_c_while_the_beginning_of_the_cycle_is_looked_for(file):
    network = odometer(2, 300, preperiod=40_000)
    expected = run(network, arithmetic=FLOAT32)
    seen = []

    def interrupt(steps):
        if seen and steps == seen[-1]:
            raise KeyboardInterrupt
        seen.append(steps)

    result = run(network, arithmetic=FLOAT32, progress=interrupt, checkpoint=file)
    assert (result.outcome, result.cycle, result.steps) == (Outcome.INTERRUPTED, None, expected.steps)
    assert everything(run(network, arithmetic=FLOAT32, checkpoint=file)) == everything(expected)


def test_what_cannot_have_been_kept_is_refused(file):
    network = odometer(2, 3)
    run(network, arithmetic=FLOAT32, max_steps=5, checkpoint=file)
    text = file.read_text()
    kept = json.loads(text)["payload"]["progress"]["watch"]
    assert kept["anchor step"] == "0x4"
    wrong = [None, [], {}, kept | {"more": 1}, kept | {"anchor": ["0x1/0x3", "0x0"]}, kept | {"start": []}]
    wrong += [kept | {"anchor step": step} for step in ("0x0", "0x2", "0x3", "0x5", "0x8", "-0x4", 4, None)]
    for other in wrong:
        file.write_text(forged(text, lambda payload, other=other: payload["progress"].update(watch=other)))
        with pytest.raises(CheckpointError, match="give another file name"):
            run(network, arithmetic=FLOAT32, checkpoint=file)
    run(network, arithmetic=AT_RANDOM[0], max_steps=5, checkpoint=file.with_suffix(".random"))
    text = file.with_suffix(".random").read_text()
    assert json.loads(text)["payload"]["progress"]["watch"] is None
    file.write_text(forged(text, lambda payload: payload["progress"].update(watch=kept)))
    with pytest.raises(CheckpointError, match="is not what is kept of a run after 5 EOS steps"):
        run(network, arithmetic=AT_RANDOM[0], checkpoint=file)


# What it says


def test_a_cycle_is_a_value():
    cycle = Cycle(preperiod=0, period=1)
    assert str(cycle) == "period 1 from EOS step 0 on"
    for preperiod, period in ((-1, 1), (0, 0), (0, -3)):
        with pytest.raises(OptionError, match="give a whole number of at least"):
            Cycle(preperiod=preperiod, period=period)
    result = run(odometer(1, 3, preperiod=2), arithmetic=FLOAT32)
    assert "period 3 from EOS step 2 on" in result._repr_html_()
    assert "proven non-halting after 7 steps" in repr(result)
    assert "cycle" not in run(odometer(1, 3, verdict_at=2), arithmetic=FLOAT32)._repr_html_()


def test_a_network_without_a_state():
    for name, (executor, *_) in EXECUTORS.items():
        network = odometer(1, 3)
        unit = replace(network.readout[0], linear=())
        circuit = replace(network.circuit, state_size=0, layers=(), next_state=())
        empty = replace(network, circuit=circuit, initial_state=(), readout=(unit,))
        result = run_by(executor(empty), empty)
        assert (result.outcome, result.cycle) == (Outcome.NON_HALTING, Cycle(preperiod=0, period=1)), name
        segment = executor(empty).advance(
            executor(empty).start(), 0, 7, until_decided=True, anchor=executor(empty).start()
        )
        assert segment.steps == 1


@given(st.integers(0, 10**30))
def test_the_anchor_is_at_a_power_of_two(steps):
    last, *before = anchor_steps(steps)
    assert last == 0 if not steps else last <= steps < 2 * last
    assert last.bit_count() <= 1
    assert before == ([last // 2] if steps == last and steps else [])
