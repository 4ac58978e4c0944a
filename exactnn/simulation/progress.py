"""How far a run has come: all that is needed to go on with it, and the same as JSON data."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, assert_never

from exactnn.arithmetic import (
    Arithmetic,
    Certified,
    EnclosingArithmetic,
    ExactArithmetic,
    FixedPoint,
    FloatFormat,
    Interval,
    RationalArithmetic,
)
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Network
from exactnn.simulation.executor import Executor, Output, State, Values
from exactnn.simulation.packed import (
    pack_number,
    pack_numbers,
    unpack_enclosures,
    unpack_floats,
    unpack_integer,
    unpack_numbers,
    unpack_rationals,
)
from exactnn.simulation.recurring import Recurring
from exactnn.simulation.run_lengths import GrowingRunLengths
from exactnn.simulation.watch import Watch, anchor_steps

__all__ = ["Progress", "ProgressFormat"]

_KEYS = {"outputs", "records", "seconds", "state", "steps", "watch"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The steps of a run so far, and what they gave."""

    steps: int
    state: State
    watch: Watch | None
    outputs: GrowingRunLengths[Output]
    records: list[tuple[int, Values]]
    seconds: float


class ProgressFormat:
    """The progress of one run as JSON data, and back.

    Parameters
    ----------
    network : Network
    executor : Executor
        It packs the state.
    arithmetic : Arithmetic
        It says whether outputs are floats or rationals.
    word_length : int
    period : int or None
        Every how many steps a state is recorded.
    """

    def __init__(
        self,
        network: Network,
        executor: Executor,
        arithmetic: Arithmetic | EnclosingArithmetic,
        *,
        word_length: int,
        period: int | None,
    ) -> None:
        self._executor = executor
        self._numbers = _reader(arithmetic)
        self._encloses = arithmetic.encloses
        self._scalar = network.scalar_output
        self._outputs = len(network.readout)
        self._state_size = network.circuit.state_size
        self._word_length = word_length
        self._most_steps = None if network.decision.protocol.reads_eos else word_length
        self._period = period

    def pack(self, progress: Progress) -> dict[str, object]:
        """Return `progress` as JSON data."""
        return {
            "outputs": [[self._packed(output), pack_number(n)] for output, n in progress.outputs.runs],
            "records": [pack_numbers(values) for _, values in progress.records],
            "seconds": pack_number(progress.seconds),
            "state": self._executor.pack(progress.state),
            "steps": pack_number(progress.steps),
            "watch": self._packed_watch(progress),
        }

    def unpack(self, data: object) -> Progress:
        """Return the progress that :meth:`pack` wrote as `data`; raises CheckpointError where it cannot have."""
        if not isinstance(data, dict) or data.keys() != _KEYS:
            raise CheckpointError(f"the progress {shown(data)} is not one of {', '.join(sorted(_KEYS))}")
        steps = unpack_integer(data["steps"])
        if self._most_steps is not None and steps > self._most_steps:
            raise CheckpointError(f"it is at step {shown(steps)}, beyond the word of length {self._most_steps}")
        (seconds,) = unpack_floats([data["seconds"]], 1)
        if not isfinite(seconds) or seconds < 0:
            raise CheckpointError(f"it has taken {shown(seconds)} seconds")
        state = self._executor.unpack(data["state"])
        return Progress(
            steps=steps,
            state=state,
            watch=self._unpacked_watch(data["watch"], state, steps - self._word_length),
            outputs=self._unpacked_outputs(data["outputs"], steps),
            records=self._unpacked_records(data["records"], steps),
            seconds=seconds,
        )

    @staticmethod
    def _packed(output: Output) -> object:
        return pack_numbers(output) if isinstance(output, tuple) else pack_number(output)

    def _packed_watch(self, progress: Progress) -> object:
        """Return what is kept to notice a cycle; at the end of the word it is not needed yet."""
        watch = progress.watch
        if watch is None or progress.steps == self._word_length:
            return None
        return {
            "anchor": self._executor.pack(watch.anchor),
            "anchor step": pack_number(watch.anchor_step),
            "start": self._executor.pack(watch.start),
        }

    def _unpacked_watch(self, data: object, state: State, eos_steps: int) -> Watch | None:
        executor = self._executor
        watched = eos_steps > 0 and isinstance(executor, Recurring) and executor.watches(state)
        if data is None and (self._encloses or not watched):
            return None  # numbers of enclosures may be known again after a state that was not watched, which ends it
        if not watched or not isinstance(data, dict) or data.keys() != {"anchor", "anchor step", "start"}:
            raise CheckpointError(f"{shown(data)} is not what is kept of a run after {shown(eos_steps)} EOS steps")
        anchor_step = unpack_integer(data["anchor step"])
        if anchor_step not in anchor_steps(eos_steps):
            raise CheckpointError(f"its anchor is of EOS step {shown(anchor_step)} at step {shown(eos_steps)}")
        start, anchor = executor.unpack(data["start"]), executor.unpack(data["anchor"])
        return Watch(start=start, anchor=anchor, anchor_step=anchor_step)

    def _unpacked_outputs(self, data: object, steps: int) -> GrowingRunLengths[Output]:
        outputs: GrowingRunLengths[Output] = GrowingRunLengths()
        for entry in _listed(data, "outputs"):
            if not isinstance(entry, list) or len(entry) != 2:
                raise CheckpointError(f"{shown(entry)} is not an output with its repetitions")
            output = self._numbers([entry[0]], 1)[0] if self._scalar else self._numbers(entry[0], self._outputs)
            outputs.append(output, unpack_integer(entry[1]))
        if outputs.count != steps:
            raise CheckpointError(f"it has {shown(outputs.count)} outputs of {shown(steps)} steps")
        return outputs

    def _unpacked_records(self, data: object, steps: int) -> list[tuple[int, Values]]:
        entries = _listed(data, "records")
        expected = 0 if self._period is None else 1 + steps // self._period
        if len(entries) != expected:
            raise CheckpointError(f"it has {len(entries)} recorded states, not {shown(expected)}")
        values = [self._numbers(entry, self._state_size) for entry in entries]
        return [(index * (self._period or 0), entry) for index, entry in enumerate(values)]


def _listed(data: object, what: str) -> list[object]:
    if not isinstance(data, list):
        raise CheckpointError(f"its {what} are {shown(data)}, not a list")
    return data


def _reader(arithmetic: Arithmetic | EnclosingArithmetic) -> Callable[[object, int], Any]:
    """Return what reads numbers of an arithmetic."""
    match arithmetic:
        case ExactArithmetic() | RationalArithmetic():
            return unpack_rationals
        case FloatFormat():
            return unpack_floats if arithmetic.fits_float else unpack_numbers
        case FixedPoint():
            return unpack_floats if arithmetic.fits_float else unpack_rationals
        case Interval() | Certified():
            return unpack_enclosures
        case _:
            assert_never(arithmetic)
