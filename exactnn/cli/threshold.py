"""``exactnn threshold``: every precision of a range on words, and which of them are right."""

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from exactnn.arithmetic import FloatFormat, counted
from exactnn.cli.arguments import (
    StepLimit,
    construction_option,
    jobs_option,
    json_option,
    machine_argument,
    n_option,
    scheduler_option,
    seconds_option,
    store_option,
    words_argument,
    workers,
)
from exactnn.cli.output_files import attempt, check_new_files, force_option
from exactnn.cli.printing import emit, emit_interruption, emit_json, one_line, row_progress, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Case, Subject, cases_of, load_subject, number_range, picture_title
from exactnn.errors import ExactnnError, OptionError, shown
from exactnn.markup import Table
from exactnn.networks import network_of
from exactnn.precision import (
    PrecisionThreshold,
    VerdictSweep,
    precision_threshold,
    ranges_of,
    threshold_table,
    verdict_sweep,
)
from exactnn.version import __version__

__all__ = ["command"]

LARGEST_PRECISION = 10_000
SWEEP_STEPS = 1_000_000
"""Network steps of a word of a sweep, unless others are given."""

MOST_FAILURES = 5
MOST_ROWS = 40
"""Lengths that are printed; the others are in the JSON record and in the picture."""


@click.command("threshold")
@machine_argument
@words_argument
@n_option("1:8")
@click.option("--precision", default="2:64", show_default=True, metavar="FIRST:LAST", help="Bits of the significand.")
@click.option("--exponent-bits", type=int, default=10, show_default=True, metavar="E", help="Of every format.")
@click.option("--rounding", default="nearest even", show_default=True, metavar="MODE", help="As in exactnn.Rounding.")
@click.option(
    "--criterion", default="verdict", show_default=True, metavar="WHAT", help="value, configuration or verdict."
)
@click.option("--lengths", metavar="FIRST:LAST[:STEP]", help="Sweep all words of these lengths, or some at random.")
@click.option("--words", "most", type=int, default=1000, show_default=True, metavar="N", help="Of a length, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which words of a length are drawn.")
@store_option("--lengths")
@click.option(
    "--keep",
    metavar="DIR",
    help="With --lengths: write a row for every word to DIR, as Parquet files that workers write.",
)
@click.option("--file", "old_file", hidden=True)
@jobs_option
@scheduler_option
@construction_option
@click.option(
    "--max-steps",
    type=StepLimit(),
    metavar="N",
    help="Stop the run of a word after N network steps, or none for no limit. With --lengths 10^6 unless given: there "
    "it is part of the question.",
)
@seconds_option
@json_option
@click.option("--plot", "plot_file", metavar="FILE", help="Draw a map of lengths and precisions: .png, .svg or .pdf.")
@force_option
def command(
    machine: str,
    words: tuple[str, ...],
    n: str,
    precision: str,
    exponent_bits: int,
    rounding: str,
    criterion: str,
    lengths: str | None,
    most: int,
    seed: int,
    store: str | None,
    keep: str | None,
    old_file: str | None,
    jobs: int,
    scheduler: str | None,
    construction: str | None,
    max_steps: int | None,
    seconds: float | None,
    as_json: bool,
    plot_file: str | None,
    force: bool,
) -> int:
    """Run M on words exactly and in every precision of a range, and show which precisions are right.

    A PATTERN such as 'a^n b^n' stands for one word for each n of --n. Without words, those that M's file names are
    taken. A precision can be right where a larger one is wrong, so each is tried.

    With --lengths the verdicts of many words of each length are counted instead.
    """
    if old_file is not None:
        raise OptionError(
            f"--file {shown(old_file)} is of an earlier version: give --store FILE; "
            "'exactnn campaign import OLD FILE M' makes a store of an old file"
        )
    tried = _range_of(precision)
    check_map(plot_file, force=force, store=store)
    if lengths is not None:
        if words or criterion != "verdict":
            raise OptionError(
                "--lengths goes with no words and no other --criterion: it draws words, for their verdicts"
            )
        if not _left_out("seconds"):
            raise OptionError("--seconds is no limit of --lengths, which finds the same at any speed: give --max-steps")
        limit = SWEEP_STEPS if _left_out("max_steps") else max_steps
        formats = [FloatFormat(precision=p, exponent_bits=exponent_bits, rounding=rounding) for p in tried]
        sweep = Sweep(number_range(lengths), formats, most, seed, limit, store, keep)
        with working("compiling"):
            subject = load_subject(machine, construction)
        warm_up = partial(verdict_sweep, network_of(subject.runnable), [2], formats, words=4, max_steps=99)
        with workers(jobs, scheduler, warm_up) as executor:
            return sweep_command(subject, sweep, executor, as_json=as_json, plot_file=plot_file, force=force)
    if store is not None or keep is not None or jobs > 1 or scheduler is not None:
        raise OptionError(
            "--store, --keep, --jobs and --scheduler go with --lengths: other thresholds are soon computed anew"
        )
    with working("compiling"):
        subject = load_subject(machine, construction)
    cases = cases_of(subject, words, n)
    began = time.perf_counter()
    with row_progress(len(cases)) as progress:
        found = precision_threshold(
            subject.runnable,
            [case.word for case in cases],
            precisions=tried,
            exponent_bits=exponent_bits,
            rounding=rounding,
            criterion=criterion,  # type: ignore[arg-type]
            max_steps=max_steps,
            max_seconds=seconds,
            progress=progress,
        )
    drawn = plot_file if found.words else None
    unsaved = save_map(found, drawn, force=force, title=picture_title(subject, cases))
    if as_json:
        emit_json(_record(subject, cases, found, time.perf_counter() - began))
    else:
        _report(subject, cases, found)
    if unsaved is not None:
        raise unsaved
    limited = any(word.outcome.cut_short for word in found.words)
    return LIMIT_REACHED if limited or not found.complete else 0


def _left_out(option: str) -> bool:
    """Whether an option of this command has its default value because it was not given."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.DEFAULT


def _range_of(text: str) -> range:
    """Return the precisions that ``first:last`` means, the last included."""
    parts = text.split(":")
    if len(parts) not in (1, 2) or not all(p.isascii() and p.isdecimal() and len(p) <= 5 for p in parts):
        raise OptionError(f"--precision {shown(text)}: write first:last, such as 2:64")
    first, last = int(parts[0]), int(parts[-1])
    if not 2 <= first <= last <= LARGEST_PRECISION:
        raise OptionError(f"--precision {shown(text)}: from at least 2 up to at most {LARGEST_PRECISION}")
    return range(first, last + 1)


def _record(subject: Subject, cases: Sequence[Case], found: PrecisionThreshold, seconds: float) -> dict[str, Any]:
    """Return all of it as JSON data."""
    return {
        **subject.origin,
        "criterion": found.criterion,
        "precisions": [found.precisions[0], found.precisions[-1]],
        "complete": found.complete,
        "least": found.least,
        "failing": list(found.failing),
        "monotone": found.monotone,
        "words": [
            {
                "word": case.text,
                "n": case.n,
                "length": len(word.word),
                "outcome": str(word.outcome),
                "steps": word.steps,
                "failing": list(word.failing),
            }
            for case, word in zip(cases, found.words, strict=False)
        ],
        "seconds": seconds,
        "exactnn": __version__,
    }


def _report(subject: Subject, cases: Sequence[Case], found: PrecisionThreshold) -> None:
    """Print a row for each word, and what they say together."""
    title = f"{shortened(subject.name, 60)}: bits for the right {found.criterion}"
    emit(threshold_table(found, title=title, labels=[case.label for case in cases]))
    if not found.complete:
        emit_interruption(len(found.words), len(cases))
    if not found.words:
        return
    tried = f"of {found.precisions[0]} to {found.precisions[-1]} bits"
    if found.least is None:
        click.echo(f"\nWith {found.precisions[-1]} bits, the most that were tried, it is wrong.")
    else:
        click.echo(f"\n{tried.capitalize()}, all from {found.least} on are right on these words.")
    if found.criterion == "verdict":
        _emit_undecided(sum(word.outcome.cut_short for word in found.words))
    if not found.monotone:
        click.echo(f"Being right is not monotone here: wrong are {ranges_of(found.failing, found.precisions)}.")


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is swept, and where it is kept; the words of a length are drawn by the seed."""

    lengths: range
    formats: Sequence[FloatFormat]
    words: int
    seed: int
    max_steps: int | None
    store: str | None
    keep: str | None


def check_map(plot_file: str | None, *, force: bool, store: str | None) -> None:
    """Refuse a picture that cannot be written, before anything is computed."""
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)
        check_new_files([("--plot", plot_file)], force=force, kept=[("--store", store)])


def save_map(
    found: VerdictSweep | PrecisionThreshold, plot_file: str | None, *, force: bool, title: str | None = None
) -> ExactnnError | None:
    """Draw the map of lengths and precisions, if it is asked for; return what went wrong."""
    if plot_file is None:
        return None
    from exactnn.plots import plot_precision_map, save_picture

    return attempt(lambda: save_picture(plot_precision_map(found, title=title), plot_file, replace=force))


def sweep_command(
    subject: Subject, sweep: Sweep, executor: Executor | None, *, as_json: bool, plot_file: str | None, force: bool
) -> int:
    """Run a sweep and report it; return the exit code."""
    began = time.perf_counter()
    with row_progress(len(sweep.lengths), "lengths") as progress:
        found = verdict_sweep(
            subject.runnable, sweep.lengths, sweep.formats, words=sweep.words, seed=sweep.seed,
            max_steps=sweep.max_steps, executor=executor, store=sweep.store, progress=progress,
            keep=sweep.keep,
        )  # fmt: skip
    unsaved = save_map(found, plot_file if found.lengths else None, force=force)
    if as_json:
        emit_json(_sweep_record(subject, sweep, found, time.perf_counter() - began))
    else:
        _sweep_report(subject, sweep, found)
    if unsaved is not None:
        raise unsaved
    return 0 if found.complete and not any(entry.undecided for entry in found.lengths) else LIMIT_REACHED


def _sweep_record(subject: Subject, sweep: Sweep, found: VerdictSweep, seconds: float) -> dict[str, Any]:
    return {
        **subject.origin,
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


def _sweep_report(subject: Subject, sweep: Sweep, found: VerdictSweep) -> None:
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
    _emit_undecided(sum(entry.undecided for entry in found.lengths))
    for failure in found.failed[:MOST_FAILURES]:
        click.echo(f"Failed: {one_line(failure)}")
    if found.failed:
        again = f" 'exactnn campaign retry {sweep.store}' has them tried again." if sweep.store else ""
        click.echo(f"{counted(len(found.failed), 'unit')} of work failed, and these lengths are left out.{again}")
    elif not found.complete:
        kept = f"; they are kept in {sweep.store}" if sweep.store else ""
        click.echo(f"Interrupted after {len(found.lengths)} of {len(sweep.lengths)} lengths{kept}.")


def _emit_undecided(words: int) -> None:
    """Say on how many words there is no verdict to compare with."""
    if words:
        click.echo(f"The exact run reached no verdict within the limit on {counted(words, 'word')}.")
