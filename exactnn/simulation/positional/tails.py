"""The arena of tails: limbs put before a tail, and collection of what is in use, in numba."""

from typing import Any

import numpy as np

from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional.kernels import LABELS, LIMB, LINK, NEXT, NODE, REPEATED, SLOT, Array

__all__ = ["compact", "push"]


@compiled
def push(limbs: Array, counts: Array, node: Any, count: Any, arena: Array, top: Any) -> Any:
    """Put runs of limbs before a tail, the last run first; return (node, count, new top)."""
    for i in range(limbs.shape[0] - 1, -1, -1):
        if node > LABELS and arena[LINK * node + LIMB] == limbs[i]:
            count += counts[i]
        elif node != 0 or limbs[i] != 0:
            arena[LINK * top + LIMB] = limbs[i]
            arena[LINK * top + NEXT] = node
            arena[LINK * top + REPEATED] = count
            node, count = top, counts[i]
            top += 1
    return node, count, top


@compiled
def compact(slots: Array, live: Array, arena: Array, top: Any, fresh: Array) -> Any:
    """Copy the nodes that live slots reach from `arena` into `fresh`; return the new top.

    References in `slots` are changed; `live` has an entry for each slot.
    """
    moved = np.zeros(top, dtype=np.int64)
    for i in range(live.shape[0]):
        if live[i]:
            node = slots[SLOT * i + NODE]
            while node > LABELS and moved[node] == 0:
                moved[node] = 1
                node = arena[LINK * node + NEXT]
    new = LABELS + 1
    for node in range(LABELS + 1, top):
        if moved[node]:
            target = arena[LINK * node + NEXT]
            fresh[LINK * new + LIMB] = arena[LINK * node + LIMB]
            fresh[LINK * new + NEXT] = moved[target] if target > LABELS else target
            fresh[LINK * new + REPEATED] = arena[LINK * node + REPEATED]
            moved[node] = new
            new += 1
    for i in range(live.shape[0]):
        if live[i] and slots[SLOT * i + NODE] > LABELS:
            slots[SLOT * i + NODE] = moved[slots[SLOT * i + NODE]]
    return new
