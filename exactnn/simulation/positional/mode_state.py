"""A state of the exact engine, in the form of the mode that it was reached in, and what is asked of a mode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.networks import Input
from exactnn.simulation.positional.experience import SHORTEST_DETOUR
from exactnn.size_limit import SizeLimit

__all__ = ["Asked", "Converted", "Mode", "ModeState", "all_written_out", "later_written_out"]

Mode = Literal["plain", "direct", "macro", "numerals"]
"""In plain numbers, in positional numerals step by step, in macro steps, or not begun from a checkpoint of macro mode.

Where they are told apart, mypy finds what is left out; an enumeration would take longer to look up than most questions.
"""

RUN_BITS = 1 << 10
"""Bits of memory that a numeral takes for each run of limbs, about."""
WRITTEN_DIGITS = 1 << 26
"""Longer numbers of macro mode stay numerals even where there is room for them: to write them out takes seconds."""


class ModeState(NamedTuple):
    """A state in the form of the mode that it was reached in, and what decides about the next mode.

    `form` is a state of :class:`PlainExactExecutor`, a DirectState, a MacroForm, or the numbers themselves.

    `wait`: steps in rationals before direct mode is tried again. `detour`: how many steps the next wait has. `stay`:
    steps of direct mode in a row. `macro_at`: at which of them macro mode is tried.
    """

    mode: Mode
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
            case "macro" | "numerals":
                return [None if isinstance(number, Numeral) else number for number in self.numbers()]
            case _:
                assert_never(self.mode)


class Converted(NamedTuple):
    """A state in the form of another mode."""

    state: ModeState | None = None
    mode: Mode = "plain"
    form: Any = None

    def holds(self, state: ModeState, mode: Mode) -> bool:
        """Whether this is the state, and that its mode."""
        return self.state is state and self.mode == mode

    def of(self, state: ModeState, mode: Mode) -> Any:
        """Return the form of a state in a mode, if it is known; else None."""
        return state.form if state.mode == mode else self.form if self.holds(state, mode) else None


@dataclass(frozen=True, slots=True)
class Asked:
    """Up to `count` steps on one input, to the first verdict with `until_decided`, or to the state of an `anchor`."""

    symbol: Input
    count: int
    until_decided: bool
    anchor: ModeState | None = None


def all_written_out(numbers: Sequence[LongNumber], limit: SizeLimit) -> tuple[mpq, ...]:
    """Return numbers as rationals, however long they are; SizeLimitError is raised if there is no room for them.

    >>> all_written_out([Numeral(base=2, limb_digits=1, head=1, places=1, sign=1, runs=())], SizeLimit())
    (mpq(1,2),)
    """
    numerals = [number for number in numbers if isinstance(number, Numeral)]
    if not numerals:
        return tuple(numbers)  # type: ignore[arg-type]
    limit.refuse(sum(number.bits for number in numerals))
    return tuple(number.rational() if isinstance(number, Numeral) else number for number in numbers)


def later_written_out(numbers: Sequence[LongNumber], limit: SizeLimit) -> Callable[[], tuple[LongNumber, ...]]:
    """Return what gives numbers as rationals where there is room for all; those of enormous length stay numerals.

    They are written out when it is called, or at once where numerals take more memory than their digits.

    >>> half = Numeral(base=2, limb_digits=1, head=1, places=1, sign=1, runs=())
    >>> later_written_out([half], SizeLimit())()
    (mpq(1,2),)
    """
    numerals = [number for number in numbers if isinstance(number, Numeral)]
    if RUN_BITS * sum(len(numeral.runs) for numeral in numerals) > sum(numeral.bits for numeral in numerals):
        return partial(tuple, _written_out(numbers, limit))
    return partial(_written_out, numbers, limit)


def _written_out(numbers: Sequence[LongNumber], limit: SizeLimit) -> tuple[LongNumber, ...]:
    fits = sum(value.bits for value in numbers if isinstance(value, Numeral)) <= limit.room
    return tuple(
        value.rational() if isinstance(value, Numeral) and fits and value.digits <= WRITTEN_DIGITS else value
        for value in numbers
    )
