"""``exactnn constructions``: the constructions side by side, measured on machines."""

from dataclasses import asdict
from functools import partial

import click

from exactnn.cli.arguments import check_markdown, json_option, markdown_option
from exactnn.cli.completion import propose_machines
from exactnn.cli.output_files import attempt, check_new_files, force_option
from exactnn.cli.printing import emit, emit_json, working
from exactnn.files import check_table_file
from exactnn.table_of_constructions import construction_page, construction_table

__all__ = ["command"]


@click.command("constructions")
@click.argument("machines", nargs=-1, metavar="[M]...", shell_complete=propose_machines)
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Save a row for each network: .csv, .parquet or .json; may be repeated.",
)  # fmt: skip
@force_option
@markdown_option
@json_option
def command(machines: tuple[str, ...], outputs: tuple[str, ...], force: bool, markdown: bool, as_json: bool) -> None:
    """Compile machines by every construction of their kind, run each, and print sizes, steps and bits.

    Without M these are a few machines of the zoo.
    """
    check_markdown(markdown, as_json)
    for path in outputs:
        check_table_file(path, name="-o")
    check_new_files([("-o", path) for path in outputs], force=force)
    with working("compiling and running"):
        rows = construction_table(machines or None)
    unsaved = attempt(*(partial(rows.save, path, replace=force) for path in outputs))
    if as_json:
        emit_json({"constructions": [asdict(row) for row in rows]})
    elif markdown:
        click.echo(construction_page(rows), nl=False)
    else:
        emit(rows.as_table())
    if unsaved is not None:
        raise unsaved
