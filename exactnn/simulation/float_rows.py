"""The units of a circuit as flat arrays of floats, the form in which the compiled loops of floating point read them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks import Activation, Unit

__all__ = ["FloatRows", "Rows"]

Array = NDArray[Any]
Rows = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]
"""Bias, activation code, ends of the linear terms, their registers and weights, ends of the second-order terms, their
registers, twice, and weights."""

_CODES = {Activation.IDENTITY: 0, Activation.RELU: 1, Activation.SLU: 2, Activation.HEAVISIDE: 3}


class FloatRows:
    """Makes arrays of exact numbers, each rounded once."""

    def __init__(self, nearest: Callable[[mpq], complex], dtype: type[np.inexact[Any]]) -> None:
        self.dtype = dtype
        self._nearest = nearest
        self._known: dict[mpq, complex] = {}

    def floats(self, values: Iterable[mpq]) -> Array:
        """Return numbers rounded to nearest."""
        nearest = self._known
        found = []
        for value in values:
            if value not in nearest:
                nearest[value] = self._nearest(value)
            found.append(nearest[value])
        return np.array(found, dtype=self.dtype)

    def rows(self, units: Sequence[Unit]) -> Rows:
        """Return units as rows."""
        linear = [term for unit in units for term in unit.linear]
        bilinear = [term for unit in units for term in unit.bilinear]
        return (
            self.floats(unit.bias for unit in units),
            np.array([_CODES[unit.activation] for unit in units], dtype=np.uint8),
            np.cumsum([0] + [len(unit.linear) for unit in units], dtype=np.uint32),
            np.array([register for register, _ in linear], dtype=np.uint32),
            self.floats(weight for _, weight in linear),
            np.cumsum([0] + [len(unit.bilinear) for unit in units], dtype=np.uint32),
            np.array([first for first, _, _ in bilinear], dtype=np.uint32),
            np.array([second for _, second, _ in bilinear], dtype=np.uint32),
            self.floats(weight for _, _, weight in bilinear),
        )
