"""Proven rules of certificates, by their definition: so many rounds are what the network does in so many steps.

Rules are those of a certificate, and others from one moment of its path to a later one that sees the same limbs. Run
lengths and rounds are drawn; the network takes its steps in rationals.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from exactnn.certificates.certificate import Certificate, Rule
from exactnn.certificates.edge_check import AffineStepper, prove_edge
from exactnn.certificates.forms import Scale
from exactnn.certificates.replay import ProvenRule, prove_rule
from exactnn.certificates.stacks import Edges, Length, Stacks
from exactnn.errors import CertificateError
from exactnn.work import Work
from fuzz_subjects.certificate_numbers import TRIES, Limbs, can_occur, eos_steps, numbers

__all__ = ["check_rules"]

MOST_RULES = 12
"""Of a certificate."""
TAKEN = 150
"""Edges of the path that are looked at for rules."""
MOST_STEPS = 1500


def check_rules(certificate: Certificate, rng: random.Random) -> None:
    """Check rules, those of a certificate and others, with drawn run lengths and rounds."""
    stepper = AffineStepper(certificate.network, Scale.of(certificate.network, certificate.base, Work()))
    edges = {(e.state, e.limb, e.last): prove_edge(certificate, e, stepper) for e in certificate.edges}
    drawn = list(drawn_rules(certificate, edges, rng))
    for rule in (*certificate.rules, *rng.sample(drawn, min(MOST_RULES, len(drawn)))):
        try:
            proven = prove_rule(rule, certificate.states, edges, Work())
        except CertificateError:
            continue
        for _ in range(2 * TRIES):
            check_rounds(certificate, proven, rng)


def drawn_rules(certificate: Certificate, edges: Edges, rng: random.Random) -> Iterator[Rule]:
    """Yield rules from each edge of the path to the next ones that see the same limbs."""
    begin, state = certificate.begin, certificate.begin.state
    lengths = [[(limb, Length(count)) for limb, count in runs] for runs in begin.stacks]
    stacks = Stacks(lengths, lambda length: None, Work())
    met: dict[object, list[tuple[int, tuple[tuple[int, ...], ...]]]] = defaultdict(list)
    for at in range(TAKEN):
        limbs = tuple(tuple(limb for limb, _ in runs) for runs in stacks.runs)
        yield from (Rule(state, entries, at - before) for before, entries in met[state, limbs][-3:])
        alone = rng.random()
        entries = [
            tuple(-1 - limb if length == Length(1) and rng.random() < alone else limb for limb, length in runs)
            for runs in stacks.runs
        ]
        met[state, limbs].append((at, tuple(entries)))
        try:
            proven = stacks.following(edges, state, certificate.states[state].wanted)
        except CertificateError:
            return  # the path is at its end
        stacks.take(proven)
        state = proven.edge.target


def check_rounds(certificate: Certificate, proven: ProvenRule, rng: random.Random) -> None:
    """Check what some rounds of a rule say of stacks with drawn run lengths."""
    rule, rounds, network = proven.rule, rng.randint(1, 5), certificate.network
    state = certificate.states[rule.state]
    lengths = [
        [(-1 - entry, Length(1)) if entry < 0 else (entry, Length(rng.randint(1, 8))) for entry in entries]
        for entries in rule.stacks
    ]
    before, stacks = limbs_of(lengths), Stacks(lengths, lambda length: None, Work())
    if not can_occur(state, before):
        return
    try:
        steps = proven.apply(rule.state, stacks, rounds)
    except CertificateError:
        return
    text = f"{rounds} rounds of {rule} on {before} of {network!r}"
    after = [(limb, length.constant) for runs in stacks.runs for limb, length in runs]
    assert all(length >= 1 for _, length in after), f"runs are {after} after {text}"
    if steps > MOST_STEPS:
        return
    outputs, found = eos_steps(network, numbers(state, before, certificate), steps)
    assert not any(map(network.decision.outcome, outputs)), f"there is a verdict within {text}"
    assert found == numbers(state, limbs_of(stacks.runs), certificate), f"the numbers are {found} after {text}"


def limbs_of(stacks: Sequence[Sequence[tuple[int, Length]]]) -> Limbs:
    limbs = {i: [limb for limb, length in runs for _ in range(length.constant)] for i, runs in enumerate(stacks)}
    return {stack: found for stack, found in limbs.items() if found}
