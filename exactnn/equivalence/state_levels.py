"""The states of a network that words of each length lead to, length after length."""

from collections.abc import Callable

import numpy as np

from exactnn.equivalence.exact_moore import ExactMoore
from exactnn.equivalence.limits import LimitReached
from exactnn.equivalence.network_moore import NetworkMoore
from exactnn.equivalence.state_space import Numbers

__all__ = ["StateLevels"]

BATCH = 1 << 12
"""States that are followed on a symbol between two looks at the limits."""


class StateLevels:
    """Levels of a state space, from the empty word on.

    `states[n]` is the number of states that words of exactly n symbols lead to, `states_up_to[n]` that of words of at
    most n symbols; these states have the numbers below it, as long as nobody else asks the space. `levels[n]` has the
    numbers of the former, if they are kept. `closed_from` is the least n such that longer words lead to no new state.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT
    >>> from exactnn.constructions import gated_counter
    >>> from exactnn.equivalence.subject import network_moore
    >>> found = StateLevels(network_moore(gated_counter(), EXACT, most=1000, max_steps=0))
    >>> for _ in range(4):
    ...     found.deepen(watch=bool)
    >>> found.states, found.states_up_to, found.closed_from
    ([1, 2, 4, 5, 7], [1, 3, 7, 11, 15], None)
    """

    def __init__(self, moore: ExactMoore | NetworkMoore, *, keep: bool = False) -> None:
        self.moore = moore
        self.states = [1]
        self.states_up_to = [1]
        self.levels: list[Numbers] = []
        self.closed_from: int | None = None
        self._keep = keep
        self._last: Numbers = np.zeros(1, dtype=np.int32)
        self._kept_bytes = 0
        self._add(self._last)

    @property
    def depth(self) -> int:
        """The length of the words of the last level."""
        return len(self.states) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states and the levels take."""
        return self.moore.space.nbytes + self._kept_bytes

    def deepen(self, watch: Callable[[], object]) -> None:
        """Find the level of words of one symbol more.

        LimitReached is raised if there is no room for a state, or by `watch`. Then there is no new level, and another
        call tries again.
        """
        level = self._following(watch)
        before = self.states_up_to[-1]
        total = max(before, int(level.max(initial=-1)) + 1)
        if total == before and self.closed_from is None:
            self.closed_from = self.depth
        self.states.append(len(level))
        self.states_up_to.append(total)
        self._last = level
        self._add(level)

    def _following(self, watch: Callable[[], object]) -> Numbers:
        parts = [self._last[:0]]
        for begin in range(0, len(self._last), BATCH):
            states = self._last[begin : begin + BATCH]
            for symbol in range(len(self.moore.symbols)):
                watch()
                following = self.moore.successors(states, symbol)
                if (following < 0).any():
                    raise LimitReached(f"the limit of {self.moore.space.most:,} states was reached")
                parts.append(np.unique(following))
        return np.unique(np.concatenate(parts))

    def _add(self, level: Numbers) -> None:
        if self._keep:
            self.levels.append(level)
            self._kept_bytes += level.nbytes
