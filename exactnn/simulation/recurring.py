"""Executors that notice where a state comes again."""

from collections.abc import Sequence
from math import copysign
from typing import Any, Protocol, runtime_checkable

from exactnn.networks import Input
from exactnn.simulation.executor import Executor, Segment, State

__all__ = ["Recurring", "same_numbers"]


@runtime_checkable
class Recurring(Executor, Protocol):
    """An executor that compares states: what follows two of them that are alike, on the same input, is the same."""

    def watches(self, state: State) -> bool:
        """Return whether states such as `state` are compared: not where random numbers go by the steps before."""

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
