"""``exactnn threshold``: every precision of a range on words, and which of them are right."""

import time
from collections.abc import Sequence
from typing import Any

import click

from exactnn.arithmetic import FloatFormat, counted
from exactnn.cli.arguments import construction_option, json_option, machine_argument, max_steps_option
from exactnn.cli.output import emit, emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import row_progress, working
from exactnn.cli.subject import Subject, load_subject
from exactnn.cli.sweep import Sweep, sweep_command
from exactnn.cli.text import shortened
from exactnn.cli.words import Case, cases_of, number_range, picture_title
from exactnn.errors import OptionError, shown
from exactnn.outcome import Outcome
from exactnn.precision import PrecisionThreshold, precision_threshold, ranges_of, threshold_table
from exactnn.version import __version__

__all__ = ["command"]

LARGEST_PRECISION = 10_000


@click.command("threshold")
@machine_argument
@click.argument("words", nargs=-1, metavar="[WORD|PATTERN]...")
@click.option("--n", "n", default="1:8", show_default=True, metavar="FIRST:LAST[:STEP]", help="The n of patterns.")
@click.option("--precision", default="2:64", show_default=True, metavar="FIRST:LAST", help="Bits of the significand.")
@click.option("--exponent-bits", type=int, default=10, show_default=True, metavar="E", help="Of every format.")
@click.option("--rounding", default="nearest even", show_default=True, metavar="MODE", help="As in exactnn.Rounding.")
@click.option(
    "--criterion", default="verdict", show_default=True, metavar="WHAT", help="value, configuration or verdict."
)
@click.option("--lengths", metavar="FIRST:LAST[:STEP]", help="Sweep all words of these lengths, or some at random.")
@click.option("--words", "most", type=int, default=1000, show_default=True, metavar="N", help="Of a length, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which words of a length are drawn.")
@click.option("--file", "sweep_file", metavar="FILE", help="Keep each length of the sweep, and go on from there.")
@construction_option
@max_steps_option
@json_option
@click.option("--plot", "plot_file", metavar="FILE", help="Draw a map of lengths and precisions: .png, .svg or .pdf.")
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
    sweep_file: str | None,
    construction: str | None,
    max_steps: int | None,
    as_json: bool,
    plot_file: str | None,
) -> int:
    """Run M on words exactly and in every precision of a range, and show which precisions are right.

    A PATTERN such as 'a^n b^n' stands for one word for each n of --n. Without words, those that M's file names are
    taken. A precision can be right where a larger one is wrong, so each is tried.

    With --lengths the verdicts of many words of each length are counted instead.
    """
    tried = _range_of(precision)
    if lengths is not None:
        if words or criterion != "verdict":
            raise OptionError(
                "--lengths goes with no words and no other --criterion: it draws words, for their verdicts"
            )
        formats = [FloatFormat(precision=p, exponent_bits=exponent_bits, rounding=rounding) for p in tried]
        sweep = Sweep(number_range(lengths), formats, most, seed, max_steps, sweep_file)
        return sweep_command(machine, construction, sweep, as_json=as_json, plot_file=plot_file)
    if sweep_file is not None:
        raise OptionError("--file goes with --lengths: other thresholds are soon computed anew")
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)
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
            progress=progress,
        )
    if plot_file is not None and found.words:
        from exactnn.plots import plot_precision_map

        plot_precision_map(found, path=plot_file, title=picture_title(subject, cases))
    if as_json:
        emit_json(_record(subject, cases, found, time.perf_counter() - began))
    else:
        _report(subject, cases, found)
    limited = any(word.outcome is Outcome.STEP_LIMIT for word in found.words)
    return LIMIT_REACHED if limited or not found.complete else 0


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
        "machine": subject.name,
        "construction": subject.construction.name if subject.construction else None,
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
        click.echo(f"Interrupted after {len(found.words)} of {len(cases)} words; what was computed until then is here.")
    if not found.words:
        return
    tried = f"of {found.precisions[0]} to {found.precisions[-1]} bits"
    if found.least is None:
        click.echo(f"\nWith {found.precisions[-1]} bits, the most that were tried, it is wrong.")
    else:
        click.echo(f"\n{tried.capitalize()}, all from {found.least} on are right on these words.")
    undecided = sum(word.outcome is Outcome.STEP_LIMIT for word in found.words)
    if found.criterion == "verdict" and undecided:
        click.echo(f"The exact run reached no verdict within the limit of steps on {counted(undecided, 'word')}.")
    if not found.monotone:
        click.echo(f"Being right is not monotone here: wrong are {ranges_of(found.failing, found.precisions)}.")
