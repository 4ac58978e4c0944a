"""Exact steps in machine words, for networks whose numbers stay short: integers over one denominator that is kept.

A memory of bounded precision, counters, one-hot states and small integers are such numbers. A step is a loop in
compiled code, of a microsecond for a thousand weights. Where a number is no integer over the denominator, or does not
fit a word, the steps end; from there on another denominator may do, or another executor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import lcm, mpq

from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.networks.circuit import numbers_of
from exactnn.simulation import word_kernels
from exactnn.simulation.compiled import is_compiled
from exactnn.simulation.executor import Basic, Output, Segment, basic, unlike
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.stepping import OneByOne
from exactnn.simulation.word_kernels import Array
from exactnn.size_limit import SizeLimit, common_denominator

__all__ = ["MachineWordExecutor", "Words", "is_ready"]

ROOM = 1 << 61
"""What sums may come to."""
BITS = 512
"""Bits for each register, above which a limit of all numbers makes no difference here."""
MOST_OUTPUTS = 1 << 14
"""Numbers of the readout in one call of the loop, as far as they change: so many, or two readouts."""
WORK = 1 << 22
"""Weights and units in one call of the loop: some hundredths of a second."""

STEP, TERM = 1e-7, 2e-9
"""Seconds of a step, and of each term of the units that it looks at, about."""

ZERO = mpq(0)
NO_OUTPUT = LEAST = np.iinfo(np.int64).min
NOTHING: Array = np.zeros(0, dtype=np.int64)

_KINDS = dict(zip((Basic.IDENTITY, Basic.RELU, Basic.SLU, Basic.HEAVISIDE), word_kernels.KINDS, strict=True))


class Words(NamedTuple):
    """A state: numbers times a denominator, which nobody changes."""

    numbers: Array
    denominator: int


def is_ready() -> bool:
    """Whether the loop need not be compiled: it is, or it is on the disk."""
    return is_compiled(word_kernels.take)


@dataclass(frozen=True, slots=True)
class _Code:
    """A network as the loop reads it, its weights and biases times `scale`.

    The loop wants biases times the denominator of a state, too. `heaviest` bounds the sum of the weights of a unit, and
    `largest` its bias.
    """

    arrays: tuple[Array, ...]
    """The first arguments of the loop."""
    biases: tuple[int, ...]
    scale: int
    heaviest: int
    largest: int
    taken: list[int]
    """Steps of all runs, and the units that they looked at; at first one step that looks at all."""


class MachineWordExecutor(OneByOne[Words]):
    """A network in exact rational arithmetic, in integers of a machine word over a denominator that stays the same.

    A state or a step whose numbers are none of those raises SizeLimitError, and so does such a network.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> executor = MachineWordExecutor(network)
    >>> executor.advance(executor.start(), (mpq(0),), 3, until_decided=False).outputs
    [(mpq(1,2), 1), (mpq(1,4), 1), (mpq(1,8), 1)]
    """

    engine = "machine words"

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        self.network, self._limit = network, limit or SizeLimit()
        known = network.laid_out.of(_Code, None, lambda: _code_of(network))
        if known is None:
            raise SizeLimitError("weights do not fit machine words")
        self._code = code = known
        self._rationals = LowestTermsExecutor(network, limit)
        registers = len(code.biases)
        self._limit.refuse(BITS * registers)
        self._room = [np.zeros(registers, dtype=np.int64) for _ in range(4)]
        self._waiting: Array = np.zeros(len(network.circuit.layers) + 2, dtype=np.int64)
        self._moved: Array = np.zeros((network.circuit.state_size, 2), dtype=np.int64)
        columns = 1 + len(network.readout)
        self._changes: Array = np.zeros((max(2, MOST_OUTPUTS // columns), columns), dtype=np.int64)
        self._control: Array = np.zeros(word_kernels.CONTROL, dtype=np.int64)
        self._last: Words | None = None  # the state whose registers are in the room
        self._most_steps = max(1, WORK // (1 + network.circuit.weights + registers))

    def start(self) -> Words:
        """Return the initial state."""
        return self.state_of(self.network.initial_state)

    def state_of(self, values: Sequence[mpq]) -> Words:
        """Return the state with these values, with as much room for longer fractions as for larger numbers."""
        return self._over(values, 0.5)

    def _over(self, values: Sequence[mpq], share: float, inputs: Sequence[mpq] = ()) -> Words:
        """Return a state over a denominator that uses about this share of the bits which are free.

        It is one of the inputs, too.
        """
        others = [(place, value) for place, value in enumerate(values) if value]  # most are 0
        if any(value.denominator > ROOM for _, value in others):  # before a common one of long numbers is looked for
            raise SizeLimitError("the numbers of a state do not fit machine words")
        scale, room = self._code.scale, self._room_over
        one = int(common_denominator([*(value for _, value in others), *inputs], self._limit, 2 * len(values)))
        least = max(1.0, room(one)) ** (1 - share)
        while scale > 1 and room(one * scale) >= least:
            one *= scale
        numbers, most = [int(value * one) for _, value in others], self._most_over(one)
        if max(map(abs, [one, *numbers, *(int(value * one) for value in inputs)])) > most:
            raise SizeLimitError("the numbers of a state do not fit machine words")
        state: Array = np.zeros(len(values), dtype=np.int64)
        state[[place for place, _ in others]] = numbers
        return Words(state, one)

    def _over_one(self, one: int) -> tuple[Array, int]:
        """Return the biases over a denominator, and the largest number of a register."""
        return np.array([bias * one for bias in self._code.biases], dtype=np.int64), self._most_over(one)

    def _most_over(self, one: int) -> int:
        """Return the largest number of a register over a denominator."""
        room = self._room_over(one)
        return int(room * one) if room else 0  # a denominator that has no room may be too long for a float

    def _room_over(self, one: int) -> float:
        """Return the largest value of which no sum leaves the room, over a denominator; 0 if there is none."""
        code = self._code
        return 0.0 if one * code.scale > ROOM else max(0, ROOM - code.largest * one) / (code.heaviest * one)

    def values(self, state: Words) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        one = state.denominator
        return tuple([mpq(number, one) if number else ZERO for number in state.numbers.tolist()])

    def alike(self, first: Words, second: Words) -> bool:
        """Whether two states are the same, over whatever denominators."""
        if first.denominator == second.denominator:
            return bool((first.numbers == second.numbers).all())
        return self.values(first) == self.values(second)

    @property
    def seconds_of_a_step(self) -> float:
        """What a step takes, about, by how many units steps have looked at: those that read what changed."""
        steps, looks = self._code.taken
        return STEP + TERM * looks / steps * self.network.circuit.weights / max(1, len(self._code.biases))

    def output(self, state: Words) -> Output:
        """Return the readout of `state`."""
        return self._rationals.output(self.values(state))

    def step_on(self, symbol: Input) -> Callable[[Words], tuple[Words, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""

        def step(before: Words) -> tuple[Words, Output]:
            segment = self.advance(before, symbol, 1, until_decided=False)
            return segment.state, segment.outputs[0][0]

        return step

    def advance(
        self, state: Words, symbol: Input, count: int, *, until_decided: bool, anchor: Words | None = None
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        return self._advance(state, [symbol], count, until_decided, anchor)

    def along(self, state: Words, word: Sequence[Input]) -> Segment:
        """Apply an input after the other, some or all of them."""
        if isinstance(word[0], tuple):
            return self._advance(state, word[:1], 1, False, None)
        return self._advance(state, word, len(word), False, None)

    def _advance(
        self, state: Words, inputs: Sequence[Input], count: int, until_decided: bool, anchor: Words | None
    ) -> Segment:
        """Take steps; where the first is none over the denominator of the state, over another one."""
        vector = inputs[0] if isinstance(inputs[0], tuple) else ()
        if any(state.denominator % number.denominator for number in vector):
            state = self._over(self.values(state), 0.5, vector)
        code, segment = self._take(state, inputs, count, until_decided, anchor)
        if not segment.steps:
            other = self._over(self.values(state), 1.0 if code == word_kernels.INEXACT else 0.0, vector)
            code, segment = self._take(other, inputs, count, until_decided, anchor)
            if not segment.steps:
                raise SizeLimitError("the numbers of a step do not fit machine words")
        return segment

    def _take(
        self, state: Words, inputs: Sequence[Input], count: int, until_decided: bool, anchor: Words | None
    ) -> tuple[int, Segment]:
        """Take steps over the denominator of a state; return why they ended, too."""
        code, one = self._code, state.denominator
        if anchor is not None and not self.network.circuit.state_size:  # a state without numbers is always the same
            count = min(count, 1)
        symbols, vector = inputs, NOTHING
        if isinstance(inputs[0], tuple):
            if any(abs(number) > self._room_over(one) for number in inputs[0]):
                raise SizeLimitError("an input does not fit a machine word")
            symbols, vector = (), np.array([int(number * one) for number in inputs[0]], dtype=np.int64)
        read, numbers = np.array(symbols, dtype=np.int64), state.numbers.copy()
        biases, most = self.network.laid_out.of(MachineWordExecutor, one, lambda: self._over_one(one))
        there = NOTHING if anchor is None else _over(anchor, one)
        outputs: list[tuple[Output, int]] = []
        taken, outcome = 0, None
        self._changes[0] = NO_OUTPUT
        if state is not self._last or len(vector):
            self._control[word_kernels.W_SYMBOL] = word_kernels.ANEW
        self._last = None  # until the loop has left another one there
        fixed = *code.arrays, biases, one, code.scale, most, self._waiting, *self._room, numbers, self._moved
        while True:
            following = read[taken:] if len(read) > 1 else read, min(count - taken, self._most_steps)
            arguments: Any = *fixed, vector, *following, there, self._changes, until_decided, self._control
            ended = word_kernels.take(*arguments)
            steps, changed, _, looks = self._control.tolist()
            code.taken[:] = code.taken[0] + steps, code.taken[1] + looks
            outputs += self._outputs(self._changes[: changed + 1].tolist(), steps, one)
            taken += steps
            if until_decided and outputs and not isinstance(last := outputs[-1][0], tuple):
                outcome = self.network.decision.outcome(last)
            if ended != word_kernels.CHANGED or outcome is not None or taken == count:
                break
            self._changes[0, 1:] = self._changes[changed, 1:]
        self._last = Words(numbers, one)
        return ended, Segment(steps=taken, outputs=outputs, state=self._last, outcome=outcome)

    def _outputs(self, changes: list[list[int]], steps: int, one: int) -> list[tuple[Output, int]]:
        """Return outputs with how often they come, from rows of the step of each and its numbers; the first may not."""
        ends = [*(step for step, *_ in changes[1:]), steps + 1]
        found: list[tuple[Output, int]] = []
        for (begins, *numbers), end in zip(changes, ends, strict=True):
            if times := end - max(1, begins):
                values = tuple([mpq(number, one) for number in numbers])
                found.append((values[0] if self.network.scalar_output else values, times))
        return found


def _over(state: Words, denominator: int) -> Array:
    """Return the numbers of a state over another denominator; none if they are not all over that."""
    if state.denominator == denominator:
        return state.numbers
    numbers = [divmod(number * denominator, state.denominator) for number in state.numbers.tolist()]
    if any(rest or abs(number) >> 62 for number, rest in numbers):
        return NOTHING
    return np.array([number for number, _ in numbers], dtype=np.int64)


def _code_of(network: Network) -> _Code | None:
    """Lay out a network; return None if its weights do not fit machine words."""
    circuit = network.circuit
    layers = [*circuit.layers, network.readout]
    units = [unit for layer in layers for unit in layer]
    scale = int(lcm(1, *[number.denominator for number in numbers_of(units)]))
    if scale > ROOM:
        return None
    kinds_of = {name: basic(activation) for name, activation in unlike([unit.activation for unit in units]).items()}
    basics, biases = [kinds_of[id(unit.activation)] for unit in units], [int(unit.bias * scale) for unit in units]
    heaviest, largest = 1, max(map(abs, biases), default=0)
    first = circuit.state_size + circuit.input_size
    firsts = [0, first]
    for layer in layers:
        firsts.append(firsts[-1] + len(layer))
    terms: list[list[tuple[int, int]]] = [[] for _ in range(firsts[-1])]
    products: list[tuple[int, int, int]] = []
    kinds, layer_of, products_of = ([0] * first for _ in range(3))
    kinds += [_KINDS[it] for it in basics]
    for register, unit in enumerate(units, first):
        products_of.append(len(products))
        sum_of_weights = 0
        for read, weight in unit.linear:
            scaled = int(weight * scale)
            sum_of_weights += abs(scaled)
            terms[read].append((register, scaled))
        for one, other, weight in unit.bilinear:
            scaled = int(weight * scale)
            sum_of_weights += abs(scaled)
            terms[one].append((register, 0))
            terms[other].append((register, 0))
            products.append((one, other, scaled))
        heaviest = max(heaviest, sum_of_weights)
    if scale * max(heaviest, largest) > ROOM:
        return None
    for entry, register in enumerate(circuit.next_state):
        terms[register].append((entry, 0))
    for number, layer in enumerate(layers, 1):
        layer_of += [number] * len(layer)
    products_of.append(len(products))
    of_any_sign = [unit.bilinear or it is Basic.IDENTITY for unit, it in zip(units, basics, strict=True)]
    floors = [LEAST] * first + [LEAST if of_any else 0 for of_any in of_any_sign]
    terms_of = [0, *accumulate(map(len, terms))]
    readers, weights = ([term[i] for found in terms for term in found] for i in range(2))
    return _Code(
        arrays=(
            *map(_array, (kinds, layer_of, products_of)),
            _array(products).reshape(-1, 3),
            *map(_array, (terms_of, readers, weights, floors, firsts, circuit.next_state)),
        ),
        biases=(*[0] * first, *biases),
        scale=scale,
        heaviest=heaviest,
        largest=largest,
        taken=[1, firsts[-1]],
    )


def _array(integers: Sequence[Any]) -> Array:
    return np.array(integers, dtype=np.int64)
