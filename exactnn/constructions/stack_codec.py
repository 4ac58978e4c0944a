"""Between configurations of a stack machine and states of networks that hold each stack in one number."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence

from gmpy2 import mpq

from exactnn.automata import LOST, StackConfiguration, StackMachine
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import Codec, Configuration
from exactnn.constructions.digit_stacks import read_digits, write_digits
from exactnn.constructions.long_stacks import length_in
from exactnn.constructions.stacks import HALF, readable
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["StackCodec"]


class StackCodec(Codec):
    """Reads states; how a configuration is written says a subclass.

    Parameters
    ----------
    machine : StackMachine
    units : iterable
        The units of the network's state in order.
    states : mapping state -> Affine
        The indicator of each state that the network knows, and of its phases.
    stacks : sequence of Affine
        The number of each stack.
    digits, base
        How a stack is written (:func:`~exactnn.constructions.digit_stacks.write_digits`).
    """

    def __init__(
        self,
        machine: StackMachine,
        *,
        units: Iterable[Hashable],
        states: Mapping[Hashable, Affine],
        stacks: Sequence[Affine],
        digits: Sequence[int],
        base: int,
    ) -> None:
        self.machine = machine
        self.digits, self.base = digits, base
        self._units = tuple(units)
        self._states = states
        self._stacks = stacks
        self._number = {a: i for i, a in enumerate(machine.stack_symbols)}

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state)
        active = [q for q, form in self._states.items() if form.at(values) > HALF]
        stacks = []
        for form in self._stacks:
            found = read_digits(form.at(values), self.digits, self.base, cells)
            stacks.append(tuple(LOST if a is None else self.machine.stack_symbols[a] for a in found))
        return StackConfiguration(state=active[0] if len(active) == 1 else LOST, stacks=tuple(stacks))

    def extent(self, state: Values) -> tuple[int, int]:
        """Return how many symbols the longest stack may have, and 0."""
        values = readable(self._units, state)
        return max(length_in(form.at(values), self.base) for form in self._stacks), 0

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`."""
        machine = self.machine
        if not isinstance(configuration, StackConfiguration) or len(configuration.stacks) != machine.stacks:
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {machine.name}")
        unknown = [a for stack in configuration.stacks for a in stack if a not in self._number]
        if unknown or configuration.state not in machine.states or configuration.state not in self._states:
            what = f"stack symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {machine.name}, or never reached")
        stacks = [[self._number[a] for a in stack] for stack in configuration.stacks]
        values = self.values(configuration.state, stacks)
        return tuple(values.get(unit, mpq(0)) for unit in self._units)

    @abstractmethod
    def values(self, state: Hashable, stacks: Sequence[Sequence[int]]) -> Mapping[Hashable, mpq]:
        """Return the values of the units that are not 0, for a state and stacks of numbered symbols."""

    def written(self, stack: Sequence[int]) -> mpq:
        """Return a stack as a number."""
        return write_digits(stack, self.digits, self.base)
