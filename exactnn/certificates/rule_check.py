"""The proof of a rule: a round of edges and of rules before it, followed with unknown run lengths.

The run lengths that a rule leaves open are unknowns x_1, x_2, ..., each at least 1. A round is followed with lengths
that are forms in them. What follows depends on the limbs, and on inequalities and congruences that are written down.
If the round ends in the same macro state, with the same limbs in the runs that the rule names, then

    whenever x satisfies the conditions, the round leads from x to maps(x) and takes steps(x) network steps,

whatever lies below those runs. That many rounds follow one another is proven by induction: each condition falls by a
constant in a round (a clock), or holds after it by the signs of forms, and each congruence holds after it.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import gcd

from gmpy2 import mpq

from exactnn.arithmetic import Tower
from exactnn.certificates.certificate import MacroState, Rule
from exactnn.certificates.growth import UnknownGrowthError, after_rounds
from exactnn.certificates.lengths import ONE_LIMB, Length, bits_of, sum_over_rounds, unknown, whole
from exactnn.certificates.stacks import Edges, Stacks
from exactnn.errors import CertificateError, SizeLimitError, shown
from exactnn.work import Work, long_divisor, long_product

__all__ = ["Congruence", "ProvenRule", "prove_rule"]

SMALLEST_BITS = 1 << 12
"""Memory of a number, however small, with what holds it."""
MOST_CONDITIONS = 1 << 12
MANY = 1 << 16
"""Rounds from which a closed form is looked for first."""
MOST_DOUBLINGS = 1 << 12
"""Of a round that does not add constants; what it leads to would be longer than any number here."""


@dataclass(frozen=True, slots=True)
class Congruence:
    """The length is `residue` modulo `modulus`; its coefficients are whole, and its constant is 0."""

    length: Length
    modulus: int
    residue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenRule:
    """A rule that is true: under `conditions`, each at least 1, and `congruences`, a round leads from x to `maps`(x).

    `changes` are what each of many rounds adds to the lengths; None if that is no constant, or many are not proven.
    """

    rule: Rule
    maps: tuple[Length, ...]
    steps: Length
    conditions: tuple[Length, ...]
    congruences: tuple[Congruence, ...]
    changes: tuple[int, ...] | None = field(init=False)
    clocks: tuple[tuple[Length, int], ...] = field(init=False)
    many: bool = field(init=False)

    def __post_init__(self) -> None:
        differences = [after - unknown(i) for i, after in enumerate(self.maps)]
        adds, many = all(not change.terms for change in differences), True
        for congruence in self.congruences:
            change = congruence.length.into(self.maps) - congruence.length
            many = many and not any(
                mpq(value) % congruence.modulus for value in (change.constant, *change.terms.values())
            )
        clocks = []
        for condition in self.conditions:
            change = condition.into(self.maps) - condition
            if not change.terms and change.constant < 0:
                clocks.append((condition, int(-change.constant)))
            else:
                many = many and self._holds(change)
        changes = tuple(int(change.constant) for change in differences) if adds and many else None
        object.__setattr__(self, "changes", changes)
        object.__setattr__(self, "clocks", tuple(clocks))
        object.__setattr__(self, "many", many)

    def _holds(self, change: Length) -> bool:
        """Whether a change is at least 0 by its signs, perhaps after a multiple of a condition is taken off."""
        if _at_least(change, 0):
            return True
        for condition in self.conditions:
            for monomial, value in change.terms.items():
                slope = condition.terms.get(monomial, 0)
                if value < 0 and slope < 0:
                    rest = change - (condition - ONE_LIMB) * Length(value / slope)
                    if _at_least(rest, 0):
                        return True
        return False

    def rounds(self, lengths: Sequence[int], work: Work) -> int | None:
        """Return how many rounds are possible from these lengths, at most one where many are not proven; None: any.

        Raises
        ------
        CertificateError
            If none is.
        """
        longest = max(map(bits_of, lengths), default=0)
        work.take(sum(_work_at(length, longest) for length in self.conditions))
        if any(condition.at(lengths) < 1 for condition in self.conditions):
            raise CertificateError("a condition of the rule does not hold")
        for congruence in self.congruences:
            work.take(_work_at(congruence.length, longest))
            if congruence.length.at(lengths) % congruence.modulus != congruence.residue:
                raise CertificateError("a congruence of the rule does not hold")
        if not self.many:
            return 1
        return min(((clock.at(lengths) - 1) // fall + 1 for clock, fall in self.clocks), default=None)

    @property
    def bits(self) -> int:
        """The memory that it takes, about."""
        forms = (*self.maps, self.steps, *self.conditions, *(congruence.length for congruence in self.congruences))
        return sum((1 + len(form.terms)) * (SMALLEST_BITS + form.bits) for form in forms)

    def apply(self, state: int, stacks: Stacks, rounds: int) -> int | None:
        """Change the run lengths by so many rounds, 0 for as many as are possible; return the steps they take.

        None: it goes on for ever.

        Raises
        ------
        CertificateError
            If the state or the stacks are not those of the rule, or so many rounds are not possible.
        """
        places = stacks.named(state, self.rule)
        lengths = [whole(stacks.runs[stack][at][1].constant) for stack, at in places]
        most = self.rounds(lengths, stacks.work)
        if most is not None and rounds > most:
            raise CertificateError(f"{shown(rounds)} rounds in a row are not possible")
        rounds = rounds or most or 0
        if not rounds:
            return None
        after, steps = self._after(lengths, rounds, stacks.work)
        for (stack, at), length in zip(places, after, strict=True):
            stacks.set_length(stack, at, Length(length))
        return steps

    def _after(self, lengths: list[int], rounds: int, work: Work) -> tuple[list[int], int]:
        """Return the lengths after so many rounds, and the steps that they take."""
        bits = bits_of(rounds) + max(map(bits_of, lengths), default=0)
        work.take((1 + len(self.steps.terms)) * (len(lengths) + 1) * (8 + 4 * long_product(bits, bits)))
        if self.changes is not None:
            known = [Length(x) for x in lengths]
            steps = sum_over_rounds(self.steps, known, self.changes, Length(rounds), work.take)
            return [x + rounds * change for x, change in zip(lengths, self.changes, strict=True)], steps.at([])
        if isinstance(rounds, Tower):
            return after_rounds(self.maps, self.steps, lengths, rounds, work.take)
        if rounds >= MANY:
            with suppress(UnknownGrowthError, SizeLimitError):
                return after_rounds(self.maps, self.steps, lengths, rounds, work.take)
        steps_taken, maps, steps = 0, self.maps, self.steps
        for power in range(rounds.bit_length()):
            if rounds >> power & 1:
                work.take(sum(length.work for length in (*maps, steps)) * (1 + long_product(bits, bits)))
                steps_taken += steps.at(lengths)
                lengths = [length.at(lengths) for length in maps]
                bits = max(map(bits_of, lengths), default=0)
            if rounds >> (power + 1):
                steps = steps + steps.into(maps, work.take)
                maps = tuple(length.into(maps, work.take) for length in maps)
                if power > MOST_DOUBLINGS:
                    raise CertificateError(f"a rule that adds no constants is used {shown(rounds)} times")
        return lengths, steps_taken


def _at_least(length: Length, least: int) -> bool:
    """Whether it is at least that much by its signs alone, wherever all unknowns are at least 1."""
    found = length.least()
    return found is not None and found >= least


def _work_at(length: Length, longest: int) -> int:
    """Return what it takes to evaluate a length at numbers of at most so many bits."""
    return (1 + len(length.terms)) * (1 + long_product(length.bits, longest))


def prove_rule(
    rule: Rule, states: Sequence[MacroState], edges: Edges, work: Work, before: Sequence[ProvenRule] = ()
) -> ProvenRule:
    """Return the rule with what it changes, under which conditions, and how many steps that takes.

    Parameters
    ----------
    before : sequence of ProvenRule
        The rules that its round may use.

    Raises
    ------
    CertificateError
        If the round does not come back to the same limbs, or its path depends on more than is written down.
    """
    return _Round(rule, states, edges, work, before).proven()


class _Round:
    """A round while it is followed."""

    def __init__(
        self, rule: Rule, states: Sequence[MacroState], edges: Edges, work: Work, before: Sequence[ProvenRule]
    ) -> None:
        self.rule, self.states, self.edges, self.work, self.before = rule, states, edges, work, before
        self.conditions: dict[frozenset[tuple[tuple[int, ...], mpq]], Length] = {}
        self.congruences: dict[Length, Congruence] = {}
        names = map(unknown, range(len(rule.sample)))
        self.begun = [
            [(limb, Length(length) if length else next(names)) for limb, length in entries] for entries in rule.stacks
        ]
        self.stacks = Stacks(self.begun, self.require, work, rule.whole)
        self.state, self.steps = rule.state, Length(0)

    def proven(self) -> ProvenRule:
        """Follow all moves, and return what they come to."""
        for move in self.rule.moves:
            if move.rule is not None:
                self._use(self.before[move.rule])
                continue
            for _ in range(move.times):
                self._take()
        ended = [[limb for limb, _ in runs] for runs in self.stacks.runs]
        if self.state != self.rule.state or ended != [[limb for limb, _ in runs] for runs in self.begun]:
            raise CertificateError("its round does not come back to the same state and limbs")
        if not (self.steps.terms or self.steps.constant):
            raise CertificateError("its round takes no step")
        if tuple(self.stacks.entire) != self.rule.whole:
            raise CertificateError("its round empties a stack of which it does not name all")
        maps = []
        for old, new, entries in zip(self.begun, self.stacks.runs, self.rule.stacks, strict=True):
            for (_, before), (_, after), (_, length) in zip(old, new, entries, strict=True):
                if not length:
                    maps.append(after)
                elif after != before:
                    raise CertificateError("its round changes a length that is not open")
        forms = [*self.conditions.values(), *(congruence.length for congruence in self.congruences.values()), *maps]
        longest = max((form.bits for form in forms), default=0)
        terms = 1 + max((len(form.terms) for form in forms), default=0)
        trials = (1 + len(self.conditions)) * (1 + len(self.conditions) * terms)  # a change, less each condition
        self.work.take((trials * terms + len(forms) * terms**2) * (1 + long_divisor(longest)))
        return ProvenRule(
            rule=self.rule, maps=tuple(maps), steps=self.steps, conditions=tuple(self.conditions.values()),
            congruences=tuple(self.congruences.values()),
        )  # fmt: skip

    def require(self, length: Length) -> None:
        """Write down that a length is at least 1; of two with the same unknowns the smaller one is kept."""
        self.work.take(4 * length.work * (1 + long_divisor(length.bits)))
        over = length.denominator
        length = length * Length(over) - Length(over - 1)
        if not length.terms:
            if length.constant < 1:
                raise CertificateError("its round takes a limb from a run that has none")
            return
        if _at_least(length, 1):
            return
        if (common := length.content) > 1:
            least = (int(length.constant) - 1) // common + 1
            length = Length(least, {monomial: value / common for monomial, value in length.terms.items()})
        key = frozenset(length.terms.items())
        if key not in self.conditions or length.constant < self.conditions[key].constant:
            self.conditions[key] = length
        if len(self.conditions) > MOST_CONDITIONS:
            raise CertificateError(f"it has more than {MOST_CONDITIONS} conditions")

    def _require_residue(self, length: Length, modulus: int) -> None:
        """Write down that a length has the residue that it has in the sample."""
        over = length.denominator
        modulus *= over
        terms = {m: value * over % modulus for m, value in length.terms.items() if value * over % modulus}
        length = Length(0, terms)
        common = gcd(length.content, modulus)
        if modulus > common:
            length, modulus = length * Length(mpq(1, common)), modulus // common
            known = self.congruences.get(length)
            if known is not None:
                modulus = known.modulus * modulus // gcd(known.modulus, modulus)
            self.congruences[length] = Congruence(length, modulus, length.at(self.rule.sample) % modulus)
        self.work.take(8 * (1 + len(self.congruences)) * length.work)

    def _take(self) -> None:
        proven = self.stacks.following(self.edges, self.state, self.states[self.state].wanted)
        if proven.outcome is not None:
            raise CertificateError("a verdict comes within its round")
        self.steps = self.steps + Length(proven.edge.steps) * self.stacks.take(proven)
        self.work.take(self.steps.work)
        self.state = proven.edge.target

    def _use(self, rule: ProvenRule) -> None:
        """Use a rule as often as it can be used, if that adds constants, else once."""
        spend = self.work.take
        places = self.stacks.named(self.state, rule.rule)
        forms = [self.stacks.runs[stack][at][1] for stack, at in places]
        here = [form.at(self.rule.sample) for form in forms]
        possible = rule.rounds(here, self.work)
        for condition in rule.conditions:
            self.require(condition.into(forms, spend))
        for congruence in rule.congruences:
            self._require_residue(congruence.length.into(forms, spend), congruence.modulus)
        if rule.changes is None:
            self.steps = self.steps + rule.steps.into(forms, spend)
            after = [length.into(forms, spend) for length in rule.maps]
        else:
            if possible is None:
                raise CertificateError("a rule in its round goes on for ever")
            times = self._times(rule, forms, here, possible)
            self.steps = self.steps + sum_over_rounds(rule.steps, forms, rule.changes, times, spend)
            after = [form + times * Length(change) for form, change in zip(forms, rule.changes, strict=True)]
        self.work.take(sum(length.work for length in (self.steps, *after)))
        for (stack, at), length in zip(places, after, strict=True):
            self.stacks.set_length(stack, at, length)

    def _times(self, rule: ProvenRule, forms: list[Length], here: list[int], possible: int) -> Length:
        """Return how often a rule can be used: by a clock that ends it in the sample, with its residue there.

        Of several clocks that do, the one whose result comes first in the order of its terms.
        """
        choices = []
        for clock, fall in rule.clocks:
            value = clock.at(here) - 1
            if value // fall + 1 == possible:
                length = clock.into(forms, self.work.take)
                times = (length - Length(1 + value % fall)) * Length(mpq(1, fall)) + ONE_LIMB
                choices.append((sorted({(): mpq(times.constant), **times.terms}.items()), times, length, fall))
        _, times, ending, fall = min(choices, key=lambda choice: choice[0])
        self._require_residue(ending, fall)
        self.require(times)
        for clock, less in rule.clocks:
            self.require(clock.into(forms, self.work.take) - (times - ONE_LIMB) * Length(less))
        return times
