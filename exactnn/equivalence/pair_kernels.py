"""Pairs of states of two machines that are found as they are asked for, with a union-find over all of them."""

from typing import Any

from numpy.typing import NDArray

from exactnn.equivalence.distinguishing_kernels import united
from exactnn.simulation.compiled import compiled

__all__ = ["unite_all"]

Array = NDArray[Any]


@compiled
def unite_all(left: Array, right: Array, parent: Array, fresh: Array) -> None:
    """Unite the members of pairs, one pair after the other, and mark those that were not in one class already.

    State i of the first machine is node 2i, state j of the second is node 2j + 1.
    """
    for i in range(len(left)):
        fresh[i] = united(parent, 2 * left[i], 2 * right[i] + 1)
