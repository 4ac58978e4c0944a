"""How a machine shows itself: as a graph of states, and as a table."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State
from exactnn.markup import Arrow, Graph, Node, graph_picture, html_table

__all__ = ["DrawnMachine", "Move", "shown_symbol"]

Move = tuple[str, State, str]
"""What is read, the state that follows, and what is done, which is empty where a machine only reads."""


class DrawnMachine(ABC):
    """A machine with states and transitions, which notebooks show as a graph and a table.

    A double circle is a final state, or the halting state of a machine that accepts or gives no verdict; a reject state
    is dashed. An arrow has a line ``what is read / what is done`` for each transition, or lists the symbols of those
    that do nothing.
    """

    __slots__ = ()

    states: tuple[State, ...]
    initial_state: State
    name: str

    @abstractmethod
    def _moves(self, state: State) -> Iterator[Move]:
        """Yield the transitions from a state; none from one that halts."""

    @abstractmethod
    def _node(self, state: State) -> Node:
        """Return how a state looks."""

    def graph(self) -> Graph:
        """Return the machine as a graph: a node for each state, an arrow for each pair of states with transitions."""
        number = {state: i for i, state in enumerate(self.states)}
        return Graph(
            title=self.name,
            nodes=tuple(self._node(state) for state in self.states),
            arrows=tuple(
                Arrow(source=number[state], target=number[target], lines=lines)
                for state in self.states
                for target, lines in _arrows(self._moves(state))
            ),
            start=number[self.initial_state],
        )

    def _repr_svg_(self) -> str | None:
        return graph_picture(self.graph())

    def _repr_html_(self) -> str:
        picture = graph_picture(self.graph()) or ""
        moves = {state: list(self._moves(state)) for state in self.states}
        rows = {state: {reading: (target, done) for reading, target, done in row} for state, row in moves.items()}
        columns = list(dict.fromkeys(reading for row in rows.values() for reading in row))
        heading = [f"{self.name}", *columns]
        body = [[self._named(state), *(_entry(row.get(reading)) for reading in columns)] for state, row in rows.items()]
        return f"<div>{picture}{html_table(heading, body)}</div>"

    def _named(self, state: State) -> str:
        """Return the name of a state, with an arrow before the initial one and a mark after those that decide."""
        node = self._node(state)
        start = "→ " if state == self.initial_state else ""
        return f"{start}{node.name}{' ✓' if node.double else ' ✗' if node.dashed else ''}"


def shown_symbol(symbol: Symbol) -> str:
    """Return a symbol as it is, in quotes where it could not be told from what stands around it.

    >>> shown_symbol("a"), shown_symbol("/")
    ('a', "'/'")
    """
    return repr(symbol) if not symbol.isprintable() or set(symbol) & set(" ,/'") else symbol


def _arrows(moves: Iterator[Move]) -> Iterator[tuple[State, tuple[str, ...]]]:
    """Yield each state that moves lead to, with the lines of all of them."""
    found: dict[State, list[tuple[str, str]]] = {}
    for reading, target, done in moves:
        found.setdefault(target, []).append((reading, done))
    for target, labels in found.items():
        if any(done for _, done in labels):
            yield target, tuple(f"{reading} / {done}" for reading, done in labels)
        else:
            yield target, (", ".join(reading for reading, _ in labels),)


def _entry(move: tuple[State, str] | None) -> str:
    if move is None:
        return ""
    target, done = move
    return f"{target}: {done}" if done else str(target)
