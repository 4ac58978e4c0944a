"""Collapse tables as data, one object for JSON or flat rows, and as files: CSV, JSON or Parquet.

No number in the data is a float: those that need not be whole are texts.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, Format, Number, exact_text, is_finite, short_text
from exactnn.errors import OptionError, shown
from exactnn.files import Rows, check_table_file, table_bytes, write_file
from exactnn.options import flag, listed, mapped, result
from exactnn.outcome import Outcome
from exactnn.precision.collapse import (
    CRITERIA,
    WHOLE_COLUMNS,
    Collapse,
    CollapseRow,
    eos_steps,
    format_cells,
    word_texts,
)
from exactnn.precision.divergence import Divergence
from exactnn.version import __version__

__all__ = ["collapse_record", "collapse_rows", "collapse_summary", "save_collapse"]

Labels = Sequence[Mapping[str, Any]]
"""What else is known of each word of a table, as columns or entries; "word" stands in for the text of the word."""


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
            for row, text, label in zip(table.rows, word_texts(table), _checked(table, labels), strict=True)
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
    labels = [label for label in _checked(table, labels) for _ in table.formats]
    return [{"word": row["word"]} | dict(label) | _without_word(row) for row, label in zip(table, labels, strict=True)]


def _without_word(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "word"}


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
                format_cells(arithmetic)
                | {
                    "criterion": criterion,
                    "words": len(table.rows),
                    "first_wrong_length": None if failure is None else len(failure.word),
                    "first_wrong_step": None if failure is None else getattr(failure, criterion).step,
                }
            )
    return found


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
            "exact_hex": _hexadecimal(value.exact),
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


def _short(value: Number | Enclosure) -> str:
    """Return a number for people: a short exact fraction, or the digits that a float stands for, or two bounds."""
    return short_text(value) if isinstance(value, mpq) else str(value)


def _hexadecimal(value: mpq | Enclosure) -> str:
    if isinstance(value, Enclosure):
        return f"[{exact_text(value.low)}, {exact_text(value.high)}]"
    return exact_text(value)


def _outcome(outcome: Outcome | None) -> str | None:
    return None if outcome is None else str(outcome)


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
        content = table_bytes(rows, ending, whole=WHOLE_COLUMNS)
    write_file(path, content, error=OptionError, subject=f"table {shown(str(path))} cannot be written", replace=replace)
