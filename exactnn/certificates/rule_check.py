"""The proof of a rule: a round of edges and of rules before it, followed with unknown run lengths.

The run lengths that a rule leaves open are unknowns x_1, x_2, ..., each at least 1. A round is followed with lengths
that are forms in them. What follows depends on the limbs, and on demands that are written down: forms that must be at
least 1, or whole. If the round ends in the same macro state, with the same limbs in the runs that the rule names, then

    whenever x meets the demands, the round leads from x to maps(x) and takes steps(x) network steps,

whatever lies below those runs. That many rounds follow one another is proven by induction: each form that must be at
least 1 falls by a constant in a round (a clock), or is not smaller after it by the signs of forms, and each form that
must be whole changes by what is whole. The certificate says what many rounds lead to; that is proven by induction, too:
it is true of the first rounds, and of one round more wherever it is true.
"""

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import WRITTEN_BITS, Tower, power
from exactnn.certificates.certificate import Edges, MacroState, Many, Rounds, Rule
from exactnn.certificates.lengths import ONE_LIMB, TOWER_WORK, Length, length_of, require_whole, unknown, whole
from exactnn.certificates.stacks import ProvenEdges, Stacks
from exactnn.errors import CertificateError
from exactnn.work import Work, long_divisor, long_product

__all__ = ["ProvenRule", "prove_rule"]

SMALLEST_BITS = 1 << 12
"""Memory of a number, however small, with what holds it."""
MOST_DEMANDS = 1 << 12
"""Of a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenRule:
    """A rule that is true: if `conditions` are at least 1 and `parts` whole, a round leads from x to `maps`(x).

    Many rounds follow one another if it `repeats`, and those of the `clocks`, which fall by a constant in each, are at
    least 1 before the last.
    """

    rule: Rule
    maps: tuple[Length, ...]
    steps: Length
    conditions: tuple[Length, ...]
    parts: tuple[Length, ...]
    spend: InitVar[Callable[[int], object]] = bool
    clocks: tuple[tuple[Length, Length], ...] = field(init=False)
    repeats: bool = field(init=False)

    def __post_init__(self, spend: Callable[[int], object]) -> None:
        repeats, clocks = True, []
        for part in self.parts:
            change = part.into(self.maps, spend) - part
            repeats = repeats and change.denominator == 1
        for condition in self.conditions:
            change = condition.into(self.maps, spend) - condition
            if not change.terms and change.constant < 0:
                clocks.append((condition, change))
            else:
                repeats = repeats and self._holds(change)
        object.__setattr__(self, "clocks", tuple(clocks))
        object.__setattr__(self, "repeats", repeats)

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

    @property
    def bits(self) -> int:
        """The memory that it takes, about."""
        forms = (*self.maps, self.steps, *self.conditions, *self.parts)
        return sum((1 + len(form.terms)) * (SMALLEST_BITS + form.bits) for form in forms)

    def use(self, state: int, stacks: Stacks, count: int | None) -> Length | None:
        """Change the run lengths by as many rounds as that count of the rule says; return the steps they take.

        Without a count, return None if it goes on for ever.

        Raises
        ------
        CertificateError
            If the state or the stacks are not those of the rule, or so many rounds are not possible.
        """
        demands, spend = stacks.demands, stacks.work.take
        places = stacks.named(state, self.rule)
        forms = [stacks.runs[stack][at][1] for stack, at in places]
        for condition in self.conditions:
            demands.require(condition.into(forms, spend), "a condition of the rule does not hold")
        for part in self.parts:
            demands.require_whole(part.into(forms, spend))
        if count is None:
            if not self.repeats or self.clocks:
                raise CertificateError("a rule does not go on for ever")
            return None
        if count >= len(self.rule.counts):
            raise CertificateError(f"a rule has {len(self.rule.counts)} counts, and no count {count}")
        rounds = self.rule.counts[count].into(forms, spend)
        demands.require(rounds, "a rule is used less than once")
        demands.require_whole(rounds)
        if rounds == ONE_LIMB:
            after, steps = self.maps, self.steps
        else:
            many = self._many(rounds, forms, stacks)
            forms += [rounds, *(self._power(base, rounds, stacks.work) for base in many.bases)]
            after, steps = many.lengths, many.steps
        for (stack, at), length in zip(places, [length.into(forms, spend) for length in after], strict=True):
            stacks.set_length(stack, at, length)
        return steps.into(forms, spend)

    def _many(self, rounds: Length, forms: Sequence[Length], stacks: Stacks) -> Many:
        """Return what many rounds lead to; raises CertificateError if they do not follow one another."""
        many = self.rule.many
        if not self.repeats or many is None:
            raise CertificateError("a rule is used several times in a row that is proven for one round at a time")
        for clock, change in self.clocks:
            last = clock.into(forms, stacks.work.take) + (rounds - ONE_LIMB) * change
            stacks.demands.require(last, "so many rounds in a row are not possible")
        stacks.demands.require(rounds - Length(many.first - 1), f"what is said of rounds holds from {many.first} on")
        return many

    @staticmethod
    def _power(base: int, rounds: Length, work: Work) -> Length:
        if rounds.terms:
            raise CertificateError("a length grows by a factor in a number of rounds that is not known")
        number = whole(rounds.constant)
        bits = 0 if isinstance(number, Tower) else base.bit_length() * number
        work.take(TOWER_WORK if bits > WRITTEN_BITS else 1 + long_product(bits, bits))
        return Length(whole(power(base, number)))


def _at_least(length: Length, least: int) -> bool:
    """Whether it is at least that much by its signs alone, wherever all unknowns are at least 1."""
    found = length.least()
    return found is not None and found >= least


def prove_rule(
    rule: Rule, states: Sequence[MacroState], edges: ProvenEdges, work: Work, before: Sequence[ProvenRule] = ()
) -> ProvenRule:
    """Return the rule with what it changes, under which demands, and how many steps that takes.

    Parameters
    ----------
    before : sequence of ProvenRule
        The rules that its round may use.

    Raises
    ------
    CertificateError
        If the round does not come back to the same limbs, its path depends on more than is written down, or many rounds
        lead to something else than it says.
    """
    proven = _Round(rule, states, edges, work, before).proven()
    if rule.many is not None:
        _check_many(rule.many, proven, work)
    return proven


def _check_many(many: Many, proven: ProvenRule, work: Work) -> None:
    """Raise CertificateError if many rounds lead to something else."""
    size, spend = len(proven.maps), work.take
    round_of, claimed = (*proven.maps, proven.steps), (*many.lengths, many.steps)

    def one_more(lengths: Sequence[Length], steps: Length) -> list[Length]:
        *after, taken = (form.into(lengths, spend) for form in round_of)
        return [*after, steps + taken]

    here = [unknown(i) for i in range(size + 1 + len(many.bases))]
    now, *powers = here[size:]
    begun = [*here[:size], Length(0)]
    for _ in range(many.first):
        begun = one_more(begun[:-1], begun[-1])
    first = [*here[:size], Length(many.first), *(Length(base**many.first) for base in many.bases)]
    if [form.into(first, spend) for form in claimed] != begun:
        raise CertificateError(f"after {many.first} rounds its lengths or steps are not what it says")
    later = [*here[:size], now + ONE_LIMB, *(p * Length(base) for p, base in zip(powers, many.bases, strict=True))]
    if [form.into(later, spend) for form in claimed] != one_more(many.lengths, many.steps):
        raise CertificateError("what it says of many rounds is not true of one round more")


class _Round:
    """A round while it is followed, and what it demands."""

    def __init__(
        self, rule: Rule, states: Sequence[MacroState], edges: ProvenEdges, work: Work, before: Sequence[ProvenRule]
    ) -> None:
        self.rule, self.states, self.edges, self.work, self.before = rule, states, edges, work, before
        self.conditions: dict[frozenset[tuple[tuple[int, ...], mpq]], Length] = {}
        self.parts: dict[Length, None] = {}
        opened = sum(not length for entries in rule.stacks for _, length in entries)
        names = map(unknown, range(opened))
        self.begun = [
            [(limb, Length(length) if length else next(names)) for limb, length in entries] for entries in rule.stacks
        ]
        self.stacks = Stacks(self.begun, self, work, rule.whole)
        self.state, self.steps = rule.state, Length(0)

    def proven(self) -> ProvenRule:
        """Follow all moves, and return what they come to."""
        for move in self.rule.moves:
            match move:
                case Rounds(rule, count):
                    steps = self.before[rule].use(self.state, self.stacks, count)
                    if steps is None:
                        raise CertificateError("a rule in its round goes on for ever")
                    self._count(steps)
                case Edges(number):
                    for _ in range(number):
                        self._take()
                case _:
                    assert_never(move)
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
        forms = [*self.conditions.values(), *self.parts, *maps]
        longest = max((form.bits for form in forms), default=0)
        terms = 1 + max((len(form.terms) for form in forms), default=0)
        trials = (1 + len(self.conditions)) * (1 + len(self.conditions) * terms)  # a change, less each condition
        self.work.take((trials * terms + len(forms) * terms**2) * (1 + long_divisor(longest)))
        return ProvenRule(
            rule=self.rule, maps=tuple(maps), steps=self.steps, conditions=tuple(self.conditions.values()),
            parts=tuple(self.parts), spend=self.work.take,
        )  # fmt: skip

    def require(self, length: Length, what: str = "its round takes a limb from a run that has none") -> None:
        """Write down that a length, which is whole, is at least 1; of those with the same unknowns the smallest."""
        self.work.take(4 * length.work * (1 + long_divisor(length.bits)))
        if not length.terms:
            if length.constant < 1:
                raise CertificateError(what)
            return
        found = length.least()
        if found is not None and found > 0:
            return
        key = frozenset(length.terms.items())
        if key not in self.conditions or length.constant < self.conditions[key].constant:
            self.conditions[key] = length
        self._limit()

    def require_whole(self, length: Length) -> None:
        """Write down that a length is whole: what is left of its coefficients without whole parts."""
        self.work.take(4 * length.work * (1 + long_divisor(length.bits)))
        if not length.terms:
            require_whole(length)
            return
        part = length_of(mpq(length.constant) % 1, {monomial: value % 1 for monomial, value in length.terms.items()})
        if part.terms or part.constant:
            self.parts[part] = None
        self._limit()

    def _limit(self) -> None:
        if len(self.conditions) + len(self.parts) > MOST_DEMANDS:
            raise CertificateError(f"its round demands more than {MOST_DEMANDS} things of lengths")

    def _take(self) -> None:
        proven = self.stacks.following(self.edges, self.state, self.states[self.state].wanted)
        if proven.outcome is not None:
            raise CertificateError("a verdict comes within its round")
        self._count(Length(proven.edge.steps) * self.stacks.take(proven))
        self.state = proven.edge.target

    def _count(self, steps: Length) -> None:
        self.steps = self.steps + steps
        self.work.take(self.steps.work)
