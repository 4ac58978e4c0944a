"""A collapse table gathered by word length: what a picture of it shows at each length."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from exactnn.precision import Collapse, Divergence

__all__ = ["Failure", "Length", "lengths"]


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
