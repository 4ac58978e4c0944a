"""``exactnn constructions``: the constructions side by side, measured on machines."""

from dataclasses import asdict

import click

from exactnn.cli.arguments import check_markdown, json_option, markdown_option
from exactnn.cli.completion import propose_machines
from exactnn.cli.printing import emit, emit_json, working
from exactnn.table_of_constructions import construction_page, construction_table

__all__ = ["command"]


@click.command("constructions")
@click.argument("machines", nargs=-1, metavar="[M]...", shell_complete=propose_machines)
@markdown_option
@json_option
def command(machines: tuple[str, ...], markdown: bool, as_json: bool) -> None:
    """Compile machines by every construction of their kind, run each, and print sizes, steps and bits.

    Without M these are a few machines of the zoo.
    """
    check_markdown(markdown, as_json)
    with working("compiling and running"):
        rows = construction_table(machines or None)
    if as_json:
        emit_json({"constructions": [asdict(row) for row in rows]})
        return
    if markdown:
        click.echo(construction_page(rows), nl=False)
        return
    emit(rows.as_table())
