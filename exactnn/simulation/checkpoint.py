"""The checkpoint file of a run: its progress as versioned JSON with a hash, replaced in one step.

Whatever ends the program, the file is the last one that was written whole. A file that is there already is read as
data from a stranger: its size is bounded, every field is checked, and unless it is of the same run it is left alone.
"""

import json
import os
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from exactnn.arithmetic import Arithmetic, EnclosingArithmetic, exact_text
from exactnn.errors import CheckpointError, OptionError, shown
from exactnn.files import write_file
from exactnn.networks import Input, Network
from exactnn.networks.network_file import network_to_json
from exactnn.options import file_path
from exactnn.options import seconds as seconds_of
from exactnn.simulation.progress import Progress, ProgressFormat

__all__ = ["FORMAT", "SIZE_LIMIT", "VERSION", "Checkpoint", "identity_of"]

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
        except (ValueError, RecursionError) as error:
            raise CheckpointError(f"{self.name} is not a checkpoint file: {shown(str(error))}: {_REMEDY}") from None
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
            what = error.strerror if isinstance(error, OSError) else error
            raise CheckpointError(f"cannot read {self.name}: {what}: give a file that can be read") from None

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
    return sha256(_text_of(data).encode("ascii")).hexdigest()
