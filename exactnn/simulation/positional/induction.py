"""Induction: a macro machine run edge by edge in numbers of any size, with rules that are learned on the way.

What is looked for is moves that recur: two rounds of the same ones. Such a round is followed with unknown lengths
(`proofs.prove`). A rule is a move like an edge, so that a round of rules may be the next rule.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from exactnn.arithmetic import Tower
from exactnn.errors import SizeLimitError
from exactnn.simulation.executor import NO_LIMIT, Output
from exactnn.simulation.positional.forms import long, short
from exactnn.simulation.positional.macro_machine import NO_STACKS, EdgeKey, MacroMachine, MacroStretch, Stacks
from exactnn.simulation.positional.passages import Passage, Passages
from exactnn.simulation.positional.proofs import DEEPEST, prove
from exactnn.simulation.positional.rules import Configuration, Rule

__all__ = ["Induction"]

GRAM = 8
"""Moves in a row by which it is noticed that moves recur."""
MOST_SEEN = 1 << 17
"""Moves in a row that are remembered."""
LONGEST_PERIOD = 1 << 12
"""Moves of a round that a proof follows."""
MOST_RULES = 40
"""Rules that begin alike."""
HIGHEST_LEVEL = 9
ALIKE = 5040
"""A modulus that many small numbers divide."""
SAMPLE = 400 * ALIKE
"""What a proof is tried with in the place of a tower, and less than twice as much."""
LONGEST_TRAIL = 1 << 18
"""Moves that are remembered, some more than twice a period."""


@dataclass(slots=True)
class _Tried:
    """Rounds with the same moves, wherever they begin: how many were seen, and how many proofs were tried."""

    rounds: int = 0
    proofs: int = 0


class Induction:
    """Runs a macro machine with rules; it learns them as it goes."""

    def __init__(self, machine: MacroMachine) -> None:
        self.machine = machine
        self._without_end = False
        self.rules: list[Rule] = []
        self._by_look: dict[int, dict[tuple[int, ...], list[int]]] = {}
        """The rules that begin with a state and limbs on top of the stacks, those to be tried first first."""
        self._edges: list[EdgeKey] = []
        self._numbers: dict[EdgeKey, int] = {}
        self._seen: dict[tuple[int, ...], tuple[int, int]] = {}
        """When some moves in a row were last made, and how long before that they had been."""
        self._tried: dict[int, _Tried] = {}
        self._trail: list[int] = []
        """The moves so far: numbers of edges, and -1 - number of rules."""
        self._sums = [0]
        """Sums of numbers that stand for the moves, up to each: of rounds that are alike they grow by the same."""
        self._forgotten = 0
        self._ended: Stacks | None = None
        self._provable = inf  # moves that proofs may follow
        self._passages = Passages(machine, self._may_use_rule)

    def took_edges(self, keys: Sequence[EdgeKey]) -> None:
        """Be told of edges that were followed, each for a whole run of limbs if it could."""

    def took_rule(self, rule: Rule, lengths: Sequence[int], rounds: int | None) -> None:
        """Be told of a rule that was applied; None: it applies for ever."""

    def run(
        self, state: int, stacks: Stacks, limit: int, seconds: float, most: float = inf, *, without_end: bool = False
    ) -> MacroStretch:
        """Take up to `limit` steps, or about so many seconds' worth, or `most` moves; prove at most as many.

        A rule that applies for ever ends a run `without_end`; else it is applied as often as the limit allows.
        """
        self._provable, self._without_end = most, without_end
        configuration = Configuration(state, [[(x, long(n)) for x, n in reversed(runs)] for runs in stacks])
        outputs: list[tuple[Output, int]] = []
        ending: dict[str, object] | None = None
        steps, transitions, turns = long(0), 0, 0
        budget = _Budget(limit)
        if stacks is not self._ended:  # what was seen on another path is no part of this one
            self._seen.clear()
            self._trail.clear()
            self._sums[1:] = []
        deadline, known = time.perf_counter() + seconds, len(self.machine.edges)
        while ending is None and transitions < most and (budget.none or budget.has(steps, 1)):
            if turns and (not turns & 15 or len(self.machine.edges) > known) and time.perf_counter() > deadline:
                break
            known = len(self.machine.edges)
            turns += 1
            looks = self._by_look.get(configuration.state)
            if looks is None:
                if self._learn(configuration):
                    continue
            else:
                try:
                    taken, level = self._apply(looks, configuration, steps, budget, outputs)
                except SizeLimitError:
                    if not steps:
                        raise
                    break
                if taken is None:
                    ending = {"endless": True}
                    break
                steps += taken
                transitions += bool(taken)
                if (level < HIGHEST_LEVEL and self._learn(configuration)) or taken:
                    continue
            passage = self._passages.find(configuration)
            if passage.edges:
                taken = passage.steps_from(configuration)
                if budget.none or budget.has(steps, taken):
                    self._pass(passage, configuration)
                    if passage.output is not None:
                        _append(outputs, passage.output, taken)
                    steps += taken
                    transitions += len(passage.edges)
                    continue
            taken, ending = self._follow(configuration, steps, budget, outputs)
            steps += taken
            transitions += 1
        final = tuple(tuple((limb, short(count)) for limb, count in reversed(runs)) for runs in configuration.stacks)
        self._ended = final
        said = [(output, short(count)) for output, count in outputs]
        return MacroStretch(short(steps), said, configuration.state, final, transitions, **ending or {})  # type: ignore[arg-type]

    def _follow(
        self, configuration: Configuration, done: int, budget: "_Budget", outputs: list[tuple[Output, int]]
    ) -> tuple[int, dict[str, object] | None]:
        """Follow an edge, a whole run of limbs if it can; return the steps, and what ends the run, if that is so."""
        state = configuration.state
        stack = self.machine.states[state].wanted
        key = state, *configuration.wanted(stack)
        edge = self.machine.edge(*key)
        if edge is not None and not (budget.none or budget.has(done, edge.steps)):
            edge = self.machine.partial_edge(*key, int(budget.left(done)))
        if edge is None:
            return 0, {"left": NO_STACKS}
        times, steps = 1, edge.steps
        if edge.loop and stack >= 0:  # one without a stack goes on for ever, which will be a rule
            runs = configuration.stacks[stack]
            times = runs[-1][1] - (len(runs) == 1)
            steps = times * edge.steps
            if not (budget.none or budget.has(done, steps)):
                times = budget.left(done) // edge.steps
                steps = times * edge.steps
        self.took_edges((key,))
        configuration.take(stack, edge, times)
        for output, count in edge.outputs:
            _append(outputs, output, steps if count == edge.steps else count * times)
        self._moved(self._number(key))
        if edge.decided:
            return steps, {"decided": True}
        return steps, None if edge.left is None else {"left": edge.left}

    def _pass(self, passage: Passage, configuration: Configuration) -> None:
        """Follow a passage."""
        self.took_edges(passage.edges)
        passage.take(configuration)
        if passage.moves is None:
            moves = [self._number(key) for key in passage.edges]
            passage.moves = moves, list(accumulate([_stands_for(move) for move in moves]))
        moves, sums = passage.moves
        before = self._sums[-1]
        self._trail += moves
        self._sums += [before + more for more in sums]

    def _may_use_rule(self, passage: Passage) -> bool:
        """Whether there may be a rule to be used after a passage."""
        looks = self._by_look.get(passage.state, {})
        return any(passage.may_suit(self.rules[number]) for alike in looks.values() for number in alike)

    def _moved(self, move: int) -> None:
        self._trail.append(move)
        self._sums.append(self._sums[-1] + _stands_for(move))

    def _number(self, key: EdgeKey) -> int:
        number = self._numbers.setdefault(key, len(self._edges))
        if number == len(self._edges):
            self._edges.append(key)
        return number

    def _apply(
        self,
        looks: dict[tuple[int, ...], list[int]],
        configuration: Configuration,
        done: int,
        budget: "_Budget",
        outputs: list[tuple[Output, int]],
    ) -> tuple[int | None, int]:
        """Apply a rule if there is one; return the steps (None: it applies for ever) and its level."""
        for number in looks.get(configuration.tops, ()):
            rule = self.rules[number]
            runs = rule.find(configuration.stacks)
            if runs is None:
                continue
            lengths = [run[1] for run in runs]
            rounds = rule.rounds(lengths)
            if rounds is None and self._without_end:
                self.took_rule(rule, lengths, None)
                return None, rule.level
            if rounds == 0:
                continue
            if rounds is None or not (budget.none or budget.has(done, rule.after(lengths, rounds)[1])):
                rounds = _most(rule, lengths, rounds, budget.left(done))
                if not rounds:
                    continue
            after, steps = rule.after(lengths, rounds)
            for run, length in zip(runs, after, strict=True):
                run[1] = length
            if rule.output is not None:
                _append(outputs, rule.output, steps)
            self._moved(-1 - number)
            self.took_rule(rule, lengths, rounds)
            return steps, rule.level
        return 0, 0

    def _learn(self, configuration: Configuration) -> bool:
        """Look at the last moves; return whether the last two rounds were alike and were proven to be a new rule."""
        trail, sums = self._trail, self._sums
        if len(trail) > LONGEST_TRAIL:
            rest = len(trail) - 2 * LONGEST_PERIOD
            del trail[:rest], sums[:rest]
            self._forgotten += rest
        now, gram = self._forgotten + len(trail), tuple(trail[-GRAM:])
        before, last_period = self._seen.get(gram, (now, 0))
        period = now - before
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen[gram] = now, period
        if period != last_period or not period or period > LONGEST_PERIOD or len(trail) < 2 * period:
            return False
        same_moves = sums[-1] - sums[-1 - period]
        if sums[-1 - period] - sums[-1 - 2 * period] != same_moves or trail[-period:] != trail[-2 * period : -period]:
            return False
        tried = self._tried.setdefault(same_moves, _Tried())
        tried.rounds += 1
        if tried.rounds < tried.proofs**2 or self._provable < period:
            return False
        self._provable -= period
        moves = [self._edges[n] if n >= 0 else self.rules[-1 - n] for n in trail[-period:]]
        tried.proofs += 1
        rule = prove(self.machine, _shorter(configuration), moves)
        return rule is not None and self._keep(rule, configuration)

    def _keep(self, rule: Rule, configuration: Configuration) -> bool:
        """Add a rule, unless it is known or there are too many that begin alike."""
        alike = self._by_look.setdefault(configuration.state, {}).setdefault(configuration.tops, [])
        if len(alike) >= MOST_RULES or any(_same(rule, self.rules[number]) for number in alike):
            return False
        alike.append(len(self.rules))
        self.rules.append(rule)
        alike.sort(key=lambda number: (-self.rules[number].level, -self.rules[number].many))
        self._seen.clear()
        self._passages.clear()
        return True


class _Budget:
    """A limit of steps; most comparisons with it need only the lengths of numbers."""

    __slots__ = ("_limit", "_short", "none")

    def __init__(self, limit: int) -> None:
        self._limit = long(limit)
        self.none = limit is NO_LIMIT
        self._short = limit.bit_length() - 1  # two numbers with fewer bits than this stay below the limit together

    def has(self, done: int, more: int) -> bool:
        """Whether there is room for `more` steps after those done."""
        if self.none or isinstance(more, Tower):
            return self.none
        return max(done.bit_length(), more.bit_length()) < self._short or done + more <= self._limit

    def left(self, done: int) -> int:
        """Return how many steps are left."""
        return self._limit - done


def _shorter(configuration: Configuration) -> Configuration:
    """Return a configuration with numbers in the place of towers that have the same residues modulo small numbers.

    Whatever rule is proven with them holds for all lengths that fulfil its conditions and congruences. Of each stack
    there is what a proof looks at, and a run more if there are more: stacks may be very long.
    """
    stacks = [
        [(limb, SAMPLE + n % ALIKE if isinstance(n, Tower) else n) for limb, n in runs[-DEEPEST - 1 :]]
        for runs in configuration.stacks
    ]
    return Configuration(configuration.state, stacks)


def _stands_for(move: int) -> int:
    """Return a number by which sums of moves are told apart."""
    return hash((move, move))


def _same(rule: Rule, other: Rule) -> bool:
    return (rule.stacks, rule.maps, set(rule.conditions), set(rule.congruences)) == (
        other.stacks, other.maps, set(other.conditions), set(other.congruences),
    )  # fmt: skip


def _most(rule: Rule, lengths: Sequence[int], rounds: int | None, left: int) -> int:
    """Return how many of so many rounds, None for any number, take no more steps than are left."""
    low, high = 0, 1
    while (rounds is None or high < rounds) and rule.after(lengths, high)[1] <= left:
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        if rule.after(lengths, middle)[1] <= left:
            low = middle
        else:
            high = middle
    return low


def _append(outputs: list[tuple[Output, int]], output: Output, count: int) -> None:
    if outputs and outputs[-1][0] == output:
        outputs[-1] = (output, outputs[-1][1] + count)
    elif count:
        outputs.append((output, count))
