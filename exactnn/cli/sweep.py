"""The sweep of ``exactnn threshold --lengths``: wrong verdicts by word length and precision."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from exactnn.arithmetic import FloatFormat, counted
from exactnn.cli.output import emit, emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import row_progress, working
from exactnn.cli.subject import Subject, load_subject
from exactnn.cli.text import shortened
from exactnn.markup import Table
from exactnn.precision import VerdictSweep, ranges_of, verdict_sweep
from exactnn.version import __version__

__all__ = ["Sweep", "sweep_command"]

MOST_ROWS = 40
"""Lengths that are printed; the others are in the JSON record and in the picture."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is swept: lengths, formats, words of a length, the seed that they are drawn by, limit of steps, file."""

    lengths: range
    formats: Sequence[FloatFormat]
    words: int
    seed: int
    max_steps: int | None
    file: str | None


def sweep_command(machine: str, construction: str | None, sweep: Sweep, *, as_json: bool, plot_file: str | None) -> int:
    """Run a sweep and report it; return the exit code."""
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)
    with working("compiling"):
        subject = load_subject(machine, construction)
    began = time.perf_counter()
    with row_progress(len(sweep.lengths), "lengths") as progress:
        found = verdict_sweep(
            subject.runnable, sweep.lengths, sweep.formats, words=sweep.words, seed=sweep.seed,
            max_steps=sweep.max_steps, file=sweep.file, progress=progress,
        )  # fmt: skip
    if plot_file is not None and found.lengths:
        from exactnn.plots import plot_precision_map

        plot_precision_map(found, path=plot_file)
    if as_json:
        emit_json(_record(subject, sweep, found, time.perf_counter() - began))
    else:
        _report(subject, sweep, found)
    return 0 if found.complete and not any(entry.undecided for entry in found.lengths) else LIMIT_REACHED


def _record(subject: Subject, sweep: Sweep, found: VerdictSweep, seconds: float) -> dict[str, Any]:
    return {
        "machine": subject.name,
        "construction": subject.construction.name if subject.construction else None,
        "formats": [str(format) for format in found.formats],
        "precisions": [format.precision for format in sweep.formats],
        "seed": sweep.seed,
        "complete": found.complete,
        "lengths": [
            {
                "length": entry.length,
                "words": entry.words,
                "every": entry.every,
                "steps": entry.steps,
                "undecided": entry.undecided,
                "wrong": list(entry.wrong),
                "examples": [None if word is None else list(map(str, word)) for word in entry.examples],
            }
            for entry in found.lengths
        ],
        "seconds": seconds,
        "exactnn": __version__,
    }


def _report(subject: Subject, sweep: Sweep, found: VerdictSweep) -> None:
    """Print a row for each length, or for some of them, and what they say together."""
    rows = []
    precisions = [format.precision for format in sweep.formats]
    stride = -(-len(found.lengths) // MOST_ROWS) or 1
    for entry in found.lengths[::stride]:
        some = [p for p, wrong in zip(precisions, entry.wrong, strict=True) if wrong]
        every = [p for p, wrong in zip(precisions, entry.wrong, strict=True) if wrong and wrong == entry.words]
        least = next((p for p in precisions if not some or p > some[-1]), None)
        words = f"all {entry.words:,}" if entry.every else entry.words
        wrong = (ranges_of(chosen, precisions) or "none" for chosen in (some, every))
        rows.append((entry.length, words, entry.steps, *wrong, "none" if least is None else least))
    title = f"{shortened(subject.name, 60)}: bits for the right verdict"
    heading = ("length", "words", "steps", "wrong on some", "wrong on all", "right from")
    emit(Table(title=title, heading=heading, rows=tuple(rows)))
    if stride > 1:
        click.echo(f"Every {stride}th length is shown; --json and --plot give all.")
    if undecided := sum(entry.undecided for entry in found.lengths):
        click.echo(f"The exact run reached no verdict within the limit of steps on {counted(undecided, 'word')}.")
    if not found.complete:
        kept = f"; they are kept in {sweep.file}" if sweep.file else ""
        click.echo(f"Interrupted after {len(found.lengths)} of {len(sweep.lengths)} lengths{kept}.")
