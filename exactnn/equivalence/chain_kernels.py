"""Chains of states under one input: each state has one successor, and some have a label."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["settle"]

Array = NDArray[Any]

UNSETTLED = -1
"""As in :mod:`exactnn.equivalence.lazy_moore`."""

PASSED = -3
"""In place of a label, while a chain is followed."""


@compiled
def settle(asked: Array, following: Array, labels: Array, ranks: Array, never: int) -> None:
    """Give each of the states `asked` and all after them the label to which they lead, and its distance.

    A chain that comes back to itself without a label gets `never`, of rank 0; one that ends where `following` is
    not known stays unsettled.
    """
    path = np.empty(len(following), dtype=np.int32)
    for first in asked:
        state = first
        length = 0
        while labels[state] < 0 and labels[state] != PASSED:
            if following[state] < 0:
                break
            labels[state] = PASSED
            path[length] = state
            length += 1
            state = following[state]
        label, rank = labels[state], ranks[state]
        if label == PASSED:
            label = never
        elif label < 0:
            label = UNSETTLED
        for i in range(length - 1, -1, -1):
            rank = rank + 1 if rank > 0 else 0
            labels[path[i]] = label
            ranks[path[i]] = rank
        if labels[first] < 0:
            labels[first] = UNSETTLED
