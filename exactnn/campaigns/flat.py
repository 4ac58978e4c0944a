"""Units as rows of a table: what a unit is and what it gave, on one level."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from exactnn.campaigns.unit import json_line

__all__ = ["ERROR", "flat_row", "one_typed", "plain_numbers"]

ERROR = "error"
"""The column that says why a unit failed."""
_UNIT, _ROW = "unit.", "row."


def flat_row(identity: Mapping[str, Any], row: Any) -> dict[str, Any]:
    """Return the columns of a unit and of its row; lists are JSON text.

    No two share a name: what the row has and the identity too begins with ``row.``, and ``error`` is left free.

    >>> flat_row({"kind": "square", "number": 3}, {"number": 9, "error": 0.5, "digits": [9]})
    {'kind': 'square', 'number': 3, 'row.number': 9, 'row.error': 0.5, 'digits': '[9]'}
    """
    own = {_free(name, _UNIT, ()): _cell(value) for name, value in identity.items()}
    values = row if isinstance(row, Mapping) else {"row": row}
    return {"kind": own["kind"]} | own | {_free(name, _ROW, identity): _cell(value) for name, value in values.items()}


def _free(name: str, prefix: str, taken: Mapping[str, Any] | Sequence[str]) -> str:
    """Return a name that nothing else has: only such begin with a prefix."""
    return f"{prefix}{name}" if name in taken or name == ERROR or name.startswith((_UNIT, _ROW)) else name


def _cell(value: object) -> object:
    return json_line(plain_numbers(value)) if isinstance(value, (list, tuple, dict)) else value


def plain_numbers(value: Any) -> Any:
    """Return JSON data in which floats that JSON has not got are text.

    >>> plain_numbers([1.5, float("nan"), {"least": float("-inf")}])
    [1.5, 'nan', {'least': '-inf'}]
    """
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: plain_numbers(inner) for name, inner in value.items()}
    return [plain_numbers(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def one_typed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with the same columns of one type each; a column of several types, or of huge numbers, is text."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    texts = {name for name, values in columns.items() if _is_mixed([value for value in values if value is not None])}
    return [
        {name: str(row[name]) if name in texts and row.get(name) is not None else row.get(name) for name in names}
        for row in rows
    ]


def _is_mixed(values: Sequence[Any]) -> bool:
    kinds = {type(value) for value in values}
    return len(kinds) > 1 or (kinds == {int} and any(abs(value) >= 2**63 for value in values))
