"""The states of a network that words of each length lead to, and how many of them what follows can tell apart."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.limits import INTERRUPTED, LimitReached
from exactnn.equivalence.moore_machines import ExactMoore, NetworkMoore
from exactnn.equivalence.spaces.state_space import Numbers

__all__ = ["StateLevels", "continuation_classes", "level_classes"]

BATCH = 1 << 12
"""States that are followed on a symbol between two looks at the limits."""
LABELS_AT_ONCE = 1 << 8
"""States whose labels are asked for between two looks at the limits."""

Array = NDArray[np.signedinteger[Any]]


class StateLevels:
    """Levels of a state space, from the empty word on.

    `states[n]` is the number of states that words of exactly n symbols lead to, `states_up_to[n]` that of words of at
    most n symbols; these states have the numbers below it, as long as nobody else asks the space. `levels[n]` has the
    numbers of the former, if they are kept. `closed_from` is the least n such that longer words lead to no new state.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT
    >>> from exactnn.constructions import gated_counter
    >>> from exactnn.equivalence.moore_machines import network_moore
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


def level_classes(
    levels: StateLevels, max_length: int, continuations: int, watch: Callable[[], object]
) -> tuple[list[tuple[int, int]], str]:
    """Return how many classes there are after words of exactly and of at most n symbols, and why some are missing.

    There is a pair for each n up to `max_length`. The levels of `continuations` more symbols are needed, unless the
    states are closed; they must have been kept. No more levels can be found after this, as labels may ask for states of
    their own. `watch` may raise LimitReached; in the time of the labels that only leaves less of them.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT
    >>> from exactnn.constructions import gated_counter
    >>> from exactnn.equivalence.moore_machines import network_moore
    >>> levels = StateLevels(network_moore(gated_counter(), EXACT, most=1000, max_steps=0), keep=True)
    >>> for _ in range(8):
    ...     levels.deepen(watch=bool)
    >>> level_classes(levels, 4, 4, watch=bool)
    ([(1, 1), (2, 3), (3, 5), (3, 7), (4, 9)], '')
    """
    labels, reason = _labels(levels, watch)
    if len(labels) == levels.states_up_to[-1] and levels.closed_from is not None:
        last = min(max_length, levels.depth)
    else:
        known = sum(total <= len(labels) for total in levels.states_up_to) - 1
        last = min(max_length, known - continuations)
    if last < 0:
        return [], reason
    # Where all states are there, a round less than there are states splits the last class.
    rounds = min(continuations, levels.depth - last + levels.states_up_to[-1])
    sizes = [levels.states_up_to[min(last + more, levels.depth)] for more in range(rounds, -1, -1)]
    states = np.arange(sizes[1] if rounds else 0, dtype=np.int32)
    columns = [levels.moore.successors(states, symbol) for symbol in range(len(levels.moore.symbols))]
    transitions = np.stack(columns, axis=1) if columns else np.zeros((len(states), 0), dtype=np.int32)
    classes = continuation_classes(labels[: sizes[0]], transitions, sizes, watch)
    return [
        (len(np.unique(classes[level])), len(np.unique(classes[:total])))
        for level, total in zip(levels.levels[: last + 1], levels.states_up_to, strict=False)
    ], reason


def _labels(levels: StateLevels, watch: Callable[[], object]) -> tuple[Numbers, str]:
    """Return numbers of what the states say, up to the first of which it is not known, and why it is not."""
    parts = [np.zeros(0, dtype=np.int32)]
    reason = ""
    try:
        for begin in range(0, levels.states_up_to[-1], LABELS_AT_ONCE):
            watch()
            end = min(begin + LABELS_AT_ONCE, levels.states_up_to[-1])
            parts.append(levels.moore.labels(np.arange(begin, end, dtype=np.int32)))
    except LimitReached as reached:
        reason = str(reached)
    except KeyboardInterrupt:
        reason = INTERRUPTED
    numbers, where = np.unique(np.concatenate(parts), return_inverse=True)
    distinct: dict[Label, int] = {}
    meanings = [
        UNSETTLED if number == UNSETTLED else distinct.setdefault(levels.moore.label(number), len(distinct))
        for number in numbers.tolist()
    ]
    labels: Numbers = np.array(meanings, dtype=np.int32)[where]
    unknown = np.flatnonzero(labels == UNSETTLED)
    if len(unknown):
        return labels[: unknown[0]], reason or "what is said of some words is not known within the limits"
    return labels, reason


def continuation_classes(
    labels: Array, transitions: Array, sizes: Sequence[int], watch: Callable[[], object] = bool
) -> Array:
    """Return the class of each of some states; two states are in one class if no short continuation tells them apart.

    Parameters
    ----------
    labels : array of int, shape (sizes[0],)
        What is said after the empty continuation.
    transitions : array of int, shape (at least sizes[1], symbols)
        The next states; those of the first sizes[i + 1] states are among the first sizes[i].
    sizes : sequence of int
        In round i, by continuations of up to i symbols, the first sizes[i] states are told apart.
    watch : callable, optional
        Called before each round; it may raise an exception.

    Returns
    -------
    array of int, shape (sizes[-1],)
        Numbers of classes.

    Notes
    -----
    States are equivalent for continuations of up to i + 1 symbols if they are for those of up to i, and so are their
    next states on each symbol. If a round has as many states as the one before and splits no class, then no
    continuation of any length does, and it is the last.

    References
    ----------
    E. F. Moore, Gedanken-experiments on sequential machines, in *Automata Studies*, 1956, pp. 129-153.

    Examples
    --------
    >>> fourths = np.array([[1], [2], [3], [0]])
    >>> [continuation_classes(np.array([1, 0, 0, 0]), fourths, [4] * (k + 1)).tolist() for k in range(3)]
    [[1, 0, 0, 0], [2, 0, 0, 1], [3, 0, 1, 2]]
    """
    classes = _numbered(labels[: sizes[0]])
    for before, size in pairwise(sizes):
        watch()
        finer = classes[:size]
        for column in transitions[:size].T:
            finer = _numbered(finer * (1 + classes.max(initial=0)) + classes[column])
        if size == before and finer.max(initial=0) == classes.max(initial=0):
            break
        classes = finer
    return classes[: sizes[-1]]


def _numbered(values: Array) -> Array:
    """Return values as numbers from 0 on, equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
