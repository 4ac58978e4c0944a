"""``exactnn zoo``: the machines that come along."""

import click

from exactnn.cli.arguments import json_option
from exactnn.cli.output import emit, emit_json
from exactnn.cli.text import one_line
from exactnn.machine_files import ZooEntry, zoo

__all__ = ["command"]


@click.command("zoo")
@json_option
def command(as_json: bool) -> None:
    """List the machines that come along: name, kind, and a line about each."""
    entries = zoo()
    if as_json:
        emit_json({"machines": [{"name": e.name, "kind": e.kind, "summary": e.summary} for e in entries]})
    else:
        _emit_table(entries)


def _emit_table(entries: tuple[ZooEntry, ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True, style="cyan")
    table.add_column("kind", no_wrap=True)
    table.add_column("what it is")
    for entry in entries:
        table.add_row(entry.name, entry.kind.replace("_", " "), one_line(entry.summary))
    emit(table)
