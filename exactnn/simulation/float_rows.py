"""The units of a circuit as flat arrays of floats or words, the form in which the compiled loops read them."""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks import Kind, Unit

__all__ = ["KINDS", "Columns", "FloatRows", "Rows", "halves", "longest_row", "sorted_columns", "zeros_change_no_sum"]

Array = NDArray[Any]


class Rows(NamedTuple):
    """Units in order. The terms of unit u are those from ``ends[u]`` to ``ends[u + 1]``."""

    bias: Array
    kind: Array
    """What the activation does, a number of `KINDS`."""
    low: Array
    high: Array
    """The bounds of the activation; the ends of the number line where it has none."""
    ends: Array
    columns: Array
    """The registers that linear terms read."""
    weights: Array
    second_ends: Array
    lefts: Array
    rights: Array
    """The two registers that second-order terms read."""
    second_weights: Array


class Columns(NamedTuple):
    """The linear terms once more, by layer and register. Those of column c are from ``ends[c]`` to ``ends[c + 1]``."""

    registers: Array
    """The register that a column reads."""
    ends: Array
    targets: Array
    """The units that get the terms."""
    weights: Array


KINDS = {Kind.CLAMP: 0, Kind.JUMP: 1, Kind.SIGMOID: 4, Kind.TANH: 5, Kind.SOFTPLUS: 6, Kind.EXP: 7}
"""The numbers of the kinds of activations in compiled code; smooth ones are those from 4 on."""


MANY = 32
"""From so many numbers on it is faster to round them all at once."""


class FloatRows:
    """Makes arrays of exact numbers, each rounded once, by `nearest`; in fixed point that gives words.

    `ends` are the numbers that bound nothing, and `bound` rounds the bounds of activations. Where there are many
    numbers, `many` rounds them as `nearest` does.
    """

    def __init__(
        self,
        nearest: Callable[[mpq], complex],
        dtype: type[np.number[Any]],
        *,
        bound: Callable[[mpq], complex] | None = None,
        many: Callable[[Sequence[mpq]], Array] | None = None,
        ends: tuple[complex, complex] = (-inf, inf),
    ) -> None:
        self.dtype = dtype
        self._nearest = nearest
        self._bound = bound or self._zero_one_or_nearest
        self._many = many
        self._ends = ends

    def _zero_one_or_nearest(self, value: mpq) -> complex:
        """Return a bound rounded to nearest; 0 and 1 are there in every format, as the inputs of symbols are."""
        return float(value) if value in (0, 1) else self._nearest(value)

    def floats(self, values: Iterable[mpq], known: dict[mpq, complex] | None = None) -> Array:
        """Return numbers rounded to nearest; those `known` are not rounded again."""
        values = list(values)
        if self._many is not None and len(values) >= MANY:
            return self._many(values).astype(self.dtype)
        if known is None:
            known = {}
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
        known: dict[mpq, complex] = {}
        linear = [term for unit in units for term in unit.linear]
        bilinear = [term for unit in units for term in unit.bilinear]
        return Rows(
            self.floats((unit.bias for unit in units), known),
            np.array([KINDS[unit.activation.kind] for unit in units], dtype=np.uint8),
            self._bounds([unit.activation.low for unit in units], self._ends[0]),
            self._bounds([unit.activation.high for unit in units], self._ends[1]),
            np.cumsum([0] + [len(unit.linear) for unit in units], dtype=np.uint32),
            np.array([register for register, _ in linear], dtype=np.uint32),
            self.floats((weight for _, weight in linear), known),
            np.cumsum([0] + [len(unit.bilinear) for unit in units], dtype=np.uint32),
            np.array([first for first, _, _ in bilinear], dtype=np.uint32),
            np.array([second for _, second, _ in bilinear], dtype=np.uint32),
            self.floats((weight for _, _, weight in bilinear), known),
        )

    def _bounds(self, bounds: Sequence[mpq | None], end: complex) -> Array:
        known: dict[mpq | None, complex] = {None: end}
        for bound in bounds:
            if bound is not None and bound not in known:
                known[bound] = self._bound(bound)
        return np.array([known[bound] for bound in bounds], dtype=self.dtype)


def longest_row(rows: Rows) -> int:
    """Return how many terms the longest unit has."""
    terms = np.diff(rows.ends.astype(np.int64)) + np.diff(rows.second_ends.astype(np.int64))
    return int(np.max(terms, initial=0))


def halves(rows: Rows, units: int) -> tuple[Rows, Rows]:
    """Return the first rows, so many, and the others."""
    begin, end = slice(None, units), slice(units, None)
    return _cut(rows, begin, slice(None, units + 1)), _cut(rows, end, end)


def _cut(rows: Rows, part: slice, ends: slice) -> Rows:
    return rows._replace(
        bias=rows.bias[part], kind=rows.kind[part], low=rows.low[part], high=rows.high[part],
        ends=rows.ends[ends], second_ends=rows.second_ends[ends],
    )  # fmt: skip


def zeros_change_no_sum(rows: Rows) -> bool:
    """Return whether terms that are 0 may be left out: no sum begins with -0, which they would make 0.

    And all weights are finite: 0 times infinity is NaN.
    """
    negative_zero = (rows.bias == 0) & np.signbit(rows.bias.real)
    weights = np.concatenate([rows.weights, rows.second_weights])
    return not negative_zero.any() and bool(np.isfinite(weights).all())


def sorted_columns(rows: Rows, layers: Sequence[tuple[int, int]]) -> tuple[Columns, Array] | None:
    """Return the linear terms by layer and register, and the first column of each layer and the end of the last.

    Of each layer there are its first row, and the one after its last. None if a row has its terms not in ascending
    order of the registers: they would be summed up in that order.
    """
    lengths: Array = np.diff(rows.ends.astype(np.int64))
    targets, registers = np.repeat(np.arange(len(rows.bias)), lengths), rows.columns
    if (registers[1:] <= registers[:-1])[targets[1:] == targets[:-1]].any():
        return None
    layer_of = np.repeat(np.arange(len(layers)), [end - begin for begin, end in layers])
    order = np.lexsort((targets, registers, layer_of[targets]))
    targets, registers = targets[order], registers[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (registers[1:] != registers[:-1]) | (layer_of[targets[1:]] != layer_of[targets[:-1]])
    ends = np.append(np.flatnonzero(begins), len(order))
    first_columns = np.searchsorted(layer_of[targets[begins]], np.arange(len(layers) + 1))
    columns = Columns(registers[begins], ends.astype(np.uint32), targets.astype(np.uint32), rows.weights[order])
    return columns, first_columns
