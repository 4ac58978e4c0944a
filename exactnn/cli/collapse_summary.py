"""A collapse table of many formats for people: a row for each format, with the first lengths that go wrong."""

from collections.abc import Sequence

import click

from exactnn.cli.output import emit
from exactnn.cli.subject import Subject
from exactnn.cli.text import shortened
from exactnn.cli.words import Case, picture_title
from exactnn.precision import Collapse, collapse_summary

__all__ = ["MANY_FORMATS", "emit_summary"]

MANY_FORMATS = 12
"""A table of more formats than this is summed up, and drawn as a map if they differ by their precision only."""


def emit_summary(subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    """Print for each format at which length a value, a configuration and a verdict are wrong first."""
    from rich.table import Table

    drawn = Table(title=f"{picture_title(subject, cases)}: first wrong at length", title_justify="left")
    drawn.add_column("format")
    for what in ("value", "configuration", "verdict"):
        drawn.add_column(what, justify="right")
    found = collapse_summary(table)
    for first in range(0, len(found), 3):
        rows = found[first : first + 3]
        lengths = ("none" if row["first_wrong_length"] is None else f"{row['first_wrong_length']:,}" for row in rows)
        drawn.add_row(shortened(rows[0]["format"]), *lengths)
    emit(drawn)
    if not table.complete:
        click.echo(f"Interrupted after {len(table.rows)} of {len(cases)} words; what was computed until then is here.")
