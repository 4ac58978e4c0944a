"""Floating-point formats of up to 53 bits, as float64: an operation is done in float64, then rounded once.

Two classes share the format: `Short` does without the error of the float64 result, which is half of the work.
"""

from typing import Any, NamedTuple

from numba.extending import register_jitable

from exactnn.simulation.carriers.carrier import define
from exactnn.simulation.carriers.pair import Pair
from exactnn.simulation.rounding_kernels import Format, product, rounded, threshold_of, total
from exactnn.simulation.smooth_kernels import smooth_rounded

__all__ = ["Rounded", "Short", "carriers_of"]


class Short(NamedTuple):
    """Formats of up to 25 bits, to nearest, ties to even: rounding the float64 result once more gives the same."""

    format: Format


class Rounded(NamedTuple):
    """All others of up to 53 bits, in every mode."""

    format: Format


def carriers_of(inner: Format, outer: Format) -> tuple[Short, Short] | tuple[Rounded, Rounded] | tuple[Pair, Pair]:
    """Return the formats of sums and of results as carriers, of the same class: so there are fewer loops to compile."""
    if outer.unit < 2.0**-52:  # more digits than float64 has
        return Pair(inner), Pair(outer)
    if outer.nearest and inner.nearest and inner.products_exact and inner.sums_exact:
        return Short(inner), Short(outer)
    return Rounded(inner), Rounded(outer)


@register_jitable
def once_more(x: Any, carrier: Any) -> Any:
    """Round a float64 that says enough of the exact result."""
    return rounded(x, 0.0, 0.5, True, carrier.format)


@register_jitable
def converted(x: Any, carrier: Any, count: Any) -> Any:
    """Round a float64 that is the exact result."""
    return rounded(x, 0.0, threshold_of(carrier.format, count), carrier.format.nearest, carrier.format)


define(
    Short,
    multiply=lambda x, y, carrier, count: once_more(x * y, carrier),
    multiply_again=lambda x, y, carrier, count: once_more(x * y, carrier),
    add=lambda x, y, carrier, count: once_more(x + y, carrier),
    fuse=lambda x, y, carrier, count: total(x, y, 0.5, True, carrier.format),  # y has up to 53 bits
    enter=lambda x, y, carrier, count: once_more(x, carrier),
    convert=lambda x, y, carrier, count: once_more(x, carrier),
    smooth=lambda x, y, carrier, count: smooth_rounded(y, x, 0.5, carrier.format),
)


# The mode is a field, not a class: it is the same for all lanes, and LLVM takes the question out of loops over them.
def _multiplied(x: Any, y: Any, carrier: Any, count: Any) -> Any:
    format = carrier.format
    return product(x, y, threshold_of(format, count), format.nearest, format)


def _added(x: Any, y: Any, carrier: Any, count: Any) -> Any:
    format = carrier.format
    return total(x, y, threshold_of(format, count), format.nearest, format)


define(
    Rounded,
    multiply=_multiplied,
    multiply_again=_multiplied,
    add=_added,
    fuse=_added,
    enter=lambda x, y, carrier, count: converted(x, carrier, count),
    convert=lambda x, y, carrier, count: converted(x, carrier, count),
    smooth=lambda x, y, carrier, count: smooth_rounded(y, x, threshold_of(carrier.format, count), carrier.format),
)
