"""Logarithms of exact numbers of any size, and an axis that shows them as powers of two."""

from typing import TYPE_CHECKING

import gmpy2
from gmpy2 import mpq

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["binary_logarithm", "powers_of_two"]


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
