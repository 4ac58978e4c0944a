"""A partition of the states of a network by a binary decision tree, whose leaves are the clusters.

Numbers are compared as they are, exactly.
"""

from math import inf, isfinite, nan
from typing import Any

from gmpy2 import mpq

from exactnn.equivalence.membership import Point

__all__ = ["Partition", "Values"]

Number = Any
Values = tuple[Number, ...]
"""The numbers of a state: rationals or floats."""

Split = tuple[int, Number]
"""A dimension and a threshold."""


class _Node:
    """A leaf with its cluster, or a question: is a number of the state above a threshold?"""

    __slots__ = ("cluster", "dimension", "high", "low", "threshold")

    def __init__(self, cluster: int) -> None:
        self.cluster = cluster
        self.dimension = -1
        self.threshold: Number = nan
        self.low: _Node
        self.high: _Node


class Partition:
    """One cluster at first, and then as many as conflicts ask for.

    Parameters
    ----------
    first_dimensions : int
        The first time that a state is parted from others, its cluster is split along so many dimensions, into two to
        that power. Without this "aggressive" beginning an abstraction is soon explored, and says little.

    Notes
    -----
    Weiss, Goldberg and Yahav split along the dimensions with the largest gaps first, and then by support vector
    machines with a radial kernel. Here every split is a threshold in one dimension: it is exact, and always parts
    states with different numbers, where a machine of floats may fail. Gaps count in parts of the range of all states
    that were seen, since numbers of a network need not be between -1 and 1.

    Examples
    --------
    >>> partition = Partition(first_dimensions=1)
    >>> partition.refine([(0.0, 1.0), (0.5, 1.0)], (0.25, 4.0), [])
    True
    >>> [partition.leaf((0.0, x)).cluster for x in (1.0, 2.0, 2.5, 3.0)]
    [0, 0, 0, 1]
    """

    def __init__(self, *, first_dimensions: int) -> None:
        self._first_dimensions = first_dimensions
        self._root = _Node(0)
        self.size = 1

    def leaf(self, values: Values) -> _Node:
        """Return the leaf of a state."""
        node = self._root
        while node.dimension >= 0:
            node = node.high if values[node.dimension] > node.threshold else node.low
        return node

    def cluster(self, point: Point) -> int:
        """Return the cluster of a state."""
        return self.leaf(point.values).cluster

    def refine(self, agreeing: list[Values], conflicting: Values, seen: list[Values]) -> bool | None:
        """Part a state from others of its cluster; `seen` are states of all clusters.

        Return whether the others all stay in their cluster; None if they all have the same numbers as the state.
        """
        splits = _separating(agreeing, conflicting, seen)
        if not splits:
            return None
        leaf = self.leaf(conflicting)
        old = leaf.cluster
        self._split(leaf, splits[: 1 if self.size > 1 else self._first_dimensions], conflicting)
        return self.leaf(conflicting).cluster != old and all(self.leaf(state).cluster == old for state in agreeing)

    def _split(self, leaf: _Node, splits: list[Split], conflicting: Values) -> None:
        """Split a leaf along dimensions; the side without the conflicting state keeps its cluster."""
        if not splits:
            return
        (leaf.dimension, leaf.threshold), *rest = splits
        kept, new = _Node(leaf.cluster), _Node(self.size)
        self.size += 1
        above = conflicting[leaf.dimension] > leaf.threshold
        leaf.low, leaf.high = (kept, new) if above else (new, kept)
        self._split(kept, rest, conflicting)
        self._split(new, rest, conflicting)


def _separating(agreeing: list[Values], conflicting: Values, seen: list[Values]) -> list[Split]:
    """Return the dimensions in which a state differs from others, the best first, with thresholds between them.

    The best one has most of the others on the other side of the threshold, and then the largest gap.
    """
    found = []
    for dimension, value in enumerate(conflicting):
        others = [state[dimension] for state in agreeing]
        below = [other for other in others if other < value]
        above = [other for other in others if other > value]
        if below or above:
            low, high = (max(below), value) if len(below) >= len(above) else (value, min(above))
            numbers = [value, *others, *(state[dimension] for state in seen)]
            known = [number for number in numbers if number == number]
            share = _difference(low, high) / _difference(min(known), max(known))
            found.append(((-max(len(below), len(above)), -share, dimension), _between(low, high)))
    return [(dimension, threshold) for (_, _, dimension), threshold in sorted(found, key=lambda split: split[0])]


def _difference(low: Number, high: Number) -> mpq:
    """Return high - low exactly, and more than any such difference of floats for infinities."""
    ends = [_INFINITE if number == inf else -_INFINITE if number == -inf else mpq(number) for number in (low, high)]
    return ends[1] - ends[0]


_INFINITE = mpq(2) ** 2000


def _between(low: Number, high: Number) -> Number:
    """Return a threshold t with low <= t < high: exactly the midpoint, if the numbers are finite."""
    if isinstance(low, float) and not isfinite(low):
        return low
    if isinstance(high, float) and not isfinite(high):
        return low
    return (mpq(low) + mpq(high)) / 2
