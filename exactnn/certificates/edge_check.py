"""What one step of a certificate does, checked in rationals: affine maps, and edges between forms of states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from gmpy2 import mpq, mpz

from exactnn.arithmetic import short_text
from exactnn.certificates.certificate import Certificate, Edge, Head, MacroState
from exactnn.certificates.forms import ONE, ONE_FORM, ZERO_FORM, Form, Room, Scale, Term, is_number
from exactnn.errors import CertificateError, shown
from exactnn.networks import EOS, Kind, Network, Unit
from exactnn.outcome import Outcome

__all__ = ["AffineStepper", "ProvenEdge", "numbers", "prove_edge"]


# --- One step of a network for all values of some unknowns at once, in plain rationals.
#
# The unknowns are numbers t_s strictly between 0 and 1, of which nothing else is known. Every register holds an affine
# *form* f = c + sum of c_s * t_s. With u_s = t_s where c_s > 0 and u_s = 1 - t_s where c_s < 0, which lies strictly
# inside (0, 1) too,
#
#     f = low + sum of |c_s| * u_s,    low = c + sum of the negative c_s,    high = low + sum of |c_s|,
#
# so that low <= f <= high: these are the least and the largest value of f at the corners, where every t_s is 0 or 1. If
# f is not constant, low < f < high. A sum of forms is a form. An activation of a form is one if a single branch serves
# all of it:
#
#     high <= a             f <= a everywhere: a clamp to a..b gives a
#     low >= b              f >= b everywhere: it gives b
#     low >= a, high <= b   it gives f; without a bound a or b that part of the condition falls away
#     high <= 0             f <= 0 everywhere: a jump from a to b at 0 gives a
#     low >= 0, high > 0    f > 0 everywhere, since f > low or f = low = high: a jump gives b
#
# In any other case the result may be no form, and the step is refused; so is a product of two forms neither of which is
# constant. Without unknowns every form is constant, and this is the plain step of the network: one case always applies.

NOTHING = mpz(0)


class _Row(NamedTuple):
    """A unit, with its weights as (factor, places), factor / scale**places."""

    unit: Unit
    bias: Form
    linear: Sequence[tuple[int, mpz, int]]
    bilinear: Sequence[tuple[int, int, mpz, int]]


class AffineStepper:
    """Steps and outputs of a network on forms over a scale."""

    def __init__(self, network: Network, scale: Scale) -> None:
        circuit = network.circuit
        self._circuit = circuit
        self.scale = scale
        self._layers = [[_row(unit, scale) for unit in layer] for layer in circuit.layers]
        self._readout = [_row(unit, scale) for unit in network.readout]
        self.least_work = 10 + circuit.state_size + circuit.input_size + 2 * circuit.units + circuit.weights
        """What a step takes at least."""

    def step(self, state: Sequence[Form], symbol: int) -> list[Form]:
        """Return the state after a step that reads the symbol with that number.

        Raises
        ------
        CertificateError
            If a value is not one form for all values of the unknowns, or numbers grow too large.
        """
        self.scale.work.take(self.least_work)
        registers = [*state, *(ONE_FORM if i == symbol else ZERO_FORM for i in range(self._circuit.input_size))]
        room = Room(self.scale)
        for layer in self._layers:
            registers += [room.keep(self._value(row, registers)) for row in layer]
        return [registers[register] for register in self._circuit.next_state]

    def output(self, state: Sequence[Form]) -> mpq:
        """Return the output in a state, which must not depend on an unknown."""
        (readout,) = self._readout
        self.scale.work.take(1 + len(readout.linear) + len(readout.bilinear))
        output = self._value(readout, state)
        if not is_number(output):
            raise CertificateError(f"the output {shown(readout.unit.name)} depends on limbs further down")
        return self.scale.number(output)

    def _value(self, row: _Row, registers: Sequence[Form]) -> Form:
        """Return activation(bias + sum of weight * register + sum of weight * register * register')."""
        scale = self.scale
        terms: list[Term] = [(mpz(1), 0, row.bias)] if row.bias.parts else []
        for register, factor, places in row.linear:
            if registers[register].parts:
                terms.append((factor, places, registers[register]))
        for first, second, factor, places in row.bilinear:
            one, other = registers[first], registers[second]
            if not is_number(one):
                one, other = other, one
            if not is_number(one):
                raise CertificateError(
                    f"unit {shown(row.unit.name)} multiplies two numbers that depend on limbs further down"
                )
            if one.parts and other.parts:
                terms.append((scale.product(factor, one.parts[ONE]), places + one.places, other))
        return self._activated(row.unit, scale.raw_sum(terms))

    def _activated(self, unit: Unit, form: Form) -> Form:
        """Return the branch of the activation that serves all of a sum, as the table above says."""
        activation, scale = unit.activation, self.scale
        low, high = _bounds(form)
        below, above = activation.low, activation.high
        match activation.kind:
            case Kind.CLAMP:
                floor, ceiling = self._edge(below, form), self._edge(above, form)
                if below is not None and high <= floor:
                    return scale.constant(below)
                if above is not None and low >= ceiling:
                    return scale.constant(above)
                if (below is None or low >= floor) and (above is None or high <= ceiling):
                    return scale.reduced(form)
            case Kind.JUMP:
                assert below is not None
                assert above is not None
                if high <= 0:
                    return scale.constant(below)
                if low >= 0:
                    return scale.constant(above)
            case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
                raise CertificateError(f"unit {shown(unit.name)}: its {activation} is no rational number")
            case _:
                assert_never(activation.kind)
        least, most = (self.scale.number(Form(form.places, {ONE: x})) for x in (low, high))
        raise CertificateError(
            f"unit {shown(unit.name)}: its {activation} of a number between {short_text(least)} and {short_text(most)} "
            "depends on limbs further down"
        )

    def _edge(self, bound: mpq | None, form: Form) -> mpq:
        """Return a bound times what the numbers of a form are over; 0 for no bound."""
        return bound * self.scale.power(form.places) if bound else mpq(0)


def _row(unit: Unit, scale: Scale) -> _Row:
    return _Row(
        unit,
        scale.constant(unit.bias),
        [(register, *scale.factor(weight)) for register, weight in unit.linear],
        [(first, second, *scale.factor(weight)) for first, second, weight in unit.bilinear],
    )


def _bounds(form: Form) -> tuple[mpz, mpz]:
    """Return the least and the largest value at the corners, times scale**places."""
    low = high = form.parts.get(ONE, NOTHING)
    if len(form.parts) == 1 and ONE in form.parts:
        return low, high
    for key, coefficient in form.parts.items():
        if key != ONE and coefficient < 0:
            low += coefficient
        elif key != ONE:
            high += coefficient
    return low, high


# --- The proof of an edge: what the network does until the next limb is needed, whatever lies below on the stacks.
#
# What holds before and after every edge, and at the beginning by a look at the stacks:
#
#     a stack is empty exactly if no head of the macro state refers to it;
#     the limb at the bottom of a stack is not 0.
#
# So the tail T of a stack that is not empty lies strictly between 0 and 1: a limb is at most unit - 1, hence T <= 1 -
# 1/unit**n < 1 for n limbs, and the bottom limb makes T > 0. What is left of a stack after its top limb X is popped is
# again such a tail t, or t = 0 if X was the last limb; before, T was (X + t)/unit.
#
# So the tails, with that of the stack that is popped written as (X + t)/unit or X/unit, are unknowns strictly inside
# (0, 1), and the numbers of the state are forms in them. The steps of the edge are taken on those forms, for all tails
# at once. After them the numbers must be, as forms, those that the target's heads give with the tails after the pops,
# clears and pushes; pushing X on a tail t makes it (X + t)/unit, where t = 0 for an empty stack, and there X must not
# be 0. A number that is claimed to be "0" or "1" must be the constant form. The stacks that are not empty must be those
# that the target's heads refer to.
#
# Every output must be constant, as claimed, and only the last may be a verdict, so that no verdict is passed over.


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
