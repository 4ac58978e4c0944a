"""Steps by the clock: how many are taken at a time, Ctrl-C, and who is told of progress."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar

from exactnn.errors import BitLimitError, DigitLimitError, SizeLimitError
from exactnn.networks import Decision, Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Output, Segment, State

__all__ = [
    "LONGEST_SLICE", "MOST_LETTERS", "OneByOne", "Watch", "along_word", "anchor_steps", "slice_end", "take_steps",
]  # fmt: skip


# --- Watching a run under EOS for a state that comes again, and finding where its cycle begins.
#
# Reference: R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20 (1980), 176-184: every
# state is compared with one anchor, which is renewed at powers of two.


def anchor_steps(eos_steps: int) -> tuple[int, ...]:
    """Return at which EOS step the anchor may have been set, after so many.

    At a power of two it is not renewed if the state has just come again: then the run is over.

    Examples
    --------
    >>> [anchor_steps(steps) for steps in (0, 1, 2, 7, 8)]
    [(0,), (1, 0), (2, 1), (4,), (8, 4)]
    """
    if not eos_steps:
        return (0,)
    last = 1 << (eos_steps.bit_length() - 1)
    return (last, last // 2) if last == eos_steps else (last,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is kept of a run under EOS, to notice where a state comes again.

    Parameters
    ----------
    start : State
        The state at the end of the word.
    anchor : State
        The state that all the following ones are compared with.
    anchor_step : int
        After how many EOS steps it was the state: 0 or a power of two.
    """

    start: State
    anchor: State
    anchor_step: int = 0

    def until_renewal(self, eos_steps: int) -> int:
        """Return how many EOS steps there are from `eos_steps` to the one that renews the anchor."""
        return (1 << eos_steps.bit_length()) - eos_steps

    def renewed(self, eos_steps: int, state: State) -> "Watch":
        """Return what to keep after `eos_steps`, whose state did not come again."""
        if eos_steps not in anchor_steps(eos_steps):
            return self
        return replace(self, anchor=state, anchor_step=eos_steps)

    def cycle(
        self, eos_steps: int, alike: Callable[[State, State], bool], later: Callable[[State, int], State]
    ) -> Cycle:
        """Return the cycle of a run that was at the anchor again after `eos_steps`, for the first time since.

        Parameters
        ----------
        eos_steps : int
        alike : callable
            Whether two states are the same.
        later : callable
            The state so many EOS steps after a state.

        Notes
        -----
        The anchor may have come again before, and nobody noticed: the period is a divisor of the steps since then. To
        see that it is no smaller one takes a part of these steps for each of its primes.

        That the states after i and i + period EOS steps are equal is false for all i before the cycle, and true from
        there on: the first one is found by bisection, in fewer than 2 * `eos_steps` steps.
        """
        period = eos_steps - self.anchor_step
        for prime in dict.fromkeys(_primes_of(period)):
            while period % prime == 0 and alike(self.anchor, later(self.anchor, period // prime)):
                period //= prime
        low, behind, ahead = 0, self.start, later(self.start, period)
        if alike(behind, ahead):
            return Cycle(preperiod=0, period=period)
        high = self.anchor_step
        while high - low > 1:
            middle = (low + high) // 2
            pair = later(behind, middle - low), later(ahead, middle - low)
            if alike(*pair):
                high = middle
            else:
                low, (behind, ahead) = middle, pair
        return Cycle(preperiod=high, period=period)


def _primes_of(number: int) -> list[int]:
    """Return the prime factors of a number, each as often as it is one."""
    found, prime = [], 2
    while prime * prime <= number:
        while number % prime == 0:
            found.append(prime)
            number //= prime
        prime += 1
    return found + [number] * (number > 1)


LONGEST_SLICE = 0.05
"""Seconds after which an executor in plain Python takes no further step in one call of `advance`."""

MOST_LETTERS = 1 << 16
"""Letters of a word that an executor which paces itself reads in one call."""

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
    end: float | None = None,
    states: list[Form] | None = None,
) -> Segment:
    """Take up to `count` steps; stop after the first verdict, after a state that `recurs`, or when the time is over.

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
        Whether a state is one at which the steps end.
    end : float, optional
        The `time.perf_counter()` after which no further step is taken; by default that of :func:`slice_end`.
    states : list, optional
        The state after each step is added to it; not where there is one step at most.

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
        return Segment(1, [(output, 1)], state, None)
    outputs: list[tuple[Output, int]] = []
    outcome: Outcome | None = None
    end = slice_end() if end is None else end
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
        if states is not None:
            states.append(state)
        if (recurs is not None and recurs(state)) or time.perf_counter() > end:
            break
    return Segment(len(outputs), outputs, state, outcome, () if states is None else states)


class OneByOne(Generic[Form]):
    """An executor in plain Python: it says what a step is, and the rest of taking steps follows from that."""

    network: Network
    paces_itself = False

    def step_on(self, symbol: Input) -> Callable[[Form], tuple[Form, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""
        raise NotImplementedError

    def alike(self, first: Form, second: Form) -> bool:
        """Whether two states are the same."""
        return first == second

    def advance(
        self, state: Form, symbol: Input, count: int, *, until_decided: bool, anchor: Form | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        return take_steps(
            self.step_on(symbol),
            state,
            count,
            decision=self.network.decision if until_decided else None,
            recurs=None if anchor is None else partial(self.alike, anchor),
        )


def along_word(advance: Callable[..., Segment], state: State, word: Sequence[Input]) -> Segment:
    """Take steps on the inputs of a word, equal ones together, by an executor's `advance`, until some time is over.

    A step that is not possible within the limits of numbers ends the steps, if it is not the first.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation.rational import RationalExecutor
    >>> executor = RationalExecutor(SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab"))
    >>> segment = along_word(executor.advance, executor.start(), [0, 0, 1])
    >>> segment.steps, segment.outputs
    (3, [(mpq(1,1), 1), (mpq(2,1), 1), (mpq(1,1), 1)])
    """
    outputs: list[tuple[Output, int]] = []
    steps, end = 0, slice_end()
    for symbol, group in groupby(word):
        left = len(list(group))
        while left:
            if steps and time.perf_counter() > end:
                return Segment(steps=steps, outputs=outputs, state=state, outcome=None)
            try:
                segment = advance(state, symbol, left, until_decided=False)
            except (BitLimitError, DigitLimitError, SizeLimitError):
                if not steps:
                    raise
                return Segment(steps=steps, outputs=outputs, state=state, outcome=None)
            state, steps, left = segment.state, steps + segment.steps, left - segment.steps
            outputs += segment.outputs
    return Segment(steps=steps, outputs=outputs, state=state, outcome=None)
