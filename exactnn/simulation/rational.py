"""The reference executor: the definition of a step, in rationals of unbounded size, and nothing else.

Sums are exact, so their order is free: they run over the registers, and a register that is zero is skipped.
"""

import time

from gmpy2 import mpq

from exactnn.networks import Activation, Input, Network, Unit
from exactnn.simulation.executor import LONGEST_SLICE, Output, Segment
from exactnn.simulation.packed import pack_numbers, unpack_rationals
from exactnn.simulation.smooth_units import refuse_smooth_units

__all__ = ["RationalExecutor"]

ONE, ZERO = mpq(1), mpq(0)
IDENTITY, SLU, HEAVISIDE = Activation.IDENTITY, Activation.SLU, Activation.HEAVISIDE


class _Layer:
    """A layer's units, with their linear terms sorted by the register they read."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self.columns: dict[int, list[tuple[int, mpq]]] = {}
        for index, unit in enumerate(units):
            for register, weight in unit.linear:
                self.columns.setdefault(register, []).append((index, weight))
        self.bilinear = [(index, *term) for index, unit in enumerate(units) for term in unit.bilinear]

    def evaluate(self, registers: list[mpq]) -> list[mpq]:
        """Return activation(bias + sum of weight * register + sum of weight * register * register')."""
        totals = [unit.bias for unit in self.units]
        for register, column in self.columns.items():
            if value := registers[register]:
                for index, weight in column:
                    totals[index] += weight * value
        for index, first, second, weight in self.bilinear:
            totals[index] += weight * registers[first] * registers[second]
        return [_activate(unit.activation, total) for unit, total in zip(self.units, totals, strict=True)]


def _activate(activation: Activation, x: mpq) -> mpq:
    if activation is IDENTITY:
        return x
    if x <= 0:
        return ZERO
    if activation is HEAVISIDE or (activation is SLU and x > 1):
        return ONE
    return x


class RationalExecutor:
    """A network in exact rational arithmetic."""

    engine = "rational reference"
    paces_itself = False

    def __init__(self, network: Network) -> None:
        refuse_smooth_units(network, "rational")
        self.network = network
        self._layers = [_Layer(units) for units in network.circuit.layers]
        self._readout = _Layer(network.readout)

    def start(self) -> tuple[mpq, ...]:
        """Return the initial state."""
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
        registers = [*state, *vector]
        for layer in self._layers:
            registers += layer.evaluate(registers)
        return tuple(registers[register] for register in circuit.next_state)

    def watches(self, state: tuple[mpq, ...]) -> bool:
        """Whether states are compared: always."""
        return True

    def alike(self, first: tuple[mpq, ...], second: tuple[mpq, ...]) -> bool:
        """Whether two states are the same."""
        return first == second

    def advance(
        self,
        state: tuple[mpq, ...],
        symbol: Input,
        count: int,
        *,
        until_decided: bool,
        anchor: tuple[mpq, ...] | None = None,
    ) -> Segment:
        """Apply the same input up to `count` times, until the first verdict or until the state is that of `anchor`."""
        outputs: list[tuple[Output, int]] = []
        outcome = None
        end = time.perf_counter() + LONGEST_SLICE
        while len(outputs) < count and outcome is None:
            state = self.step(state, symbol)
            output = self.output(state)
            outputs.append((output, 1))
            if until_decided and not isinstance(output, tuple):
                outcome = self.network.decision.outcome(output)
            if (anchor is not None and self.alike(state, anchor)) or time.perf_counter() > end:
                break
        return Segment(steps=len(outputs), outputs=outputs, state=state, outcome=outcome)

    def pack(self, state: tuple[mpq, ...]) -> object:
        """Return `state` as JSON data."""
        return pack_numbers(state)

    def unpack(self, data: object) -> tuple[mpq, ...]:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return unpack_rationals(data, self.network.circuit.state_size)
