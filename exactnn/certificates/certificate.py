"""What a certificate says, as frozen values.

A certificate tells how a network, on a word and then on EOS symbols, comes to its verdict after any number of steps.
Numbers of the network's state are written in a base, with a *head* and a *tail*: (head + sign * T) / base**places. A
tail T is a *stack* of limbs, integers 0 <= X < unit = base**limb: T = sum of X_i / unit**i, the top limb first. A
*macro state* has the heads; an *edge* says what the network does until it needs the next limb; a *rule* repeats edges
many times.
"""

from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.certificates.lengths import Length
from exactnn.networks import Network
from exactnn.outcome import Outcome

__all__ = [
    "STACKS",
    "Begin",
    "Certificate",
    "Closed",
    "Edge",
    "Edges",
    "End",
    "Head",
    "Leg",
    "MacroState",
    "Many",
    "Move",
    "Rounds",
    "Rule",
]  # fmt: skip

STACKS = 16
"""Stacks there are; a list with fewer means that the others are empty."""


@dataclass(frozen=True, slots=True)
class Head:
    """The number (head + sign * T) / base**places, T the tail on a stack; on stack -1 there is none, T = 0."""

    head: int
    places: int
    sign: int
    stack: int


@dataclass(frozen=True, slots=True)
class MacroState:
    """The state's numbers as 0, 1 or heads, and the stack whose top limb is needed next, or -1."""

    values: tuple[int | Head, ...]
    wanted: int

    @property
    def stacks(self) -> frozenset[int]:
        """The stacks in use: those, and no others, are not empty."""
        return frozenset(value.stack for value in self.values if isinstance(value, Head) and value.stack >= 0)


@dataclass(frozen=True, slots=True)
class Edge:
    """From a macro state, with `limb` on top of the stack that it wants, `steps` steps lead to state `target`.

    `last`: that limb is the only one there. It is popped, then the stacks in `clears` are emptied, then the `pushes`
    (stack, limb) happen in order. `outputs` are (output, repetitions), one for each step.
    """

    state: int
    limb: int
    last: bool
    steps: int
    target: int
    pushes: tuple[tuple[int, int], ...]
    clears: tuple[int, ...]
    outputs: tuple[tuple[mpq, int], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """From `state` with such runs on top of the stacks (top last), `moves` lead to the same, with other run lengths.

    An entry is (limb, length) of a run, with 0 for a length that is open: those are unknowns, in order. `whole` says of
    each stack whether nothing lies below. `counts` are numbers of rounds that may be asked for, as forms in the
    unknowns; `many` says what many rounds lead to, and is None for a rule that is used once at a time.
    """

    state: int
    stacks: tuple[tuple[tuple[int, int], ...], ...]
    whole: tuple[bool, ...]
    moves: tuple["Move", ...]
    counts: tuple[Length, ...]
    many: "Many | None"


@dataclass(frozen=True, slots=True)
class Many:
    """The n open lengths after `first` rounds of a rule, or more, and the steps of those rounds.

    They are forms in the lengths before, in the number of rounds, which is the unknown n, and in base**rounds for each
    of the `bases`, which are the unknowns after that.
    """

    first: int
    bases: tuple[int, ...]
    lengths: tuple[Length, ...]
    steps: Length


@dataclass(frozen=True, slots=True)
class Begin:
    """After the word and `eos_steps` EOS steps: a macro state, and stacks as runs (limb, length), the top last."""

    eos_steps: int
    state: int
    stacks: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Edges:
    """So many edges, one after the other, each for a whole run of limbs if it is a loop."""

    number: int


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds of a rule, as many as one of its counts says, by the number of that; without a number for ever."""

    rule: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Closed:
    """The end of a path: what is there is in a closed set of outlines, from which no verdict ever comes."""


Move = Edges | Rounds
"""A piece of the round of a rule."""
Leg = Move | Closed
"""A piece of a path."""


@dataclass(frozen=True, slots=True)
class End:
    """The claim: the verdict `outcome` comes after exactly `eos_steps` EOS steps."""

    eos_steps: int
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """All of it. `unit` is base**limb, the number that limbs are below; `symbols` are the inputs of the word."""

    network: Network
    word: tuple[str, ...]
    symbols: tuple[int, ...]
    base: int
    limb: int
    unit: int
    states: tuple[MacroState, ...]
    edges: tuple[Edge, ...]
    rules: tuple[Rule, ...]
    begin: Begin
    path: tuple[Leg, ...]
    end: End

    @property
    def steps(self) -> int:
        """Network steps that are taken one by one: of the word, the first EOS steps, and those of all edges."""
        return len(self.symbols) + self.begin.eos_steps + sum(edge.steps for edge in self.edges)

    @property
    def taken(self) -> int:
        """Edges that are taken one by one: those of the path and of a round of each rule."""
        moves = [move for rule in self.rules for move in rule.moves]
        return sum(leg.number for leg in (*self.path, *moves) if isinstance(leg, Edges))
