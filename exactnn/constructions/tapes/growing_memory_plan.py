"""The equations of a network whose tape lies in neurons of bounded precision: three layers and the next state.

The tape is two stacks beside the scanned cell. The upper cells of a stack are digits of one number, its top, 1 to p of
them: `height` of them count. The others lie in memory, p in each neuron, the upper ones first. A move pushes a cell on
one stack and pops one from the other:

    pushed    (top + digit) / B; a top of p cells goes into memory as it is, and the next begins with this cell alone
    popped    B top - digit; after the last cell of a top the first neuron of the memory is the next top

Control is one unit for each pair of state and scanned symbol. All numbers are multiples of B^-p, so that a comparator
that is scaled by B^p decides without gaps between digits.
"""

from collections.abc import Hashable
from functools import cached_property
from typing import NamedTuple

from gmpy2 import mpq

from exactnn.automata import State, TuringMachine, reachable_states
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import Phase
from exactnn.constructions.halting import reachable_halting_states, reads_input
from exactnn.networks import EOS

__all__ = ["FULL", "LOADING", "STACKS", "GrowingMemoryPlan", "height", "memory", "pair", "top"]

STACKS = ("left", "right")
FULL = ("full",)
"""1 from the moment that a cell that is not blank was lost, since there was no neuron for it."""
LOADING = ("loading",)
"""1 while the word is read."""
FIRST = ("first EOS",)
NOTHING = Affine({})


def top(stack: str) -> Hashable:
    """Return the key of the number that the upper cells of a stack are."""
    return (stack, "top")


def height(stack: str) -> Hashable:
    """Return the key of the unit that says how many cells the top has, over a power of two."""
    return (stack, "height")


def memory(stack: str, i: int) -> tuple[Hashable, ...]:
    """Return the key of a neuron of the memory, from 0 on."""
    return (stack, "memory", i)


def pair(q: State, a: int) -> Hashable:
    """Return the key of the unit "in q scanning symbol number a"."""
    return ("pair", q, a)


class Firing(NamedTuple):
    """A rule, and the form that is 1 when it is applied; `bounced` is the next state if a left move finds no cell."""

    when: Affine
    target: State
    written: int
    move: str
    bounced: State


class Entry(NamedTuple):
    """The key of the unit "this move leads to this state, scanning this symbol"."""

    what: str
    state: State
    move: str
    symbol: int


class GrowingMemoryPlan:
    """Units and equations of the network of a machine, for top and memory neurons of `precision` cells."""

    def __init__(self, machine: TuringMachine, precision: int, modules: int) -> None:
        self.machine = machine
        self.precision = precision
        self.modules = modules
        self.loads = reads_input(machine)
        self.bounded = machine.tape == "semi_infinite"
        rest = [a for a in machine.tape_symbols if a != machine.blank_symbol]
        self.symbols = (machine.blank_symbol, *rest)
        self.bottom = len(self.symbols)
        self.base = max(2, 1 << (self.bottom - (not self.bounded)).bit_length())
        self.unit = mpq(1, 1 << precision.bit_length())
        states = reachable_states(machine)
        self.halting = reachable_halting_states(machine)
        self.states: tuple[State, ...] = (*states, Phase.REWIND) if self.loads else states

    @cached_property
    def firings(self) -> list[Firing]:
        """All rules: those of the machine, and of reading a word and going back over it."""
        number = {a: i for i, a in enumerate(self.symbols)}
        found = [
            Firing(var(pair(q, i)), rule.next_state, number[rule.written], rule.move, rule.next_state)
            for q in self.states
            for i, a in enumerate(self.symbols)
            if q in self.machine.transitions
            for rule in [self.machine.transitions[q][a]]
        ]
        if self.loads:
            begin = self.machine.initial_state
            found.append(Firing(var(FIRST), Phase.REWIND, 0, "L", begin))
            rewinds = [number[a] for a in self.machine.input_symbols]
            found += [Firing(var(pair(Phase.REWIND, a)), Phase.REWIND, a, "L", begin) for a in rewinds]
            if not self.bounded:
                found.append(Firing(var(pair(Phase.REWIND, 0)), begin, 0, "R", begin))
        return found

    def _letters(self) -> list[tuple[Affine, int]]:
        """Return the units that are 1 if a letter is read, with the letter's digit: it is pushed on the left stack."""
        letters = self.machine.input_symbols if self.loads else ()
        return [(var(("letter", a)), self.symbols.index(a)) for a in letters]

    def _moves(self, direction: str) -> Affine:
        letters = [form for form, _ in self._letters()] if direction == "R" else []
        return total([*(f.when for f in self.firings if f.move == direction), *letters])

    def _pushes(self, stack: str) -> Affine:
        """Return the form that is 1 if a cell is pushed on a stack, or would be if there were one to go to."""
        return self._moves("R" if stack == "left" else "L")

    def _pops(self, stack: str) -> Affine:
        return self._moves("L" if stack == "left" else "R")

    def _written(self, stack: str) -> Affine:
        """Return the digit that is pushed on a stack, 0 if none is."""
        direction = "R" if stack == "left" else "L"
        letters = [digit * form for form, digit in self._letters()] if direction == "R" else []
        return total([*(f.written * f.when for f in self.firings if f.move == direction), *letters])

    @property
    def _at_end(self) -> Affine:
        """The form "there is no cell to the left"."""
        return var(_at_least("left", self.bottom)) if self.bounded else NOTHING

    def _digits(self, stack: str) -> range:
        return range(1, self.bottom + (self.bounded and stack == "left"))

    def layers(self) -> list[dict[Hashable, Affine]]:
        """Return the layers before the next state."""
        return [self._seen(), self._chosen(), self._moved_memory()]

    def _seen(self) -> dict[Hashable, Affine]:
        """Return the first layer: what is on top, how high the tops are, and what is read."""
        scale, p = mpq(self.base) ** self.precision, self.precision
        units: dict[Hashable, Affine] = {}
        for stack in STACKS:
            cells = var(height(stack)) / self.unit
            units |= {
                _at_least(stack, k): scale * var(top(stack)) - (k * scale / self.base - 1) for k in self._digits(stack)
            }
            units |= {(stack, "one cell"): 2 - cells, (stack, f"{p} cells"): cells - (p - 1)}
        if self.loads:
            reads = [(("letter", a), symbol(a)) for a in self.machine.input_symbols]
            units |= {key: var(LOADING) + read - 1 for key, read in [*reads, (FIRST, symbol(EOS))]}
        return units

    def _chosen(self) -> dict[Hashable, Affine]:
        """Return the second layer: each stack as it may be after the move, and the pairs as they may be entered."""
        units: dict[Hashable, Affine] = {}
        for stack in STACKS:
            units |= self._tops_of(stack)
        if self.bounded:
            units["bounced",] = self._moves("L") + self._at_end - 1
        return units | dict(self._entries())

    def _tops_of(self, stack: str) -> dict[Hashable, Affine]:
        number, base = var(top(stack)), self.base
        one, many = var((stack, "one cell")), var((stack, f"{self.precision} cells"))
        push, pop = self._pushes(stack), self._pops(stack)
        if stack == "left":  # only moves to the left may find no cell
            pop = pop - self._at_end
        else:
            push = push - self._at_end
        written = self._written(stack) / base
        digit = total(var(_at_least(stack, k)) for k in self._digits(stack))
        first = var(memory(stack, 0)) if self.modules else NOTHING
        units: dict[Hashable, Affine] = {
            (stack, "stays"): number - self._moves("L") - self._moves("R"),
            (stack, "pushed"): number / base + written + push - 1 - many,
            (stack, "begun"): written + push + many - 2,
            (stack, "popped"): base * number - digit + pop - 1 - one,
            (stack, "taken"): first + pop + one - 2,
            (stack, "store"): push + many - 1,
            (stack, "fetch"): pop + one - 1,
        }
        if self.bounded:
            units[stack, "bounced"] = number + self._moves("L") + self._at_end - 2
        return units

    def _entries(self) -> list[tuple[Entry, Affine]]:
        """Return the units "a move in this direction leads to this pair", and those of moves that found no cell."""
        entries: dict[tuple[State, str], list[Affine]] = {}
        bounces: dict[tuple[State, int], list[Affine]] = {}
        for firing in self.firings:
            entries.setdefault((firing.target, firing.move), []).append(firing.when)
            if self.bounded and firing.move == "L":
                bounces.setdefault((firing.bounced, firing.written), []).append(firing.when)
        found: list[tuple[Entry, Affine]] = []
        for (q, move), forms in entries.items():
            stack = "left" if move == "L" else "right"
            for a in range(self.bottom):
                found.append((Entry("entered", q, move, a), total(forms) + self._shows(stack, a) - 1))
        return found + [
            (Entry("entered", q, "bounced", a), total(f) + self._at_end - 1) for (q, a), f in bounces.items()
        ]

    def _shows(self, stack: str, a: int) -> Affine:
        """Return the form "the digit on top of a stack is a"."""
        least = var(_at_least(stack, a)) if a else Affine({}, 1)
        return least - var(_at_least(stack, a + 1)) if a + 1 in self._digits(stack) else least

    def _moved_memory(self) -> dict[Hashable, Affine]:
        """Return the third layer: each neuron of the memory as it may be next, and whether something is lost."""
        units: dict[Hashable, Affine] = {}
        for stack in STACKS:
            store, fetch = var((stack, "store")), var((stack, "fetch"))
            row = [var(top(stack)), *(var(memory(stack, i)) for i in range(self.modules)), NOTHING]
            for i in range(self.modules):
                units[*memory(stack, i), "kept"] = row[i + 1] - store - fetch
                units[*memory(stack, i), "from above"] = row[i] + store - 1
                units[*memory(stack, i), "from below"] = row[i + 2] + fetch - 1
            units[stack, "lost"] = mpq(self.base) ** self.precision * (row[self.modules] + store - 1)
        return units

    def state(self) -> dict[Hashable, Affine]:
        """Return the last layer, which is the next state."""
        units: dict[Hashable, Affine] = {}
        bounced = var(("bounced",)) if self.bounded else NOTHING
        for stack in STACKS:
            parts = ["stays", "pushed", "begun", "popped", "taken", *(["bounced"] if self.bounded else [])]
            units[top(stack)] = total(var((stack, part)) for part in parts)
            push, pop = self._pushes(stack), self._pops(stack)
            change = push - pop - bounced if stack == "right" else push - pop + bounced
            turned = self.precision * (var((stack, "fetch")) - var((stack, "store")))
            units[height(stack)] = var(height(stack)) + self.unit * (change + turned)
            for i in range(self.modules):
                ways = ("kept", "from above", "from below")
                units[memory(stack, i)] = total(var((*memory(stack, i), way)) for way in ways)
        return units | self._control()

    def _control(self) -> dict[Hashable, Affine]:
        entered: dict[tuple[State, int], list[Affine]] = {}
        for entry, _ in self._entries():
            entered.setdefault((entry.state, entry.symbol), []).append(var(entry))
        lost = total(var((stack, "lost")) for stack in STACKS)
        units: dict[Hashable, Affine] = {}
        for q in self.states:
            for a in range(self.bottom):
                kept = [var(pair(q, a))] if q in self.halting else []
                units[pair(q, a)] = total([*entered.get((q, a), []), *kept]) - lost
        if self.loads:
            units[LOADING] = var(LOADING) - var(FIRST) - lost
        return units | {FULL: var(FULL) + lost}

    def start(self) -> dict[Hashable, mpq]:
        """Return the start values that are not zero."""
        control = LOADING if self.loads else pair(self.machine.initial_state, 0)
        bottom = {top("left"): mpq(self.bottom, self.base)} if self.bounded else {}
        return {control: mpq(1), height("left"): self.unit, height("right"): self.unit, **bottom}


def _at_least(stack: str, k: int) -> Hashable:
    return (stack, f">={k}")
