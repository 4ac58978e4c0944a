"""A machine, or a network that may have no end of states, as what comparisons walk through: states are words."""

from collections.abc import Callable, Hashable

import numpy as np

from exactnn.automata import CounterMachine, StackMachine, TuringMachine, Word, interpret
from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.network_moore import OUTCOMES
from exactnn.equivalence.state_space import Numbers
from exactnn.outcome import Outcome

__all__ = ["WordMoore", "machine_moore"]

BATCH = 1 << 6

WORD_BYTES = 300
"""What a word and what is known of it take, about."""


class WordMoore:
    """Every word is a state of its own; what is said of it a function tells, once.

    `said` returns Outcome.STEP_LIMIT for "not within the limit".
    """

    def __init__(self, symbols: tuple[str, ...], said: Callable[[Word], Outcome], most: int) -> None:
        self.symbols = symbols
        self.most = most
        self.batch = BATCH
        self._said = said
        self._words: list[tuple[int, int]] = [(-1, -1)]  # the word without its last symbol, and that symbol
        self._known: dict[Hashable, int] = {}
        self._labels: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the words take, about."""
        return WORD_BYTES * len(self._words)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the words that are one symbol longer."""
        return np.array([self._longer(word, symbol) for word in states.tolist()], dtype=np.int32)

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return np.array([self._label(word) for word in states.tolist()], dtype=np.int32)

    def label(self, number: int) -> Label:
        """Return a label."""
        return OUTCOMES[number]

    def _longer(self, word: int, symbol: int) -> int:
        found = self._known.get((word, symbol))
        if found is None:
            if len(self._words) >= self.most:
                return -1
            found = self._known[word, symbol] = len(self._words)
            self._words.append((word, symbol))
        return found

    def _label(self, number: int) -> int:
        if number not in self._labels:
            word, at = [], number
            while at:
                at, symbol = self._words[at]
                word.append(self.symbols[symbol])
            outcome = self._said(tuple(reversed(word)))
            self._labels[number] = UNSETTLED if outcome is Outcome.STEP_LIMIT else OUTCOMES.index(outcome)
        return self._labels[number]


def machine_moore(machine: CounterMachine | StackMachine | TuringMachine, most: int, max_steps: int) -> WordMoore:
    """Return a machine by its direct interpreter, which takes up to so many moves for a word."""
    return WordMoore(machine.input_symbols, lambda word: interpret(machine, word, max_steps=max_steps).outcome, most)
