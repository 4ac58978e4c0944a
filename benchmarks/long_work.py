"""What the campaigns of this folder share: options for where units run and what is kept, and a bar of progress."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from exactnn.campaigns import Campaign, Finished, Processes, Unit, on_dask
from exactnn.cli.printing import rate_text
from exactnn.errors import ExactnnError

__all__ = ["StoppedError", "Work", "trained", "work_options"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Where units run, the file that keeps them, and after how many seconds no more are begun."""

    store: str | None = None
    jobs: int = 1
    scheduler: str | None = None
    seconds: float = float("inf")

    def executor(self) -> Any:
        """Return a context with the executor, or with None."""
        if self.scheduler is not None:
            return on_dask(self.scheduler)
        return Processes(self.jobs) if self.jobs > 1 else nullcontext()

    def run(self, campaign: Campaign[T], what: str) -> Finished[T]:
        """Run a campaign with a bar; what failed is printed. Ctrl-C and the limit of time end it early."""
        console, began = Console(stderr=True), time.monotonic()
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        rate = TextColumn("{task.fields[rate]}")
        with Progress(*columns, TimeRemainingColumn(), rate, console=console) as progress:
            bar = progress.add_task(what, total=len(campaign.units), rate="")

            def advance(done: int) -> None:
                progress.update(bar, completed=done)
                progress.update(bar, rate=rate_text(progress.tasks[bar].speed))
                if time.monotonic() - began > self.seconds:
                    raise KeyboardInterrupt

            try:
                with self.executor() as executor:
                    found = self._run(campaign, executor, advance)
            except ExactnnError as error:
                raise click.UsageError(f"error: {error}") from None
        for failure in found.failed:
            console.print(f"failed: {failure.unit}: {failure.error}", style="red", markup=False, soft_wrap=True)
        if not found.complete:
            console.print("stopped early" + (": the same command goes on" if self.store else ""))
        return found

    def _run(self, campaign: Campaign[T], executor: Executor | None, advance: Callable[[int], None]) -> Finished[T]:
        return campaign.run(executor=executor, store=self.store, progress=advance)


class StoppedError(Exception):
    """Some trainings are not done."""


def trained(units: Sequence[Unit], folder: Path | None, jobs: int) -> list[Any]:
    """Train networks, and return the rows of units in their order; raises StoppedError if that was ended early.

    A unit is one training. Its subject is the name of a folder, or None, in which it keeps its own progress; what is
    done is in the ledger of that folder.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    work = Work(store=None if folder is None else str(folder / "done.db"), jobs=jobs)
    found = work.run(Campaign(units, list, subject=None if folder is None else str(folder)), "trainings")
    if found.failed or not found.complete:
        raise StoppedError
    return [row for _, row in found.result]


def work_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of :class:`Work`, as its argument `work`."""

    @wraps(command)
    def called(*args: Any, store: str | None, jobs: int, scheduler: str | None, seconds: float, **more: Any) -> Any:
        return command(*args, work=Work(store=store, jobs=jobs, scheduler=scheduler, seconds=seconds), **more)

    for option in (
        click.option(
            "--seconds", type=click.FloatRange(0), default=float("inf"), help="Begin nothing more after these."
        ),
        click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster."),
        click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes."),
        click.option("--store", metavar="FILE", help="Keep what is done there, and go on from there."),
    ):
        called = option(called)
    return called
