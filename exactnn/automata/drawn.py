"""What machines share: how they are drawn as graphs, and states that halt."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State
from exactnn.interrupts import Uninterrupted
from exactnn.markup import Arrow, Entry, Graph, Node, Table, Tabular, html_table

__all__ = ["Drawn", "DrawnMachine", "HaltingMachine", "Move", "shown_symbol"]


MOST_READINGS = 8
"""Columns of a table states by readings. Of more, a row is what a state does, with the readings on which it does it."""

LONGEST_NAME = 40
LONGEST_READINGS = 1000

ROLES = {"final": "right", "accepts": "right", "rejects": "wrong", "halts": "unsure"}
"""What a state is for, and how that is marked."""

Reading = str | tuple[str, ...]
"""What is read; a tuple of what is read on each stack or tape."""

Move = tuple[Reading, State, str]
"""What is read, the state that follows, and what is done, which is empty where a machine only reads."""

ANY = "any"
"""What stands for each symbol of a stack or tape, where all do the same."""


class Drawn(Tabular):
    """What notebooks show as a graph and a table, and terminals as a table."""

    __slots__ = ()

    @abstractmethod
    def graph(self) -> Graph:
        """Return the machine as a graph: a node for each state, an arrow for each pair of states with transitions."""

    def __str__(self) -> str:
        """Return the table, for ``print``."""
        return str(self.as_table())

    def _repr_svg_(self) -> str | None:
        return _picture(self.graph())

    def _repr_html_(self) -> str:
        return f"<div>{_picture(self.graph()) or ''}{html_table(self.as_table())}</div>"


def _picture(graph: Graph) -> str | None:
    with Uninterrupted("loading the layout of graphs"):  # only where one is looked at
        from exactnn.markup import graph_picture

    return graph_picture(graph)


class DrawnMachine(Drawn):
    """A machine with states and transitions, which notebooks show as a graph and a table, and terminals as a table.

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

    @property
    def _drawn(self) -> tuple[tuple[State, ...], State]:
        """The states that are drawn, and the one in which a run begins."""
        return self.states, self.initial_state

    def graph(self) -> Graph:
        """Return the machine as a graph: a node for each state, an arrow for each pair of states with transitions."""
        states, initial = self._drawn
        number = {state: i for i, state in enumerate(states)}
        return Graph(
            title=self.name,
            nodes=tuple(self._node(state) for state in states),
            arrows=tuple(
                Arrow(source=number[state], target=number[target], lines=lines)
                for state in states
                for target, lines in _arrows(self._moves(state), self._read_anywhere)
            ),
            starts=((number[initial], ""),),
        )

    def as_table(self) -> Table:
        """Return what notebooks and terminals show of the transitions."""
        moves = {state: list(self._moves(state)) for state in self._drawn[0]}
        readings = dict.fromkeys(_text(reading) for row in moves.values() for reading, _, _ in row)
        note = f"→ initial state{self._remark()}"
        if len(readings) > MOST_READINGS:
            grouped = tuple(_grouped(moves, self._named, self._read_anywhere))
            return Table(
                title=self.name,
                heading=("state", self._entries, "on"),
                rows=grouped,
                note=note,
                longest=LONGEST_READINGS,
            )
        rows = tuple(_grid(moves, tuple(readings), self._named))
        note = f"{note}; each entry: {self._entries}"
        return Table(title=self.name, heading=("state", *readings), rows=rows, note=note)

    @property
    def _entries(self) -> str:
        """What an entry of the table is."""
        return "what is done → next state"

    @property
    def _read_anywhere(self) -> tuple[str, ...]:
        """What may be read on each stack or tape of a machine that has several."""
        return ()

    def _remark(self) -> str:
        """Return what else is to be said below the table."""
        return ""

    def _role(self, state: State) -> str:
        """Return what a state is for, a word or two after its name; "" if nothing is to be said."""
        return ""

    def _named(self, state: State) -> Entry:
        """Return the name of a state, with an arrow before the initial one and its role after it."""
        role = self._role(state)
        name = f"{'→ ' if state == self._drawn[1] else ''}{_cut(str(state))}"
        return Entry(f"{name} ({role})" if role else name, told=str(state), mark=ROLES.get(role.partition(" ")[0], ""))


def shown_symbol(symbol: Symbol) -> str:
    """Return a symbol as it is, in quotes where it could not be told from what stands around it.

    >>> shown_symbol("a"), shown_symbol("/")
    ('a', "'/'")
    """
    return repr(symbol) if not symbol.isprintable() or set(symbol) & set(" ,/'") or symbol == "ε" else symbol


def _text(reading: Reading) -> str:
    return reading if isinstance(reading, str) else ", ".join(reading)


def _merged(readings: Sequence[Reading], every: Collection[str]) -> list[Reading]:
    """Return readings on which the same is done, with "any" in the place of what may be each of `every`.

    >>> _merged([("a", "a"), ("b", "a"), ("a", "b")], ("a", "b"))
    [('any', 'a'), ('a', 'b')]
    >>> _merged(["a", "b"], ())
    ['a', 'b']
    """
    parts = {reading: at for at, reading in enumerate(readings) if isinstance(reading, tuple)}
    if not parts or len(parts) < len(readings) or ANY in every:
        return list(readings)
    for place in range(len(next(iter(parts)))):
        alike: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
        for reading, at in parts.items():
            alike.setdefault((*reading[:place], ANY, *reading[place + 1 :]), {})[reading] = at
        merged: dict[tuple[str, ...], int] = {}
        for one, several in alike.items():
            merged |= {one: min(several.values())} if {reading[place] for reading in several} == set(every) else several
        parts = merged
    return [*sorted(parts, key=parts.__getitem__)]


def _arrows(moves: Iterator[Move], every: Collection[str]) -> Iterator[tuple[State, tuple[str, ...]]]:
    """Yield each state that moves lead to, with the lines of all of them."""
    found: dict[State, list[tuple[Reading, str]]] = {}
    for reading, target, done in moves:
        found.setdefault(target, []).append((reading, done))
    for target, labels in found.items():
        if every:
            by_done: dict[str, list[Reading]] = {}
            for reading, done in labels:
                by_done.setdefault(done, []).append(reading)
            labels = [(reading, done) for done, readings in by_done.items() for reading in _merged(readings, every)]
        if any(done for _, done in labels):
            yield target, tuple(f"{_text(reading)} / {done}" for reading, done in labels)
        else:
            yield target, (", ".join(_text(reading) for reading, _ in labels),)


def _grid(
    moves: Mapping[State, list[Move]], readings: tuple[str, ...], named: Callable[[State], Entry]
) -> Iterator[tuple[object, ...]]:
    """Yield a row for each state, with an entry for each reading."""
    for state, row in moves.items():
        done = {_text(reading): _entry(target, act) for reading, target, act in row}
        yield named(state), *(done.get(reading, "") for reading in readings)


def _grouped(
    moves: Mapping[State, list[Move]], named: Callable[[State], Entry], every: Collection[str]
) -> Iterator[tuple[object, ...]]:
    """Yield a row for each state and each thing that it does, with the readings on which it does that."""
    for state, row in moves.items():
        label: object = named(state)
        found: dict[Entry, list[Reading]] = {}
        for reading, target, act in row:
            found.setdefault(_entry(target, act), []).append(reading)
        for done, readings in found.items() or [(Entry(""), [])]:
            yield label, done, "; ".join(map(_text, _merged(readings, every)))
            label = ""


def _entry(target: State, done: str) -> Entry:
    name, before = str(target), f"{done} → " if done else ""
    return Entry(before + _cut(name), told=before + name)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


# --- What machines with halting states share: which states end a run, and how they look.


class HaltingMachine(DrawnMachine):
    """A machine that halts when it enters a state that accepts, rejects or says nothing; it may lack any of them."""

    __slots__ = ()

    accept_state: State | None
    reject_state: State | None
    halt_state: State | None

    @property
    def halting_states(self) -> tuple[State, ...]:
        """The states that end a run: those of accept, reject and halt that the machine has."""
        return tuple(q for q in (self.accept_state, self.reject_state, self.halt_state) if q is not None)

    def _node(self, state: State) -> Node:
        rejects = self.reject_state is not None and state == self.reject_state
        return Node(name=str(state), double=state in self.halting_states and not rejects, dashed=rejects)

    def _role(self, state: State) -> str:
        roles = {self.accept_state: "accepts", self.reject_state: "rejects", self.halt_state: "halts"}
        return roles[state] if state in self.halting_states else ""
