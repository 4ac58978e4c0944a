"""The decoded tape of one run after each step."""

from dataclasses import dataclass

from exactnn.arithmetic import Arithmetic
from exactnn.automata import TapeConfiguration
from exactnn.precision.divergence import Divergence

__all__ = ["TapeRow", "TapeRows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRow:
    """The decoded configuration after a step; `head` is the cell under the head, where the word begins with cell 0."""

    step: int
    head: int
    configuration: TapeConfiguration


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeRows:
    """The tape of one run.

    Parameters
    ----------
    arithmetic : Arithmetic
    rows : tuple of TapeRow
        Those of a rounded run are decoded a little beyond the exact tape.
    divergence : Divergence or None
        Where it leaves the exact run; None for that one. What is decoded after a verdict stands for nothing.
    wrong_cell : int or None
        The wrong cell that is nearest to the head in the first wrong configuration; the head's own cell if only the
        state is wrong.
    """

    arithmetic: Arithmetic
    rows: tuple[TapeRow, ...]
    divergence: Divergence | None = None
    wrong_cell: int | None = None
