"""Long series made short enough to be drawn, without losing a peak."""

from collections.abc import Sequence

__all__ = ["MOST_POINTS", "thinned"]

MOST_POINTS = 2000


def thinned(values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """Return the indices and values to draw: the largest of each stretch; NaN where a stretch has only None.

    >>> thinned([1.0, None, 3.0])
    ([0, 1, 2], [1.0, nan, 3.0])
    >>> indices, values = thinned([0.0] * 5000 + [7.0] + [0.0] * 4999)
    >>> len(indices), indices[1000], values[1000]
    (2000, 5000, 7.0)
    """
    stretch = -(-len(values) // MOST_POINTS) or 1
    indices, kept = [], []
    for first in range(0, len(values), stretch):
        found = [(x, -i) for i, x in enumerate(values[first : first + stretch], first) if x is not None]
        value, index = max(found, default=(float("nan"), -first))
        indices.append(-index)
        kept.append(value)
    return indices, kept
