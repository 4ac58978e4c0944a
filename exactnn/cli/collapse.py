"""``exactnn collapse``: words by formats that round, and where each goes wrong first."""

import time
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from exactnn.arithmetic import Enclosure, Format, count_text, counted
from exactnn.automata import TapeConfiguration
from exactnn.cli.arguments import (
    chosen_formats,
    construction_option,
    formats_option,
    json_option,
    machine_argument,
    max_steps_option,
    n_option,
    seconds_option,
    words_argument,
)
from exactnn.cli.output_files import attempt, check_new_files, force_option
from exactnn.cli.printing import (
    console,
    digits_text,
    emit,
    emit_interruption,
    emit_json,
    fits,
    row_progress,
    shortened,
    working,
)
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Case, Subject, cases_of, load_subject, picture_title
from exactnn.errors import OptionError, shown
from exactnn.files import check_table_file
from exactnn.markup import Table, printable
from exactnn.networks import Protocol
from exactnn.outcome import Outcome
from exactnn.precision import (
    Collapse,
    Divergence,
    ValueDivergence,
    collapse,
    collapse_record,
    collapse_summary,
    collapse_table,
    save_collapse,
)

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["command", "configuration_difference"]

_WHAT = {"value": "values", "configuration": "configurations", "verdict": "verdicts"}

DEFAULT = ("float64", "float32")

MANY_FORMATS = 12
"""A table of more formats than this is summed up, and drawn as a map if they differ by their precision only."""

WINDOW = 25
"""Cells shown on either side of the head; a first wrong cell farther away is shown with its neighbours."""

Column = tuple[str, str]
_DOTS = ("…", "…")


@click.command("collapse")
@machine_argument
@words_argument
@n_option("1:40")
@formats_option(DEFAULT)
@construction_option
@max_steps_option
@force_option
@seconds_option
@json_option
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Save the table: a row for each word and format as .csv or .parquet, or the object of --json as .json; may be "
    "repeated.",
)
@click.option("--summary", metavar="FILE", help="Save the first failing length of each format, as .csv or .parquet.")
@click.option("--csv", "csv_file", metavar="FILE", hidden=True, help="The same as -o FILE, for a .csv.")
@click.option(
    "--plot",
    "plot_file",
    metavar="FILE",
    help="Draw the table, as a map of lengths and precisions if there are more than 12: .png, .svg or .pdf; or a page "
    "whose fields tell what happens there, .html.",
)
def command(
    machine: str,
    words: tuple[str, ...],
    n: str,
    formats: tuple[str, ...],
    construction: str | None,
    max_steps: int | None,
    force: bool,
    seconds: float | None,
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
    chosen = chosen_formats(formats, DEFAULT)
    if csv_file is not None:
        outputs = (*outputs, csv_file)
    _check_files(outputs, summary, plot_file, force=force)
    with working("compiling"):
        subject = load_subject(machine, construction)
    cases = cases_of(subject, words, n)
    began = time.perf_counter()
    with row_progress(len(cases)) as progress:
        table = collapse(
            subject.runnable,
            [case.word for case in cases],
            chosen,
            max_steps=max_steps,
            max_seconds=seconds,
            progress=progress,
        )
    elapsed = time.perf_counter() - began
    tables = [(path, False) for path in outputs] + ([] if summary is None else [(summary, True)])
    save = partial(save_table, subject=subject, cases=cases, table=table, seconds=elapsed, replace=force)
    unsaved = attempt(*(partial(save, path, summary=sums_up) for path, sums_up in tables))
    if plot_file is not None and table.rows:
        unsaved = unsaved or attempt(partial(_draw, plot_file, subject, cases, table, replace=force))
    if as_json:
        emit_json(record_of(subject, cases, table, elapsed))
    elif len(chosen) > MANY_FORMATS:
        emit_summary(subject, cases, table)
    else:
        emit_collapse(subject, cases, table)
    if unsaved is not None:
        raise unsaved
    limited = any(row.outcome.cut_short for row in table.rows)
    return LIMIT_REACHED if limited or not table.complete else 0


def _check_files(outputs: Sequence[str], summary: str | None, plot_file: str | None, *, force: bool) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    for path in outputs:
        check_table_file(path, name="-o")
    if summary is not None:
        check_table_file(summary, name="--summary")
        if summary.lower().endswith(".json"):
            raise OptionError(f"--summary {shown(summary)}: name a .csv or .parquet file; -o FILE.json has it besides")
    if plot_file is not None:
        from exactnn.plots import check_page_file, check_picture_file

        (check_page_file if _is_page(plot_file) else check_picture_file)(plot_file)
    check_new_files([*(("-o", path) for path in outputs), ("--summary", summary), ("--plot", plot_file)], force=force)


def _is_page(path: str) -> bool:
    return path.lower().endswith(".html")


def _draw(path: str, subject: Subject, cases: Sequence[Case], table: Collapse, *, replace: bool) -> None:
    from exactnn.plots import collapse_page, differ_by_precision, plot_collapse, plot_precision_map, save_picture

    if _is_page(path):
        collapse_page(table, path=path, replace=replace)
        return
    mapped = len(table.formats) > MANY_FORMATS and differ_by_precision(table.formats)
    figure = (plot_precision_map if mapped else plot_collapse)(table, title=picture_title(subject, cases))
    save_picture(figure, path, replace=replace)


def record_of(subject: Subject, cases: Sequence[Case], table: Collapse, seconds: float) -> dict[str, Any]:
    """Return the whole table as JSON data."""
    return _about(subject, seconds) | collapse_record(table, labels=_labels(cases))


def save_table(
    path: str, subject: Subject, cases: Sequence[Case], table: Collapse, seconds: float, *, summary: bool, replace: bool
) -> None:
    """Write the table to a file whose ending says how: the record of :func:`record_of`, or rows."""
    save_collapse(table, path, summary=summary, labels=_labels(cases), about=_about(subject, seconds), replace=replace)


def _about(subject: Subject, seconds: float) -> dict[str, Any]:
    return {
        **subject.origin,
        **subject.sizes,
        "seconds": seconds,
    }


def _labels(cases: Sequence[Case]) -> list[dict[str, Any]]:
    return [{"word": case.text, "pattern": case.pattern, "n": case.n} for case in cases]


def emit_collapse(subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    """Print the table, what it says in sentences, and the first wrong verdict of each format."""
    drawn = [_table(subject, cases, table, table.formats)]
    if len(table.formats) > 1 and not fits(drawn[0]):
        drawn = [_table(subject, cases, table, (arithmetic,)) for arithmetic in table.formats]
    for one in drawn:
        emit(one)
    if not table.complete:
        emit_interruption(len(table.rows), len(cases))
    click.echo()
    for arithmetic in table.formats:
        for criterion, what in _WHAT.items():
            if _is_compared(subject, criterion):
                click.echo(f"{arithmetic}, {what}: {_sentence(cases, table, arithmetic, criterion)}")
    for arithmetic in table.formats:
        _emit_detail(cases, table, arithmetic)


def _table(subject: Subject, cases: Sequence[Case], table: Collapse, formats: Sequence[Format]) -> Table:
    """Return the table of these formats."""
    title = f"{shortened(subject.name, 60)}: {counted(subject.network.neurons, 'neuron')}"
    if subject.construction is not None:
        title += f", by {subject.construction.name}"
    patterns = {case.pattern for case in cases}
    family = patterns.pop() if len(patterns) == 1 else None
    if family is None:
        words = "word", [case.label for case in cases]
    else:
        words = shortened(family), [f"n = {case.n}" for case in cases]
    return collapse_table(table.rows, formats, title=title, words=words)


def _is_compared(subject: Subject, criterion: str) -> bool:
    if criterion == "configuration":
        return subject.construction is not None
    return criterion != "verdict" or subject.network.decision.protocol is not Protocol.OUTPUTS


def _sentence(cases: Sequence[Case], table: Collapse, arithmetic: Format, criterion: str) -> str:
    found = table.first_failure(arithmetic, criterion)  # type: ignore[arg-type]
    if not table.rows:
        return "no word was finished."
    undecided = sum(row.outcome.cut_short for row in table.rows)
    if found is None and criterion == "verdict" and undecided:
        return f"none is wrong on {counted(len(table.rows), 'word')}, {undecided:,} of them without one so far."
    if found is None:
        return f"all right on these {len(table.rows)} words." if len(table.rows) != 1 else "right on this word."
    part = getattr(found, criterion)
    text = f"first wrong at length {len(found.word):,} ({_case(cases, table, found).label}), at step {part.step:,}"
    if criterion == "verdict":
        said = "says nothing" if part.computed is None else f"says {part.computed}"
        return f"{text}: it {said}, the exact run {'nothing yet' if part.exact is None else f'says {part.exact}'}."
    return text + "."


def _case(cases: Sequence[Case], table: Collapse, found: Divergence) -> Case:
    """Return the case in whose row a divergence stands."""
    return next(c for c, row in zip(cases, table.rows, strict=False) if any(d is found for d in row.divergences))


def _emit_detail(cases: Sequence[Case], table: Collapse, arithmetic: Format) -> None:
    """Print how the shortest word with a wrong verdict came to it."""
    found = table.first_failure(arithmetic, "verdict")
    if found is None:
        return
    target = console()
    click.echo(f"\nHow {arithmetic} goes wrong on {_case(cases, table, found).label} (length {len(found.word):,}):")
    if found.value is not None:
        click.echo(f"  step {found.value.step:,}: neuron {printable(found.value.neuron)!r}")
        true = found.value.exact
        bits = 0 if isinstance(true, Enclosure) else true.denominator.bit_length()
        size = f"…, a fraction of {bits} bits" if bits > 60 else ""
        click.echo(f"    exactly   {true if isinstance(true, Enclosure) else digits_text(true)}{size}")
        click.echo(f"    computed  {digits_text(found.value.computed)}{_error(found.value, arithmetic)}")
    if found.configuration is not None:
        depth = found.configuration.depth
        where = "" if depth is None else f", {count_text(depth)} cells from the head" if depth else ", under the head"
        click.echo(f"  step {found.configuration.step:,}: the configuration{where}")
        for line in configuration_difference(found.configuration.exact, found.configuration.computed):
            target.print(line, soft_wrap=True)
    if found.verdict is not None:
        exact, computed = (_said(outcome) for outcome in (found.verdict.exact, found.verdict.computed))
        click.echo(f"  step {found.verdict.step:,}: the verdict\n    exactly   {exact}\n    computed  {computed}")


def _error(found: ValueDivergence, arithmetic: Format) -> str:
    """Return the error in units in the last place, and how many bits there should have been."""
    bits = "no number of bits holds the exact value" if found.bits is None else f"the exact value has {found.bits} bits"
    if arithmetic.parameters.rounded(found.exact) == found.exact:
        bits += " and fits: something on the way did not"
    if found.ulps is None:
        return f"  ({bits})"
    return f"  (off by {float(found.ulps):.3g} ulp; {bits})" if found.ulps < 10**300 else f"  (far off; {bits})"


def _said(outcome: Outcome | None) -> str:
    return "not yet" if outcome is None else str(outcome)


def emit_summary(subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    """Print for each format at which length a value, a configuration and a verdict are wrong first."""
    found = collapse_summary(table)
    rows = []
    for first in range(0, len(found), 3):
        lengths = [row["first_wrong_length"] for row in found[first : first + 3]]
        rows.append((shortened(found[first]["format"]), *("none" if n is None else n for n in lengths)))
    heading = ("format", "value", "configuration", "verdict")
    emit(Table(title=f"{picture_title(subject, cases)}: first wrong at length", heading=heading, rows=tuple(rows)))
    if not table.complete:
        emit_interruption(len(table.rows), len(cases))


def configuration_difference(exact: object, computed: object) -> "list[Text]":
    """Return lines of text: the exact configuration, the computed one, and marks below what differs.

    >>> exact = TapeConfiguration(state="q", left=("a",), scanned="b", right=("c", "d"))
    >>> computed = TapeConfiguration(state="q", left=("a",), scanned="b", right=("c", "?"))
    >>> for line in configuration_difference(exact, computed):
    ...     print(line.plain)
        exactly   q: a [b] c d
        computed  q: a [b] c ?
                             ^
    """
    columns = _columns(exact, computed)
    return [
        _line("    exactly   ", [(a, a != b) for a, b in columns]),
        _line("    computed  ", [(b, a != b) for a, b in columns]),
        _line("              ", [(_mark(a, b), False) for a, b in columns], columns),
    ]


def _columns(exact: object, computed: object) -> list[Column]:
    """Return what stands in each column, state first, both entries of a column equally wide."""
    if not isinstance(exact, TapeConfiguration) or not isinstance(computed, TapeConfiguration):
        return [_padded(str(exact), str(computed))]
    left = list(zip_longest(exact.left, computed.left, fillvalue=""))
    right = list(zip_longest(exact.right, computed.right, fillvalue=""))
    pairs = [(f"{exact.state}:", f"{computed.state}:"), *reversed(_window(left))]
    pairs += [(f"[{exact.scanned}]", f"[{computed.scanned}]"), *_window(right)]
    return [_padded(a, b) for a, b in pairs]


def _window(pairs: list[Column]) -> list[Column]:
    """Return the pairs next to the head and around the first difference, with dots for what is left out."""
    first = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    end = WINDOW if first < WINDOW else first + 4
    shown = pairs[:end] if first < WINDOW else [*pairs[:5], _DOTS, *pairs[first - 8 : end]]
    return [*shown, _DOTS] if len(pairs) > end else shown


def _padded(a: str, b: str) -> Column:
    a, b = printable(a), printable(b)
    width = max(len(a), len(b))
    return a.ljust(width), b.ljust(width)


def _mark(a: str, b: str) -> str:
    return "^" * max(len(a.strip()), len(b.strip())) if a != b else ""


def _line(head: str, entries: list[tuple[str, bool]], widths: list[Column] | None = None) -> "Text":
    from rich.text import Text

    line = Text(head)
    for i, (entry, wrong) in enumerate(entries):
        width = 0 if widths is None else len(widths[i][0])
        line.append(" " if i else "")
        line.append(entry.ljust(width), style="bold red reverse" if wrong else "")
    line.rstrip()
    return line
