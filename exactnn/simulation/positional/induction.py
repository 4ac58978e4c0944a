"""Macro mode with rules: edges one by one in numbers of any size, and proven rounds many at a time."""

import time
from dataclasses import dataclass

from exactnn.simulation.executor import Output
from exactnn.simulation.positional.macro_loop import NO_STACKS, MacroStretch
from exactnn.simulation.positional.macro_machine import Edge, MacroMachine, Stacks
from exactnn.simulation.positional.rules import Configuration, Rule, Skeleton, prove, take

__all__ = ["Induction"]

MOST_RUNS = 48
"""Runs on all stacks up to which recurrences are looked for."""
MOST_VISITED = 1 << 16
"""Skeletons that are remembered."""
LONGEST_PERIOD = 1 << 12
"""Edges of a round that a proof follows."""
MOST_ATTEMPTS = 8
"""Proofs that are tried for a skeleton."""


@dataclass(slots=True)
class _Visit:
    """When a skeleton was last seen, and how its run lengths changed since the time before."""

    time: int
    counts: list[int]
    changes: list[int] | None = None
    period: int = 0


class Induction:
    """Runs a macro machine with rules; it learns them as it goes."""

    def __init__(self, machine: MacroMachine) -> None:
        self.machine = machine
        self.rules: dict[Skeleton, Rule] = {}
        self._visits: dict[Skeleton, _Visit] = {}
        self._attempts: dict[Skeleton, int] = {}
        self._time = 0
        self._since = 0

    def took_edge(self, state: int, limb: int, last: bool, edge: Edge) -> None:
        """Be told of an edge that was followed, for a whole run of limbs if it could."""

    def took_rule(self, skeleton: Skeleton, rounds: int) -> None:
        """Be told of a rule that was applied."""

    def run(self, state: int, stacks: Stacks, limit: int, seconds: float) -> MacroStretch:
        """Take up to `limit` steps, or about so many seconds' worth."""
        configuration = Configuration(state, [list(reversed(runs)) for runs in stacks])
        outputs: list[tuple[Output, int]] = []
        ending: dict[str, object] = {}
        steps = transitions = 0
        self._since = self._time  # what was seen in another stretch is no part of this path
        self._visits.clear()
        deadline = time.perf_counter() + seconds
        while steps < limit and not ending:
            if not transitions & 63 and time.perf_counter() > deadline and transitions:
                break
            transitions += 1
            self._time += 1
            taken = self._round(configuration, limit - steps, outputs)
            if taken:
                steps += taken
                continue
            stack = self.machine.states[configuration.state].wanted
            limb, last = configuration.wanted(stack)
            edge = self.machine.edge(configuration.state, limb, last)
            if edge is not None and edge.steps > limit - steps:
                edge = self.machine.partial_edge(configuration.state, limb, last, limit - steps)
            if edge is None:
                ending = {"left": NO_STACKS}
                break
            self.took_edge(configuration.state, limb, last, edge)
            more, times = take(configuration, stack, edge, limit - steps)
            steps += more
            for output, count in edge.outputs:
                _append(outputs, output, count * times)
            if edge.decided:
                ending = {"decided": True}
            elif edge.left is not None:
                ending = {"left": edge.left}
        final = tuple(tuple((limb, count) for limb, count in reversed(runs)) for runs in configuration.stacks)
        return MacroStretch(steps, outputs, configuration.state, final, transitions, **ending)  # type: ignore[arg-type]

    def _round(self, configuration: Configuration, limit: int, outputs: list[tuple[Output, int]]) -> int:
        """Apply a rule if there is one for this configuration, or can be made; return the steps taken."""
        if sum(map(len, configuration.stacks)) > MOST_RUNS:
            return 0
        skeleton = configuration.skeleton
        rule = self.rules.get(skeleton)
        if rule is None:
            rule = self._learn(skeleton, configuration)
        if rule is None:
            return 0
        counts = configuration.counts
        rounds, steps = rule.rounds(counts, limit)
        if not rounds:
            return 0
        configuration.set_counts(rule.apply(counts, rounds))
        if rule.output is not None:
            _append(outputs, rule.output, steps)
        self._since = self._time  # a proof follows edges only
        self.took_rule(skeleton, rounds)
        return steps

    def _learn(self, skeleton: Skeleton, configuration: Configuration) -> Rule | None:
        """Remember a visit; return a rule if the last rounds were alike and it can be proven."""
        counts = configuration.counts
        visit = self._visits.get(skeleton)
        if visit is None or visit.time < self._since:
            if len(self._visits) >= MOST_VISITED:
                self._visits.clear()
            self._visits[skeleton] = _Visit(self._time, counts)
            return None
        changes = [new - old for new, old in zip(counts, visit.counts, strict=True)]
        period = self._time - visit.time
        again = visit.changes == changes and visit.period == period
        self._visits[skeleton] = _Visit(self._time, counts, changes, period)
        attempts = self._attempts.get(skeleton, 0)
        if not again or period > LONGEST_PERIOD or attempts >= MOST_ATTEMPTS:
            return None
        self._attempts[skeleton] = attempts + 1
        rule = prove(self.machine, configuration, period)
        if rule is not None:
            self.rules[skeleton] = rule
        return rule


def _append(outputs: list[tuple[Output, int]], output: Output, count: int) -> None:
    if outputs and outputs[-1][0] == output:
        outputs[-1] = (output, outputs[-1][1] + count)
    elif count:
        outputs.append((output, count))
