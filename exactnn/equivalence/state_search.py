"""Breadth-first search through the states of a network: first all that words lead to, then what each of them says."""

from collections.abc import Callable

import numpy as np

from exactnn.automata import Word
from exactnn.equivalence.lazy_moore import UNSETTLED
from exactnn.equivalence.limits import INTERRUPTED, LimitReached, Limits
from exactnn.equivalence.network_moore import NetworkMoore
from exactnn.equivalence.state_space import Numbers, StateSpace

__all__ = ["StateSearch"]

Progress = Callable[[int, int], object]


class StateSearch:
    """A search that can be stopped at any moment and go on, with the same result.

    States are numbered level by level: those that longer words lead to come later. `reading` says how many states words
    lead to, once all are found; states with higher numbers are met on EOS symbols only.
    """

    def __init__(self, space: StateSpace) -> None:
        self.moore = NetworkMoore(space)
        self.space = space
        self.expanded = 0
        self.reading: int | None = None
        self._level_end = 1

    def go_on(self, limits: Limits, progress: Progress | None) -> str:
        """Search until all is found, which gives "", or up to a limit: then return which it was."""
        self.space.most = limits.states
        look = limits.watch(lambda: self.space.nbytes)

        def watch() -> None:
            look()
            if progress is not None:
                progress(self.expanded, len(self.space))

        self.moore.watch = watch
        try:
            self._read(watch)
            labels = self.labels()
        except LimitReached as reached:
            return str(reached)
        except KeyboardInterrupt:
            return INTERRUPTED
        return self._full() if (labels == UNSETTLED).any() else ""

    def transitions(self) -> Numbers:
        """Return the next states on every symbol of the states that words lead to."""
        states = self._all_read()
        columns = [self.moore.successors(states, symbol) for symbol in range(len(self.moore.symbols))]
        return np.stack(columns, axis=1) if columns else np.zeros((len(states), 0), dtype=np.int32)

    def labels(self) -> Numbers:
        """Return what the states that words lead to say."""
        return self.moore.labels(self._all_read())

    def words_to(self, states: range) -> list[Word]:
        """Return a shortest word for each state, but for those that only states without all transitions lead to."""
        expanded = np.arange(self.expanded, dtype=np.int32)
        unknown = len(self.space)
        parents = np.full(unknown, unknown, dtype=np.int32)
        for symbol in range(len(self.moore.symbols)):
            np.minimum.at(parents, self.moore.successors(expanded, symbol), expanded)
        return [self._word_to(state, parents) for state in states if not state or parents[state] < unknown]

    def _word_to(self, state: int, parents: Numbers) -> Word:
        word = []
        while state:
            before = np.array([parents[state]], dtype=np.int32)
            symbols = range(len(self.moore.symbols))
            word.append(next(a for a in symbols if self.moore.successors(before, a)[0] == state))
            state = int(before[0])
        return tuple(self.moore.symbols[a] for a in reversed(word))

    def _all_read(self) -> Numbers:
        assert self.reading is not None
        return np.arange(self.reading, dtype=np.int32)

    def _read(self, watch: Callable[[], object]) -> None:
        """Find all states that words lead to."""
        while self.reading is None:
            watch()
            end = min(self._level_end, self.expanded + self.space.batch)
            states = np.arange(self.expanded, end, dtype=np.int32)
            for symbol in range(len(self.moore.symbols)):
                if (self.moore.successors(states, symbol) < 0).any():
                    raise LimitReached(self._full())
            self.expanded, self._level_end = end, len(self.space) if end == self._level_end else self._level_end
            if self.expanded == len(self.space):
                self.reading = self.expanded

    def _full(self) -> str:
        return f"the limit of {self.space.most:,} states was reached"
