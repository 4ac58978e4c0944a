"""What grows while a run is on: an array of words, and a hash table that compiled loops look into."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled, register_jitable

__all__ = ["GrowingArray", "Table", "find", "pair_of"]

Array = NDArray[np.int64]

ONE = np.uint64(1)
SMALLEST = 1 << 10
"""Places of a table at first, a power of 2."""


class GrowingArray:
    """Machine integers; `array` is replaced when there is no room left."""

    def __init__(self) -> None:
        self.array: Array = np.zeros(1 << 10, dtype=np.int64)
        self.size = 0

    def append(self, words: Sequence[int] | Array) -> int:
        """Append words and return the address of the first."""
        first, size = self.size, self.size + len(words)
        if size > len(self.array):
            grown = np.zeros(2 * size, dtype=np.int64)
            grown[:first] = self.array[:first]
            self.array = grown
        self.array[first:size] = words
        self.size = size  # last, since Ctrl-C may come before
        return first

    def copied(self) -> "GrowingArray":
        """Return another one with the same words."""
        twin = GrowingArray()
        twin.append(self.array[: self.size])
        return twin


class Table:
    """Numbers under keys of at least 0, for :func:`find`; `keys` and `values` are replaced when half of them are used.

    Both are replaced in one assignment: Ctrl-C between two would leave them of two lengths, which no kernel checks.

    >>> table = Table()
    >>> table.add(7, 3)
    >>> find(7, table.keys, table.values), find(8, table.keys, table.values)
    (3, -1)
    """

    def __init__(self) -> None:
        self._used = 0
        self._arrays = _free(SMALLEST)

    @property
    def keys(self) -> Array:
        """The keys, -1 at free places."""
        return self._arrays[0]

    @property
    def values(self) -> Array:
        """The number under each of the keys."""
        return self._arrays[1]

    def add(self, key: int, value: int) -> None:
        """Add a key that is not there yet."""
        self._used += 1
        if 2 * self._used > len(self.keys):
            larger = _free(4 * len(self.keys))
            for known, number in zip(self.keys.tolist(), self.values.tolist(), strict=True):
                if known >= 0:
                    insert(known, number, *larger)
            self._arrays = larger
        insert(key, value, *self._arrays)


def _free(places: int) -> tuple[Array, Array]:
    return np.full(places, -1, dtype=np.int64), np.zeros(places, dtype=np.int64)


@compiled
def find(key: Any, keys: Array, values: Array) -> Any:
    """Return the number under a key, or -1.

    A key that was added is at its place or at one of the used places after it, of which there is an end: half are free.
    """
    mask = np.uint64(keys.shape[0] - 1)
    place = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (place >> np.uint64(20)) & mask
    while True:
        if keys[place] == key:
            return values[place]
        if keys[place] < 0:
            return -1
        place = (place + np.uint64(1)) & mask


@register_jitable
def pair_of(key: Any, array: Array, table: Any, places: Any) -> Any:
    """Return the address of a key's pair (key, number) in a table within an array, or of the free pair that it can get.

    The table begins at the address `table` and has `places` pairs, a power of 2; pairs with number 0 are free, and at
    least one is. All arguments are unsigned words.
    """
    mask = places - ONE
    place = (key ^ (key >> np.uint64(9)) ^ (key >> np.uint64(19)) ^ (key >> np.uint64(37))) & mask
    while True:
        pair = table + place + place
        if np.uint64(array[pair]) == key or array[pair + ONE] == 0:
            return pair
        place = (place + ONE) & mask


@compiled
def insert(key: Any, value: Any, keys: Array, values: Array) -> Any:
    """Put a key that is not there yet at the first free place for it."""
    mask = np.uint64(keys.shape[0] - 1)
    place = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (place >> np.uint64(20)) & mask
    while keys[place] >= 0:
        place = (place + np.uint64(1)) & mask
    keys[place] = key
    values[place] = value
