"""Collapse tables as files: CSV, JSON or Parquet, replaced in one step."""

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from exactnn.errors import MissingExtraError, OptionError, shown
from exactnn.precision.collapse import Collapse
from exactnn.precision.collapse_records import WHOLE_COLUMNS, Labels, collapse_record, collapse_rows, collapse_summary

__all__ = ["check_table_file", "save_collapse"]

ENDINGS = (".csv", ".json", ".parquet")

Rows = Sequence[Mapping[str, Any]]


def save_collapse(
    table: Collapse,
    path: str | os.PathLike[str],
    *,
    summary: bool = False,
    labels: Labels | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    r"""Write a collapse table to a file, in the format that its ending names; what was there is replaced.

    Parameters
    ----------
    table : Collapse
    path : str or path
        ``.csv`` or ``.parquet``: a row for each word and format. ``.json``: one object with the first failing lengths
        and an object for each word.
    summary : bool
        Write a row for each format and criterion instead, with the first failing length. JSON has that in any case.
    labels : sequence of mappings, optional
        What else is known of each word, for more columns.
    about : mapping, optional
        What else is known of the table, for the beginning of the JSON object.

    Raises
    ------
    OptionError
        If the ending is another one, or the file cannot be written.
    MissingExtraError
        If it is a Parquet file and polars is not installed.

    Notes
    -----
    Numbers of a network are text with all their digits, such as 1/3, and never floats. In CSV text is in quotes and
    whole numbers are not, so that an empty word ("") is told from what is not there; text is written as it is. A
    spreadsheet may take a word such as =a+b for a formula: have it import these columns as text.

    Examples
    --------
    >>> import tempfile
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision.collapse import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_collapse(collapse(thirds, [[0], [1, 0]]), f"{folder}/thirds.csv", summary=True)
    ...     print(Path(f"{folder}/thirds.csv").read_text().splitlines()[1])
    "float64",53,11,"value",2,2,2
    """
    check_table_file(path)
    ending = Path(path).suffix.lower()
    if ending == ".json":
        record = dict(about or {}) | collapse_record(table, labels=labels)
        content = json.dumps(record, indent=2).encode("ascii") + b"\n"
    else:
        rows: Rows = collapse_summary(table) if summary else collapse_rows(table, labels=labels)
        content = _csv(rows) if ending == ".csv" else _parquet(rows)
    _replace(Path(path), content)


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
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"{name} {shown(str(path))}: name a file that ends in .csv, .json or .parquet")
    if target.is_dir():
        raise OptionError(f"{name} {shown(str(path))} is a folder: name a file in it")
    if not target.absolute().parent.is_dir():
        raise OptionError(f"{name} {shown(str(path))}: there is no such folder, make it first")
    if target.suffix.lower() == ".parquet":
        _polars()


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingExtraError('Parquet files need polars: pip install "exactnn[tables]"') from None
    return polars


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
    if isinstance(value, int):
        return str(value)
    return '"' + str(value).replace('"', '""') + '"'


def _parquet(rows: Rows) -> bytes:
    polars = _polars()
    columns = {name: [_plain(row[name]) for row in rows] for name in (rows[0] if rows else ())}
    kinds = {name: _kind(polars, name, values) for name, values in columns.items()}
    buffer = io.BytesIO()
    polars.DataFrame(columns, schema=kinds).write_parquet(buffer)
    return buffer.getvalue()


def _plain(value: object) -> object:
    """Return a value as Parquet has it; a text in it is Unicode, which excludes lone surrogates."""
    if value is None or isinstance(value, int):
        return value
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _kind(polars: Any, name: str, values: Sequence[object]) -> Any:
    """Return the type of a column."""
    present = next((value for value in values if value is not None), None)
    if isinstance(present, bool):
        return polars.Boolean
    return polars.Int64 if name in WHOLE_COLUMNS or isinstance(present, int) else polars.String


def _replace(target: Path, content: bytes) -> None:
    """Put content in the place of a file, or leave that as it is."""
    try:
        temporary = target.with_name(f"{target.name}.{token_hex(8)}.part")
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OptionError(f"table {shown(str(target))} cannot be written: {error.strerror}") from None
