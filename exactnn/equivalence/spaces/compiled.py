"""Reachable states in an arithmetic that has compiled loops: rows in a hash table, and their transitions.

An exact network of integers is stepped so too, in machine words as long as these hold its numbers.
"""

from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import RATIONAL, FixedPoint
from exactnn.equivalence.spaces import kernels
from exactnn.equivalence.spaces.listed import ListedSpace
from exactnn.equivalence.spaces.state_space import UNKNOWN, Numbers, StateSpace
from exactnn.networks import Network
from exactnn.simulation import Output, Values, executor_for
from exactnn.simulation.many_states import ManyStates, word_states
from exactnn.size_limit import SizeLimit

__all__ = ["CompiledSpace", "IntegerSpace", "StateTable"]

Array = NDArray[Any]

SMALLEST = 1 << 10
"""Rows that there is room for at first."""

BATCH = 1 << 15
"""See :attr:`StateSpace.batch`."""

CHUNK_BYTES = 1 << 22
"""Bytes of the states that are stepped together."""

MOST_OUTPUTS = (1 << 31) - 1
"""As many outputs as numbers of 32 bits can tell apart: as states."""


class StateTable:
    """A growing set of rows of equal length and type, compared bit for bit.

    An interruption leaves it as it was or as it should be, whenever it comes.

    Examples
    --------
    >>> table = StateTable(2, np.dtype(np.int16))
    >>> table.numbers(np.array([[3, 4], [5, 6], [3, 4]], dtype=np.int16), most=10).tolist()
    [0, 1, 0]
    >>> table.rows.tolist()
    [[3, 4], [5, 6]]
    """

    def __init__(self, width: int, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._words = np.dtype(f"u{dtype.itemsize}")
        self._rows = np.empty((SMALLEST, width), dtype=self._words)
        self._slots = np.full(2 * SMALLEST, kernels.NONE, dtype=np.int32)
        self._used = np.zeros(1, dtype=np.int64)

    def __len__(self) -> int:
        return int(self._used[0])

    @property
    def rows(self) -> Array:
        """All rows, in order."""
        return self._rows[: len(self)].view(self._dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that are taken."""
        return self._rows.nbytes + self._slots.nbytes

    def numbers(self, rows: Array, most: int) -> NDArray[np.int32]:
        """Return the numbers of rows; new ones are added while there are fewer than `most`, others get -1."""
        given = np.ascontiguousarray(rows).view(self._words)
        self._make_room(min(most, len(self) + len(given)))
        numbers = np.empty(len(given), dtype=np.int32)
        kernels.find_or_add(given, self._rows, self._used, self._slots, numbers, most)
        return numbers

    def _make_room(self, most: int) -> None:
        if most <= len(self._rows):
            return
        size = max(most, 2 * len(self._rows))
        rows = np.empty((size, self._rows.shape[1]), dtype=self._words)
        rows[: len(self)] = self._rows[: len(self)]
        slots = np.full(1 << (2 * size - 1).bit_length(), kernels.NONE, dtype=np.int32)
        kernels.enter_all(rows[: len(self)], slots)
        self._rows, self._slots = rows, slots


class CompiledSpace:
    """See :class:`exactnn.equivalence.spaces.state_space.StateSpace`."""

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


class IntegerSpace:
    """See :class:`exactnn.equivalence.spaces.state_space.StateSpace`.

    States are rows of words until one has a number larger than `largest`; then all of them become rationals, and keep
    their numbers.
    """

    def __init__(self, network: Network, words: tuple[FixedPoint, int], most: int) -> None:
        self.network = network
        format, self._largest = words
        self._compiled: CompiledSpace | None = CompiledSpace(network, word_states(network, format), most)
        self._space: StateSpace = self._compiled
        self._looked_at = 0  # so many states are known to be small

    def __len__(self) -> int:
        return len(self._space)

    @property
    def most(self) -> int:
        """How many states there may be."""
        return self._space.most

    @most.setter
    def most(self, most: int) -> None:
        self._space.most = most

    @property
    def batch(self) -> int:
        """How many states are stepped between two looks at the limits."""
        return self._space.batch

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take."""
        return self._space.nbytes

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after one step."""
        self._look()  # an interruption may have come before the last look
        following = self._space.successors(states, symbol)
        self._look()
        return following

    def outputs(self, states: Numbers) -> Numbers:
        """Return the numbers of the outputs."""
        self._look()
        return self._space.outputs(states)

    def output(self, number: int) -> Output:
        """Return an output."""
        return self._space.output(number)

    def values(self, state: int) -> Values:
        """Return the numbers of a state, exact ones also where they are kept as words."""
        values: tuple[Any, ...] = self._space.values(state)
        return tuple(mpq(value) for value in values)

    def _look(self) -> None:
        """Go on in rationals if a new state is too large: it is right, what comes after it need not be."""
        if self._compiled is None or self._looked_at == len(self._compiled):
            return
        found = len(self._compiled)
        if self._compiled.largest_since(self._looked_at) > self._largest:
            self._space, self._compiled = self._listed(self._compiled), None
        self._looked_at = found

    def _listed(self, space: CompiledSpace) -> ListedSpace:
        states = [tuple(mpq(int(word)) for word in row) for row in space.rows.tolist()]
        outputs = [space.output(number) for number in range(space.distinct_outputs)]
        limit = SizeLimit()
        return ListedSpace(executor_for(self.network, RATIONAL, limit), space.most, states, outputs, limit=limit)
