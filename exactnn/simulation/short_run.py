"""The first steps of an exact run: in lowest terms, with nothing made ready that they do not need.

Most runs are over before another way could be faster. What goes on for longer is for :class:`ExactExecutor`, but for
networks that this cannot run, as their readout is none of the four basic activations: they stay in lowest terms.
"""

import time
from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any

from exactnn.arithmetic import LongNumber
from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.simulation import stepping
from exactnn.simulation.executor import Later, Output, Segment, State, basic_twin, has_basic_readout, is_basic
from exactnn.simulation.lowest_terms import Begun, LowestTermsExecutor
from exactnn.simulation.positional.executor import ExactExecutor
from exactnn.simulation.race import Record, Step
from exactnn.simulation.stepping import take_steps
from exactnn.size_limit import SizeLimit

__all__ = ["ShortRunExecutor"]

FIRST_SECONDS = 5e-4
"""Seconds of first steps, in which so much is gained on the reference as it takes to make all else ready. There are
none where one step took longer in an earlier run, and another way was faster."""

WORTH_A_TWIN, UNIT_OF_TWIN = 5e-6, 20
"""Seconds of plain steps, for each weight, before a basic twin is made, which takes a tenth of that; and as how many
weights a unit counts."""

FORGETTING = 0.9
"""What that time counts in each later run: it may have been an accident."""

MANY_LETTERS, MANY_LED = 256, 64
"""Letters in one call that are no matter of first steps, and the same where another way was faster in earlier runs."""


class ShortRunExecutor:
    """A network in exact arithmetic, whose first steps need no preparation.

    A state after them is a tuple of numbers, and a later one what :class:`ExactExecutor` makes of it.

    Parameters
    ----------
    network : Network
        Its basic twin is made after the first steps, if there is one; else these never end. A network with a smooth
        unit is refused by UnsupportedArithmeticError.
    limit : SizeLimit, optional
        A step whose numbers, written out, it has no room for raises SizeLimitError.
    every_state : bool
        Whether the numbers after every step are asked for: then segments have the state after each step.
    once : bool
        Whether one step is all: then nothing is laid out for it, unless earlier runs of the network took steps.
    options
        Others of :class:`ExactExecutor`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from gmpy2 import mpq
    >>> executor = ShortRunExecutor(SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1]))
    >>> executor.advance(executor.start(), (mpq(0),), 2, until_decided=False).outputs, executor.engine
    ([(mpq(1,2), 1), (mpq(1,4), 1)], 'exact: 2 steps in rationals')
    """

    _taken = 0
    _measured = 0, 0.0  # steps on inputs that were read before, and their seconds
    _others: ExactExecutor | None = None

    def __init__(
        self,
        network: Network,
        limit: SizeLimit | None = None,
        *,
        every_state: bool = False,
        once: bool = False,
        **options: Any,
    ) -> None:
        self.network, self.paces_itself, self.gives_states = network, not every_state, every_state
        self._limit, self._every_state, self._options = limit or SizeLimit(), every_state, options
        self._record = Record.of(network)
        self._first = LowestTermsExecutor(network, self._limit, once=once and not self._record.seconds)
        self._steps: dict[int | None, Step] = {}  # on symbols, and on some vector
        self._left = FIRST_SECONDS  # seconds of first steps: below 0 others go on, and infinite where these cannot
        if self._record.first > FIRST_SECONDS and self._record.leader is not tuple:
            self._record.first *= FORGETTING
            self._end_first_steps()

    @property
    def engine(self) -> str:
        """How the steps so far were taken."""
        if self._others is not None:
            return self._others.engine
        return f"exact: {self._taken:,} steps in rationals" if self._taken else "exact: no steps"

    def start(self) -> State:
        """Return the initial state."""
        return self._first.start()

    def values(self, state: State) -> tuple[LongNumber, ...]:
        """Return the numbers of `state`; numbers of enormous length are Numerals."""
        return state if type(state) is tuple else (self._others or self._later).values(state)

    def later(self, state: State) -> Later:
        """Return the numbers of `state`, to be computed when they are asked for."""
        return Later.known(state) if type(state) is tuple else self._later.later(state)

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""
        return self._first.output(state) if type(state) is tuple else self._later.output(state)

    def watches(self, state: State, eos_steps: int) -> bool:
        """Whether states are compared: in the first steps always."""
        return type(state) is tuple or self._later.watches(state, eos_steps)

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same, as far as their numbers can be written out."""
        if type(first) is type(second) is tuple:
            return self._first.alike(first, second)
        return self._later.alike(self._as_later(first), self._as_later(second))

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        With an `anchor` stop where that is the state; a later mode may miss it.
        """
        others = self._others
        if others is not None and type(state) is not tuple is not type(anchor):  # as in nearly every step of a long run
            return others.advance(state, symbol, count, until_decided=until_decided, anchor=anchor)
        if self._is_later(state):
            there = None if anchor is None else self._as_later(anchor)
            begun = self._as_later(state)
            return self._later.advance(begun, symbol, count, until_decided=until_decided, anchor=there)
        began, (step, known) = time.perf_counter(), self._step_on(symbol)
        decision = self.network.decision if until_decided else None
        recurs = None if anchor is None else partial(self._first.alike, anchor)
        states: list[State] | None = [] if self._every_state else None
        end = began + min(self._left, stepping.LONGEST_SLICE)
        try:
            segment = take_steps(step, state, count, decision=decision, recurs=recurs, end=end, states=states)
        except SizeLimitError:  # others may have room
            self._end_first_steps()
            if not self._is_later(state):
                raise
            return self.advance(state, symbol, count, until_decided=until_decided, anchor=anchor)
        now = time.perf_counter()
        self._took(segment.steps, now - began, measured=known)
        left = count - segment.steps
        if not left or segment.outcome is not None or now - began > stepping.LONGEST_SLICE:
            return segment
        if recurs is not None and recurs(segment.state):
            return segment
        try:
            rest = self.advance(segment.state, symbol, left, until_decided=until_decided, anchor=anchor)
        except SizeLimitError:  # what is before it is worth keeping
            return segment
        return segment.then(rest)

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other; it takes at least one step, and may return before the word is over."""
        if self._is_later(state) or self._is_long(word):
            return self._later.advance_word(self._as_later(state), word)
        outputs: list[tuple[Output, int]] = []
        states: list[State] | None = [] if self._every_state else None
        now = began = time.perf_counter()
        left, all_known = min(self._left, stepping.LONGEST_SLICE), True
        for symbol in word:
            step, known = self._step_on(symbol)
            try:
                state, output = step(state)
            except SizeLimitError:
                self._end_first_steps()
                if not outputs and self._is_later(state):
                    return self.advance_word(state, word)
                if not outputs:
                    raise
                break
            outputs.append((output, 1))
            if states is not None:
                states.append(state)
            all_known &= known
            now = time.perf_counter()
            if now - began > left:
                break
        self._took(len(outputs), now - began, measured=all_known)
        segment = Segment(len(outputs), outputs, state, None, states or ())
        if len(outputs) == len(word) or now - began > stepping.LONGEST_SLICE:
            return segment
        try:
            return segment.then(self.advance_word(state, word[len(outputs) :]))
        except SizeLimitError:
            return segment

    def read(self, state: State, symbols: Sequence[Input]) -> Segment:
        """Take a step for each symbol: to the state that :meth:`advance_word` gives, but faster."""
        at, outputs = 0, []
        while at < len(symbols):
            rest = symbols[at:] if at else symbols
            if self._is_later(state) or self._is_long(rest):
                segment = self._later.read(self._as_later(state), rest)
            else:
                segment = self.advance_word(state, rest)
            at, outputs, state = at + segment.steps, segment.outputs, segment.state
        return Segment(at, outputs, state, None)

    def _is_later(self, state: State) -> bool:
        """Whether the next step is none of the first."""
        return self._others is not None or self._left < 0 or type(state) is not tuple

    def _is_long(self, word: Sequence[Input]) -> bool:
        """Whether a word is no matter of first steps."""
        return len(word) > (MANY_LETTERS if self._record.leader is tuple else MANY_LED) and self._others_can

    @property
    def _others_can(self) -> bool:
        """Whether others can go on after the first steps."""
        return has_basic_readout(self.network)

    def _end_first_steps(self) -> None:
        """Let others go on, or, if these cannot, first steps for ever."""
        self._left = -1.0 if self._others_can else inf

    def _step_on(self, symbol: Input) -> tuple[Step, bool]:
        """Return a first step on an input, and whether that symbol, or some vector, was read before."""
        name = None if isinstance(symbol, tuple) else symbol
        known = self._steps.get(name)
        if known is None or name is None:
            self._steps[name] = step = self._first.step_on(symbol)
            return step, known is not None
        return known, True

    def _took(self, steps: int, seconds: float, *, measured: bool) -> None:
        """Take note of first steps, which are `measured` if they say how long later ones take."""
        if measured:
            before, took = self._measured
            self._measured = before + steps, took + seconds
        self._left -= seconds
        self._taken += steps
        self._record.took(seconds)
        if self._left < 0:
            self._end_first_steps()
            if self._left < 0 and not is_basic(self.network) and basic_twin not in self.network.laid_out:
                circuit = self.network.circuit
                self._left = WORTH_A_TWIN * (circuit.weights + UNIT_OF_TWIN * circuit.units) - self._record.seconds
        if steps:
            self._record.first = seconds / steps
        if not self._every_state:
            self._record.steps += steps

    @property
    def _later(self) -> ExactExecutor:
        """What goes on after the first steps."""
        if self._others is None:
            steps, seconds = self._measured
            begun = Begun(self._first, self._steps, self._taken, seconds / steps if steps else None)
            self._others = ExactExecutor(
                self.network, limit=self._limit, every_state=self._every_state, begun=begun, **self._options
            )
        return self._others

    def _as_later(self, state: State) -> State:
        """Return a state as what goes on has it."""
        return self._later.after_first(state) if type(state) is tuple else state

    def pack(self, state: State) -> object:
        """Return `state` as JSON data."""
        return self._later.pack(self._as_later(state)) if self._others_can else self._first.pack(state)

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return (self._later if self._others_can else self._first).unpack(data)
