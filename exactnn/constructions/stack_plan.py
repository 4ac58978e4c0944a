"""What every network of a stack machine shares: which operations there are, how the word is read, what is claimed.

The word is read in its order: a symbol is written behind those on the first stack, at the place that a unit "scale"
says, 1 before the first symbol and divided by the base with each. The first EOS ends the reading.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from gmpy2 import mpq

from exactnn.automata import (
    EMPTY,
    KEEP,
    POP,
    Operation,
    Reading,
    StackMachine,
    StackRule,
    State,
    push,
    reachable_states,
)
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Codec, Construction, Phase
from exactnn.constructions.tape_machine import reads_input
from exactnn.constructions.unit_keys import symbol
from exactnn.networks import EOS, Network

__all__ = ["LOAD", "SCALE", "StackPlan", "stack_construction"]

LOAD: Hashable = ("state", Phase.LOAD)
SCALE: Hashable = ("scale",)


@dataclass(frozen=True)
class StackPlan:
    """The rules of a stack machine that can apply, and the forms that networks of it have in common."""

    machine: StackMachine
    digits: Sequence[int]
    base: int

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
    def rules(self) -> list[tuple[State, Reading, StackRule]]:
        """The rules of the states that can be reached, in the order of states and readings."""
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

    def start(self, initial: Hashable) -> dict[Hashable, mpq]:
        """Return the start values that are not 0; `initial` is the unit that indicates the initial state."""
        return {LOAD: mpq(1), SCALE: mpq(1)} if self.loads else {initial: mpq(1)}

    def next_states(
        self, applies: Mapping[tuple[State, Reading], Affine], now: Callable[[State], Affine]
    ) -> dict[State, Affine]:
        """Return the indicator of each state after the move, from those of "in q, reading r" and of the state now."""
        groups: dict[State, list[Affine]] = {q: [now(q)] if q in self.halting else [] for q in self.states}
        groups[self.machine.initial_state].append(self.reading_ends)
        for q, reading, rule in self.rules:
            groups[rule.next_state].append(applies[q, reading])
        return {q: total(forms) for q, forms in groups.items()}

    def chosen(
        self, applies: Mapping[tuple[State, Reading], Affine], now: Callable[[State], Affine]
    ) -> dict[tuple[int, Operation], Affine]:
        """Return the form "this operation is done on stack i": without a move every stack is kept."""
        idle = total([*map(now, self.halting), self.reading])
        groups: dict[tuple[int, Operation], list[Affine]] = {
            (i, operation): [idle] if operation == KEEP else []
            for i in range(self.machine.stacks)
            for operation in self.operations
        }
        for q, reading, rule in self.rules:
            for i, operation in enumerate(rule.operations):
                groups[i, operation].append(applies[q, reading])
        return {key: total(forms) for key, forms in groups.items()}


def stack_construction(name: str, plan: StackPlan, network: Network, *, codec: Codec, citation: str) -> Construction:
    """Return the construction of a network that makes one step per move, after reading the word."""
    return Construction(
        name=name,
        machine=plan.machine,
        network=network,
        codec=codec,
        steps_per_move=1,
        set_up=(1, 1) if plan.loads else (0, 0),
        claim="f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        "accepts (or merely halts) or rejects; it is 0 for ever if it does not halt.",
        citation=citation,
        weight_field="Q",
    )
