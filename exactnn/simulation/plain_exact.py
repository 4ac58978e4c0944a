"""Exact runs without positional structure: which of several exact executors is the quickest."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from gmpy2 import mpq

from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network, Unit
from exactnn.simulation.common_denominator import CommonDenominatorExecutor, Numerators
from exactnn.simulation.executor import Output, Segment, State
from exactnn.simulation.flint_matrix import Column, FlintMatrixExecutor, can_flint
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.integer_layers import activated, activations_of
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.stepping import slice_end, take_steps
from exactnn.size_limit import SizeLimit

__all__ = ["LowestTermsExecutor", "PlainExactExecutor"]


# --- Exact steps in rationals in lowest terms, a layer at a time.
#
# For networks whose numbers are short, or have denominators that have nothing to do with each other. The reference says
# the same in other words; none of its code is here, so that comparing the two means something.

ZERO, ONE = mpq(0), mpq(1)


class _Layer:
    """Units, and the terms of each register that they read; those of a register that is 0 are left out."""

    __slots__ = ("_activations", "_biases", "_products", "_reads")

    def __init__(self, units: Sequence[Unit]) -> None:
        self._biases = [unit.bias for unit in units]
        reads: dict[int, list[tuple[int, mpq]]] = {}
        for place, unit in enumerate(units):
            for register, weight in unit.linear:
                reads.setdefault(register, []).append((place, weight))
        self._reads = [(register, tuple(terms)) for register, terms in reads.items()]
        self._products = [(place, term) for place, unit in enumerate(units) for term in unit.bilinear]
        self._activations = activations_of(units)

    def values(self, numbers: Sequence[mpq]) -> list[mpq]:
        """Return the values of the units."""
        sums = self._biases[:]
        for register, terms in self._reads:
            number = numbers[register]
            if number:
                for place, weight in terms:
                    sums[place] += weight * number
        for place, (first, second, weight) in self._products:
            if numbers[first] and numbers[second]:
                sums[place] += weight * numbers[first] * numbers[second]
        return activated(self._activations, sums, ZERO, ONE)


class LowestTermsExecutor:
    """A network in exact rational arithmetic, with every number in lowest terms.

    A step whose numbers `limit` has no room for raises SizeLimitError.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> executor = LowestTermsExecutor(network)
    >>> executor.advance(executor.start(), (mpq(0),), 3, until_decided=False).outputs
    [(mpq(1,2), 1), (mpq(1,4), 1), (mpq(1,8), 1)]
    """

    engine = "lowest terms"
    paces_itself = False

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        self.network = network
        layers = [*network.circuit.layers, network.readout]
        *self._layers, self._readout = network.laid_out.of(_Layer, None, lambda: [_Layer(units) for units in layers])
        self._foresight = Foresight(network, limit or SizeLimit())

    def start(self) -> tuple[mpq, ...]:
        """Return the initial state."""
        self._foresight.look_at_output(self.network.initial_state)
        return self.state_of(self.network.initial_state)

    def state_of(self, values: Sequence[mpq]) -> tuple[mpq, ...]:
        """Return the state with these numbers."""
        return tuple(values)

    def values(self, state: tuple[mpq, ...]) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return state

    def output(self, state: tuple[mpq, ...]) -> Output:
        """Return the readout of `state`."""
        outputs = self._readout.values(state)
        return outputs[0] if self.network.scalar_output else tuple(outputs)

    def advance(self, state: tuple[mpq, ...], symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        circuit = self.network.circuit
        inputs = symbol if isinstance(symbol, tuple) else tuple(mpq(i == symbol) for i in range(circuit.input_size))

        def step(before: tuple[mpq, ...]) -> tuple[tuple[mpq, ...], Output]:
            self._foresight.look(before, symbol)
            numbers = [*before, *inputs]
            for layer in self._layers:
                numbers += layer.values(numbers)
            after = self._foresight.ahead = tuple(numbers[register] for register in circuit.next_state)
            return after, self.output(after)

        return take_steps(
            step,
            state,
            count,
            decision=self.network.decision if until_decided else None,
        )

    def pack(self, state: tuple[mpq, ...]) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(state)

    def unpack(self, data: object) -> tuple[mpq, ...]:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return unpack_rationals(data, self.network.circuit.state_size)


# --- The exact executor of networks without positional structure: at every time the one that is fastest just now.
#
# In rationals a number is as short as it can be; in integers over a common denominator no operation takes a gcd; and
# python-flint, if it is there, has the shortest loop over a dense row. Which is fastest depends on the network and on
# the denominators that its state has now, so now and then another one takes a few steps, which count, and goes on if it
# won.

TRIAL_STEPS = 2
"""Steps that another executor takes to show how fast it is; one is enough if it is far slower."""

PATIENCE = 50
"""A trial waits until this many times the time has passed that it is expected to take."""

CURIOSITY = 5
"""The same before the first trial: what a step is expected to take may be far off, as where most registers are 0."""

CAUTION = 10
"""The first trial also waits for so many times what preparing it is guessed to take."""

FASTER = 0.9
"""What part of the time of a step another executor must take for a change."""

TURN_SECONDS = 0.002
"""How long one executor works between two decisions."""


class _Exact(Protocol):
    """An executor whose states can be made of exact values."""

    def state_of(self, values: Sequence[mpq]) -> State: ...

    def values(self, state: State) -> tuple[mpq, ...]: ...

    def output(self, state: State) -> Output: ...

    def advance(self, state: State, symbol: Input, count: int, *, until_decided: bool) -> Segment: ...


@dataclass(slots=True)
class _Contender:
    """An executor with what is known of its speed: a guess from weights and bits, and what it really took.

    `per_bit` is the part of the seconds for one weight that is linear in the length of the denominator, for the
    integers, and `quadratic` says that it is a gcd, for the rationals. `preparing` is a guess of what the first step
    takes longer, where that is long. `share` is the part of the weights whose registers are not 0, if the executor
    leaves out the others. `inputs` are the symbols that it has read, and None for vectors: its first step on each lays
    out weights, and says nothing of how long later ones take.
    """

    executor: _Exact
    form: type
    weights: int
    overhead: float
    per_weight: float
    per_bit: float
    quadratic: bool = False
    preparing: float = 0.0
    share: float = 1.0
    correction: float = 1.0
    tried: bool = False
    waited: float = 0.0
    inputs: set[int | None] = field(default_factory=set)

    def guess(self, bits: int) -> float:
        """Return the seconds that a step should take, before it was seen."""
        length = bits * bits if self.quadratic else bits
        return self.overhead + self.weights * self.share * (self.per_weight + self.per_bit * length)

    def expected(self, bits: int) -> float:
        """Return the seconds that a step should take."""
        return self.guess(bits) * self.correction

    def saw(self, seconds: float, bits: int) -> None:
        """Take note of a step; a single slow turn, as where memory is collected, says little."""
        correction = seconds / self.guess(bits)
        self.correction = min(correction, 2 * self.correction) if self.tried else correction
        self.tried = True


LOWEST_TERMS = 0
"""The number of the contender whose numbers are the shortest."""


@dataclass(slots=True)
class _Turn:
    """Steps that one contender takes before the next decision.

    `steps` are those that took `seconds`, without the first one on each input, and without `converting` numbers.
    """

    who: int
    executor: _Exact
    form: type
    left: int
    seconds: float = 0.0
    converting: float = 0.0
    steps: int = 0


def _bits(state: State) -> int:
    """Return the length of the longest denominator."""
    if isinstance(state, Numerators | Column):
        return int(state.denominator.bit_length())
    return max((value.denominator.bit_length() for value in state), default=0)


class PlainExactExecutor:
    """A network in exact rational arithmetic, by the executor that is fastest just now.

    A state is one of theirs, and its type says whose.

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

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        self.network = network
        limit = limit or SizeLimit()
        weights, layers = max(1, network.circuit.weights), len(network.circuit.layers) + 1
        self._lowest = LowestTermsExecutor(network, limit)
        self._contenders = [_Contender(self._lowest, tuple, weights, 4e-6 * layers, 5e-7, 5e-13, quadratic=True)]
        with suppress(SizeLimitError):  # no common denominator of the weights has room
            integers = CommonDenominatorExecutor(network, limit)
            self._contenders.append(_Contender(integers, Numerators, weights, 5e-6 * layers, 1e-7, 1e-11))
            if can_flint(network):
                matrices = FlintMatrixExecutor(network, limit)
                preparing = 5e-7 * network.circuit.units * network.circuit.state_size
                contender = _Contender(matrices, Column, weights, 1.2e-5 * layers, 2e-8, 1e-11, preparing=preparing)
                self._contenders.append(contender)
        self._owners = {contender.form: contender.executor for contender in self._contenders}
        self._begin(network.initial_state)

    def _begin(self, values: Sequence[mpq]) -> None:
        """Let the executor go first that should be the fastest from a state with these numbers."""
        share = sum(value != 0 for value in values) / max(1, len(values))
        for contender in self._contenders:
            contender.share = share if contender.form is not Column else 1.0
        self._best = min(range(len(self._contenders)), key=lambda who: self._contenders[who].guess(0))
        self._turn = self._turn_of(self._best, 1)

    def start(self) -> State:
        """Return the initial state."""
        return self.state_of(self._lowest.start())

    def state_of(self, values: Sequence[mpq]) -> State:
        """Return the state with these numbers."""
        if not self._turn.steps and not any(contender.tried for contender in self._contenders):
            self._begin(values)
        try:
            return self._contenders[self._best].executor.state_of(values)
        except SizeLimitError:
            self._give_way()
            return self._contenders[self._best].executor.state_of(values)

    def values(self, state: State) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return self._owners[type(state)].values(state)

    def output(self, state: State) -> Output:
        """Return the readout of `state`."""
        return self._owners[type(state)].output(state)

    def advance(self, state: State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        end = slice_end()
        segment = self._advance(state, symbol, count, until_decided)
        steps, outputs = segment.steps, segment.outputs
        while steps < count and segment.outcome is None and time.perf_counter() < end:
            segment = self._advance(segment.state, symbol, count - steps, until_decided)
            steps += segment.steps
            outputs += segment.outputs
        return segment if steps == segment.steps else replace(segment, steps=steps, outputs=outputs)

    def _advance(self, state: State, symbol: Input, count: int, until_decided: bool) -> Segment:
        """Take steps of one turn; where numbers over a common denominator are too long, lowest terms may do."""
        try:
            return self._advance_in_turn(state, symbol, count, until_decided)
        except SizeLimitError:
            if self._turn.who == LOWEST_TERMS:
                raise
            self._give_way()
            return self._advance_in_turn(state, symbol, count, until_decided)

    def _give_way(self) -> None:
        """Let the executor in lowest terms go on."""
        self._contenders[self._turn.who].waited = 0.0
        self._best, self._turn = LOWEST_TERMS, self._turn_of(LOWEST_TERMS, 1)

    def _advance_in_turn(self, state: State, symbol: Input, count: int, until_decided: bool) -> Segment:
        turn, inputs = self._turn, self._contenders[self._turn.who].inputs
        began = time.thread_time()  # what other processes take meanwhile says nothing of this one
        if type(state) is not turn.form:
            state = turn.executor.state_of(self.values(state))
            converted = time.thread_time()
            turn.converting += converted - began
            began = converted
        read = None if isinstance(symbol, tuple) else symbol
        if read in inputs:
            segment = turn.executor.advance(state, symbol, min(turn.left, count), until_decided=until_decided)
            turn.seconds += time.thread_time() - began
            turn.steps += segment.steps
            turn.left -= segment.steps
        else:
            segment = turn.executor.advance(state, symbol, 1, until_decided=until_decided)
            inputs.add(read)
        if turn.left <= 0:
            self._decide(_bits(segment.state))
        return segment

    def _turn_of(self, who: int, steps: int) -> _Turn:
        contender = self._contenders[who]
        return _Turn(who, contender.executor, contender.form, steps)

    def _decide(self, bits: int) -> None:
        """Say whose turn is next, when the state has denominators of so many bits."""
        turn = self._turn
        best, contender = self._contenders[self._best], self._contenders[turn.who]
        seconds = turn.seconds / turn.steps
        if contender is not best:
            if turn.steps < TRIAL_STEPS and seconds < 2 * best.expected(bits):
                turn.left = 1
                return
            contender.waited = -PATIENCE * turn.converting
            if seconds < FASTER * best.expected(bits):
                best.waited = -PATIENCE * turn.converting
                self._best = turn.who
        contender.saw(seconds, bits)
        for waiting in self._contenders:
            waiting.waited += turn.seconds + turn.converting
        self._turn = self._next(bits)

    def _next(self, bits: int) -> _Turn:
        best = self._contenders[self._best]
        due = []
        for who, contender in enumerate(self._contenders):
            patience = PATIENCE if contender.tried else CURIOSITY * best.correction
            first = 0.0 if contender.tried else CAUTION * contender.preparing
            if who != self._best and contender.waited > patience * contender.expected(bits) + first:
                due.append((contender.waited, who))
        if due:
            return self._turn_of(max(due)[1], 1)
        return self._turn_of(self._best, max(1, int(TURN_SECONDS / max(best.expected(bits), 1e-6))))

    def pack(self, state: State) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(self.values(state))

    def unpack(self, data: object) -> State:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return self.state_of(unpack_rationals(data, self.network.circuit.state_size))
