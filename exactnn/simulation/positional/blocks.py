"""Blocks: several steps of direct mode at once, where a few more digits tell the outcomes of all of them.

A node of the program looks at a few leading digits of the long numbers, and its transitions are single steps. The node
of blocks beside it looks at more, of one or two long numbers, and its blocks are as many steps as these tell. A loop of
their own follows them (:mod:`exactnn.simulation.positional.block_kernels`). Blocks are written when their digits come
up in a run that has been going on for a while (:mod:`exactnn.simulation.positional.block_table`).

A run of which few different leading digits come up goes over the same words again and again. Then blocks that look at
more digits are worth their time.
"""

from math import gcd, log2

from exactnn.simulation.positional import block_table, words
from exactnn.simulation.positional.block_kernels import BlockArrays
from exactnn.simulation.positional.block_table import BlockTable
from exactnn.simulation.positional.numeral_kernels import Array
from exactnn.simulation.positional.program import Program

__all__ = ["Blocks"]

AFTER = 64
"""So many blocks could have been written before the first one is."""
CHEAP = 512
"""So many blocks are tried at the first pace, so many at half of it, at a third, ..."""
LEADING, WIDE = 1 << 14, 1 << 20
"""Numbers of as many digits as are looked at, at most: at first, and where few of them come up."""
SETTLED = 1 << 22
"""Steps after which it is known how many digits come up."""
FEW = block_table.MOST_CLASSES // 4
"""So many different leading digits are few."""
SAVES = 3
"""What a step within a block is worth, in steps: where blocks are of use more of them may be written."""


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
        self.table: BlockTable | None = None
        self._tables = 0  # that there have been: the second looks at more digits, a third at fewer again
        self._taken = 0  # steps since there is one

    @property
    def arrays(self) -> BlockArrays | None:
        """The blocks that there are so far; None if there can be none yet."""
        return None if self.table is None else self.table.arrays

    def are_for(self, steps: int) -> bool:
        """Return whether so many steps are enough for any block."""
        return steps >= block_table.MOST_STEPS

    def stretch(self, steps: int, count: int) -> tuple[int, bool]:
        """Return up to how many of `count` steps, after so many, the loop goes on, and whether it stops for new blocks.

        The last block may pass the limit, but not the count: there are at least MOST_STEPS left.
        """
        limit = count - block_table.MOST_STEPS + 1
        if self.credit >= 0:
            return limit, self.tried < block_table.MOST_BLOCKS
        return min(limit, steps - self.credit), False

    def learn(self, code: int, control: Array, taken: int, slots: Array) -> bool:
        """Take note of steps and of why they stopped; return whether the loop can go on at once."""
        self.credit += taken + SAVES * int(control[words.C_WITHIN])
        self._taken += 0 if self.table is None else taken
        node = int(control[words.C_NODE])
        if code == words.BLOCK:
            assert self.table is not None
            if self.table.write(node, slots):
                self.credit -= self.pace * (1 + self.tried // CHEAP)
                self.tried += 1
            return True
        if self.credit >= 0 and node == control[words.C_START]:
            self._look_at_more_or_fewer()
            if self.table is not None:
                self.table.begin(node)
        return False

    def _look_at_more_or_fewer(self) -> None:
        """Begin with blocks, or with others where these look at too few digits, or at so many that few come again."""
        if self.table is None:
            self._begin_table(LEADING, guesses=False)
            return
        if self._tables == 1 and self._taken >= SETTLED and self.table.classes <= FEW:
            self._begin_table(WIDE, guesses=True)
        elif self._tables == 2 and self.table.classes == block_table.MOST_CLASSES:
            self._begin_table(LEADING, guesses=False)

    def _begin_table(self, leading: int, *, guesses: bool) -> None:
        """Begin with blocks that look at the digits of so many numbers, if there are any."""
        digits = _digits(self.program, leading)
        if digits <= 0:
            return
        table = BlockTable(self.program, digits, guesses=guesses)
        if self.table is not None:  # no loop finds a block of it any more, even if Ctrl-C comes now
            self.table.leave()
        self.table, self.tried, self._tables = table, 0, self._tables + 1


def _digits(program: Program, leading: int) -> int:
    """Return at how many digits blocks look: whole symbols of a stack, if numbers are stacks.

    A head that has too few of them gets a limb, and must not have more than `radix.longest` digits then.
    """
    radix = program.radix
    symbol = gcd(*program.shifts) or 1
    return min(int(log2(leading) / log2(radix.base)), radix.longest - radix.limb) // symbol * symbol
