"""``exactnn zoo``: the machines that come along."""

import click

from exactnn.cli.arguments import json_option
from exactnn.cli.completion import propose_tags
from exactnn.cli.printing import emit, emit_json
from exactnn.constructions import NETWORKS
from exactnn.machine_files import zoo
from exactnn.markup import Table

__all__ = ["command"]


@click.command("zoo")
@click.option(
    "--tag",
    "tags",
    metavar="TAG",
    multiple=True,
    shell_complete=propose_tags,
    help="Only those with a tag, such as regular or flare; given twice, those that have both.",
)
@json_option
def command(tags: tuple[str, ...], as_json: bool) -> None:
    """List the machines that come along, with name, kind and a line about each; and networks that need no machine."""
    every = zoo()
    entries = every
    for tag in tags:
        with_tag = {entry.name for entry in every.tagged(tag)}
        entries = type(every)(entry for entry in entries if entry.name in with_tag)
    if as_json:
        machines = [{"name": e.name, "kind": e.kind, "summary": e.summary, "tags": list(e.tags)} for e in entries]
        networks = [] if tags else [{"name": name, "summary": language} for name, language in NETWORKS.items()]
        emit_json({"machines": machines, "networks": networks})
    else:
        emit(entries.as_table(), box=False)
        if not tags:
            click.echo()
            emit(Table(heading=("network", "its language"), rows=tuple(NETWORKS.items()), longest=1000), box=False)
