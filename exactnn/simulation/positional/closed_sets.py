"""Closed sets: a proof that a run never ends where no single round goes on for ever, as in a binary counter.

An *outline* of a configuration of a macro machine is its state with the top limb of each stack. A set of outlines is
closed if it holds all that can follow one of them, whatever limb comes up where one is popped. If an edge is known from
each, none gives a verdict, and those without a step come to an end, no configuration with an outline in the set ever
leads to one.

What may come up under a limb is what it was pushed on, or lay on at first.
"""

from collections import defaultdict

from exactnn.simulation.positional.macro_machine import EdgeKey, MacroMachine, Stacks

__all__ = ["ClosedSet"]

BOTTOM = -1
"""What lies under the last limb of a stack."""

Outline = tuple[int, tuple[int, ...]]


class ClosedSet:
    """The least closed set that holds the outline of a configuration. `edges` are those that it needs."""

    def __init__(self, machine: MacroMachine) -> None:
        self.machine = machine
        self.edges: dict[EdgeKey, None] = {}
        self._known: set[Outline] = set()
        self._new: list[Outline] = []
        self._under: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # by a stack and a limb on it
        self._asked: defaultdict[tuple[int, int], set[Outline]] = defaultdict(set)  # who depends on that

    def holds(self, state: int, stacks: Stacks, most: int) -> bool:
        """Return whether the set of a configuration has up to `most` outlines, and proves that there is no verdict."""
        tops = []
        for stack, runs in enumerate(stacks):
            limbs = [*(limb for limb, _ in runs), BOTTOM]
            for (limb, count), under in zip(runs, limbs[1:], strict=True):
                self._note(stack, limb, under)
                if count > 1:
                    self._note(stack, limb, limb)
            tops.append(limbs[0])
        self._reach(state, tops)
        while self._new:
            if len(self._known) > most or not self._follow(*self._new.pop()):
                return False
        return True

    def _note(self, stack: int, limb: int, under: int) -> None:
        """Take note of what may lie under a limb; outlines that asked for that are followed again."""
        key = stack, limb
        if under not in self._under[key]:
            self._under[key].add(under)
            self._new += self._asked[key]

    def _reach(self, state: int, tops: list[int]) -> None:
        outline = state, tuple(tops)
        if outline not in self._known:
            self._known.add(outline)
            self._new.append(outline)

    def _follow(self, state: int, tops: tuple[int, ...]) -> bool:
        """Reach all that can follow an outline; return false if that may be a verdict, or is not known."""
        wanted, limb, unders = self.machine.states[state].wanted, 0, {BOTTOM}
        if wanted >= 0:
            limb = tops[wanted]
            self._asked[wanted, limb].add((state, tops))
            unders = self._under[wanted, limb].copy()
        for under in unders:
            last = wanted >= 0 and under == BOTTOM
            edge = self.machine.edge(state, limb, last)
            if edge is None or edge.decided or edge.left is not None:
                return False
            pops = wanted >= 0 or self.machine.states[edge.target].wanted >= 0  # now or next
            if not edge.steps and (edge.pushes or not pops):  # others without a step have an end with the limbs
                return False
            self.edges[state, limb, last] = None
            after = list(tops)
            if wanted >= 0:
                after[wanted] = under
            for stack in edge.clears:  # that which was popped may be one of them
                after[stack] = BOTTOM
            for stack, pushed in edge.pushes:
                self._note(stack, pushed, after[stack])
                after[stack] = pushed
            self._reach(edge.target, after)
        return limb != BOTTOM
