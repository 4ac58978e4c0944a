"""An array that grows at its end, for programs that are written while they run."""

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["GrowingArray"]


class GrowingArray:
    """Machine integers; `array` is replaced when there is no room left."""

    def __init__(self) -> None:
        self.array: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(1 << 10, dtype=np.int64)
        self.size = 0

    def append(self, words: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]) -> int:
        """Append words and return the address of the first."""
        first = self.size
        self.size += len(words)
        if self.size > len(self.array):
            grown = np.zeros(2 * self.size, dtype=np.int64)
            grown[:first] = self.array[:first]
            self.array = grown
        self.array[first : self.size] = words
        return first
