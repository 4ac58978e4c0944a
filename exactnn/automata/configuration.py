"""Configurations of a tape machine: a state, the scanned symbol and the tape on either side."""

from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol
from exactnn.automata.multi_tape_turing_machine import MultiTapeTuringMachine
from exactnn.automata.transitions import State
from exactnn.automata.turing_machine import TuringMachine
from exactnn.markup import printable

__all__ = ["LOST", "TapeConfiguration", "tape_configuration"]


class _Lost(str):
    """Text that equals only itself: a machine may have a symbol or a state called "?"."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__

    def __reduce__(self) -> str:
        return "LOST"


LOST = _Lost("?")
"""Stands for a state or cell that cannot be read back from a rounded network state; it prints as "?"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeConfiguration:
    """State, left part of the tape (nearest cell first), scanned symbol, right part (nearest first).

    Two configurations are equal when the machine cannot tell them apart: blanks that stretch to an
    infinite end of the tape are not part of it. On a semi-infinite tape `left` is complete, so that its
    length is the position of the head.
    """

    state: State
    left: tuple[Symbol, ...]
    scanned: Symbol
    right: tuple[Symbol, ...]

    def __str__(self) -> str:
        """The tape from left to right with the head in brackets, after the state.

        >>> print(TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d",)))
        q: a b [c] d
        """
        cells = [*reversed(self.left), f"[{self.scanned}]", *self.right]
        return printable(f"{self.state}: " + " ".join(cells))

    @property
    def tape(self) -> tuple[Symbol, ...]:
        """All cells from left to right."""
        return (*reversed(self.left), self.scanned, *self.right)


def tape_configuration(
    machine: TuringMachine | MultiTapeTuringMachine,
    state: State,
    left: Sequence[Symbol],
    scanned: Symbol,
    right: Sequence[Symbol],
) -> TapeConfiguration:
    """Return the configuration in its unique form: without the blanks of the tape's infinite ends.

    Parameters
    ----------
    machine : TuringMachine or MultiTapeTuringMachine
        Says which ends of its tape are infinite and what is blank.
    left, right : sequence of str
        The cells beside the head, nearest first.
    """
    blank = machine.blank_symbol
    if machine.tape == "two_way_infinite":
        left = _without_far_blanks(left, blank)
    return TapeConfiguration(
        state=state, left=tuple(left), scanned=scanned, right=tuple(_without_far_blanks(right, blank))
    )


def _without_far_blanks(cells: Sequence[Symbol], blank: Symbol) -> Sequence[Symbol]:
    end = len(cells)
    while end and cells[end - 1] == blank:
        end -= 1
    return cells[:end]
