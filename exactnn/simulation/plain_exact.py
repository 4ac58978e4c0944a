"""The exact executor of networks without positional structure: several ones in turn, and the fastest goes on.

In rationals a number is as short as it can be; in integers over a common denominator no operation takes a gcd; and
python-flint, if it is there, has the shortest loop over a dense row. Where numbers stay short, a loop in machine words
is faster than all of them. Which is fastest depends on the network and on the denominators that its state has now, so
now and then another one takes a few steps, which count, and goes on if it won: see :class:`Race`.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.interrupts import loaded
from exactnn.networks import Input, Network
from exactnn.simulation.common_denominator import CommonDenominatorExecutor, Numerators
from exactnn.simulation.executor import Output, Segment, State
from exactnn.simulation.flint_matrix import Column, FlintMatrixExecutor, can_flint
from exactnn.simulation.lowest_terms import Begun, LowestTermsExecutor, seems_dyadic
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.race import (
    ALL_RUNS,
    IN_DYADIC_ONES,
    IN_INTEGERS,
    IN_LOWEST_TERMS,
    IN_MATRICES,
    IN_WORDS,
    TURN_SECONDS,
    Contender,
    Exact,
    Guess,
    Race,
    Record,
    Speed,
    bits_of,
)
from exactnn.simulation.stepping import slice_end, take_steps
from exactnn.simulation.with_numba import MACHINE_WORDS, has_numba, words_are_ready
from exactnn.size_limit import SizeLimit

__all__ = ["PlainExactExecutor"]

CALL_SECONDS = 2 * TURN_SECONDS
"""Seconds after which a call takes no further step, however many the turn still has."""

LAYING_OUT, WRITING, UNIT_OF_WORDS, COMPILING = 3e-6, 5e-7, 4.4, 0.2
"""Seconds in which a weight is laid out in integers, and in machine words, in which a unit counts as so many weights;
rationals need nothing of the kind. And those that stand for compiling a loop that is not on the disk."""

LONG_RUN = 1.0
"""Seconds of plain steps, of all runs, before machine words are loaded; they are compiled some seconds later."""

WORDS_AFTER, WORTH_WRITING = 0.0005, 2.0
"""Seconds of plain steps before code for machine words is written, and so many times those that it takes to write."""

WORD_BITS = 61
"""Bits of a denominator, above which nothing fits machine words."""

_FINE = hasattr(time, "thread_time") and time.get_clock_info("thread_time").resolution < 1e-5
_clock = time.thread_time if _FINE else time.perf_counter
"""What others take meanwhile says nothing of an executor; but on Windows the clock of a thread is too coarse."""


class PlainExactExecutor:
    """A network in exact rational arithmetic, by the executor that is fastest just now.

    A state is one of theirs, as its type says; one of them may have `begun` the run. With `flint` false python-flint is
    not even loaded. With `every_state` the numbers of all states are asked for, and that time counts, too.

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
        self,
        network: Network,
        limit: SizeLimit | None = None,
        *,
        flint: bool = True,
        every_state: bool = False,
        begun: Begun | None = None,
    ) -> None:
        self.network, self._limit, self._every_state = network, limit or SizeLimit(), every_state
        self._begun = begun or Begun(LowestTermsExecutor(network, self._limit), {}, 0, None)
        self._lowest = self._begun.executor
        self._record, self._share = Record.of(self._lowest.network), 1.0
        self._flint, self._words = flint, False
        self._form_of_words: type | None = None
        self._read: tuple[State, tuple[mpq, ...]] = None, ()
        self._anchor: tuple[State, State] = None, None
        self._contenders: dict[type, Contender] = {}
        self._racing: Race | None = None

    def add_flint(self) -> None:
        """Let python-flint take part, which is loaded for that, if the network is dense."""
        self._flint = True
        if self._racing is not None:
            self._add_matrices()

    def add_words(self) -> None:
        """Let machine words take part, whose loop is loaded for that, if the weights fit them."""
        if self._racing is None:
            self._words = True
        elif not self._words:
            self._add_words()

    def _race_from(self, state: State) -> Race:
        """Let the others contend from a state on."""
        guess, lowest = IN_DYADIC_ONES if seems_dyadic(self.network) else IN_LOWEST_TERMS, self._lowest
        first = self._add(lambda: lowest, tuple, guess)  # it holds no reference to this executor
        first.steps = self._begun.steps
        integers = partial(CommonDenominatorExecutor, self.network, self._limit)
        self._add(integers, Numerators, IN_INTEGERS, LAYING_OUT * max(1, self.network.circuit.weights))
        numbers = self.values(state)
        self._share = (len(numbers) - numbers.count(0)) / max(1, len(numbers))
        for contender in self._contenders.values():
            contender.share = self._share
        if self._flint:
            self._add_matrices()
        if self._words or self._worth_words():
            self._add_words()
        bits, seconds = bits_of(numbers), self._begun.seconds
        if seconds is not None and not first.speed.tried:
            first.saw(seconds, bits)
        self._racing = race = Race(self._record, self._contenders, bits, 0 if seconds is None else self._begun.taken)
        return race

    def _add_matrices(self) -> None:
        if Column in self._contenders or not can_flint(self.network):
            return
        circuit = self.network.circuit
        preparing = LAYING_OUT * max(1, circuit.weights) + 5e-7 * circuit.units * circuit.state_size
        matrices = self._add(partial(FlintMatrixExecutor, self.network, self._limit), Column, IN_MATRICES, preparing)
        matrices.share = 1.0  # no register is left out

    def _add_words(self) -> None:
        self._words = True  # whatever comes, this is not tried again
        if not has_numba():
            return
        try:
            module = loaded(MACHINE_WORDS)
        except (ImportError, OSError, MemoryError, SystemError):  # or no memory for compiled code
            return
        self._form_of_words = module.Words
        preparing = WRITING * self.network.circuit.weights  # for its units it has waited
        if not module.is_ready():  # a loop is compiled for the runs of all networks, and waits for all of them
            preparing += COMPILING
            self._record.speeds.setdefault(module.Words, Speed(since=self._record.seconds - ALL_RUNS.seconds))
        make = partial(module.MachineWordExecutor, self.network, self._limit)
        self._add(make, module.Words, IN_WORDS, preparing, True, WORD_BITS)

    def _add(
        self, make: Callable[[], Exact], form: type, guess: Guess, preparing: float = 0.0, *more: Any
    ) -> Contender:
        contender = Contender(self._record, self.network, self._every_state, make, form, guess, preparing, *more)
        contender.share = self._share
        return self._contenders.setdefault(form, contender)

    def _worth_words(self) -> bool:
        """Whether machine words may soon be the fastest."""
        seconds, after = self._record.seconds, self._record.words_after
        if after is None:
            circuit = self.network.circuit
            after = WORDS_AFTER + WORTH_WRITING * WRITING * (circuit.weights + UNIT_OF_WORDS * circuit.units)
        return seconds >= after and (words_are_ready() or ALL_RUNS.seconds > LONG_RUN)

    def start(self) -> State:
        """Return the initial state."""
        return self.state_of(self._lowest.start())

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""
        led = self._record.leader is not tuple
        race = self._racing or (self._race_from(self._lowest.state_of(values)) if led else None)
        while race is not None:
            try:
                return race.best.executor.state_of(values)
            except SizeLimitError as error:
                self._give_way(race, race.best, error)
        return self._lowest.state_of(values)

    def seconds_in_words(self, state: State) -> float | None:
        """Return about what a step takes in machine words, which are as fast as direct mode; None of another state."""
        if type(state) is not self._form_of_words:
            return None
        executor: Any = self._contenders[type(state)].executor
        return float(executor.seconds_of_a_step)

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        if type(state) is tuple:  # in lowest terms
            return state
        contender = self._contenders[type(state)]
        if not self._every_state:
            return contender.executor.values(state)
        if self._read[0] is not state:  # the last one of a turn is read here, too
            began = _clock()
            self._read = state, contender.executor.values(state)
            contender.speed.reading = _clock() - began
        return self._read[1]

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""
        return self._owner(state).output(state)

    def _owner(self, state: State) -> Exact:
        """Return whose state it is."""
        return self._lowest if type(state) is tuple else self._contenders[type(state)].executor

    def alike(self, first: State, second: State) -> bool:
        """Whether two states are the same, whoever reached them."""
        if type(first) is not type(second):
            return self.values(first) == self.values(second)
        return self._owner(first).alike(first, second)

    def advance(
        self, state: State, symbol: Input, count: int, *, until_decided: bool, anchor: State | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        if count == 1:  # as where every state is looked at
            return self._advance(state, symbol, 1, until_decided, anchor)
        end = slice_end()
        segment = self._advance(state, symbol, count, until_decided, anchor)
        steps, outputs, states = segment.steps, segment.outputs, [*segment.each]
        while steps < count and segment.outcome is None and time.perf_counter() < end:
            if anchor is not None and self.alike(anchor, segment.state):
                break
            try:
                segment = self._advance(segment.state, symbol, count - steps, until_decided, anchor)
            except SizeLimitError:  # what is before it is worth keeping
                break
            steps += segment.steps
            outputs += segment.outputs
            states += segment.each
        return Segment(steps, outputs, segment.state, segment.outcome, states)

    def advance_word(self, state: State, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, some or all of them, at least one."""
        race = self._racing or self._race_from(state)
        outputs: list[tuple[Output, int]] = []
        states: list[State] = []
        end, taken = slice_end(), 0
        while taken < len(word) and (not outputs or time.perf_counter() < end):
            try:
                state, steps = self._read_in_turn(race, state, word[taken:], outputs, states, end)
                taken += steps
            except SizeLimitError as error:
                if outputs and race.turn.form is tuple:
                    break
                self._give_way(race, race.turn.contender, error)
        return Segment(taken, outputs, state, None, states)

    def _as(self, state: State, form: type) -> State:
        """Return a state in the form of another executor."""
        return state if type(state) is form else self._contenders[form].executor.state_of(self.values(state))

    def _anchor_as(self, anchor: State, form: type) -> State:
        """Return an anchor in the form of another executor: it is asked for again and again."""
        known, found = self._anchor
        if known is not anchor or type(found) is not form:
            found = self._as(anchor, form)
            self._anchor = anchor, found
        return found

    def _advance(self, state: State, symbol: Input, count: int, until_decided: bool, anchor: State | None) -> Segment:
        """Take steps of one turn; where numbers over a common denominator are too long, lowest terms may do."""
        race = self._racing or self._race_from(state)
        while True:
            try:
                return self._advance_in_turn(race, state, symbol, count, until_decided, anchor)
            except SizeLimitError as error:
                self._give_way(race, race.turn.contender, error)

    def _give_way(self, race: Race, contender: Contender, error: SizeLimitError) -> None:
        """Let another one go on; lowest terms give way to none."""
        if contender.form is tuple:
            raise error
        race.give_way(contender)

    def _advance_in_turn(
        self, race: Race, state: State, symbol: Input, count: int, until_decided: bool, anchor: State | None
    ) -> Segment:
        turn = race.turn
        contender = turn.contender
        if type(state) is turn.form and turn.left > 0:  # as in nearly every step
            began = _clock()
        else:
            state, began = self._begin_turn(race, state)
        there = None if anchor is None else self._anchor_as(anchor, turn.form)
        step = contender.step_on(symbol)
        most = min(count, 1 if step is None or (contender.at_once and self._every_state) else turn.left)
        if count and not contender.at_once:
            decision = self.network.decision if until_decided else None
            recurs = None if there is None else partial(contender.executor.alike, there)
            taken = step or contender.first_step_on(symbol)
            end = time.perf_counter() + CALL_SECONDS if most > 1 else None
            states: list[State] | None = [] if self._every_state else None
            segment = take_steps(taken, state, most, decision=decision, recurs=recurs, end=end, states=states)
        else:
            segment = contender.executor.advance(state, symbol, most, until_decided=until_decided, anchor=there)
            if segment.steps and step is None:
                contender.first_step_on(symbol)
        if step is not None:
            self._end_turn(race, segment.state, segment.steps, began)
        return segment

    def _read_in_turn(
        self, race: Race, state: State, word: Sequence[Input], outputs: list[Any], states: list[State], end: float
    ) -> tuple[State, int]:
        """Take steps of one turn on the first symbols of a word, none but the first after `end`.

        Add their outputs, and the states if all are asked for.
        """
        state, began = self._begin_turn(race, state)
        end = min(end, time.perf_counter() + CALL_SECONDS)
        turn, taken = race.turn, 0
        contender = turn.contender
        if not contender.has_read(word[0]):
            state, output = contender.first_step_on(word[0])(state)
            outputs.append((output, 1))
            states.append(state)
            return state, 1
        known = contender.steps
        if contender.at_once:
            executor: Any = contender.executor
            segment = executor.along(state, word[: 1 if self._every_state else turn.left])
            outputs += segment.outputs
            states += segment.each
            self._end_turn(race, segment.state, segment.steps, began)
            return segment.state, segment.steps
        try:
            for symbol in word[: turn.left]:
                step = contender.step_on(symbol) if isinstance(symbol, tuple) else known.get(symbol)
                if step is None or (taken and time.perf_counter() > end):
                    break
                state, output = step(state)
                outputs.append((output, 1))
                if self._every_state:
                    states.append(state)
                taken += 1
        except SizeLimitError:
            if not taken:
                raise
        self._end_turn(race, state, taken, began)
        return state, taken

    def _begin_turn(self, race: Race, state: State) -> tuple[State, float]:
        """Return a state in the form of the one whose turn it is, and when its steps begin."""
        turn, began = race.turn, _clock()
        turn.left = max(1, turn.left)  # none are left where Ctrl-C came before the next turn
        if type(state) is turn.form:
            return state, began
        state = self._as(state, turn.form)
        converted = _clock()
        turn.converting += converted - began
        return state, converted

    def _end_turn(self, race: Race, state: State, steps: int, began: float) -> None:
        """Take note of steps that led to a state; where they were the last of the turn, say whose is next."""
        turn, seconds = race.turn, _clock() - began
        self._record.took(seconds)
        turn.seconds += seconds
        turn.steps += steps
        turn.left -= steps
        if turn.is_over:
            bits = bits_of(self.values(state) if self._every_state else state)
            if race.judge(bits):
                self._look_at_words(race)
                race.go_on(bits)

    def _look_at_words(self, race: Race) -> None:
        """Take note of how machine words did, or let them take part from now on."""
        if race.best.form is self._form_of_words:
            self._record.words_after = 0.0
        elif race.turn.form is self._form_of_words:
            self._record.words_after = 2 * self._record.seconds
        elif not self._words and self._worth_words():
            self._add_words()

    def pack(self, state: State) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return self.state_of(unpack_rationals(data, self.network.circuit.state_size))
