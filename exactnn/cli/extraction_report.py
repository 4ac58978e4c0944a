"""What ``exactnn extract`` prints."""

from typing import Any

import click

from exactnn.cli.automaton_text import bound_text, label_rows, labels_text, states_text, word_text
from exactnn.cli.minimal_automaton import is_dfa, label_counts, machine_of, minimal_record
from exactnn.cli.output import emit, emit_fields, fits
from exactnn.cli.subject import Subject
from exactnn.cli.text import shortened
from exactnn.equivalence import AutomatonTable, Extraction
from exactnn.markup import printable
from exactnn.networks import Protocol
from exactnn.version import __version__

__all__ = ["emit_extraction", "extraction_record"]

MOST_ROWS = 32
"""States of a minimal automaton whose transitions are printed."""

FRONTIER = 5
"""Words to states without transitions that are named."""


def extraction_record(subject: Subject, found: Extraction, minimal: AutomatonTable | None, by: str) -> dict[str, Any]:
    """Return all of it as JSON data."""
    return {
        "machine": subject.name,
        "construction": subject.construction.name if subject.construction else None,
        "network": found.network.name,
        "neurons": found.network.neurons,
        "weights": found.network.circuit.weights,
        "arithmetic": str(found.arithmetic),
        "complete": found.complete,
        "reason": found.reason,
        "states": found.states,
        "eos_states": found.eos_states,
        "expanded": found.expanded,
        "bound": found.bound,
        "labels": None if found.table is None else label_rows(label_counts(found.table)),
        "by": by,
        "minimal": None if minimal is None else minimal_record(minimal),
        "frontier": [list(word) for word in found.frontier(FRONTIER)],
        "seconds": found.seconds,
        "exactnn": __version__,
    }


def emit_extraction(record: dict[str, Any], found: Extraction, minimal: AutomatonTable | None) -> None:
    """Print the record, and a small minimal automaton as a table."""
    by = f", by {record['construction']}" if record["construction"] else ""
    fields = {
        "machine": shortened(record["machine"], 60),
        "network": f"{record['neurons']:,} neurons, {record['weights']:,} weights{by}",
        "arithmetic": record["arithmetic"],
        "states": states_text(found.states, found.eos_states),
        "bound": bound_text(found.bound),
        "complete": _complete_text(found),
    }
    if found.table is not None:
        outputs = found.network.decision.protocol is Protocol.OUTPUTS
        fields["outputs" if outputs else "words end"] = labels_text(label_counts(found.table))
    if minimal is not None:
        fields["minimal"] = _minimal_text(minimal, record["by"])
    symbols = [a for a in found.network.input_symbols or () if isinstance(a, str)]
    fields["not followed"] = ", ".join(word_text(tuple(word), symbols) for word in record["frontier"])
    fields |= {option: printable(record[option] or "") for option in ("output", "dot", "certificate")}
    emit_fields(fields | {"time": f"{found.seconds:.3g} s"})
    if minimal is not None:
        _emit_table(minimal)


def _complete_text(found: Extraction) -> str:
    if found.complete:
        return "yes: these are all, whatever the word"
    if found.expanded == found.states:
        return f"no: {found.reason}; all states that words lead to are known, but not how each of them ends"
    return f"no: {found.reason}; {found.expanded:,} of the states have all their transitions"


def _minimal_text(minimal: AutomatonTable, by: str) -> str:
    kind = "a DFA" if is_dfa(minimal) else "a Moore machine"
    text = f"{minimal.states:,} {'state' if minimal.states == 1 else 'states'}, {kind}"
    return text + (" of accepted words" if by == "acceptance" else "")


def _emit_table(minimal: AutomatonTable) -> None:
    """Print the transitions, if there are few enough."""
    if minimal.states > MOST_ROWS:
        return
    table = machine_of(minimal).as_table()
    if fits(table):
        click.echo()
        emit(table)
