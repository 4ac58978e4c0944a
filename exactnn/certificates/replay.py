"""A certificate replayed: the run that it tells, and the rules that it uses on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, assert_never

from gmpy2 import mpz

from exactnn.arithmetic import count_text, counted
from exactnn.certificates.certificate import Certificate, Closed, Edges, Leg, Rounds
from exactnn.certificates.certificate_reader import certificate_from_json
from exactnn.certificates.closed_check import prove_closed
from exactnn.certificates.edge_check import AffineStepper, ProvenEdge, numbers, prove_edge
from exactnn.certificates.forms import ONE_FORM, Form, Scale
from exactnn.certificates.lengths import Length, added, bits_of, whole
from exactnn.certificates.rule_check import ProvenRule, prove_rule
from exactnn.certificates.stacks import EDGE_WORK, Known, ProvenEdges, Stacks
from exactnn.errors import CertificateError, NumberError, SizeLimitError, shown
from exactnn.markup import named
from exactnn.networks import EOS, Network
from exactnn.networks.difference import require_network
from exactnn.options import callback
from exactnn.outcome import Outcome, Verdict
from exactnn.work import DEFAULT_BUDGET, Work, long_quotient, long_words

__all__ = ["CheckedRun", "check_certificate"]


# --- The check of a certificate: prove its edges and rules, then follow its path from the beginning to the verdict.
#
# By induction along the path, the network's state is that of the macro state with its stacks, after as many EOS steps
# as were counted, and no output so far was a verdict. It begins with the network's own steps, in rationals; each edge
# and each round of a rule keeps it up, because it was proven for every stack that can occur. The edge whose last output
# is a verdict ends it.

MOST_RULE_BITS = 1 << 31
"""Memory of all rules."""
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
    network : Network, Construction, machine or name of a machine, optional
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
    try:
        return _Check(claim, work, progress).run()
    except (NumberError, SizeLimitError) as error:  # of sums of powers
        raise CertificateError(f"this cannot be proven: {error}") from None


class _Check:
    """Where the check of a certificate is: macro state, stacks, EOS steps so far, and the verdict when it has come."""

    def __init__(self, certificate: Certificate, work: Work, progress: Progress | None) -> None:
        self.certificate = certificate
        self.work = work
        self.progress = progress or (lambda text: None)
        self.scale = Scale.of(certificate.network, certificate.base, work)
        self.stepper = AffineStepper(certificate.network, self.scale)
        begin = certificate.begin
        self.state = begin.state
        lengths = [[(limb, Length(count)) for limb, count in runs] for runs in begin.stacks]
        self.stacks = Stacks(lengths, Known(work), work)
        self.eos_steps = begin.eos_steps
        self.outcome: Outcome | None = None
        self.followed = 0  # edges of the path so far

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
            except (CertificateError, SizeLimitError) as error:
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

    def _proven_edges(self) -> ProvenEdges:
        certificate = self.certificate
        edges: dict[tuple[int, int, bool], ProvenEdge] = {}
        for i, edge in enumerate(certificate.edges):
            self.progress(f"edge {i + 1:,} of {len(certificate.edges):,}")
            try:
                proven = prove_edge(certificate, edge, self.stepper)
            except CertificateError as error:
                raise CertificateError(f"edge {i}: {error}") from None
            edges[edge.state, edge.limb, edge.last] = proven
        return edges

    def _proven_rules(self, edges: ProvenEdges) -> list[ProvenRule]:
        rules: list[ProvenRule] = []
        room = MOST_RULE_BITS
        for i, rule in enumerate(self.certificate.rules):
            self.progress(f"rule {i + 1:,} of {len(self.certificate.rules):,}")
            try:
                rules.append(prove_rule(rule, self.certificate.states, edges, self.work, rules))
                room -= rules[-1].bits
                if room < 0:
                    raise CertificateError(f"the rules so far take more than {MOST_RULE_BITS} bits")
            except CertificateError as error:
                raise CertificateError(f"rule {i}: {error}") from None
        return rules

    def _follow(self, leg: Leg, edges: ProvenEdges, rules: list[ProvenRule]) -> None:
        """Follow a piece of the path."""
        self.work.take(EDGE_WORK)
        match leg:
            case Edges(number):
                self._take(number, edges)
            case Rounds(rule, count):
                self._go_on()
                steps = rules[rule].use(self.state, self.stacks, count)
                if steps is None:
                    self.outcome = Outcome.NON_HALTING
                else:
                    self._count(whole(steps.constant))
            case Closed():
                self._go_on()
                prove_closed(self.certificate.states, edges, self.state, self.stacks, self.work)
                self.outcome = Outcome.NON_HALTING
            case _:
                assert_never(leg)

    def _take(self, number: int, edges: ProvenEdges) -> None:
        """Take so many edges."""
        taken = 0  # steps of this leg: a short sum, where those of all may have thousands of powers
        try:
            for _ in range(number):
                if self.followed % OFTEN == 0:
                    self.progress(f"path: {self.followed:,} of its edges so far")
                self.followed += 1
                self._go_on()
                self.work.take(long_words(bits_of(taken)))
                proven = self.stacks.following(edges, self.state, self.certificate.states[self.state].wanted)
                taken += proven.edge.steps * whole(self.stacks.take(proven).constant)
                self.state, self.outcome = proven.edge.target, proven.outcome
        except (CertificateError, SizeLimitError):
            self.eos_steps += taken  # the message says after how many steps
            raise
        self._count(taken)

    def _count(self, steps: int) -> None:
        self.eos_steps, work = added(self.eos_steps, steps)
        self.work.take(work)

    def _go_on(self) -> None:
        if self.outcome is not None:
            raise CertificateError(f"it goes on after the verdict {self.outcome!s}")
