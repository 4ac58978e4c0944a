"""A network in exact arithmetic whose runs on EOS may have no end of states: the fast exact engine takes them."""

import numpy as np

from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.network_moore import OUTCOMES
from exactnn.equivalence.state_space import Numbers, StateSpace
from exactnn.networks import EOS
from exactnn.outcome import Outcome
from exactnn.simulation import verdict_of
from exactnn.simulation.executors import exact_executor_for

__all__ = ["ExactMoore"]

BATCH = 1 << 6

WORD_BYTES = 300
"""What a word and what is known of it take, about."""


class ExactMoore:
    """States that words lead to are kept, each with a word; how it ends on EOS, a run of that word tells."""

    def __init__(self, space: StateSpace, max_steps: int) -> None:
        network = space.network
        assert network.alphabet is not None
        self.space = space
        self.symbols = tuple(a for a in network.alphabet if a != EOS)
        self._numbers = [network.alphabet.index(a) for a in self.symbols]
        self.batch = BATCH
        self._max_steps = max_steps
        self._executor = exact_executor_for(network, many=True)
        self._words: dict[int, tuple[int, ...]] = {0: ()}
        self._labels: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states and their words take, about."""
        return self.space.nbytes + WORD_BYTES * len(self._words)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        given = self._numbers[symbol]
        following = self.space.successors(states, given)
        for state, target in zip(states.tolist(), following.tolist(), strict=True):
            if target >= 0 and target not in self._words:
                self._words[target] = (*self._words[state], given)
        return following

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return np.array([self._label(state) for state in states.tolist()], dtype=np.int32)

    def label(self, number: int) -> Label:
        """Return a label."""
        return OUTCOMES[number]

    def _label(self, state: int) -> int:
        if state not in self._labels:
            word = self._words[state]
            outcome, _ = verdict_of(self._executor, word, len(word) + self._max_steps)
            self._labels[state] = UNSETTLED if outcome is Outcome.STEP_LIMIT else OUTCOMES.index(outcome)
        return self._labels[state]
