"""Floating-point formats of 54 to 79 bits, as pairs of float64: a complex number stands for the sum of its parts."""

from typing import Any, NamedTuple

from exactnn.simulation.carriers.carrier import define
from exactnn.simulation.rounding_kernels import Format
from exactnn.simulation.wide_kernels import wide_product, wide_total

__all__ = ["Pair"]


class Pair(NamedTuple):
    """Formats without accumulator and fused operations, rounding to nearest or in one direction."""

    format: Format


def _multiplied(x: Any, y: Any, carrier: Any, count: Any) -> Any:
    return wide_product(x, y, carrier.format)


define(
    Pair,
    multiply=_multiplied,
    multiply_again=_multiplied,
    add=lambda x, y, carrier, count: wide_total(x, y, carrier.format),
    enter=lambda x, y, carrier, count: x,  # there are no accumulators
    convert=lambda x, y, carrier, count: x,
)
