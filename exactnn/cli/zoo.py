"""``exactnn zoo``: the machines that come along."""

import click

from exactnn.cli.arguments import json_option
from exactnn.cli.printing import emit, emit_json
from exactnn.machine_files import zoo

__all__ = ["command"]


@click.command("zoo")
@json_option
def command(as_json: bool) -> None:
    """List the machines that come along: name, kind, and a line about each."""
    entries = zoo()
    if as_json:
        emit_json({"machines": [{"name": e.name, "kind": e.kind, "summary": e.summary} for e in entries]})
    else:
        emit(entries.as_table(), box=False)
