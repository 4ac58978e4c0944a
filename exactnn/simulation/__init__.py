"""Where a network meets an arithmetic: executors, and `run`."""

from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Executor, Output, Segment, Values, advance_by
from exactnn.simulation.executors import executor_for
from exactnn.simulation.intervals import IntervalExecutor
from exactnn.simulation.lazily_refined import LazilyRefinedExecutor, real_executor_for, rounded_start
from exactnn.simulation.result import Run, RunLengths
from exactnn.simulation.run import run, whole_run
from exactnn.simulation.trace import Trace
from exactnn.simulation.walk import Position, Stretch, Walk, cut_short_by, outcome_after, values_along, verdict_of

__all__ = [
    "Cycle",
    "Executor",
    "IntervalExecutor",
    "LazilyRefinedExecutor",
    "Output",
    "Position",
    "Run",
    "RunLengths",
    "Segment",
    "Stretch",
    "Trace",
    "Values",
    "Walk",
    "advance_by",
    "cut_short_by",
    "executor_for",
    "outcome_after",
    "real_executor_for",
    "rounded_start",
    "run",
    "values_along",
    "verdict_of",
    "whole_run",
]
