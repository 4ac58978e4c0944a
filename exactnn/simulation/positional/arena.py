"""The memory of the tails of long numbers."""

import sys
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from exactnn.simulation.positional.numeral_kernels import LABELS, LINK, Array, Tail, compact, push
from exactnn.simulation.positional.radix import Radix

__all__ = ["Arena"]

_kept: deque[Array] = deque(maxlen=16)
"""Memory of arenas. What nobody uses any more is used again: to get fresh memory takes as long as to fill it."""
LEAST_KEPT, MOST_KEPT = 1 << 16, 1 << 18
"""Words of such memory; shorter pieces cost little, and longer ones are not held without need."""


def _uses(held: list[Array]) -> int:
    """Return how many references there are to the memory in a list, with those of this call."""
    return sys.getrefcount(held[0])


ONE_USE = _uses([np.empty(0, dtype=np.int64)])


def _memory(size: int) -> Array:
    """Return memory for nodes, whatever is in it.

    A piece is taken out of `_kept` before it is looked at, so that no two threads find the same one free; and a
    destructor, in which Ctrl-C would be lost, has no part in it.
    """
    if not LEAST_KEPT <= size <= MOST_KEPT:
        return np.empty(size, dtype=np.int64)
    for _ in range(len(_kept)):
        try:
            held = [_kept.popleft()]
        except IndexError:  # other threads have the rest
            break
        free = held[0].size == size and _uses(held) == ONE_USE
        _kept.append(held[0])
        if free:
            return held[0]
    fresh = np.empty(size, dtype=np.int64)
    _kept.append(fresh)
    return fresh


class Arena:
    """The tails: nodes that are never changed, so that states may share them.

    Their limbs have `radix.limb` digits. `nodes` holds limb, next node and its count of each node; the first that is
    free is number `top`.
    """

    __slots__ = ("nodes", "radix", "top")

    def __init__(self, radix: Radix, capacity: int) -> None:
        self.radix = radix
        self.nodes = _memory(LINK * capacity)
        self.top = LABELS + 1
        self.nodes[: LINK * self.top] = 0  # the empty tail has zeros only

    @property
    def capacity(self) -> int:
        """How many nodes there is room for."""
        return len(self.nodes) // LINK

    def push(self, runs: Sequence[tuple[int, int]], tail: Tail = (0, 0)) -> Tail:
        """Return the tail that begins with runs of limbs, given as (limb, count), and goes on with `tail`."""
        limbs = np.array([limb for limb, _ in runs], dtype=np.int64)
        counts = np.array([count for _, count in runs], dtype=np.int64)
        node, count, self.top = push(limbs, counts, *tail, self.nodes, self.top)
        return int(node), int(count)

    def runs(self, tail: Tail, rest: Tail = (0, 0)) -> list[tuple[int, int]]:
        """Return a tail as runs of limbs, up to its end or to an opaque node."""
        return self.runs_and_base(tail, rest)[0]

    def runs_and_base(self, tail: Tail, rest: Tail = (0, 0)) -> tuple[list[tuple[int, int]], int]:
        """Return a tail as runs of limbs, and the opaque node that it ends in, or 0."""
        found: list[tuple[int, int]] = []
        for node, count in (tail, rest):
            while node > LABELS:
                limb, following, repeated, _ = self.nodes[LINK * node : LINK * (node + 1)].tolist()
                if found and found[-1][0] == limb:  # where the rest goes on with the last limb
                    count += found.pop()[1]
                found.append((limb, count))
                node, count = following, repeated
            if node:
                return found, node
        return found, 0

    def compacted(self, slots: Array, live: Any, capacity: int) -> "Arena":
        """Return an arena with what live slots reach; their references are changed."""
        fresh = Arena(self.radix, capacity)
        fresh.top = int(compact(slots, live, self.nodes, self.top, np.zeros(self.top, dtype=np.int64), fresh.nodes))
        return fresh

    def trimmed(self) -> "Arena":
        """Return the arena without room for more nodes."""
        found = Arena(self.radix, self.top)
        found.nodes[:], found.top = self.nodes[: len(found.nodes)], self.top
        return found
