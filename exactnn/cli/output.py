"""What goes to standard output: one JSON object, or text and tables. Progress goes elsewhere."""

from typing import TYPE_CHECKING, Any

import click

from exactnn.cli.json_text import json_text

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


def emit(renderable: "RenderableType") -> None:
    """Print a table or text; where no terminal sets the width, a table gets what it needs."""
    from rich.table import Table

    target = console()
    if isinstance(renderable, Table) and not target.is_terminal:
        target.width = max(_NARROWEST, _natural_width(target, renderable))
    target.print(renderable)


def fits(renderable: "RenderableType") -> bool:
    """Whether the terminal is wide enough; it is if there is none."""
    target = console()
    return not target.is_terminal or _natural_width(target, renderable) <= target.width


def _natural_width(target: "Console", renderable: "RenderableType") -> int:
    from rich.measure import Measurement

    return Measurement.get(target, target.options.update(width=10_000), renderable).maximum


def emit_fields(fields: dict[str, str]) -> None:
    """Print names and values in two columns, long values wrapped."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in fields.items():
        if value:
            grid.add_row(name, Text(value))
    console().print(grid)
