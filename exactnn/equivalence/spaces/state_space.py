"""The states of a network that can be reached, found as they are asked for and numbered in that order."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from exactnn.networks import Network
from exactnn.simulation import Output, Values

__all__ = ["UNKNOWN", "Numbers", "StateSpace"]

Numbers = NDArray[np.int32]
"""Numbers of states; -1 for a state that there was no room for."""

UNKNOWN = -2
"""In place of the number of a state, or of a label: nobody asked for it."""


class StateSpace(Protocol):
    """The reachable states of one network in one arithmetic; the initial state has the number 0."""

    network: Network
    most: int
    """How many states there may be."""

    def __len__(self) -> int:
        """Return how many states have been found."""

    @property
    def batch(self) -> int:
        """How many states are stepped between two looks at the limits: fewer where a step is slow."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take, about."""

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after one step from each state on a symbol, given by its number."""

    def outputs(self, states: Numbers) -> Numbers:
        """Return a number for the output of each state; see :meth:`output`."""

    def output(self, number: int) -> Output:
        """Return the output with that number."""

    def values(self, state: int) -> Values:
        """Return the numbers that a state consists of."""
