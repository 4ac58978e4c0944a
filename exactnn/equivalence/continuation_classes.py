"""Which states can be told apart by what is said after some more symbols: Moore's refinement, round by round."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["continuation_classes"]

Array = NDArray[np.signedinteger[Any]]


def continuation_classes(
    labels: Array, transitions: Array, sizes: Sequence[int], watch: Callable[[], object] = bool
) -> Array:
    """Return the class of each of some states; two states are in one class if no short continuation tells them apart.

    Parameters
    ----------
    labels : array of int, shape (sizes[0],)
        What is said after the empty continuation.
    transitions : array of int, shape (at least sizes[1], symbols)
        The next states; those of the first sizes[i + 1] states are among the first sizes[i].
    sizes : sequence of int
        In round i, by continuations of up to i symbols, the first sizes[i] states are told apart.
    watch : callable, optional
        Called before each round; it may raise an exception.

    Returns
    -------
    array of int, shape (sizes[-1],)
        Numbers of classes.

    Notes
    -----
    States are equivalent for continuations of up to i + 1 symbols if they are for those of up to i, and so are their
    next states on each symbol. If a round has as many states as the one before and splits no class, then no
    continuation of any length does, and it is the last.

    References
    ----------
    E. F. Moore, Gedanken-experiments on sequential machines, in *Automata Studies*, 1956, pp. 129-153.

    Examples
    --------
    >>> fourths = np.array([[1], [2], [3], [0]])
    >>> [continuation_classes(np.array([1, 0, 0, 0]), fourths, [4] * (k + 1)).tolist() for k in range(3)]
    [[1, 0, 0, 0], [2, 0, 0, 1], [3, 0, 1, 2]]
    """
    classes = _numbered(labels[: sizes[0]])
    for before, size in pairwise(sizes):
        watch()
        finer = classes[:size]
        for column in transitions[:size].T:
            finer = _numbered(finer * (1 + classes.max(initial=0)) + classes[column])
        if size == before and finer.max(initial=0) == classes.max(initial=0):
            break
        classes = finer
    return classes[: sizes[-1]]


def _numbered(values: Array) -> Array:
    """Return values as numbers from 0 on, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
