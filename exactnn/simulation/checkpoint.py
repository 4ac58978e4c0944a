"""Checkpoints of long runs: what has been computed, written to a file, and read again."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, assert_never

from exactnn.arithmetic import (
    EXACT,
    Arithmetic,
    Certified,
    EnclosingArithmetic,
    ExactArithmetic,
    FixedPoint,
    FloatFormat,
    Interval,
    RationalArithmetic,
    exact_text,
)
from exactnn.errors import CheckpointError, OptionError, reason_of, shown
from exactnn.files import write_file
from exactnn.interrupts import loaded
from exactnn.networks import Input, Network
from exactnn.networks.network_file import network_to_json
from exactnn.options import file_path
from exactnn.options import seconds as seconds_of
from exactnn.simulation.cycle import Recurring
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
from exactnn.simulation.result import GrowingRunLengths
from exactnn.simulation.stepping import Watch, anchor_steps

__all__ = ["FORMAT", "SIZE_LIMIT", "VERSION", "Checkpoint", "Progress", "ProgressFormat", "identity_of"]


# --- How far a run has come: all that is needed to go on with it, and the same as JSON data.

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
        self._may_lose_watch = arithmetic.encloses or arithmetic == EXACT
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
        watched = eos_steps > 0 and isinstance(executor, Recurring) and executor.watches(state, eos_steps - 1)
        if data is None and (self._may_lose_watch or not watched):
            return None  # states before may not have been watched: not all numbers were known, or it was macro mode
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


# --- The checkpoint file of a run: its progress as versioned JSON with a hash, replaced in one step.
#
# Whatever ends the program, the file is the last one that was written whole. A file that is there already is read as
# data from a stranger: its size is bounded, every field is checked, and unless it is of the same run it is left alone.

FORMAT = "exactnn checkpoint"
VERSION = 3
"""To be raised with every change of what an executor packs, so that an older file is refused."""
SIZE_LIMIT = 2**31
"""Largest checkpoint file that is written or read, in bytes."""

SHARE = 10
"""Writing takes at most one part in so many of the time: a file that grows is written less often."""

LONGEST_WAIT = 1e9
"""Seconds: as good as never."""

_REMEDY = "give another file name, or delete the file to begin anew"


class Checkpoint:
    """A file that keeps the progress of one run.

    Parameters
    ----------
    path : str or path
        A link is followed once, now; a new folder of the process later on changes nothing.
    seconds : float
        How often the file is to be written.
    identity : dict
        What distinguishes the run from others, as :func:`identity_of` says it.
    progress_format : ProgressFormat

    Raises
    ------
    OptionError
        If `path` is no file name or `seconds` no number of at least 0.
    """

    def __init__(
        self, path: str | os.PathLike[str], seconds: float, identity: dict[str, str], progress_format: ProgressFormat
    ) -> None:
        try:
            self.path = Path(os.path.realpath(file_path("checkpoint", path)))
        except (OSError, ValueError) as error:
            raise OptionError(f"checkpoint={shown(path)}: {error}: give a file name") from None
        self._seconds = min(seconds_of("checkpoint_seconds", seconds), LONGEST_WAIT)
        self._identity = identity
        self._format = progress_format
        self._written: int | None = None
        self._due = time.monotonic()

    @property
    def name(self) -> str:
        """The file's path for a message, whole: its end names the file."""
        return shown(str(self.path), limit=1000)

    @property
    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() >= self._due

    def read(self) -> Progress | None:
        """Return the progress in the file, or None if there is no file.

        Raises
        ------
        CheckpointError
            If the file cannot be read, is damaged, or is of another run.
        """
        text = self._text()
        if text is None:
            return None
        try:
            progress = self._format.unpack(self._payload(json.loads(text)))
        except CheckpointError as error:
            raise CheckpointError(f"{self.name}: {error}: {_REMEDY}") from None
        except (ValueError, RecursionError):
            raise CheckpointError(f"{self.name} is not a checkpoint file, which would be JSON: {_REMEDY}") from None
        self._written = progress.steps
        return progress

    def write(self, progress: Progress) -> None:
        """Put `progress` into the file, unless it is there.

        Raises
        ------
        CheckpointError
            If the file cannot be written or would be too large; it stays as it was.
        """
        if progress.steps == self._written:
            return
        began = time.monotonic()
        payload = {"identity": self._identity, "progress": self._format.pack(progress)}
        data = {"format": FORMAT, "version": VERSION, "sha256": _hash(payload), "payload": payload}
        text = _text_of(data)
        if len(text) > SIZE_LIMIT:
            raise CheckpointError(
                f"the progress at step {shown(progress.steps)} takes {len(text)} bytes, and {self.name} may have "
                f"{SIZE_LIMIT}: record fewer states, or run without a checkpoint"
            )
        write_file(self.path, text.encode("ascii"), error=CheckpointError)
        self._written = progress.steps
        now = time.monotonic()
        self._due = now + max(self._seconds, (SHARE - 1) * (now - began))

    def _text(self) -> str | None:
        try:
            if not self.path.exists():
                return None
            if not self.path.is_file():
                raise CheckpointError(f"{self.name} is not a regular file: give another file name")
            size = self.path.stat().st_size
            if size > SIZE_LIMIT:
                raise CheckpointError(f"{self.name} has {size} bytes, and up to {SIZE_LIMIT} are read: {_REMEDY}")
            with self.path.open("rb") as file:
                return file.read(size).decode("utf-8")
        except UnicodeDecodeError as error:
            raise CheckpointError(f"{self.name} is not UTF-8 text: byte {error.start}: {_REMEDY}") from None
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"cannot read {self.name}: {reason_of(error)}: give a file that can be read"
            ) from None

    def _payload(self, data: Any) -> Any:
        """Return the progress data of a file of this run."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise CheckpointError(f'this is not a checkpoint file, whose "format" would be {FORMAT!r}')
        if data.get("version") != VERSION or isinstance(data["version"], bool):
            raise CheckpointError(f'"version" is {shown(data.get("version"))}; this exactnn reads version {VERSION}')
        payload = data.get("payload")
        if data.get("sha256") != _hash(payload):
            raise CheckpointError("the file is damaged: its contents do not have the SHA-256 hash that it gives")
        if not isinstance(payload, dict) or not isinstance(payload.get("identity"), dict):
            raise CheckpointError("the file does not say which run it is of")
        found = payload["identity"]
        different = [key for key, value in self._identity.items() if found.get(key) != value]
        if different:
            raise CheckpointError(f"this is the checkpoint of a run with another {' and another '.join(different)}")
        return payload.get("progress")


def identity_of(
    network: Network, inputs: list[Input], arithmetic: Arithmetic | EnclosingArithmetic, period: int | None
) -> dict[str, str]:
    """Return what distinguishes a run: two runs with the same give the same, as far as both go."""
    word = [symbol if isinstance(symbol, int) else [exact_text(entry) for entry in symbol] for symbol in inputs]
    return {
        "network": _hash(network_to_json(network)),
        "word": _hash(word),
        "arithmetic": repr(arithmetic),
        "record option": "none" if period is None else hex(period),
    }


def _text_of(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), sort_keys=True)


def _hash(data: object) -> str:
    digest: str = loaded("hashlib").sha256(_text_of(data).encode("ascii")).hexdigest()
    return digest
