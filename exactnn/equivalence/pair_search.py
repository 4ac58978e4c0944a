"""Breadth-first search through pairs of states of two machines for one of which they say different things."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.automata import Word
from exactnn.equivalence.common_alphabet import common_order
from exactnn.equivalence.lazy_moore import UNSETTLED, Label, LazyMoore
from exactnn.equivalence.limits import INTERRUPTED, LimitReached, Limits
from exactnn.equivalence.state_space import Numbers
from exactnn.outcome import Outcome

__all__ = ["PairSearch"]

Pairs = tuple[Numbers, Numbers]
Level = tuple[Numbers, Numbers]
"""For the pairs of one length: the place of the pair before each, and the symbol in between."""

Progress = Callable[[int, int], object]


class PairSearch:
    """Compares two machines by the pairs of states that words lead to.

    `compared` is the length up to which all words were compared, -1 at first, `witness` a word that tells the two
    apart, `labels` what they say of it.
    """

    def __init__(self, first: LazyMoore, second: LazyMoore, *, acceptance: bool) -> None:
        self.first, self.second = first, second
        self.compared = -1
        self.pairs = 0
        self.witness: Word | None = None
        self.labels: tuple[Label, Label] | None = None
        self._batch = min(first.batch, second.batch)
        self._columns = common_order(first.symbols, second.symbols).tolist()
        self._acceptance = acceptance
        self._meanings: dict[object, int] = {}
        self._parent = np.full(2, -1, dtype=np.int32)
        self._levels: list[Level] = []
        self._unsettled = ""

    def run(self, limits: Limits, max_length: int | None, progress: Progress | None) -> str:
        """Search until it is decided, which gives "", or up to a limit: then return which it was."""
        look = limits.watch(self._bytes)

        def watch() -> None:
            look()
            if progress is not None:
                progress(len(self._levels), self.pairs)

        try:
            return self._search(max_length, watch) or self._unsettled
        except LimitReached as reached:
            return str(reached)
        except KeyboardInterrupt:
            return INTERRUPTED

    def _search(self, max_length: int | None, watch: Callable[[], object]) -> str:
        zero = np.zeros(1, dtype=np.int32)
        pairs = self._fresh((zero, zero))[0]
        self._levels.append((zero, zero))
        while len(pairs[0]):
            for begin in range(0, len(pairs[0]), self._batch):
                watch()
                self._compare((pairs[0][begin : begin + self._batch], pairs[1][begin : begin + self._batch]), begin)
                if self.witness is not None:
                    return ""
            if not self._unsettled:
                self.compared = len(self._levels) - 1
            if not self._columns:
                break  # the empty word is the only one
            if max_length is not None and len(self._levels) > max_length:
                return self._unsettled or f"words of more than {max_length} symbols were not compared"
            pairs = self._next(pairs, watch)
        return ""

    def _compare(self, pairs: Pairs, begin: int) -> None:
        """Compare what is said of some pairs of this level, and keep the first difference."""
        self.pairs += len(pairs[0])
        mine, theirs = self.first.labels(pairs[0]), self.second.labels(pairs[1])
        settled = (mine != UNSETTLED) & (theirs != UNSETTLED)
        meant = [self._meant(machine, labels) for machine, labels in ((self.first, mine), (self.second, theirs))]
        differ = np.flatnonzero(settled & (meant[0] != meant[1]))
        if len(differ):
            place = int(differ[0])
            labels = self.first.label(int(mine[place])), self.second.label(int(theirs[place]))
            self.labels, self.witness = labels, self._word(begin + place)
        elif not settled.all() and not self._unsettled:
            word = self._word(begin + int(np.flatnonzero(~settled)[0]))
            self._unsettled = f"what is said of {''.join(word) or 'the empty word'!r} is not known within the limits"

    def _meant(self, machine: LazyMoore, labels: Numbers) -> NDArray[Any]:
        """Return labels as numbers that mean the same for both machines."""
        distinct, where = np.unique(labels, return_inverse=True)
        return np.array([self._meaning(machine, label) for label in distinct.tolist()], dtype=np.int32)[where]

    def _meaning(self, machine: LazyMoore, number: int) -> int:
        if number == UNSETTLED:
            return UNSETTLED
        label: object = machine.label(number)
        if self._acceptance:
            label = label == Outcome.ACCEPTED  # a Moore machine may say it as text
        return self._meanings.setdefault(label, len(self._meanings))

    def _next(self, pairs: Pairs, watch: Callable[[], object]) -> Pairs:
        """Return the pairs one symbol further that say something new."""
        parts: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
        symbols = np.arange(len(self._columns), dtype=np.int32)
        for begin in range(0, len(pairs[0]), self._batch):
            watch()
            left, right = (part[begin : begin + self._batch] for part in pairs)
            following = (
                np.stack([self.first.successors(left, symbol) for symbol in symbols.tolist()], axis=1).ravel(),
                np.stack([self.second.successors(right, column) for column in self._columns], axis=1).ravel(),
            )
            if min(following[0].min(), following[1].min()) < 0:
                raise LimitReached("the limit of states was reached")
            fresh, places = self._fresh(following)
            before = np.arange(begin, begin + len(left), dtype=np.int32).repeat(len(symbols))
            parts.append((*fresh, before[places], np.tile(symbols, len(left))[places]))
        left, right, before, steps = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._levels.append((before, steps))
        return left, right

    def _fresh(self, pairs: Pairs) -> tuple[Pairs, NDArray[np.int64]]:
        """Return the pairs whose members were not in one class, and their places; their classes are united."""
        from exactnn.equivalence.pair_kernels import unite_all  # numba takes as long as everything else together

        nodes = 2 + 2 * int(max(pairs[0].max(), pairs[1].max()))
        if nodes > len(self._parent):
            self._parent = np.append(self._parent, np.full(2 * nodes - len(self._parent), -1, dtype=np.int32))
        fresh = np.empty(len(pairs[0]), dtype=np.bool_)
        unite_all(pairs[0], pairs[1], self._parent, fresh)
        return (pairs[0][fresh], pairs[1][fresh]), np.flatnonzero(fresh)

    def _word(self, place: int) -> Word:
        """Return the word that leads to a pair of the last level."""
        word = []
        for before, symbols in reversed(self._levels[1:]):
            word.append(self.first.symbols[symbols[place]])
            place = int(before[place])
        return tuple(reversed(word))

    def _bytes(self) -> int:
        """Return what the two machines take, or the search itself if that is more."""
        own = self._parent.nbytes + sum(before.nbytes + symbols.nbytes for before, symbols in self._levels)
        return max(own, self.first.nbytes, self.second.nbytes)
