"""Reachable states in an arithmetic without compiled loops: a list of states, stepped one by one."""

from collections.abc import Hashable, Sequence

import numpy as np

from exactnn.equivalence.state_space import Numbers
from exactnn.simulation import Executor, Output, Values
from exactnn.simulation.executor import State

__all__ = ["ListedSpace", "identity_of_numbers"]

BATCH = 1 << 6

UNKNOWN = -2
"""A transition that nobody asked for."""


class ListedSpace:
    """See :class:`exactnn.equivalence.state_space.StateSpace`.

    `states` and `outputs` have their numbers already, the initial state first.
    """

    def __init__(
        self, executor: Executor, most: int, states: Sequence[State] = (), outputs: Sequence[Output] = ()
    ) -> None:
        self.network = executor.network
        self.most = most
        self.batch = BATCH
        self._executor = executor
        self._states: list[State] = []
        self._next: list[list[int]] = []
        self._known: dict[Hashable, int] = {}
        self._outputs: dict[Hashable, int] = {}
        self._names: list[Output] = []
        for state in states or [executor.start()]:
            self._number(state, max(1, most, len(states)))
        for output in outputs:
            self._name(output)

    def __len__(self) -> int:
        return len(self._states)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take, as if numbers were short."""
        return len(self._states) * 100 * (2 + self.network.circuit.state_size)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after one step."""
        return np.array([self._successor(state, symbol) for state in states.tolist()], dtype=np.int32)

    def outputs(self, states: Numbers) -> Numbers:
        """Return the numbers of the outputs."""
        return np.array(
            [self._name(self._executor.output(self._states[state])) for state in states.tolist()], dtype=np.int32
        )

    def output(self, number: int) -> Output:
        """Return an output."""
        return self._names[number]

    def values(self, state: int) -> Values:
        """Return the numbers of a state."""
        return self._executor.values(self._states[state])

    def _successor(self, state: int, symbol: int) -> int:
        found = self._next[state][symbol]
        if found < 0:
            segment = self._executor.advance(self._states[state], symbol, 1, until_decided=False)
            found = self._next[state][symbol] = self._number(segment.state, self.most)
        return found

    def _number(self, state: State, most: int) -> int:
        key = identity_of_numbers(self._executor.values(state))
        found = self._known.get(key)
        if found is None:
            if len(self._states) >= most:
                return -1
            found = self._known[key] = len(self._states)
            self._states.append(state)
            self._next.append([UNKNOWN] * self.network.circuit.input_size)
        return found

    def _name(self, output: Output) -> int:
        key = identity_of_numbers(output if isinstance(output, tuple) else (output,))
        if key not in self._outputs:
            self._outputs[key] = len(self._names)
            self._names.append(output)
        return self._outputs[key]


def identity_of_numbers(values: Values) -> Hashable:
    """Return what is equal for numbers that are the same: 0 and -0 are not, and there is one NaN.

    >>> identity_of_numbers((0.0, float("nan"))) == identity_of_numbers((-0.0, float("nan")))
    False
    """
    return tuple(_bits(value) if isinstance(value, float) else value for value in values)


def _bits(value: float) -> str:
    return "nan" if value != value else value.hex()
