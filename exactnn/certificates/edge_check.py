"""The proof of an edge: what the network does until the next limb is needed, whatever lies below on the stacks.

What holds before and after every edge, and at the beginning by a look at the stacks:

    a stack is empty exactly if no head of the macro state refers to it;
    the limb at the bottom of a stack is not 0.

So the tail T of a stack that is not empty lies strictly between 0 and 1: a limb is at most unit - 1, hence T <= 1 -
1/unit**n < 1 for n limbs, and the bottom limb makes T > 0. What is left of a stack after its top limb X is popped is
again such a tail t, or t = 0 if X was the last limb; before, T was (X + t)/unit.

So the tails, with that of the stack that is popped written as (X + t)/unit or X/unit, are unknowns strictly inside
(0, 1), and the numbers of the state are forms in them. The steps of the edge are taken on those forms, for all tails
at once. After them the numbers must be, as forms, those that the target's heads give with the tails after the pops,
clears and pushes; pushing X on a tail t makes it (X + t)/unit, where t = 0 for an empty stack, and there X must not
be 0. A number that is claimed to be "0" or "1" must be the constant form. The stacks that are not empty must be those
that the target's heads refer to.

Every output must be constant, as claimed, and only the last may be a verdict, so that no verdict is passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gmpy2 import mpq, mpz

from exactnn.arithmetic import short_text
from exactnn.certificates.affine_step import AffineStepper
from exactnn.certificates.certificate import Certificate, Edge, Head, MacroState
from exactnn.certificates.forms import ONE_FORM, ZERO_FORM, Form, Room, Scale
from exactnn.errors import CertificateError
from exactnn.networks import EOS
from exactnn.outcome import Outcome

__all__ = ["ProvenEdge", "numbers", "prove_edge"]


@dataclass(frozen=True, slots=True)
class ProvenEdge:
    """An edge that is true. `wanted`: the stack that it pops, or -1; `outcome`: the verdict of its last output.

    `loop`: it leads to its own state and pushes nothing on `wanted`, so that it follows itself until the equal limbs on
    top there are gone. Taking it n times pushes n times each limb; since every stack gets limbs of one kind only, their
    order does not matter, and a whole run of equal limbs is taken at once, except for the last limb of the stack.
    """

    edge: Edge
    wanted: int
    outcome: Outcome | None
    loop: bool


def prove_edge(certificate: Certificate, edge: Edge, stepper: AffineStepper) -> ProvenEdge:
    """Return the edge with what a replay needs.

    Raises
    ------
    CertificateError
        If it is not true for all limbs below, or this check cannot tell.
    """
    source, target = certificate.states[edge.state], certificate.states[edge.target]
    scale = stepper.scale
    scale.work.take(1 + len(source.values) + len(target.values) + len(edge.clears) + len(edge.pushes))
    if source.wanted < 0 and (edge.limb or edge.last):
        raise CertificateError(f"it pops a limb, but state {edge.state} wants none")
    tails = {stack: _tail(stack) for stack in source.stacks}
    if source.wanted >= 0:
        rest = ZERO_FORM if edge.last else tails[source.wanted]
        tails[source.wanted] = _pushed(edge.limb, rest, certificate, scale)
    state, outcome = _steps(certificate, edge, stepper, numbers(source, tails, scale))
    after = _tails_after(edge, source, certificate, scale)
    if after.keys() != target.stacks:
        raise CertificateError(
            f"the stacks {sorted(after)} are not empty after it, but state {edge.target} uses {sorted(target.stacks)}"
        )
    for i, (found, claimed) in enumerate(zip(state, numbers(target, after, scale), strict=True)):
        if found != claimed:
            raise CertificateError(f"component {i} is not what state {edge.target} says after it")
    return ProvenEdge(edge, source.wanted, outcome, outcome is None and _is_loop(edge, source.wanted))


def numbers(state: MacroState, tails: Mapping[int, Form], scale: Scale) -> list[Form]:
    """Return the numbers of a macro state with these tails, as forms."""
    room = Room(scale)
    return [
        room.keep(_form(value, tails, scale) if isinstance(value, Head) else (ZERO_FORM, ONE_FORM)[value])
        for value in state.values
    ]


def _tail(stack: int) -> Form:
    """Return the tail of a stack, which is an unknown."""
    return Form(0, {stack: mpz(1)})


def _form(head: Head, tails: Mapping[int, Form], scale: Scale) -> Form:
    """Return (head + sign * T) / base**places."""
    return _over(head.places, mpz(head.head), head.sign, tails.get(head.stack, ZERO_FORM), scale)


def _pushed(limb: int, tail: Form, certificate: Certificate, scale: Scale) -> Form:
    """Return (limb + tail) / unit."""
    return _over(certificate.limb, mpz(limb), 1, tail, scale)


def _over(exponent: int, number: mpz, sign: int, tail: Form, scale: Scale) -> Form:
    """Return (number + sign * tail) / base**exponent."""
    factor, places = scale.over_base(exponent)
    return scale.sum([(factor * number, places, ONE_FORM), (factor * sign, places, tail)])


def _steps(
    certificate: Certificate, edge: Edge, stepper: AffineStepper, state: list[Form]
) -> tuple[list[Form], Outcome | None]:
    """Return the state after the steps of an edge, and the verdict of its last output."""
    network = certificate.network
    assert network.alphabet is not None
    eos = network.alphabet.index(EOS)
    outcome = None
    if sum(count for _, count in edge.outputs) != edge.steps:
        raise CertificateError(f"it has {edge.steps} steps, but another number of outputs")
    for claimed in _each(edge):
        if outcome is not None:
            raise CertificateError("it has an output after its verdict")
        state = stepper.step(state, eos)
        output = stepper.output(state)
        if output != claimed:
            raise CertificateError(f"an output is {short_text(output)}, not {short_text(claimed)}")
        outcome = network.decision.outcome(output)
    return state, outcome


def _each(edge: Edge) -> Iterator[mpq]:
    for output, count in edge.outputs:
        for _ in range(count):
            yield output


def _tails_after(edge: Edge, source: MacroState, certificate: Certificate, scale: Scale) -> dict[int, Form]:
    """Return the tails of the stacks that are not empty after the pop, the clears and the pushes."""
    tails = {stack: _tail(stack) for stack in source.stacks}
    for emptied in (*edge.clears, *((source.wanted,) if edge.last else ())):
        tails.pop(emptied, None)
    for stack, limb in edge.pushes:
        if stack not in tails and limb == 0:
            raise CertificateError(f"it pushes the limb 0 on stack {stack}, which is empty")
        tails[stack] = _pushed(limb, tails.get(stack, ZERO_FORM), certificate, scale)
    return tails


def _is_loop(edge: Edge, wanted: int) -> bool:
    kinds = dict(edge.pushes)
    return (
        edge.target == edge.state
        and edge.steps > 0
        and not edge.clears
        and wanted >= 0
        and wanted not in kinds
        and all(kinds[stack] == limb for stack, limb in edge.pushes)
    )
