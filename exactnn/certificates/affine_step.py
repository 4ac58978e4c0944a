"""One step of a network for all values of some unknowns at once, in plain rationals.

The unknowns are numbers t_s strictly between 0 and 1, of which nothing else is known. Every register holds an affine
*form* f = c + sum of c_s * t_s. With u_s = t_s where c_s > 0 and u_s = 1 - t_s where c_s < 0, which lies strictly
inside (0, 1) too,

    f = low + sum of |c_s| * u_s,    low = c + sum of the negative c_s,    high = low + sum of |c_s|,

so that low <= f <= high: these are the least and the largest value of f at the corners, where every t_s is 0 or 1. If
f is not constant, low < f < high. A sum of forms is a form. An activation of a form is one if a single branch serves
all of it:

    high <= a             f <= a everywhere: a clamp to a..b gives a
    low >= b              f >= b everywhere: it gives b
    low >= a, high <= b   it gives f; without a bound a or b that part of the condition falls away
    high <= 0             f <= 0 everywhere: a jump from a to b at 0 gives a
    low >= 0, high > 0    f > 0 everywhere, since f > low or f = low = high: a jump gives b

In any other case the result may be no form, and the step is refused; so is a product of two forms neither of which is
constant. Without unknowns every form is constant, and this is the plain step of the network: one case always applies.
"""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from gmpy2 import mpq, mpz

from exactnn.arithmetic import short_text
from exactnn.certificates.forms import ONE, ONE_FORM, ZERO_FORM, Form, Room, Scale, Term, is_number
from exactnn.errors import CertificateError, shown
from exactnn.networks import Kind, Network, Unit

__all__ = ["AffineStepper"]

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
            case Kind.SIGMOID | Kind.TANH:
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
