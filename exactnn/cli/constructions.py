"""``exactnn constructions``: the constructions side by side, measured on machines."""

from dataclasses import asdict

import click

from exactnn.cli.arguments import json_option
from exactnn.cli.output import emit, emit_json
from exactnn.cli.progress import working
from exactnn.errors import OptionError
from exactnn.table_of_constructions import construction_page, construction_table

__all__ = ["command"]


@click.command("constructions")
@click.argument("machines", nargs=-1, metavar="[M]...")
@click.option("--markdown", is_flag=True, help="Print a page in Markdown, the one that is in the documentation.")
@json_option
def command(machines: tuple[str, ...], markdown: bool, as_json: bool) -> None:
    """Compile machines by every construction of their kind, run each, and print sizes, steps and bits.

    Without M these are a few machines of the zoo.
    """
    if markdown and as_json:
        raise OptionError("--markdown and --json: choose one of the two")
    with working("compiling and running"):
        rows = construction_table(machines or None)
    if as_json:
        emit_json({"constructions": [asdict(row) for row in rows]})
        return
    if markdown:
        click.echo(construction_page(rows), nl=False)
        return
    emit(rows.as_table())
