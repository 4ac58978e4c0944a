"""Records of long studies: a line of JSON for everything that is done. A run goes on after the last."""

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

__all__ = ["lines_of"]


def lines_of(record: Path, names: Collection[str] = (), *, goes_on: bool = True) -> list[dict[str, Any]]:
    """Return the lines of a record, which all have these names; there may be none.

    What was killed while it wrote leaves half a line at the end. It is cut off if the study goes on, whose next
    line is to begin anew.

    Raises
    ------
    click.BadParameter
        If the record cannot be read, or is none, or cannot be written.
    """
    if not record.parent.is_dir():
        raise _refused(f"{record}: there is no folder {record.parent}; make it first")
    if not record.exists():
        return []
    try:
        whole = record.read_bytes()
    except OSError as error:
        raise _refused(f"{record} cannot be read: {error.strerror}") from error
    *texts, half = whole.split(b"\n")
    lines = [_line(text, number, record, names) for number, text in enumerate(texts, start=1)]
    if half:
        click.echo(f"{record}: line {len(lines) + 1} was not written to its end, and does not count", err=True)
    if half and goes_on:
        os.truncate(record, len(whole) - len(half))
    return lines


def _line(text: bytes, number: int, record: Path, names: Collection[str]) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except ValueError as error:  # no JSON, or no UTF-8
        raise _refused(f"{record}: line {number} is no JSON; give another file, or take the line out") from error
    if not isinstance(line, dict) or not line.keys() >= set(names):
        raise _refused(f"{record}: line {number} is none of this record; give another file, or take the line out")
    return line


def _refused(what: str) -> click.BadParameter:
    return click.BadParameter(what, param_hint="--record")
