"""Which weights of a pushdown automaton's recurrence may differ from 0, and where they are in a network's state."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gmpy2 import mpq

from exactnn.automata import WeightedPushdownAutomaton
from exactnn.networks import EOS

__all__ = ["MOST_PRODUCTS", "Actions", "Entry", "Layout", "Registers", "Shape", "by_source"]

ONE = mpq(1)

MOST_PRODUCTS = 2_000_000
"""Of a step: about two gigabytes of them."""

Entry = tuple[int, int]
"""A pair of a state and a symbol on top, and the pair, or the state, that follows."""

Registers = Mapping[Entry, int]
"""Where the entries of a matrix of weights are that may differ from 0."""


class Actions(NamedTuple):
    """The weights of actions by number: of each entry, its weight by input symbol."""

    push: dict[Entry, dict[str, mpq]]
    replaced: dict[Entry, dict[str, mpq]]
    pop: dict[Entry, dict[str, mpq]]

    @classmethod
    def of(cls, automaton: WeightedPushdownAutomaton) -> "Actions":
        """Return those of an automaton; EOS replaces every symbol by itself."""
        states = {state: i for i, state in enumerate(automaton.states)}
        tops = {top: i for i, top in enumerate(automaton.stack_symbols)}

        def entries(by_symbol: Mapping[str, Mapping[tuple[Any, ...], Any]]) -> dict[Entry, dict[str, mpq]]:
            found: dict[Entry, dict[str, mpq]] = {}
            for symbol, weights in by_symbol.items():
                for (state, top, following, *new), weight in weights.items():
                    target = states[following] * len(tops) + tops[new[0]] if new else states[following]
                    if weight:
                        found.setdefault((states[state] * len(tops) + tops[top], target), {})[symbol] = weight
            return dict(sorted(found.items()))

        replaced = entries(automaton.replace)
        for pair in range(len(states) * len(tops)):
            replaced.setdefault((pair, pair), {})[EOS] = ONE
        return cls(entries(automaton.push), dict(sorted(replaced.items())), entries(automaton.pop))


class Shape(NamedTuple):
    """Which entries may differ from 0: of g by how many steps its times are apart, of all runs, of the bottom alone."""

    columns: tuple[tuple[Entry, ...], ...]
    tops: tuple[int, ...]
    alone: tuple[int, ...]
    products: int

    @property
    def old(self) -> tuple[tuple[int, ...], ...]:
        """By d - 1: the pairs on which something is pushed that are reached d steps or more after what is below."""
        covered = {source for source, _ in self.columns[0]}
        found = [tuple(sorted({target for _, target in column} & covered)) for column in self.columns[:-1]]
        return tuple(tuple(sorted(set().union(*found[d:]))) for d in range(len(found)))

    @classmethod
    def of(cls, actions: Actions, span: int, symbols: int) -> "Shape":
        """Find the entries by the recurrence itself, from the pairs that runs reach; `symbols` are those of stacks."""
        reached = {0}
        while True:
            columns = [{entry for entry in actions.push if entry[0] in reached}]
            products = len(columns[0])
            pops: list[set[Entry]] = []
            for distance in range(2, span + 2):
                pops.append(_joined(columns[distance - 2], actions.pop))
                found = _joined(columns[distance - 2], actions.replaced)
                for above in range(1, distance - 1):
                    found |= _exposed(columns[distance - 2 - above], pops[above - 1], symbols)
                    products += len(columns[distance - 2 - above]) * len(pops[above - 1])
                # Of sums, and of the bits that say what was reached so long ago: at most one for each push and time.
                products += len(columns[distance - 2]) + 2 * len(found) + distance * len(columns[0])
                columns.append(found)
                if products > MOST_PRODUCTS:
                    break
            alone = {0}
            while True:
                entries = {(0, pair) for pair in alone}
                more = _joined(entries, actions.replaced).union(*(_exposed(entries, pop, symbols) for pop in pops))
                if {pair for _, pair in more} <= alone:
                    break
                alone |= {pair for _, pair in more}
            tops = alone.union(target for column in columns for _, target in column)
            if tops <= reached or products > MOST_PRODUCTS:
                ordered = tuple(tuple(sorted(column)) for column in columns)
                return cls(ordered, tuple(sorted(tops)), tuple(sorted(alone)), products)
            reached |= tops


def _joined(first: Iterable[Entry], second: Iterable[Entry]) -> set[Entry]:
    """Return the entries of a product of two matrices."""
    targets: dict[int, list[int]] = {}
    for source, target in second:
        targets.setdefault(source, []).append(target)
    return {(source, target) for source, middle in first for target in targets.get(middle, ())}


def _exposed(first: Iterable[Entry], pops: Iterable[Entry], symbols: int) -> set[Entry]:
    """Return the entries of runs to (u, y) that is covered, then exposed again in a state r: to (r, y)."""
    states = by_source(dict.fromkeys(pops, 0))
    return {
        (source, state * symbols + middle % symbols) for source, middle in first for state, _ in states.get(middle, ())
    }


def by_source(matrix: Registers) -> dict[int, list[tuple[int, int]]]:
    """Return the targets of each source, with their registers."""
    found: dict[int, list[tuple[int, int]]] = {}
    for (source, target), register in matrix.items():
        found.setdefault(source, []).append((target, register))
    return found


class Layout:
    """Where the parts of the state are; what is from s steps ago is at index s."""

    def __init__(self, shape: Shape) -> None:
        span = len(shape.columns) - 1
        self.shape, self.span, self._next = shape, span, 0
        self.columns = [
            [self._placed(shape.columns[distance - 1]) for distance in range(1, span - ago + 1)] for ago in range(span)
        ]
        """By s, then by distance d - 1: the weights g from d steps before that."""
        self.tops = [self._placed(shape.tops) for _ in range(span + 1)]
        self.alone = [self._placed(shape.alone) for _ in range(span + 1)]
        self.old = [[self._placed(pairs) for pairs in shape.old[: span - max(ago - 1, 0)]] for ago in range(span + 1)]
        """By s, then by d - 1: whether a pair was on top then, d steps or more after what is below it was written."""
        self.lost = self._next
        self.size = self.lost + 3

    def _placed(self, keys: Iterable[Any]) -> dict[Any, int]:
        found = {key: self._next + i for i, key in enumerate(keys)}
        self._next += len(found)
        return found
