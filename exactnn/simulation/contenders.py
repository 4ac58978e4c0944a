"""Executors that contend for the plain steps of an exact run, with what is known of their speed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from gmpy2 import mpq

from exactnn.networks import Input
from exactnn.simulation.executor import Output, Segment, State

__all__ = ["Contender", "Exact", "Turn"]

PATIENCE = 50
"""A trial waits until this many times the time has passed that it is expected to take; twice that after one that was
lost, in this run or in another, and so on."""

MOST_LOSSES = 4
"""Lost trials of which that is so."""

CURIOSITY = 5
"""The same before the first trial, since what a step is expected to take may be far off; more, if it is expected to be
so many times slower."""

CAUTION = 10
"""The first trial also waits for so many times what preparing it is guessed to take."""

PROMISING_STEPS = 64
"""Steps after which what promises to take half the time, with what preparing it takes, is tried at once."""

SHORTEST_STEP = 1e-7
"""Seconds of a step at least, whatever a clock says."""

SHORTEST_WAIT = 0.001
"""Seconds until an executor is tried again whose numbers had no room."""


class Exact(Protocol):
    """An executor whose states can be made of exact values."""

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same."""

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""

    def step_on(self, symbol: Input) -> Callable[[State], tuple[State, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""


@dataclass(slots=True)
class Contender:
    """An executor with what is known of its speed: a guess from weights and bits, and what it really took.

    `per_bit` is the part of the seconds for one weight that is linear in the length of the denominator, for the
    integers, and `quadratic` says that it is a gcd, for the rationals. `along` reads many symbols in one call, if the
    executor has something for that. `preparing` is a guess of what the first step takes longer, where that is long.
    `losses` are trials since it was the fastest. `failures` are turns in which its numbers had no room; there is none
    for denominators beyond `most_bits`. `share` is
    the part of the weights whose registers are not 0, if the executor leaves out the others. `steps` are those on the
    symbols that it has read, and on some vector under None: the first step on each lays out weights, and says nothing
    of how long later ones take. `reading` are the seconds that it took to write out the numbers of the last state,
    where every state is read, and else 0.
    """

    executor: Exact
    form: type
    weights: int
    overhead: float
    per_weight: float
    per_bit: float
    along: Callable[[State, Sequence[Input]], Segment] | None = None
    quadratic: bool = False
    preparing: float = 0.0
    share: float = 1.0
    correction: float = 1.0
    tried: bool = False
    waited: float = 0.0
    losses: int = 0
    failures: int = 0
    most_bits: float = inf
    reading: float = 0.0
    steps: dict[int | None, Callable[[State], tuple[State, Output]]] = field(default_factory=dict)

    def failed(self) -> None:
        """Take note that its numbers had no room: it waits, longer each time."""
        self.failures += 1
        self.waited = -SHORTEST_WAIT * 2.0 ** min(self.failures, 30)

    def changed(self, converting: float) -> None:
        """Take note of a change to it or from it, and the seconds in which numbers were converted for that."""
        self.waited = -PATIENCE * converting

    def guess(self, bits: int) -> float:
        """Return the seconds that a step should take, before it was seen."""
        length = bits * bits if self.quadratic else bits
        return self.overhead + self.weights * self.share * (self.per_weight + self.per_bit * length)

    def expected(self, bits: int) -> float:
        """Return the seconds that a step should take, and the reading of its state if that is part of it."""
        return self.guess(bits) * self.correction + self.reading

    def is_due(self, best: "Contender", bits: int) -> bool:
        """Whether it is to be tried now, while another one is the fastest, on denominators of so many bits."""
        if bits > self.most_bits:
            return False
        expected, rival = self.expected(bits), best.expected(bits)
        if self.tried:
            return self.waited > (PATIENCE << min(self.losses, MOST_LOSSES)) * expected
        promises = 2 * (expected + self.preparing / PROMISING_STEPS) < rival and not self.failures
        patience = min(PATIENCE, CURIOSITY * best.correction * max(1.0, expected / rival))
        return promises or self.waited > patience * expected + CAUTION * self.preparing

    def saw(self, seconds: float, bits: int) -> None:
        """Take note of a step; a single slow turn, as where memory is collected, says little."""
        correction = max(seconds, SHORTEST_STEP) / self.guess(bits)
        self.correction = min(correction, 2 * self.correction) if self.tried else correction
        self.tried = True


@dataclass(slots=True)
class Turn:
    """Steps that one contender takes before the next decision.

    `steps` are those that took `seconds`, without the first one on each input, and without `converting` numbers.
    """

    who: int
    executor: Exact
    form: type
    left: int
    seconds: float = 0.0
    converting: float = 0.0
    steps: int = 0
