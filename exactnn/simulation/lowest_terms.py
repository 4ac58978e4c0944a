"""Exact steps in rationals in lowest terms, a row at a time.

For networks whose numbers are short, or have denominators that have nothing to do with each other. The reference says
the same in other words; none of its code is here, so that comparing the two means something.
"""

from collections.abc import Sequence
from operator import mul

from gmpy2 import mpq

from exactnn.networks import Input, Network, Unit
from exactnn.simulation.basic import Basic, basic
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.stepping import take_steps
from exactnn.size_limit import SizeLimit

__all__ = ["LowestTermsExecutor"]

ZERO, ONE = mpq(0), mpq(1)

_BOUNDS: dict[Basic, tuple[bool, bool]] = {
    Basic.IDENTITY: (False, False),
    Basic.RELU: (True, False),
    Basic.SLU: (True, True),
    Basic.HEAVISIDE: (True, True),
}
"""Whether an activation is bounded by 0 from below, and by 1 from above."""


class _Row:
    """A unit: what it reads and with which weights."""

    __slots__ = ("above", "below", "bias", "bilinear", "registers", "step", "weights")

    def __init__(self, unit: Unit) -> None:
        self.bias = unit.bias
        self.registers = tuple(register for register, _ in unit.linear)
        self.weights = tuple(weight for _, weight in unit.linear)
        self.bilinear = unit.bilinear
        self.below, self.above = _BOUNDS[basic(unit.activation)]
        self.step = basic(unit.activation) is Basic.HEAVISIDE

    def value(self, numbers: Sequence[mpq]) -> mpq:
        """Return the value of the unit."""
        x = sum(map(mul, self.weights, map(numbers.__getitem__, self.registers)), self.bias)
        for first, second, weight in self.bilinear:
            x += weight * numbers[first] * numbers[second]
        if self.below and x <= 0:
            return ZERO
        return ONE if self.above and (self.step or x > 1) else x


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
        self._rows = [_Row(unit) for layer in network.circuit.layers for unit in layer]
        self._readout = [_Row(unit) for unit in network.readout]
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
        outputs = tuple(row.value(state) for row in self._readout)
        return outputs[0] if self.network.scalar_output else outputs

    def advance(self, state: tuple[mpq, ...], symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        circuit = self.network.circuit
        inputs = symbol if isinstance(symbol, tuple) else tuple(mpq(i == symbol) for i in range(circuit.input_size))

        def step(before: tuple[mpq, ...]) -> tuple[tuple[mpq, ...], Output]:
            self._foresight.look(before, symbol)
            numbers = [*before, *inputs]
            for row in self._rows:
                numbers.append(row.value(numbers))
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
