"""The one loop that every arithmetic shares: a run while it runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import groupby

from exactnn.errors import BitLimitError, CheckpointError, DigitLimitError, shown
from exactnn.networks import EOS, Input, Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.checkpoint import Checkpoint
from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Executor, Output, Segment, State, Values
from exactnn.simulation.progress import Progress
from exactnn.simulation.recurring import Recurring
from exactnn.simulation.run_lengths import RunLengths
from exactnn.simulation.trace import Trace
from exactnn.simulation.watch import Watch

__all__ = ["Simulation"]

SLICE_SECONDS = 0.05
"""How long an executor works between two looks at the clock, at Ctrl-C and at the progress callback."""


UNBOUNDED = 1 << 32
"""The square of this and the steps so far are as many steps as an executor is asked for that stops by itself."""


class Simulation:
    """The state of a run while it runs; after an interruption it holds what was computed."""

    def __init__(
        self,
        network: Network,
        executor: Executor,
        inputs: list[Input],
        period: int | None,
        progress: Callable[[int], object] | None,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.network = network
        self.executor = executor
        self.inputs = inputs
        self.inside = network.inside(inputs)
        self.period = period
        self.progress = progress
        self.checkpoint = checkpoint
        self.recurring = executor if isinstance(executor, Recurring) else None
        self.position: tuple[int, State, Watch | None] = (0, executor.start(), None)
        self.cycle: Cycle | None = None
        self.initial_output = executor.output(self.state)
        self.outputs: RunLengths[Output] = RunLengths()
        self.records: list[tuple[int, Values]] = []
        self.slice = 1
        if period is not None:
            self.records.append((0, executor.values(self.state)))
        self.began = time.perf_counter()

    def resume(self, limit: int | None) -> int | None:
        """Go to where the checkpoint file is, and return that step; None if there is no file yet."""
        if self.checkpoint is None:
            return None
        saved = self.checkpoint.read()
        if saved is None:
            self._save()  # a file that cannot be written is an error now, not after hours
            return None
        if limit is not None and limit < saved.steps:
            raise CheckpointError(
                f"max_steps={shown(limit)}: {self.checkpoint.name} is at step {shown(saved.steps)} already: "
                "give at least as many, or another file name"
            )
        self.position = (saved.steps, saved.state, saved.watch)
        self.outputs, self.records = saved.outputs, saved.records
        self.began -= saved.seconds
        return saved.steps

    def execute(self, limit: int | None) -> Outcome:
        """Read the word, then EOS symbols as the protocol asks; return how it ended."""
        try:
            outcome = self._read_word(limit)
        except KeyboardInterrupt:
            # Outputs and records come before the position, which changes at once: what is beyond it is cut.
            self.outputs.truncate(self.steps)
            outcome = Outcome.INTERRUPTED
        except DigitLimitError:
            outcome = Outcome.DIGIT_LIMIT
        except BitLimitError:
            outcome = Outcome.BIT_LIMIT
        with suppress(KeyboardInterrupt):  # it ends the writing; the result is worth more than a later checkpoint
            self._save()
        return outcome

    @property
    def steps(self) -> int:
        """Network steps taken."""
        return self.position[0]

    @property
    def state(self) -> State:
        """The state after them."""
        return self.position[1]

    @property
    def eos_steps(self) -> int:
        """Those of them that were on EOS; negative within the word."""
        return self.steps - len(self.inputs)

    @property
    def trace(self) -> Trace:
        """The records up to these steps."""
        records = self._records_so_far()
        return Trace(
            names=self.network.circuit.state_names,
            steps=tuple(step for step, _ in records),
            states=tuple(values for _, values in records),
        )

    @property
    def seconds(self) -> float:
        """Wall time until now, with that before the checkpoint."""
        return time.perf_counter() - self.began

    def _records_so_far(self) -> list[tuple[int, Values]]:
        return [(step, values) for step, values in self.records if step <= self.steps]

    def _save(self) -> None:
        """Write the checkpoint file, if there is one; the outputs must be those up to the position."""
        if self.checkpoint is not None:
            steps, state, watch = self.position
            self.checkpoint.write(
                Progress(
                    steps=steps,
                    state=state,
                    watch=watch,
                    outputs=self.outputs,
                    records=self._records_so_far(),
                    seconds=self.seconds,
                )
            )

    def _read_word(self, limit: int | None) -> Outcome:
        if self.checkpoint is not None and self.progress is not None:
            self.progress(self.steps)
        for symbol, group in groupby(self.inputs[self.steps : self.inside]):
            count = sum(1 for _ in group)
            for _ in self._slices(symbol, count, limit, until_decided=False):
                pass
        if self.eos_steps < 0:
            return Outcome.STEP_LIMIT if self.steps < self.inside else Outcome.OUT_OF_DOMAIN
        return self._decide(limit)

    def _decide(self, limit: int | None) -> Outcome:
        decision = self.network.decision
        if decision.protocol is Protocol.OUTPUTS:
            return Outcome.COMPLETED
        if not decision.protocol.reads_eos:
            output = self.outputs[-1] if self.outputs.count else self.initial_output
            assert not isinstance(output, tuple)
            return decision.outcome(output) or Outcome.UNDECIDED
        assert self.network.alphabet is not None
        symbol = self.network.alphabet.index(EOS)
        self._begin_watch()
        outcome = self._ended()
        if outcome is None:
            slices = self._slices(symbol, None, limit, until_decided=True)
            outcome = next((found for found in slices if found is not None), Outcome.STEP_LIMIT)
        if outcome is Outcome.NON_HALTING:
            self.cycle = self._cycle(symbol)
        return outcome

    def _begin_watch(self) -> None:
        """Watch the run from the end of the word on, if its states are compared."""
        if not self.eos_steps and self.recurring is not None and self.recurring.watches(self.state):
            self.position = (self.steps, self.state, Watch(start=self.state, anchor=self.state))

    def _ended(self) -> Outcome | None:
        """Return how a run from a checkpoint had ended, None if it had not."""
        if not self.eos_steps:
            return None
        output = self.outputs[-1]
        assert not isinstance(output, tuple)
        return self.network.decision.outcome(output) or (Outcome.NON_HALTING if self._recurs(*self.position) else None)

    def _recurs(self, steps: int, state: State, watch: Watch | None) -> bool:
        """Whether the state after so many steps is one that has been there before."""
        if watch is None or self.recurring is None or steps - len(self.inputs) <= watch.anchor_step:
            return False
        return self.recurring.alike(state, watch.anchor)

    def _watch(self, steps: int, state: State) -> Watch | None:
        """Return what to keep of a run that is at `state` after so many steps, for the first time."""
        watch = self.position[2]
        if watch is None or self.recurring is None or not self.recurring.watches(state):
            return None
        return watch.renewed(steps - len(self.inputs), state)

    def _cycle(self, symbol: Input) -> Cycle:
        """Return the cycle that the run is in."""
        watch = self.position[2]
        assert watch is not None
        assert self.recurring is not None
        return watch.cycle(self.eos_steps, self.recurring.alike, partial(self._later, symbol))

    def _later(self, symbol: Input, state: State, count: int) -> State:
        """Return the state `count` steps after a state of this run: they have been taken before."""
        while count:
            began = time.perf_counter()
            segment = self.executor.advance(state, symbol, min(count, self.slice), until_decided=False)
            state, count = segment.state, count - segment.steps
            self._adapt_slice(segment.steps, time.perf_counter() - began)
            if self.progress is not None:
                self.progress(self.steps)
        return state

    def _slices(
        self, symbol: Input, count: int | None, limit: int | None, *, until_decided: bool
    ) -> Iterator[Outcome | None]:
        """Advance `count` times (None: for ever) on one input within the limit, a short while at a time."""
        while count is None or count > 0:
            size = (self.steps + UNBOUNDED) ** 2 if self.executor.paces_itself else self.slice
            if count is not None:
                size = min(size, count)
            if limit is not None:
                size = min(size, limit - self.steps)
            if self.period is not None:
                size = min(size, self.period - self.steps % self.period)
            watch = self.position[2]
            if watch is not None:
                size = min(size, watch.until_renewal(self.eos_steps))
            if size <= 0:
                return
            before = self.steps
            outcome = self._advance(symbol, size, until_decided)
            taken = self.steps - before
            if count is not None:
                count -= taken
            yield outcome

    def _advance(self, symbol: Input, size: int, until_decided: bool) -> Outcome | None:
        began = time.perf_counter()
        segment = self._segment(symbol, size, until_decided)
        steps = self.steps + segment.steps
        self.outputs.extend(segment.outputs)
        if self.period is not None and steps % self.period == 0:
            self.records.append((steps, self.executor.values(segment.state)))
        recurs = segment.outcome is None and self._recurs(steps, segment.state, self.position[2])
        watch = self.position[2] if recurs else self._watch(steps, segment.state)
        self.position = (steps, segment.state, watch)
        self._adapt_slice(segment.steps, time.perf_counter() - began)
        if self.checkpoint is not None and self.checkpoint.due:
            self._save()
        if self.progress is not None:
            self.progress(self.steps)
        return Outcome.NON_HALTING if recurs else segment.outcome

    def _segment(self, symbol: Input, size: int, until_decided: bool) -> Segment:
        watch = self.position[2]
        if watch is None or self.recurring is None:
            return self.executor.advance(self.state, symbol, size, until_decided=until_decided)
        return self.recurring.advance(self.state, symbol, size, until_decided=until_decided, anchor=watch.anchor)

    def _adapt_slice(self, steps: int, elapsed: float) -> None:
        """Let the next slice be longer after a whole one that was short, and shorter after a long one.

        An executor may take any number of steps in no time, so that a slice has no bound; where it stopped early
        by itself, it is not the slice that stopped it.
        """
        if steps == self.slice and elapsed < SLICE_SECONDS:
            self.slice *= 2 if elapsed > SLICE_SECONDS / 64 else 64
        elif elapsed > 2 * SLICE_SECONDS:
            self.slice = max(1, min(self.slice, steps) // 2)
