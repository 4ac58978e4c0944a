"""The protocol of a run: the word, then EOS until there is a verdict; the only place that knows it."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import inf
from typing import NamedTuple, cast

from exactnn.errors import BitLimitError, DigitLimitError, SizeLimitError
from exactnn.networks import Input, Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.cycle import Cycle, Recurring
from exactnn.simulation.executor import (
    NO_LIMIT,
    Executor,
    Output,
    Reading,
    Segment,
    State,
    Stepper,
    WordStepper,
)
from exactnn.simulation.stepping import MOST_LETTERS, Watch

__all__ = ["CUT_SHORT", "Position", "Stretch", "Walk", "cut_short_by", "outcome_after", "verdict_of"]


# --- A walk: an executor reads the word, then EOS symbols while the protocol asks for them, and comes to its verdict.
#
# Nobody else knows the protocol: runs, comparisons and queries go along with a walk and look at what it passes. The
# walk owns the limits of steps and time, how many steps are taken between two looks at the clock, and the watch for a
# state that comes again. It keeps nothing of its steps; what a step computes, the executor knows. The checkers of
# certificates have their own code, and where states are a graph `NetworkMoore` follows all EOS steps at once.

SLICE_SECONDS = 0.05
"""How long an executor works between two looks at the clock, at Ctrl-C and at those who go along."""

CUT_SHORT = (KeyboardInterrupt, SizeLimitError, MemoryError, DigitLimitError, BitLimitError)
"""What ends a walk before its verdict, besides the limits of steps and time; :func:`cut_short_by` names its outcome."""


def cut_short_by(error: BaseException) -> Outcome:
    """Return the outcome of a walk that was ended by one of `CUT_SHORT`.

    >>> cut_short_by(KeyboardInterrupt())
    <Outcome.INTERRUPTED: 'interrupted'>
    """
    match error:
        case KeyboardInterrupt():
            return Outcome.INTERRUPTED
        case DigitLimitError():
            return Outcome.DIGIT_LIMIT
        case BitLimitError():
            return Outcome.BIT_LIMIT
        case SizeLimitError() | MemoryError():
            return Outcome.SIZE_LIMIT
    raise error


def outcome_after(network: Network, word_length: int, steps: int, output: Output) -> Outcome | None:
    """Return how a run ends whose last output after so many steps is `output`; None if it goes on.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> counter = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    >>> outcome_after(counter, 2, 1, 1.0), outcome_after(counter, 2, 2, 1.0)
    (None, <Outcome.ACCEPTED: 'accepted'>)
    """
    decision = network.decision
    if steps < word_length or (decision.protocol.reads_eos and steps == word_length):
        return None
    if decision.protocol is Protocol.OUTPUTS:
        return Outcome.COMPLETED
    assert not isinstance(output, tuple)  # networks with verdicts have one output
    return decision.outcome(output) or (None if decision.protocol.reads_eos else Outcome.UNDECIDED)


class Position(NamedTuple):
    """Where a walk is: how many steps it took, and the state after them.

    `output` is that of the last step, and None before the first; `watch` is what is kept of a walk that looks out for
    a state that comes again.
    """

    steps: int
    state: State
    output: Output | None = None
    watch: Watch | None = None


class Stretch(NamedTuple):
    """Some steps: what they gave, and where they led. They are on one input, or `symbol` is the last one of several.

    `deciding` says that the word is over, so that the first verdict ends the walk; `outcome` is set if it ends here.
    """

    symbol: Input
    deciding: bool
    segment: Segment
    position: Position
    outcome: Outcome | None


class Walk:
    """An executor on its way through a word, to its verdict or to a limit; whoever iterates sees each stretch of steps.

    Parameters
    ----------
    executor : Stepper
    inputs : sequence of inputs
        The word.
    limit : int, optional
        Steps, the word's included.
    end : float
        The `time.perf_counter()` at which time is up: no step begins later.
    at_once : int, optional
        The most steps of a stretch, for executors that do not pace themselves; as many as take a short while by
        default.
    every : int, optional
        Stretches end at the multiples of so many steps.
    whole_words : bool
        Whether the steps of a stretch may be on several symbols of the word, where the executor takes many in one call.
    all_outputs : bool
        Whether outputs of steps on the word are wanted; if not, they are not computed where that is faster.
    watching : bool
        Whether a state that comes again under EOS ends the walk, where the executor compares states.
    begin : Position, optional
        Where to begin, by default at the start; a walk that was over there is over at once.

    Attributes
    ----------
    position : Position
        Where it is; of a walk that an exception ended, where the last stretch that was taken led.
    outcome : Outcome or None
        How it ended; None before that.
    adapts : bool
        Whether stretches grow to what takes a short while, as without `at_once`; it may be changed on the way.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation.rational import RationalExecutor
    >>> counter = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], alphabet="ab")
    >>> walk = Walk(RationalExecutor(counter), counter.inputs("aab"))
    >>> [stretch.position.state for stretch in walk], walk.outcome.value
    ([(mpq(1,1),), (mpq(2,1),), (mpq(1,1),)], 'accepted')
    """

    def __init__(
        self,
        executor: Stepper,
        inputs: Sequence[Input],
        *,
        limit: int | None = None,
        end: float = inf,
        at_once: int | None = None,
        every: int | None = None,
        whole_words: bool = False,
        all_outputs: bool = True,
        watching: bool = False,
        begin: Position | None = None,
    ) -> None:
        self.executor = executor
        self.network = executor.network
        self.inputs = inputs
        self.position = Position(0, executor.start()) if begin is None else begin
        self.outcome: Outcome | None = None
        self._eos = self.network.eos
        self._inside = self.network.inside(inputs)
        self._limit, self._end, self._every = limit, end, every
        self._recurring = cast(Recurring, executor) if watching and hasattr(executor, "watches") else None
        # One that paces itself is asked for the whole word: if it read that in one go, nobody would see the clock.
        self._words = self._word_reader(all_outputs or executor.paces_itself) if whole_words else None
        self.adapts = at_once is None
        self._slice = 1 if at_once is None else at_once

    @property
    def eos_steps(self) -> int:
        """Steps on EOS; negative within the word."""
        return self.position.steps - len(self.inputs)

    def _word_reader(self, outputs: bool) -> Callable[[State, Sequence[Input]], Segment] | None:
        """Return what takes steps on several symbols in one call; None if the executor has nothing that does."""
        executor = self.executor
        if not outputs and self.network.alphabet is not None and hasattr(executor, "read"):
            return cast(Reading, executor).read
        return cast(WordStepper, executor).advance_word if hasattr(executor, "advance_word") else None

    def to_the_end(self, stopped: Callable[[], object] = bool) -> Outcome:
        """Go all the way, and return how it ends; an executor that can do so reads the word in one go.

        KeyboardInterrupt is raised where `stopped` is found true, which is asked now and then.
        """
        self._read_word()
        for _ in self:
            if stopped():
                raise KeyboardInterrupt
        assert self.outcome is not None
        return self.outcome

    def _read_word(self) -> None:
        """Go to the end of the word, or to the limit; nobody sees these steps, and the clock is not looked at."""
        steps, state, output, watch = self.position
        symbols = self.inputs[steps : self._inside if self._limit is None else min(self._inside, self._limit)]
        advance = self._word_reader(False)
        if advance is not None:
            done = 0
            while done < len(symbols):
                segment = advance(state, symbols[done:] if done else symbols)
                state, done = segment.state, done + segment.steps
                output = segment.outputs[-1][0] if segment.outputs else None
        else:
            for symbol, group in groupby(symbols):
                left = len(list(group))
                while left:
                    segment = self.executor.advance(state, symbol, left, until_decided=False)
                    state, left, output = segment.state, left - segment.steps, segment.outputs[-1][0]
        self.position = Position(steps + len(symbols), state, output, watch)

    def __iter__(self) -> Iterator[Stretch]:
        yield from self._symbol_by_symbol() if self._words is None else self._along_the_word(self._words)
        if self.eos_steps < 0:
            self.outcome = Outcome.OUT_OF_DOMAIN if self.position.steps == self._inside else self._limit_reached()
            return
        self.outcome = self._outcome_here()
        if self.outcome is None and self._eos is not None:
            if self._recurring is not None:
                self._begin_watch()
            yield from self._stretches(self._eos, None, deciding=True)
            self.outcome = self.outcome or self._limit_reached()

    def _outcome_here(self) -> Outcome | None:
        """Return how the walk ends at its position, where it may have come to an end before; None if it goes on."""
        if self._eos is not None and not self.eos_steps:
            return None
        steps, state, output, watch = self.position
        output = self.executor.output(state) if output is None else output
        outcome = outcome_after(self.network, len(self.inputs), steps, output)
        return Outcome.NON_HALTING if outcome is None and self._recurs(steps, state, watch) else outcome

    def _limit_reached(self) -> Outcome:
        """Return which limit has ended a walk that is not decided."""
        in_time = self._limit is not None and self.position.steps >= self._limit
        return Outcome.STEP_LIMIT if in_time else Outcome.TIME_LIMIT

    def _stretches(self, symbol: Input, last: int | None, *, deciding: bool) -> Iterator[Stretch]:
        """Take steps on one input up to the step `last` (None: for ever) within the limits, a short while at a time."""
        while (last is None or self.position.steps < last) and time.perf_counter() < self._end:
            size = self._size(last)
            if size <= 0:
                return
            began = time.perf_counter()
            steps, state, output, watch = self.position
            if watch is None:
                segment = self.executor.advance(state, symbol, size, until_decided=deciding)
                outcome = segment.outcome
            else:
                segment, watch, outcome = self._advance_watched(watch, symbol, size)
            if segment.outputs:
                output = segment.outputs[-1][0]
            if self.adapts:
                self._adapt(segment.steps, time.perf_counter() - began)
            self.position, self.outcome = Position(steps + segment.steps, segment.state, output, watch), outcome
            yield Stretch(symbol, deciding, segment, self.position, outcome)
            if outcome is not None:
                return

    def _symbol_by_symbol(self) -> Iterator[Stretch]:
        """Take the steps of the word within the limits, equal symbols together."""
        for symbol, group in groupby(self.inputs[min(self.position.steps, self._inside) : self._inside]):
            last = self.position.steps + len(list(group))
            yield from self._stretches(symbol, last, deciding=False)
            if self.position.steps < last:
                return

    def _along_the_word(self, advance: Callable[[State, Sequence[Input]], Segment]) -> Iterator[Stretch]:
        """Take the steps of the word within the limits, a short while at a time, whatever its symbols are."""
        while self.position.steps < self._inside and time.perf_counter() < self._end:
            size = self._size(self._inside)
            if size <= 0:
                return
            began = time.perf_counter()
            steps, state, _, watch = self.position
            segment = advance(state, self.inputs[steps : steps + min(size, MOST_LETTERS)])
            if self.adapts:
                self._adapt(segment.steps, time.perf_counter() - began)
            output = segment.outputs[-1][0] if segment.outputs else None
            self.position = Position(steps + segment.steps, segment.state, output, watch)
            yield Stretch(self.inputs[self.position.steps - 1], False, segment, self.position, None)

    def _size(self, last: int | None) -> int:
        """Return how many steps to ask for, up to the step `last`."""
        steps, _, _, watch = self.position
        size = NO_LIMIT if self._limit is None else self._limit - steps
        if last is not None and last - steps < size:
            size = last - steps
        if not self.executor.paces_itself and self._slice < size:
            size = self._slice
        if self._every is not None:
            size = min(size, self._every - steps % self._every)
        if watch is not None:
            size = min(size, watch.until_renewal(self.eos_steps))
        return size

    def _advance_watched(self, watch: Watch, symbol: Input, size: int) -> tuple[Segment, Watch | None, Outcome | None]:
        """Take steps on EOS with an eye on the anchor; return what is kept then, and the outcome if they end."""
        assert self._recurring is not None
        segment = self._recurring.advance(self.position.state, symbol, size, until_decided=True, anchor=watch.anchor)
        steps, state = self.position.steps + segment.steps, segment.state
        if segment.outcome is None and self._recurs(steps, state, watch):
            return segment, watch, Outcome.NON_HALTING
        eos_steps = steps - len(self.inputs)
        kept = watch.renewed(eos_steps, state) if self._recurring.watches(state, eos_steps) else None
        return segment, kept, segment.outcome

    def _adapt(self, steps: int, elapsed: float) -> None:
        """Let the next slice be longer after a whole one that was short, and shorter after a long one.

        An executor may take any number of steps in no time, so that a slice has no bound; where it stopped early
        by itself, it is not the slice that stopped it.
        """
        if steps == self._slice and elapsed < SLICE_SECONDS:
            self._slice *= 2 if elapsed > SLICE_SECONDS / 64 else 64
        elif elapsed > 2 * SLICE_SECONDS:
            self._slice = max(1, min(self._slice, steps) // 2)

    def _begin_watch(self) -> None:
        """Watch the walk from the end of the word on, if its states are compared."""
        state = self.position.state
        if not self.eos_steps and self._recurring is not None and self._recurring.watches(state, 0):
            self.position = self.position._replace(watch=Watch(start=state, anchor=state))

    def _recurs(self, steps: int, state: State, watch: Watch | None) -> bool:
        """Whether the state after so many steps is one that has been there before."""
        if watch is None or self._recurring is None or steps - len(self.inputs) <= watch.anchor_step:
            return False
        return self._recurring.alike(state, watch.anchor)

    def cycle(self, tell: Callable[[], object]) -> Cycle:
        """Return the cycle that a walk is in whose outcome is "proven non-halting"; `tell` is called now and then."""
        watch, eos = self.position.watch, self._eos
        assert watch is not None
        assert eos is not None
        assert self._recurring is not None

        def later(state: State, count: int) -> State:
            while count:
                began = time.perf_counter()
                segment = self.executor.advance(state, eos, min(count, self._slice), until_decided=False)
                state, count = segment.state, count - segment.steps
                if self.adapts:
                    self._adapt(segment.steps, time.perf_counter() - began)
                tell()
            return state

        return watch.cycle(self.eos_steps, self._recurring.alike, later)


# --- How a run of a word ends, and when: nothing else of it is kept.

LONGEST = 1 << 62
"""Steps that are asked for at once where there is no limit."""


def verdict_of(
    executor: Executor, word: Sequence[int], limit: int | None, stopped: Callable[[], object] = bool
) -> tuple[Outcome, int]:
    """Run a word, given as numbers of symbols, for at most `limit` steps; return how it ends and the steps taken.

    KeyboardInterrupt is raised where `stopped` is found true, which is asked now and then. Where numbers get too long
    within the word, no steps are counted.
    """
    walk = Walk(executor, word, limit=limit, at_once=LONGEST)
    try:
        return walk.to_the_end(stopped), walk.position.steps
    except SizeLimitError:
        return Outcome.SIZE_LIMIT, walk.position.steps
