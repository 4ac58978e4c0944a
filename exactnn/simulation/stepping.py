"""The loop of executors in plain Python: steps on one input, as many as are asked for while they do not take long."""

import time
from collections.abc import Callable
from typing import TypeVar

from exactnn.errors import BitLimitError, DigitLimitError, SizeLimitError
from exactnn.networks import Decision
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Output, Segment

__all__ = ["LONGEST_SLICE", "slice_end", "take_steps"]

LONGEST_SLICE = 0.05
"""Seconds after which an executor in plain Python takes no further step in one call of `advance`."""

Form = TypeVar("Form")
"""An executor's own form of a state."""


def slice_end() -> float:
    """Return the `time.perf_counter()` after which a call of `advance` that begins now takes no further step."""
    return time.perf_counter() + LONGEST_SLICE


def take_steps(
    step: Callable[[Form], tuple[Form, Output]],
    state: Form,
    count: int,
    *,
    decision: Decision | None = None,
    recurs: Callable[[Form], bool] | None = None,
) -> Segment:
    """Take up to `count` steps; stop after the first verdict, after a state that `recurs`, or after a slow one.

    A step that is not possible within the limits of numbers ends the steps, if it is not the first: what was reached
    before it is worth keeping.

    Parameters
    ----------
    step : callable
        From a state to the one after it, with its output.
    state : state
    count : int
    decision : Decision, optional
        It says what outputs say; without it no verdict ends the steps.
    recurs : callable, optional

    Raises
    ------
    SizeLimitError, BitLimitError, DigitLimitError
        If the first step raises it.

    Examples
    --------
    >>> take_steps(lambda state: (2 * state, state), 1, 5).outputs
    [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1)]
    """
    if count == 1 and decision is None:  # as in a word, which may be short: there is nothing to look after
        state, output = step(state)
        return Segment(steps=1, outputs=[(output, 1)], state=state, outcome=None)
    outputs: list[tuple[Output, int]] = []
    outcome: Outcome | None = None
    end = slice_end()
    while len(outputs) < count and outcome is None:
        try:
            following, output = step(state)
            if decision is not None and not isinstance(output, tuple):
                outcome = decision.outcome(output)
        except (BitLimitError, DigitLimitError, SizeLimitError):
            if not outputs:
                raise
            break
        state = following
        outputs.append((output, 1))
        if (recurs is not None and recurs(state)) or time.perf_counter() > end:
            break
    return Segment(steps=len(outputs), outputs=outputs, state=state, outcome=outcome)
