"""A run while it runs: what is kept of a walk, on the way and in its checkpoint file."""

import time
from collections.abc import Callable
from math import inf
from typing import cast

from exactnn.errors import CheckpointError, shown
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation.checkpoint import Checkpoint, Progress
from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import Deferring, Executor, Later, Output, State, Values, gives_states
from exactnn.simulation.result import GrowingRunLengths
from exactnn.simulation.trace import Trace
from exactnn.simulation.walk import CUT_SHORT, Position, Stretch, Walk, cut_short_by
from exactnn.size_limit import SizeLimit

__all__ = ["Simulation"]

WRITTEN = 8
"""How many times the memory of a number it takes to write it into a checkpoint file, as texts and copies of them."""


class Simulation:
    """The state of a run while it runs; after an interruption it holds what was computed.

    `size` is told of the numbers that are kept; the executor asks it for those that it computes. Without `all_outputs`
    the first output that is kept is that of the last symbol of the word.
    """

    def __init__(
        self,
        network: Network,
        executor: Executor,
        inputs: list[Input],
        period: int | None,
        progress: Callable[[int], object] | None,
        checkpoint: Checkpoint | None,
        size: SizeLimit,
        *,
        all_outputs: bool = True,
    ) -> None:
        self.network = network
        self.executor = executor
        self.inputs = inputs
        self.period = period
        self.progress = progress
        self.checkpoint = checkpoint
        self.size = size
        self.all_outputs = all_outputs
        state = executor.start()
        self.initial_output = executor.output(state)
        self.position = Position(0, state, self.initial_output)
        self.cycle: Cycle | None = None
        self.outputs: GrowingRunLengths[Output] = GrowingRunLengths()
        self.records: list[tuple[int, Values]] = []
        # With a limit of bits that was given, what a step leaves is counted before the next one.
        self._each = period == 1 and gives_states(executor) and not size.is_given
        self._resumed = False
        self.remark = ""
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
        self.outputs, self.records = saved.outputs, saved.records
        output = self.outputs[-1] if saved.steps else self.initial_output
        self.position = Position(saved.steps, saved.state, output, saved.watch)
        self._resumed = True
        self.began -= saved.seconds
        return saved.steps

    def execute(self, limit: int | None, seconds: float = inf) -> Outcome:
        """Go on to the verdict or to a limit, for so long from now on; return how it ended."""
        try:
            if self._resumed:
                self.size.keep((output for output, _ in self.outputs.runs), WRITTEN)
                self.size.keep((number for _, values in self.records for number in values), WRITTEN)
            outcome = self._go(
                Walk(
                    self.executor,
                    self.inputs,
                    limit=limit,
                    end=time.perf_counter() + seconds,
                    every=None if self._each else self.period,
                    whole_words=True,
                    all_outputs=self.all_outputs,
                    watching=True,
                    begin=self.position,
                )
            )
        except CUT_SHORT as error:
            self.outputs.truncate(self._outputs_until(self.steps))
            outcome = cut_short_by(error)
        if self.checkpoint is not None:
            try:
                self._save()
            except KeyboardInterrupt:  # it ends the writing; the result is worth more than a later checkpoint
                self.remark = "; the checkpoint file is an earlier one: writing it was interrupted"
        return outcome

    @property
    def steps(self) -> int:
        """Network steps taken."""
        return self.position.steps

    @property
    def state(self) -> State:
        """The state after them."""
        return self.position.state

    @property
    def eos_steps(self) -> int:
        """Those of them that were on EOS; negative within the word."""
        return self.steps - len(self.inputs)

    @property
    def trace(self) -> Trace:
        """The records up to these steps."""
        records = self._records_so_far()
        return Trace(
            names=self.network.laid_out.of(Trace, None, lambda: self.network.circuit.state_names),
            steps=tuple(step for step, _ in records),
            states=tuple(values for _, values in records),
        )

    @property
    def final_state(self) -> Later:
        """The numbers of the state after them, which may be computed when they are asked for."""
        if hasattr(self.executor, "later"):
            return cast(Deferring, self.executor).later(self.state)
        return Later.known(self.executor.values(self.state))

    @property
    def seconds(self) -> float:
        """Wall time until now, with that before the checkpoint."""
        return time.perf_counter() - self.began

    def _records_so_far(self) -> list[tuple[int, Values]]:
        return [(step, values) for step, values in self.records if step <= self.steps]

    def _save(self) -> None:
        """Write the checkpoint file, if there is one; the outputs must be those up to the position."""
        if self.checkpoint is not None:
            self.checkpoint.write(
                Progress(
                    steps=self.steps,
                    state=self.state,
                    watch=self.position.watch,
                    outputs=self.outputs,
                    records=self._records_so_far(),
                    seconds=self.seconds,
                )
            )

    def _go(self, walk: Walk) -> Outcome:
        """Go along with the walk, and keep what it gives; the position comes after that, and changes at once."""
        if self.checkpoint is not None and self.progress is not None:
            self.progress(self.steps)
        for stretch in walk:
            steps, state = stretch.position.steps, stretch.position.state
            outputs = self._kept(stretch)
            self.outputs.extend(outputs)
            recorded = len(self.records)
            if self._each:
                states = stretch.segment.each
                self.records += enumerate(map(self.executor.values, states), steps - len(states) + 1)
            elif self.period is not None and steps % self.period == 0:
                self.records.append((steps, self.executor.values(state)))
            self.position = stretch.position
            if self.checkpoint is not None and self.checkpoint.due:
                self._save()
            if self.progress is not None:
                self.progress(steps)
            if stretch.outcome is None:
                self._note_room(outputs, recorded)
        if walk.outcome is Outcome.NON_HALTING and walk.position.watch is not None:
            self.cycle = walk.cycle(self._tell)
        assert walk.outcome is not None
        return walk.outcome

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self.steps)

    def _kept(self, stretch: Stretch) -> list[tuple[Output, int]]:
        """Return the outputs of a stretch that are kept: all, or those from the last symbol of the word on."""
        steps, state, output, _ = stretch.position
        if self.all_outputs or stretch.deciding:
            return stretch.segment.outputs
        if steps < len(self.inputs):
            return []
        return [(self.executor.output(state) if output is None else output, 1)]

    def _outputs_until(self, step: int) -> int:
        """Return how many outputs are kept of so many steps."""
        return step if self.all_outputs else max(0, step - max(0, len(self.inputs) - 1))

    def _note_room(self, outputs: list[tuple[Output, int]], recorded: int) -> None:
        """Take note of the room that is taken by what some steps gave: these outputs, and the records from there on.

        Floats take none that GMP would need.
        """
        times = 1 if self.checkpoint is None else WRITTEN
        if outputs and not isinstance(outputs[0][0], float):
            self.size.keep([output for output, _ in outputs], times)
        for _, values in self.records[recorded:]:
            self.size.keep(values, times)
