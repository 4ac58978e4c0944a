"""Passages: edges that come in the same order again and again, remembered and taken as one.

Which edges come next depends on the runs on top of the stacks: on their limbs, and on their lengths where these are
small. So the passages that begin with a macro state are a tree. Each of its nodes is so many edges, with what they do
to run lengths, and asks for one run more. Larger lengths are unknowns, and what edges make of them are sums.
"""

from collections.abc import Callable

from exactnn.simulation.executor import Output
from exactnn.simulation.positional.macro_machine import MOST_STACKS, Edge, EdgeKey, MacroMachine
from exactnn.simulation.positional.rules import Configuration, Rule

__all__ = ["Passage", "Passages"]

FEW = 4
"""Run lengths below this are told apart."""
MOST_EDGES = 64
"""Edges of a passage."""
MOST_PASSAGES = 1 << 16
OFTEN = 2
"""How often an answer must have come up before the passage that follows it is looked for."""

Length = tuple[int, tuple[int, ...]]
"""A constant and the numbers of the unknowns that are added to it."""
Answer = tuple[int, int, bool] | None
"""The limb of a run, its length or 0 if that is not small, whether it is the last of its stack; None: there is none."""


class Passage:
    """Some edges in a row, from one macro state to another, which look at some runs on top of the stacks.

    `named` says how many runs of each stack these are, and `whole` whether they are all. `above` are the runs that lie
    in their place afterwards, the top last; `changes` are (stack, named, above) of the stacks that it looks at.
    `unknowns` are the (stack, depth) of runs whose length is not small. `asks` is the stack of which the next edge
    needs one run more, -1 if the passage ends there. `moves` is for whoever numbers the edges.
    """

    __slots__ = (
        "above", "answers", "asks", "changes", "edges", "factors", "moves", "named", "output", "state", "steps",
        "unknowns", "whole",
    )  # fmt: skip

    def __init__(self, state: int) -> None:
        self.state = state
        self.edges: list[EdgeKey] = []
        self.moves: tuple[list[int], list[int]] | None = None
        self.changes: list[tuple[int, int, list[tuple[int, Length]]]] = []
        self.above: list[list[tuple[int, Length]]] = [[] for _ in range(MOST_STACKS)]
        self.named = [0] * MOST_STACKS
        self.whole = [False] * MOST_STACKS
        self.unknowns: list[tuple[int, int]] = []
        self.steps = 0
        self.factors: dict[int, int] = {}
        self.output: Output | None = None
        self.asks = -1
        self.answers: dict[Answer, Passage | int] = {}

    def answered(self, answer: Answer) -> "Passage":
        """Return the passage that knows one run more."""
        passage, stack = Passage(self.state), self.asks
        passage.edges, passage.steps, passage.output = [*self.edges], self.steps, self.output
        passage.above = [[*runs] for runs in self.above]
        passage.named, passage.whole = [*self.named], [*self.whole]
        passage.unknowns, passage.factors = [*self.unknowns], {**self.factors}
        if answer is None:
            passage.whole[stack] = True
            return passage
        limb, length, passage.whole[stack] = answer
        if not length:
            passage.unknowns.append((stack, self.named[stack]))
        passage.above[stack].insert(0, (limb, (length, () if length else (len(self.unknowns),))))
        passage.named[stack] += 1
        return passage

    def extended(self, machine: MacroMachine, ends: Callable[["Passage"], bool]) -> "Passage":
        """Add edges, up to one that needs to know more, that is another matter, or that leads to where it ends."""
        while len(self.edges) < MOST_EDGES and self._add_edge(machine) and not ends(self):
            pass
        changes = zip(range(MOST_STACKS), self.named, self.above, strict=True)
        self.changes = [change for change in changes if change[1] or change[2]]
        return self

    def _add_edge(self, machine: MacroMachine) -> bool:
        """Add one edge; return whether that could be done."""
        stack = machine.states[self.state].wanted
        if stack < 0 or not self.above[stack]:
            self.asks = stack
            return False
        limb, (constant, unknowns) = self.above[stack][-1]
        alone = self.whole[stack] and len(self.above[stack]) == 1
        least = constant + FEW * len(unknowns)
        if alone and unknowns and least == 1:
            return False
        last = alone and not unknowns and constant == 1
        edge = machine.edge(self.state, limb, last)
        if edge is None or not self._is_plain(edge):
            return False
        times: Length = 1, ()
        left: Length = constant - 1, unknowns
        if edge.loop:
            times, left = (left, (1, ())) if alone else ((constant, unknowns), (0, ()))
        elif unknowns and least == 1:
            return False
        stays = left != (0, ())
        for pushed, _ in edge.pushes:
            if len(self.above[pushed]) == (pushed == stack and not stays) and not self.whole[pushed]:
                self.asks = pushed
                return False
        self.above[stack][-1:] = [(limb, left)] if stays else []
        for pushed, top in edge.pushes:
            onto = self.above[pushed]
            if onto and onto[-1][0] == top:
                there, others = onto[-1][1]
                onto[-1] = top, (there + times[0], others + times[1])
            else:
                onto.append((top, times))
        self.steps += edge.steps * times[0]
        for i in times[1]:
            self.factors[i] = self.factors.get(i, 0) + edge.steps
        self.edges.append((self.state, limb, last))
        self.output, self.state = edge.outputs[0][0], edge.target
        return True

    def _is_plain(self, edge: Edge) -> bool:
        """Whether an edge ends nothing, empties no stack, and says what the edges before it say."""
        if edge.decided or edge.left is not None or edge.clears or len(edge.outputs) != 1:
            return False
        ((output, count),) = edge.outputs
        return count == edge.steps and (not self.edges or output == self.output)

    def may_suit(self, rule: Rule) -> bool:
        """Whether a rule may name the runs that there are after it, as far as these are known."""
        for runs, whole, pattern in zip(self.above, self.whole, rule.stacks, strict=True):
            named = len(pattern.entries)
            if whole and (len(runs) != named if pattern.whole else len(runs) <= named):
                return False
            if pattern.whole and len(runs) > named:
                return False
            for (limb, length), (there, (constant, unknowns)) in zip(
                reversed(pattern.entries), reversed(runs), strict=False
            ):
                most = length if unknowns else constant
                if limb != there or (length and not constant + FEW * len(unknowns) <= length <= most):
                    return False
        return True

    def steps_from(self, configuration: Configuration) -> int:
        """Return how many steps it takes from a configuration that it suits."""
        steps = self.steps
        for i, factor in self.factors.items():
            stack, depth = self.unknowns[i]
            steps += factor * configuration.stacks[stack][-1 - depth][1]
        return steps

    def take(self, configuration: Configuration) -> None:
        """Follow the passage."""
        stacks = configuration.stacks
        lengths = [stacks[stack][-1 - depth][1] for stack, depth in self.unknowns]
        for stack, named, above in self.changes:
            runs = stacks[stack]
            del runs[len(runs) - named :]
            for limb, (length, unknowns) in above:
                for i in unknowns:
                    length = length + lengths[i]
                runs.append([limb, length])
        configuration.state = self.state


class Passages:
    """The passages of a macro machine, found as they come up."""

    def __init__(self, machine: MacroMachine, ends: Callable[[Passage], bool]) -> None:
        self.machine = machine
        self._ends = ends
        self._begun: dict[int, Passage] = {}
        self._count = 0

    def clear(self) -> None:
        """Forget all."""
        self._begun.clear()
        self._count = 0

    def find(self, configuration: Configuration) -> Passage:
        """Return the longest passage that is known; one of no edges if there is none."""
        passage = self._begun.get(configuration.state)
        if passage is None:
            passage = self._begun[configuration.state] = Passage(configuration.state)
            passage.asks = self.machine.states[configuration.state].wanted
        while (stack := passage.asks) >= 0:
            runs = configuration.stacks[stack]
            rest = len(runs) - passage.named[stack]
            answer = None
            if rest:
                limb, length = runs[rest - 1]
                answer = limb, length if length < FEW else 0, rest == 1
            found = passage.answers.get(answer, 0)
            if isinstance(found, int):
                if found < OFTEN or self._count >= MOST_PASSAGES:
                    passage.answers[answer] = found + 1
                    return passage
                self._count += 1
                found = passage.answers[answer] = passage.answered(answer).extended(self.machine, self._ends)
            passage = found
        return passage
