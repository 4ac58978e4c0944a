"""Rows of numbers, each kept once and numbered in the order in which they came."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.equivalence import state_table_kernels as kernels

__all__ = ["StateTable"]

Array = NDArray[Any]

SMALLEST = 1 << 10
"""Rows that there is room for at first."""


class StateTable:
    """A growing set of rows of equal length and type, compared bit for bit.

    An interruption leaves it as it was or as it should be, whenever it comes.

    Examples
    --------
    >>> table = StateTable(2, np.dtype(np.int16))
    >>> table.numbers(np.array([[3, 4], [5, 6], [3, 4]], dtype=np.int16), most=10).tolist()
    [0, 1, 0]
    >>> table.rows.tolist()
    [[3, 4], [5, 6]]
    """

    def __init__(self, width: int, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._words = np.dtype(f"u{dtype.itemsize}")
        self._rows = np.empty((SMALLEST, width), dtype=self._words)
        self._slots = np.full(2 * SMALLEST, kernels.NONE, dtype=np.int32)
        self._used = np.zeros(1, dtype=np.int64)

    def __len__(self) -> int:
        return int(self._used[0])

    @property
    def rows(self) -> Array:
        """All rows, in order."""
        return self._rows[: len(self)].view(self._dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that are taken."""
        return self._rows.nbytes + self._slots.nbytes

    def numbers(self, rows: Array, most: int) -> NDArray[np.int32]:
        """Return the numbers of rows; new ones are added while there are fewer than `most`, others get -1."""
        given = np.ascontiguousarray(rows).view(self._words)
        self._make_room(min(most, len(self) + len(given)))
        numbers = np.empty(len(given), dtype=np.int32)
        kernels.find_or_add(given, self._rows, self._used, self._slots, numbers, most)
        return numbers

    def _make_room(self, most: int) -> None:
        if most <= len(self._rows):
            return
        size = max(most, 2 * len(self._rows))
        rows = np.empty((size, self._rows.shape[1]), dtype=self._words)
        rows[: len(self)] = self._rows[: len(self)]
        slots = np.full(1 << (2 * size - 1).bit_length(), kernels.NONE, dtype=np.int32)
        kernels.enter_all(rows[: len(self)], slots)
        self._rows, self._slots = rows, slots
