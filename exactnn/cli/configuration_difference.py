"""Two configurations one below the other, head below head, with the cells that differ marked."""

from itertools import zip_longest
from typing import TYPE_CHECKING

from exactnn.automata import TapeConfiguration
from exactnn.markup import printable

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["configuration_difference"]

WINDOW = 25
"""Cells shown on either side of the head; a first wrong cell farther away is shown with its neighbours."""

Column = tuple[str, str]
_DOTS = ("…", "…")


def configuration_difference(exact: object, computed: object) -> "list[Text]":
    """Return lines of text: the exact configuration, the computed one, and marks below what differs.

    >>> exact = TapeConfiguration(state="q", left=("a",), scanned="b", right=("c", "d"))
    >>> computed = TapeConfiguration(state="q", left=("a",), scanned="b", right=("c", "?"))
    >>> for line in configuration_difference(exact, computed):
    ...     print(line.plain)
        exactly   q: a [b] c d
        computed  q: a [b] c ?
                             ^
    """
    columns = _columns(exact, computed)
    return [
        _line("    exactly   ", [(a, a != b) for a, b in columns]),
        _line("    computed  ", [(b, a != b) for a, b in columns]),
        _line("              ", [(_mark(a, b), False) for a, b in columns], columns),
    ]


def _columns(exact: object, computed: object) -> list[Column]:
    """Return what stands in each column, state first, both entries of a column equally wide."""
    if not isinstance(exact, TapeConfiguration) or not isinstance(computed, TapeConfiguration):
        return [_padded(str(exact), str(computed))]
    left = list(zip_longest(exact.left, computed.left, fillvalue=""))
    right = list(zip_longest(exact.right, computed.right, fillvalue=""))
    pairs = [(f"{exact.state}:", f"{computed.state}:"), *reversed(_window(left))]
    pairs += [(f"[{exact.scanned}]", f"[{computed.scanned}]"), *_window(right)]
    return [_padded(a, b) for a, b in pairs]


def _window(pairs: list[Column]) -> list[Column]:
    """Return the pairs next to the head and around the first difference, with dots for what is left out."""
    first = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    end = WINDOW if first < WINDOW else first + 4
    shown = pairs[:end] if first < WINDOW else [*pairs[:5], _DOTS, *pairs[first - 8 : end]]
    return [*shown, _DOTS] if len(pairs) > end else shown


def _padded(a: str, b: str) -> Column:
    a, b = printable(a), printable(b)
    width = max(len(a), len(b))
    return a.ljust(width), b.ljust(width)


def _mark(a: str, b: str) -> str:
    return "^" * max(len(a.strip()), len(b.strip())) if a != b else ""


def _line(head: str, entries: list[tuple[str, bool]], widths: list[Column] | None = None) -> "Text":
    from rich.text import Text

    line = Text(head)
    for i, (entry, wrong) in enumerate(entries):
        width = 0 if widths is None else len(widths[i][0])
        line.append(" " if i else "")
        line.append(entry.ljust(width), style="bold red reverse" if wrong else "")
    line.rstrip()
    return line
