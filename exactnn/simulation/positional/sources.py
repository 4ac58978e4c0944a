"""Rows that read one number each, grouped by the number: its leading digits tell the outcomes of all rows of the group.

So one look-up does.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from exactnn.simulation.executor import Basic
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import OUTCOMES, Row, Status

__all__ = ["Source", "source_of"]

_Lookup = np.ndarray[Any, np.dtype[np.int64]]
_Kind = Status | tuple[Basic, int, int, int, int]


class Source(NamedTuple):
    """A register in (0, 1) that some rows shift, negate or add a constant to.

    The head must have `need` digits; `digits` of them tell the outcomes: entry 2q of `lookup` is for the number
    q / base**digits itself, entry 2q+1 for all between it and the next; it is an index into the combinations of
    outcomes.
    """

    register: int
    need: int
    digits: int
    lookup: "_Lookup | None"


def source_of(rows: Sequence[Row], radix: Radix) -> tuple[Source, tuple[tuple[Status, ...], ...]]:
    """Return the source of rows that read the same register, and the combinations of their outcomes that may occur.

    There are no combinations if the outcomes of all rows are known.
    """
    register = rows[0].operands[0][0]
    need = max([row.digits_seen for row in rows])
    open_rows = [row for row in rows if row.status is None]
    if not open_rows:
        return Source(register, need, -1, None), ()
    digits = max([row.digits_seen for row in open_rows])
    lookup, combinations = _looked_up(tuple(map(_kind, rows)), digits, radix.base)
    return Source(register, need, digits, lookup), combinations


def _kind(row: Row) -> "_Kind":
    """Return what the outcomes of a row of one operand depend on."""
    if row.status is not None:
        return row.status
    ((_, sign, shift),) = row.operands
    return row.activation, sign, shift, *row.constant


@lru_cache(maxsize=1 << 8)
def _looked_up(kinds: "tuple[_Kind, ...]", digits: int, base: int) -> "tuple[_Lookup, tuple[tuple[Status, ...], ...]]":
    """Return which combination of outcomes each entry of the lookup gives, and these, for rows of these kinds.

    They are kept, as the outcomes are.
    """
    columns: list[np.ndarray[Any, Any]] = [
        np.full(2 * base**digits, int(kind)) if isinstance(kind, Status) else _outcomes_of(*kind, digits, base)
        for kind in kinds
    ]
    found, lookup = _distinct(np.array(columns)[:, 1:])  # the number is not 0
    combinations = tuple(tuple(map(Status, combination)) for combination in found.T.tolist())
    lookup = np.concatenate([[0], lookup])
    lookup.flags.writeable = False
    return lookup, combinations


def _distinct(columns: "np.ndarray[Any, np.dtype[np.int64]]") -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
    """Return the distinct columns in their order, and which of them each column is.

    As numpy's `unique` with an axis does, which however makes a TypeError of an interruption.
    """
    order = np.lexsort(columns[::-1])
    ordered = columns[:, order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    lookup = np.empty(len(order), dtype=np.int64)
    lookup[order] = np.cumsum(fresh) - 1
    return ordered[:, fresh], lookup


@lru_cache(maxsize=1 << 8)
def _outcomes_of(
    activation: Basic, sign: int, shift: int, number: int, places: int, digits: int, base: int
) -> "np.ndarray[Any, np.dtype[np.int8]]":
    """Return the outcomes of activation(sign * base**shift * x + number / base**places) for each entry of x.

    They are kept, since a machine's states and symbols have many rows in common.
    """
    more = max(0, -shift)
    one = base ** (digits + more)
    step = sign * base ** (shift + more)
    low = step * np.arange(base**digits) + number * base ** (digits + more - places)
    exactly = np.where(low < 0, 4, np.where(low > one, 3, 2))
    exactly[low == 0], exactly[low == one] = 0, 1
    between = np.where(low + max(step, 0) <= 0, 4, np.where(low + min(step, 0) >= one, 3, 2))
    kinds = np.stack([exactly, between], axis=1).reshape(-1)
    outcomes: np.ndarray[Any, np.dtype[np.int8]] = np.array(OUTCOMES[activation], dtype=np.int8)[kinds]
    outcomes.flags.writeable = False
    return outcomes
