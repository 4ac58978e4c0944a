"""What goes to standard output, one JSON object or text and tables, and to standard error, the progress.

Text from strangers is made fit for a terminal: on one line, cut where it is long, numbers short.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf, isfinite
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click
import gmpy2
from gmpy2 import mpq
from rich.cells import cell_len, chop_cells

from exactnn.arithmetic import Numeral, Tower, count_text, tower_to_json, value_text, whole_text
from exactnn.markup import Table, printable, rich_table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.status import Status

__all__ = [
    "StepMeter",
    "console",
    "digits_text",
    "emit",
    "emit_fields",
    "emit_interruption",
    "emit_json",
    "fits",
    "json_text",
    "line_progress",
    "number_text",
    "one_line",
    "part_progress",
    "rate_text",
    "row_progress",
    "search_progress",
    "shortened",
    "working",
]

_NARROWEST = 80

INDENT = "  "

PATIENCE = 0.5
"""Seconds before anything is shown."""

FIRST_LINE = 60
"""Seconds before the first line of progress where standard error is no terminal."""


def emit_json(record: dict[str, Any]) -> None:
    """Write one JSON object, in ASCII whatever the terminal's encoding."""
    click.echo(json_text(record))


def emit_interruption(done: int, words: int) -> None:
    """Say that a table of words has not all of them."""
    click.echo(f"Interrupted after {done} of {words} words; what was computed until then is here.")


def console(*, stderr: bool = False) -> "Console":
    """Return a console that takes text literally: a machine's symbols may look like markup."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def emit(table: Table, *, box: bool = True) -> None:
    """Print a table with all its rows; where no terminal sets the width, it gets what it needs."""
    target = console()
    drawn = rich_table(table, box=box)
    if not target.is_terminal:
        target.width = max(_NARROWEST, _natural_width(target, drawn))
    target.print(drawn)


def fits(table: Table) -> bool:
    """Whether the terminal is wide enough; it is if there is none."""
    target = console()
    bare = replace(table, title="", note="")
    return not target.is_terminal or _natural_width(target, rich_table(bare)) <= target.width


def _natural_width(target: "Console", renderable: "RenderableType") -> int:
    from rich.measure import Measurement

    return Measurement.get(target, target.options.update(width=10_000), renderable).maximum


def emit_fields(fields: dict[str, str]) -> None:
    """Print names and values in two columns; a terminal gets long values on several lines.

    >>> emit_fields({"machine": "parity", "cycle": "", "outcome": "accepted"})
    machine  parity
    outcome  accepted
    """
    given = {name: value for name, value in fields.items() if value}
    indent = max(map(cell_len, given), default=0) + 2
    width = max(get_terminal_size().columns - indent, 1) if sys.stdout.isatty() else inf
    for name, value in given.items():
        first, *others = _folded(value, width)
        click.echo(click.style(name, bold=True) + " " * (indent - cell_len(name)) + first)
        for line in others:
            click.echo(" " * indent + line)


def _folded(text: str, width: float) -> list[str]:
    """Return `text` in lines of so many cells, between words if these fit; some symbols take two cells."""
    cells = cell_len(text)
    if cells <= width:
        return [text]
    if cells > len(text) or max(map(len, text.split()), default=0) > width:
        return [line for line in chop_cells(text, int(width)) if line]
    return wrap(text, int(width), break_on_hyphens=False, drop_whitespace=False)


def one_line(text: str) -> str:
    r"""Return `text` as one printable line.

    >>> one_line("two\n  lines")
    'two lines'
    """
    return printable(" ".join(text.split()))


def shortened(text: str, limit: int = 40) -> str:
    """Return `text` printable and cut in the middle to about `limit` characters.

    >>> shortened("a" * 30 + "b" * 30, 21)
    'aaaaaaaaaa…bbbbbbbbbb'
    """
    if len(text) <= limit:
        return printable(text)
    half = limit // 2
    return f"{printable(text[:half])}…{printable(text[-half:])}"


def number_text(value: object) -> str:
    """Return a number of a network for people: a short exact fraction, or the digits that a float stands for.

    >>> number_text(mpq(1, 3)), number_text(0.1)
    ('1/3', '0.1')
    """
    if isinstance(value, Numeral):
        return f"≈{value} ({count_text(value.digits)} digits in base {value.base})"
    return value_text(value)


def digits_text(value: mpq | float) -> str:
    """Return a number with 20 digits, so that an exact value and a rounded one can be told apart.

    >>> digits_text(mpq(1, 3)), digits_text(0.5), digits_text(float("inf"))
    ('0.33333333333333333333', '0.5', 'inf')
    """
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    with gmpy2.context(precision=160, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return f"{gmpy2.mpfr(value):.20g}"


def json_text(value: Any, *, indent: str | None = "") -> str:
    r"""Return JSON data as ASCII text in which every whole number is a number, with all its digits.

    Parameters
    ----------
    value : dict with str keys, list, str, number, tower, bool or None
    indent : str or None
        What the lines after the first begin with; None for one line.

    Examples
    --------
    >>> print(json_text({"steps": 10**30, "tape": []}), json_text([True, "é"], indent=None))
    {
      "steps": 1000000000000000000000000000000,
      "tape": []
    } [true, "\u00e9"]
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return whole_text(value)
    if isinstance(value, Tower):  # too long for digits: what it is about, and the sum of powers that it is
        return json_text({"about": str(value), "sums": tower_to_json(value)}, indent=indent)
    if not value or not isinstance(value, (dict, list, tuple)):
        return json.dumps(value, allow_nan=False)
    inner = None if indent is None else indent + INDENT
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {json_text(item, indent=inner)}" for key, item in value.items()]
        return _joined("{", items, "}", indent)
    return _joined("[", [json_text(item, indent=inner) for item in value], "]", indent)


def _joined(opening: str, items: list[str], closing: str, indent: str | None) -> str:
    if indent is None:
        return opening + ", ".join(items) + closing
    separator = f"\n{indent}{INDENT}"
    return f"{opening}{separator}{f',{separator}'.join(items)}\n{indent}{closing}"


class Log:
    """Writes a line of progress to standard error where that is no terminal: after a minute, then as that doubles."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._waits: float = FIRST_LINE

    def __call__(self, text: Callable[[], str]) -> None:
        """Write what is being done if it is time for that."""
        elapsed = time.monotonic() - self._began
        if elapsed >= self._waits:
            self._waits = 2 * elapsed
            with suppress(OSError, ValueError):  # nobody reads it: that costs no result
                click.echo(f"exactnn: after {elapsed:.0f} s: {text()}", err=True)


class StepMeter:
    """Shows how many steps a run has taken and how fast; call it with the number of steps.

    With `resumable` the first number is where the run goes on, which is said at once if it is not 0.
    """

    def __init__(self, *, resumable: bool = False) -> None:
        self._resumable = resumable
        self._first = 0
        self._began = time.perf_counter()
        self._status: Status | None = None
        self._log = None if sys.stderr.isatty() else Log()

    def __enter__(self) -> "StepMeter":
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, steps: int) -> None:
        """Show `steps`."""
        if self._resumable:
            self._resumable = False
            self._first = steps
            self._began = time.perf_counter()
            if steps:
                click.echo(f"exactnn: resumed from step {count_text(steps)}", err=True)
        if self._log is not None:
            self._log(lambda: self._text(steps))
        elif time.perf_counter() - self._began >= PATIENCE:
            text = f"{self._text(steps)} (Ctrl-C ends the run and keeps its result)"
            if self._status is None:
                self._status = console(stderr=True).status(text)
                self._status.start()
            self._status.update(text)

    def _text(self, steps: int) -> str:
        thousandths = max(1, round(1000 * (time.perf_counter() - self._began)))
        speed = (steps - self._first) * 1000 // thousandths  # such a number may be too large for a float
        return f"{count_text(steps)} steps, {count_text(speed)} per second"


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner beside `what` while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    with console(stderr=True).status(what):
        yield


@contextmanager
def row_progress(total: int, what: str = "words") -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many of `total` words, or something else, are done."""
    with part_progress(what) as shown:
        yield lambda done: shown(done, total)


@contextmanager
def part_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how many of a number of things are done."""
    if not sys.stderr.isatty():
        log = Log()
        yield lambda done, total: log(lambda: f"{done:,} of {total:,} {what}")
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, *times, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None, rate="")

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)
            progress.update(task, rate=rate_text(progress.tasks[task].speed))

        yield advance


def rate_text(speed: float | None) -> str:
    """Return how many things are done in a second, or in a longer time where they are few.

    >>> [rate_text(speed) for speed in (None, 1234.5, 2.25, 0.5, 0.001)]
    ['', '1,234/s', '2.2/s', '30/min', '3.6/h']
    """
    if not speed:
        return ""
    number, unit = next(
        ((speed * seconds, unit) for seconds, unit in ((1, "s"), (60, "min")) if speed * seconds >= 1),
        (speed * 3600, "h"),
    )
    return f"{number:,.0f}/{unit}" if number >= 10 else f"{number:.1f}/{unit}"


@contextmanager
def search_progress(line: Callable[[int, int], str]) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows what `line` makes of two counts."""
    with line_progress("searching", " (Ctrl-C ends the search and keeps its result)") as shown:
        yield lambda first, second: shown(lambda: line(first, second))


@contextmanager
def line_progress(what: str, note: str = "") -> Iterator[Callable[[Callable[[], str]], None]]:
    """Give a function that shows a line, `what` at first, and after it a note in a terminal."""
    if not sys.stderr.isatty():
        yield Log()
        return
    with console(stderr=True).status(what) as status:
        yield lambda text: status.update(f"{text()}{note}")
