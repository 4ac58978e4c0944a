"""The machine's own floating point: float64 or float32, as the arrays are."""

from typing import NamedTuple

from exactnn.simulation.carriers.carrier import define
from exactnn.simulation.smooth_kernels import smooth_native

__all__ = ["NATIVE", "Native"]


class Native(NamedTuple):
    """As the processor computes; without fused operations."""

    nothing: bool = True
    """There is nothing to say; but compiled code takes no empty tuple."""


NATIVE = Native()

define(
    Native,
    multiply=lambda x, y, carrier, count: x * y,
    multiply_again=lambda x, y, carrier, count: x * y,
    add=lambda x, y, carrier, count: x + y,
    fuse=lambda x, y, carrier, count: x + y,
    smooth=lambda x, y, carrier, count: smooth_native(y, x),
)
