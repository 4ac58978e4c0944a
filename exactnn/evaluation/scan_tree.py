"""What an order of evaluation computes on a word, composite by composite: exactly, and in a format beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of, counted
from exactnn.automata import word_text
from exactnn.errors import OptionError
from exactnn.evaluation.order import NOTHING, EvaluationOrder, Schedule, order_of
from exactnn.evaluation.ordered import Recurrence, Step, composites_by_rounds, states_of_composites
from exactnn.markup import MOST_ROWS, Entry, Table, Tabular, clipped, named
from exactnn.networks import AnyNetwork

__all__ = ["ScanNode", "ScanState", "ScanTree", "scan_tree"]

MOST_NUMBERS = 2_000_000
"""Of all composites: of a state of d components each has a matrix and a vector, d (d + 1) numbers."""

Affine = tuple[tuple[tuple[Any, ...], ...], tuple[Any, ...]]
"""A matrix A and a vector B."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanNode:
    """A composite h -> A h + B that an order computes, exactly and in a format.

    Parameters
    ----------
    round : int
        In which round; 0 for the letters themselves.
    place : int
        Where the schedule keeps it.
    first, last : int
        It composes the letters from `first` to `last`, counted from 0; of none, `last` is less than `first`.
    late, early : int or None
        The nodes, by number, that it is the composite of; None for what changes nothing.
    exact, computed : pair of matrix and vector, or None
        A and B; None for what changes nothing, (1, 0).
    """

    round: int
    place: int
    first: int
    last: int
    late: int | None
    early: int | None
    exact: Affine | None
    computed: Affine | None

    @property
    def differs(self) -> bool:
        """Whether a number of the two is not the same."""
        return self.exact != self.computed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanState:
    """A state: which one it is computed from, by which nodes, and its numbers, exactly and in a format.

    Parameters
    ----------
    before : int or None
        The state to which the nodes are applied, by the letters read until then; None for the start.
    nodes : tuple of int
        Applied one after the other.
    stage : int
        How many states, one after the other, have to be there before; 0 for the start.
    exact, computed : tuple of numbers
    """

    before: int | None
    nodes: tuple[int, ...]
    stage: int
    exact: tuple[Any, ...]
    computed: tuple[Any, ...]

    @property
    def differs(self) -> bool:
        """Whether a number of the two is not the same."""
        return self.exact != self.computed


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScanTree(Tabular):
    """What :func:`scan_tree` found.

    Parameters
    ----------
    name : str
        Of the network.
    word : tuple
    order : EvaluationOrder
    arithmetic : Arithmetic
    components : tuple of str
        Names of the numbers of a state.
    rounds : int
    nodes : tuple of ScanNode
        Round by round.
    states : tuple of ScanState
        After each letter, the start first.
    """

    name: str
    word: tuple[object, ...]
    order: EvaluationOrder
    arithmetic: Arithmetic
    components: tuple[str, ...]
    rounds: int
    nodes: tuple[ScanNode, ...]
    states: tuple[ScanState, ...]

    @property
    def first_wrong(self) -> int | None:
        """The number of the first node that differs, in the order in which they are computed; None if none does."""
        return next((i for i, node in enumerate(self.nodes) if node.differs), None)

    @property
    def first_wrong_state(self) -> int | None:
        """After how many letters the state differs for the first time; None if none does."""
        return next((t for t, state in enumerate(self.states) if state.differs), None)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the composites of each round, and how many of them differ."""
        rounds = [[node for node in self.nodes if node.round == k] for k in range(self.rounds + 1)]
        states = sum(state.differs for state in self.states)
        rows: list[tuple[object, ...]] = [
            (k or "letters", len(nodes), _wrong(sum(node.differs for node in nodes)))
            for k, nodes in enumerate(rounds[:MOST_ROWS])
        ]
        return Table(
            title=f"{self.name} on {clipped(word_text(self.word), 40)}, {self.order!r} in {self.arithmetic}",
            heading=("round", "composites", "that differ"),
            rows=tuple(rows),
            more=len(rounds) - len(rows),
            note=f"then {counted(len(self.states) - 1, 'state')}, {states:,} of them different",
        )

    def __repr__(self) -> str:
        wrong = sum(node.differs for node in self.nodes)
        return (
            f"<ScanTree of {named(self.name)}, {self.order!r} in {self.arithmetic}: {counted(len(self.nodes), 'node')} "
            f"in {counted(self.rounds, 'round')}, {wrong:,} of them different>"
        )


def _wrong(count: int) -> Entry:
    return Entry(f"{count:,}", mark="wrong" if count else "")


def scan_tree(
    network: AnyNetwork, word: str | Sequence[object], order: EvaluationOrder | str, arithmetic: AnyArithmetic
) -> ScanTree:
    """Return all composites and states that an order of evaluation computes on a word, exactly and in an arithmetic.

    Parameters
    ----------
    network : Network, Construction, machine or name of a machine
        Linear in its state.
    word : str or sequence
    order : EvaluationOrder or str
    arithmetic : Arithmetic

    Raises
    ------
    OptionError
        If the composites have more than two million numbers together: the word is too long.
    NetworkError, WordError, UnsupportedArithmeticError
        As :func:`exactnn.run` with `order` raises them.

    Notes
    -----
    A letter is the affine map h -> A h + B, and the composite of two is (A2 A1, A2 B1 + B2). All orders agree over the
    rationals since that is associative, and in a format it is not. See G. E. Blelloch, "Prefix sums and their
    applications", 1990, section 1.4.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT8_E5M2
    >>> from exactnn.networks import DiagonalSSM
    >>> net = DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    >>> found = scan_tree(net, "+--+", "kogge-stone", FLOAT8_E5M2)
    >>> found
    <ScanTree of diagonal SSM, KOGGE_STONE in float8_e5m2: 9 nodes in 2 rounds, 5 of them different>
    >>> found.nodes[found.first_wrong].exact, found.nodes[found.first_wrong].computed
    ((((mpq(9,16),),), (mpq(-1,4),)), (((0.5,),), (-0.25,)))
    """
    chosen, scheme = arithmetic_of(arithmetic), order_of(order)
    both = tuple(Recurrence.of(network, one) for one in (EXACT, chosen))
    core = both[0].network
    length = len(core.inputs(word))
    _check(scheme, length, length, core.circuit.state_size)
    schedule = scheme.schedule(length)
    _check(scheme, length + sum(map(len, schedule.rounds)), length, core.circuit.state_size)
    exactly, computed = (recurrence.steps(word) for recurrence in both)
    nodes = _Nodes(both)
    rounds = zip(
        *(composites_by_rounds(one, steps, schedule) for one, steps in zip(both, (exactly, computed), strict=True)),
        strict=True,
    )
    for number, (true, rounded) in enumerate(rounds):
        places = [(place, NOTHING, NOTHING) for place in range(len(exactly))]
        nodes.add(number, schedule.rounds[number - 1] if number else places, true, rounded)
    return ScanTree(
        name=core.name,
        word=core.written(core.inputs(word)),
        order=scheme,
        arithmetic=chosen,
        components=core.circuit.state_names,
        rounds=len(schedule.rounds),
        nodes=tuple(nodes.found),
        states=_states(both, nodes, schedule, true, rounded),
    )


def _check(order: EvaluationOrder, least: int, length: int, size: int) -> None:
    """Raise OptionError if so many composites, which there are at least, have too many numbers."""
    if least * size * (size + 1) > MOST_NUMBERS:
        raise OptionError(
            f"{order!r} has at least {counted(least, 'composite')} on a word of {counted(length, 'symbol')}, of "
            f"{size * (size + 1):,} numbers each: give a shorter word, for at most {MOST_NUMBERS:,} numbers in all"
        )


class _Nodes:
    """Composites as they are found, and which one each place has."""

    def __init__(self, both: tuple[Recurrence, ...]) -> None:
        self.both = both
        self.found: list[ScanNode] = []
        self.at: dict[int, int] = {}

    def add(
        self,
        number: int,
        combinations: Sequence[tuple[int, int, int]],
        true: Sequence[Step | None],
        rounded: Sequence[Step | None],
    ) -> None:
        """Add what a round puts into its places."""
        read = [(place, [self.at.get(source) for source in (late, early)]) for place, late, early in combinations]
        for place, parts in read:
            spans = [self.found[part] for part in parts if part is not None]
            spans = [node for node in spans if node.first <= node.last]
            letter = number == 0
            self.at[place] = len(self.found)
            self.found.append(
                ScanNode(
                    round=number,
                    place=place,
                    first=place if letter else min((node.first for node in spans), default=0),
                    last=place if letter else max((node.last for node in spans), default=-1),
                    late=parts[0],
                    early=parts[1],
                    exact=_affine(self.both[0], true[place]),
                    computed=_affine(self.both[1], rounded[place]),
                )
            )


def _affine(recurrence: Recurrence, step: Step | None) -> Affine | None:
    """Return a composite with all its numbers, as a trace has them."""
    if step is None:
        return None
    rows, vector = step
    size = range(len(vector))
    return (
        tuple(recurrence.values(tuple(row.get(j, recurrence.zero) for j in size)) for row in rows),
        recurrence.values(vector),
    )


def _states(
    both: tuple[Recurrence, ...],
    nodes: _Nodes,
    schedule: Schedule,
    true: Sequence[Step | None],
    rounded: Sequence[Step | None],
) -> tuple[ScanState, ...]:
    exactly, computed = (
        [recurrence.values(state) for state in states_of_composites(recurrence, places, schedule)]
        for recurrence, places in zip(both, (true, rounded), strict=True)
    )
    found = [ScanState(before=None, nodes=(), stage=0, exact=exactly[0], computed=computed[0])]
    for letters, applications in enumerate(schedule.outputs, start=1):
        before = applications[0][0]
        found.append(
            ScanState(
                before=before,
                nodes=tuple(nodes.at[place] for _, place in applications if place in nodes.at),
                stage=found[before].stage + 1,
                exact=exactly[letters],
                computed=computed[letters],
            )
        )
    return tuple(found)
