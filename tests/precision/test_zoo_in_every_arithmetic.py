"""Every machine of the zoo does what its file promises, through every construction and arithmetic."""

import warnings
from dataclasses import replace
from functools import cache

import pytest

import exactnn as xn
from exactnn.automata import LOST, TapeConfiguration
from exactnn.constructions import Construction, constructions_for
from exactnn.machine_files import Expectation, MachineFile, load_file, written_tape, zoo_names
from exactnn.precision.divergence import Lockstep
from exactnn.simulation import short_run
from exactnn.simulation.positional import beginning
from exactnn.simulation.positional.modes import Modes
from tests.promptness import promptly

MOST_MOVES = 4000
"""Of the machine, in a run that is repeated here."""

WORK = 3_000_000
"""Weights times steps that one exact run may cost: the rational reference pays for every weight of an active unit."""

MOST_WORDS, MOST_COMPARED, LEAST_COMPARED, LARGE_TO_COMPARE = 3, 400_000, 20, 50_000
"""Words of a machine that are compared with plain rationals, weights times steps of all of them, and steps at least; of
a network with so many weights as the last number one word and two steps are."""

FLOAT_WORK = 1_000_000
"""The same where float runs are compared step by step: one that has left the truth may have all units active."""


@cache
def machine_file(name: str) -> MachineFile:
    return load_file(name)


@cache
def compiled(name: str, construction: str) -> Construction:
    return xn.compile(machine_file(name).machine, construction=construction)


LARGE = ("siegelmann_sontag_book", "real_time_stacks")
"""Their networks have the most weights, and the rational reference pays for each."""

REFUSED = [
    ("bucket-sort", "siegelmann_sontag_book"),
    *((name, "real_time_stacks") for name in ("binary-addition-checked", "missing-duplicate", "odds-first")),
]
"""Networks that are too large to build."""

TOO_MUCH = [(name, "real_time_stacks") for name in ("stack-manipulation", "two-brackets")]
"""Networks of millions of weights, of which no run is affordable here."""

CASES = [
    pytest.param(name, construction, id=f"{name}-{construction}", marks=[pytest.mark.slow] * (construction in LARGE))
    for name in zoo_names()
    for construction in constructions_for(machine_file(name).machine)
    if (name, construction) not in (*REFUSED, *TOO_MUCH)
]


def steps_of(construction: Construction, expectation: Expectation) -> int:
    """Return the network steps of a promised run."""
    assert expectation.steps is not None
    moves = construction.steps_per_move * expectation.steps
    tests_at_eos = isinstance(construction.machine, xn.CounterMachine)  # one step more, for which there is no move
    return construction.set_up_steps(len(expectation.word)) + moves + tests_at_eos


def affordable(construction: Construction, work: int) -> list[Expectation]:
    """Return the promises of a machine's file whose runs are neither long nor too much work."""
    most = work // construction.network.circuit.weights
    found = machine_file(construction.machine.name).expectations
    return [e for e in found if e.steps is not None and e.steps <= MOST_MOVES and steps_of(construction, e) <= most]


@pytest.mark.by_hand
@pytest.mark.parametrize("work", [WORK, FLOAT_WORK])
def test_the_budgets_leave_out_few(work: int) -> None:
    """A machine may have long runs only; nearly all have short ones, and those of most constructions are affordable."""
    without = [names for names in (case.values for case in CASES) if not affordable(compiled(*names), work)]
    assert len(without) <= len(CASES) / 4, f"no promise of these is affordable: {without}"


@pytest.mark.parametrize(("name", "construction"), REFUSED)
def test_what_is_left_out_is_refused(name: str, construction: str) -> None:
    with pytest.raises(
        xn.ExactnnError, match=r"[0-9,]+ units,? and .* (?:are the most that fit|is the most that is built)"
    ):
        compiled(name, construction)


@pytest.mark.parametrize(("name", "construction"), TOO_MUCH)
def test_what_is_too_much_is_told_before_it_is_built(name: str, construction: str) -> None:
    with warnings.catch_warnings(), promptly():
        warnings.simplefilter("error", xn.LargeNetworkWarning)
        with pytest.raises(xn.LargeNetworkWarning, match=r"units and up to [0-9,]{9,} weights"):
            compiled(name, construction)


def check(construction: Construction, expectation: Expectation, run: xn.Run) -> None:
    assert run.outcome is expectation.outcome
    assert run.machine_steps == expectation.steps
    if expectation.stack is not None:
        stacks = construction.decode(run.final_state, cells=1 + len(expectation.stack))
        assert isinstance(stacks, xn.StackConfiguration)
        assert stacks.stacks[0] == expectation.stack
    if isinstance(construction.machine, xn.TuringMachine):
        configuration = construction.decode(run.final_state)
        assert isinstance(configuration, TapeConfiguration)
        tape = written_tape(construction.machine, configuration)
        if expectation.tape is not None:
            assert tape == expectation.tape
        if expectation.nonblank is not None:
            assert sum(a != construction.machine.blank_symbol for a in tape) == expectation.nonblank


@pytest.mark.mostly_slow(quick=8, slow=12)
@pytest.mark.parametrize(("name", "construction"), CASES)
def test_exact_runs_keep_every_promise(name: str, construction: str) -> None:
    net = compiled(name, construction)
    for expectation in affordable(net, WORK):
        limit = steps_of(net, expectation) + (expectation.outcome is not xn.Outcome.STEP_LIMIT)
        check(net, expectation, xn.run(net, expectation.word, max_steps=limit))


LONG_TO_WRITE = ("binary-addition", "siegelmann_sontag_book")
"""Of its program direct mode writes the first steps in most of a minute; else such a run is over in plain numbers."""


@pytest.fixture
def modes_at_once(monkeypatch):
    """Direct and macro mode from the first steps on, which else begin after more than such a run has."""
    for module, name, value in (
        (short_run, "FIRST_SECONDS", 0.0),
        (beginning, "STEPS", 1),
        (beginning, "SECONDS_AGAIN", 0.0),
        (beginning, "is_loaded", lambda: True),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setitem(Modes.__init__.__kwdefaults__, "macro_after", 1)


@pytest.mark.usefixtures("modes_at_once")
def test_both_modes_begin_at_once():
    network = replace(compiled("bb4", "siegelmann_sontag").network)
    engine = xn.run(network, (), max_steps=60).engine
    assert "direct" in engine
    assert "macro" in engine


@pytest.mark.mostly_slow(quick=8, slow=12)
@pytest.mark.usefixtures("modes_at_once")
@pytest.mark.parametrize(("name", "construction"), [case for case in CASES if case.values != LONG_TO_WRITE])
def test_exact_runs_are_those_of_plain_rationals(name: str, construction: str) -> None:
    network = replace(compiled(name, construction).network)
    small = network.circuit.weights < LARGE_TO_COMPARE
    words = [expectation.word for expectation in machine_file(name).expectations][: MOST_WORDS if small else 1] or [()]
    most = max(MOST_COMPARED // len(words) // network.circuit.weights, LEAST_COMPARED if small else 2)
    for word in words:
        expected = xn.run(network, word, xn.RATIONAL, max_steps=most)
        found = xn.run(network, word, max_steps=most)
        assert (found.outcome, found.steps, found.cycle) == (expected.outcome, expected.steps, expected.cycle)
        assert found.outputs == expected.outputs
        assert found.final_state == expected.final_state
        every = xn.run(network, word, max_steps=min(most, LEAST_COMPARED), record="all")
        rational = xn.run(network, word, xn.RATIONAL, max_steps=min(most, LEAST_COMPARED), record="all")
        assert every.trace == rational.trace


@pytest.mark.mostly_slow(quick=8, slow=12)
@pytest.mark.parametrize(("name", "construction"), CASES)
def test_float_runs_are_right_exactly_where_no_divergence_is_reported(name: str, construction: str) -> None:
    net = compiled(name, construction)
    lockstep = Lockstep(net, [xn.FLOAT64, xn.FLOAT32])
    for expectation in affordable(net, FLOAT_WORK):
        limit = steps_of(net, expectation)
        for divergence in lockstep.compare(expectation.word, max_steps=limit):
            run = xn.run(net, expectation.word, arithmetic=divergence.arithmetic, max_steps=limit)
            assert divergence.outcome is expectation.outcome
            if run.outcome is xn.Outcome.NON_HALTING and expectation.outcome is xn.Outcome.STEP_LIMIT:
                assert divergence.verdict is None
                continue  # the cycle was proven before the limit
            if divergence.verdict is None:
                assert (run.outcome, run.steps) == (expectation.outcome, limit)
            else:
                assert (run.outcome, run.steps) != (expectation.outcome, limit)
            if divergence.configuration is None:
                assert divergence.verdict is None
                check(net, expectation, run)
            if divergence.value is None:
                exact = xn.run(net, expectation.word, max_steps=limit)
                assert exact.final_state == run.final_state


@pytest.mark.parametrize("name", ["anbn", "palindrome", "bb4", "binary-increment", "parity"])
def test_short_words_are_right_in_float64(name: str) -> None:
    for construction in constructions_for(machine_file(name).machine):
        net = compiled(name, construction)
        for expectation in affordable(net, WORK):
            if len(expectation.word) <= 4:
                assert xn.first_divergence(net, expectation.word, xn.FLOAT64).verdict is None


def test_a_rounding_run_that_lost_its_machine_counts_no_moves_of_it():
    exact, lost, right = (xn.run("palindrome", "aaaa", arithmetic) for arithmetic in ("exact", "float16", "float32"))
    assert exact.machine_steps == right.machine_steps == 15
    assert lost.configuration.state is LOST
    assert lost.machine_steps is None
