"""What goes to standard output: one JSON object, or text and tables. Progress goes elsewhere."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from exactnn.cli.json_text import json_text
from exactnn.markup import Table, rich_table

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["console", "emit", "emit_fields", "emit_json", "fits"]

_NARROWEST = 80


def emit_json(record: dict[str, Any]) -> None:
    """Write one JSON object, in ASCII whatever the terminal's encoding."""
    click.echo(json_text(record))


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
    """Print names and values in two columns, long values wrapped."""
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in fields.items():
        if value:
            grid.add_row(name, Text(value))
    console().print(grid)
