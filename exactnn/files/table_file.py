"""Rows as files of tables: CSV and Parquet, with the types of their columns kept as far as a format has types."""

import io
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from exactnn.errors import MissingExtraError, OptionError
from exactnn.files.whole_file import new_file
from exactnn.interrupts import loaded

__all__ = ["Rows", "check_table_file", "data_frame", "table_bytes"]

ENDINGS = (".csv", ".json", ".parquet")

Rows = Sequence[Mapping[str, Any]]
"""Rows with the same names in the same order; values are text, whole numbers, floats, bools or None."""


def check_table_file(path: str | os.PathLike[str], *, name: str = "table") -> None:
    """Check that a table can be saved as `path`, before anything is computed for it; `name` is for the message.

    Raises
    ------
    OptionError, MissingExtraError

    Examples
    --------
    >>> check_table_file("table.xls")
    Traceback (most recent call last):
    ...
    exactnn.errors.OptionError: table 'table.xls': name a file that ends in .csv, .json or .parquet
    """
    if new_file(name, path, ENDINGS, error=OptionError).suffix.lower() == ".parquet":
        _polars()


def _polars() -> Any:
    try:
        return loaded("polars")
    except ImportError:
        raise MissingExtraError('Parquet files and data frames need polars: pip install "exactnn[tables]"') from None


def _csv(rows: Rows) -> bytes:
    """Return rows as CSV by RFC 4180: the standard writer cannot tell an empty text from None."""
    lines = [",".join(map(_csv_cell, rows[0]))] if rows else []
    lines += [",".join(map(_csv_cell, row.values())) for row in rows]
    return "".join(line + "\r\n" for line in lines).encode("utf-8", "backslashreplace")


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return '"' + str(value).replace('"', '""') + '"'


def data_frame(rows: Rows, *, whole: Collection[str] = ()) -> Any:
    """Return rows as a data frame of polars; `whole` names columns of whole numbers, also where none is there.

    Raises
    ------
    MissingExtraError
        If polars is not installed.
    """
    polars = _polars()
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    kinds = {name: _kind(polars, values, name in whole) for name, values in columns.items()}
    texts = {name for name, kind in kinds.items() if kind == polars.String}
    plain = {name: list(map(_text, values)) if name in texts else values for name, values in columns.items()}
    return polars.DataFrame(plain, schema=kinds, strict=False)


def _parquet(rows: Rows, whole: Collection[str]) -> bytes:
    buffer = io.BytesIO()
    data_frame(rows, whole=whole).write_parquet(buffer)
    return buffer.getvalue()


def _text(value: object) -> str | None:
    """Return a value as text, which is Unicode: that excludes lone surrogates."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _kind(polars: Any, values: Sequence[object], whole: bool) -> Any:
    """Return the type of a column that has all of its values; numbers that are too long for one are text."""
    present = [value for value in values if value is not None]
    kinds = set(map(type, present))
    if not present or not kinds <= {bool, int, float} or (bool in kinds and len(kinds) > 1):
        return polars.Int64 if whole and not present else polars.String
    if bool in kinds:
        return polars.Boolean
    if float in kinds:
        return polars.Float64
    return polars.Int64 if all(-(1 << 63) <= value < 1 << 63 for value in present) else polars.String  # type: ignore[operator]


def table_bytes(rows: Rows, ending: str, *, whole: Collection[str] = ()) -> bytes:
    """Return the content of a file of rows, ``.csv`` or ``.parquet``; `whole` names columns of whole numbers.

    >>> table_bytes([{"word": "ab", "steps": 3, "note": None}], ".csv")
    b'"word","steps","note"\\r\\n"ab",3,\\r\\n'
    """
    return _csv(rows) if ending == ".csv" else _parquet(rows, whole)
