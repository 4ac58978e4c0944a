"""Blocks as a loop finds them: written for the digits that come up, each for all numbers that it holds for.

A node of blocks looks at leading digits of one or two long numbers, and its blocks are as many steps as these tell.
Steps seldom depend on all digits: a machine that goes right looks at one symbol to its left, and at several to its
right. So a block is entered in the table for all numbers between two borders.

No machine word overflows, since the move of all steps together is asked by :meth:`Radix.fits`, as that of a single
one is: it bounds the result, and the constant by itself, for heads of `radix.longest` digits.
"""

from typing import NamedTuple

import numpy as np

from exactnn.simulation.positional import words
from exactnn.simulation.positional.block_kernels import CLASSES, BlockArrays
from exactnn.simulation.positional.numeral_kernels import SLOT, Array, entry_in
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.rows import LIVE, Status
from exactnn.simulation.positional.several_steps import End, SeveralSteps
from exactnn.simulation.positional.table_kernels import GrowingArray
from exactnn.simulation.positional.words import FIRST, NEITHER, SECOND

__all__ = ["BlockTable"]

MOST_STEPS = 16
"""Steps in one block at most."""
MOST_NODES, MOST_BLOCKS, MOST_CLASSES = 1 << 8, 1 << 14, CLASSES
"""How many there are at most; the numbers of blocks fit the table's int16, and those of classes a uint8."""
NO_BLOCK, UNCLASSED = -1, -1


class _Rule(NamedTuple):
    """A block for all pairs of numbers whose entries are between borders; NO_BLOCK says that there can be none."""

    low: int
    high: int
    low2: int
    high2: int
    block: int


class BlockTable:
    """The blocks of a program that look at so many digits. `guesses`: the loop guesses which one comes next."""

    def __init__(self, program: Program, digits: int, *, guesses: bool) -> None:
        self.program = program
        self.digits = digits
        self._steps = SeveralSteps(program, digits)
        self._entries = np.array([UNCLASSED])  # of classes; class 0 is for all entries that have none
        self._sources: list[tuple[int, ...]] = [()]  # of nodes of blocks: the slots of their numbers
        self._rules: list[list[_Rule]] = [[]]  # of nodes of blocks
        self._begun: dict[int, int] = {}  # what `begin` found for a node
        self._blocks = GrowingArray()
        self._blocks.append([0] * words.BLOCK_SIZE)  # no block is number 0
        self._arrays = BlockArrays(
            digits=digits,
            guesses=int(guesses),
            classes=np.zeros(2 * program.radix.base**digits, dtype=np.uint8),
            nodes=np.zeros((MOST_NODES, words.BLOCK_NODE), dtype=np.int64),
            table=np.zeros((MOST_NODES, CLASSES, CLASSES), dtype=np.int16),
            blocks=self._blocks.array,
        )

    @property
    def arrays(self) -> BlockArrays:
        """The blocks that there are so far."""
        arrays = self._arrays
        return arrays._replace(
            nodes=arrays.nodes.reshape(-1), table=arrays.table.reshape(-1), blocks=self._blocks.array
        )

    @property
    def classes(self) -> int:
        """How many different leading digits have come up, with class 0, up to MOST_CLASSES."""
        return len(self._entries)

    def leave(self) -> None:
        """Take the nodes of blocks out of the program, so that another table can be made for it."""
        plain = self._arrays.nodes[1 : len(self._sources), words.B_PLAIN]
        self.program.code.array[plain + words.N_BLOCKS] = 0

    def write(self, plain: int, slots: Array) -> bool:
        """Write the block of a plain node for the numbers in the slots, or enter one that holds for them too.

        Return whether a new one was tried, which takes long. None is written if the program for the steps is not
        complete yet: it will be when they come up again.
        """
        number = int(self.program.code.array[plain + words.N_BLOCKS])
        base = self.program.radix.base
        entries = {slot: entry_in(slot, slots, self.digits, base) for slot in self._sources[number]}
        classes = [self._class(entry) for entry in entries.values()]
        if not all(classes):  # these digits came too late
            self._arrays.table[number, *(*classes, 0, 0)[:2]] = NO_BLOCK
            return False
        entry, entry2, *_ = (*entries.values(), 0, 0)
        known = (r for r in self._rules[number] if r.low < entry < r.high and r.low2 < entry2 < r.high2)
        found = next(known, None)
        rule = found or self._new_rule(plain, number, entries)
        if rule is not None:
            places = self._arrays.table[number, : len(self._entries), : len(self._entries)]
            first = (rule.low < self._entries) & (self._entries < rule.high)
            second = (rule.low2 < self._entries) & (self._entries < rule.high2)
            places[first[:, None] & second & (places == 0)] = rule.block
        return found is None

    def _new_rule(self, plain: int, number: int, entries: dict[int, int]) -> _Rule | None:
        """Write the block of a plain node for these entries, for all numbers that it holds for."""
        ends = self._steps.ends(plain, entries, MOST_STEPS)
        if ends is None:
            return None
        seen = dict.fromkeys(entries, self.digits)
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
        if not seen:
            return self._all
        if entry % 2 == 0:
            return entry - 1, entry + 1
        unit = 2 * self.program.radix.base ** (self.digits - seen)
        first = entry // unit * unit
        return first, first + unit

    def _block(self, end: End, sources: tuple[int, ...]) -> list[int] | None:
        """Return the words of the block that leads to an end, but into the first bank; None if it cannot be written."""
        program = self.program
        pattern = program.pattern(end.node)
        plain = self.begin(end.node)
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

    def begin(self, node: int) -> int:
        """Return the plain node in the first bank for the pattern of a node where a step begins.

        It has a node of blocks from now on, if there can be blocks.
        """
        if node not in self._begun:
            program = self.program
            plain = program.enter(program.pattern(node)._replace(bank=0))
            if not program.code.array[plain + words.N_BLOCKS] and self._is_fit(plain):
                self._write_node(plain)
            self._begun[node] = plain
        return self._begun[node]

    def _is_fit(self, plain: int) -> bool:
        """Return whether there can be blocks from a plain node."""
        pattern = self.program.pattern(plain)
        return len(self._sources) < MOST_NODES and _is_plain(pattern) and len(_live(pattern)) <= 2

    def _write_node(self, plain: int) -> None:
        """Write the node of blocks of a plain node, without blocks."""
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
    return max(pattern.statuses, default=Status.ZERO) <= LIVE


def _live(pattern: Pattern) -> tuple[int, ...]:
    """Return the slots of the long numbers of a state in the first bank."""
    return tuple(SLOT * i for i, status in enumerate(pattern.statuses) if status is LIVE)
