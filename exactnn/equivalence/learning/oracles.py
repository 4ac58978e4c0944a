"""Equivalence oracles: the abstraction of Weiss, Goldberg and Yahav, refined while it is compared; and random words."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from math import inf, isfinite, nan
from random import Random
from typing import Any, Protocol

from gmpy2 import mpq

from exactnn.equivalence.learning.learned_automaton import Hypothesis, LearningEnd, Word
from exactnn.equivalence.learning.membership import Membership, Point, Prefix

__all__ = ["AbstractionOracle", "EveryState", "Partition", "RandomWords"]

Number = Any
Values = tuple[Number, ...]
"""The numbers of a state: rationals or floats."""

Split = tuple[int, Number]
"""A dimension and a threshold."""

_INFINITE = mpq(2) ** 2000


class _Node:
    """A leaf with its cluster, or a question: is a number of the state above a threshold?"""

    __slots__ = ("cluster", "dimension", "high", "low", "threshold")

    def __init__(self, cluster: int) -> None:
        self.cluster = cluster
        self.dimension = -1
        self.threshold: Number = nan
        self.low: _Node
        self.high: _Node


class Partition:
    """One cluster at first, and then as many as conflicts ask for.

    Parameters
    ----------
    first_dimensions : int
        The first time that a state is parted from others, its cluster is split along so many dimensions, into two to
        that power. Without this "aggressive" beginning an abstraction is soon explored, and says little.

    Notes
    -----
    Weiss, Goldberg and Yahav split along the dimensions with the largest gaps first, and then by support vector
    machines with a radial kernel. Here every split is a threshold in one dimension: it is exact, and always parts
    states with different numbers, where a machine of floats may fail. Gaps count in parts of the range of all states
    that were seen, since numbers of a network need not be between -1 and 1.

    Examples
    --------
    >>> partition = Partition(first_dimensions=1)
    >>> partition.refine([(0.0, 1.0), (0.5, 1.0)], (0.25, 4.0), [])
    True
    >>> [partition.leaf((0.0, x)).cluster for x in (1.0, 2.0, 2.5, 3.0)]
    [0, 0, 0, 1]
    """

    def __init__(self, *, first_dimensions: int) -> None:
        self._first_dimensions = first_dimensions
        self._root = _Node(0)
        self.size = 1

    def leaf(self, values: Values) -> _Node:
        """Return the leaf of a state."""
        node = self._root
        while node.dimension >= 0:
            node = node.high if values[node.dimension] > node.threshold else node.low
        return node

    def cluster(self, point: Point) -> int:
        """Return the cluster of a state."""
        return self.leaf(point.values).cluster

    def refine(self, agreeing: list[Values], conflicting: Values, seen: list[Values]) -> bool | None:
        """Part a state from others of its cluster; `seen` are states of all clusters.

        Return whether the others all stay in their cluster; None if they all have the same numbers as the state.
        """
        splits = _separating(agreeing, conflicting, seen)
        if not splits:
            return None
        leaf = self.leaf(conflicting)
        old = leaf.cluster
        self._split(leaf, splits[: 1 if self.size > 1 else self._first_dimensions], conflicting)
        return self.leaf(conflicting).cluster != old and all(self.leaf(state).cluster == old for state in agreeing)

    def _split(self, leaf: _Node, splits: list[Split], conflicting: Values) -> None:
        """Split a leaf along dimensions; the side without the conflicting state keeps its cluster."""
        if not splits:
            return
        (leaf.dimension, leaf.threshold), *rest = splits
        kept, new = _Node(leaf.cluster), _Node(self.size)
        self.size += 1
        above = conflicting[leaf.dimension] > leaf.threshold
        leaf.low, leaf.high = (kept, new) if above else (new, kept)
        self._split(kept, rest, conflicting)
        self._split(new, rest, conflicting)


def _separating(agreeing: list[Values], conflicting: Values, seen: list[Values]) -> list[Split]:
    """Return the dimensions in which a state differs from others, the best first, with thresholds between them.

    The best one has most of the others on the other side of the threshold, and then the largest gap.
    """
    found = []
    for dimension, value in enumerate(conflicting):
        others = [state[dimension] for state in agreeing]
        below = [other for other in others if other < value]
        above = [other for other in others if other > value]
        if below or above:
            low, high = (max(below), value) if len(below) >= len(above) else (value, min(above))
            numbers = [value, *others, *(state[dimension] for state in seen)]
            known = [number for number in numbers if number == number]
            share = _difference(low, high) / _difference(min(known), max(known))
            found.append(((-max(len(below), len(above)), -share, dimension), _between(low, high)))
    return [(dimension, threshold) for (_, _, dimension), threshold in sorted(found, key=lambda split: split[0])]


def _difference(low: Number, high: Number) -> mpq:
    """Return high - low exactly, and more than any such difference of floats for infinities."""
    ends = [_INFINITE if number == inf else -_INFINITE if number == -inf else mpq(number) for number in (low, high)]
    return ends[1] - ends[0]


def _between(low: Number, high: Number) -> Number:
    """Return a threshold t with low <= t < high: exactly the midpoint, if the numbers are finite."""
    if isinstance(low, float) and not isfinite(low):
        return low
    if isinstance(high, float) and not isfinite(high):
        return low
    return (mpq(low) + mpq(high)) / 2


class Clusters(Protocol):
    """A partition of the states of a network."""

    def cluster(self, point: Point) -> Hashable:
        """Return the cluster of a state."""

    def refine(self, agreeing: list[Values], conflicting: Values, seen: list[Values]) -> bool | None:
        """Part a state from others of its cluster; `seen` are states of all clusters.

        Return whether the others all stay in their cluster; None if they cannot be parted.
        """


class EveryState:
    """The finest partition: a cluster is a state, so that an exploration that ends is a proof."""

    def cluster(self, point: Point) -> Hashable:
        """Return the state itself."""
        return point

    def refine(self, agreeing: list[Values], conflicting: Values, seen: list[Values]) -> bool | None:
        """Return None: this is as fine as can be."""
        return None


@dataclass(slots=True)
class _Visited:
    """A cluster in an exploration: its state of the hypothesis, and its states of the network with a word to each."""

    state: int
    points: dict[Point, Prefix]


class AbstractionOracle:
    """Equivalence queries by exploring an abstraction of the network.

    The partition is kept from one query to the next.

    Parameters
    ----------
    membership : Membership
    partition : Clusters
        A :class:`Partition`, or :class:`EveryState`.

    Notes
    -----
    Two conflicts are possible when the exploration comes with a word u to a state h of the network and a state q of the
    hypothesis [1]_. *Classification*: the outcome of u is not that of q. Then u is a counterexample. *Clustering*: the
    cluster of h was met before, by words u', with another state q' of the hypothesis. Since the hypothesis is minimal
    there is a suffix s after which q and q' have different outcomes. If the network and the hypothesis differ on u s or
    on a u' s, that is a counterexample. If they do not, states were put together that are different: the partition is
    refined so that h is apart from those of u'. If that changed nothing else the exploration goes on, else it begins
    anew.

    It ends without a counterexample when no new cluster is met. That proves the hypothesis right exactly if
    no two different states of the network were ever put together: then those that were met are all that can be reached.
    What it does not check are the successors of states other than the first of each cluster.

    References
    ----------
    .. [1] G. Weiss, Y. Goldberg and E. Yahav, "Extracting automata from recurrent neural networks using queries and
       counterexamples", ICML 2018, arXiv:1711.09576.
    """

    def __init__(self, membership: Membership, partition: Clusters) -> None:
        self._membership, self._partition = membership, partition
        self.end = LearningEnd.EXPLORED
        self.clusters = 0
        """Clusters of the last exploration."""

    def find(self, hypothesis: Hypothesis) -> Word | None:
        """Return a counterexample, or None; `end` then says what that means."""
        exploration = _Exploration(self._membership, self._partition, hypothesis)
        while exploration.queue:
            self._membership.check_clock()
            word = exploration.visit()
            self.clusters = len(exploration.visited)
            if word is not None:
                return word
            if exploration.stuck:
                self.end = LearningEnd.INSEPARABLE
                return None
        self.end = LearningEnd.EXPLORED if exploration.merged else LearningEnd.PROVEN
        return None


class _Exploration:
    """A walk through network, abstraction and hypothesis at the same time."""

    def __init__(self, membership: Membership, partition: Clusters, hypothesis: Hypothesis) -> None:
        self._membership, self._partition, self._hypothesis = membership, partition, hypothesis
        self.stuck = False
        self._begin()

    def _begin(self) -> None:
        self.visited: dict[Hashable, _Visited] = {}
        self.queue = deque([(self._membership.root, 0)])
        self.merged = False

    def visit(self) -> Word | None:
        """Take the next word; return a counterexample if it leads to one."""
        prefix, state = self.queue.popleft()
        membership, hypothesis = self._membership, self._hypothesis
        if membership.outcome(prefix) is not hypothesis.outcomes[state]:
            return prefix.word
        point = membership.point(prefix)
        cluster = self._partition.cluster(point)
        known = self.visited.get(cluster)
        if known is None:
            self.visited[cluster] = _Visited(state, {point: prefix})
            row = hypothesis.transitions[state]
            self.queue.extend((membership.prefix((a,), prefix), row[a]) for a in range(membership.symbols))
        elif known.state != state:
            return self._resolve(known, prefix, state)
        elif point not in known.points:
            known.points[point] = prefix
            self.merged = True
        return None

    def _resolve(self, known: _Visited, prefix: Prefix, state: int) -> Word | None:
        """Return a counterexample that shows why a cluster goes with two states, or else refine the partition."""
        suffix = self._hypothesis.distinguishing_suffix(known.state, state)
        for conflicting in (*known.points.values(), prefix):
            longer = self._membership.prefix(suffix, conflicting)
            word = longer.word
            if self._membership.outcome(longer) is not self._hypothesis.outcome(word):
                return word
        point = self._membership.point(prefix)
        seen = [next(iter(visited.points)).values for visited in self.visited.values()]
        clean = self._partition.refine([agreeing.values for agreeing in known.points], point.values, seen)
        if clean:
            self.queue.appendleft((prefix, state))
        elif clean is not None:
            self._begin()
        self.stuck = clean is None
        return None


class RandomWords:
    """For each hypothesis a new sample: lengths uniform from 0 to `longest`, symbols uniform and independent.

    A sample proves nothing, however large it is: words that it hardly ever has, as those of a long keyword, are missed.

    Parameters
    ----------
    membership : Membership
    words : int
        Size of a sample.
    longest : int
    seed : int
    """

    end = LearningEnd.SAMPLED

    def __init__(self, membership: Membership, *, words: int, longest: int, seed: int) -> None:
        self._membership = membership
        self._words, self._longest = words, longest
        self._random = Random(seed)

    def find(self, hypothesis: Hypothesis) -> Word | None:
        """Return the first word of a sample that is a counterexample, or None."""
        choice, symbols = self._random.choices, range(self._membership.symbols)
        for _ in range(self._words):
            length = self._random.randint(0, self._longest) if symbols else 0
            word = tuple(choice(symbols, k=length))
            if self._membership.ask(word) is not hypothesis.outcome(word):
                return word
        return None
