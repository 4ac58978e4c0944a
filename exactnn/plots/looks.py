"""How all pictures look, and what they share: series of numbers, and axes of word lengths."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import gmpy2
from gmpy2 import mpq

from exactnn.precision import Collapse, Divergence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "FAILURES",
    "GREY",
    "LEGEND",
    "LINES",
    "PANEL",
    "RED",
    "TITLE",
    "WIDTH",
    "Failure",
    "Length",
    "Look",
    "binary_logarithm",
    "edges",
    "failure_of",
    "inches_of",
    "legend_columns",
    "legend_text",
    "lengths",
    "line_looks",
    "line_style",
    "plain",
    "powers_of_two",
    "put_title",
    "same_sizes",
    "thinned",
]


# --- A collapse table gathered by word length: what a picture of it shows at each length.


class Failure(IntEnum):
    """The worst that goes wrong on a word, from nothing to the verdict."""

    NOTHING = 0
    VALUE = 1
    CONFIGURATION = 2
    VERDICT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """All words of one length together: the longest exact run, and for each format the worst and the earliest."""

    length: int
    steps: int
    failures: tuple[Failure, ...]
    value_steps: tuple[int | None, ...]
    configuration_steps: tuple[int | None, ...]


def lengths(table: Collapse) -> list[Length]:
    """Return the rows of a table gathered by word length, in increasing order."""
    rows: dict[int, list[Any]] = {}
    for row in table.rows:
        rows.setdefault(len(row.word), []).append(row)
    gathered = []
    for length, same in sorted(rows.items()):
        columns: list[tuple[Divergence, ...]] = list(zip(*(row.divergences for row in same), strict=True))
        gathered.append(
            Length(
                length=length,
                steps=max(row.steps for row in same),
                failures=tuple(max(map(failure_of, column)) for column in columns),
                value_steps=tuple(_earliest(d.value for d in column) for column in columns),
                configuration_steps=tuple(_earliest(d.configuration for d in column) for column in columns),
            )
        )
    return gathered


def failure_of(found: Divergence) -> Failure:
    """Return the worst that is wrong in a run."""
    if found.verdict is not None:
        return Failure.VERDICT
    if found.configuration is not None:
        return Failure.CONFIGURATION
    return Failure.NOTHING if found.value is None else Failure.VALUE


def _earliest(parts: Any) -> int | None:
    return min((part.step for part in parts if part is not None), default=None)


def edges(values: Sequence[int]) -> list[float]:
    """Return the borders between neighbouring numbers, and one before the first and after the last.

    Nothing is drawn of numbers beyond those: there are no words of negative length.

    >>> edges([2, 4, 8])
    [1.5, 3.0, 6.0, 8.5]
    """
    return [values[0] - 0.5, *[(a + b) / 2 for a, b in pairwise(values)], values[-1] + 0.5]


WIDTH = 6.5
"""Of a picture, in inches: the text of a page with margins of an inch."""
TITLE, PANEL, LABEL, TICKS, LEGEND = 10, 9, 9, 8, 7.5
"""Sizes of text in points: of a picture's title, of a panel's, of the names of axes, of their numbers, of legends."""
LETTERS_OF_TITLE = 12
"""Letters of a title in an inch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How an area looks, and what it is called in the legend."""

    label: str
    colour: str
    hatch: str


# From light to dark so that they are told apart in grey; hatches besides.
FAILURES = {
    Failure.NOTHING: Look(label="all right", colour="#FFFFFF", hatch=""),
    Failure.VALUE: Look(label="values wrong", colour="#F0E442", hatch=""),
    Failure.CONFIGURATION: Look(label="configuration wrong", colour="#E69F00", hatch="////"),
    Failure.VERDICT: Look(label="verdict wrong", colour="#0072B2", hatch=""),
}
LINES = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"),
    ("#56B4E9", "v"), ("#E69F00", "P"), ("#777777", "X"), ("#8B5A2B", "<"),
)  # fmt: skip
"""Colour and marker of lines, one after the other."""
Named = TypeVar("Named")
OF_FORMATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3", "float8_e5m2", "tf32")
"""Formats that have the same line in every picture."""
RED = "#D55E00"
GREY = "#777777"


def line_looks(arithmetics: Iterable[Named]) -> dict[Named, tuple[str, str]]:
    """Return colour and marker of each arithmetic: well-known formats have their own, others take what is left.

    Where colours repeat, markers do not.

    >>> [marker for _, marker in line_looks(["float32", "p20", "float16"]).values()]
    ['s', 'o', '^']
    >>> len(set(line_looks(range(64)).values()))
    64
    """
    known = {name: LINES[place] for place, name in enumerate(OF_FORMATS)}
    asked = list(dict.fromkeys(arithmetics))
    taken = {known[str(one)] for one in asked if str(one) in known}
    markers = [marker for _, marker in LINES] * 2
    pairs = [(colour, markers[i + shift]) for shift in range(len(LINES)) for i, (colour, _) in enumerate(LINES)]
    left = cycle([pair for pair in pairs if pair not in taken])
    return {one: known.get(str(one)) or next(left) for one in asked}


def line_style(look: tuple[str, str]) -> str:
    """Return how a line with this look is drawn: where its colour comes again it is broken.

    >>> [line_style(look) for look in line_looks(range(17)).values()][::8]
    ['-', '--', '-.']
    """
    colour, marker = (part.index(mark) for part, mark in zip(zip(*LINES, strict=True), look, strict=True))
    return ("-", "--", "-.", ":")[(marker - colour) % len(LINES) % 4]


def same_sizes(*panels: "Axes") -> None:
    """Give the names and numbers of axes the size that they have in every picture, and long names several lines."""
    for axes in panels:
        axes.tick_params(labelsize=TICKS)
        for axis, inches in zip((axes.xaxis, axes.yaxis), inches_of(axes), strict=True):
            axis.label.set_fontsize(LABEL)
            axis.label.set_text(textwrap.fill(axis.label.get_text(), max(8, int(LETTERS_OF_TITLE * inches))))


def inches_of(axes: "Axes") -> tuple[float, float]:
    """Return about the width and the height that a picture has around its axes; that of :data:`WIDTH` has its own."""
    figure: Any = axes.figure
    place = axes.get_position(original=True)
    return figure.get_figwidth() * place.width / 0.775, figure.get_figheight() * place.height / 0.77


def put_title(axes: "Axes", title: str, *, pad: float | None = None) -> None:
    """Write a title above axes, in as many lines as it takes at their width."""
    letters = max(12, int(LETTERS_OF_TITLE * inches_of(axes)[0]))
    lines = [line for part in plain(title).split("\n") for line in textwrap.wrap(part, letters) or [""]]
    axes.set_title("\n".join(lines), fontsize=TITLE, pad=pad)


def legend_columns(axes: "Axes", most: int) -> int:
    """Return in how many columns a legend is written that has `most` of them at :data:`WIDTH`."""
    return max(1, int(most * min(1.0, inches_of(axes)[0] / WIDTH)))


def plain(text: str) -> str:
    """Return `text` so that matplotlib does not read it as mathematics.

    Half a pair of surrogates, which no font takes, becomes a question mark.

    >>> print(plain("$" + chr(0xD800)))
    \\$?
    """
    return text.encode(errors="replace").decode().replace("$", r"\$")


def legend_text(name: str) -> str:
    """Return a name for a legend, from which matplotlib leaves out what begins with an underscore: it gets quotes."""
    return plain(f"'{name}'" if name.startswith("_") else name)


# --- Long series of numbers of any size: logarithms and their axis, and fewer points without losing a peak.

MOST_POINTS = 2000


def binary_logarithm(value: mpq) -> float:
    """Return the logarithm to base 2 of a positive number, which may be far too small or large for a float.

    >>> binary_logarithm(mpq(1, 2**5000)), binary_logarithm(mpq(3 * 2**9000))
    (-5000.0, 9001.584962500721)
    """
    with gmpy2.context(precision=80, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return float(gmpy2.log2(gmpy2.mpfr(value)))


def powers_of_two(axes: "Axes") -> None:
    """Label the vertical axis, which shows logarithms, by powers of two."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda exponent, _: f"$2^{{{round(exponent)}}}$"))


def thinned(values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """Return the indices and values to draw: the largest of each stretch; NaN where a stretch has only None.

    >>> thinned([1.0, None, 3.0])
    ([0, 1, 2], [1.0, nan, 3.0])
    >>> indices, values = thinned([0.0] * 5000 + [7.0] + [0.0] * 4999)
    >>> len(indices), indices[1000], values[1000]
    (2000, 5000, 7.0)
    """
    stretch = -(-len(values) // MOST_POINTS) or 1
    indices, kept = [], []
    for first in range(0, len(values), stretch):
        found = [(x, -i) for i, x in enumerate(values[first : first + stretch], first) if x is not None]
        value, index = max(found, default=(float("nan"), -first))
        indices.append(-index)
        kept.append(value)
    return indices, kept
