"""A certificate replayed: the run that it tells, and the rules that it uses on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from gmpy2 import mpz

from exactnn.arithmetic import count_text, counted
from exactnn.certificates.certificate import Certificate, Leg, MacroState, Rule, certificate_from_json
from exactnn.certificates.edge_check import AffineStepper, ProvenEdge, numbers, prove_edge
from exactnn.certificates.forms import ONE_FORM, Form, Scale
from exactnn.certificates.stacks import EDGE_WORK, Edges, Length, Stacks, unknown
from exactnn.errors import CertificateError, shown
from exactnn.markup import named
from exactnn.networks import EOS, Network
from exactnn.networks.difference import require_network
from exactnn.options import callback
from exactnn.outcome import Outcome, Verdict
from exactnn.work import DEFAULT_BUDGET, Work, long_product, long_quotient, long_words

__all__ = ["CheckedRun", "ProvenRule", "check_certificate", "prove_rule"]


# --- The proof of a rule: a round of edges, followed with unknown run lengths.
#
# The run lengths that the rule leaves open are unknowns x_1, x_2, ..., each at least 1. The edges of the round are
# taken with lengths that are affine in them. Which edge follows depends on the limbs alone, and on inequalities "length
# >= 1" that are written down. If the round ends in the same macro state with the same limbs on the stacks, and length i
# is x_i + c_i, then
#
#     whenever x satisfies the conditions, the round leads from x to x + c and takes `steps`(x) network steps.
#
# So R rounds in a row are possible if x + r*c satisfies the conditions for r = 0, ..., R - 1. A condition is affine in
# r: it holds for all of them if it holds for the first and the last. The steps of the rounds are affine in r too, so
# their sum is R times the mean of the first and the last.

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


# --- The check of a certificate: prove its edges and rules, then follow its path from the beginning to the verdict.
#
# By induction along the path, the network's state is that of the macro state with its stacks, after as many EOS steps
# as were counted, and no output so far was a verdict. It begins with the network's own steps, in rationals; each edge
# and each round of a rule keeps it up, because it was proven for every stack that can occur. The edge whose last output
# is a verdict ends it.

OFTEN = 1 << 10
"""Edges between two reports of progress."""

Progress = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRun:
    """What was verified: `network` on `word` comes to its verdict `outcome` after exactly `eos_steps` EOS steps.

    `steps` counts those of the word too. `edges` and `rules` were proven; `legs` pieces of path were followed. `work`
    is how many units of work that took, the same on every machine.
    """

    network: Network
    word: tuple[str, ...]
    outcome: Outcome
    eos_steps: int
    edges: int
    rules: int
    legs: int
    work: int

    @property
    def steps(self) -> int:
        """Network steps: those that read the word, and the EOS steps."""
        return len(self.word) + self.eos_steps

    @property
    def verdict(self) -> Verdict | None:
        """Accept or reject, or None if the network only halts."""
        return self.outcome.verdict

    def __repr__(self) -> str:
        parts = (
            counted(self.edges, "edge"),
            counted(self.rules, "rule"),
            counted(self.legs, "piece of path", "pieces of path"),
        )
        ending = f"{self.outcome} after {counted(self.eos_steps, 'EOS step')}"
        return f"<CheckedRun of {named(self.network.name)}: {ending}, by {', '.join(parts)}>"


def check_certificate(
    certificate: dict[str, Any],
    *,
    network: object = None,
    word: str | Sequence[object] | None = None,
    budget: int | None = DEFAULT_BUDGET,
    progress: Progress | None = None,
) -> CheckedRun:
    """Verify a certificate in plain rationals, and return what it proves.

    Parameters
    ----------
    certificate : dict
        JSON data, as `load_certificate` reads it.
    network : Network or Construction, optional
        The network that the certificate has to be of: with the same numbers in the same places, alphabet and protocol.
        Names are not compared.
    word : str or sequence, optional
        The word that it has to be of.
    budget : int, optional
        Units of work that it may take: small steps of the check, and operations on numbers of about 1024 bits. The
        default is about a minute. None for no bound.
    progress : callable, optional
        Called now and then with a text that says what is being checked.

    Returns
    -------
    CheckedRun
        It holds for the network in the certificate. Without `network` nothing is known of whose network that is: its
        name is what the certificate says.

    Raises
    ------
    CertificateError
        If it is no certificate, is of another network or word, something in it is wrong or cannot be proven, or its
        proof is beyond the budget.
    """
    callback("progress", progress)
    work, claim = Work(budget), certificate_from_json(certificate)
    if network is not None:
        require_network(claim.network, network)
    if word is not None and tuple(claim.network.inputs(word)) != claim.symbols:
        raise CertificateError(f"this is a certificate of the word {shown(claim.word)}, not of {shown(word)}")
    return _Check(claim, work, progress or (lambda text: None)).run()


class _Check:
    """Where the check of a certificate is: macro state, stacks, EOS steps so far, and the verdict when it has come."""

    def __init__(self, certificate: Certificate, work: Work, progress: Progress) -> None:
        self.certificate = certificate
        self.work = work
        self.progress = progress
        self.scale = Scale.of(certificate.network, certificate.base, work)
        self.stepper = AffineStepper(certificate.network, self.scale)
        begin = certificate.begin
        self.state = begin.state
        lengths = [[(limb, Length(count)) for limb, count in runs] for runs in begin.stacks]
        self.stacks = Stacks(lengths, _require, work)
        self.eos_steps = begin.eos_steps
        self.outcome: Outcome | None = None

    def run(self) -> CheckedRun:
        """Check everything."""
        certificate, end = self.certificate, self.certificate.end
        self.work.foresee(certificate.steps * self.stepper.least_work + certificate.taken * EDGE_WORK)
        self._check_begin()
        edges = self._proven_edges()
        rules = self._proven_rules(edges)
        for i, leg in enumerate(certificate.path):
            try:
                self._follow(leg, edges, rules)
            except CertificateError as error:
                raise CertificateError(f"path {i}, after {count_text(self.eos_steps)} EOS steps: {error}") from None
        if self.outcome is not end.outcome:
            found = "no verdict" if self.outcome is None else f"the verdict {self.outcome!s}"
            raise CertificateError(f"the path ends with {found}, not with {end.outcome!s}")
        if self.eos_steps != end.eos_steps:
            raise CertificateError(
                f"the verdict comes after {count_text(self.eos_steps)} EOS steps, not {count_text(end.eos_steps)}"
            )
        return CheckedRun(
            network=certificate.network, word=certificate.word, outcome=end.outcome, eos_steps=self.eos_steps,
            edges=len(edges), rules=len(rules), legs=len(certificate.path), work=self.work.units,
        )  # fmt: skip

    def _check_begin(self) -> None:
        """Take the first steps plainly, and compare; a verdict may only come with the last of them."""
        certificate, begin = self.certificate, self.certificate.begin
        network = certificate.network
        assert network.alphabet is not None
        eos = network.alphabet.index(EOS)
        state = [self.scale.constant(value) for value in network.initial_state]
        for i, symbol in enumerate(chain(certificate.symbols, repeat(eos, begin.eos_steps))):
            if i % OFTEN == 0:
                self.progress(f"first steps: {i:,}")
            if self.outcome is not None:
                raise CertificateError("begin: a verdict comes before it")
            state = self.stepper.step(state, symbol)
            if i >= len(certificate.symbols):
                self.outcome = network.decision.outcome(self.stepper.output(state))
        macro = certificate.states[begin.state]
        heights = {stack for stack, runs in enumerate(begin.stacks) if runs}
        if heights != macro.stacks or any(runs and runs[0][0] == 0 for runs in begin.stacks):
            raise CertificateError(
                "begin: the stacks that are not empty must be those that heads refer to, with no limb 0 at the bottom"
            )
        tails = {stack: self._tail(begin.stacks[stack]) for stack in macro.stacks}
        if state != numbers(macro, tails, self.scale):
            raise CertificateError(f"begin: the network's numbers are not those of state {begin.state} and its stacks")

    def _tail(self, runs: tuple[tuple[int, int], ...]) -> Form:
        """Return the number sum of X_i / unit**i, X_1 the top limb."""
        scale, unit, digits = self.scale, mpz(self.certificate.unit), 0
        whole = mpz(0)
        for limb, count in reversed(runs):  # n equal limbs X: the number so far * unit**n + X (unit**n - 1)/(unit - 1)
            power = scale.raised(unit, count)
            self.work.take(1 + long_quotient(power.bit_length(), unit.bit_length()))
            whole = scale.product(whole, power) + limb * ((power - 1) // (unit - 1))
            digits += count * self.certificate.limb
        factor, places = scale.over_base(digits)
        return scale.sum([(scale.product(whole, factor), places, ONE_FORM)])

    def _proven_edges(self) -> Edges:
        certificate = self.certificate
        edges: dict[tuple[int, int, bool], ProvenEdge] = {}
        for i, edge in enumerate(certificate.edges):
            self.progress(f"edge {i + 1:,} of {len(certificate.edges):,}")
            try:
                proven = prove_edge(certificate, edge, self.stepper)
            except CertificateError as error:
                raise CertificateError(f"edge {i}: {error}") from None
            if edges.setdefault((edge.state, edge.limb, edge.last), proven) is not proven:
                raise CertificateError(f"edge {i}: there is one from that state with that limb already")
        return edges

    def _proven_rules(self, edges: Edges) -> list[ProvenRule]:
        rules = []
        for i, rule in enumerate(self.certificate.rules):
            self.progress(f"rule {i + 1:,} of {len(self.certificate.rules):,}")
            try:
                rules.append(prove_rule(rule, self.certificate.states, edges, self.work))
            except CertificateError as error:
                raise CertificateError(f"rule {i}: {error}") from None
        return rules

    def _follow(self, leg: Leg, edges: Edges, rules: list[ProvenRule]) -> None:
        """Follow a piece of the path."""
        if leg.rule is not None:
            self._go_on()
            self.work.take(EDGE_WORK + long_words(self.eos_steps.bit_length()))
            self.eos_steps += rules[leg.rule].apply(self.state, self.stacks, leg.times)
            return
        for i in range(leg.times):
            if i % OFTEN == 0:
                self.progress(f"path: {self.eos_steps.bit_length()} bits of EOS steps so far")
            self._go_on()
            self.work.take(long_words(self.eos_steps.bit_length()))
            proven = self.stacks.following(edges, self.state, self.certificate.states[self.state].wanted)
            self.eos_steps += proven.edge.steps * self.stacks.take(proven).constant
            self.state, self.outcome = proven.edge.target, proven.outcome

    def _go_on(self) -> None:
        if self.outcome is not None:
            raise CertificateError(f"it goes on after the verdict {self.outcome!s}")


def _require(length: Length) -> None:
    """Known lengths are at least 1 by themselves; this makes it plain."""
    if length.constant < 1:
        raise CertificateError("a limb is taken from a run that has none")
