"""The stacks of a macro machine in arrays, as the compiled loop has them."""

from collections.abc import Sequence
from typing import overload

import numpy as np

from exactnn.simulation.positional.macro_machine import MOST_STACKS, Runs, Stacks
from exactnn.simulation.positional.numeral_kernels import Array

__all__ = ["Piled", "Piles", "exceed"]

FIRST_HEIGHT = 1 << 13
"""Runs that a stack has room for at first; what is not used takes no memory."""


class Piles:
    """The stacks while edges are followed: `depth[w]` runs `limbs[w]` with `counts[w]` of stack w, the top last."""

    limbs: Array
    counts: Array
    depth: Array

    def __init__(self, stacks: Stacks) -> None:
        if isinstance(stacks, Piled):
            piles = stacks.piles
            self.depth, width = piles.depth.copy(), piles.limbs.shape[1]
            self.limbs, self.counts = self._copied(piles.limbs, width), self._copied(piles.counts, width)
            return
        height = FIRST_HEIGHT + 2 * max(map(len, stacks))
        self.limbs = np.zeros((MOST_STACKS, height), dtype=np.int64)
        self.counts = np.zeros((MOST_STACKS, height), dtype=np.int64)
        self.depth = np.array([len(runs) for runs in stacks], dtype=np.int64)
        for i, runs in enumerate(stacks):
            self.limbs[i, : len(runs)] = [limb for limb, _ in reversed(runs)]
            self.counts[i, : len(runs)] = [count for _, count in reversed(runs)]

    def top(self, stack: int) -> tuple[int, bool]:
        """Return the top limb of a stack and whether it is the last one; (0, False) for no stack, -1."""
        if stack < 0:
            return 0, False
        at = self.depth[stack] - 1
        return int(self.limbs[stack, at]), bool(at == 0 and self.counts[stack, at] == 1)

    def pop(self, stack: int) -> None:
        """Take one limb off a stack."""
        at = self.depth[stack] - 1
        self.counts[stack, at] -= 1
        if not self.counts[stack, at]:
            self.depth[stack] -= 1

    def push(self, stack: int, limb: int) -> None:
        """Put one limb on a stack."""
        at = self.depth[stack] - 1
        if at >= 0 and self.limbs[stack, at] == limb:
            self.counts[stack, at] += 1
            return
        if at + 2 >= self.limbs.shape[1]:
            self.grow()
        self.limbs[stack, at + 1], self.counts[stack, at + 1] = limb, 1
        self.depth[stack] += 1

    def grow(self) -> None:
        """Make room for twice as many runs."""
        width = 2 * self.limbs.shape[1]
        self.limbs, self.counts = self._copied(self.limbs, width), self._copied(self.counts, width)

    def _copied(self, rows: Array, width: int) -> Array:
        """Return rows of some length with what is on the stacks; what is not used takes no memory."""
        copy = np.zeros((len(rows), width), dtype=np.int64)
        for stack, height in enumerate(self.depth.tolist()):
            copy[stack, :height] = rows[stack, :height]
        return copy

    def runs(self, stack: int) -> Runs:
        """Return a stack as runs, the top first."""
        height = self.depth[stack]
        limbs, counts = self.limbs[stack, :height][::-1], self.counts[stack, :height][::-1]
        return tuple(zip(limbs.tolist(), counts.tolist(), strict=True))


class Piled(Sequence[Runs]):
    """The stacks where the loop has stopped; their runs are written out when somebody asks for them.

    There may be many thousands, and who only goes on with the loop asks for none.
    """

    def __init__(self, piles: Piles) -> None:
        self.piles = piles  # which nobody changes any more
        self._known: dict[int, Runs] = {}

    def __len__(self) -> int:
        return len(self.piles.depth)

    @property
    def height(self) -> int:
        """How many runs lie on all stacks."""
        return int(self.piles.depth.sum())

    @overload
    def __getitem__(self, index: int) -> Runs: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Runs]: ...

    def __getitem__(self, index: int | slice) -> Runs | Sequence[Runs]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        stack = range(len(self))[index]
        if stack not in self._known:
            self._known[stack] = self.piles.runs(stack)
        return self._known[stack]


def exceed(stacks: Stacks, most: int) -> bool:
    """Whether a run is longer than `most`."""
    if isinstance(stacks, Piled):
        piles = stacks.piles
        return any(
            bool((counts[:height] > most).any()) for counts, height in zip(piles.counts, piles.depth, strict=True)
        )
    return any(count > most for runs in stacks for _, count in runs)
