"""Proven rules of certificates, by their definition: so many rounds are what the network does in so many steps.

Rules are those of a certificate, and others from one moment of its path to a later one that sees the same limbs. Run
lengths and rounds are drawn; the network takes its steps in rationals.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from gmpy2 import mpq

from exactnn.certificates.certificate import Certificate, Edges, Many, Rounds, Rule
from exactnn.certificates.edge_check import AffineStepper, prove_edge
from exactnn.certificates.forms import Scale
from exactnn.certificates.lengths import ONE_LIMB, Length, length_of, unknown
from exactnn.certificates.rule_check import ProvenRule, prove_rule
from exactnn.certificates.stacks import Known, ProvenEdges, Stacks
from exactnn.errors import CertificateError, SizeLimitError
from exactnn.simulation.positional.forms import Form
from exactnn.simulation.positional.growth import closed_form
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
    known: list[ProvenRule] = []
    for rule in certificate.rules:
        known.append(prove_rule(rule, certificate.states, edges, Work(), known))
    for proven in known:
        for _ in range(2 * TRIES):
            check_rounds(certificate, proven, rng)
    for rule in rng.sample(drawn, min(MOST_RULES, len(drawn))):
        try:
            proven = prove_rule(rule, certificate.states, edges, Work(), known)
            proven = prove_rule(with_counts(proven, rng), certificate.states, edges, Work(), known)
        except CertificateError:
            continue
        known.append(proven)
        for _ in range(2 * TRIES):
            check_rounds(certificate, proven, rng)
    for proven in outer_rules(certificate, edges, known, rng):
        for _ in range(2 * TRIES):
            check_rounds(certificate, proven, rng)


def with_counts(proven: ProvenRule, rng: random.Random) -> Rule:
    """Return a rule with numbers of rounds, drawn, and with what many rounds of it lead to, if that has a closed form.

    Of twenty, one says something else of many rounds.
    """
    counts = [ONE_LIMB, *(Length(rng.randint(2, 5)) for _ in range(2))]
    for i in range(len(proven.maps)):
        over, less = rng.randint(1, 3), rng.randint(0, 4)
        counts.append((unknown(i) - Length(less)) * Length(mpq(1, over)) + Length(rng.randint(0, 1)))
    try:
        found = closed_form([form(length) for length in proven.maps], form(proven.steps))
    except SizeLimitError:
        return replace(proven.rule, counts=tuple(counts))
    lengths, steps = [length_back(one) for one in found.lengths], length_back(found.steps)
    if lengths and rng.random() < 0.05:
        at = rng.randrange(len(lengths))
        lengths[at] = lengths[at] + rng.choice((ONE_LIMB, unknown(len(lengths))))
    return replace(proven.rule, counts=tuple(counts), many=Many(found.first, found.bases, tuple(lengths), steps))


def form(length: Length) -> Form:
    return Form({key: mpq(value) for key, value in (((), length.constant), *length.terms.items()) if value})


def length_back(one: Form) -> Length:
    return length_of(one.constant, {key: value for key, value in one.terms.items() if key})


def outer_rules(
    certificate: Certificate, edges: ProvenEdges, known: Sequence[ProvenRule], rng: random.Random
) -> Iterator[ProvenRule]:
    """Yield rules whose rounds use others: those of a known one, followed or preceded by it, once or often."""
    for number, inner in enumerate(known):
        use = Rounds(number, rng.randrange(1 + len(inner.rule.counts)))  # one more than there are is no count
        moves = (use, *inner.rule.moves) if rng.random() < 0.5 else (*inner.rule.moves, use)
        with suppress(CertificateError):
            yield prove_rule(
                replace(inner.rule, moves=moves, counts=(ONE_LIMB,), many=None),
                certificate.states,
                edges,
                Work(),
                known,
            )


def drawn_rules(certificate: Certificate, edges: ProvenEdges, rng: random.Random) -> Iterator[Rule]:
    """Yield rules from each edge of the path to the next ones that see the same limbs."""
    begin, state = certificate.begin, certificate.begin.state
    lengths = [[(limb, Length(count)) for limb, count in runs] for runs in begin.stacks]
    stacks = Stacks(lengths, Known(Work()), Work())
    met: dict[object, list[tuple[int, tuple[tuple[tuple[int, int], ...], ...]]]] = defaultdict(list)
    for at in range(TAKEN):
        limbs = tuple(tuple(limb for limb, _ in runs) for runs in stacks.runs)
        for before, entries in met[state, limbs][-3:]:
            named = [rng.randint(0, len(runs)) if rng.random() < 0.4 else len(runs) for runs in entries]
            tops = tuple(runs[len(runs) - count :] for runs, count in zip(entries, named, strict=True))
            whole = tuple(count == len(runs) for runs, count in zip(entries, named, strict=True))
            yield Rule(state, tops, whole, (Edges(at - before),), (ONE_LIMB,), None)
        alone = rng.random()
        entries = [
            tuple((limb, int(length.constant) * (rng.random() < alone)) for limb, length in runs)
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
    """Check what some rounds of a rule, as many as one of its counts says, say of stacks with drawn run lengths."""
    rule, network = proven.rule, certificate.network
    state = certificate.states[rule.state]
    lengths = [[(limb, Length(length or rng.randint(1, 8))) for limb, length in entries] for entries in rule.stacks]
    for runs, whole in zip(lengths, rule.whole, strict=True):
        if not whole:
            for _ in range(rng.randint(1, 3)):
                other = rng.randrange(certificate.unit)
                if not runs or runs[0][0] != other:
                    runs.insert(0, (other, Length(rng.randint(1, 3))))
    before, stacks = limbs_of(lengths), Stacks(lengths, Known(Work()), Work())
    if not can_occur(state, before):
        return
    count = rng.randrange(len(rule.counts)) if rule.counts and rng.random() < 0.8 else None
    try:
        taken = proven.use(rule.state, stacks, count)
    except CertificateError:
        return
    text = f"count {count} of {rule} on {before} of {network!r}"
    if taken is None:
        outputs, _ = eos_steps(network, numbers(state, before, certificate), MOST_STEPS)
        assert not any(map(network.decision.outcome, outputs)), f"there is a verdict in {text}, which go on for ever"
        return
    after = [(limb, length.constant) for runs in stacks.runs for limb, length in runs]
    assert all(length >= 1 for _, length in after), f"runs are {after} after {text}"
    if taken.constant > MOST_STEPS:
        return
    steps = int(taken.constant)
    outputs, found = eos_steps(network, numbers(state, before, certificate), steps)
    assert not any(map(network.decision.outcome, outputs)), f"there is a verdict within {text}"
    assert found == numbers(state, limbs_of(stacks.runs), certificate), f"the numbers are {found} after {text}"


def limbs_of(stacks: Sequence[Sequence[tuple[int, Length]]]) -> Limbs:
    limbs = {i: [limb for limb, length in runs for _ in range(int(length.constant))] for i, runs in enumerate(stacks)}
    return {stack: found for stack, found in limbs.items() if found}
