"""Rows that read one number each, read together: its leading digits tell the outcomes of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import Row
from exactnn.simulation.positional.status import OUTCOMES, Status

__all__ = ["LONGEST_LOOKUP", "Source", "digits_seen", "source_of"]

LONGEST_LOOKUP = 1 << 14
"""Entries of a table by leading digits."""


@dataclass(frozen=True, slots=True)
class Source:
    """A register in (0, 1) that some rows shift, negate or add a constant to.

    The head must have `need` digits; `digits` of them tell the outcomes: entry 2q of `lookup` is for the number
    q / base**digits itself, entry 2q+1 for all between it and the next; it is an index into the combinations of
    outcomes.
    """

    register: int
    need: int
    digits: int
    lookup: "np.ndarray[Any, np.dtype[np.int64]] | None"


def digits_seen(row: Row) -> int:
    """Return how many digits of its operand a row must see."""
    ((_, _, shift),) = row.operands
    return max(0, shift + row.constant[1])


def source_of(rows: Sequence[Row], radix: Radix) -> tuple[Source, tuple[tuple[Status, ...], ...]]:
    """Return the source of rows that read the same register, and the combinations of their outcomes that may occur.

    There are no combinations if the outcomes of all rows are known.
    """
    register = rows[0].operands[0][0]
    need = max(map(digits_seen, rows))
    open_rows = [row for row in rows if row.status is None]
    if not open_rows:
        return Source(register, need, -1, None), ()
    digits = max(map(digits_seen, open_rows))
    fixed = {row.unit: row.status for row in rows}
    columns = [
        _outcomes(row, digits, radix.base)
        if row.status is None
        else np.full(2 * radix.base**digits, int(fixed[row.unit] or 0))
        for row in rows
    ]
    found, lookup = np.unique(np.array(columns).T[1:], axis=0, return_inverse=True)  # the number is not 0
    combinations = tuple(tuple(map(Status, combination)) for combination in found.tolist())
    return Source(register, need, digits, np.concatenate([[0], lookup.reshape(-1)])), combinations


def _outcomes(row: Row, digits: int, base: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return the outcome of a row for each entry of the lookup."""
    ((_, sign, shift),) = row.operands
    number, places = row.constant
    more = max(0, -shift)
    one = base ** (digits + more)
    step = sign * base ** (shift + more)
    low = step * np.arange(base**digits) + number * base ** (digits + more - places)
    exactly = np.select([low < 0, low == 0, low < one, low == one], [4, 0, 2, 1], 3)
    between = np.select([np.maximum(low, low + step) <= 0, np.minimum(low, low + step) >= one], [4, 3], 2)
    kinds = np.stack([exactly, between], axis=1).reshape(-1)
    outcomes: np.ndarray[Any, np.dtype[np.int64]] = np.array(OUTCOMES[row.activation], dtype=np.int64)[kinds]
    return outcomes
