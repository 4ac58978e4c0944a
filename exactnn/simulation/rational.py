"""The reference executor: the definition of a step, in rationals of unbounded size, and nothing else.

Sums are exact, so their order is free: they run over the registers, and a register that is zero is skipped.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import assert_never

from gmpy2 import mpq

from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.simulation.executor import Output
from exactnn.simulation.foresight import Foresight
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.smooth_units import refuse_smooth_units
from exactnn.simulation.stepping import OneByOne
from exactnn.size_limit import SizeLimit

__all__ = ["RationalExecutor"]

ONE, ZERO = mpq(1), mpq(0)


class _Layer:
    """A layer's units, with their linear terms sorted by the register they read."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.biases = [unit.bias for unit in units]
        self.activations = [_function(unit.activation) for unit in units]
        self.columns: dict[int, list[tuple[int, mpq]]] = {}
        for index, unit in enumerate(units):
            for register, weight in unit.linear:
                self.columns.setdefault(register, []).append((index, weight))
        self.bilinear = [(index, *term) for index, unit in enumerate(units) for term in unit.bilinear]

    def evaluate(self, registers: list[mpq]) -> list[mpq]:
        """Return activation(bias + sum of weight * register + sum of weight * register * register')."""
        totals = self.biases.copy()
        for register, column in self.columns.items():
            if value := registers[register]:
                for index, weight in column:
                    totals[index] += weight * value
        for index, first, second, weight in self.bilinear:
            totals[index] += weight * registers[first] * registers[second]
        return [activation(total) for activation, total in zip(self.activations, totals, strict=True)]


@lru_cache
def _function(activation: Activation) -> Callable[[mpq], mpq]:
    """Return an activation as a function."""
    low, high = activation.low, activation.high

    def clamp(x: mpq) -> mpq:
        if low is not None and x < low:
            return low
        return high if high is not None and x > high else x

    def jump(x: mpq) -> mpq:
        assert low is not None
        assert high is not None
        return high if x > 0 else low

    match activation.kind:
        case Kind.CLAMP:
            return clamp
        case Kind.JUMP:
            return jump
        case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
            raise UnsupportedArithmeticError(f"{activation} of a rational is no rational number")
        case _:
            assert_never(activation.kind)


class RationalExecutor(OneByOne[tuple[mpq, ...]]):
    """A network in exact rational arithmetic; a step whose numbers `limit` has no room for raises SizeLimitError."""

    engine = "rational reference"

    def __init__(self, network: Network, limit: SizeLimit | None = None) -> None:
        refuse_smooth_units(network, "rational")
        self.network = network
        layers = (*network.circuit.layers, network.readout)
        *self._layers, self._readout = network.laid_out.of(_Layer, None, lambda: [_Layer(units) for units in layers])
        self._foresight = Foresight(network, limit or SizeLimit())

    def start(self) -> tuple[mpq, ...]:
        """Return the initial state."""
        self._foresight.look_at_output(self.network.initial_state)
        return self.network.initial_state

    def values(self, state: tuple[mpq, ...]) -> tuple[mpq, ...]:
        """Return the numbers of `state`."""
        return state

    def output(self, state: tuple[mpq, ...]) -> Output:
        """Return the readout of `state`."""
        outputs = self._readout.evaluate(list(state))
        return outputs[0] if self.network.scalar_output else tuple(outputs)

    def step(self, state: tuple[mpq, ...], symbol: Input) -> tuple[mpq, ...]:
        """Return the state after one step."""
        circuit = self.network.circuit
        vector = (
            symbol if isinstance(symbol, tuple) else [ONE if i == symbol else ZERO for i in range(circuit.input_size)]
        )
        self._foresight.look(state, symbol)
        registers = [*state, *vector]
        for layer in self._layers:
            registers += layer.evaluate(registers)
        after = self._foresight.ahead = tuple(registers[register] for register in circuit.next_state)
        return after

    def watches(self, state: tuple[mpq, ...], eos_steps: int) -> bool:
        """Whether states are compared: always."""
        return True

    def step_on(self, symbol: Input) -> Callable[[tuple[mpq, ...]], tuple[tuple[mpq, ...], Output]]:
        """Return what a step on this input does to a state, which also gives the output."""

        def step(before: tuple[mpq, ...]) -> tuple[tuple[mpq, ...], Output]:
            after = self.step(before, symbol)
            return after, self.output(after)

        return step

    def pack(self, state: tuple[mpq, ...]) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(state)

    def unpack(self, data: object) -> tuple[mpq, ...]:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return unpack_rationals(data, self.network.circuit.state_size)
