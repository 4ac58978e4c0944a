"""A collapse table as data of the command line: with the machine, and the patterns that the words come from."""

from collections.abc import Sequence
from typing import Any

from exactnn.cli.subject import Subject
from exactnn.cli.words import Case
from exactnn.precision import Collapse, collapse_record, save_collapse

__all__ = ["record_of", "save_table"]


def record_of(subject: Subject, cases: Sequence[Case], table: Collapse, seconds: float) -> dict[str, Any]:
    """Return the whole table as JSON data."""
    return _about(subject, seconds) | collapse_record(table, labels=_labels(cases))


def save_table(
    path: str, subject: Subject, cases: Sequence[Case], table: Collapse, seconds: float, *, summary: bool = False
) -> None:
    """Write the table to a file whose ending says how: the record of :func:`record_of`, or rows."""
    save_collapse(table, path, summary=summary, labels=_labels(cases), about=_about(subject, seconds))


def _about(subject: Subject, seconds: float) -> dict[str, Any]:
    return {
        "machine": subject.name,
        "construction": subject.construction.name if subject.construction else None,
        "neurons": subject.network.neurons,
        "weights": subject.network.circuit.weights,
        "seconds": seconds,
    }


def _labels(cases: Sequence[Case]) -> list[dict[str, Any]]:
    return [{"word": case.text, "pattern": case.pattern, "n": case.n} for case in cases]
