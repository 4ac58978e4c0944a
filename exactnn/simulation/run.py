"""Running a network on a word: the one loop that every arithmetic shares."""

import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Protocol

from exactnn.arithmetic import EXACT, Arithmetic, ExactArithmetic, RationalArithmetic
from exactnn.errors import CheckpointError, NetworkError, OptionError, PrecisionWarning, shown, step_limit
from exactnn.networks import EOS, Input, Network
from exactnn.networks import Protocol as Acceptance
from exactnn.outcome import Outcome
from exactnn.simulation.checkpoint import Checkpoint, identity_of
from exactnn.simulation.executor import Executor, Output, State, Values
from exactnn.simulation.executors import exact_executor_for, executor_for
from exactnn.simulation.progress import Progress, ProgressFormat
from exactnn.simulation.result import Run
from exactnn.simulation.run_lengths import RunLengths
from exactnn.simulation.trace import Trace

__all__ = ["Runnable", "network_of", "run"]

SLICE_SECONDS = 0.05
"""How long an executor works between two looks at the clock, at Ctrl-C and at the progress callback."""


UNBOUNDED = 1 << 32
"""The square of this and the steps so far are as many steps as an executor is asked for that stops by itself."""

_EVERY = re.compile(r"every-[0-9]{1,18}")


class Runnable(Protocol):
    """A network together with what its steps mean (a construction)."""

    @property
    def network(self) -> Network:
        """The network."""

    def machine_steps(self, steps: int, word_length: int) -> int:
        """Moves of the simulated machine after so many network steps on a word of that length."""

    def decode(self, state: Values, *, cells: int | None = None) -> object:
        """The configuration that a network state stands for."""


def run(
    network: Network | Runnable,
    word: str | Sequence[object] = "",
    *,
    arithmetic: Arithmetic = EXACT,
    max_steps: int | None = None,
    record: str | int = "outputs",
    progress: Callable[[int], object] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 60,
    certify: bool = False,
    safe_length: int | None = None,
) -> Run:
    """Run `network` on `word` in `arithmetic`, with as many EOS steps after it as its protocol needs.

    Parameters
    ----------
    network : Network or Construction
    word : str or sequence
        Symbols of the network's alphabet, or input vectors if it has none.
    arithmetic : Arithmetic
        The number system in which the circuit is executed.
    max_steps : int, optional
        Stop after this many network steps (the word's included) with the outcome "step limit". Without it a
        network that never decides runs until it is interrupted; Ctrl-C gives back what was computed.
    record : "outputs", "all", "every-k" or int k
        Which states the trace keeps: none, every one, or every k-th (the initial one included).
    progress : callable, optional
        Called now and then with the number of steps done; with a checkpoint, first with the step at which the run
        goes on.
    checkpoint : str or path, optional
        A file that keeps the progress of this run: written at its beginning, now and then, and at its end, also if
        that is Ctrl-C or the step limit. If the file is there, the run goes on from it and gives what it would
        have given in one go. Nothing but a whole file ever takes its place, so that the program may be killed
        at any time. The file stays: the same call gives the result again at once, and a larger `max_steps` goes on.
        One run at a time may use it.
    checkpoint_seconds : float
        How often the file is written, at least as long as that takes a small part of the time only.
    certify : bool
        Give the run a certificate, which :func:`exactnn.check_certificate` verifies in plain rationals: that this
        network on this word gives this verdict after exactly so many EOS steps. Steps that are taken one by one are
        checked modulo a prime besides. With exact arithmetic only. Where no certificate can be made, `Run.engine`
        says why.
    safe_length : int, optional
        Longest words on which this network is known to be right in this arithmetic, such as
        :meth:`exactnn.VerdictSweep.safe_length` says: a longer word gives a PrecisionWarning.

    Raises
    ------
    WordError
        If the word does not fit the alphabet or the input size.
    OptionError
        If `max_steps` is negative, `record` is none of these, or a run in another arithmetic is to be certified.
    UnsupportedArithmeticError
        If the arithmetic cannot run this network.
    CheckpointError
        If the checkpoint file cannot be written or read, is damaged, is of another network, word, arithmetic or
        `record`, or is beyond `max_steps` already. It is left as it was.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> run(halves, [1, 0, 0]).outputs[:]
    [mpq(1,1), mpq(1,2), mpq(1,4)]
    """
    core = network_of(network)
    limit = step_limit(max_steps)
    if certify and not isinstance(arithmetic, ExactArithmetic):
        raise OptionError(f"certify=True with arithmetic {shown(arithmetic)}: only runs in exactnn.EXACT are certified")
    period = _period(record)
    executor = exact_executor_for(core, shadow=True) if certify else executor_for(core, arithmetic)
    inputs = core.inputs(word)
    _warn_beyond(safe_length, len(inputs), arithmetic)
    file = None
    if checkpoint is not None:
        identity = identity_of(core, inputs, arithmetic, period)
        fields = ProgressFormat(core, executor, arithmetic, word_length=len(inputs), period=period)
        file = Checkpoint(checkpoint, checkpoint_seconds, identity, fields)
    simulation = _Simulation(core, executor, period, progress, file)
    resumed_from = simulation.resume(limit)
    outcome = simulation.execute(inputs, limit)
    eos_steps = max(0, simulation.steps - len(inputs))
    certificate, remark = _certificate(core, inputs, eos_steps, outcome) if certify else (None, "")
    machine_steps = None if isinstance(network, Network) else network.machine_steps(simulation.steps, len(inputs))
    return Run(
        network=core,
        word=core.written(inputs),
        arithmetic=arithmetic,
        outcome=outcome,
        steps=simulation.steps,
        eos_steps=eos_steps,
        machine_steps=machine_steps,
        initial_output=simulation.initial_output,
        outputs=simulation.outputs,
        trace=simulation.trace,
        final_state=executor.values(simulation.state),
        engine=executor.engine + remark,
        certificate=certificate,
        seconds=simulation.seconds,
        resumed_from=resumed_from,
    )


def _certificate(
    network: Network, inputs: list[Input], eos_steps: int, outcome: Outcome
) -> tuple[dict[str, Any] | None, str]:
    """Return a certificate of a run, or None and a remark that says why there is none."""
    if outcome.verdict is None and outcome is not Outcome.HALTED:
        return None, f"; no certificate: the outcome is {outcome}"
    if not eos_steps:
        return None, "; no certificate: the run has no EOS steps"
    from exactnn.simulation.positional.certify import certificate_of

    try:
        return certificate_of(network, inputs, eos_steps, outcome), "; with a certificate"
    except OptionError as error:
        return None, f"; no certificate: {error}"
    except KeyboardInterrupt:  # the run itself is done, and worth keeping
        return None, "; no certificate: it was interrupted"


def _warn_beyond(safe_length: int | None, length: int, arithmetic: Arithmetic) -> None:
    if safe_length is None:
        return
    if not isinstance(safe_length, int) or safe_length < 0:
        raise OptionError(f"safe_length={shown(safe_length)}: give a length of at least 0, or None")
    if length > safe_length and not isinstance(arithmetic, (ExactArithmetic, RationalArithmetic)):
        warnings.warn(
            f"a word of {length} symbols in {arithmetic}, which is known to be right for up to {safe_length} only",
            PrecisionWarning,
            stacklevel=3,
        )


def network_of(network: object) -> Network:
    """Return the network of a Network or a Construction; raises NetworkError for anything else."""
    core = network if isinstance(network, Network) else getattr(network, "network", None)
    if not isinstance(core, Network):
        raise NetworkError(
            f"{shown(network)} is no network: give a Network or a Construction (exactnn.compile makes one of a machine)"
        )
    return core


class _Simulation:
    """The state of a run while it runs; after an interruption it holds what was computed."""

    def __init__(
        self,
        network: Network,
        executor: Executor,
        period: int | None,
        progress: Callable[[int], object] | None,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.network = network
        self.executor = executor
        self.period = period
        self.progress = progress
        self.checkpoint = checkpoint
        self.position: tuple[int, State] = (0, executor.start())
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
        self.position = (saved.steps, saved.state)
        self.outputs, self.records = saved.outputs, saved.records
        self.began -= saved.seconds
        return saved.steps

    def execute(self, inputs: list[Input], limit: int | None) -> Outcome:
        """Read the word, then EOS symbols as the protocol asks; return how it ended."""
        try:
            outcome = self._read_word(inputs, limit)
        except KeyboardInterrupt:
            # Outputs and records come before the position, which changes at once: what is beyond it is cut.
            self.outputs.truncate(self.steps)
            outcome = Outcome.INTERRUPTED
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
            steps, state = self.position
            records = self._records_so_far()
            progress = Progress(steps=steps, state=state, outputs=self.outputs, records=records, seconds=self.seconds)
            self.checkpoint.write(progress)

    def _read_word(self, inputs: list[Input], limit: int | None) -> Outcome:
        if self.checkpoint is not None and self.progress is not None:
            self.progress(self.steps)
        for symbol, group in groupby(inputs[self.steps :]):
            count = sum(1 for _ in group)
            for _ in self._slices(symbol, count, limit, until_decided=False):
                pass
        if self.steps < len(inputs):
            return Outcome.STEP_LIMIT
        return self._decide(limit, after_eos=self.steps > len(inputs))

    def _decide(self, limit: int | None, *, after_eos: bool) -> Outcome:
        decision = self.network.decision
        if decision.protocol is Acceptance.OUTPUTS:
            return Outcome.COMPLETED
        if not decision.protocol.reads_eos:
            output = self.outputs[-1] if self.outputs.count else self.initial_output
            assert not isinstance(output, tuple)
            return decision.outcome(output) or Outcome.UNDECIDED
        assert self.network.alphabet is not None
        if after_eos:  # from a checkpoint, perhaps with the verdict
            output = self.outputs[-1]
            assert not isinstance(output, tuple)
            verdict = decision.outcome(output)
            if verdict is not None:
                return verdict
        for outcome in self._slices(self.network.alphabet.index(EOS), None, limit, until_decided=True):
            if outcome is not None:
                return outcome
        return Outcome.STEP_LIMIT

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
        segment = self.executor.advance(self.state, symbol, size, until_decided=until_decided)
        steps = self.steps + segment.steps
        self.outputs.extend(segment.outputs)
        if self.period is not None and steps % self.period == 0:
            self.records.append((steps, self.executor.values(segment.state)))
        self.position = (steps, segment.state)
        self._adapt_slice(segment.steps, time.perf_counter() - began)
        if self.checkpoint is not None and self.checkpoint.due:
            self._save()
        if self.progress is not None:
            self.progress(self.steps)
        return segment.outcome

    def _adapt_slice(self, steps: int, elapsed: float) -> None:
        """Let the next slice be longer after a whole one that was short, and shorter after a long one.

        An executor may take any number of steps in no time, so that a slice has no bound; where it stopped early
        by itself, it is not the slice that stopped it.
        """
        if steps == self.slice and elapsed < SLICE_SECONDS:
            self.slice *= 2 if elapsed > SLICE_SECONDS / 64 else 64
        elif elapsed > 2 * SLICE_SECONDS:
            self.slice = max(1, min(self.slice, steps) // 2)


def _period(record: str | int) -> int | None:
    """Return every how many steps a state is recorded, or None for never."""
    if record == "outputs":
        return None
    if record == "all":
        return 1
    period = record
    if isinstance(record, str) and _EVERY.fullmatch(record):
        period = int(record[6:])
    if isinstance(period, int) and period >= 1:
        return period
    raise OptionError(f"record={shown(record)}: give 'outputs', 'all', 'every-k' or a whole number k of at least 1")
