"""How things look in every picture: the colours of Okabe and Ito, which the colour-blind tell apart, and markers."""

from dataclasses import dataclass

from exactnn.plots.lengths import Failure

__all__ = ["FAILURES", "GREY", "LINES", "RED", "Look", "plain"]


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


def plain(text: str) -> str:
    """Return `text` so that matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")
