"""Reachable states in an arithmetic without compiled loops: a list of states, stepped one by one."""

from collections.abc import Hashable, Sequence

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import Enclosure
from exactnn.equivalence.limits import LimitReached
from exactnn.equivalence.spaces.state_space import UNKNOWN, Numbers
from exactnn.errors import SizeLimitError
from exactnn.simulation import Executor, Output, Values
from exactnn.simulation.executor import State
from exactnn.size_limit import SizeLimit

__all__ = ["ListedSpace", "bytes_of_numbers", "identity_of_numbers"]

BATCH = 1 << 6
"""See :attr:`StateSpace.batch`."""


class ListedSpace:
    """See :class:`exactnn.equivalence.spaces.state_space.StateSpace`.

    `states` and `outputs` have their numbers already, the initial state first. `limit` is what the executor asks for
    room; there is less of it with every state that is kept. Where there is none, LimitReached is raised.
    """

    def __init__(
        self,
        executor: Executor,
        most: int,
        states: Sequence[State] = (),
        outputs: Sequence[Output] = (),
        *,
        limit: SizeLimit,
    ) -> None:
        self.network = executor.network
        self.most = most
        self.batch = BATCH
        self._executor = executor
        self._limit = limit
        self._states: list[State] = []
        self._next: list[list[int]] = []
        self._bytes = 0
        self._known: dict[Hashable, int] = {}
        self._outputs: dict[Hashable, int] = {}
        self._names: list[Output] = []
        for state in states or [executor.start()]:
            self._number(state, max(1, most, len(states)))
        for output in outputs:
            self._name(output)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take."""
        return self._bytes + len(self._states) * 100 * (2 + self.network.circuit.state_size)

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
            try:
                segment = self._executor.advance(self._states[state], symbol, 1, until_decided=False)
                found = self._next[state][symbol] = self._number(segment.state, self.most)
            except SizeLimitError as error:
                raise LimitReached(f"the numbers become too long: {error}") from None
        return found

    def _number(self, state: State, most: int) -> int:
        values = self._executor.values(state)
        key = identity_of_numbers(values)
        found = self._known.get(key)
        if found is None:
            found = len(self._known)
            if found >= most:
                return -1
            self._limit.keep(values)
            del self._states[found:], self._next[found:]  # what an interruption left
            self._states.append(state)
            self._next.append([UNKNOWN] * self.network.circuit.input_size)
            self._known[key] = found
            self._bytes += bytes_of_numbers(values)
        return found

    def _name(self, output: Output) -> int:
        assert not isinstance(output, Enclosure)
        key = identity_of_numbers(output if isinstance(output, tuple) else (output,))
        if key not in self._outputs:
            number = len(self._outputs)
            del self._names[number:]  # what an interruption left
            self._names.append(output)
            self._outputs[key] = number
        return self._outputs[key]


def identity_of_numbers(values: Values) -> Hashable:
    """Return what is equal for numbers that are the same: 0 and -0 are not, and there is one NaN.

    >>> identity_of_numbers((0.0, float("nan"))) == identity_of_numbers((-0.0, float("nan")))
    False
    """
    return tuple(_bits(value) if isinstance(value, float) else value for value in values)


def bytes_of_numbers(values: Values) -> int:
    """Return how many bytes the digits of rationals have.

    >>> bytes_of_numbers((mpq(2) ** 8000, 0.5))
    1000
    """
    rationals = [value for value in values if isinstance(value, mpq)]
    return sum((x.numerator.bit_length() + x.denominator.bit_length()) // 8 for x in rationals)


def _bits(value: float) -> str:
    return "nan" if value != value else value.hex()
