from exactnn.automata import interpret
from exactnn.machine_files import load
from exactnn.outcome import Outcome


def test_a_direct_run_stops_after_its_time():
    late = interpret(load("sweeper"), max_seconds=0)
    assert late.outcome is Outcome.TIME_LIMIT
    assert late.steps > 0
    assert late.configuration == interpret(load("sweeper"), max_steps=late.steps).configuration


def test_the_end_of_a_run_counts_before_that_of_its_time():
    assert interpret(load("bb4"), max_seconds=0).outcome is Outcome.HALTED
    assert interpret(load("sweeper"), max_steps=20_000, max_seconds=60).outcome is Outcome.STEP_LIMIT
    assert interpret(load("sweeper"), max_steps=10, max_seconds=0).outcome is Outcome.STEP_LIMIT
