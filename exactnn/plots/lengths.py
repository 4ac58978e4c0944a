"""A collapse table gathered by word length: what a picture of it shows at each length."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Any

from exactnn.precision import Collapse, Divergence

__all__ = ["Failure", "Length", "edges", "lengths"]


class Failure(IntEnum):
    """The worst that goes wrong on a word, from nothing to the verdict."""

    NOTHING = 0
    VALUE = 1
    CONFIGURATION = 2
    VERDICT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """All words of one length together: the longest exact run, and for each format the worst and the earliest."""

    length: int
    steps: int
    failures: tuple[Failure, ...]
    value_steps: tuple[int | None, ...]
    configuration_steps: tuple[int | None, ...]


def lengths(table: Collapse) -> list[Length]:
    """Return the rows of a table gathered by word length, in increasing order."""
    rows: dict[int, list[Any]] = {}
    for row in table.rows:
        rows.setdefault(len(row.word), []).append(row)
    gathered = []
    for length, same in sorted(rows.items()):
        columns: list[tuple[Divergence, ...]] = list(zip(*(row.divergences for row in same), strict=True))
        gathered.append(
            Length(
                length=length,
                steps=max(row.steps for row in same),
                failures=tuple(max(map(_failure, column)) for column in columns),
                value_steps=tuple(_earliest(d.value for d in column) for column in columns),
                configuration_steps=tuple(_earliest(d.configuration for d in column) for column in columns),
            )
        )
    return gathered


def _failure(found: Divergence) -> Failure:
    if found.verdict is not None:
        return Failure.VERDICT
    if found.configuration is not None:
        return Failure.CONFIGURATION
    return Failure.NOTHING if found.value is None else Failure.VALUE


def _earliest(parts: Any) -> int | None:
    return min((part.step for part in parts if part is not None), default=None)


def edges(values: Sequence[int]) -> list[float]:
    """Return the borders between neighbouring numbers, and one before the first and after the last.

    >>> edges([2, 4, 8])
    [1.0, 3.0, 6.0, 10.0]
    """
    if len(values) == 1:
        return [values[0] - 0.5, values[0] + 0.5]
    inner = [(a + b) / 2 for a, b in pairwise(values)]
    return [values[0] - (inner[0] - values[0]), *inner, values[-1] + (values[-1] - inner[-1])]
