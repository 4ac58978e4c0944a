"""Emulated formats: one operation after the other, each rounded; short, and what fast executors are tested by."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import (
    FixedOperations,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    Format,
    Number,
    Rounding,
    operations_of,
)
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.networks.network import input_vector
from exactnn.simulation.cycle import same_numbers
from exactnn.simulation.executor import Output
from exactnn.simulation.fixed_parameters import bounding_word, check_parameters, fixed_word
from exactnn.simulation.packed import pack_number, unpack_integer, unpack_numbers_of, unpack_rationals
from exactnn.simulation.stepping import OneByOne

__all__ = [
    "Definition",
    "EmulatedExecutor",
    "EmulatedFixedExecutor",
    "EmulatedState",
    "definition_of",
    "emulated",
    "unpack_fixed",
]


# --- Any format that rounds, floating or fixed point, one operation after the other: in rationals, by MPFR where that
# has the format, or by the processor.
#
# In rationals it is slow, and so short that it is obviously right: the fast executors of float formats are tested by
# it. It computes in the formats that they lack.


class Definition:
    """What a unit computes in a format, one operation after the other; operations are of one kind or another.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16
    >>> of = Definition(BFLOAT16)
    >>> third = of.parameter(mpq(1, 3))
    >>> of.value(third, [(third, third)], Activation.RELU, 0)
    (mpq(57,128), 2)
    """

    def __init__(self, format: Format, operations: Any = FloatOperations) -> None:
        self.format = format
        self.way: str = operations.way
        self._operations: Any = operations(format.accumulator or format)
        self.results: Any = operations(format)
        self._rounded: dict[mpq, Any] = {}
        self._zero, self._one = self.results.number(0.0), self.results.number(mpq(1))

    def parameter(self, value: mpq) -> Any:
        """Return a weight, bias or input as a number of the format."""
        if value not in self._rounded:
            self._rounded[value] = self.results.number(self.format.parameters.rounded(value))
        return self._rounded[value]

    def value(self, bias: Any, products: list[tuple[Any, ...]], activation: Activation, count: int) -> tuple[Any, int]:
        """Return the activation of a bias and products, all of parameters and registers, and the next operation."""
        operations = self._operations
        operations.count = count
        if self.format.accumulator is not None:
            bias = operations.convert(bias)
        total = self._sum(bias, products)
        self.results.count = operations.count
        if self.format.accumulator is not None:
            total = self.results.convert(total)
        return self._activated(activation, total), self.results.count

    def _sum(self, bias: Any, products: list[tuple[Any, ...]]) -> Any:
        """Return the sum of a bias and products, in the order of the format."""
        operations = self._operations
        if self.format.fused:
            for product in products:
                *first, last = product
                bias = operations.fused(reduce(operations.multiply, first), last, bias)
            return bias
        if self.format.summation == "bias first":
            for product in products:
                bias = operations.add(bias, reduce(operations.multiply, product))
            return bias
        terms = [reduce(operations.multiply, product) for product in products]
        if self.format.summation == "bias last":
            return reduce(operations.add, [*terms, bias])
        terms = [bias, *terms]
        while len(terms) > 1:
            pairs = [operations.add(*terms[i : i + 2]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(terms) - len(terms) % 2 :]
        return terms[0]

    def _activated(self, activation: Activation, total: Any) -> Any:
        """Return the activation of a number; NaN goes through all but a jump. Smooth ones are operations."""
        match activation.kind:
            case Kind.CLAMP:
                low, high = self._bound(activation.low), self._bound(activation.high)
                if low is not None and total <= low:
                    return low
                return high if high is not None and total > high else total
            case Kind.JUMP:
                return self._bound(activation.high if total > 0 else activation.low)
            case Kind.SIGMOID:
                return self.results.sigmoid(total)
            case Kind.TANH:
                return self.results.tanh(total)
            case Kind.SOFTPLUS:
                return self.results.softplus(total)
            case Kind.EXP:
                return self.results.exp(total)
            case _:
                assert_never(activation.kind)

    def _bound(self, value: mpq | None) -> Any:
        """Return a bound of an activation, rounded to nearest; 0 and 1 are there in every format, as inputs are."""
        if value is None:
            return None
        return self._zero if value == 0 else self._one if value == 1 else self.parameter(value)


class FixedDefinition(Definition):
    """The same in fixed point, where a parameter beyond the range is refused."""

    def __init__(self, format: FixedPoint) -> None:
        super().__init__(format, FixedOperations)
        self._fixed = format

    def parameter(self, value: mpq) -> mpq:
        """Return a weight, bias or input as a number of the format."""
        found: mpq | None = self._rounded.get(value)
        if found is None:
            found = self._rounded[value] = self._fixed.number(fixed_word(self._fixed, value))
        return found

    def _bound(self, value: mpq | None) -> mpq | None:
        """Return a bound of an activation as a number of the format; one beyond the range bounds nothing."""
        return None if value is None else self._fixed.number(bounding_word(self._fixed, value))


def definition_of(format: Format) -> Definition:
    """Return what units compute in a format, with the fastest operations that follow its definition."""
    match format:
        case FloatFormat():
            return Definition(format, operations_of(format))
        case FixedPoint():
            return FixedDefinition(format)
        case _:
            assert_never(format)


@dataclass(frozen=True, slots=True)
class EmulatedState:
    """The numbers of a state, in the form of the operations, and how many operations there were before."""

    numbers: tuple[Any, ...]
    count: int


class EmulatedExecutor(OneByOne[EmulatedState]):
    """A network in a format, with operations of one kind or another; they are made of a format.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> executor = EmulatedExecutor(network, BFLOAT16)
    >>> executor.advance(executor.start(), (mpq(1),), 2, until_decided=False).outputs
    [(1.0, 1), (1.3359375, 1)]
    """

    def __init__(
        self,
        network: Network,
        format: Format,
        operations: Any = FloatOperations,
    ) -> None:
        self.network = network
        self.format = format
        self.definition = Definition(format, operations)
        self.engine = f"{format}, {operations.way}"
        self._stochastic = Rounding.STOCHASTIC in (format.rounding, (format.accumulator or format).rounding)

    def start(self) -> EmulatedState:
        """Return the initial state, rounded to nearest."""
        return EmulatedState(tuple(map(self.definition.parameter, self.network.initial_state)), 0)

    def values(self, state: EmulatedState) -> tuple[Number, ...]:
        """Return the numbers of `state`: floats if all numbers of the format are, else rationals and special floats."""
        return tuple(map(self._as_value, state.numbers))

    def _as_value(self, number: Any) -> Number:
        return float(number) if self.format.fits_float else self.definition.results.plain(number)

    def output(self, state: EmulatedState) -> Output:
        """Return the readout of `state`."""
        return self._outputs(list(state.numbers), state.count)[0]

    def _outputs(self, registers: list[Any], count: int) -> tuple[Output, int]:
        outputs: list[Number] = []
        for unit in self.network.readout:
            result, count = self._evaluate(unit, registers, count)
            outputs.append(self._as_value(result))
        return (outputs[0] if self.network.scalar_output else tuple(outputs)), count

    def _evaluate(self, unit: Unit, registers: list[Any], count: int) -> tuple[Any, int]:
        """Return the value of a unit, and the number of the next operation."""
        products: list[tuple[Any, ...]] = []
        for register, weight in unit.linear:
            products.append((self.definition.parameter(weight), registers[register]))
        for first, second, weight in unit.bilinear:
            products.append((self.definition.parameter(weight), registers[first], registers[second]))
        return self.definition.value(self.definition.parameter(unit.bias), products, unit.activation, count)

    def watches(self, state: EmulatedState, eos_steps: int) -> bool:
        """Whether states are compared: not where rounding is stochastic, by the number of the operation."""
        return not self._stochastic

    def alike(self, first: EmulatedState, second: EmulatedState) -> bool:
        """Whether two states are the same, but for NaN."""
        return same_numbers(first.numbers, second.numbers)

    def step_on(self, symbol: Input) -> Callable[[EmulatedState], tuple[EmulatedState, Output]]:
        """Return what a step on this input does to a state, which also gives the output."""
        circuit = self.network.circuit
        vector = input_vector(symbol, circuit.input_size)
        inputs = [self.definition.parameter(value) for value in vector]

        def step(before: EmulatedState) -> tuple[EmulatedState, Output]:
            registers = [*before.numbers, *inputs]
            number = before.count
            for layer in circuit.layers:
                for unit in layer:
                    result, number = self._evaluate(unit, registers, number)
                    registers.append(result)
            numbers = tuple(registers[register] for register in circuit.next_state)
            output, number = self._outputs(list(numbers), number)
            return EmulatedState(numbers, number), output

        return step

    def pack(self, state: EmulatedState) -> object:
        """Return `state` as JSON data."""
        numbers = [pack_number(self.definition.results.plain(x)) for x in state.numbers]
        return {"numbers": numbers, "operations": pack_number(state.count)}

    def unpack(self, data: object) -> EmulatedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        assert isinstance(self.format, FloatFormat)  # fixed point has its own
        if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
            raise CheckpointError(f"{shown(data)} is no state in {self.format}")
        numbers = unpack_numbers_of(self.format, data["numbers"], self.network.circuit.state_size)
        return EmulatedState(tuple(map(self.definition.results.number, numbers)), unpack_integer(data["operations"]))


# --- Executor in any fixed-point format, one operation after the other, in rationals.


class EmulatedFixedExecutor(EmulatedExecutor):
    """A network in a fixed-point format, as :class:`EmulatedExecutor` in a floating-point one.

    Raises
    ------
    UnsupportedArithmeticError
        If a parameter of the network is beyond the range of the format.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> executor = EmulatedFixedExecutor(network, FixedPoint(integer_bits=2, fraction_bits=4))
    >>> executor.advance(executor.start(), (mpq(1),), 2, until_decided=False).outputs
    [(1.0, 1), (1.3125, 1)]
    """

    def __init__(self, network: Network, format: FixedPoint) -> None:
        check_parameters(network, format)
        super().__init__(network, format, FixedOperations)
        self.definition, self._fixed = FixedDefinition(format), format

    def unpack(self, data: object) -> EmulatedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return EmulatedState(*unpack_fixed(data, self._fixed, self.network.circuit.state_size))


def unpack_fixed(data: object, format: FixedPoint, size: int) -> tuple[tuple[mpq, ...], int]:
    """Return the numbers of a state in a format, and how many operations there were before, from JSON data.

    Raises
    ------
    CheckpointError
        If `data` is no such state.

    Examples
    --------
    >>> unpack_fixed({"numbers": ["0x3/0x2"], "operations": "0x0"}, FixedPoint(integer_bits=4, fraction_bits=4), 1)
    ((mpq(3,2),), 0)
    """
    if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
        raise CheckpointError(f"{shown(data)} is no state in {format}")
    numbers = unpack_rationals(data["numbers"], size)
    for number in numbers:
        if not format.has_number(number):
            raise CheckpointError(f"{shown(number)} is no number of {format}")
    return numbers, unpack_integer(data["operations"])


def emulated(network: Network, format: FloatFormat) -> EmulatedExecutor:
    """Return an executor with the fastest operations that follow the definition of a float format."""
    return EmulatedExecutor(network, format, operations_of(format))
