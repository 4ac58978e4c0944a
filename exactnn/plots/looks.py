"""How things look in every picture: the colours of Okabe and Ito, which the colour-blind tell apart, markers, sizes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactnn.plots.lengths import Failure

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
    "Look",
    "legend_text",
    "plain",
    "same_sizes",
]

WIDTH = 6.5
"""Of a picture, in inches: the text of a page with margins of an inch."""
TITLE, PANEL, LABEL, TICKS, LEGEND = 10, 9, 9, 8, 7.5
"""Sizes of text in points: of a picture's title, of a panel's, of the names of axes, of their numbers, of legends."""


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
RED = "#D55E00"
GREY = "#777777"


def same_sizes(*panels: "Axes") -> None:
    """Give the names and numbers of axes the size that they have in every picture."""
    for axes in panels:
        axes.tick_params(labelsize=TICKS)
        for axis in (axes.xaxis, axes.yaxis):
            axis.label.set_fontsize(LABEL)


def plain(text: str) -> str:
    """Return `text` so that matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")


def legend_text(name: str) -> str:
    """Return a name for a legend, from which matplotlib leaves out what begins with an underscore: it gets quotes."""
    return plain(f"'{name}'" if name.startswith("_") else name)
