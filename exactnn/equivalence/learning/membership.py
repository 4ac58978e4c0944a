"""Membership queries: the outcome of a word, computed once, from the state after its longest prefix that is known."""

import time
from collections import deque
from collections.abc import Hashable, Sequence
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, Arithmetic, is_arithmetic
from exactnn.equivalence.learning.learned_automaton import Hypothesis, LearningEnd, LimitReached, Word
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, Position, Walk, executor_for, outcome_after
from exactnn.simulation.executor import basic_twin
from exactnn.simulation.executors import exact_executor_for
from exactnn.simulation.plain_exact import PlainExactExecutor

__all__ = ["Membership", "Point", "Prefix"]

ZERO = mpq(0)

MOST_NUMBERS = 1 << 22
"""Numbers of states of the network that are kept at a time; other states are computed again."""

SLICE = 256
"""EOS steps between two looks at the clock."""


class Point:
    """A state of the network as numbers; two are equal only if the states are, bit for bit."""

    __slots__ = ("_hash", "_key", "values")

    def __init__(self, values: tuple[Any, ...], key: Hashable) -> None:
        self.values, self._key = values, key
        self._hash = hash(key)  # of hundreds of rationals it takes long

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Point) and self._hash == other._hash and self._key == other._key)


class Prefix:
    """A word in the tree of all words that were asked, with its outcome and the network's state if they are known."""

    __slots__ = ("longer", "outcome", "point", "shorter", "state", "symbol")

    def __init__(self, shorter: "Prefix | None", symbol: int) -> None:
        self.shorter, self.symbol = shorter, symbol
        self.longer: dict[int, Prefix] = {}
        self.outcome: Outcome | None = None
        self.forget()

    def forget(self) -> None:
        """Let go of the state."""
        self.state: Any = None
        self.point: Point | None = None

    @property
    def word(self) -> Word:
        """The word as numbers of symbols."""
        symbols, prefix = [], self
        while prefix.shorter is not None:
            symbols.append(prefix.symbol)
            prefix = prefix.shorter
        return tuple(reversed(symbols))


class Membership:
    """A network as a teacher that answers membership queries.

    States of executors are values that never change, so that each query goes on from where an earlier one was.

    Parameters
    ----------
    network : Network
        With an alphabet and a protocol with verdicts.
    arithmetic : Arithmetic
    max_eos_steps : int
        EOS steps after a word, until its outcome is "step limit".
    max_queries : int or None
    deadline : float
        The `time.perf_counter()` at which time is up.

    Examples
    --------
    >>> from exactnn.arithmetic import EXACT
    >>> from exactnn.networks import SimpleRNN
    >>> odd = SimpleRNN(V=[[-1]], W=[[1, 0]], b=[0], s=[0], readout_weight=[1], alphabet="ab", activation="heaviside")
    >>> membership = Membership(odd, EXACT, max_eos_steps=0, max_queries=None)
    >>> [membership.ask(word).value for word in ((), (0,), (0, 1), (0,))], membership.queries, membership.steps
    (['rejected', 'accepted', 'rejected', 'accepted'], 3, 2)
    """

    def __init__(
        self,
        network: Network,
        arithmetic: Arithmetic,
        *,
        max_eos_steps: int,
        max_queries: int | None,
        deadline: float = float("inf"),
    ) -> None:
        self.network = network
        self.executor = _executor(network, arithmetic)
        self._is_exact = arithmetic.is_exact
        self._max_eos_steps, self._max_queries, self._deadline = max_eos_steps, max_queries, deadline
        assert network.alphabet is not None
        symbols = network.input_symbols or ()
        self._inputs = [network.alphabet.index(symbol) for symbol in symbols]
        self.root = Prefix(None, -1)
        self.root.state = self.executor.start()
        self._kept: list[Prefix] = []
        self._points: dict[Point, Point] = {}
        self._most = MOST_NUMBERS // max(1, network.neurons)
        self.symbols = len(symbols)
        self.queries = 0
        self.steps = 0

    def ask(self, word: Sequence[int]) -> Outcome:
        """Return the outcome of a word."""
        return self.outcome(self.prefix(word))

    def prefix(self, word: Sequence[int], start: Prefix | None = None) -> Prefix:
        """Return the place of a word in the tree; with `start` that of the word after this one."""
        prefix = self.root if start is None else start
        for symbol in word:
            following = prefix.longer.get(symbol)
            if following is None:
                following = prefix.longer[symbol] = Prefix(prefix, symbol)
            prefix = following
        return prefix

    def outcome(self, prefix: Prefix) -> Outcome:
        """Return the outcome of the word of `prefix`; raises LimitReached where there may be no more."""
        if prefix.outcome is None:
            if self._max_queries is not None and self.queries >= self._max_queries:
                raise LimitReached(LearningEnd.QUERY_LIMIT)
            self.check_clock()
            prefix.outcome = self._decide(self.state(prefix))
            self.queries += 1
        return prefix.outcome

    def check_clock(self) -> None:
        """Raise LimitReached if time is up."""
        if time.perf_counter() > self._deadline:
            raise LimitReached(LearningEnd.TIME_LIMIT)

    def state(self, prefix: Prefix) -> Any:
        """Return the state of the network after the word of `prefix`."""
        unknown = []
        while prefix.state is None:
            unknown.append(prefix)
            assert prefix.shorter is not None
            prefix = prefix.shorter
        state = prefix.state
        if len(self._kept) + len(unknown) > self._most:
            self._forget()
        for following in reversed(unknown):
            state = self.executor.advance(state, self._inputs[following.symbol], 1, until_decided=False).state
            following.state = state
        self.steps += len(unknown)
        self._kept += unknown
        return state

    def _forget(self) -> None:
        for prefix in self._kept:
            prefix.forget()
        self._kept.clear()
        self._points.clear()

    def _decide(self, state: Any) -> Outcome:
        """Return how the walk from the state after a word ends."""
        if self.network.eos is None:
            said = outcome_after(self.network, 0, 0, self.executor.output(state))
            assert said is not None
            return said
        walk = Walk(self.executor, (), limit=self._max_eos_steps, at_once=SLICE, begin=Position(0, state))
        for stretch in walk:
            self.steps += stretch.segment.steps
            if stretch.outcome is None:
                self.check_clock()
        assert walk.outcome is not None
        return walk.outcome

    def point(self, prefix: Prefix) -> Point:
        """Return the network's state after the word of `prefix` as numbers."""
        if prefix.point is None:
            state = self.state(prefix)
            values: tuple[Any, ...] = self.executor.values(state)
            if self._is_exact:
                values = tuple(value or ZERO for value in values)  # most are zero, and take no room as the same one
            point = Point(values, values if self._is_exact else repr(self.executor.pack(state)))
            prefix.point = self._points.setdefault(point, point)
        return prefix.point

    def contradiction(self, hypothesis: Hypothesis) -> Word | None:
        """Return a shortest word that was asked and for which a hypothesis has another outcome, or None."""
        queue = deque([(self.root, 0)])
        while queue:
            prefix, state = queue.popleft()
            if prefix.outcome is not None and prefix.outcome is not hypothesis.outcomes[state]:
                return prefix.word
            row = hypothesis.transitions[state]
            queue.extend((longer, row[symbol]) for symbol, longer in prefix.longer.items())
        return None


def _executor(network: Network, arithmetic: Arithmetic) -> Executor:
    """Return an executor for many short runs."""
    if not is_arithmetic(arithmetic) or arithmetic != EXACT:
        return executor_for(network, arithmetic)
    twin = basic_twin(network)
    if twin is None or network.eos is not None:
        return exact_executor_for(network, many=True)
    return PlainExactExecutor(twin)
