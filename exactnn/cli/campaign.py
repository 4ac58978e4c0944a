"""``exactnn campaign``: the stores of long work."""

import json
import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from exactnn.arithmetic import counted
from exactnn.campaigns import Ledger, Recorded
from exactnn.campaigns.flat import ERROR, flat_row, one_typed
from exactnn.campaigns.unit import json_line
from exactnn.census import halting_census
from exactnn.cli.arguments import (
    construction_option,
    jobs_option,
    json_option,
    machine_argument,
    scheduler_option,
    workers,
)
from exactnn.cli.output_files import force_option
from exactnn.cli.printing import emit, emit_json, one_line, part_progress
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import load_subject
from exactnn.errors import OptionError, shown
from exactnn.files import check_table_file, json_rows, table_bytes, write_file
from exactnn.markup import Table
from exactnn.precision.sweep_file import import_sweep_file

__all__ = ["command"]

MOST_FAILURES = 20


@click.group("campaign")
def command() -> None:
    """Long work: the files that keep it (--store FILE), and the census of small machines."""


@command.command("census")
@click.option("--states", type=click.IntRange(1), required=True, metavar="N", help="Without the halting state.")
@click.option("--symbols", type=click.IntRange(2), default=2, show_default=True, metavar="M", help="With the blank.")
@click.option("--max-steps", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="Of a machine.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Count only so many subtrees, drawn at random.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which subtrees are drawn.")
@click.option("--store", metavar="FILE", help="Keep what is done in FILE, and go on from there.")
@jobs_option
@scheduler_option
@json_option
def census(
    states: int, symbols: int, max_steps: int, sample: int | None, seed: int, store: str | None, jobs: int,
    scheduler: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Decide of all Turing machines of N states and M symbols, up to names, which halt on the blank tape.

    Each is also run as a network, exactly, which must halt at the same step.
    """
    with workers(jobs, scheduler, partial(halting_census, 1)) as executor, part_progress("subtrees") as progress:
        found = halting_census(
            states, symbols, max_steps=max_steps, sample=sample, seed=seed, executor=executor, store=store,
            progress=progress,
        )  # fmt: skip
    if as_json:
        names = ("states", "symbols", "max_steps", "counts", "longest", "champion", "all_halting", "open_machines")
        record = {name: getattr(found, name) for name in (*names, "units", "all_units", "failed")}
        emit_json(record | {"open_machines": list(found.open_machines), "failed": list(found.failed)})
    else:
        emit(found.as_table())
        for text in found.open_machines[:MOST_FAILURES]:
            click.echo(f"open: {text}")
    wanted = found.all_units if sample is None else min(sample, found.all_units)
    return 0 if found.units == wanted else LIMIT_REACHED


store_argument = click.argument("store", metavar="FILE")


@command.command("status")
@store_argument
@json_option
def status(store: str, as_json: bool) -> None:
    """Show how many units of work of each kind are done and failed, and the time that they took."""
    with Ledger(store, new=False) as ledger:
        summaries = ledger.summaries()
        failures = [unit for unit in ledger.all() if unit.error is not None] if ledger.failures() else []
    if as_json:
        kinds = [{"kind": s.kind, "done": s.done, "failed": s.failed, "seconds": str(s.seconds)} for s in summaries]
        emit_json({"kinds": kinds, "failures": [{"unit": dict(f.identity), "error": f.error} for f in failures]})
        return
    rows = tuple((s.kind, s.done, s.failed, f"{s.seconds:,.1f} s", _each(s.seconds, s.done)) for s in summaries)
    emit(Table(title=f"{store}", heading=("kind", "done", "failed", "work", "per unit"), rows=rows))
    for failure in failures[:MOST_FAILURES]:
        click.echo(f"Failed: {one_line(json_line(failure.identity))}: {one_line(failure.error or '')}")
    if failures:
        click.echo(f"{counted(len(failures), 'unit')} failed: 'exactnn campaign retry {store}' has them tried again.")


def _each(seconds: float, units: int) -> str:
    return f"{1000 * seconds / units:,.2f} ms" if units else "-"


@command.command("retry")
@store_argument
def retry(store: str) -> None:
    """Forget the units that failed, so that the command that uses the store tries them again."""
    with Ledger(store, new=False) as ledger:
        forgotten = ledger.forget_failures()
    click.echo(f"{counted(forgotten, 'unit')} will be tried again.")


@command.command("export")
@store_argument
@click.argument("output", metavar="OUTPUT")
@force_option
def export(store: str, output: str, force: bool) -> None:
    """Write all units to OUTPUT (.csv, .json or .parquet), a row for each, in the order of what they are.

    Times are not among the columns: the same work gives the same file, whatever ran where. What a row calls as the unit
    itself does begins with "row.".
    """
    check_table_file(output, name="OUTPUT")
    with suppress(OSError):  # one of them is not there
        if os.path.samefile(store, output):
            raise OptionError(f"FILE and OUTPUT are both {shown(output, limit=1000)}: give two files")
    with Ledger(store, new=False) as ledger:
        rows = one_typed([_row(unit) for unit in ledger.all()])
    ending = Path(output).suffix.lower()
    if ending == ".json":
        content = json.dumps(json_rows(rows), indent=1, allow_nan=False).encode("ascii") + b"\n"
    else:
        content = table_bytes(rows, ending)
    write_file(
        output, content, error=OptionError, subject=f"OUTPUT {shown(output)} cannot be written", replace=force
    )  # fmt: skip
    click.echo(f"{counted(len(rows), 'unit')} written to {output}.")


def _row(unit: Recorded) -> dict[str, Any]:
    return flat_row(unit.identity, {} if unit.error is not None else unit.row) | {ERROR: unit.error}


@command.command("import")
@click.argument("old", metavar="OLD")
@store_argument
@machine_argument
@construction_option
def import_old(old: str, store: str, machine: str, construction: str | None) -> None:
    """Put OLD, a sweep file of an earlier version (threshold M --file OLD), into a store."""
    subject = load_subject(machine, construction)
    done, others = import_sweep_file(old, subject.runnable, store)
    click.echo(f"{counted(done, 'length')} imported into {store}.")
    if others:
        click.echo(f"{counted(others, 'length')} of more than 1000 words left out: they are drawn otherwise today.")
