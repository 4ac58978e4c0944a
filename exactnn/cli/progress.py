"""Progress on standard error, when that is a terminal: a run's steps per second, a table's rows."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from exactnn.arithmetic import count_text
from exactnn.cli.output import console

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["StepMeter", "row_progress", "search_progress", "working"]

PATIENCE = 0.5
"""Seconds before anything is shown."""


class StepMeter:
    """Shows how many steps a run has taken and how fast; call it with the number of steps.

    With `resumable` the first number is where the run goes on, which is said at once if it is not 0.
    """

    def __init__(self, *, resumable: bool = False) -> None:
        self._resumable = resumable
        self._first = 0
        self._began = time.perf_counter()
        self._status: Status | None = None
        self._shown = sys.stderr.isatty()

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
        elapsed = time.perf_counter() - self._began
        if not self._shown or elapsed < PATIENCE:
            return
        speed = (steps - self._first) * 1000 // round(1000 * elapsed)  # such a number may be too large for a float
        text = f"{count_text(steps)} steps, {count_text(speed)} per second (Ctrl-C ends the run and keeps its result)"
        if self._status is None:
            self._status = console(stderr=True).status(text)
            self._status.start()
        self._status.update(text)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner beside `what` while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    with console(stderr=True).status(what):
        yield


@contextmanager
def row_progress(total: int, what: str = "words") -> Iterator[Callable[[int], None] | None]:
    """Give a function that shows how many of `total` words, or something else, are done; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def search_progress(line: Callable[[int, int], str]) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that shows what `line` makes of two counts; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with console(stderr=True).status("searching") as status:
        yield lambda first, second: status.update(
            f"{line(first, second)} (Ctrl-C ends the search and keeps its result)"
        )
