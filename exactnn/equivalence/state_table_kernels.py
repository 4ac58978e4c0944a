"""A set of rows of words, numbered in the order in which they came: a hash table with open addressing."""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["NONE", "enter_all", "find_or_add"]

Array = NDArray[Any]

NONE = -1


@register_jitable
def place_of(row: Any) -> Any:
    """Return a number that depends on every bit of a row."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for word in row:
        key = (key ^ np.uint64(word)) * np.uint64(0xD6E8FEB86659FD93)
        key ^= key >> np.uint64(32)
    key *= np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(29))


@register_jitable
def equal(row: Any, other: Any) -> Any:
    """Return whether two rows are the same."""
    for i in range(len(row)):  # noqa: SIM110 - numba has no generators here
        if row[i] != other[i]:
            return False
    return True


@register_jitable
def slot_of(row: Any, rows: Any, slots: Any) -> Any:
    """Return where a row is in the hash table, or where it should be."""
    mask = np.uint64(len(slots) - 1)
    slot = place_of(row) & mask
    while slots[slot] != NONE and not equal(rows[slots[slot]], row):
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def enter_all(rows: Array, slots: Array) -> None:
    """Enter rows that all differ into an empty hash table."""
    for number in range(len(rows)):
        slots[slot_of(rows[number], rows, slots)] = number


@compiled
def find_or_add(given: Array, rows: Array, used: Array, slots: Array, numbers: Array, most: int) -> None:
    """Write the number of each of the `given` rows, adding new ones while there are fewer than `most`, NONE beyond.

    `used` has one entry, how many rows there are; `rows` has room for them all. No interruption comes between rows
    and their count, since both are written here.
    """
    for i in range(len(given)):
        slot = slot_of(given[i], rows, slots)
        if slots[slot] == NONE and used[0] < most:
            rows[used[0]] = given[i]
            slots[slot] = used[0]
            used[0] += 1
        numbers[i] = slots[slot]
