"""The units of a circuit as flat arrays of floats or words, the form in which the compiled loops read them."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks import Activation, Circuit, Unit

__all__ = ["Columns", "FloatRows", "Rows", "longest_row", "sorted_columns"]

Array = NDArray[Any]
Rows = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]
"""Bias, activation code, ends of the linear terms, their registers and weights, ends of the second-order terms, their
registers, twice, and weights."""

Columns = tuple[Array, Array, Array, Array]
"""The linear terms once more, by layer and register: units and registers of each layer, ends of the columns, units,
weights."""

LONG_ROW = 8
"""Rows of this mean length or more are summed by columns; measured by benchmarks/step_speed.py."""

_CODES = {
    Activation.IDENTITY: 0,
    Activation.RELU: 1,
    Activation.SLU: 2,
    Activation.HEAVISIDE: 3,
    Activation.SIGMOID: 4,
    Activation.TANH: 5,
}


class FloatRows:
    """Makes arrays of exact numbers, each rounded once, by `nearest`; in fixed point that gives words."""

    def __init__(self, nearest: Callable[[mpq], complex], dtype: type[np.number[Any]]) -> None:
        self.dtype = dtype
        self._nearest = nearest
        self._known: dict[mpq, complex] = {}

    def floats(self, values: Iterable[mpq]) -> Array:
        """Return numbers rounded to nearest."""
        known = self._known
        found = []
        previous: mpq | None = None
        nearest: complex = 0.0
        for value in values:
            if value is not previous:  # rationals are hashed slowly, and neighbours often the same
                if value not in known:
                    known[value] = self._nearest(value)
                previous, nearest = value, known[value]
            found.append(nearest)
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


def longest_row(rows: Rows) -> int:
    """Return how many terms the longest unit has."""
    return int(np.max(np.diff(rows[2].astype(np.int64)) + np.diff(rows[5].astype(np.int64)), initial=0))


def sorted_columns(circuit: Circuit, weights: Array) -> Columns | None:
    """Return the linear terms by layer and register, where each row has them in ascending order of the registers.

    None for short rows, where it does not pay, and for rows in another order, in which they would be summed up.
    """
    if len(weights) < LONG_ROW * circuit.units:
        return None
    sizes, registers, order = [], [], []
    available = circuit.state_size + circuit.input_size
    term = unit_index = 0
    for layer in circuit.layers:
        terms = []
        for unit in layer:
            columns = [register for register, _ in unit.linear]
            if any(first >= second for first, second in pairwise(columns)):
                return None
            terms += [(register, unit_index, term + i) for i, register in enumerate(columns)]
            term += len(columns)
            unit_index += 1
        terms.sort()
        order += terms
        counts = np.bincount([register for register, _, _ in terms], minlength=available)
        registers.append(counts)
        sizes.append((len(layer), available))
        available += len(layer)
    return (
        np.array(sizes, dtype=np.uint32).reshape(-1, 2),
        np.cumsum(np.concatenate([[0], *registers]), dtype=np.uint32),
        np.array([unit for _, unit, _ in order], dtype=np.uint32),
        weights[np.array([index for _, _, index in order], dtype=np.int64)],
    )
