"""A finite automaton as what comparisons walk through."""

import numpy as np

from exactnn.automata import DFA, MooreMachine
from exactnn.equivalence.lazy_moore import Label
from exactnn.equivalence.state_space import Numbers
from exactnn.equivalence.table_conversion import table_of
from exactnn.outcome import Outcome

__all__ = ["TableMoore"]

BATCH = 1 << 15


class TableMoore:
    """A DFA accepts and rejects; a Moore machine says its outputs."""

    def __init__(self, machine: DFA | MooreMachine) -> None:
        table = table_of(machine)
        self.symbols = table.symbols
        self.batch = BATCH
        # The initial state has the number 0: it changes places with the first one.
        self._place = np.arange(table.states, dtype=np.int32)
        self._place[[0, table.initial_state]] = self._place[[table.initial_state, 0]]
        self._table = table
        verdicts = (Outcome.REJECTED, Outcome.ACCEPTED)
        self._names = [verdicts[name] if isinstance(name, bool) else name for name in table.label_names]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the table takes, about."""
        return self._table.transitions.nbytes + self._table.labels.nbytes + self._place.nbytes

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        return np.asarray(self._place[self._table.transitions[self._place[states], symbol]])

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return np.asarray(self._table.labels[self._place[states]])

    def label(self, number: int) -> Label:
        """Return a label."""
        return self._names[number]  # type: ignore[return-value]
