"""``exactnn collapse``: words by formats that round, and where each goes wrong first."""

import time
from collections.abc import Sequence

import click

from exactnn.cli.arguments import construction_option, json_option, machine_argument, max_steps_option
from exactnn.cli.arithmetics import format_named
from exactnn.cli.collapse_records import check_csv_file, collapse_record, write_csv
from exactnn.cli.collapse_report import emit_collapse
from exactnn.cli.output import emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import row_progress, working
from exactnn.cli.subject import Subject, load_subject
from exactnn.cli.text import shortened
from exactnn.cli.words import Case, cases_of
from exactnn.outcome import Outcome
from exactnn.precision import Collapse, collapse

__all__ = ["command"]


@click.command("collapse")
@machine_argument
@click.argument("words", nargs=-1, metavar="[WORD|PATTERN]...")
@click.option("--n", "n", default="1:40", show_default=True, metavar="FIRST:LAST[:STEP]", help="The n of patterns.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME",
    help="Such as float16 or float8_e4m3; by its bits p20e8, in fixed point q8.8 (sign included) or uq0.8; "
    "may be repeated. Default: float64, float32.",
)
@construction_option
@max_steps_option
@json_option
@click.option("--csv", "csv_file", metavar="FILE", help="Write a row for each word and format (replaces FILE).")
@click.option("--plot", "plot_file", metavar="FILE", help="Draw the table: .png, .svg or .pdf (replaces FILE).")
def command(
    machine: str,
    words: tuple[str, ...],
    n: str,
    formats: tuple[str, ...],
    construction: str | None,
    max_steps: int | None,
    as_json: bool,
    csv_file: str | None,
    plot_file: str | None,
) -> int:
    """Run M on words exactly and in formats that round, and show where the formats go wrong first.

    A PATTERN such as 'a^n b^n' or '{ab}^2n' stands for one word for each n of --n. Without words, those that
    M's file names are taken.
    """
    chosen = tuple(dict.fromkeys(format_named(name) for name in formats or ("float64", "float32")))
    _check_files(csv_file, plot_file)
    with working("compiling"):
        subject = load_subject(machine, construction)
    cases = cases_of(subject, words, n)
    began = time.perf_counter()
    with row_progress(len(cases)) as progress:
        table = collapse(
            subject.runnable, [case.word for case in cases], chosen, max_steps=max_steps, progress=progress
        )
    seconds = time.perf_counter() - began
    if csv_file is not None:
        write_csv(csv_file, cases, table)
    if plot_file is not None and table.rows:
        _draw(plot_file, subject, cases, table)
    if as_json:
        emit_json(collapse_record(subject, cases, table, seconds))
    else:
        emit_collapse(subject, cases, table)
    limited = any(row.outcome is Outcome.STEP_LIMIT for row in table.rows)
    return LIMIT_REACHED if limited or not table.complete else 0


def _check_files(csv_file: str | None, plot_file: str | None) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    if csv_file is not None:
        check_csv_file(csv_file)
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)


def _draw(path: str, subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    from exactnn.plots import plot_collapse

    patterns = {case.pattern for case in cases}
    family = patterns.pop() if len(patterns) == 1 else None
    title = shortened(subject.name, 40) + (f" on {shortened(family)}" if family else "")
    plot_collapse(table, path=path, title=title)
