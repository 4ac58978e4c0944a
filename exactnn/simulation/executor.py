"""What an executor of step circuits is: one network in one arithmetic, advanced step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, LazyNumber, Numeral
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome

__all__ = ["Executor", "Output", "Reading", "Segment", "State", "Stepper", "Values", "WordStepper", "advance_by"]

State = Any
"""The executor's own form of a state; only the executor that made it reads it."""

Output = mpq | float | Enclosure | tuple[mpq, ...] | tuple[float, ...] | tuple[mpq | float, ...] | tuple[Enclosure, ...]
"""One output: a number for networks with scalar output, else a tuple; with a real start state of `LazyNumber`s too."""

Values = (
    tuple[mpq | Numeral, ...]
    | tuple[float, ...]
    | tuple[mpq | float, ...]
    | tuple[mpq | LazyNumber, ...]
    | tuple[Enclosure, ...]
)
"""A state as numbers: exact ones; or floats, and rationals for numbers of a format that no float has; or enclosures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What some steps gave: how many there were, their outputs as (output, repetitions), the state after them.

    `outcome` is set if the last output is a verdict of the network's protocol; the steps end there.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: State
    outcome: Outcome | None


class Stepper(Protocol):
    """What walks through a word: an executor, or whatever takes steps as one. It never changes a state."""

    @property
    def network(self) -> Network:
        """The network that runs."""

    @property
    def paces_itself(self) -> bool:
        """Whether `advance` returns after a short while, whatever `count` is."""

    def start(self) -> State:
        """Return the initial state."""

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""

    def advance(self, state: State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        It may return earlier without a verdict, but takes at least one step if `count` is positive. `count` has
        no bound, so an executor that keeps something for every step stops before that fills the memory, and one
        that finds its next steps slow stops for the caller to look at the clock.
        """


class Reading(Protocol):
    """A stepper that reads many symbols faster than one by one."""

    def read(self, state: State, symbols: Sequence[Input]) -> State:
        """Return the state after a step for each symbol."""


class WordStepper(Stepper, Protocol):
    """A stepper that takes many steps of a word in one call."""

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other; it takes at least one step, and may return before the word is over."""


class Executor(Stepper, Protocol):
    """One network in one arithmetic."""

    @property
    def engine(self) -> str:
        """What runs, for `Run.engine`."""

    def values(self, state: State) -> Values:
        """Return the numbers of `state`, in the order of the network's state."""

    def pack(self, state: State) -> object:
        """Return `state` as JSON data: dicts, lists, text, ints, bools and None, numbers as text (`pack_numbers`).

        What is unpacked and run on gives the same as `state`, bit for bit.
        """

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""


def advance_by(executor: Executor, state: State, symbol: Input, count: int) -> Segment:
    """Apply the same input exactly `count` times, whatever is decided; the outputs of all steps are kept.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.simulation.rational import RationalExecutor
    >>> adds = RationalExecutor(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1]))
    >>> advance_by(adds, adds.start(), (mpq(2),), 5).state
    (mpq(10,1),)
    """
    done = 0
    outputs: list[tuple[Output, int]] = []
    while done < count:
        segment = executor.advance(state, symbol, count - done, until_decided=False)
        done += segment.steps
        outputs += segment.outputs
        state = segment.state
    return Segment(steps=done, outputs=outputs, state=state, outcome=None)
