"""Long series of numbers of any size: logarithms and their axis, and fewer points without losing a peak."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gmpy2
from gmpy2 import mpq

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["binary_logarithm", "powers_of_two", "thinned"]

MOST_POINTS = 2000


def binary_logarithm(value: mpq) -> float:
    """Return the logarithm to base 2 of a positive number, which may be far too small or large for a float.

    >>> binary_logarithm(mpq(1, 2**5000)), binary_logarithm(mpq(3 * 2**9000))
    (-5000.0, 9001.584962500721)
    """
    with gmpy2.context(precision=80, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return float(gmpy2.log2(gmpy2.mpfr(value)))


def powers_of_two(axes: "Axes") -> None:
    """Label the vertical axis, which shows logarithms, by powers of two."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda exponent, _: f"$2^{{{round(exponent)}}}$"))


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
