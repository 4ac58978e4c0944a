"""Cycles: a state that comes again proves that a run never ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign
from typing import Any, Protocol, runtime_checkable

from exactnn.arithmetic import count_text
from exactnn.errors import shown
from exactnn.networks import Input
from exactnn.options import whole_number
from exactnn.simulation.executor import Executor, Segment, State

__all__ = ["Cycle", "Recurring", "same_numbers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """The states after EOS steps i and i + `period` are equal for every i from `preperiod` on, and no earlier one.

    Under EOS the input is always the same, so that a state that comes again is followed by what followed it before.
    There was no verdict in the first `preperiod` + `period` EOS steps, so there is none, ever.

    Parameters
    ----------
    preperiod : int
        EOS steps before the cycle: the least that there are. 0 if the state at the end of the word comes again.
    period : int
        EOS steps from a state of the cycle to the same state: the least that there are, 1 for a fixed point.

    Raises
    ------
    OptionError
        If `preperiod` is negative or `period` is not positive.

    Notes
    -----
    States are equal bit for bit: -0 is not 0. A NaN is equal to any other, since no step tells them apart.

    Examples
    --------
    >>> print(Cycle(preperiod=12, period=3))
    period 3 from EOS step 12 on
    """

    preperiod: int
    period: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "preperiod", whole_number("preperiod", self.preperiod))
        object.__setattr__(self, "period", whole_number("period", self.period, 1))

    def __repr__(self) -> str:
        return f"Cycle(preperiod={shown(self.preperiod)}, period={shown(self.period)})"

    def __str__(self) -> str:
        return f"period {count_text(self.period)} from EOS step {count_text(self.preperiod)} on"


# --- Executors that notice where a state comes again.


@runtime_checkable
class Recurring(Executor, Protocol):
    """An executor that compares states: what follows two of them that are alike, on the same input, is the same."""

    def watches(self, state: State, eos_steps: int) -> bool:
        """Return whether states such as `state`, after so many steps on EOS, are compared with those that follow.

        Not where random numbers go by the steps before, nor where comparing takes much longer than steps.
        """

    def alike(self, first: State, second: State) -> bool:
        """Return whether two states are the same, bit for bit; but a NaN is any other."""

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """As :meth:`Executor.advance`, and stop after the first step whose state is that of `anchor`, if it is given.

        Only a state that :meth:`watches` may be an anchor.
        """


def same_numbers(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Return whether numbers of any kind are the same: 0 is not -0, and a NaN is any other.

    Examples
    --------
    >>> nan = float("nan")
    >>> same_numbers((1.0, nan), (1.0, -nan)), same_numbers((0.0, 1.0), (-0.0, 1.0))
    (True, False)
    """
    return all(_same(x, y) for x, y in zip(first, second, strict=True))


def _same(x: Any, y: Any) -> bool:
    if x == y:
        return bool(x) or copysign(1, x) == copysign(1, y)
    return bool(x != x and y != y)
