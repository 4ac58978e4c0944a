"""A collapse table of many formats for people: a row for each format, with the first lengths that go wrong."""

from collections.abc import Sequence

import click

from exactnn.cli.output import emit
from exactnn.cli.subject import Subject
from exactnn.cli.text import shortened
from exactnn.cli.words import Case, picture_title
from exactnn.markup import Table
from exactnn.precision import Collapse, collapse_summary

__all__ = ["MANY_FORMATS", "emit_summary"]

MANY_FORMATS = 12
"""A table of more formats than this is summed up, and drawn as a map if they differ by their precision only."""


def emit_summary(subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    """Print for each format at which length a value, a configuration and a verdict are wrong first."""
    found = collapse_summary(table)
    rows = []
    for first in range(0, len(found), 3):
        lengths = [row["first_wrong_length"] for row in found[first : first + 3]]
        rows.append((shortened(found[first]["format"]), *("none" if n is None else n for n in lengths)))
    heading = ("format", "value", "configuration", "verdict")
    emit(Table(title=f"{picture_title(subject, cases)}: first wrong at length", heading=heading, rows=tuple(rows)))
    if not table.complete:
        click.echo(f"Interrupted after {len(table.rows)} of {len(cases)} words; what was computed until then is here.")
