"""Results that are tables of data: rows of plain values, for data frames and for files."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from exactnn.errors import MissingExtraError, OptionError, shown
from exactnn.files.table_file import Rows, check_table_file, data_frame, table_bytes
from exactnn.files.whole_file import write_file
from exactnn.interrupts import loaded
from exactnn.markup import Tabular

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars

__all__ = ["Data", "DataRows", "DataTable", "data_rows", "json_rows"]


class Data(ABC):
    """What has rows of data: each is a mapping from the same names to text, whole numbers, floats, bools or None.

    Polars, pandas and whatever reads Arrow take it. Exact numbers are text with all their digits, such as 1/3.
    """

    __slots__ = ()
    whole_columns: ClassVar[frozenset[str]] = frozenset()
    """Columns of whole numbers, also where a table has none in them."""

    @abstractmethod
    def as_rows(self) -> Rows:
        """Return the rows, all with the same names in the same order."""

    def to_polars(self) -> "polars.DataFrame":
        """Return the rows as a data frame of polars; raises MissingExtraError if polars is not installed."""
        return data_frame(self.as_rows(), whole=self.whole_columns)  # type: ignore[no-any-return]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the rows as a data frame of pandas; raises MissingExtraError if pandas is not installed."""
        try:
            pandas = loaded("pandas")
        except ImportError:
            raise MissingExtraError("data frames of pandas need pandas: pip install pandas") from None
        return pandas.DataFrame([dict(row) for row in self.as_rows()])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as a stream of Arrow's C interface; it needs polars."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def save(self, path: str | os.PathLike[str], *, replace: bool = True) -> None:
        """Write the rows to a file: .csv, .parquet, or .json, which has a list of objects.

        JSON has no infinite numbers: there they are the texts "inf", "-inf" and "nan".

        Parameters
        ----------
        path : str or path
        replace : bool
            Whether a file that is there may be replaced.

        Raises
        ------
        OptionError
            If the ending is another one, or the file cannot be written.
        MissingExtraError
            If it is a Parquet file and polars is not installed.
        """
        check_table_file(path)
        ending = Path(path).suffix.lower()
        rows = self.as_rows()
        if ending == ".json":
            content = json.dumps(json_rows(rows), indent=1, allow_nan=False).encode("ascii") + b"\n"
        else:
            content = table_bytes(rows, ending, whole=self.whole_columns)
        subject = f"table {shown(str(path))} cannot be written"
        write_file(path, content, error=OptionError, subject=subject, replace=replace)


class DataRows(Data):
    """A result that iterates over its rows of data, and whose length is their number."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.as_rows())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter([dict(row) for row in self.as_rows()])


class DataTable(DataRows, Tabular):
    """A result that is a table, of its rows of data and for people.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> table = collapse(thirds, [[0], [1, 0]], "float32")
    >>> len(table), [row["value_exact"] for row in table]
    (2, [None, '1/3'])
    """

    __slots__ = ()


def json_rows(rows: Rows) -> list[dict[str, Any]]:
    """Return rows as JSON can have them: with text for floats that are infinite or NaN.

    >>> json_rows([{"error": float("inf"), "steps": 3}])
    [{'error': 'inf', 'steps': 3}]
    """
    return [{name: _in_json(value) for name, value in row.items()} for row in rows]


def _in_json(value: object) -> object:
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def data_rows(entries: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a row for each entry, a dataclass: its fields, with text for what is no plain value.

    >>> from exactnn.depth import gradient_limits
    >>> data_rows(gradient_limits("1/2", "float16"))[0]["factor"]
    '1/2'
    """
    return [{each.name: _plain(getattr(entry, each.name)) for each in fields(entry)} for entry in entries]


def _plain(value: object) -> str | int | float | None:
    return value if value is None or type(value) in (str, int, float, bool) else str(value)  # type: ignore[return-value]
