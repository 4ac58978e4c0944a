"""The proof of a rule: a round of macro steps that recurs, followed once for all run lengths.

Run lengths are unknowns. Where the way depends on a length, a *condition* is written down that a form is at least 1. A
round may use rules that are known already, as often as they can be used; so there are rules about rules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from gmpy2 import mpq

from exactnn.simulation.executor import Output
from exactnn.simulation.positional.forms import Form, sum_over_rounds, unknown
from exactnn.simulation.positional.macro_machine import Edge, EdgeKey, MacroMachine
from exactnn.simulation.positional.rules import Configuration, Congruence, Pattern, Rule

__all__ = ["DEEPEST", "prove"]

DEEPEST = 60
"""Runs on top of each stack that a proof looks at."""
MOST_TRIALS = 5
"""Ways to follow one round, with ever more lengths taken as known."""
HIGHEST_DEGREE = 6
"""Of the steps of a round."""


class _NoRuleError(Exception):
    """A round is no rule. If `alone` is not empty: it would be one if these lengths were known."""

    def __init__(self, alone: Iterable[int] = ()) -> None:
        super().__init__()
        self.alone = set(alone)


def prove(machine: MacroMachine, configuration: Configuration, moves: Sequence["EdgeKey | Rule"]) -> Rule | None:
    """Follow moves with unknown run lengths; return the rule, or None if that is none.

    The path is that of the configuration itself: whatever is written down holds for its run lengths. Lengths that the
    way depends on are taken as known, and so are those that every round makes what they are, if only one round could
    be taken at once else.
    """
    fixed: set[int] = set()
    found = None
    for _ in range(MOST_TRIALS):
        followed = _Round(machine, configuration, fixed)
        try:
            found = followed.followed(moves)
            more = set() if found.many else followed.settled
        except _NoRuleError as error:
            more = error.alone
        if not more - fixed:
            break
        fixed |= more
    return found


@dataclass(slots=True)
class _Run:
    """A run of limbs whose length is a form, and in this round a number."""

    limb: int
    form: Form
    length: int


ONE = Form({(): mpq(1)})


class _Round:
    """A round while it is followed: stacks with lengths as forms, and what was found out."""

    def __init__(self, machine: MacroMachine, configuration: Configuration, fixed: set[int]) -> None:
        self.machine = machine
        self.state = self.start = configuration.state
        self.begun = [runs[-DEEPEST:] for runs in configuration.stacks]
        self.entire = [len(runs) <= DEEPEST for runs in configuration.stacks]
        self.sample: list[int] = []
        self.fixed, self.settled = fixed, set[int]()
        self.stacks: list[list[_Run]] = []
        for runs in self.begun:
            copied = []
            for limb, length in reversed(runs):
                form = ONE
                if length > 1:
                    number = len(self.sample)
                    form = Form({(): mpq(length)}) if number in fixed else unknown(number)
                    self.sample.append(length)
                copied.append(_Run(limb, form, length))
            self.stacks.append(copied[::-1])
        self.low = [len(runs) for runs in self.stacks]  # of each stack, how many runs at the bottom are untouched
        self.conditions: dict[tuple[object, ...], Form] = {}
        self.congruences: dict[Form, Congruence] = {}
        self.steps = Form({})
        self.counts: list[Form] = []
        self.output: Output | None = None
        self.level = 0

    def followed(self, moves: Sequence["EdgeKey | Rule"]) -> Rule:
        """Follow all moves; return the rule that they are."""
        for move in moves:
            if isinstance(move, Rule):
                self._use(move)
            else:
                self._take(move)
        if self.state != self.start or not self.steps.terms:
            raise _NoRuleError
        return self._rule(tuple(moves))

    def _touch(self, stack: int, runs: int) -> None:
        """Take note that so many runs on top of a stack play a part."""
        rest = len(self.stacks[stack]) - runs
        if rest < 0:
            raise _NoRuleError
        self.low[stack] = min(self.low[stack], rest)

    def _require(self, form: Form) -> None:
        """Write down that a form is at least 1; of two with the same unknowns the stronger one is kept."""
        form = _whole(form)
        if form.at(self.sample) < 1:
            raise _NoRuleError
        if not form.is_at_least(1):
            key = tuple(term for term in form.key if term[0])
            known = self.conditions.get(key)
            if known is None or form.constant < known.constant:
                self.conditions[key] = form

    def _require_residue(self, form: Form, modulus: int) -> None:
        """Write down that a form, with rational coefficients, has the residue that it has here."""
        over = form.denominator
        modulus *= over
        form = Form({m: mpq(a * over % modulus) for m, a in form.terms.items() if m and a * over % modulus})
        common = gcd(form.content, modulus)
        if modulus > common:
            form, modulus = form * mpq(1, common), modulus // common
            known = self.congruences.get(form)
            if known is not None:
                modulus = known.modulus * modulus // gcd(known.modulus, modulus)
            self.congruences[form] = Congruence(form, modulus, int(form.at(self.sample) % modulus))

    def _say(self, output: Output | None) -> None:
        if output is not None:
            if self.output is not None and output != self.output:
                raise _NoRuleError
            self.output = output

    def _take(self, key: EdgeKey) -> None:
        """Follow an edge."""
        stack = self.machine.states[self.state].wanted
        limb, last = 0, False
        if stack >= 0:
            self._touch(stack, 1)
            runs = self.stacks[stack]
            limb, last = runs[-1].limb, len(runs) == 1 and self.entire[stack] and runs[0].length == 1
        edge = self.machine.edge(self.state, limb, last)
        if (self.state, limb, last) != key or edge is None or edge.decided or edge.left is not None:
            raise _NoRuleError
        for output, _ in edge.outputs:
            self._say(output)
        times, count = ONE, 1
        if stack >= 0:
            times, count = self._consumed(edge, stack)
        for emptied in edge.clears:
            if not self.entire[emptied]:
                raise _NoRuleError
            self.low[emptied] = 0
            self.stacks[emptied].clear()
        for pushed, top in edge.pushes:
            onto = self.stacks[pushed]
            if onto:
                self._touch(pushed, 1)
            elif not self.entire[pushed]:
                raise _NoRuleError
            if onto and onto[-1].limb == top:
                onto[-1].form, onto[-1].length = onto[-1].form + times, onto[-1].length + count
            else:
                self.low[pushed] = min(self.low[pushed], len(onto))
                onto.append(_Run(top, times, count))
        self.steps = self.steps + times * edge.steps
        self.state = edge.target

    def _consumed(self, edge: Edge, stack: int) -> tuple[Form, int]:
        """Take limbs off the top run, all that a loop takes, or one; return how many, as a form and as a number."""
        runs = self.stacks[stack]
        top, alone = runs[-1], len(runs) == 1 and self.entire[stack]
        if top.length == 1 and not top.form.is_constant and (alone or not edge.loop):
            raise _NoRuleError(top.form.unknowns)  # another length would go another way
        if edge.loop and not alone:
            runs.pop()
            self._require(top.form)
            return top.form, top.length
        if top.length == 1:
            runs.pop()
            return ONE, 1
        less = top.form - 1
        self._require(less)
        if edge.loop:  # the last limb of a stack has an edge of its own
            count, top.form, top.length = top.length - 1, ONE, 1
            return less, count
        top.form, top.length = less, top.length - 1
        return ONE, 1

    def _use(self, rule: Rule) -> None:
        """Use a rule as often as it can be used, if that adds constants; else it must be once."""
        runs = self._find(rule)
        lengths, forms = [run.length for run in runs], [run.form for run in runs]
        rounds = rule.rounds(lengths)
        if not rounds:
            raise _NoRuleError
        if rounds > 1 and rule.changes is None:
            raise _NoRuleError
        for condition in rule.conditions:
            self._require(condition.into(forms))
        for congruence in rule.congruences:
            self._require_residue(congruence.form.into(forms), congruence.modulus)
        self._say(rule.output)
        if rule.changes is not None:
            times = self._times(rule, lengths, forms, rounds)
            self.steps = self.steps + sum_over_rounds(rule.steps, forms, rule.changes, times)
            after = [form + times * change for form, change in zip(forms, rule.changes, strict=True)]
        else:
            self.counts.append(ONE)
            self.steps = self.steps + rule.steps.into(forms)
            after = [form.into(forms) for form in rule.maps]
        if self.steps.degree > HIGHEST_DEGREE:
            raise _NoRuleError
        for run, form, length in zip(runs, after, rule.after(lengths, rounds)[0], strict=True):
            run.form, run.length = form, length
        self.level = max(self.level, rule.level)

    def _find(self, rule: Rule) -> list[_Run]:
        """Return the runs whose lengths are those of the rule."""
        found: list[_Run] = []
        if rule.state != self.state:
            raise _NoRuleError
        for stack, pattern in enumerate(rule.stacks):
            runs, named = self.stacks[stack], len(pattern.entries)
            if pattern.whole:
                if len(runs) != named or not self.entire[stack]:
                    raise _NoRuleError
            elif len(runs) <= named:
                raise _NoRuleError
            self._touch(stack, named)
            for run, (limb, length) in zip(runs[len(runs) - named :], pattern.entries, strict=True):
                if run.limb != limb or (length and run.length != length):
                    raise _NoRuleError
                if not length:
                    found.append(run)
                elif not run.form.is_constant:
                    raise _NoRuleError(run.form.unknowns)
        return found

    def _times(self, rule: Rule, lengths: Sequence[int], forms: Sequence[Form], rounds: int) -> Form:
        """Return how often a rule can be used, as a form: by the first clock that ends it here, with its residue."""
        ends = [(count.into(forms), count, clock, fall) for count, clock, fall in rule.ends(lengths, rounds)]
        times, count, clock, fall = min(ends, key=lambda end: end[0].key)
        self.counts.append(count)
        self._require_residue(clock.into(forms), fall)
        self._require(times)
        for clock, less in rule.clocks:
            self._require(clock.into(forms) - (times - 1) * less)
        return times

    def _rule(self, moves: tuple["EdgeKey | Rule", ...]) -> Rule:
        """Return the rule, if what was touched is as it was at the beginning."""
        patterns, names = [], {}
        maps: list[Form] = []
        number = 0
        for stack, (runs, old) in enumerate(zip(self.stacks, self.begun, strict=True)):
            low, size = self.low[stack], len(old)
            if len(runs) != size:
                raise _NoRuleError
            numbers: dict[int, int] = {}  # of the runs whose lengths are unknown, the top first as they were numbered
            for at in range(size - 1, -1, -1):
                if old[at][1] > 1:
                    numbers[at], number = number, number + 1
            entries = []
            for at in range(low, size):
                limb, length = old[at]
                if runs[at].limb != limb:
                    raise _NoRuleError
                is_open = length > 1 and numbers[at] not in self.fixed
                if is_open:
                    names[numbers[at]] = len(maps)
                    maps.append(runs[at].form)
                    if runs[at].form == Form({(): mpq(length)}):
                        self.settled.add(numbers[at])
                elif runs[at].form != Form({(): mpq(length)}):
                    raise _NoRuleError(runs[at].form.unknowns)
                entries.append((limb, 0 if is_open else length))
            patterns.append(Pattern(tuple(entries), self.entire[stack] and not low))
        assert all(set(form.unknowns) <= names.keys() for form in (*maps, *self.conditions.values(), self.steps))
        renamed = [unknown(names[i]) if i in names else ONE for i in range(len(self.sample))]
        return Rule(
            state=self.start,
            stacks=tuple(patterns),
            maps=tuple(form.into(renamed) for form in maps),
            steps=self.steps.into(renamed),
            conditions=tuple(form.into(renamed) for form in self.conditions.values()),
            congruences=tuple(
                Congruence(c.form.into(renamed), c.modulus, c.residue) for c in self.congruences.values()
            ),
            output=self.output,
            level=self.level + 1,
            moves=moves,
            counts=tuple(self.counts),
        )


def _whole(form: Form) -> Form:
    """Return the form with whole coefficients, as small as there are, that is at least 1 where the given one is."""
    over = form.denominator
    form = form * over - (over - 1)
    common = form.content
    if common <= 1:
        return form
    least = (int(form.constant) - 1) // common + 1
    return (form - form.constant) * mpq(1, common) + least
