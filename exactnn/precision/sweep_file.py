"""Sweep files of versions up to 0.1, a line of JSON for each length: they become rows of a ledger."""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from exactnn.campaigns import Ledger, Recorded
from exactnn.campaigns.unit import key_of
from exactnn.errors import CheckpointError, reason_of, shown
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.options import file_path
from exactnn.precision.judge import CHUNK, SweepUnit, digest_of, written_whole

__all__ = ["import_sweep_file"]

FORMAT = "exactnn verdict sweep"
SIZE_LIMIT = 2**28
"""Largest file that is read, in bytes: earlier versions read no longer one either."""

_COUNTS = ("length", "words", "steps", "undecided")


def import_sweep_file(
    path: str | os.PathLike[str], network: AnyNetwork, store: str | os.PathLike[str]
) -> tuple[int, int]:
    """Put the lengths of an old sweep file into a store of :func:`verdict_sweep`.

    Parameters
    ----------
    path : str or path
    network
        That of the sweep.
    store : str or path

    Returns
    -------
    lengths, others : int
        How many lengths are in the store now, and how many are not since they have more than 1000 words: those are
        drawn otherwise today.

    Raises
    ------
    CheckpointError
        If a file cannot be read or written, or is no sweep file of this network.
    """
    name = shown(str(path), limit=1000)
    core = network_of(network)
    header, *lines = _lines(file_path("path", path), name)
    if header.get("format") != FORMAT or header.get("version") != 1 or not _is_header(header):
        raise CheckpointError(f"{name} is no sweep file: give one that exactnn threshold --file has written")
    if header["network"] != digest_of(core):
        raise CheckpointError(f"{name} is of another network than {core.name}: give the machine that was swept")
    done = 0
    with Ledger(store) as ledger:
        for line in lines:
            if not _is_sound(line, len(header["formats"])):
                raise CheckpointError(f"{name} is damaged at {shown(line)}: its lengths before that are in the store")
            if line["words"] <= CHUNK:
                for recorded in _rows(line, header, core, name):
                    ledger.put_recorded(recorded)
                done += 1
    return done, len(lines) - done


def _lines(path: os.PathLike[str], name: str) -> list[dict[str, Any]]:
    """Return the whole lines of a file; a last one that somebody wrote who was killed is left out."""
    try:
        with open(path, "rb") as file:
            data = file.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise CheckpointError(f"{name} has more than {SIZE_LIMIT} bytes: that is no sweep file")
        found = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    except OSError as error:
        raise CheckpointError(f"{name} cannot be read: {reason_of(error)}") from None
    except (ValueError, RecursionError):
        found = []
    if not found or not all(isinstance(line, dict) for line in found):
        raise CheckpointError(f"{name} is no sweep file: give one that exactnn threshold --file has written")
    return found


def _is_header(header: dict[str, Any]) -> bool:
    formats, numbers = header.get("formats"), [header.get("seed"), header.get("words")]
    limit = header.get("max_steps")
    return (
        isinstance(formats, list)
        and all(isinstance(format, str) for format in formats)
        and all(type(number) is int for number in numbers)
        and (limit is None or type(limit) is int)
    )


def _is_sound(data: dict[str, Any], formats: int) -> bool:
    if data.keys() != {*_COUNTS, "every", "wrong", "examples"}:
        return False
    counts, wrong, examples = [data[name] for name in _COUNTS], data["wrong"], data["examples"]
    return (
        isinstance(data["every"], bool)
        and isinstance(wrong, list)
        and isinstance(examples, list)
        and len(wrong) == len(examples) == formats
        and all(type(n) is int and n >= 0 for n in (*counts, *wrong))
        and all(n <= data["words"] and bool(n) == (word is not None) for n, word in zip(wrong, examples, strict=True))
        and all(word is None or (isinstance(word, list) and len(word) == data["length"]) for word in examples)
    )


def _rows(line: dict[str, Any], header: dict[str, Any], network: Network, name: str) -> Iterator[Recorded]:
    symbols: Sequence[object] = network.input_symbols or ()
    for format, wrong, example in zip(header["formats"], line["wrong"], line["examples"], strict=True):
        if example is not None and not all(symbol in symbols for symbol in example):
            raise CheckpointError(f"{name} is damaged at {shown(example)}: these are no symbols of {network.name}")
        limit = header["max_steps"] and written_whole(header["max_steps"])
        identity = {
            "kind": "sweep", "version": SweepUnit.version, "network": header["network"], "format": format,
            "length": line["length"], "chunk": 0, "count": line["words"],
            "seed": None if line["every"] else header["seed"], "max_steps": limit,
        }  # fmt: skip
        row = {
            "steps": written_whole(line["steps"]), "undecided": line["undecided"], "wrong": wrong,
            "example": None if example is None else [symbols.index(symbol) for symbol in example],
        }  # fmt: skip
        yield Recorded(key=key_of(identity), identity=identity, row=row, error=None, seconds=0.0)
