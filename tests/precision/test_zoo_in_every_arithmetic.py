"""Every machine of the zoo does what its file promises, through every construction and arithmetic."""

from functools import cache

import pytest

import exactnn as xn
from exactnn.automata import TapeConfiguration
from exactnn.constructions import Construction, constructions_for
from exactnn.machine_files import Expectation, MachineFile, load_file, written_tape, zoo_names
from exactnn.precision.divergence import Lockstep

WORK = 40_000_000
"""Weights times steps that one exact run may cost: the rational reference pays for every weight of an active unit."""

FLOAT_WORK = 8_000_000
"""The same where float runs are compared step by step: one that has left the truth may have all units active."""


@cache
def machine_file(name: str) -> MachineFile:
    return load_file(name)


@cache
def compiled(name: str, construction: str) -> Construction:
    return xn.compile(machine_file(name).machine, construction=construction)


CASES = [
    pytest.param(name, construction, id=f"{name}-{construction}")
    for name in zoo_names()
    for construction in constructions_for(machine_file(name).machine)
]


def steps_of(construction: Construction, expectation: Expectation) -> int:
    """Return the network steps of a promised run."""
    assert expectation.steps is not None
    return construction.set_up_steps(len(expectation.word)) + expectation.steps


def affordable(construction: Construction, expectation: Expectation) -> bool:
    if expectation.steps is None or expectation.steps > 4000:
        return False
    return steps_of(construction, expectation) * construction.network.circuit.weights <= WORK


def check(construction: Construction, expectation: Expectation, run: xn.Run) -> None:
    assert run.outcome is expectation.outcome
    assert run.machine_steps == expectation.steps
    if isinstance(construction.machine, xn.TuringMachine):
        configuration = construction.decode(run.final_state)
        assert isinstance(configuration, TapeConfiguration)
        tape = written_tape(construction.machine, configuration)
        if expectation.tape is not None:
            assert tape == expectation.tape
        if expectation.nonblank is not None:
            assert sum(a != construction.machine.blank_symbol for a in tape) == expectation.nonblank


@pytest.mark.parametrize(("name", "construction"), CASES)
def test_exact_runs_keep_every_promise(name: str, construction: str) -> None:
    net = compiled(name, construction)
    checked = 0
    for expectation in machine_file(name).expectations:
        if affordable(net, expectation):
            limit = steps_of(net, expectation) + (expectation.outcome is not xn.Outcome.STEP_LIMIT)
            check(net, expectation, xn.run(net, expectation.word, max_steps=limit))
            checked += 1
    assert checked or name in ("bb5", "bb2x4", "rogozhin-4-6")  # all their promises are long runs


@pytest.mark.parametrize(("name", "construction"), CASES)
def test_float_runs_are_right_exactly_where_no_divergence_is_reported(name: str, construction: str) -> None:
    net = compiled(name, construction)
    lockstep = Lockstep(net, [xn.FLOAT64, xn.FLOAT32])
    checked = 0
    for expectation in machine_file(name).expectations:
        if not affordable(net, expectation) or steps_of(net, expectation) * net.network.circuit.weights > FLOAT_WORK:
            continue
        checked += 1
        limit = steps_of(net, expectation)
        for divergence in lockstep.compare(expectation.word, max_steps=limit):
            run = xn.run(net, expectation.word, arithmetic=divergence.arithmetic, max_steps=limit)
            assert divergence.outcome is expectation.outcome
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
    assert checked or name in ("bb5", "bb2x4", "rogozhin-4-6", "balanced-brackets", "binary-addition")


@pytest.mark.parametrize("name", ["anbn", "palindrome", "bb4", "binary-increment", "parity"])
def test_short_words_are_right_in_float64(name: str) -> None:
    for construction in constructions_for(machine_file(name).machine):
        net = compiled(name, construction)
        for expectation in machine_file(name).expectations:
            if len(expectation.word) <= 4 and affordable(net, expectation):
                assert xn.first_divergence(net, expectation.word, xn.FLOAT64).verdict is None
