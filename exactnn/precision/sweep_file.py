"""The file of a sweep: a line of JSON that says what is swept, and one for each length that is done."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from exactnn.arithmetic import Format
from exactnn.errors import CheckpointError, shown
from exactnn.files import open_log
from exactnn.networks import Network
from exactnn.networks.network_file import network_to_json
from exactnn.options import file_path

__all__ = ["SIZE_LIMIT", "SweepFile"]

FORMAT = "exactnn verdict sweep"
VERSION = 1
SIZE_LIMIT = 2**28
"""Largest file that is read, in bytes."""

_REMEDY = "give another file name, or delete the file to begin anew"
_COUNTS = ("length", "words", "steps", "undecided")


class SweepFile:
    """Keeps the lengths that are done; a last line that is not whole, since the program was killed, is dropped.

    Parameters
    ----------
    path : str or path
    network, formats, words, seed, limit
        What distinguishes the sweep from others.
    """

    def __init__(
        self, path: str | os.PathLike[str], network: Network, formats: Sequence[Format], words: int, seed: int,
        limit: int | None,
    ) -> None:  # fmt: skip
        self._path = file_path("file", path)
        self._name = shown(str(path), limit=1000)
        text = json.dumps(network_to_json(network), separators=(",", ":"), sort_keys=True)
        self._formats = len(formats)
        self._header = {
            "format": FORMAT,
            "version": VERSION,
            "network": sha256(text.encode("ascii")).hexdigest(),
            "formats": [repr(format) for format in formats],
            "words": words,
            "seed": seed,
            "max_steps": limit,
        }

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the lengths that are done, as arguments of SweptLength; begin the file if it is not there.

        Raises
        ------
        CheckpointError
            If it cannot be read or written, is damaged, or is of another sweep.
        """
        with open_log(self._path, error=CheckpointError, subject=self._name) as log:
            if log.size > SIZE_LIMIT:
                raise CheckpointError(f"{self._name} has {log.size} bytes; files of up to {SIZE_LIMIT} are read")
            whole = self._checked(log.read())
            if not whole:
                log.append(_line(self._header))
        for line in whole.splitlines()[1:]:
            yield self._length(line)

    def _checked(self, data: bytes) -> bytes:
        """Return the whole lines of the file's content; raises CheckpointError if they are of something else."""
        header = _line(self._header)
        if not (data.startswith(header) or header.startswith(data)):
            raise CheckpointError(f"{self._name} is no file of this sweep{self._difference(data)}: {_REMEDY}")
        return data[: data.rfind(b"\n") + 1]

    def _difference(self, data: bytes) -> str:
        """Return what the first line of a file of another sweep says otherwise; nothing if it is no such line."""
        try:
            found = json.loads(data.partition(b"\n")[0])
        except (ValueError, RecursionError):
            return ""
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            return ""
        others = {"network": "another network", "formats": "other formats"}
        parts = [
            others.get(name, f"{name}={shown(found.get(name))} instead of {shown(asked)}")
            for name, asked in self._header.items()
            if found.get(name) != asked
        ]
        return f", it has {', '.join(parts)}" if parts else ""

    def append(self, entry: Any) -> None:
        """Write a length that is done; raises CheckpointError if that is not possible."""
        with open_log(self._path, error=CheckpointError, subject=self._name) as log:
            if not log.size:  # somebody removed the file meanwhile
                log.append(_line(self._header))
            log.append(_line(asdict(entry)))

    def _data(self, line: bytes) -> Any:
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise CheckpointError(f"{self._name} is damaged at {shown(line)}: {_REMEDY}") from None

    def _length(self, line: bytes) -> dict[str, Any]:
        data = self._data(line)
        fields = {*_COUNTS, "every", "wrong", "examples"}
        if not isinstance(data, dict) or data.keys() != fields or not self._is_sound(data):
            raise CheckpointError(f"{self._name} is damaged at {shown(line)}: {_REMEDY}")
        examples = tuple(None if word is None else tuple(word) for word in data["examples"])
        return {**data, "wrong": tuple(data["wrong"]), "examples": examples}

    def _is_sound(self, data: dict[str, Any]) -> bool:
        counts = [data[name] for name in _COUNTS]
        wrong, examples = data["wrong"], data["examples"]
        most = data["words"]
        return (
            isinstance(data["every"], bool)
            and isinstance(wrong, list)
            and isinstance(examples, list)
            and len(wrong) == len(examples) == self._formats
            and all(type(n) is int and n >= 0 for n in (*counts, *wrong))
            and all(n <= most and bool(n) == (word is not None) for n, word in zip(wrong, examples, strict=True))
            and all(word is None or (isinstance(word, list) and len(word) == data["length"]) for word in examples)
        )


def _line(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"
