"""A collapse table as data: one JSON object, or rows of CSV."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exactnn.arithmetic import Format, exact_text
from exactnn.cli.subject import Subject
from exactnn.cli.text import number_text
from exactnn.cli.words import Case
from exactnn.errors import OptionError, shown
from exactnn.outcome import Outcome
from exactnn.precision import Collapse, CollapseRow, Divergence
from exactnn.version import __version__

__all__ = ["check_csv_file", "collapse_record", "eos_steps", "write_csv"]


def eos_steps(row: CollapseRow) -> int:
    """Return the number of EOS steps of the exact run: T, if it was decided."""
    return max(0, row.steps - len(row.word))


def collapse_record(subject: Subject, cases: Sequence[Case], table: Collapse, seconds: float) -> dict[str, Any]:
    """Return the whole table as JSON data."""
    return {
        "machine": subject.name,
        "construction": subject.construction.name if subject.construction else None,
        "neurons": subject.network.neurons,
        "weights": subject.network.circuit.weights,
        "formats": [str(arithmetic) for arithmetic in table.formats],
        "complete": table.complete,
        "first_failures": {str(a): _first_failures(table, a) for a in table.formats},
        "rows": [_row_record(case, row, table) for case, row in zip(cases, table.rows, strict=False)],
        "seconds": seconds,
        "exactnn": __version__,
    }


def _first_failures(table: Collapse, arithmetic: Format) -> dict[str, int | None]:
    """Return the length of the shortest word that goes wrong, by criterion."""
    found = {
        "value": table.first_failure(arithmetic, "value"),
        "configuration": table.first_failure(arithmetic, "configuration"),
        "verdict": table.first_failure(arithmetic, "verdict"),
    }
    return {criterion: None if failure is None else len(failure.word) for criterion, failure in found.items()}


def _row_record(case: Case, row: CollapseRow, table: Collapse) -> dict[str, Any]:
    return {
        "word": case.text,
        "pattern": case.pattern,
        "n": case.n,
        "length": len(row.word),
        "outcome": str(row.outcome),
        "verdict": row.outcome.verdict,
        "steps": row.steps,
        "eos_steps": eos_steps(row),
        "formats": {str(a): _divergence_record(d) for a, d in zip(table.formats, row.divergences, strict=True)},
    }


def _divergence_record(found: Divergence) -> dict[str, Any]:
    value, configuration, verdict = found.value, found.configuration, found.verdict
    return {
        "right": verdict is None,
        "value": value
        and {
            "step": value.step,
            "neuron": value.neuron,
            "exact": number_text(value.exact),
            "exact_hex": exact_text(value.exact),
            "computed": number_text(value.computed),
            "ulps": None if value.ulps is None else number_text(value.ulps),
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


def _outcome(outcome: Outcome | None) -> str | None:
    return None if outcome is None else str(outcome)


def check_csv_file(path: str) -> None:
    """Refuse a path that cannot be written, before anything is computed."""
    if Path(path).is_dir():
        raise OptionError(f"--csv {shown(path)} is a folder: name a file in it")
    if not Path(path).absolute().parent.is_dir():
        raise OptionError(f"--csv {shown(path)}: there is no such folder, make it first")


def write_csv(path: str, cases: Sequence[Case], table: Collapse) -> None:
    """Write one row for each word and format."""
    try:
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=_COLUMNS)
            writer.writeheader()
            for case, row in zip(cases, table.rows, strict=False):
                for divergence in row.divergences:
                    writer.writerow(_csv_row(case, row, divergence))
    except OSError as error:
        raise OptionError(f"--csv {shown(path)} cannot be written: {error.strerror}") from None


_COLUMNS = (
    *("word", "pattern", "n", "length", "format", "outcome", "steps", "eos_steps"),
    *("value_step", "value_neuron", "value_exact", "value_computed", "configuration_step"),
    *("verdict_right", "verdict_step", "verdict_exact", "verdict_computed"),
)


def _csv_row(case: Case, row: CollapseRow, found: Divergence) -> dict[str, object]:
    cells: dict[str, object] = {
        "word": case.text,
        "pattern": case.pattern,
        "n": case.n,
        "length": len(row.word),
        "format": str(found.arithmetic),
        "outcome": str(row.outcome),
        "steps": row.steps,
        "eos_steps": eos_steps(row),
        "verdict_right": found.verdict is None,
    }
    if found.value is not None:
        cells |= {"value_step": found.value.step, "value_neuron": found.value.neuron}
        cells |= {"value_exact": number_text(found.value.exact), "value_computed": number_text(found.value.computed)}
    if found.configuration is not None:
        cells["configuration_step"] = found.configuration.step
    if found.verdict is not None:
        cells |= {"verdict_step": found.verdict.step, "verdict_exact": found.verdict.exact or "not yet"}
        cells["verdict_computed"] = found.verdict.computed or "not yet"
    return {key: None if value is None else str(value) for key, value in cells.items()}
