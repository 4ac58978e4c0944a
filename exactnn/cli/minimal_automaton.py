"""The smallest automaton for what a command line asks of an extraction: how words end, or whether they are accepted."""

from collections import Counter
from typing import Any

import numpy as np

from exactnn.automata import DFA, MooreMachine
from exactnn.cli.automaton_text import label_data, label_rows
from exactnn.cli.transition_rows import transition_rows
from exactnn.equivalence import AutomatonTable, Extraction, dfa_of, minimal_table, moore_machine_of
from exactnn.outcome import Outcome

__all__ = ["is_dfa", "label_counts", "machine_of", "minimal_automaton", "minimal_record"]

MOST_IN_JSON = 1000
"""States of a minimal automaton whose transitions are in the JSON record."""


def minimal_automaton(found: Extraction, *, by_acceptance: bool) -> AutomatonTable | None:
    """Return the minimal automaton of an extraction, None if that is not complete.

    By acceptance, every word that is not accepted counts as rejected, so that it is always a DFA.
    """
    if found.table is None:
        return None
    if not by_acceptance:
        return minimal_table(found.table)
    accepted = np.array([label is Outcome.ACCEPTED for label in found.table.label_names], dtype=np.int32)
    return minimal_table(
        AutomatonTable(
            transitions=found.table.transitions,
            labels=accepted[found.table.labels],
            symbols=found.table.symbols,
            label_names=(Outcome.REJECTED, Outcome.ACCEPTED),
            name=found.table.name,
        )
    )


def is_dfa(table: AutomatonTable) -> bool:
    """Whether every word is accepted or rejected."""
    return set(table.label_names) <= {Outcome.ACCEPTED, Outcome.REJECTED}


def machine_of(table: AutomatonTable) -> DFA | MooreMachine:
    """Return a table as a machine with names for its states."""
    if is_dfa(table):
        return dfa_of(table, accept=lambda label: label is Outcome.ACCEPTED)
    return moore_machine_of(table)


def label_counts(table: AutomatonTable) -> dict[Any, int]:
    """Return how many states have each label, those with most states first."""
    states = np.bincount(table.labels, minlength=len(table.label_names)).tolist()
    return dict(Counter(dict(zip(table.label_names, states, strict=True))).most_common())


def minimal_record(table: AutomatonTable) -> dict[str, Any]:
    """Return a minimal automaton as JSON data, with its transitions if it is not large."""
    record = {
        "kind": "dfa" if is_dfa(table) else "moore_machine",
        "states": table.states,
        "labels": label_rows(label_counts(table)),
        "initial_state": str(table.initial_state),
    }
    if table.states > MOST_IN_JSON:
        return record | {"outputs": None, "transitions": None}
    outputs = {str(state): label_data(table.label_names[label]) for state, label in enumerate(table.labels.tolist())}
    return record | {"outputs": outputs, "transitions": transition_rows(machine_of(table))}
