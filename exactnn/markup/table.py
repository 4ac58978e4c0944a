"""A table described once, from which come the HTML for notebooks and the table of rich for terminals."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING

from exactnn.interrupts import Uninterrupted, loaded
from exactnn.markup.shapes import LONGEST_TOLD, clipped, escaped, printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group
    from rich.table import Table as RichTable
    from rich.text import Text

__all__ = ["MOST_ROWS", "Entry", "InTerminal", "Table", "Tabular", "html_table", "rich_table"]

MOST_ROWS = 40
MOST_COLUMNS = 24
LONGEST_ENTRY = 60
LARGEST_WRITTEN_OUT = 10**40
WIDEST = 1 << 16
"""Characters in a line of a table that is no terminal's."""
MOST_OF_A_WORD = 16
"""Characters of a column that a terminal must have room for; longer words are cut or broken."""
NO_FORMULAS = ' class="tex2jax_ignore mathjax_ignore"'
"""Notebooks take what stands between two dollars for a formula; here they are symbols."""

STYLES = {"wrong": "color:#b00020;font-weight:bold", "right": "color:#1b6e3c"}
TERMINAL_STYLES = {"wrong": "bold red", "right": "green", "unsure": "yellow"}


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a cell of a table.

    Parameters
    ----------
    text : object
        Whole numbers are written with commas and stand on the right.
    told : object, optional
        The whole of what `text` shortens; shown where the pointer is.
    mark : "wrong", "right", "unsure" or ""
        Red, green, yellow in a terminal, or plain.
    """

    text: object
    told: object = None
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: its title, its columns, its rows of entries or of other values, and what is said below it.

    Without headings it is a list of names and values. `more` rows are left out already, and texts are cut to
    `longest` characters. `group` columns at the end, and each such number before them, are left out together where
    there is no room for all.
    """

    heading: tuple[object, ...] = ()
    rows: tuple[tuple[object, ...], ...]
    title: str = ""
    note: str = ""
    more: int = 0
    longest: int = LONGEST_ENTRY
    group: int = 1

    @classmethod
    def of_fields(cls, title: str, fields: Mapping[str, object]) -> "Table":
        """Return names and values in two columns, without those that are None or empty text."""
        rows = tuple((name, value) for name, value in fields.items() if value not in (None, ""))
        return cls(title=title, rows=rows, longest=LONGEST_TOLD)

    def __str__(self) -> str:
        """Return the table as text, as wide as it is; of a large one the first 40 rows.

        >>> print(Table(heading=("state", "a"), rows=(("q", 1),)))
        ┏━━━━━━━┳━━━┓
        ┃ state ┃ a ┃
        ┡━━━━━━━╇━━━┩
        │ q     │ 1 │
        └───────┴───┘
        """
        console = loaded("rich.console").Console(width=WIDEST, color_system=None, file=StringIO())
        console.print(rich_table(self, most=MOST_ROWS), end="")
        lines = console.file.getvalue().splitlines()
        return "\n".join(line.rstrip() for line in lines)


class InTerminal(ABC):
    """What a terminal of rich shows as a table: with ``rich.print``, and after ``rich.pretty.install()``."""

    __slots__ = ()

    @abstractmethod
    def as_table(self) -> Table:
        """Return what the table is."""

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Group]":
        """Yield what rich draws."""
        yield rich_table(self.as_table(), most=MOST_ROWS, width=options.max_width)


class Tabular(InTerminal):
    """What notebooks show as a table too."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_table(self.as_table())


def html_table(table: Table) -> str:
    """Return a table; of a large one the first 40 rows and 24 columns, and how many there are.

    >>> html_table(Table(heading=("state", "<"), rows=(("q", "a&b"), ("r", 1))))[-106:]
    '<td style="text-align:left">a&amp;b</td></tr><tr><th style="text-align:left">r</th><td>1</td></tr></table>'
    """
    heading, rows = table.heading, table.rows[:MOST_ROWS]
    width = _columns(table, rows)
    shown = _whole_groups(table, width, MOST_COLUMNS)
    cut = ("…",) if width > shown else ()
    parts = []
    if table.title:
        parts.append(f'<caption style="text-align:left;font-weight:bold">{_html(table.title, LONGEST_TOLD)}</caption>')
    if heading:
        cells = (*heading[:shown], *cut)
        parts.append(f"<tr>{''.join(_cell('th', cell, table.longest, lines=True) for cell in cells)}</tr>")
    for first, *rest in rows:
        cells = (*rest[: shown - 1], *cut)
        row = _cell("th", first, table.longest) + "".join(_cell("td", cell, table.longest) for cell in cells)
        parts.append(f"<tr>{row}</tr>")
    for note in _notes(table, len(rows), width - shown):
        cell = f'<td colspan="{shown + len(cut)}" style="text-align:left">{_html(note, LONGEST_TOLD)}</td>'
        parts.append(f"<tr>{cell}</tr>")
    content = "".join(parts)
    return f"<table{NO_FORMULAS if '$' in content else ''}>{content}</table>"


def rich_table(table: Table, *, most: int | None = None, width: int | None = None, box: bool = True) -> "Group":
    """Return a table for a terminal, of `most` rows at most, with its title above and its notes below it.

    Columns for which a terminal of `width` characters has no room are left out.

    What it says is taken literally.

    >>> from rich.console import Console
    >>> shown = rich_table(Table(heading=("word", "verdict"), rows=(("[b]", Entry("wrong", mark="wrong")),)))
    >>> Console(width=40, color_system=None).print(shown)
    ┏━━━━━━┳━━━━━━━━━┓
    ┃ word ┃ verdict ┃
    ┡━━━━━━╇━━━━━━━━━┩
    │ [b]  │ wrong   │
    └──────┴─────────┘
    """
    with Uninterrupted("loading rich"):
        from rich.console import Group
        from rich.text import Text
    rows = table.rows[:most]
    columns = _columns(table, rows)
    shown = columns if width is None else _fitting(table, rows, width)
    above = [Text(printable(clipped(table.title)), style="italic")] if table.title else []
    below = [Text(printable(clipped(note)), style="dim") for note in _notes(table, len(rows), columns - shown)]
    cut = replace(table, heading=table.heading[:shown])
    return Group(*above, _drawn(cut, tuple(row[:shown] for row in rows), box), *below)


def _columns(table: Table, rows: tuple[tuple[object, ...], ...]) -> int:
    return max([len(table.heading), *map(len, rows)], default=1)


def _whole_groups(table: Table, columns: int, most: int) -> int:
    """Return how many of so many columns are shown where there is room for `most`: whole groups of them."""
    if columns <= most:
        return columns
    return max(1, most - (most - columns) % table.group)


def _fitting(table: Table, rows: tuple[tuple[object, ...], ...], width: int) -> int:
    """Return how many columns a terminal has room for, if their texts are broken between words only."""
    columns, used = _columns(table, rows), 1
    for number in range(columns):
        entries = [row[number] for row in (table.heading, *rows) if number < len(row)]
        words = (word for entry in entries for word in _terminal(entry, table.longest).plain.split())
        used += min(MOST_OF_A_WORD, max(map(len, words), default=1)) + 3
        if used > width:
            return max(min(columns, 2), _whole_groups(table, columns, number))
    return columns


def _drawn(table: Table, rows: tuple[tuple[object, ...], ...], box: bool) -> "RichTable":
    """Return some rows of a table for a terminal, without its title and notes."""
    with Uninterrupted("loading rich"):
        from rich.box import HEAVY_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text
    drawn = RichTable(
        header_style="bold", show_header=bool(table.heading), box=HEAVY_HEAD if box else None, pad_edge=box
    )
    for number in range(_columns(table, rows)):
        entries = [row[number] for row in rows if number < len(row)]
        heading = Text()
        if number < len(table.heading):
            heading = _terminal(table.heading[number], table.longest, lines=True)
        drawn.add_column(heading, justify="right" if entries and all(map(_is_number, entries)) else "left")
    for row in rows:
        drawn.add_row(*(_terminal(entry, table.longest) for entry in row))
    return drawn


def _notes(table: Table, rows: int, columns: int) -> list[str]:
    """Return the lines below a table of which so many rows are shown, and so many columns are left out."""
    left_out = len(table.rows) - rows + table.more
    more = [f"… {left_out:,} more row{'s' * (left_out != 1)}"] if left_out > 0 else []
    more += [f"… {columns:,} more column{'s' * (columns != 1)}"] if columns > 0 else []
    return [*more, *table.note.splitlines()]


def _cell(name: str, value: object, longest: int, *, lines: bool = False) -> str:
    entry = value if isinstance(value, Entry) else Entry(value)
    styles = [] if _is_number(entry) else ["text-align:left"]
    styles += [STYLES[entry.mark]] if entry.mark in STYLES else []
    style = f' style="{";".join(styles)}"' if styles else ""
    text = _written(entry.text)
    whole = text if entry.told is None else _written(entry.told)
    hover = f' title="{escaped(clipped(whole))}"' if whole != text or len(text) > longest else ""
    return f"<{name}{style}{hover}>{_html(text, longest, lines=lines)}</{name}>"


def _html(text: str, longest: int, *, lines: bool = False) -> str:
    """Return text as HTML, the lines of headings below each other: a name in a row could else look like two rows."""
    return "<br/>".join(map(escaped, _lines(text, longest, lines)))


def _terminal(value: object, longest: int, *, lines: bool = False) -> "Text":
    entry = value if isinstance(value, Entry) else Entry(value)
    text = "\n".join(map(printable, _lines(_written(entry.text), longest, lines)))
    shown: Text = loaded("rich.text").Text(text, style=TERMINAL_STYLES.get(entry.mark, ""))
    return shown


def _lines(text: str, longest: int, lines: bool) -> list[str]:
    shown = clipped(text, longest)
    return shown.split("\n") if lines else [shown]


def _is_number(value: object) -> bool:
    text = value.text if isinstance(value, Entry) else value
    return isinstance(text, int) and not isinstance(text, bool)


def _written(value: object) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return "" if value is None else str(value)
    return f"{value:,}" if abs(value) < LARGEST_WRITTEN_OUT else f"a number of {value.bit_length():,} bits"
