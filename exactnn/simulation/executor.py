"""What an executor of step circuits is: one network in one arithmetic, advanced step by step."""

from dataclasses import dataclass
from typing import Any, Protocol

from gmpy2 import mpq

from exactnn.networks import Input
from exactnn.outcome import Outcome

__all__ = ["Executor", "Output", "Segment", "State", "Values"]

State = Any
"""The executor's own form of a state; only the executor that made it reads it."""

Output = mpq | float | tuple[mpq, ...] | tuple[float, ...]
"""One output: a number for networks with scalar output, else a tuple."""

Values = tuple[mpq, ...] | tuple[float, ...]
"""A state as numbers: exact rationals, or the floats of a rounding arithmetic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What some steps gave: how many there were, their outputs as (output, repetitions), the state after them.

    `outcome` is set if the last output is a verdict of the network's protocol; the steps end there.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: State
    outcome: Outcome | None


class Executor(Protocol):
    """One network in one arithmetic. It never changes a state that it was given."""

    @property
    def engine(self) -> str:
        """What runs, for `Run.engine`."""

    def start(self) -> State:
        """Return the initial state."""

    def values(self, state: State) -> Values:
        """Return the numbers of `state`, in the order of the network's state."""

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""

    def advance(self, state: State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
