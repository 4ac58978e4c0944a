"""What networks of stack machines share: which operations there are, how the word is read, how stacks are read back.

The word is read in its order: a symbol is written behind those on the first stack, at the place that a unit "scale"
says, 1 before the first symbol and divided by the base with each. The first EOS ends the reading.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from gmpy2 import mpq

from exactnn.automata import (
    EMPTY,
    KEEP,
    LOST,
    POP,
    Operation,
    StackConfiguration,
    StackMachine,
    StackRule,
    State,
    push,
    reachable_states,
)
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Codec, Configuration, Phase
from exactnn.constructions.halting import reads_input
from exactnn.constructions.stack_numbers import HALF, as_state, length_in, read_digits, readable, write_digits
from exactnn.errors import ConstructionError, shown
from exactnn.networks import EOS
from exactnn.simulation import Values

__all__ = ["LOAD", "StackCodec", "StackPlan"]

LOAD: Hashable = ("state", Phase.LOAD)
SCALE: Hashable = ("scale",)


@dataclass(frozen=True)
class StackPlan(ABC):
    """The rules of a stack machine that can apply, and the forms that networks of it have in common.

    A subclass lays out the state: its units, the indicator of each state of the machine, the number of each stack.
    """

    machine: StackMachine
    digits: Sequence[int]
    base: int

    @abstractmethod
    def state_units(self) -> dict[Hashable, Affine]:
        """Return the units of the state, each with its pre-activation."""

    @abstractmethod
    def indicator(self, q: State) -> Affine:
        """Return the form that is 1 in state q, else 0."""

    @abstractmethod
    def stack(self, i: int) -> Affine:
        """Return the number of a stack as a form."""

    @abstractmethod
    def values(self, q: State, stacks: Sequence[Sequence[int]]) -> Mapping[Hashable, mpq]:
        """Return the values of the units that are not 0, for a state and stacks of numbered symbols."""

    @cached_property
    def loads(self) -> bool:
        """Whether there is a word to read, or a verdict without a move to be told."""
        return reads_input(self.machine)

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states that the initial one leads to."""
        return reachable_states(self.machine)

    @cached_property
    def halting(self) -> tuple[State, ...]:
        """Those of them that halt."""
        return tuple(q for q in self.states if q in self.machine.halting_states)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Keep, pop and the pushes: m + 2 for m symbols."""
        return (KEEP, POP, *map(push, self.machine.stack_symbols))

    @cached_property
    def rules(self) -> Sequence[tuple[State, Any, StackRule]]:
        """The rules of the states that can be reached, in the order of states, each with the reading it is for."""
        readings = list(product((*self.machine.stack_symbols, EMPTY), repeat=self.machine.stacks))
        working = [q for q in self.states if q not in self.halting]
        return [(q, reading, self.machine.transitions[q][reading]) for q in working for reading in readings]

    def result(self, operation: Operation, stack: Affine, tops: Sequence[Affine]) -> Affine:
        """Return a stack's number after an operation, in [0, 1] at most; `tops` say "the top is at least a".

        After a pop of an empty stack it is below 0, where an SLU makes it 0.
        """
        if operation == KEEP:
            return stack
        if operation == POP:
            steps = zip(self.digits[1:], self.digits, strict=False)
            rise = total((digit - below) * top for (digit, below), top in zip(steps, tops[1:], strict=True))
            return self.base * stack - rise - self.digits[0]
        return (stack + self.digits[self.machine.stack_symbols.index(operation[1])]) / self.base

    @property
    def reading_ends(self) -> Affine:
        """The form "the word is being read, and the input is EOS"; 0 where nothing is read."""
        return var(LOAD) - total(map(symbol, self.machine.input_symbols)) if self.loads else Affine({})

    @property
    def reading(self) -> Affine:
        """The form "the word is being read"."""
        return var(LOAD) if self.loads else Affine({})

    def reading_units(self) -> dict[Hashable, Affine]:
        """Return the two units of the state that reading takes."""
        if not self.loads:
            return {}
        return {LOAD: var(LOAD) - symbol(EOS), SCALE: var(SCALE) / self.base - symbol(EOS)}

    def appending_units(self) -> dict[Hashable, Affine]:
        """Return, for each symbol of the alphabet, what reading it adds to the first stack."""
        if not self.loads:
            return {}
        number = {a: i for i, a in enumerate(self.machine.stack_symbols)}
        return {
            ("append", a): var(SCALE) * mpq(self.digits[number[a]], self.base) + symbol(a) - 1
            for a in self.machine.input_symbols
        }

    def start(self) -> dict[Hashable, mpq]:
        """Return the start values that are not 0: before the word, or in the initial state."""
        return {LOAD: mpq(1), SCALE: mpq(1)} if self.loads else dict(self.indicator(self.machine.initial_state).terms)

    def number(self, stack: Sequence[int]) -> mpq:
        """Return a stack of numbered symbols as a number."""
        return write_digits(stack, self.digits, self.base)

    def next_states(self, applies: Mapping[tuple[State, Any], Affine]) -> dict[State, Affine]:
        """Return the indicator of each state after the move, from those of "in q, reading r"."""
        groups: dict[State, list[Affine]] = {q: [self.indicator(q)] if q in self.halting else [] for q in self.states}
        groups[self.machine.initial_state].append(self.reading_ends)
        for q, reading, rule in self.rules:
            groups[rule.next_state].append(applies[q, reading])
        return {q: total(forms) for q, forms in groups.items()}

    def chosen(self, applies: Mapping[tuple[State, Any], Affine]) -> dict[tuple[int, Operation], Affine]:
        """Return the form "this operation is done on stack i": without a move every stack is kept."""
        idle = total([*map(self.indicator, self.halting), self.reading])
        groups: dict[tuple[int, Operation], list[Affine]] = {
            (i, operation): [idle] if operation == KEEP else []
            for i in range(self.machine.stacks)
            for operation in self.operations
        }
        for q, reading, rule in self.rules:
            for i, operation in enumerate(rule.operations):
                groups[i, operation].append(applies[q, reading])
        return {key: total(forms) for key, forms in groups.items()}


class StackCodec(Codec):
    """Reads and writes the states of a network by its plan."""

    def __init__(self, plan: StackPlan) -> None:
        self._plan = plan
        self._units = tuple(plan.state_units())
        self._number = {a: i for i, a in enumerate(plan.machine.stack_symbols)}
        self._states: dict[Hashable, Affine] = {q: plan.indicator(q) for q in plan.states}
        if plan.loads:
            self._states[Phase.LOAD] = var(LOAD)

    def _stacks(self) -> list[Affine]:
        return [self._plan.stack(i) for i in range(self._plan.machine.stacks)]

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        plan = self._plan
        values = readable(self._units, state)
        active = [q for q, form in self._states.items() if form.at(values) > HALF]
        stacks = []
        for form in self._stacks():
            found = read_digits(form.at(values), plan.digits, plan.base, cells)
            stacks.append(tuple(LOST if a is None else plan.machine.stack_symbols[a] for a in found))
        return StackConfiguration(state=active[0] if len(active) == 1 else LOST, stacks=tuple(stacks))

    def extent(self, state: Values) -> tuple[int, int]:
        """Return how many symbols the longest stack may have, and 0."""
        values = readable(self._units, state)
        return max(length_in(form.at(values), self._plan.base) for form in self._stacks()), 0

    def encode(self, configuration: Configuration) -> Values:
        """Return a state that stands for `configuration`."""
        machine = self._plan.machine
        if not isinstance(configuration, StackConfiguration) or len(configuration.stacks) != machine.stacks:
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {machine.name}")
        unknown = [a for stack in configuration.stacks for a in stack if a not in self._number]
        if unknown or configuration.state not in self._plan.states:
            what = f"stack symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
            raise ConstructionError(f"{what} is unknown to the network of {machine.name}, or never reached")
        stacks = [[self._number[a] for a in stack] for stack in configuration.stacks]
        return as_state(self._units, self._plan.values(configuration.state, stacks))
