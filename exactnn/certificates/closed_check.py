"""The proof that no verdict ever comes, by a closed set of outlines.

An outline is a macro state with the top limb of each stack. Begin with that of the configuration. Whatever edge follows
from an outline leads to others; which ones depends on the limb that comes up where one is popped. Taken are all those
that may lie there: what the popped limb was pushed on, or lay on at first. If there is an edge from each outline so
found, and none gives a verdict, then by induction each configuration has one of them, and no verdict ever comes. Edges
without a step must not go on for ever: they push nothing, and of two that follow each other one pops a limb.
"""

from collections.abc import Sequence

from exactnn.certificates.certificate import MacroState
from exactnn.certificates.stacks import EDGE_WORK, ProvenEdges, Stacks
from exactnn.errors import CertificateError, shown
from exactnn.work import Work

__all__ = ["prove_closed"]

BOTTOM = -1
"""What lies under the last limb of a stack, and is the top of an empty one."""
Outline = tuple[int, tuple[int, ...]]
"""A macro state, and the top limb of each stack."""


def prove_closed(states: Sequence[MacroState], edges: ProvenEdges, state: int, stacks: Stacks, work: Work) -> None:
    """Prove that no verdict ever comes.

    Raises
    ------
    CertificateError
        If from an outline no edge is known, or it gives a verdict, or takes no step and might do so for ever. If one
        wants a limb of an empty stack.
    """
    outlines = _Outlines(states, edges, work)
    outlines.begin(state, stacks)
    known = -1
    while known < outlines.pairs:  # what may lie under a limb may lead further from outlines that were followed before
        known = outlines.pairs
        todo = list(outlines.found)
        for outline in todo:
            todo += outlines.after(outline)


class _Outlines:
    """The outlines that were found so far; `unders` says by a stack and a limb which limbs may lie under it there."""

    def __init__(self, states: Sequence[MacroState], edges: ProvenEdges, work: Work) -> None:
        self.states, self.edges, self.work = states, edges, work
        self.found: dict[Outline, None] = {}
        self.unders: dict[tuple[int, int], dict[int, None]] = {}
        self.pairs = 0

    def begin(self, state: int, stacks: Stacks) -> None:
        """Find the outline of a configuration, and what lies under its limbs."""
        tops = []
        for stack, runs in enumerate(stacks.runs):
            top = BOTTOM
            for limb, count in runs:
                self.work.take(EDGE_WORK)
                self._add(stack, limb, top)
                if count.constant > 1:
                    self._add(stack, limb, limb)
                top = limb
            tops.append(top)
        self.found[state, tuple(tops)] = None

    def after(self, outline: Outline) -> list[Outline]:
        """Return the outlines that may follow and were not found before."""
        state, tops = outline
        wanted = self.states[state].wanted
        if wanted < 0:
            return self._after(outline, wanted, 0, None)
        if tops[wanted] == BOTTOM:
            raise CertificateError(f"the set is not closed: state {state} wants a limb of an empty stack")
        under_it = list(self.unders[wanted, tops[wanted]])
        return [found for under in under_it for found in self._after(outline, wanted, tops[wanted], under)]

    def _after(self, outline: Outline, wanted: int, limb: int, under: int | None) -> list[Outline]:
        """Return what may follow where that limb lies under the one that is popped."""
        state, tops = outline
        proven = self.edges.get((state, limb, under == BOTTOM))
        if proven is None:
            only = "the only one of its stack" if under == BOTTOM else "not the only one"
            limbs = f"the limb {shown(limb)}, {only}" if wanted >= 0 else "any limbs"
            raise CertificateError(f"the set is not closed: there is no edge from state {state} with {limbs}")
        if proven.outcome is not None:
            raise CertificateError(f"the set is not closed: an edge from state {state} gives a verdict")
        edge = proven.edge
        pops = wanted >= 0 or self.states[edge.target].wanted >= 0  # now or next
        if not edge.steps and (edge.pushes or not pops):  # others without a step have an end with the limbs
            raise CertificateError(
                f"the set proves nothing: an edge from state {state} takes no step, and pops no limb"
            )
        self.work.take(EDGE_WORK + len(tops) + len(edge.clears) + len(edge.pushes))
        after = list(tops)
        if under is not None:
            after[wanted] = under
        for stack in edge.clears:
            after[stack] = BOTTOM
        for stack, pushed in edge.pushes:
            self._add(stack, pushed, after[stack])
            after[stack] = pushed
        following = edge.target, tuple(after)
        if following in self.found:
            return []
        self.found[following] = None
        return [following]

    def _add(self, stack: int, limb: int, under: int) -> None:
        known = self.unders.setdefault((stack, limb), {})
        if under not in known:
            known[under] = None
            self.pairs += 1
