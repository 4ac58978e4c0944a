"""``exactnn collapse``: words by formats that round, and where each goes wrong first."""

import time
from collections.abc import Sequence

import click

from exactnn.cli.arguments import construction_option, json_option, machine_argument, max_steps_option
from exactnn.cli.arithmetics import formats_named
from exactnn.cli.collapse_records import record_of, save_table
from exactnn.cli.collapse_report import emit_collapse
from exactnn.cli.collapse_summary import MANY_FORMATS, emit_summary
from exactnn.cli.output import emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import row_progress, working
from exactnn.cli.subject import Subject, load_subject
from exactnn.cli.words import Case, cases_of, picture_title
from exactnn.errors import OptionError, shown
from exactnn.outcome import Outcome
from exactnn.precision import Collapse, check_table_file, collapse

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
    help="Such as float16 or float8_e4m3; by its bits p20e8, or p2:40 for each of these precisions; in fixed point "
    "q8.8 (sign included) or uq0.8; may be repeated. Default: float64, float32.",
)
@construction_option
@max_steps_option
@json_option
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Save the table: a row for each word and format as .csv or .parquet, or the object of --json as .json; may be "
    "repeated (replaces FILE).",
)
@click.option("--summary", metavar="FILE", help="Save the first failing length of each format, as .csv or .parquet.")
@click.option("--csv", "csv_file", metavar="FILE", hidden=True, help="The same as -o FILE, for a .csv.")
@click.option(
    "--plot",
    "plot_file",
    metavar="FILE",
    help="Draw the table, as a map of lengths and precisions if there are more than 12: .png, .svg or .pdf.",
)
def command(
    machine: str,
    words: tuple[str, ...],
    n: str,
    formats: tuple[str, ...],
    construction: str | None,
    max_steps: int | None,
    as_json: bool,
    outputs: tuple[str, ...],
    summary: str | None,
    csv_file: str | None,
    plot_file: str | None,
) -> int:
    """Run M on words exactly and in formats that round, and show where the formats go wrong first.

    A PATTERN such as 'a^n b^n' or '{ab}^2n' stands for one word for each n of --n. Without words, those that
    M's file names are taken.
    """
    chosen = tuple(dict.fromkeys(one for name in formats or ("float64", "float32") for one in formats_named(name)))
    if csv_file is not None:
        outputs = (*outputs, csv_file)
    _check_files(outputs, summary, plot_file)
    with working("compiling"):
        subject = load_subject(machine, construction)
    cases = cases_of(subject, words, n)
    began = time.perf_counter()
    with row_progress(len(cases)) as progress:
        table = collapse(
            subject.runnable, [case.word for case in cases], chosen, max_steps=max_steps, progress=progress
        )
    seconds = time.perf_counter() - began
    for path in outputs:
        save_table(path, subject, cases, table, seconds)
    if summary is not None:
        save_table(summary, subject, cases, table, seconds, summary=True)
    if plot_file is not None and table.rows:
        _draw(plot_file, subject, cases, table)
    if as_json:
        emit_json(record_of(subject, cases, table, seconds))
    elif len(chosen) > MANY_FORMATS:
        emit_summary(subject, cases, table)
    else:
        emit_collapse(subject, cases, table)
    limited = any(row.outcome is Outcome.STEP_LIMIT for row in table.rows)
    return LIMIT_REACHED if limited or not table.complete else 0


def _check_files(outputs: Sequence[str], summary: str | None, plot_file: str | None) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    for path in outputs:
        check_table_file(path, name="-o")
    if summary is not None:
        check_table_file(summary, name="--summary")
        if summary.lower().endswith(".json"):
            raise OptionError(f"--summary {shown(summary)}: name a .csv or .parquet file; -o FILE.json has it besides")
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)


def _draw(path: str, subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    from exactnn.plots import differ_by_precision, plot_collapse, plot_precision_map

    mapped = len(table.formats) > MANY_FORMATS and differ_by_precision(table.formats)
    (plot_precision_map if mapped else plot_collapse)(table, path=path, title=picture_title(subject, cases))
