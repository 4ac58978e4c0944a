"""The exact executor of networks without positional structure.

It takes the first steps of a run in lowest terms, where a number is as short as it can be. Most runs are over before
another way could be faster; then :class:`InTurnExecutor` goes on.
"""

import time
from collections.abc import Sequence
from functools import partial

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output, Segment, State
from exactnn.simulation.in_turn import InTurnExecutor
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.race import Record, Step
from exactnn.simulation.stepping import slice_end, take_steps
from exactnn.size_limit import SizeLimit

__all__ = ["PlainExactExecutor"]

FIRST_SECONDS = 2e-4
"""Seconds of first steps, in which so much is gained on the reference as it takes to make the others ready."""


class PlainExactExecutor:
    """A network in exact rational arithmetic, by the executor that is fastest just now.

    A state is one of theirs, and its type says whose. With `flint` false python-flint is not even loaded. With
    `every_state` the numbers of all states are asked for, and the time for that counts, too.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> executor = PlainExactExecutor(network)
    >>> executor.advance(executor.start(), (mpq(0),), 3, until_decided=False).outputs
    [(mpq(1,2), 1), (mpq(1,4), 1), (mpq(1,8), 1)]
    """

    engine = "plain exact"
    paces_itself = False

    def __init__(
        self, network: Network, limit: SizeLimit | None = None, *, flint: bool = True, every_state: bool = False
    ) -> None:
        self.network, self._limit = network, limit or SizeLimit()
        self._flint, self._words, self._every_state = flint, False, every_state
        self._first = LowestTermsExecutor(network, self._limit)
        self._steps: dict[int | None, Step] = {}  # those of the first one, on symbols, and on some vector
        self._record = network.laid_out.of(Record, None, Record)
        self._left = FIRST_SECONDS
        self._measured = 0, 0.0  # steps on inputs that were read before, and their seconds
        self._others: InTurnExecutor | None = None

    def add_flint(self) -> None:
        """Let python-flint take part, which is loaded for that, if the network is dense."""
        self._flint = True
        if self._others is not None:
            self._others.add_flint()

    def add_words(self) -> None:
        """Let machine words take part, whose loop is loaded for that, if the weights fit them."""
        self._words = True
        if self._others is not None:
            self._others.add_words()

    def _after_first(self, state: State) -> InTurnExecutor:
        """Return what goes on from a state that is none of the first steps."""
        if self._others is None:
            steps, seconds = self._measured
            self._others = InTurnExecutor(
                self._first,
                self._steps,
                seconds / steps if steps else None,
                self._record,
                state,
                self._limit,
                flint=self._flint,
                words=self._words,
                every_state=self._every_state,
            )
        return self._others

    def start(self) -> State:
        """Return the initial state."""
        return self.state_of(self._first.start())

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""
        return (self._others or self._first).state_of(values)

    def seconds_in_words(self, state: State) -> float | None:
        """Return about what a step takes in machine words, which are as fast as direct mode; None of another state."""
        return None if type(state) is tuple else self._after_first(state).seconds_in_words(state)

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return state if type(state) is tuple else self._after_first(state).values(state)

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""
        return self._first.output(state) if type(state) is tuple else self._after_first(state).output(state)

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same, whoever reached them."""
        if type(first) is type(second) is tuple:
            return self._first.alike(first, second)
        return self._after_first(first).alike(first, second)

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        others = self._others or self._if_later(state)
        if others is not None:
            return others.advance(state, symbol, count, until_decided=until_decided, anchor=anchor)
        began, end_of_slice, (step, known) = time.perf_counter(), slice_end(), self._step_on(symbol)
        decision = self.network.decision if until_decided else None
        recurs = None if anchor is None else partial(self._first.alike, self.values(anchor))
        segment = take_steps(step, state, count, decision=decision, recurs=recurs, end=began + self._left)
        self._took(time.perf_counter() - began, segment.steps if known else 0)
        left = count - segment.steps
        if not left or segment.outcome is not None or time.perf_counter() > end_of_slice:
            return segment
        if recurs is not None and recurs(segment.state):
            return segment
        try:
            later = self.advance(segment.state, symbol, left, until_decided=until_decided, anchor=anchor)
        except SizeLimitError:  # what is before it is worth keeping
            return segment
        return segment.then(later)

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, some or all of them, at least one."""
        others = self._others or self._if_later(state)
        if others is not None:
            return others.advance_word(state, word)
        outputs: list[tuple[Output, int]] = []
        began, end_of_slice, all_known = time.perf_counter(), slice_end(), True
        end = began + self._left
        for symbol in word:
            step, known = self._step_on(symbol)
            try:
                state, output = step(state)
            except SizeLimitError:
                if not outputs:
                    raise
                break
            outputs.append((output, 1))
            all_known &= known
            if time.perf_counter() > end:
                break
        self._took(time.perf_counter() - began, len(outputs) if all_known else 0)
        segment = Segment(len(outputs), outputs, state, None)
        if len(outputs) == len(word) or time.perf_counter() > end_of_slice:
            return segment
        try:
            return segment.then(self.advance_word(state, word[len(outputs) :]))
        except SizeLimitError:
            return segment

    def _if_later(self, state: State) -> InTurnExecutor | None:
        """Return what goes on from a state, if the next step is none of the first."""
        return None if self._left >= 0 and type(state) is tuple else self._after_first(state)

    def _step_on(self, symbol: Input) -> tuple[Step, bool]:
        """Return a first step on an input, and whether that symbol, or some vector, was read before."""
        name = None if isinstance(symbol, tuple) else symbol
        known = self._steps.get(name)
        if known is None or name is None:
            self._steps[name] = step = self._first.step_on(symbol)
            return step, known is not None
        return known, True

    def _took(self, seconds: float, measured: int) -> None:
        """Take note of first steps, and of how many of them say how long later ones take."""
        if measured:
            steps, before = self._measured
            self._measured = steps + measured, before + seconds
        self._left -= seconds
        self._record.took(seconds)

    def pack(self, state: State) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return self.state_of(unpack_rationals(data, self.network.circuit.state_size))
