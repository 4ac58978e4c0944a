"""Compiled: the hash table of rows in which states are found again, and chains of states under one input."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled, register_jitable

__all__ = ["settle"]

Array = NDArray[Any]

NONE = -1

UNSETTLED = -1
"""As in :mod:`exactnn.equivalence.lazy_moore`."""

PASSED = -3
"""In place of a label, while a chain is followed."""


@register_jitable(forceinline=True)
def place_of(row: Any) -> Any:
    """Return a number that depends on every bit of a row."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for word in row:
        key = (key ^ np.uint64(word)) * np.uint64(0xD6E8FEB86659FD93)
        key ^= key >> np.uint64(32)
    key *= np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(29))


@register_jitable(forceinline=True)
def equal(row: Any, other: Any) -> Any:
    """Return whether two rows are the same."""
    for i in range(len(row)):  # noqa: SIM110 - numba has no generators here
        if row[i] != other[i]:
            return False
    return True


@register_jitable(forceinline=True)
def slot_of(row: Any, rows: Any, slots: Any) -> Any:
    """Return where a row is in the hash table, or where it should be."""
    mask = np.uint64(len(slots) - 1)
    slot = place_of(row) & mask
    while slots[slot] != NONE and not equal(rows[slots[slot]], row):
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled(entries=lambda rows, _: rows.size)
def enter_all(rows: Array, slots: Array) -> None:
    """Enter rows that all differ into an empty hash table."""
    for number in range(len(rows)):
        slots[slot_of(rows[number], rows, slots)] = number


@compiled(entries=lambda given, *_: given.size)
def find_or_add(given: Array, rows: Array, used: Array, slots: Array, numbers: Array, most: int) -> None:
    """Write the number of each of the `given` rows, adding new ones while there are fewer than `most`, NONE beyond.

    `used` has one entry, how many rows there are; `rows` has room for them all. No interruption comes between rows
    and their count, since both are written here.
    """
    for i in range(len(given)):
        slot = slot_of(given[i], rows, slots)
        if slots[slot] == NONE and used[0] < most:
            for j in range(given.shape[1]):
                rows[used[0], j] = given[i, j]
            slots[slot] = used[0]
            used[0] += 1
        numbers[i] = slots[slot]


@compiled(entries=lambda asked, following, *_: following.size)
def settle(asked: Array, following: Array, labels: Array, ranks: Array, path: Array, never: int) -> None:
    """Give each of the states `asked` and all after them the label to which they lead, and its distance.

    A chain that comes back to itself without a label gets `never`, of rank 0; one that ends where `following` is
    not known stays unsettled. `path` is room for a chain of all states.
    """
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
