"""Runs in interval arithmetic with twice the bits again and again, until what they say is certain."""

import time
from collections.abc import Callable
from dataclasses import replace

from exactnn.arithmetic import Certified, Enclosure, Interval
from exactnn.networks import Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Output
from exactnn.simulation.result import Run

__all__ = ["certified_run"]


def certified_run(run_in: Callable[[Interval, float], Run], arithmetic: Certified, seconds: float) -> Run:
    """Return the first run that is decided; where none is, the last one, whose outcome says so.

    Parameters
    ----------
    run_in : callable
        The run in an interval arithmetic, for so many seconds.
    arithmetic : Certified
    seconds : float
        Time for all runs together; no other is begun after it.
    """
    began = time.perf_counter()
    left = seconds
    for interval in arithmetic.intervals:
        result = run_in(interval, left)
        outcome = _outcome(result, arithmetic)
        left = seconds - (time.perf_counter() - began)
        if outcome is not Outcome.BIT_LIMIT:
            break
        if left <= 0 and result.bits != arithmetic.most_bits:
            outcome = Outcome.TIME_LIMIT
            break
    return replace(
        result,
        arithmetic=arithmetic,
        outcome=outcome,
        engine=f"{arithmetic}: {result.engine}",
        seconds=time.perf_counter() - began,
    )


def _outcome(result: Run, arithmetic: Certified) -> Outcome:
    """Return how a run ended; of one that gives outputs only, undecided unless all of them are narrow."""
    gives_outputs = result.network.decision.protocol is Protocol.OUTPUTS
    if result.outcome is Outcome.COMPLETED or (gives_outputs and result.outcome is Outcome.STEP_LIMIT):
        for output, _ in [(result.initial_output, 1), *result.outputs.runs]:
            if not all(map(arithmetic.tells, _enclosures(output))):
                return Outcome.BIT_LIMIT
    return result.outcome


def _enclosures(output: Output) -> list[Enclosure]:
    entries = output if isinstance(output, tuple) else (output,)
    return [entry for entry in entries if isinstance(entry, Enclosure)]
