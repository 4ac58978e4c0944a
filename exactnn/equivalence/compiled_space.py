"""Reachable states in an arithmetic that has compiled loops: rows in a hash table, and their transitions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.equivalence.state_space import UNKNOWN, Numbers
from exactnn.equivalence.state_table import StateTable
from exactnn.networks import Network
from exactnn.simulation import Output, Values
from exactnn.simulation.many_states import ManyStates

__all__ = ["CompiledSpace"]

BATCH = 1 << 15
"""See :attr:`StateSpace.batch`."""

CHUNK_BYTES = 1 << 22
"""Bytes of the states that are stepped together."""

MOST_OUTPUTS = (1 << 31) - 1
"""As many outputs as numbers of 32 bits can tell apart: as states."""


class CompiledSpace:
    """See :class:`exactnn.equivalence.state_space.StateSpace`."""

    def __init__(self, network: Network, steps: ManyStates, most: int) -> None:
        self.network = network
        self.most = most
        self.batch = BATCH
        self._steps = steps
        self._table = StateTable(steps.start.shape[1], steps.start.dtype)
        self._next = np.full((1, network.circuit.input_size), UNKNOWN, dtype=np.int32)
        some = steps.outputs(steps.start)
        self._outputs = StateTable(some.shape[1], some.dtype)
        self._chunk = max(1, CHUNK_BYTES // max(1, steps.start[0].nbytes))
        self._table.numbers(steps.start, max(1, most))

    def __len__(self) -> int:
        return len(self._table)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states and their transitions take."""
        return self._table.nbytes + self._next.nbytes

    @property
    def rows(self) -> NDArray[Any]:
        """All states, as rows of numbers."""
        return self._table.rows

    @property
    def distinct_outputs(self) -> int:
        """How many outputs have numbers."""
        return len(self._outputs)

    def largest_since(self, first: int) -> int:
        """Return the largest magnitude in the states from number `first` on, of words."""
        rows = self._table.rows[first:]
        return max(abs(int(rows.min())), abs(int(rows.max()))) if rows.size else 0

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after one step."""
        self._make_room()
        found: Numbers = self._next[states, symbol]
        asked = states[found < 0]  # also those for which there was no room
        for begin in range(0, len(asked), self._chunk):
            some = asked[begin : begin + self._chunk]
            following = self._steps.step(self._table.rows[some], symbol)
            self._next[some, symbol] = self._table.numbers(following, self.most)
        return np.asarray(self._next[states, symbol]) if len(asked) else found

    def outputs(self, states: Numbers) -> Numbers:
        """Return the numbers of the outputs."""
        names = np.empty(len(states), dtype=np.int32)
        for begin in range(0, len(states), self._chunk):
            rows = self._table.rows[states[begin : begin + self._chunk]]
            names[begin : begin + self._chunk] = self._outputs.numbers(self._steps.outputs(rows), MOST_OUTPUTS)
        return names

    def output(self, number: int) -> Output:
        """Return an output."""
        numbers = self._steps.numbers(self._outputs.rows[number])
        return numbers[0] if self.network.scalar_output else numbers  # type: ignore[return-value]

    def values(self, state: int) -> Values:
        """Return the numbers of a state."""
        return self._steps.numbers(self._table.rows[state])

    def _make_room(self) -> None:
        """Let there be a row of transitions for every state."""
        if len(self._next) < len(self._table):
            transitions = np.full((2 * len(self._table), self._next.shape[1]), UNKNOWN, dtype=np.int32)
            transitions[: len(self._next)] = self._next
            self._next = transitions
