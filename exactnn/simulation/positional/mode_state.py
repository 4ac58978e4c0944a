"""A state of the exact engine, in the form of the mode that it was reached in, and what is asked of a mode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.networks import Input
from exactnn.simulation.positional.experience import SHORTEST_DETOUR
from exactnn.size_limit import SizeLimit

__all__ = ["Asked", "ModeState", "later_written_out", "written_out"]

RUN_BITS = 1 << 10
"""Bits of memory that a numeral takes for each run of limbs, about."""
WRITTEN_DIGITS = 1 << 26
"""Longer numbers of macro mode stay numerals even where there is room for them: to write them out takes seconds."""


class ModeState(NamedTuple):
    """A state in the form of the mode that it was reached in, and what decides about the next mode.

    `form` is a state of plain rationals, a DirectState or a MacroForm, for the modes "plain", "direct" and "macro". In
    the mode "numerals", of a checkpoint written in macro mode, it is the numbers themselves.

    `wait`: steps in rationals before direct mode is tried again. `detour`: how many steps the next wait has. `stay`:
    steps of direct mode in a row. `macro_at`: at which of them macro mode is tried.
    """

    mode: str
    form: Any
    macro_at: int
    wait: int = 0
    detour: int = SHORTEST_DETOUR
    stay: int = 0

    def numbers(self) -> tuple[LongNumber, ...]:
        """Return the numbers of a state of macro mode, or of a checkpoint of it, as they are held."""
        return self.form if self.mode == "numerals" else self.form.numbers()  # type: ignore[no-any-return]

    def ones(self) -> Sequence[object] | None:
        """Return what is 1 where the numbers of the state are, without writing them out; None of plain states."""
        match self.mode:
            case "plain":
                return None
            case "direct":
                return self.form.statuses  # type: ignore[no-any-return]
            case _:
                return [None if isinstance(number, Numeral) else number for number in self.numbers()]


@dataclass(frozen=True, slots=True)
class Asked:
    """Up to `count` steps on one input, to the first verdict with `until_decided`, or to the state of an `anchor`."""

    symbol: Input
    count: int
    until_decided: bool
    anchor: ModeState | None = None


def written_out(numbers: Sequence[LongNumber], limit: SizeLimit) -> tuple[LongNumber, ...]:
    """Return numbers as rationals where there is room for all of them; those of enormous length stay numerals.

    >>> half = Numeral(base=2, limb_digits=1, head=1, places=1, sign=1, runs=())
    >>> written_out([half], SizeLimit())
    (mpq(1,2),)
    """
    fits = sum(value.bits for value in numbers if isinstance(value, Numeral)) <= limit.room
    return tuple(
        value.rational() if isinstance(value, Numeral) and fits and value.digits <= WRITTEN_DIGITS else value
        for value in numbers
    )


def later_written_out(numbers: Sequence[LongNumber], limit: SizeLimit) -> Callable[[], tuple[LongNumber, ...]]:
    """Return what gives :func:`written_out`: of numerals that are shorter than their digits when it is asked."""
    numerals = [number for number in numbers if isinstance(number, Numeral)]
    if RUN_BITS * sum(len(numeral.runs) for numeral in numerals) > sum(numeral.bits for numeral in numerals):
        return partial(tuple, written_out(numbers, limit))
    return partial(written_out, numbers, limit)
