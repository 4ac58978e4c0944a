"""Where a network meets an arithmetic: executors, and `run`."""

from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Executor, Output, Segment, Values, advance_by
from exactnn.simulation.executors import executor_for
from exactnn.simulation.intervals import IntervalExecutor
from exactnn.simulation.lazily_refined import LazilyRefinedExecutor
from exactnn.simulation.real_start import real_executor_for, rounded_start
from exactnn.simulation.result import Run
from exactnn.simulation.run import run
from exactnn.simulation.run_lengths import RunLengths
from exactnn.simulation.runnable import Runnable, network_of
from exactnn.simulation.trace import Trace
from exactnn.simulation.verdict import verdict_of
from exactnn.simulation.walk import Position, Stretch, Walk, cut_short_by, outcome_after, values_along
from exactnn.simulation.whole_run import whole_run

__all__ = [
    "Cycle",
    "Executor",
    "IntervalExecutor",
    "LazilyRefinedExecutor",
    "Output",
    "Position",
    "Run",
    "RunLengths",
    "Runnable",
    "Segment",
    "Stretch",
    "Trace",
    "Values",
    "Walk",
    "advance_by",
    "cut_short_by",
    "executor_for",
    "network_of",
    "outcome_after",
    "real_executor_for",
    "rounded_start",
    "run",
    "values_along",
    "verdict_of",
    "whole_run",
]
