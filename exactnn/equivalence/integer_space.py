"""Reachable states of an exact network of integers: in machine words as long as these hold its numbers."""

from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, FixedPoint
from exactnn.equivalence.compiled_space import CompiledSpace
from exactnn.equivalence.listed_space import ListedSpace
from exactnn.equivalence.state_space import Numbers, StateSpace
from exactnn.networks import Network
from exactnn.simulation import Output, Values, executor_for
from exactnn.simulation.many_states import WordStates

__all__ = ["IntegerSpace"]


class IntegerSpace:
    """See :class:`exactnn.equivalence.state_space.StateSpace`.

    States are rows of words until one has a number larger than `largest`; then all of them become rationals, and keep
    their numbers.
    """

    def __init__(self, network: Network, words: tuple[FixedPoint, int], most: int) -> None:
        self.network = network
        format, self._largest = words
        self._compiled: CompiledSpace | None = CompiledSpace(network, WordStates(network, format), most)
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
        return ListedSpace(executor_for(self.network, RATIONAL), space.most, states, outputs)
