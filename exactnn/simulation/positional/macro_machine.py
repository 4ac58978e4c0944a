"""The macro machine of a network: what happens between two looks at a tail, memoised.

Until the digits of a tail are needed, the evolution of a state depends on its pattern and its heads alone. So the heads
are the state of a machine, and the tails are its stacks, of whole limbs: an edge takes one limb, runs the network
until the next limb is needed, and says how many steps that were, which limbs were pushed, and which state is reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.networks import Input
from exactnn.simulation.executor import Output
from exactnn.simulation.positional.radix import WORD_BITS, Radix
from exactnn.simulation.positional.rows import LIVE, Status

__all__ = [
    "MOST_STACKS", "NO_STACKS", "Chart", "Cut", "Edge", "EdgeKey", "Head", "Leg", "Legs", "MacroMachine", "MacroState",
    "MacroStretch", "Runs", "Stacks", "heads_with", "height",
]  # fmt: skip

MOST_STACKS = 8
"""Stacks of a macro machine: different long numbers at a time."""
LONGEST_EDGE = 1 << 8
"""Steps of one edge; a network that goes on without a look at its tails gets another edge."""
NO_STACKS = "digits that macro mode cannot part into stacks"
"""Why an edge may be missing."""

Runs = tuple[tuple[int, int], ...]
"""A stack as runs (limb, count), the top first."""
Stacks = Sequence[Runs]
"""All stacks: a tuple, or arrays that are read when they are asked for (`piles.Piled`)."""


class Head(NamedTuple):
    """The number (head + sign * T) / base**places with T the tail on a stack; stack -1 is the empty tail."""

    head: int
    places: int
    sign: int
    stack: int


class MacroState(NamedTuple):
    """A pattern, its heads, one for each number that is not 0 or 1, and the stack whose limb is wanted, -1 for none."""

    statuses: tuple[Status, ...]
    heads: tuple[Head, ...]
    wanted: int

    @property
    def stacks(self) -> set[int]:
        """The stacks in use."""
        return {head.stack for head in self.heads if head.stack >= 0}


def height(stacks: Stacks) -> int:
    """Return how many runs lie on all stacks; arrays know it without being written out."""
    known: int | None = getattr(stacks, "height", None)
    return sum(map(len, stacks)) if known is None else known


def heads_with(state: MacroState, limb: int, last: bool, radix: Radix, longest: int) -> list[Head] | None:
    """Return the heads after the limb that is wanted was put into them; None if they are too long for a step."""
    heads = []
    for head, places, sign, stack in state.heads:
        if 0 <= stack == state.wanted:
            head, places = head * radix.base**radix.limb + sign * limb, places + radix.limb
            stack = -1 if last else stack
        if places > longest or abs(head) >> WORD_BITS:
            return None
        heads.append(Head(head, places, sign, stack))
    return heads


@dataclass(slots=True)
class Cut:
    """A number while it is cut: (head + sign * T) / base**places, with T limbs, the top first, over an opaque tail.

    `base` is 1 + the stack that the tail stands for, or 0 if there is nothing below the limbs.
    """

    head: int
    places: int
    sign: int
    base: int
    limbs: list[int]
    stack: int = -1

    def unpack(self, count: int, unit: int, digits: int) -> None:
        """Move limbs from the tail to the head."""
        for limb in self.limbs[:count]:
            self.head = self.head * unit + self.sign * limb
            self.places += digits
        del self.limbs[:count]

    def commit(self, limb: int, unit: int, digits: int) -> None:
        """Move the last digits of the head to the tail."""
        self.head = (self.head - self.sign * limb) // unit
        self.places -= digits
        if self.base or self.limbs or limb:
            self.limbs.insert(0, limb)


class Leg(NamedTuple):
    """Steps with opaque tails: how many, what they gave, and the numbers that are not 0 or 1 after them.

    `wanted`: the stack of which more must be known, -1 for none. `decided` and `left` are those of an edge.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    statuses: tuple[Status, ...]
    numbers: list[Cut]
    wanted: int
    decided: bool
    left: str | None


class Legs(Protocol):
    """Who takes steps with opaque tails in the place of the stacks: what holds there holds for all digits.

    Heads have at most `longest` digits before a step.
    """

    longest: int

    def load(self, values: tuple[mpq, ...]) -> tuple[tuple[Status, ...], list[Cut]] | None:
        """Return the pattern of a state, and its numbers that are not 0 or 1; None if these are no numerals."""

    def take(self, state: MacroState, limb: int, last: bool, steps: int) -> Leg | None:
        """Take up to `steps` steps from a state that has got the limb it wants; None if it cannot be done."""


EdgeKey = tuple[int, int, bool]
"""A macro state, the limb that it takes, and whether that is the last of its stack."""


class Edge(NamedTuple):
    """What follows a macro state and a limb, for all digits below: see :class:`MacroMachine`.

    `pushes` are (stack, limb), those pushed first first. `outputs` are (output, repetitions). `loop`: the state
    is the same after it, and a run of equal limbs can be consumed at once. `decided`: its last output is a verdict.
    `left`: why the steps cannot go on from where it ends, or None.
    """

    steps: int
    target: int
    pushes: tuple[tuple[int, int], ...]
    clears: tuple[int, ...]
    outputs: tuple[tuple[Output, int], ...]
    loop: bool
    decided: bool
    left: str | None


class MacroStretch(NamedTuple):
    """Some steps of macro mode: how many, their outputs as (output, repetitions), the state and stacks after them.

    `transitions`: edges and rules that were followed. `decided`: the last output is a verdict. `left`: why macro mode
    cannot go on, or None. `large`: numbers of steps or runs left the machine word. `worthwhile`: direct mode would not
    have been faster. `endless`: it is proven that there is never a verdict.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: int
    stacks: Stacks
    transitions: int
    decided: bool = False
    left: str | None = None
    large: bool = False
    worthwhile: bool = True
    endless: bool = False

    def then(self, other: "MacroStretch") -> "MacroStretch":
        """Return both, one after the other."""
        outputs, more = [*self.outputs], [*other.outputs]
        if outputs and more and outputs[-1][0] == more[0][0]:
            outputs[-1] = more[0][0], outputs[-1][1] + more.pop(0)[1]
        steps, transitions = self.steps + other.steps, self.transitions + other.transitions
        return other._replace(steps=steps, transitions=transitions, outputs=[*outputs, *more])


class Chart:
    """What is known of a macro machine: its states in the order of their numbers, and its edges."""

    def __init__(self) -> None:
        self.states: list[MacroState] = []
        self.edges: dict[EdgeKey, Edge] = {}
        self._numbers: dict[MacroState, int] = {}

    def number(self, state: MacroState) -> int:
        """Return the number of a state, by which edges name it."""
        number = self._numbers.get(state)
        if number is None:
            number = len(self.states)
            self.states.append(state)
            self._numbers[state] = number
        return number

    def copied(self) -> "Chart":
        """Return a copy."""
        copy = Chart()
        copy.states, copy.edges, copy._numbers = [*self.states], {**self.edges}, {**self._numbers}
        return copy


class MacroMachine:
    """Edges of one network on one input, for limbs of one length, as `legs` find them; some are known before."""

    def __init__(self, legs: Legs, given: Input, radix: Radix, chart: Chart | None = None) -> None:
        self.legs = legs
        self.given = given
        self.radix = radix
        self.unit = int(radix.base) ** radix.limb
        self.longest = legs.longest
        self.chart = chart or Chart()
        self.states, self.edges, self.number = self.chart.states, self.chart.edges, self.chart.number

    def load(self, values: Sequence[mpq]) -> tuple[int, Stacks] | None:
        """Return a state as heads and stacks; None if it has too many long numbers, or other ones."""
        loaded = self.legs.load(tuple(values))
        cut = None if loaded is None else self._cut(*loaded, -1, shorten=True)
        if cut is None:
            return None
        target, pushes, _ = cut
        stacks: list[list[tuple[int, int]]] = [[] for _ in range(MOST_STACKS)]
        for stack, limb, count in pushes:
            stacks[stack].append((limb, count))
        return self.number(target), tuple(tuple(reversed(runs)) for runs in stacks)  # those pushed last are on top

    def numbers(self, number: int, stacks: Stacks) -> tuple[LongNumber, ...]:
        """Return the numbers of a state, those that are not 0 or 1 as numerals."""
        state = self.states[number]
        live = iter([self._numeral(head, stacks) for head in state.heads])
        return tuple(mpq(status) if status < LIVE else next(live) for status in state.statuses)

    def edge(self, number: int, limb: int, last: bool) -> Edge | None:
        """Return the edge from a state that takes a limb, the last of its stack or not; None if there is none."""
        key = (number, limb, last)
        edge = self.edges.get(key)
        if edge is None:
            edge = self.partial_edge(number, limb, last, LONGEST_EDGE)
            if edge is not None:
                self.edges[key] = edge
        return edge

    def partial_edge(self, number: int, limb: int, last: bool, steps: int) -> Edge | None:
        """Return what an edge gives, up to a number of steps."""
        state = self.states[number]
        leg = self.legs.take(state, limb, last, steps)
        cut = None if leg is None else self._cut(leg.statuses, leg.numbers, leg.wanted, shorten=leg.steps > 0)
        if leg is None or cut is None:
            return None
        popped = {state.wanted} if last else set()
        target, runs, used = cut
        pushes = tuple((stack, digits) for stack, digits, count in runs for _ in range(count))
        clears = tuple(sorted(state.stacks - popped - used))
        loop = target == state and not clears and not leg.decided and leg.left is None and leg.steps > 0
        loop = loop and len({output for output, _ in leg.outputs}) < 2  # outputs of many rounds are told as one run
        if loop:
            pushed: dict[int, int] = {}
            loop = all(pushed.setdefault(s, x) == x for s, x in pushes) and state.wanted not in pushed
        found = self.number(target)
        return Edge(leg.steps, found, pushes, clears, tuple(leg.outputs), loop, leg.decided, leg.left)

    def _numeral(self, head: Head, stacks: Stacks) -> Numeral:
        return Numeral(
            base=self.radix.base,
            limb_digits=self.radix.limb,
            head=head.head,
            places=head.places,
            sign=head.sign,
            runs=stacks[head.stack] if head.stack >= 0 else (),
        )

    def _cut(
        self, statuses: tuple[Status, ...], numbers: Sequence[Cut], wanted: int, *, shorten: bool
    ) -> tuple[MacroState, list[tuple[int, int, int]], set[int]] | None:
        """Return a state with short heads, what lies on its stacks since, and which old stacks it uses.

        Heads keep all digits unless they are to `shorten`: a state that wants more digits before its first step must
        not give back those that it has got. Numbers that share a stack share all of it. The runs are (stack, limb,
        count), those pushed first first.
        """
        by_base: dict[int, list[Cut]] = {}
        for number in numbers:
            by_base.setdefault(number.base, []).append(number)
        groups: list[tuple[int, list[Cut]]] = [(base, group) for base, group in by_base.items() if base]
        for number in by_base.get(0, []):
            for base, group in groups:
                if base == 0 and group[0].limbs == number.limbs and number.limbs:
                    group.append(number)
                    break
            else:
                groups.append((0, [number]))
        used = {base - 1 for base, _ in groups if base}
        free = (stack for stack in range(MOST_STACKS) if stack not in used)
        pushes: list[tuple[int, int, int]] = []
        for base, group in groups:
            common = self._share(group, shorten)
            if common is None:
                return None
            stack = base - 1 if base else (next(free, None) if common else -1)
            if stack is None:
                return None
            pushes += [(stack, limb, count) for limb, count in reversed(common)]
            for number in group:
                number.stack = stack
        heads = tuple(Head(n.head, n.places, n.sign if n.stack >= 0 else 1, n.stack) for n in numbers)
        return MacroState(statuses, heads, wanted), pushes, used

    def _share(self, group: list[Cut], shorten: bool) -> list[tuple[int, int]] | None:
        """Cut numbers over one tail so that their limbs are the same; return them as runs.

        None if the numbers differ too far down for a machine word.
        """
        if len(group) > 1:
            shared = min(len(number.limbs) for number in group)
            while any(
                n.limbs[len(n.limbs) - shared :] != group[0].limbs[len(group[0].limbs) - shared :] for n in group
            ):
                shared -= 1
            for number in group:
                number.unpack(len(number.limbs) - shared, self.unit, self.radix.limb)
        first, *others = group
        shortest = self.radix.least + self.radix.limb
        while shorten and min([number.places for number in group]) >= shortest:
            limb = first.sign * first.head % self.unit
            if others and any(number.sign * number.head % self.unit != limb for number in others):
                break
            for number in group:
                number.commit(limb, self.unit, self.radix.limb)
        if max([number.places for number in group]) > self.longest:
            return None
        runs: list[tuple[int, int]] = []
        for limb in first.limbs:
            if runs and runs[-1][0] == limb:
                runs[-1] = (limb, runs[-1][1] + 1)
            else:
                runs.append((limb, 1))
        return runs
