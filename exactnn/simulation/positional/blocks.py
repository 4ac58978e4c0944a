"""Blocks: several steps of direct mode at once, where a few more digits tell the outcomes of all of them.

A node of the program looks at a few leading digits of the long numbers, and its transitions are single steps. The node
of blocks beside it looks at more, of one or two long numbers, and its blocks are as many steps as these tell. A loop of
their own follows them (:mod:`exactnn.simulation.positional.block_kernels`). Blocks are written when their digits come
up in a run that has been going on for a while.

A block is written once for all numbers that it holds for, since steps seldom depend on all digits: a machine that goes
right looks at one symbol to its left, and at several to its right. No machine word overflows, since the move of all
steps together is asked by :meth:`Program.fits`, as that of a single one is: it bounds the result, and the constant by
itself, for heads of `radix.longest` digits.
"""

from dataclasses import replace
from math import gcd, log2
from typing import NamedTuple

import numpy as np

from exactnn.simulation.positional import words
from exactnn.simulation.positional.block_kernels import CLASSES, BlockArrays
from exactnn.simulation.positional.numeral_kernels import SLOT, Array, entry_in
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.rows import Status
from exactnn.simulation.positional.several_steps import End, SeveralSteps
from exactnn.simulation.positional.table_kernels import GrowingArray
from exactnn.simulation.positional.words import FIRST, NEITHER, SECOND

__all__ = ["Blocks"]

MOST_STEPS = 16
"""Steps in one block at most."""
AFTER = 64
"""So many blocks could have been written before the first one is."""
CHEAP = 512
"""So many blocks are tried at the first pace, so many at half of it, at a third, ..."""
MOST_NODES, MOST_BLOCKS, MOST_CLASSES = 1 << 8, 1 << 14, CLASSES
"""How many there are at most; the numbers of blocks fit the table's int16, and those of classes a uint8."""
LEADING = 1 << 14
"""Numbers of as many digits as are looked at, at most."""
SAVES = 3
"""What a step within a block is worth, in steps: where blocks are of use more of them may be written."""
NO_BLOCK, UNCLASSED = -1, -1
_NONE = BlockArrays(
    digits=0,
    classes=np.zeros(0, dtype=np.uint8),
    nodes=np.zeros(0, dtype=np.int64),
    table=np.zeros(0, dtype=np.int16),
    blocks=np.zeros(0, dtype=np.int64),
)


class _Rule(NamedTuple):
    """A block for all pairs of numbers whose entries are between borders; NO_BLOCK says that there can be none."""

    low: int
    high: int
    low2: int
    high2: int
    block: int


class Blocks:
    """The blocks in the program of an engine.

    At first one is tried for every `pace` steps at most, later ever fewer: a run whose steps seldom recur should lose
    little. `credit` counts the steps that were taken, less what the blocks so far have cost.
    """

    def __init__(self, program: Program, pace: int) -> None:
        self.program = program
        self.pace = pace
        self.credit = -AFTER * pace
        self.tried = 0
        self._steps: SeveralSteps | None = None
        self._entries = np.array([UNCLASSED])  # of classes; class 0 is for all entries that have none
        self._sources: list[tuple[int, ...]] = [()]  # of nodes of blocks: the slots of their numbers
        self._rules: list[list[_Rule]] = [[]]  # of nodes of blocks
        self._begun: dict[int, int] = {}  # what _begin found for a node
        self._blocks = GrowingArray()
        self._blocks.append([0] * words.BLOCK_SIZE)  # no block is number 0
        self._arrays = _NONE

    @property
    def arrays(self) -> BlockArrays | None:
        """The blocks that there are so far; None if there can be none yet."""
        arrays = self._arrays
        if not arrays.digits:
            return None
        return arrays._replace(
            nodes=arrays.nodes.reshape(-1), table=arrays.table.reshape(-1), blocks=self._blocks.array
        )

    def are_for(self, steps: int) -> bool:
        """Return whether so many steps are enough for any block."""
        return steps >= MOST_STEPS

    def stretch(self, steps: int, count: int) -> tuple[int, bool]:
        """Return up to how many of `count` steps, after so many, the loop goes on, and whether it stops for new blocks.

        The last block may pass the limit, but not the count: there are at least MOST_STEPS left.
        """
        limit = count - MOST_STEPS + 1
        if self.credit >= 0:
            return limit, self.tried < MOST_BLOCKS
        return min(limit, steps - self.credit), False

    def learn(self, code: int, control: Array, taken: int, slots: Array) -> bool:
        """Take note of steps and of why they stopped; return whether the loop can go on at once."""
        self.credit += taken + SAVES * int(control[words.C_WITHIN])
        node = int(control[words.C_NODE])
        if code == words.BLOCK:
            self._write(node, slots)
            return True
        if self.credit >= 0 and node == control[words.C_START]:
            self._begin(node)
        return False

    def _write(self, plain: int, slots: Array) -> None:
        """Write the block of a plain node for the numbers in the slots, or enter one that holds for them too.

        None is written if the program for the steps is not complete yet: it will be when they come up again.
        """
        number = int(self.program.code.array[plain + words.N_BLOCKS])
        assert self._steps is not None
        digits, base = self._steps.digits, self.program.radix.base
        entries = {slot: entry_in(slot, slots, digits, base) for slot in self._sources[number]}
        classes = [self._class(entry) for entry in entries.values()]
        if not all(classes):  # these digits came too late
            self._arrays.table[number, *(*classes, 0, 0)[:2]] = NO_BLOCK
            return
        entry, entry2, *_ = (*entries.values(), 0, 0)
        known = (r for r in self._rules[number] if r.low < entry < r.high and r.low2 < entry2 < r.high2)
        rule = next(known, None) or self._new_rule(plain, number, entries)
        if rule is not None:
            places = self._arrays.table[number, : len(self._entries), : len(self._entries)]
            first = (rule.low < self._entries) & (self._entries < rule.high)
            second = (rule.low2 < self._entries) & (self._entries < rule.high2)
            places[first[:, None] & second & (places == 0)] = rule.block

    def _new_rule(self, plain: int, number: int, entries: dict[int, int]) -> _Rule | None:
        """Write the block of a plain node for these entries, for all numbers that it holds for."""
        assert self._steps is not None
        self.credit -= self.pace * (1 + self.tried // CHEAP)
        self.tried += 1
        ends = self._steps.ends(plain, entries, MOST_STEPS)
        if ends is None:
            return None
        seen = dict.fromkeys(entries, self._steps.digits)
        block = NO_BLOCK
        for end in reversed(ends):
            found = self._block(end, self._sources[number])
            if found is not None:
                block, seen = self._blocks.append(found) // words.BLOCK_SIZE, end.seen
                break
        borders = [border for slot, entry in entries.items() for border in self._borders(entry, seen[slot])]
        low, high, low2, high2, *_ = (*borders, *self._all, *self._all)
        rule = _Rule(low, high, low2, high2, block)
        self._rules[number].append(rule)
        return rule

    @property
    def _all(self) -> tuple[int, int]:
        """The borders of all entries, and of class 0."""
        return UNCLASSED - 1, len(self._arrays.classes)

    def _borders(self, entry: int, seen: int) -> tuple[int, int]:
        """Return the borders of all entries that have so many leading digits in common with one of them."""
        assert self._steps is not None
        if not seen:
            return self._all
        if entry % 2 == 0:
            return entry - 1, entry + 1
        unit = 2 * self.program.radix.base ** (self._steps.digits - seen)
        first = entry // unit * unit
        return first, first + unit

    def _block(self, end: End, sources: tuple[int, ...]) -> list[int] | None:
        """Return the words of the block that leads to an end, but into the first bank; None if it cannot be written."""
        assert self._steps is not None
        program = self.program
        pattern = program.pattern(end.node)
        plain = self._begin(end.node)
        number = int(program.code.array[plain + words.N_BLOCKS])
        if not number:
            return None
        bank = SLOT * pattern.bank * len(pattern.statuses)
        names = dict(zip(sources, (FIRST, SECOND), strict=False)) | {self._steps.zero: NEITHER}
        forms = [end.forms[slot + bank] for slot in self._sources[number]]
        moves = [(names[form.source], self._steps.move(form)) for form in forms]
        block = [number, end.steps]
        for name, move in moves:
            if move is None:
                return None
            block += [name, *move]
        block += [NEITHER, 0, 0, 0, 0] * (2 - len(moves))
        return block + [0] * (words.BLOCK_SIZE - len(block))

    def _begin(self, node: int) -> int:
        """Return the plain node in the first bank for the pattern of a node where a step begins.

        It has a node of blocks from now on, if there can be blocks.
        """
        if node not in self._begun:
            program = self.program
            plain = program.enter(replace(program.pattern(node), bank=0))
            if not program.code.array[plain + words.N_BLOCKS] and self._is_fit(plain):
                self._write_node(plain)
            self._begun[node] = plain
        return self._begun[node]

    def _is_fit(self, plain: int) -> bool:
        """Return whether there can be blocks from a plain node."""
        if self._steps is None:
            self._make_room()
        assert self._steps is not None
        pattern = self.program.pattern(plain)
        return (
            self._steps.digits > 0
            and len(self._sources) < MOST_NODES
            and _is_plain(pattern)
            and len(_live(pattern)) <= 2
        )

    def _make_room(self) -> None:
        digits = _digits(self.program)
        self._arrays = BlockArrays(
            digits=digits,
            classes=np.zeros(2 * self.program.radix.base**digits, dtype=np.uint8),
            nodes=np.zeros((MOST_NODES, words.BLOCK_NODE), dtype=np.int64),
            table=np.zeros((MOST_NODES, CLASSES, CLASSES), dtype=np.int16),
            blocks=self._blocks.array,
        )
        self._steps = SeveralSteps(self.program, digits)  # last, since Ctrl-C may come between the two

    def _write_node(self, plain: int) -> None:
        """Write the node of blocks of a plain node, without blocks."""
        assert self._steps is not None
        sources, code, number = _live(self.program.pattern(plain)), self.program.code.array, len(self._sources)
        first, second, *_ = (*sources, self._steps.zero, self._steps.zero)
        self._arrays.nodes[number, :5] = len(sources), first, second, code[plain + words.N_OUTPUT], plain
        self._rules.append([])
        self._sources.append(sources)
        code[plain + words.N_BLOCKS] = number

    def _class(self, entry: int) -> int:
        """Return the class of an entry; 0 if it came too late to get one of its own."""
        classes = self._arrays.classes
        if not classes[entry] and len(self._entries) < MOST_CLASSES:
            self._entries = np.append(self._entries, entry)
            classes[entry] = len(self._entries) - 1  # last, since Ctrl-C may come between the two
        return int(classes[entry])


def _is_plain(pattern: Pattern) -> bool:
    """Return whether all numbers of a state are between 0 and 1."""
    return max(pattern.statuses, default=Status.ZERO) <= Status.LIVE


def _live(pattern: Pattern) -> tuple[int, ...]:
    """Return the slots of the long numbers of a state in the first bank."""
    return tuple(SLOT * i for i, status in enumerate(pattern.statuses) if status is Status.LIVE)


def _digits(program: Program) -> int:
    """Return at how many digits blocks look: whole symbols of a stack, if numbers are stacks.

    A head that has too few of them gets a limb, and must not have more than `radix.longest` digits then.
    """
    radix = program.radix
    symbol = gcd(*program.shifts) or 1
    return min(int(log2(LEADING) / log2(radix.base)), radix.longest - radix.limb) // symbol * symbol
