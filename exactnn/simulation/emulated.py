"""Executor in any floating-point format: every operation exactly, in rationals, and then rounded.

Slow, and so short that it is obviously right: the fast executors of float formats are tested by it, and it computes in
the formats that they lack.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from gmpy2 import mpq

from exactnn.arithmetic import FloatFormat, FloatOperations, Number
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Activation, Input, Network, Unit
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.packed import pack_number, unpack_integer, unpack_numbers

__all__ = ["EmulatedExecutor", "EmulatedState"]

ONE = mpq(1)


@dataclass(frozen=True, slots=True)
class EmulatedState:
    """The numbers of a state, and how many operations there were before, which chooses the random numbers."""

    numbers: tuple[Number, ...]
    count: int


class EmulatedExecutor:
    """A network in a floating-point format.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> executor = EmulatedExecutor(network, BFLOAT16)
    >>> executor.advance(executor.start(), (mpq(1),), 2, until_decided=False).outputs
    [(1.0, 1), (1.3359375, 1)]
    """

    paces_itself = False

    def __init__(self, network: Network, format: FloatFormat) -> None:
        self.network = network
        self.format = format
        self.engine = f"{format}, in rationals"
        self._inner = format.accumulator or format
        self._rounded: dict[mpq, Number] = {}

    def _parameter(self, value: mpq) -> Number:
        """Return a weight, bias or input as a number of the format."""
        if value not in self._rounded:
            self._rounded[value] = self.format.parameters.rounded(value)
        return self._rounded[value]

    def start(self) -> EmulatedState:
        """Return the initial state, rounded to nearest."""
        return EmulatedState(tuple(map(self._parameter, self.network.initial_state)), 0)

    def values(self, state: EmulatedState) -> tuple[Number, ...]:
        """Return the numbers of `state`: floats if all numbers of the format are, else rationals and special floats."""
        return tuple(map(self._as_value, state.numbers))

    def _as_value(self, number: Number) -> Number:
        return float(number) if self.format.fits_float else number

    def output(self, state: EmulatedState) -> Output:
        """Return the readout of `state`."""
        return self._outputs(list(state.numbers), state.count)[0]

    def _outputs(self, registers: list[Number], count: int) -> tuple[Output, int]:
        outputs: list[Number] = []
        for unit in self.network.readout:
            result, count = self._evaluate(unit, registers, count)
            outputs.append(self._as_value(result))
        return (outputs[0] if self.network.scalar_output else tuple(outputs)), count

    def _evaluate(self, unit: Unit, registers: list[Number], count: int) -> tuple[Number, int]:
        """Return the value of a unit, and the number of the next operation."""
        operations = FloatOperations(self._inner, count)
        bias = self._parameter(unit.bias)
        if self.format.accumulator is not None:
            bias = operations.convert(bias)
        products: list[tuple[Number, ...]] = []
        for register, weight in unit.linear:
            products.append((self._parameter(weight), registers[register]))
        for first, second, weight in unit.bilinear:
            products.append((self._parameter(weight), registers[first], registers[second]))
        total = self._sum(bias, products, operations)
        if self.format.accumulator is not None:
            outer = FloatOperations(self.format, operations.count)
            total, count = outer.convert(total), outer.count
        else:
            count = operations.count
        return _activated(unit.activation, total), count

    def _sum(self, bias: Number, products: list[tuple[Number, ...]], operations: FloatOperations) -> Number:
        """Return the sum of a bias and products, in the order of the format."""
        if self.format.fused:
            for product in products:
                *first, last = product
                bias = operations.fused(_product(first, operations), last, bias)
            return bias
        if self.format.summation == "bias first":
            for product in products:
                bias = operations.add(bias, _product(product, operations))
            return bias
        terms = [_product(product, operations) for product in products]
        if self.format.summation == "bias last":
            return reduce(operations.add, [*terms, bias])
        terms = [bias, *terms]
        while len(terms) > 1:
            pairs = [operations.add(*terms[i : i + 2]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(terms) - len(terms) % 2 :]
        return terms[0]

    def advance(self, state: EmulatedState, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        circuit = self.network.circuit
        vector = symbol if isinstance(symbol, tuple) else [mpq(i == symbol) for i in range(circuit.input_size)]
        inputs = [self._parameter(value) for value in vector]
        outputs: list[tuple[Output, int]] = []
        outcome = None
        while len(outputs) < count and outcome is None:
            registers = [*state.numbers, *inputs]
            number = state.count
            for layer in circuit.layers:
                for unit in layer:
                    result, number = self._evaluate(unit, registers, number)
                    registers.append(result)
            numbers = tuple(registers[register] for register in circuit.next_state)
            output, number = self._outputs(list(numbers), number)
            state = EmulatedState(numbers, number)
            outputs.append((output, 1))
            if until_decided and not isinstance(output, tuple):
                outcome = self.network.decision.outcome(output)
        return Segment(steps=len(outputs), outputs=outputs, state=state, outcome=outcome)

    def pack(self, state: EmulatedState) -> object:
        """Return `state` as JSON data."""
        return {"numbers": [pack_number(x) for x in state.numbers], "operations": pack_number(state.count)}

    def unpack(self, data: object) -> EmulatedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
            raise CheckpointError(f"{shown(data)} is no state in {self.format}")
        numbers = unpack_numbers(data["numbers"], self.network.circuit.state_size)
        for number in numbers:
            if not isinstance(number, float) and self.format.parameters.rounded(number) != number:
                raise CheckpointError(f"{shown(number)} is no number of {self.format}")
        return EmulatedState(numbers, unpack_integer(data["operations"]))


def _product(factors: Sequence[Number], operations: FloatOperations) -> Number:
    """Return the product, from left to right."""
    return reduce(operations.multiply, factors)


def _activated(activation: Activation, total: Number) -> Number:
    """Return the activation of a number; NaN goes through all but Heaviside."""
    if activation is Activation.HEAVISIDE:
        return ONE if total > 0 else 0.0
    if activation is not Activation.IDENTITY and total <= 0:
        return 0.0
    return ONE if activation is Activation.SLU and total > 1 else total
