"""A table as HTML text."""

from collections.abc import Sequence

from exactnn.markup.shapes import escaped

__all__ = ["html_table"]

MOST_ROWS = 40
MOST_COLUMNS = 24


def html_table(heading: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; of a large one the first 40 rows and 24 columns, and how many there are.

    >>> html_table(["state", "<"], [["q", "a&b"]])[-41:]
    'left">q</th><td>a&amp;b</td></tr></table>'
    """
    more_columns = ["…"] if len(heading) > MOST_COLUMNS else []
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in [*heading[:MOST_COLUMNS], *more_columns])
    body = ""
    for row in rows[:MOST_ROWS]:
        cells = "".join(f"<td>{escaped(cell)}</td>" for cell in [*row[1:MOST_COLUMNS], *more_columns])
        body += f'<tr><th style="text-align:left">{escaped(row[0])}</th>{cells}</tr>'
    left_out = len(rows) - MOST_ROWS
    if left_out > 0:
        body += f'<tr><td colspan="{len(heading)}">and {left_out} more rows</td></tr>'
    return f"<table><tr>{head}</tr>{body}</table>"
