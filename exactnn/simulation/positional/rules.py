"""Rules: what recurs in macro mode, proven once for all run lengths and applied many times at once.

When the same macro state comes back with the same limbs on its stacks, and the run lengths grew by the same amounts
twice, one more round is followed with run lengths as unknowns. If every choice on the way depends on the unknowns
only through inequalities, the round is a rule: under those inequalities, it adds `changes` to the run lengths.
:class:`Induction` runs a machine edge by edge in numbers of any size, learns rules as it goes, and applies them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from exactnn.simulation.executor import Output
from exactnn.simulation.positional.macro_loop import NO_STACKS, MacroStretch
from exactnn.simulation.positional.macro_machine import Edge, MacroMachine, Stacks

__all__ = ["Configuration", "Form", "Induction", "Rule", "Skeleton", "prove", "take"]

Form = tuple[int, ...]
"""Coefficients of the run lengths, and a constant at the end."""

Skeleton = tuple[int, tuple[tuple[int, ...], ...]]
"""The number of a macro state, and the runs on its stacks, the top last: a limb, or ~limb where it stands alone."""


class Configuration:
    """A macro state and its stacks, lists of [limb, run length] with the top last; run lengths are of any size."""

    __slots__ = ("stacks", "state")

    def __init__(self, state: int, stacks: Sequence[Sequence[Sequence[int]]]) -> None:
        self.state = state
        self.stacks = [[list(run) for run in runs] for runs in stacks]

    @property
    def skeleton(self) -> Skeleton:
        """The configuration without its run lengths above 1."""
        return self.state, tuple(tuple([limb if count > 1 else ~limb for limb, count in runs]) for runs in self.stacks)

    @property
    def counts(self) -> list[int]:
        """The run lengths above 1, stack by stack."""
        return [count for runs in self.stacks for _, count in runs if count > 1]

    def set_counts(self, counts: Sequence[int]) -> None:
        """Replace the run lengths above 1."""
        rest = iter(counts)
        for runs in self.stacks:
            for run in runs:
                if run[1] > 1:
                    run[1] = next(rest)

    def wanted(self, stack: int) -> tuple[int, bool]:
        """Return the top limb of a stack, and whether it is the last one; (0, False) for no stack, -1."""
        if stack < 0:
            return 0, False
        runs = self.stacks[stack]
        return runs[-1][0], len(runs) == 1 and runs[0][1] == 1


@dataclass(frozen=True, slots=True)
class Rule:
    """Under `constraints` (each form at least 1), a round of steps gives run lengths + changes.

    `steps` is the number of steps of a round, a form; `output` the output of all of them, None if there are none.
    """

    skeleton: Skeleton
    changes: tuple[int, ...]
    steps: Form
    constraints: tuple[Form, ...]
    period: int
    output: Output | None

    def rounds(self, counts: Sequence[int], limit: int) -> tuple[int, int]:
        """Return how often the rule applies in a row, within a limit of steps, and the steps of so many rounds."""
        most = None
        for form in self.constraints:
            value = _value(form, counts)
            slope = _value((*form[:-1], 0), self.changes)
            if value < 1:
                return 0, 0
            if slope < 0:
                possible = (value - 1) // -slope + 1
                most = possible if most is None else min(most, possible)
        first = _value(self.steps, counts)
        growth = _value((*self.steps[:-1], 0), self.changes)

        def total(rounds: int) -> int:
            return rounds * first + growth * (rounds * (rounds - 1) // 2)

        if most is not None and total(most) <= limit:
            return most, total(most)
        low, high = 0, 1
        while total(high) <= limit and (most is None or high < most):
            low, high = high, 2 * high
        while low + 1 < high:
            middle = (low + high) // 2
            if (most is None or middle <= most) and total(middle) <= limit:
                low = middle
            else:
                high = middle
        return low, total(low)

    def apply(self, counts: Sequence[int], rounds: int) -> list[int]:
        """Return the run lengths after so many rounds."""
        return [count + rounds * change for count, change in zip(counts, self.changes, strict=True)]


def _value(form: Form, counts: Sequence[int]) -> int:
    return sum(a * x for a, x in zip(form, counts, strict=False) if a) + form[-1]


def take(configuration: Configuration, stack: int, edge: Edge, limit: int) -> tuple[int, int]:
    """Follow an edge that takes limbs of a stack, a whole run if it can; return the steps and how often."""
    times = 1
    if edge.loop:
        if stack >= 0:
            runs = configuration.stacks[stack]
            times = runs[-1][1] - (len(runs) == 1)
        times = min(times, limit // edge.steps) if stack >= 0 else limit // edge.steps
    if stack >= 0:
        run = configuration.stacks[stack][-1]
        run[1] -= times
        if not run[1]:
            configuration.stacks[stack].pop()
    for emptied in edge.clears:
        configuration.stacks[emptied].clear()
    for pushed, limb in edge.pushes:
        runs = configuration.stacks[pushed]
        if runs and runs[-1][0] == limb:
            runs[-1][1] += times
        else:
            runs.append([limb, times])
    configuration.state = edge.target
    return times * edge.steps, times


def prove(machine: MacroMachine, configuration: Configuration, period: int) -> Rule | None:
    """Follow `period` edges with unknown run lengths; return the rule, or None if that is none.

    The path is that of the configuration itself: every inequality that is written down holds for its run lengths.
    """
    unknowns = len(configuration.counts)
    one: Form = (0,) * unknowns + (1,)
    names = iter(range(unknowns))
    stacks = [
        [_Run(limb, one if count == 1 else _unknown(next(names), unknowns), count) for limb, count in runs]
        for runs in configuration.stacks
    ]
    begun = [run.form for runs in stacks for run in runs]
    state = configuration.state
    round_ = _Round(unknowns)
    for _ in range(period):
        following = round_.follow(machine, state, stacks)
        if following is None:
            return None
        state = following
    ended = [run.form for runs in stacks for run in runs]
    limbs = [[run.limb for run in runs] for runs in stacks]
    if state != configuration.state or limbs != [[limb for limb, _ in runs] for runs in configuration.stacks]:
        return None
    changes = []
    for before, after in zip(begun, ended, strict=True):
        if before[:-1] != after[:-1] or (before == one and after != one):
            return None
        if before != one:
            changes.append(after[-1])
    constraints = tuple(dict.fromkeys(form for form in round_.constraints if any(form[:-1])))
    if not any(round_.steps):
        return None
    return Rule(configuration.skeleton, tuple(changes), round_.steps, constraints, period, round_.output)


def _unknown(name: int, unknowns: int) -> Form:
    return (*(int(i == name) for i in range(unknowns)), 0)


@dataclass(slots=True)
class _Run:
    """A run of limbs whose length is a form, and in this round a number."""

    limb: int
    form: Form
    count: int


class _Round:
    """What is found out while a round is followed."""

    def __init__(self, unknowns: int) -> None:
        self.steps: Form = (0,) * (unknowns + 1)
        self.constraints: list[Form] = []
        self.output: Output | None = None
        self._one: Form = (0,) * unknowns + (1,)

    def follow(self, machine: MacroMachine, state: int, stacks: list[list[_Run]]) -> int | None:
        """Follow one edge; return the state after it, or None where a rule cannot be made of it."""
        wanted = machine.states[state].wanted
        if wanted < 0:
            return None
        runs = stacks[wanted]
        top = runs[-1]
        edge = machine.edge(state, top.limb, len(runs) == 1 and top.count == 1)
        if edge is None or edge.decided or edge.left is not None or not self._same_output(edge):
            return None
        times, count = self._consume(edge, runs, top)
        if times is None:
            return None
        for emptied in edge.clears:
            stacks[emptied].clear()
        for pushed, limb in edge.pushes:
            onto = stacks[pushed]
            if onto and onto[-1].limb == limb:
                onto[-1].form = _plus(onto[-1].form, times)
                onto[-1].count += count
            else:
                onto.append(_Run(limb, times, count))
        self.steps = _plus(self.steps, tuple(edge.steps * a for a in times))
        return edge.target

    def _same_output(self, edge: Edge) -> bool:
        for output, _ in edge.outputs:
            if self.output is not None and output != self.output:
                return False
            self.output = output
        return True

    def _consume(self, edge: Edge, runs: list[_Run], top: _Run) -> tuple[Form | None, int]:
        """Take limbs off a run; return how many, as a form and as a number. No form: only this length goes this way."""
        less = (*top.form[:-1], top.form[-1] - 1)
        if edge.loop and len(runs) > 1:
            runs.pop()
            self.constraints.append(top.form)
            return top.form, top.count
        if edge.loop:  # the last limb of a stack has its own edge
            self.constraints.append(less)
            count, top.form, top.count = top.count - 1, self._one, 1
            return less, count
        if top.count == 1:
            if top.form != self._one:
                return None, 0
            runs.pop()
        else:
            self.constraints.append(less)
            top.form, top.count = less, top.count - 1
        return self._one, 1


def _plus(first: Form, second: Form) -> Form:
    return tuple(a + b for a, b in zip(first, second, strict=True))


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
