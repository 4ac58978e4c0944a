"""The exact executor of networks without positional structure: at every time the one that is fastest just now.

In rationals a number is as short as it can be; in integers over a common denominator no operation takes a gcd; and
python-flint, if it is there, has the shortest loop over a dense row. Which is fastest depends on the network and on the
denominators that its state has now, so now and then another one takes a few steps, which count, and goes on if it won.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.interrupts import loaded
from exactnn.networks import Input, Network
from exactnn.simulation import contenders
from exactnn.simulation.common_denominator import CommonDenominatorExecutor, Numerators
from exactnn.simulation.contenders import Contender, Exact, Guess, Record, Speed, Turn, bits_of
from exactnn.simulation.executor import Output, Segment, State
from exactnn.simulation.flint_matrix import Column, FlintMatrixExecutor, can_flint
from exactnn.simulation.lowest_terms import LowestTermsExecutor, seems_dyadic
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.stepping import slice_end, take_steps
from exactnn.simulation.with_numba import MACHINE_WORDS, has_numba, words_are_ready
from exactnn.size_limit import SizeLimit

__all__ = ["PlainExactExecutor"]

TRIAL_STEPS, TRIAL_SECONDS = 16, 0.0003
"""Steps by which another executor shows how fast it is, after one, two, four and eight more: the first ones are slower.
Fewer will do where they take so long, the first takes twice the time of the fastest, or others half of it more."""

LONG_TRIAL = 64
"""Steps of a trial where a loop takes many in one call."""

LAYING_OUT = 3e-6
"""Seconds in which a weight is laid out in integers; rationals need nothing of the kind."""

COMPILING = 0.2
"""Seconds that stand for those in which a loop is compiled, where it is not on the disk: it has to be worth it."""

LONG_RUN = 1.0
"""Seconds of plain steps, of all runs, before machine words are loaded; they are compiled some seconds later."""

WORDS_AFTER, WORDS_WEIGHTS = 0.001, 500
"""Seconds of plain steps before code for machine words is written, and weights for which that takes as long again."""

WORD_BITS = 61
"""Bits of a denominator, above which nothing fits machine words."""

TURN_SECONDS, GROWTH = 0.002, 4
"""How long one executor works between two decisions, at most, and how many times as many steps as in the last turn."""


ALL_RUNS = SimpleNamespace(seconds=0.0)
"""The plain steps of this process, of whatever network; threads may lose some seconds."""


_FINE = hasattr(time, "thread_time") and time.get_clock_info("thread_time").resolution < 1e-5
_clock = time.thread_time if _FINE else time.perf_counter
"""What others take meanwhile says nothing of an executor; but on Windows the clock of a thread is too coarse."""


LOWEST_TERMS = 0
"""The number of the contender whose numbers are the shortest."""


def _call_end() -> float:
    """Return the `time.perf_counter()` after which a call takes no further step, however many the turn still has."""
    return time.perf_counter() + 2 * TURN_SECONDS


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
        self.network, self._limit, self._every_state = network, limit or SizeLimit(), every_state
        self._contenders: list[Contender] = []
        self._best = LOWEST_TERMS
        self._owners: dict[type, Exact] = {}
        after = WORDS_AFTER * (1 + network.circuit.weights / WORDS_WEIGHTS)
        self._record: Record = network.laid_out.of(Record, None, lambda: Record(words_after=after))
        self._lowest = LowestTermsExecutor(network, self._limit)
        self._add(
            self._lowest, tuple, contenders.IN_DYADIC_ONES if seems_dyadic(network) else contenders.IN_LOWEST_TERMS
        )
        integers = CommonDenominatorExecutor(network, self._limit)
        self._add(integers, Numerators, contenders.IN_INTEGERS, LAYING_OUT * max(1, network.circuit.weights))
        if flint:
            self.add_flint()
        self._read: tuple[State, tuple[mpq, ...]] = None, ()
        self._fresh = True  # no turn is over
        self._words: type | None = None  # the form of states in machine words
        if self._record.seconds >= self._record.words_after and words_are_ready():
            self.add_words()
        self._begin(network.initial_state)

    def add_flint(self) -> None:
        """Let python-flint take part, which is loaded for that, if the network is dense."""
        if Column in self._owners or not can_flint(self.network):
            return
        circuit = self.network.circuit
        preparing = LAYING_OUT * max(1, circuit.weights) + 5e-7 * circuit.units * circuit.state_size
        self._add(FlintMatrixExecutor(self.network, self._limit), Column, contenders.IN_MATRICES, preparing)

    def add_words(self) -> None:
        """Let machine words take part, whose loop is loaded for that, if the weights fit them."""
        if self._words is not None or not has_numba():
            return
        self._words = tuple  # whatever comes, this is not tried again
        try:
            module = loaded(MACHINE_WORDS)
            executor = module.MachineWordExecutor(self.network, self._limit)
        except (SizeLimitError, ImportError, OSError, MemoryError, SystemError):  # or no memory for compiled code
            return
        self._words = module.Words
        preparing = 0.0 if module.is_ready() else COMPILING
        if preparing:  # a loop is compiled for the runs of all networks, and waits for all of them
            speed = Speed(since=self._record.seconds - ALL_RUNS.seconds)
            self._record.speeds.setdefault(module.Words, speed)
        self._add(executor, module.Words, contenders.IN_WORDS, preparing, executor.along, WORD_BITS)

    def _add(self, executor: Exact, form: type, guess: Guess, preparing: float = 0.0, *more: Any) -> None:
        self._owners[form] = executor  # first, since Ctrl-C may come before the next line
        found = Contender(self._record, self.network, self._every_state, executor, form, guess, preparing, *more)
        self._contenders.append(found)

    def _begin(self, values: Sequence[mpq]) -> None:
        """Let the executor go first that should be the fastest from a state with these numbers."""
        share = (len(values) - values.count(0)) / max(1, len(values))
        for contender in self._contenders:
            contender.share = share if contender.form is not Column else 1.0
        ready = [who for who, it in enumerate(self._contenders) if it.speed.tried or not it.preparing]
        bits = self._record.bits
        self._best = min(ready, key=lambda who: self._contenders[who].expected(bits))
        self._turn = self._turn_of(self._best, 1)

    def start(self) -> State:
        """Return the initial state."""
        return self.state_of(self._lowest.start())

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""
        if self._fresh:
            self._begin(values)
        while True:
            try:
                return self._contenders[self._best].executor.state_of(values)
            except SizeLimitError as error:
                self._give_way(self._best, error)

    def seconds_in_words(self, state: State) -> float | None:
        """Return about what a step takes in machine words, which are as fast as direct mode; None of another state."""
        executor: Any = self._owners[type(state)]
        return float(executor.seconds_of_a_step) if type(state) is self._words is not tuple else None

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        if type(state) is tuple:  # in lowest terms
            return state
        if not self._every_state:
            return self._owners[type(state)].values(state)
        if self._read[0] is not state:  # the last one of a turn is read here, too
            began = _clock()
            self._read = state, self._owners[type(state)].values(state)
            for contender in self._contenders:
                if contender.form is type(state):
                    contender.speed.reading = _clock() - began
        return self._read[1]

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""
        return self._owners[type(state)].output(state)

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same, whoever reached them."""
        if type(first) is not type(second):
            return self.values(first) == self.values(second)
        return self._owners[type(first)].alike(first, second)

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        if count == 1:  # as where every state is looked at
            return self._advance(state, symbol, 1, until_decided, anchor)
        end = slice_end()
        segment = self._advance(state, symbol, count, until_decided, anchor)
        steps, outputs = segment.steps, segment.outputs
        while steps < count and segment.outcome is None and time.perf_counter() < end:
            if anchor is not None and self.alike(anchor, segment.state):
                break
            try:
                segment = self._advance(segment.state, symbol, count - steps, until_decided, anchor)
            except SizeLimitError:  # what is before it is worth keeping
                break
            steps += segment.steps
            outputs += segment.outputs
        return segment if steps == segment.steps else segment._replace(steps=steps, outputs=outputs)

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, some or all of them, at least one."""
        end, outputs, taken = slice_end(), list[tuple[Output, int]](), 0
        while taken < len(word) and (not outputs or time.perf_counter() < end):
            try:
                state, steps = self._read_in_turn(state, word[taken:], outputs, end)
                taken += steps
            except SizeLimitError as error:
                if self._turn.who == LOWEST_TERMS and outputs:
                    break
                self._give_way(self._turn.who, error)
        return Segment(steps=taken, outputs=outputs, state=state, outcome=None)

    def _as(self, state: State, form: type) -> State:
        """Return a state in the form of another executor."""
        return state if type(state) is form else self._owners[form].state_of(self.values(state))

    def _advance(self, state: State, symbol: Input, count: int, until_decided: bool, anchor: State | None) -> Segment:
        """Take steps of one turn; where numbers over a common denominator are too long, lowest terms may do."""
        while True:
            try:
                return self._advance_in_turn(state, symbol, count, until_decided, anchor)
            except SizeLimitError as error:
                self._give_way(self._turn.who, error)

    def _give_way(self, who: int, error: SizeLimitError) -> None:
        """Let the one go on that was fastest, if it had room so far, or else lowest terms; these give way to none."""
        if who == LOWEST_TERMS:
            raise error
        self._contenders[who].failed()
        others = [who for who, it in enumerate(self._contenders) if it.speed.tried and not it.failures]
        if self._contenders[self._best].failures:
            self._best = min(others, key=lambda who: self._contenders[who].expected(0), default=LOWEST_TERMS)
        self._turn = self._turn_of(self._best, 1)

    def _advance_in_turn(
        self, state: State, symbol: Input, count: int, until_decided: bool, anchor: State | None
    ) -> Segment:
        turn = self._turn
        if type(state) is turn.form and turn.left > 0:  # as in nearly every step
            began = _clock()
        else:
            state, began = self._begin_turn(state)
        there = None if anchor is None else self._as(anchor, turn.form)
        step = self._step_on(symbol)
        most = min(count, 1 if step is None else turn.left)
        if self._contenders[turn.who].along is None and count:
            decision = self.network.decision if until_decided else None
            recurs = None if there is None else partial(turn.executor.alike, there)
            taken = step or self._first_step_on(symbol)
            end = _call_end() if most > 1 else None
            segment = take_steps(taken, state, most, decision=decision, recurs=recurs, end=end)
        else:
            segment = turn.executor.advance(state, symbol, most, until_decided=until_decided, anchor=there)
            if segment.steps and step is None:
                self._first_step_on(symbol)
        if step is not None:
            self._end_turn(segment.state, segment.steps, began)
        return segment

    def _read_in_turn(
        self, state: State, word: Sequence[Input], outputs: list[tuple[Output, int]], end: float
    ) -> tuple[State, int]:
        """Take steps of one turn on the first symbols of a word, none but the first after `end`; add their outputs."""
        state, began = self._begin_turn(state)
        end = min(end, _call_end())
        if self._step_on(word[0]) is None:
            state, output = self._first_step_on(word[0])(state)
            outputs.append((output, 1))
            return state, 1
        contender, taken = self._contenders[self._turn.who], 0
        along, known = contender.along, contender.steps
        if along is not None:
            segment = along(state, word[: self._turn.left])
            outputs += segment.outputs
            self._end_turn(segment.state, segment.steps, began)
            return segment.state, segment.steps
        try:
            for symbol in word[: self._turn.left]:
                step = self._step_on(symbol) if isinstance(symbol, tuple) else known.get(symbol)
                if step is None or (taken and time.perf_counter() > end):
                    break
                state, output = step(state)
                outputs.append((output, 1))
                taken += 1
        except SizeLimitError:
            if not taken:
                raise
        self._end_turn(state, taken, began)
        return state, taken

    def _step_on(self, symbol: Input) -> Callable[[State], tuple[State, Output]] | None:
        """Return the step on an input by the one whose turn it is; None if it has not read it yet."""
        contender = self._contenders[self._turn.who]
        if isinstance(symbol, tuple):
            return contender.executor.step_on(symbol) if None in contender.steps else None
        return contender.steps.get(symbol)

    def _first_step_on(self, symbol: Input) -> Callable[[State], tuple[State, Output]]:
        """Return the step on an input that the one whose turn it is reads for the first time."""
        contender = self._contenders[self._turn.who]
        step = contender.steps[None if isinstance(symbol, tuple) else symbol] = contender.executor.step_on(symbol)
        return step

    def _begin_turn(self, state: State) -> tuple[State, float]:
        """Return a state in the form of the one whose turn it is, and when its steps begin."""
        turn, began = self._turn, _clock()
        turn.left = max(1, turn.left)  # none are left where Ctrl-C came before the next turn
        if type(state) is turn.form:
            return state, began
        state = self._as(state, turn.form)
        converted = _clock()
        turn.converting += converted - began
        return state, converted

    def _end_turn(self, state: State, steps: int, began: float) -> None:
        """Take note of steps that led to a state; where they were the last of the turn, say whose is next."""
        turn, seconds = self._turn, _clock() - began
        self._record.seconds += seconds
        ALL_RUNS.seconds += seconds
        turn.seconds += seconds
        turn.steps += steps
        turn.left -= steps
        if turn.left <= 0 or turn.seconds > TURN_SECONDS:
            self._decide(bits_of(self.values(state) if self._every_state else state))

    def _turn_of(self, who: int, steps: int) -> Turn:
        contender = self._contenders[who]
        return Turn(who, contender.executor, contender.form, steps)

    def _decide(self, bits: int) -> None:
        """Say whose turn is next, when the state has denominators of so many bits."""
        turn = self._turn
        best, contender = self._contenders[self._best], self._contenders[turn.who]
        seconds = turn.seconds / turn.steps
        if contender is not best:
            with_reading = seconds + contender.reading
            first = turn.steps == 1
            more = turn.steps < TRIAL_STEPS and (first or turn.seconds < TRIAL_SECONDS)
            if more and with_reading < best.expected(bits) * (2 if first else 1.5):
                turn.left, turn.seconds, turn.steps = 2 * turn.steps, 0.0, 0
                return
            contender.changed(turn.converting)
            contender.speed.losses += 1
            if with_reading < contenders.FASTER * best.expected(bits):
                best.changed(turn.converting)
                self._best, contender.speed.losses = turn.who, 0
        if turn.steps >= TRIAL_STEPS or turn.seconds > TRIAL_SECONDS or not contender.speed.tried:
            contender.saw(seconds, bits)  # else these may be first steps
        self._record.seconds += turn.converting + turn.steps * contender.reading
        if self._words is not None:
            if self._contenders[self._best].form is self._words:
                self._record.words_after = 0.0
            elif contender.form is self._words:
                self._record.words_after = 2 * self._record.seconds
        elif self._record.seconds > self._record.words_after and (ALL_RUNS.seconds > LONG_RUN or words_are_ready()):
            self.add_words()
        if self._fresh:
            self._fresh, self._record.bits = False, bits
        self._turn = self._next(bits)

    def _next(self, bits: int) -> Turn:
        best = self._contenders[self._best]
        others = ((who, it) for who, it in enumerate(self._contenders) if who != self._best)
        due = [(it.expected(bits), who) for who, it in others if it.is_due(best, bits)]
        if due:
            _, who = min(due)
            self._contenders[who].speed.since = self._record.seconds  # the run may end before the trial does
            return self._turn_of(who, 1 if self._contenders[who].along is None else LONG_TRIAL)
        most = int(TURN_SECONDS / max(best.expected(bits), 1e-6))
        return self._turn_of(self._best, max(1, min(most, GROWTH * self._turn.steps)))

    def pack(self, state: State) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return self.state_of(unpack_rationals(data, self.network.circuit.state_size))
