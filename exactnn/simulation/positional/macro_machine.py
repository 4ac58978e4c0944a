"""The macro machine of a network: what happens between two looks at a tail, memoised.

Until the digits of a tail are needed, the evolution of a state depends on its pattern and its heads alone. So the heads
are the state of a machine, and the tails are its stacks, of whole limbs: an edge takes one limb, runs the network
until the next limb is needed, and says how many steps that were, which limbs were pushed, and which state is reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.networks import Input
from exactnn.simulation.executor import Output
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.direct_state import DirectState
from exactnn.simulation.positional.numeral_kernels import LABELS, SLOT, Arena, Tail, head_of, middle_of
from exactnn.simulation.positional.radix import WORD_BITS
from exactnn.simulation.positional.rows import Status

__all__ = ["MOST_STACKS", "Edge", "Head", "MacroMachine", "MacroState", "Runs", "Stacks"]

MOST_STACKS = 8
"""Stacks of a macro machine: different long numbers at a time."""
LONGEST_EDGE = 1 << 8
"""Steps of one edge; a network that goes on without a look at its tails gets another edge."""

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


@dataclass(frozen=True, slots=True)
class MacroState:
    """A pattern, its heads, one for each number that is not 0 or 1, and the stack whose limb is wanted, -1 for none."""

    statuses: tuple[Status, ...]
    heads: tuple[Head, ...]
    wanted: int

    @property
    def stacks(self) -> set[int]:
        """The stacks in use."""
        return {head.stack for head in self.heads if head.stack >= 0}


@dataclass(frozen=True, slots=True)
class Edge:
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


class MacroMachine:
    """Edges of one network on one input, for limbs of one length.

    An edge is found by direct mode: it runs with opaque tails in the place of the stacks, until a digit of one of them
    is needed. So it holds for all digits there.
    """

    def __init__(self, engine: DirectEngine, given: Input) -> None:
        self.engine = engine
        self.given = given
        self.radix = engine.radix
        self.unit = int(self.radix.base) ** self.radix.limb
        self.longest = engine.program.radix.longest
        """Digits of a head with which a step may begin: those for which the program is right, whatever the limbs."""
        self.states: list[MacroState] = []
        self.edges: dict[tuple[int, int, bool], Edge] = {}
        self._numbers: dict[MacroState, int] = {}
        self._arena = Arena(self.radix, LABELS + 1 + engine.room + LONGEST_EDGE)  # of what an edge pushes

    def number(self, state: MacroState) -> int:
        """Return the number of a state, by which edges name it."""
        number = self._numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def load(self, state: DirectState) -> tuple[int, Stacks] | None:
        """Return a state of the engine as heads and stacks; None if it has too many long numbers."""
        cut = self._cut(state, -1, shorten=True)
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
        return tuple(mpq(status) if status < Status.LIVE else next(live) for status in state.statuses)

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
        begin = self._begin(state, limb, last)
        if begin is None:
            return None
        stretch = self.engine.advance(begin, self.given, steps, until_decided=True)
        wanted = -1 if stretch.touched is None else stretch.touched - 1
        popped = {state.wanted} if last else set()
        cut = self._cut(stretch.state, wanted, shorten=stretch.steps > 0)
        if cut is None or stretch.live_output:
            return None
        target, runs, used = cut
        pushes = tuple((stack, digits) for stack, digits, count in runs for _ in range(count))
        clears = tuple(sorted(state.stacks - popped - used))
        loop = target == state and not clears and not stretch.decided and stretch.left is None and stretch.steps > 0
        loop = loop and len({output for output, _ in stretch.outputs}) < 2  # outputs of many rounds are told as one run
        if loop:
            pushed: dict[int, int] = {}
            loop = all(pushed.setdefault(s, x) == x for s, x in pushes) and state.wanted not in pushed
        found = self.number(target)
        return Edge(stretch.steps, found, pushes, clears, tuple(stretch.outputs), loop, stretch.decided, stretch.left)

    def _begin(self, state: MacroState, limb: int, last: bool) -> DirectState | None:
        """Return the state with the limb that it wants in its heads; None if they are too long for that."""
        tails: dict[int, Tail] = {-1: (0, 0)} | {stack: (stack + 1, 1) for stack in state.stacks}
        if last:
            tails[state.wanted] = 0, 0
        slots = np.zeros(SLOT * len(state.statuses), dtype=np.int64)
        heads = iter(state.heads)
        for i, status in enumerate(state.statuses):
            if status >= Status.LIVE:
                head, places, sign, stack = next(heads)
                if 0 <= stack == state.wanted:
                    head, places = head * self.unit + sign * limb, places + self.radix.limb
                if places > self.longest or abs(head) >> WORD_BITS:
                    return None
                at = SLOT * i
                node, count = tails[stack]
                slots[at : at + 5] = middle_of(head, sign, node), places, sign, node, count
        self._arena.top = LABELS + 1  # nobody has a state of another edge any more
        return DirectState(state.statuses, slots, self._arena)

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
        self, state: DirectState, wanted: int, *, shorten: bool
    ) -> tuple[MacroState, list[tuple[int, int, int]], set[int]] | None:
        """Return a state with short heads, what lies on its stacks since, and which old stacks it uses.

        Heads keep all digits unless they are to `shorten`: a state that wants more digits before its first step must
        not give back those that it has got. Numbers that share a stack share all of it. The runs are (stack, limb,
        count), those pushed first first.
        """
        by_base: dict[int, list[_Number]] = {}
        numbers = []
        for i, status in enumerate(state.statuses):
            if status >= Status.LIVE:
                number = _Number(state, i)
                numbers.append(number)
                by_base.setdefault(number.base, []).append(number)
        groups: list[tuple[int, list[_Number]]] = [(base, group) for base, group in by_base.items() if base]
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
        return MacroState(state.statuses, heads, wanted), pushes, used

    def _share(self, group: list["_Number"], shorten: bool) -> list[tuple[int, int]] | None:
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
                if number.places > self.longest:
                    return None
        while shorten and all(number.places - self.radix.limb >= self.radix.least for number in group):
            digits = {(number.sign * number.head) % self.unit for number in group}
            if len(digits) > 1:
                break
            limb = digits.pop()
            for number in group:
                number.commit(limb, self.unit, self.radix.limb)
        runs: list[tuple[int, int]] = []
        for limb in group[0].limbs:
            if runs and runs[-1][0] == limb:
                runs[-1] = (limb, runs[-1][1] + 1)
            else:
                runs.append((limb, 1))
        return runs


class _Number:
    """A number while it is cut: head, places, sign, limbs (the top first) over a base, which is opaque or 0."""

    __slots__ = ("base", "head", "limbs", "places", "sign", "stack")

    def __init__(self, state: DirectState, component: int) -> None:
        at = SLOT * component
        middle, self.places, self.sign, node, count = state.slots[at : at + 5].tolist()
        self.head = head_of(middle, self.sign, node)
        runs, self.base = state.arena.runs_and_base((node, count))
        self.limbs = [limb for limb, repeated in runs for _ in range(repeated)]
        self.stack = -1
        if node == 0:
            self.sign = 1

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
