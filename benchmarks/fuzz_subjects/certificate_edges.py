"""Proven edges of certificates, by their definition: with any stacks, the network then does what they say.

Stacks are drawn as plain lists of limbs, their numbers are computed as `certificate.py` defines them, and the network
takes its steps in rationals. Edges are spoilt too: what is proven all the same must be true.
"""

import random
from dataclasses import replace

from exactnn.certificates.certificate import Certificate, Edge
from exactnn.certificates.edge_check import AffineStepper, prove_edge
from exactnn.certificates.forms import Scale
from exactnn.errors import CertificateError
from exactnn.work import Work
from fuzz_subjects.certificate_numbers import TRIES, Limbs, can_occur, eos_steps, numbers

__all__ = ["check_edges"]

MOST_EDGES = 12
"""Of a certificate."""


def check_edges(certificate: Certificate, rng: random.Random) -> None:
    """Check that edges, as they are and spoilt, are true if they are proven."""
    stepper = AffineStepper(certificate.network, Scale.of(certificate.network, certificate.base, Work()))
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
