"""Collapse tables as data, one object for JSON or flat rows, and as files: CSV, JSON or Parquet.

No number in the data is a float: those that need not be whole are texts.
"""

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Format, Number, exact_text, is_finite, short_text
from exactnn.errors import MissingExtraError, OptionError, shown
from exactnn.files import new_file, write_file
from exactnn.interrupts import loaded
from exactnn.options import flag, listed, mapped, result
from exactnn.outcome import Outcome
from exactnn.precision.collapse import CRITERIA, Collapse, CollapseRow
from exactnn.precision.divergence import Divergence
from exactnn.version import __version__

__all__ = ["check_table_file", "collapse_record", "collapse_rows", "collapse_summary", "eos_steps", "save_collapse"]

Labels = Sequence[Mapping[str, Any]]
"""What else is known of each word of a table, as columns or entries; "word" stands in for the text of the word."""

WHOLE_COLUMNS = frozenset(
    (
        *("n", "length", "precision", "exponent_bits", "steps", "eos_steps", "value_step", "value_bits"),
        *("configuration_step", "configuration_depth", "verdict_step"),
        *("words", "first_wrong_length", "first_wrong_step"),
    )
)
"""Columns of whole numbers, also where a table has none in them."""

ENDINGS = (".csv", ".json", ".parquet")

Rows = Sequence[Mapping[str, Any]]


def eos_steps(row: CollapseRow) -> int:
    """Return the number of EOS steps of the exact run: T, if it was decided."""
    return max(0, row.steps - len(row.word))


def collapse_record(table: Collapse, *, labels: Labels | None = None) -> dict[str, Any]:
    """Return the whole table as data for JSON: the first failing lengths, and a row for each word.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision.collapse import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> collapse_record(collapse(thirds, [[1, 0]]))["rows"][0]["formats"]["float32"]["value"]["exact"]
    '1/3'
    """
    return {
        "network": table.name,
        "formats": [str(arithmetic) for arithmetic in table.formats],
        "complete": table.complete,
        "first_failures": {str(a): _first_lengths(table, a) for a in table.formats},
        "rows": [
            _word_record(row, text, table.formats) | dict(label)
            for row, text, label in zip(table.rows, _word_texts(table), _checked(table, labels), strict=True)
        ],
        "exactnn": __version__,
    }


def collapse_rows(table: Collapse, *, labels: Labels | None = None) -> list[dict[str, Any]]:
    """Return a flat row for each word and format, all with the same keys; what there is not is None.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision.collapse import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> row = collapse_rows(collapse(thirds, [[1, 0]]))[1]
    >>> row["format"], row["value_step"], row["value_exact"], row["value_computed"]
    ('float32', 2, '1/3', '11184811/33554432')
    """
    return [
        {"word": text} | dict(label) | _row(row, divergence)
        for row, text, label in zip(table.rows, _word_texts(table), _checked(table, labels), strict=True)
        for divergence in row.divergences
    ]


def collapse_summary(table: Collapse) -> list[dict[str, Any]]:
    """Return a flat row for each format and criterion: the shortest word that goes wrong, and at which step.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from exactnn.precision.collapse import collapse
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> list(collapse_summary(collapse(thirds, [[0], [1, 0]]))[0].values())
    ['float64', 53, 11, 'value', 2, 2, 2]
    """
    found = []
    for arithmetic in table.formats:
        for criterion in CRITERIA:
            failure = table.first_failure(arithmetic, criterion)
            found.append(
                _format_cells(arithmetic)
                | {
                    "criterion": criterion,
                    "words": len(table.rows),
                    "first_wrong_length": None if failure is None else len(failure.word),
                    "first_wrong_step": None if failure is None else getattr(failure, criterion).step,
                }
            )
    return found


def _format_cells(arithmetic: Format) -> dict[str, Any]:
    return {
        "format": str(arithmetic),
        "precision": getattr(arithmetic, "precision", None),
        "exponent_bits": getattr(arithmetic, "exponent_bits", None),
    }


def _first_lengths(table: Collapse, arithmetic: Format) -> dict[str, int | None]:
    """Return the length of the shortest word that goes wrong, by criterion."""
    found = {criterion: table.first_failure(arithmetic, criterion) for criterion in CRITERIA}
    return {criterion: None if failure is None else len(failure.word) for criterion, failure in found.items()}


def _checked(table: Collapse, labels: Labels | None) -> Labels:
    """Return labels, one for each row; an interrupted table may have fewer rows than there were words."""
    if labels is None:
        return [{} for _ in table.rows]
    given = listed("labels", labels, "a sequence of mappings, one for each word")
    if not all(isinstance(label, Mapping) for label in given):
        raise OptionError(f"labels={shown(labels)}: give a sequence of mappings, one for each word")
    if len(given) < len(table.rows):
        raise OptionError(f"{len(given)} labels for {len(table.rows)} words: give one for each")
    return [mapped("a label", label) for label in given[: len(table.rows)]]


def _word_texts(table: Collapse) -> list[str]:
    """Return the words as text: the symbols, with spaces between them if one has several characters.

    Vectors are written as the command line reads them, such as ``1,0 1/2,3``.
    """
    words = [[_symbol_text(symbol) for symbol in row.word] for row in table.rows]
    joint = "" if all(isinstance(a, str) and len(a) == 1 for row in table.rows for a in row.word) else " "
    return [joint.join(word) for word in words]


def _symbol_text(symbol: object) -> str:
    return ",".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol)


def _word_record(row: CollapseRow, text: str, formats: Sequence[Format]) -> dict[str, Any]:
    return {
        "word": text,
        "length": len(row.word),
        "outcome": str(row.outcome),
        "verdict": row.outcome.verdict,
        "steps": row.steps,
        "eos_steps": eos_steps(row),
        "formats": {str(a): _divergence_record(d) for a, d in zip(formats, row.divergences, strict=True)},
    }


def _divergence_record(found: Divergence) -> dict[str, Any]:
    value, configuration, verdict = found.value, found.configuration, found.verdict
    return {
        "right": verdict is None,
        "value": value
        and {
            "step": value.step,
            "neuron": value.neuron,
            "exact": _short(value.exact),
            "exact_hex": exact_text(value.exact),
            "computed": _short(value.computed),
            "computed_hex": exact_text(mpq(value.computed)) if is_finite(value.computed) else repr(value.computed),
            "ulps": None if value.ulps is None else _short(value.ulps),
            "ulps_hex": None if value.ulps is None else exact_text(value.ulps),
            "bits": value.bits,
        },
        "configuration": configuration
        and {
            "step": configuration.step,
            "exact": str(configuration.exact),
            "computed": str(configuration.computed),
            "depth": configuration.depth,
        },
        "verdict": verdict
        and {"step": verdict.step, "exact": _outcome(verdict.exact), "computed": _outcome(verdict.computed)},
    }


def _row(row: CollapseRow, found: Divergence) -> dict[str, Any]:
    value, configuration, verdict = found.value, found.configuration, found.verdict
    return {
        "length": len(row.word),
        **_format_cells(found.arithmetic),
        "outcome": str(row.outcome),
        "steps": row.steps,
        "eos_steps": eos_steps(row),
        "value_step": value and value.step,
        "value_neuron": value and value.neuron,
        "value_exact": value and _exactly(value.exact),
        "value_computed": value and _exactly(value.computed),
        "value_ulps": None if value is None or value.ulps is None else _exactly(value.ulps),
        "value_bits": value and value.bits,
        "configuration_step": configuration and configuration.step,
        "configuration_exact": configuration and str(configuration.exact),
        "configuration_computed": configuration and str(configuration.computed),
        "configuration_depth": configuration and configuration.depth,
        "verdict_right": verdict is None,
        "verdict_step": verdict and verdict.step,
        "verdict_exact": verdict and _said(verdict.exact),
        "verdict_computed": verdict and _said(verdict.computed),
    }


def _short(value: Number) -> str:
    """Return a number for people: a short exact fraction, or the digits that a float stands for."""
    return short_text(value) if isinstance(value, mpq) else repr(value)


def _exactly(value: Number) -> str:
    """Return a number as a decimal fraction with all its digits, or inf, -inf or nan."""
    return str(mpq(value)) if is_finite(value) else repr(value)


def _outcome(outcome: Outcome | None) -> str | None:
    return None if outcome is None else str(outcome)


def _said(outcome: Outcome | None) -> str:
    return "not yet" if outcome is None else str(outcome)


def save_collapse(
    table: Collapse,
    path: str | os.PathLike[str],
    *,
    summary: bool = False,
    labels: Labels | None = None,
    about: Mapping[str, Any] | None = None,
    replace: bool = True,
) -> None:
    r"""Write a collapse table to a file, in the format that its ending names.

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
    replace : bool
        Whether a file that is there may be replaced.

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
    result("table", table, Collapse, "exactnn.collapse")
    summary = flag("summary", summary)
    if about is not None and not isinstance(about, Mapping):
        raise OptionError(f"about={shown(about)}: give a mapping, or None")
    check_table_file(path)
    ending = Path(path).suffix.lower()
    if ending == ".json":
        record = dict(about or {}) | collapse_record(table, labels=labels)
        content = json.dumps(record, indent=2).encode("ascii") + b"\n"
    else:
        rows: Rows = collapse_summary(table) if summary else collapse_rows(table, labels=labels)
        content = _csv(rows) if ending == ".csv" else _parquet(rows)
    write_file(path, content, error=OptionError, subject=f"table {shown(str(path))} cannot be written", replace=replace)


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
        raise MissingExtraError('Parquet files need polars: pip install "exactnn[tables]"') from None


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
