"""The progress callback, and Ctrl-C: what was computed until then comes back, and fits together."""

import signal
import sys
import threading

import pytest

from exactnn.arithmetic import FLOAT64, RATIONAL
from exactnn.automata import TuringMachine
from exactnn.constructions import siegelmann_sontag
from exactnn.networks import SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import run
from exactnn.simulation.driver import Simulation
from exactnn.simulation.walk import Walk
from tests.odometer import odometer

COUNTER = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
ARITHMETICS = pytest.mark.parametrize("arithmetic", [RATIONAL, FLOAT64], ids=str)


def busy():
    """A machine that fills its tape with a's for ever."""
    return siegelmann_sontag(
        TuringMachine(
            states="pA",
            input_symbols="",
            tape_symbols="a_",
            transitions={"p": {"a": ("A", "a", "R"), "_": ("p", "a", "R")}},
            initial_state="p",
            blank_symbol="_",
            accept_state="A",
        )
    )


def check_prefix(result, inputs):
    """Assert that a run of COUNTER tells the truth about its first `result.steps` steps."""
    sums = [sum(inputs[: t + 1]) for t in range(result.steps)]
    assert result.outputs == sums
    assert result.outputs.count == result.steps
    assert result.final_state == (sums[-1] if sums else 0,)
    assert list(result.trace.steps) == list(range(len(result.trace)))
    assert [state[0] for state in result.trace] == [0, *sums][: len(result.trace)]
    assert len(result.trace) in (0, result.steps + 1)


@ARITHMETICS
def test_the_callback_gets_growing_step_counts_up_to_the_last(arithmetic):
    seen = []
    run(COUNTER, [1] * 1000, arithmetic=arithmetic, progress=seen.append)
    assert seen == sorted(set(seen))
    assert seen[-1] == 1000
    assert len(seen) < 1000


def test_an_error_in_the_callback_is_the_callers():
    def broken(steps):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(COUNTER, [1], progress=broken)


@ARITHMETICS
@pytest.mark.parametrize("record", ["outputs", "all"])
@pytest.mark.parametrize("stop", [1, 2, 5, 60, 999])
def test_an_interrupted_run_gives_back_a_consistent_prefix(arithmetic, record, stop):
    inputs = [i % 7 for i in range(1000)]

    def interrupt(steps):
        if steps >= stop:
            raise KeyboardInterrupt

    result = run(COUNTER, inputs, arithmetic=arithmetic, record=record, progress=interrupt)
    assert result.outcome is Outcome.INTERRUPTED
    assert result.verdict is None
    assert result.steps >= stop
    check_prefix(result, inputs)


@pytest.mark.parametrize(
    ("network", "arithmetic"), [(busy(), RATIONAL), (odometer(9, 100), FLOAT64)], ids=["rational", "float64"]
)
def test_a_run_for_ever_can_be_interrupted_by_a_signal(network, arithmetic):
    assert threading.current_thread() is threading.main_thread()

    def interrupt(number, frame):
        raise KeyboardInterrupt

    run(network, arithmetic=arithmetic, max_steps=3)  # compiled before the clock starts
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        result = run(network, arithmetic=arithmetic)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert result.outcome is Outcome.INTERRUPTED
    assert result.steps == result.outputs.count == result.eos_steps > 0
    assert result.machine_steps in (None, result.steps)
    assert {output for output, _ in result.outputs.runs} == {0}


DRIVERS = (Simulation._go.__code__, Walk._stretches.__code__)
"""The code that hands one slice of steps to the executor, and that which books what comes back."""


def interrupt_at_line(number):
    """Return a trace function that raises KeyboardInterrupt at the n-th line of the drivers and what they call here."""
    folder = DRIVERS[0].co_filename.rpartition("/")[0]
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code not in DRIVERS and (
            not frame.f_code.co_filename.startswith(folder) or frame.f_back.f_code not in DRIVERS
        ):
            return trace if frame.f_code.co_filename.startswith(folder) else None
        if event == "line":
            count += 1
            if count == number:
                raise KeyboardInterrupt
        return trace

    return trace


@pytest.mark.parametrize("record", ["outputs", "all"])
@pytest.mark.parametrize("line", range(1, 41))
def test_ctrl_c_at_any_line_leaves_outputs_states_and_step_count_in_agreement(record, line):
    inputs = [1, 2, 2, 2, 3]
    previous = sys.gettrace()
    sys.settrace(interrupt_at_line(line))
    try:
        result = run(COUNTER, inputs, record=record)
    finally:
        sys.settrace(previous)
    assert result.outcome is Outcome.INTERRUPTED or (result.outcome is Outcome.COMPLETED and line > 10)
    check_prefix(result, inputs)


def test_an_interruption_after_the_verdict_does_not_lose_it():
    halts = siegelmann_sontag(
        TuringMachine(
            states="pA",
            input_symbols="",
            tape_symbols="a_",
            transitions={"p": {"a": ("A", "a", "R"), "_": ("A", "a", "R")}},
            initial_state="p",
            blank_symbol="_",
            accept_state="A",
        )
    )

    def interrupt(steps):
        raise KeyboardInterrupt

    result = run(halts, progress=interrupt)
    assert result.outputs == [1]
    assert result.outcome in (Outcome.ACCEPTED, Outcome.INTERRUPTED)
    assert (result.verdict is None) == (result.outcome is Outcome.INTERRUPTED)
