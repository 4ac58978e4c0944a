"""Steps of a network whose long numbers end in tails that nobody may look at, in plain Python.

A register is a constant plus a multiple of each of a few tails, which lie between 0 and 1. A step goes on as long as
that says which side of its bounds each unit is on; else it wants to know more of a tail. What it does is right for all
tails, and needs no compiled code. Only units that read what has changed are looked at again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.networks import Input, Network, Unit
from exactnn.networks.circuit import columns_of
from exactnn.simulation.executor import Basic, Output, basic
from exactnn.simulation.positional.rows import LIVE, OUTCOMES, Inputs, Status, status_between

__all__ = ["Opaque", "OpaqueSteps", "OpaqueStretch"]

ZERO, ONE = mpq(0), mpq(1)
PRODUCT = "two long numbers are multiplied"


class Opaque(NamedTuple):
    """The number constant + sum of tails[label] * (the tail with that label); no factor is 0."""

    constant: mpq
    tails: dict[int, mpq]

    def bounds(self) -> tuple[mpq, mpq]:
        """Return the ends of the open interval that it lies in; the number itself twice if it has no tails."""
        low = high = self.constant
        for factor in self.tails.values():
            if factor > 0:
                high += factor
            else:
                low += factor
        return low, high

    def status(self) -> Status | None:
        """Return its status, None if that depends on its tails."""
        if not self.tails:
            return Status.of(self.constant)
        return status_between(*self.bounds())

    def largest(self) -> int:
        """Return the label of the tail that leaves the most open."""
        return max(self.tails, key=lambda label: abs(self.tails[label]))


NONE: dict[int, mpq] = {}  # nobody writes on it
NOTHING, UNIT = Opaque(ZERO, NONE), Opaque(ONE, NONE)
_CONSTANTS = {Status.ZERO: NOTHING, Status.ONE: UNIT}


class _Wanted(Exception):  # noqa: N818 - it is no error
    """A step needs to know more of a tail, or cannot go on at all."""

    def __init__(self, label: int, left: str | None = None) -> None:
        self.label, self.left = label, left


@dataclass(frozen=True, slots=True)
class OpaqueStretch:
    """Some steps: how many, their outputs as (output, repetitions), the numbers after them, why they ended.

    `decided`: the last output is a verdict. `touched`: the label of the tail of which more must be known, or None.
    `left`: why no step can be taken whatever is known, or None.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    values: list[Opaque]
    decided: bool = False
    touched: int | None = None
    left: str | None = None


class OpaqueSteps:
    """Takes steps of one network on one input.

    Registers hold numbers, `_sums` the pre-activations that these give. They are kept from one call to the next.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[["1/2"]], b=[0], s=[0], readout_weight=[0])
    >>> OpaqueSteps(halves, (mpq(1),)).run([Opaque(ZERO, {0: ONE})], 1).values
    [Opaque(constant=mpq(1,2), tails={0: mpq(1,2)})]
    """

    def __init__(self, network: Network, given: Input) -> None:
        circuit = network.circuit
        self._network, self._size, self._next = network, circuit.state_size, circuit.next_state
        first = circuit.state_size + circuit.input_size
        layers = (*circuit.layers, network.readout)
        self._units: list[Unit] = [unit for layer in layers for unit in layer]
        self._activations = [basic(unit.activation) for unit in self._units]
        self._columns = columns_of(self._units)
        self._products: dict[int, list[tuple[int, int, mpq]]] = {}
        """Of each unit that has some; such a unit is summed anew."""
        self._changed: list[set[int]] = []
        """In each layer, the last of which is the readout, the units that read what has changed."""
        self._readers: dict[int, list[tuple[set[int], set[int]]]] = {}
        """For each register, where it is noted that it has changed, and the units of that layer that read it."""
        start = 0
        for layer in layers:
            readers: dict[int, set[int]] = {}
            for index, unit in enumerate(layer, start):
                for register, weight in unit.linear:
                    if weight:
                        readers.setdefault(register, set()).add(index)
                if products := [term for term in unit.bilinear if term[2]]:
                    self._products[index] = products
                    for register in {register for one, other, _ in products for register in (one, other)}:
                        readers.setdefault(register, set()).add(index)
            changed = set(range(start, start + len(layer)))
            self._changed.append(changed)
            for register, indices in readers.items():
                self._readers.setdefault(register, []).append((changed, indices))
            start += len(layer)
        self._output: Output = ()
        self._readout = len(self._units) - len(network.readout)
        self._first = first
        self._registers = [NOTHING] * (first + len(self._units))
        self._sums = [unit.bias for unit in self._units]
        self._tails: list[dict[int, mpq]] = [{} for _ in self._units]
        for register, value in enumerate(Inputs(given, circuit.state_size, circuit.input_size).vector, self._size):
            self._put(register, Opaque(value, {}))

    def run(self, values: Sequence[Opaque], count: int) -> OpaqueStretch:
        """Take up to `count` steps, to the first verdict, from a state with these numbers."""
        for register, value in enumerate(values):
            self._put(register, value)
        outputs: list[tuple[Output, int]] = []
        for done in range(count):
            try:
                output = self._step()
            except _Wanted as wanted:
                touched = wanted.label if wanted.left is None else None
                return OpaqueStretch(done, outputs, self._registers[: self._size], touched=touched, left=wanted.left)
            if outputs and outputs[-1][0] is output:
                outputs[-1] = output, outputs[-1][1] + 1
                continue
            outputs.append((output, 1))
            if not isinstance(output, tuple) and self._network.decision.outcome(output) is not None:
                return OpaqueStretch(done + 1, outputs, self._registers[: self._size], decided=True)
        return OpaqueStretch(count, outputs, self._registers[: self._size])

    def weights_in_use(self) -> set[mpq]:
        """Return the weights of registers that hold neither 0 nor 1, but those of the readout, which may be any."""
        found: set[mpq] = set()
        for register, column in self._columns.items():
            value = self._registers[register]
            if value.tails or value.constant not in (0, 1):
                found.update(weight for index, weight in column if index < self._readout)
        return found

    def _put(self, register: int, value: Opaque) -> None:
        """Put a number into a register, and what it changes into the sums."""
        old = self._registers[register]
        if old is value:
            return
        gone, come = old.tails, value.tails
        more = value.constant - old.constant
        if not more and gone == come:
            return
        self._registers[register] = value
        columns = self._columns.get(register, ())
        if more:
            sums = self._sums
            for index, weight in columns:
                sums[index] += weight * more
        if gone or come:
            changes = come
            if gone:
                changes = dict(come)
                for label, factor in gone.items():
                    changes[label] = changes.get(label, ZERO) - factor
            for index, weight in columns:
                tails = self._tails[index]
                for label, factor in changes.items():
                    total = tails.get(label, ZERO) + weight * factor
                    if total:
                        tails[label] = total
                    elif label in tails:
                        del tails[label]
        for changed, indices in self._readers.get(register, ()):
            changed |= indices

    def _step(self) -> Output:
        """Take a step and return its output; if that cannot be done the state is what it was."""
        registers = self._registers
        for changed in self._changed[:-1]:
            self._renew(changed)
        moves = [
            (component, registers[register])
            for component, register in enumerate(self._next)
            if registers[component] is not registers[register]
        ]
        for _, value in moves:
            if value.tails and value.status() is None:
                raise _Wanted(value.largest())
        before = [(component, registers[component]) for component, _ in moves]
        for component, value in moves:
            self._put(component, value)
        if self._changed[-1]:
            try:
                self._output = self._read_out()
            except _Wanted:
                for component, value in before:
                    self._put(component, value)
                raise
        return self._output

    def _renew(self, changed: set[int]) -> None:
        """Compute the units of a layer that read what has changed, in order; those that are left stay in the set."""
        for index in sorted(changed):
            value = self._value(index)
            changed.remove(index)
            self._put(self._first + index, value)

    def _read_out(self) -> Output:
        """Return the output, which is the one before if its numbers are."""
        self._renew(self._changed[-1])
        values = self._registers[self._first + self._readout :]
        for value in values:
            if value.tails:
                raise _Wanted(value.largest(), "an output that is a long number")
        found = [value.constant for value in values]
        output: Output = found[0] if self._network.scalar_output else tuple(found)
        return self._output if output == self._output else output

    def _value(self, index: int) -> Opaque:
        """Return what a unit comes to."""
        activation, tails = self._activations[index], self._tails[index]
        if index in self._products:
            total = self._with_products(Opaque(self._sums[index], tails), self._products[index])
            if not total.tails:
                return self._of_number(activation, total.constant)
        elif not tails:
            return self._of_number(activation, self._sums[index])
        else:
            total = Opaque(self._sums[index], tails.copy())
        low, high = total.bounds()
        status = status_between(low, high)
        if status is not None:
            outcome = OUTCOMES[activation][status]
            return total if outcome >= LIVE else _CONSTANTS[outcome]
        if activation is Basic.IDENTITY or (activation is Basic.RELU and low >= 0):
            return total
        if activation is Basic.HEAVISIDE and low >= 0:
            return UNIT
        raise _Wanted(total.largest())

    @staticmethod
    def _of_number(activation: Basic, x: mpq) -> Opaque:
        outcome = OUTCOMES[activation][Status.of(x)]
        return Opaque(x, NONE) if outcome >= LIVE else _CONSTANTS[outcome]

    def _with_products(self, total: Opaque, products: Sequence[tuple[int, int, mpq]]) -> Opaque:
        constant, tails = total.constant, dict(total.tails)
        for one, other, weight in products:
            first, second = self._registers[one], self._registers[other]
            if first.tails and second.tails:
                raise _Wanted(first.largest(), PRODUCT)
            if first.tails:
                first, second = second, first
            factor = weight * first.constant
            constant += factor * second.constant
            for label, given in second.tails.items():
                tails[label] = tails.get(label, ZERO) + factor * given
        return Opaque(constant, {label: factor for label, factor in tails.items() if factor})
