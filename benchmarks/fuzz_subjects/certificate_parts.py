"""Proven edges and rules of certificates, by their definition: what they say of stacks is what the network then does.

Stacks are drawn as plain lists of limbs, their numbers computed as `certificate.py` defines them, and the network takes
its steps in rationals. Edges are spoilt, and rules drawn from the path: what is proven all the same must be true.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gmpy2 import mpq

import exactnn as xn
from exactnn.certificates.affine_step import AffineStepper
from exactnn.certificates.certificate import Certificate, Edge, Head, MacroState, Rule
from exactnn.certificates.edge_check import prove_edge
from exactnn.certificates.rule_check import ProvenRule, prove_rule
from exactnn.certificates.stacks import Edges, Length, Stacks
from exactnn.errors import CertificateError
from exactnn.simulation.rational import RationalExecutor

__all__ = ["check_edges", "check_rules"]

TRIES = 3
"""Stacks, or run lengths, with which an edge or a rule is tried."""
MOST_EDGES, MOST_RULES = 12, 12
"""Of a certificate."""
TAKEN = 150
"""Edges of the path that are looked at for rules."""
MOST_STEPS = 1500

Limbs = dict[int, list[int]]
"""The stacks that are not empty, the top limb last."""


def numbers(state: MacroState, stacks: Limbs, certificate: Certificate) -> tuple[mpq, ...]:
    """Return the numbers of a macro state with these stacks."""
    tails = {stack: tail(limbs, certificate.unit) for stack, limbs in stacks.items()}
    return tuple(
        (value.head + value.sign * tails.get(value.stack, mpq(0))) / mpq(certificate.base) ** value.places
        if isinstance(value, Head)
        else mpq(value)
        for value in state.values
    )


def tail(limbs: Sequence[int], unit: int) -> mpq:
    total = mpq(0)
    for limb in limbs:
        total = (limb + total) / unit
    return total


def can_occur(state: MacroState, stacks: Limbs) -> bool:
    """Whether the stacks that heads refer to, and no others, are not empty, with no limb 0 at the bottom."""
    return stacks.keys() == state.stacks and all(limbs[0] for limbs in stacks.values())


def eos_steps(network: xn.Network, values: tuple[mpq, ...], steps: int) -> tuple[list[mpq], tuple[mpq, ...]]:
    """Return the outputs after each EOS step from a state with these numbers, and the numbers after the last."""
    executor = RationalExecutor(replace(network, initial_state=values))
    state, outputs = executor.start(), []
    for _ in range(steps):
        state = executor.advance(state, network.alphabet.index(xn.EOS), 1, until_decided=False).state
        outputs.append(executor.output(state))
    return outputs, tuple(executor.values(state))


def check_edges(certificate: Certificate, rng: random.Random) -> None:
    """Check that edges, as they are and spoilt, are true if they are proven."""
    stepper = AffineStepper(certificate.network)
    for edge in rng.sample(certificate.edges, min(MOST_EDGES, len(certificate.edges))):
        for tried in (edge, spoilt(edge, certificate, rng), spoilt(edge, certificate, rng)):
            try:
                prove_edge(certificate, tried, stepper)
            except CertificateError:
                continue
            for _ in range(TRIES):
                check_edge(certificate, tried, drawn_stacks(certificate, tried, rng))


def spoilt(edge: Edge, certificate: Certificate, rng: random.Random) -> Edge:
    """Return an edge with a field or two changed a little, as somebody might who wants it to say something else."""
    pushes, clears = list(edge.pushes), list(edge.clears)
    push = rng.randrange(3), rng.choice((0, 1, certificate.unit - 1, *(limb for _, limb in pushes)))
    for _ in range(rng.randint(1, 2)):
        kind = rng.choice(("push", "push", "drop", "swap", "limb", "last", "target", "clear", "steps"))
        if kind == "push":
            pushes.insert(rng.randint(0, len(pushes)), push)
        elif kind == "drop" and pushes:
            pushes.pop(rng.randrange(len(pushes)))
        elif kind == "swap":
            rng.shuffle(pushes)
        elif kind == "limb":
            edge = replace(edge, limb=(edge.limb + rng.choice((1, -1))) % certificate.unit)
        elif kind == "last":
            edge = replace(edge, last=not edge.last)
        elif kind == "target":
            edge = replace(edge, target=rng.randrange(len(certificate.states)))
        elif kind == "clear":
            clears = [] if clears else [rng.randrange(3)]
        elif kind == "steps" and edge.outputs:
            output, count = edge.outputs[-1]
            more = rng.choice((1, -1)) if count > 1 else 1
            edge = replace(edge, steps=edge.steps + more, outputs=(*edge.outputs[:-1], (output, count + more)))
    return replace(edge, pushes=tuple(pushes), clears=tuple(clears))


def drawn_stacks(certificate: Certificate, edge: Edge, rng: random.Random) -> Limbs:
    """Return stacks on which an edge can be taken; there are none if its last limb is 0."""
    source, unit = certificate.states[edge.state], certificate.unit
    found = {
        stack: [rng.randrange(1, unit), *(rng.choice((0, 1, unit - 1, rng.randrange(unit))) for _ in range(depth))]
        for stack, depth in ((stack, rng.randint(0, 4)) for stack in source.stacks)
    }
    if source.wanted >= 0:
        found[source.wanted] = [*([] if edge.last else found[source.wanted]), edge.limb]
    return found


def check_edge(certificate: Certificate, edge: Edge, before: Limbs) -> None:
    """Check what an edge says of these stacks."""
    source, target, network = certificate.states[edge.state], certificate.states[edge.target], certificate.network
    if not can_occur(source, before):
        return
    text = f"{edge} on {before} of {network!r}"
    outputs, found = eos_steps(network, numbers(source, before, certificate), edge.steps)
    assert outputs == [output for output, count in edge.outputs for _ in range(count)], f"outputs are {outputs}: {text}"
    assert not any(network.decision.outcome(output) for output in outputs[:-1]), f"it passes over a verdict: {text}"
    after = {stack: list(limbs) for stack, limbs in before.items()}
    if source.wanted >= 0:
        after[source.wanted].pop()
    for stack in edge.clears:
        after.pop(stack, None)
    for stack, limb in edge.pushes:
        after.setdefault(stack, []).append(limb)
    after = {stack: limbs for stack, limbs in after.items() if limbs}
    assert can_occur(target, after), f"the stacks after it are {after}: {text}"
    assert found == numbers(target, after, certificate), f"the numbers after it are {found}: {text}"


def check_rules(certificate: Certificate, rng: random.Random) -> None:
    """Check rules, those of a certificate and others, with drawn run lengths and rounds."""
    stepper = AffineStepper(certificate.network)
    edges = {(e.state, e.limb, e.last): prove_edge(certificate, e, stepper) for e in certificate.edges}
    drawn = list(drawn_rules(certificate, edges, rng))
    for rule in (*certificate.rules, *rng.sample(drawn, min(MOST_RULES, len(drawn)))):
        try:
            proven = prove_rule(rule, certificate.states, edges)
        except CertificateError:
            continue
        for _ in range(2 * TRIES):
            check_rounds(certificate, proven, rng)


def drawn_rules(certificate: Certificate, edges: Edges, rng: random.Random) -> Iterator[Rule]:
    """Yield rules from each edge of the path to the next ones that see the same limbs."""
    begin, state = certificate.begin, certificate.begin.state
    stacks = Stacks([[(limb, Length(count)) for limb, count in runs] for runs in begin.stacks], lambda length: None)
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
    before, stacks = limbs_of(lengths), Stacks(lengths, lambda length: None)
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
