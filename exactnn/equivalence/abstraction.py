"""The equivalence oracle of Weiss, Goldberg and Yahav: an abstraction of the network, refined while it is compared.

The states R^d of the network are partitioned into clusters. One state of each cluster stands for all of it: this makes
a finite automaton, which is explored breadth-first side by side with the hypothesis. Where the two disagree, either the
hypothesis is wrong, and there is a counterexample; or the partition is too coarse, and is refined.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from exactnn.equivalence.hypothesis import Hypothesis, Word
from exactnn.equivalence.learning_end import LearningEnd
from exactnn.equivalence.membership import Membership, Point, Prefix
from exactnn.equivalence.partition import Values

__all__ = ["AbstractionOracle", "Clusters", "EveryState"]


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
