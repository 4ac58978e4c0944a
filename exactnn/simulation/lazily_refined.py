"""Runs from real start states, whose digits are drawn until every comparison is decided."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from typing import assert_never, cast

from gmpy2 import mpq

from exactnn.arithmetic import (
    Arithmetic,
    DigitCount,
    EnclosingArithmetic,
    Enclosure,
    FixedPoint,
    Format,
    LazyNumber,
    LazyReal,
    is_arithmetic,
    linear_combination,
)
from exactnn.errors import CheckpointError, OptionError, UnsupportedArithmeticError, shown
from exactnn.networks import Activation, Input, Kind, Network, RealNetwork, Unit
from exactnn.networks.circuit import columns_of
from exactnn.networks.network import input_vector
from exactnn.simulation.executor import Executor, Output
from exactnn.simulation.executors import executor_for
from exactnn.simulation.foresight import Foresight, Size, size_of
from exactnn.simulation.smooth_units import refuse_smooth_units
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit

__all__ = ["LazilyRefinedExecutor", "real_executor_for", "rounded_start"]


# --- Which executor runs a network with a real start state: reals stay real in exact arithmetic, else are rounded.

MOST_ROUNDED = 20_000
"""Most digits that are read to round a real: below the smallest number of the widest formats there are not so many."""


def real_executor_for(
    network: RealNetwork,
    arithmetic: Arithmetic | EnclosingArithmetic,
    most: int | None = None,
    size: SizeLimit | None = None,
) -> Executor:
    """Return the executor of a network with a real start state.

    `EXACT` and `RATIONAL` are the same here: rationals, and digits as they are needed. Any other arithmetic runs the
    network with the reals rounded to its parameters.

    Raises
    ------
    UnsupportedArithmeticError
        If no executor computes in this arithmetic, or a real cannot be rounded to it.
    OptionError
        If there is a limit of digits for an arithmetic that rounds.
    """
    if not is_arithmetic(arithmetic):
        return executor_for(network.template, arithmetic)  # it says what there is
    if arithmetic.is_exact:
        return LazilyRefinedExecutor(network, most, size)
    if most is not None:
        raise OptionError(f"max_digits={most} with {arithmetic}: the reals are rounded to it first, and not refined")
    return executor_for(rounded_start(network, arithmetic), arithmetic)


def rounded_start(network: RealNetwork, format: Format) -> Network:
    """Return the network whose start state is that of `network`, rounded correctly to a format.

    Raises
    ------
    UnsupportedArithmeticError
        If a real is the middle between two numbers of the format, so that no digits tell, or is beyond its range.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, lazy_real
    >>> from exactnn.networks import SimpleRNN
    >>> keeps = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1])
    >>> thirds = RealNetwork(template=keeps, reals=((0, lazy_real(lambda position: 3)),))
    >>> rounded_start(thirds, FLOAT16).initial_state
    (mpq(1365,4096),)
    """
    state = list(network.template.initial_state)
    for place, real in network.reals:
        state[place] = _rounded(state[place], real, format)
    return replace(network.template, initial_state=tuple(state), name=f"{network.name}, in {format}")


def _rounded(constant: mpq, real: LazyReal, format: Format) -> mpq:
    digits = 0
    while digits <= MOST_ROUNDED:
        low, high = (_nearest(constant + bound, format) for bound in real.enclosure(digits))
        if low == high and isfinite(low):
            return mpq(low)
        digits += 1 + digits // 8
    raise UnsupportedArithmeticError(
        f"{real.stream.name} is not rounded to {format}: {digits} digits do not tell which number of it is nearest"
    )


def _nearest(value: mpq, format: Format) -> mpq | float:
    parameters = format.parameters
    if isinstance(parameters, FixedPoint):  # one that is beyond the range is for the executor to refuse
        return parameters.number(parameters.unbounded_word(value))
    return parameters.rounded(value)


# --- The executor of networks with real start states: rational arithmetic, and digits where a comparison needs them.
#
# A number is constant + sum of coefficient * (tail of a real), all exact, so that sums and rational weights need no
# digits. Only an activation compares, and it reads digits until it knows on which side of its kink a number is.

ONE, ZERO = mpq(1), mpq(0)
"""Activations that are 0 below 0."""

Value = mpq | LazyNumber


class _Layer:
    """A layer's units, with their linear terms sorted by the register they read: most registers are zero."""

    def __init__(self, units: tuple[Unit, ...], count: DigitCount) -> None:
        self.units = units
        self.count = count
        self.columns = columns_of(units)

    def evaluate(self, registers: Sequence[Value]) -> list[Value]:
        """Return activation(bias + sum of weight * register + sum of weight * register * register')."""
        constants = [unit.bias for unit in self.units]
        lazy: dict[int, list[tuple[LazyNumber, mpq]]] = {}
        for register, column in self.columns.items():
            value = registers[register]
            if isinstance(value, LazyNumber):
                for index, weight in column:
                    lazy.setdefault(index, []).append((value, weight))
            elif value:
                for index, weight in column:
                    constants[index] += weight * value
        for index, unit in enumerate(self.units):
            for first, second, weight in unit.bilinear:
                _add_product(index, unit, (registers[first], registers[second], weight), constants, lazy)
        totals: list[Value] = list(constants)
        enclosures: dict[int, Enclosure] = {}  # enclosures of the registers, by their identity
        for index, summands in lazy.items():
            low = _floor(self.units[index].activation)
            if low is not None and _is_below(constants[index] - low, summands, enclosures):
                totals[index] = low
            else:
                totals[index] = linear_combination(summands, constants[index], self.count)
        return [_activate(unit.activation, total) for unit, total in zip(self.units, totals, strict=True)]


def _floor(activation: Activation) -> mpq | None:
    """Return the bound below which a clamp is constant, None for others."""
    return activation.low if activation.kind is Kind.CLAMP else None


def _is_below(constant: mpq, summands: Sequence[tuple[LazyNumber, mpq]], enclosures: dict[int, Enclosure]) -> bool:
    """Whether a sum is seen to be at most 0 by the digits that have been read: quickly, and not in all such cases."""
    for value, weight in summands:
        bounds = enclosures.get(id(value))
        if bounds is None:
            bounds = enclosures[id(value)] = value.enclosure()
        constant += weight * (bounds.high if weight > 0 else bounds.low)
    return bool(constant <= 0)


def _add_product(
    index: int,
    unit: Unit,
    product: tuple[Value, Value, mpq],
    constants: list[mpq],
    lazy: dict[int, list[tuple[LazyNumber, mpq]]],
) -> None:
    """Add the product of two registers and a weight to what a unit sums."""
    first, second, weight = product
    if not isinstance(first, LazyNumber):
        first, second = second, first
    if isinstance(second, LazyNumber):
        raise UnsupportedArithmeticError(
            f"unit {shown(unit.name)} multiplies two lazily refined reals: only sums of them are computed exactly; "
            "give the network .truncated(digits)"
        )
    if isinstance(first, LazyNumber):
        lazy.setdefault(index, []).append((first, weight * second))
    else:
        constants[index] += weight * first * second


class LazilyRefinedExecutor(OneByOne[tuple[Value, ...]]):
    """A network with a real start state, in exact arithmetic.

    Parameters
    ----------
    network : RealNetwork
    most_digits : int, optional
        Of all streams together; where a comparison needs more, `advance` raises DigitLimitError.
    limit : SizeLimit, optional
        Where it has no room for the numbers of a step, `advance` raises SizeLimitError.
    """

    engine = "lazily refined reals"

    def __init__(self, network: RealNetwork, most_digits: int | None = None, limit: SizeLimit | None = None) -> None:
        refuse_smooth_units(network.template, "exact")
        self.network: Network = network.template
        self.count = DigitCount(most_digits)
        self._reals = network.reals
        self._layers = [_Layer(units, self.count) for units in self.network.circuit.layers]
        self._readout = _Layer(self.network.readout, self.count)
        self._foresight = Foresight(self.network, limit or SizeLimit())

    def start(self) -> tuple[Value, ...]:
        """Return the initial state."""
        rational = self.network.initial_state
        state: list[Value] = list(rational)
        for place, real in self._reals:
            state[place] = LazyNumber(constant=rational[place], terms=((real, 0, ONE),), count=self.count)
        return tuple(state)

    def values(self, state: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the numbers of `state`: rationals, and lazily refined ones."""
        return state

    def output(self, state: tuple[Value, ...]) -> Output:
        """Return the readout of `state`."""
        outputs = tuple(self._readout.evaluate(state))
        return cast(Output, outputs[0] if self.network.scalar_output else outputs)

    def step(self, state: tuple[Value, ...], symbol: Input) -> tuple[Value, ...]:
        """Return the state after one step."""
        circuit = self.network.circuit
        vector = input_vector(symbol, circuit.input_size)
        registers: list[Value] = [*map(self._counted, state), *vector]
        self._foresight.look_at_sizes([_size(value) for value in registers], symbol)
        for layer in self._layers:
            registers += layer.evaluate(registers)
        after = (registers[register] for register in circuit.next_state)
        return tuple(value.rewritten() if isinstance(value, LazyNumber) else value for value in after)

    def step_on(self, symbol: Input) -> Callable[[tuple[Value, ...]], tuple[tuple[Value, ...], Output]]:
        """Return what a step on this input does to a state, which also gives the output.

        It raises DigitLimitError if it needs more digits than may be read, and SizeLimitError if there is no room for
        longer numbers.
        """

        def step(before: tuple[Value, ...]) -> tuple[tuple[Value, ...], Output]:
            after = self.step(before, symbol)
            return after, self.output(after)

        return step

    def pack(self, state: tuple[Value, ...]) -> object:
        """Refuse: digits that a program gives cannot be kept in a file."""
        raise CheckpointError("a network with a real start state has no checkpoints: run it without a checkpoint")

    def unpack(self, data: object) -> tuple[Value, ...]:
        """Refuse, as :meth:`pack` does."""
        raise CheckpointError("a network with a real start state has no checkpoints: run it without a checkpoint")

    def _counted(self, value: Value) -> Value:
        """Return a number that counts the digits of this run: one that was encoded elsewhere has a count of its own."""
        if isinstance(value, LazyNumber) and value.count is not self.count:
            return replace(value, count=self.count)
        return value


def _size(value: Value) -> Size:
    """Return the size of a number; of a lazily refined one, of its rational parts together: a tail is less than 1."""
    if not isinstance(value, LazyNumber):
        return size_of(value)
    sizes = [size for size in map(size_of, (value.constant, *(weight for *_, weight in value.terms))) if size]
    exponents = [exponent for _, exponent in sizes]
    return sum(denominator for denominator, _ in sizes), max(exponents) + len(exponents).bit_length()


def _activate(activation: Activation, x: Value) -> Value:
    low, high = activation.low, activation.high
    match activation.kind:
        case Kind.CLAMP:
            if low is not None and not _exceeds(x, low):
                return low
            return high if high is not None and _exceeds(x, high) else x
        case Kind.JUMP:
            assert low is not None
            assert high is not None
            return high if x > 0 else low
        case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
            raise UnsupportedArithmeticError(f"{activation} of a lazily refined real is no such real")
        case _:
            assert_never(activation.kind)


def _exceeds(x: Value, bound: mpq) -> bool:
    """Return whether `x` is at least `bound`, or at most; where they are equal, either will do."""
    return x.exceeds(bound) if isinstance(x, LazyNumber) else x >= bound
