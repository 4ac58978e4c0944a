"""The first steps of a network in a format, by the definition of the format, while the loop is not compiled.

To compile the loop takes seconds, and most runs are short. So where the loop is neither compiled nor on the disk, steps
are taken by Python until that has taken a second or two, with the same arrays in, and the same out, bit for bit.
"""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from numpy.typing import NDArray

from exactnn.arithmetic import Number
from exactnn.networks import Activation, Circuit, Decision, Unit
from exactnn.simulation.cycle import same_numbers
from exactnn.simulation.emulated import Definition
from exactnn.simulation.layout import Stop
from exactnn.simulation.stepping import slice_end

__all__ = ["FirstSteps"]

Array = NDArray[Any]

GUESSED = {"in rationals": 2e-5, "by MPFR": 3e-6, "by the processor": 1e-6}
"""Seconds for a weight, by the way in which operations are done."""


class Prepared(NamedTuple):
    """A unit with its parameters as the operations take them."""

    bias: Any
    linear: list[tuple[Any, int]]
    bilinear: list[tuple[Any, int, int]]
    activation: Activation
    alone: Any
    """Its value where no terms are added, if zeros may be left out; rounding is not random then."""


class PreparedLayer(NamedTuple):
    """Units, the places among them of those that read a register, and of those that have products."""

    units: list[Prepared]
    readers: dict[int, list[int]]
    always: list[int]


class FirstSteps:
    """Steps of a network by the definition of its format, on the arrays of the compiled loop.

    Where a term of a register that is 0 changes no sum it is left out, as in the loop, and a unit without terms has
    always the same value: most units of a compiled network are so.

    Parameters
    ----------
    circuit : Circuit
    readout : sequence of Unit
    decision : Decision
    definition : Definition
        What a unit computes in the format.
    number : callable
        The number that an entry of an array stands for.
    entry : callable
        The entry for a number.
    skips_zeros : bool
        Whether linear terms of registers that are 0 change no sum.
    """

    def __init__(
        self,
        circuit: Circuit,
        readout: Sequence[Unit],
        decision: Decision,
        definition: Definition,
        number: Callable[[Any], Number],
        entry: Callable[[Any], Any],
        skips_zeros: bool,
    ) -> None:
        self._circuit, self._units_of_readout, self._threshold = circuit, readout, decision.threshold
        self._definition, self._number, self._entry = definition, number, entry
        self._skips_zeros = skips_zeros
        self._first = circuit.state_size + circuit.input_size

    @cached_property
    def seconds_of_a_step(self) -> float:
        """About what a step takes, or more; to prepare the units takes about as long."""
        return (self._circuit.weights + self._circuit.units + 1) * GUESSED[self._definition.way]

    @cached_property
    def _layers(self) -> list[PreparedLayer]:
        return [self._prepared(layer) for layer in self._circuit.layers]

    @cached_property
    def _readout(self) -> PreparedLayer:
        return self._prepared(self._units_of_readout)

    def _prepared(self, units: Sequence[Unit]) -> PreparedLayer:
        parameter, found, readers = self._definition.parameter, list[Prepared](), dict[int, list[int]]()
        for place, unit in enumerate(units):
            bias, activation = parameter(unit.bias), unit.activation
            alone = self._definition.value(bias, [], activation, 0)[0] if self._skips_zeros else None
            linear = [(parameter(weight), register) for register, weight in unit.linear]
            bilinear = [(parameter(weight), first, second) for first, second, weight in unit.bilinear]
            found.append(Prepared(bias, linear, bilinear, activation, alone))
            for _, register in linear:
                readers.setdefault(register, []).append(place)
        always = [place for place, unit in enumerate(found) if unit.bilinear or not self._skips_zeros]
        return PreparedLayer(found, readers, always)

    def _numbers(self, entries: Array) -> list[Any]:
        """Return entries as the operations take them."""
        operand, number = self._definition.results.number, self._number
        return [operand(number(entry)) for entry in entries.tolist()]

    def _evaluate(self, layer: PreparedLayer, registers: list[Any], values: list[Any], count: int) -> int:
        """Append the values of units, and return the number of the next operation."""
        value, skips = self._definition.value, self._skips_zeros
        looked_at = set(layer.always)
        if skips:  # the others read nothing but zeros
            looked_at.update(*[layer.readers[register] for register in layer.readers if registers[register]])
        computed = [unit.alone for unit in layer.units]
        for place in sorted(looked_at):
            bias, linear, bilinear, activation, _ = layer.units[place]
            if skips:
                products: list[tuple[Any, ...]] = [(w, x) for w, register in linear if (x := registers[register])]
            else:
                products = [(w, registers[register]) for w, register in linear]
            if bilinear:
                products += [(w, registers[first], registers[second]) for w, first, second in bilinear]
            computed[place], count = value(bias, products, activation, count)
        values += computed
        return count

    def take(
        self, state: Array, inputs: Array, symbols: Array, outputs: Array, stop: Stop, count: int, seconds: float
    ) -> tuple[int, int]:
        """Take a step for each row of `outputs`, or fewer: until it is to stop, or the seconds or the slice are over.

        `state` becomes the last one. All else is as in :func:`exactnn.simulation.loops.advance`: return the steps taken
        and the number of the next operation.
        """
        end = min(time.perf_counter() + seconds, slice_end())
        plain, threshold = self._definition.results.plain, self._threshold
        numbers, vectors = self._numbers(state), dict[int, list[Any]]()
        anchors = [self._numbers(anchor) for anchor in stop.anchors]
        steps = 0
        for step in range(len(outputs)):
            symbol = symbols[min(step, len(symbols) - 1)]
            if symbol not in vectors:
                vectors[symbol] = self._numbers(inputs[symbol])
            registers = [*numbers, *vectors[symbol]]
            for layer in self._layers:
                count = self._evaluate(layer, registers, registers, count)
            numbers = [registers[register] for register in self._circuit.next_state]
            values: list[Any] = []
            count = self._evaluate(self._readout, numbers, values, count)
            outputs[step] = [self._entry(value) for value in values]
            steps += 1
            first = plain(values[0]) if values and step >= stop.undecided else 0
            recurs = any(same_numbers(numbers, anchor) for anchor in anchors)
            if first > threshold or -first > threshold or recurs or time.perf_counter() > end:
                break
        state[:] = [self._entry(number) for number in numbers]
        return steps, count

    def compute(self, registers: Array, readout: bool, count: int, seconds: float) -> bool | None:
        """Compute the readout, or all layers before it, from the state and the inputs in each column of registers.

        Return None if that is not done after the seconds.
        """
        end = time.perf_counter() + seconds
        for column in registers.T if registers.ndim == 2 else [registers]:
            if time.perf_counter() > end:
                return None
            numbers = self._numbers(column[: self._first])
            if readout:
                values = list[Any]()
                self._evaluate(self._readout, numbers, values, count)
                column[len(column) - len(values) :] = [self._entry(value) for value in values]
            else:
                for layer in self._layers:
                    count = self._evaluate(layer, numbers, numbers, count)
                column[: len(numbers)] = [self._entry(number) for number in numbers]
        return True
