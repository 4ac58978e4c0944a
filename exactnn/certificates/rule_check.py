"""The proof of a rule: a round of edges, followed with unknown run lengths.

The run lengths that the rule leaves open are unknowns x_1, x_2, ..., each at least 1. The edges of the round are
taken with lengths that are affine in them. Which edge follows depends on the limbs alone, and on inequalities "length
>= 1" that are written down. If the round ends in the same macro state with the same limbs on the stacks, and length i
is x_i + c_i, then

    whenever x satisfies the conditions, the round leads from x to x + c and takes `steps`(x) network steps.

So R rounds in a row are possible if x + r*c satisfies the conditions for r = 0, ..., R - 1. A condition is affine in
r: it holds for all of them if it holds for the first and the last. The steps of the rounds are affine in r too, so
their sum is R times the mean of the first and the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpz

from exactnn.certificates.certificate import MacroState, Rule
from exactnn.certificates.stacks import Edges, Length, Stacks, unknown
from exactnn.errors import CertificateError, shown
from exactnn.work import Work, long_product

__all__ = ["ProvenRule", "prove_rule"]

MOST_CONDITION_BITS = 1 << 26
"""Memory for the conditions of a rule, about."""
SMALLEST_BITS = 512
"""Memory of a number, however small."""


@dataclass(frozen=True, slots=True)
class ProvenRule:
    """A rule that is true: under `conditions`, each at least 1, a round changes the open run lengths by `changes`."""

    rule: Rule
    changes: tuple[int, ...]
    steps: Length
    conditions: tuple[Length, ...]

    def apply(self, state: int, stacks: Stacks, rounds: int) -> int:
        """Change the run lengths by so many rounds; return the network steps they take.

        Raises
        ------
        CertificateError
            If the state or the stacks are not those of the rule, or a round is not possible.
        """
        lengths = self._open_lengths(state, stacks)
        last = [int(x + mpz(rounds - 1) * change) for x, change in zip(lengths, self.changes, strict=True)]
        longest = max(map(int.bit_length, (rounds, *lengths, *last)))
        stacks.work.take(sum(_work_at(length, longest) for length in (*self.conditions, self.steps)))
        if any(condition.at(x) < 1 for condition in self.conditions for x in (lengths, last)):
            raise CertificateError(f"{shown(rounds)} rounds in a row are not possible")
        after = iter([x + change for x, change in zip(last, self.changes, strict=True)])
        for runs, entries in zip(stacks.runs, self.rule.stacks, strict=True):
            runs[:] = [(limb, length if entry < 0 else Length(next(after)))
                       for (limb, length), entry in zip(runs, entries, strict=True)]  # fmt: skip
        return int(mpz(rounds) * (self.steps.at(lengths) + self.steps.at(last)) // 2)

    def _open_lengths(self, state: int, stacks: Stacks) -> list[int]:
        """Return the run lengths that the rule leaves open; the rest must be as it says."""
        heights = [len(runs) for runs in self.rule.stacks]
        if state == self.rule.state and [len(runs) for runs in stacks.runs] == heights:
            known = [(limb, length.constant) for runs in stacks.runs for limb, length in runs]
            entries = [entry for runs in self.rule.stacks for entry in runs]
            if all(
                (limb, length) == (-1 - entry, 1) if entry < 0 else limb == entry
                for (limb, length), entry in zip(known, entries, strict=True)
            ):
                return [length for (_, length), entry in zip(known, entries, strict=True) if entry >= 0]
        raise CertificateError("it is used where the state or the limbs on the stacks are others")


def prove_rule(rule: Rule, states: Sequence[MacroState], edges: Edges, work: Work) -> ProvenRule:
    """Return the rule with what it changes, under which conditions, and how many steps that takes.

    Raises
    ------
    CertificateError
        If the round does not come back to the same limbs, or its path depends on more than inequalities.
    """
    begun = _symbolic(rule.stacks)
    conditions = _Conditions(work)
    for runs in begun:
        for _, length in runs:
            conditions.require(length)
    stacks = Stacks(begun, conditions.require, work)
    state, steps = rule.state, Length(0)
    for _ in range(rule.period):
        proven = stacks.following(edges, state, states[state].wanted)
        if proven.outcome is not None:
            raise CertificateError("a verdict comes within its round")
        steps += Length(proven.edge.steps) * stacks.take(proven)
        work.take(steps.work)
        state = proven.edge.target
    if state != rule.state or _limbs(stacks.runs) != _limbs(begun):
        raise CertificateError("its round does not come back to the same state and limbs")
    differences = [
        (before, after - before)
        for old, new in zip(begun, stacks.runs, strict=True)
        for (_, before), (_, after) in zip(old, new, strict=True)
    ]
    if any(change.coefficients or (change.constant and not before.coefficients) for before, change in differences):
        raise CertificateError("its round changes a run length by no constant, or that of a limb which stands alone")
    changes = tuple(change.constant for before, change in differences if before.coefficients)
    return ProvenRule(rule, changes, steps, conditions.found())


class _Conditions:
    """Lengths that must be at least 1, each written down once."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._found: dict[Length, None] = {}
        self._room = MOST_CONDITION_BITS

    def require(self, length: Length) -> None:
        """Write down that a length is at least 1, if it depends on an unknown."""
        self._work.take(4 * length.work)
        if length.coefficients and length not in self._found:
            self._found[length] = None
            self._room -= (1 + len(length.coefficients)) * (SMALLEST_BITS + length.bits)
        elif not length.coefficients and length.constant < 1:
            raise CertificateError("its round takes a limb from a run that has none")
        if self._room < 0:
            raise CertificateError(f"its conditions take more than {MOST_CONDITION_BITS} bits")

    def found(self) -> tuple[Length, ...]:
        return tuple(self._found)


def _work_at(length: Length, longest: int) -> int:
    """Return what it takes to evaluate a length twice, at numbers of at most so many bits."""
    return 2 * (1 + len(length.coefficients)) * (1 + long_product(length.bits, longest))


def _limbs(stacks: Sequence[Sequence[tuple[int, Length]]]) -> list[list[int]]:
    return [[limb for limb, _ in runs] for runs in stacks]


def _symbolic(stacks: Sequence[Sequence[int]]) -> list[list[tuple[int, Length]]]:
    """Return stacks with an unknown for each run length that is open."""
    number = 0
    found: list[list[tuple[int, Length]]] = []
    for entries in stacks:
        found.append([])
        for entry in entries:
            found[-1].append((-1 - entry, Length(1)) if entry < 0 else (entry, unknown(number)))
            number += entry >= 0
    return found
