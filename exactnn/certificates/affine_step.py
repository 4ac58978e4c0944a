"""One step of a network for all values of some unknowns at once, in plain rationals.

The unknowns are numbers t_s strictly between 0 and 1, of which nothing else is known. Every register holds an affine
*form* f = c + sum of c_s * t_s. With u_s = t_s where c_s > 0 and u_s = 1 - t_s where c_s < 0, which lies strictly
inside (0, 1) too,

    f = low + sum of |c_s| * u_s,    low = c + sum of the negative c_s,    high = low + sum of |c_s|,

so that low <= f <= high: these are the least and the largest value of f at the corners, where every t_s is 0 or 1. If
f is not constant, low < f < high. A sum of forms is a form. An activation of a form is one if a single branch serves
all of it:

    high <= 0     f <= 0 everywhere: ReLU, SLU and Heaviside give 0
    low >= 0      f >= 0 everywhere: ReLU gives f
    low >= 0      and high > 0: f > 0 everywhere, since f > low or f = low = high: Heaviside gives 1
    low >= 0      and high <= 1: SLU gives f
    low >= 1      SLU gives 1

In any other case the result may be no form, and the step is refused; so is a product of two forms neither of which is
constant. Without unknowns every form is constant, and this is the plain step of the network: one case always applies.
"""

from collections.abc import Mapping, Sequence

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.errors import CertificateError, shown
from exactnn.networks import Activation, Network, Unit

__all__ = ["ONE", "AffineStepper", "Form", "Room", "constant"]

Form = Mapping[int, mpq]
"""Unknown -> coefficient, without zeros; ONE -> the constant."""
ONE = -1
ZERO = mpq(0)

MOST_BITS = 1 << 24
"""Size of all numbers of a step together: a network that squares its numbers would fill any memory."""


def constant(number: mpq) -> Form:
    """Return the form that is a number.

    >>> constant(mpq(1, 2)), constant(mpq(0))
    ({-1: mpq(1,2)}, {})
    """
    return {ONE: number} if number else {}


class Room:
    """The memory for the numbers of a step."""

    def __init__(self) -> None:
        self._bits = MOST_BITS

    def keep(self, form: Form) -> Form:
        """Return `form`; raises CertificateError if there is no room left for it."""
        self._bits -= sum(x.numerator.bit_length() + x.denominator.bit_length() for x in form.values())
        if self._bits < 0:
            raise CertificateError(f"the numbers of a step have more than {MOST_BITS} bits together")
        return form


class AffineStepper:
    """Steps and outputs of a network on forms."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def step(self, state: Sequence[Form], symbol: int) -> list[Form]:
        """Return the state after a step that reads the symbol with that number.

        Raises
        ------
        CertificateError
            If a value is not one form for all values of the unknowns, or numbers grow too large.
        """
        circuit = self._network.circuit
        registers = [*state, *(constant(mpq(i == symbol)) for i in range(circuit.input_size))]
        room = Room()
        for layer in circuit.layers:
            registers += [room.keep(_value(unit, registers)) for unit in layer]
        return [registers[register] for register in circuit.next_state]

    def output(self, state: Sequence[Form]) -> mpq:
        """Return the output in a state, which must not depend on an unknown."""
        (unit,) = self._network.readout
        output = _number(_value(unit, state))
        if output is None:
            raise CertificateError(f"the output {shown(unit.name)} depends on limbs further down")
        return output


def _value(unit: Unit, registers: Sequence[Form]) -> Form:
    """Return activation(bias + sum of weight * register + sum of weight * register * register')."""
    total = {ONE: unit.bias}
    for register, weight in unit.linear:
        if registers[register]:
            _add(total, weight, registers[register])
    for first, second, weight in unit.bilinear:
        one, other = _number(registers[first]), _number(registers[second])
        if one is not None:
            _add(total, weight * one, registers[second])
        elif other is not None:
            _add(total, weight * other, registers[first])
        else:
            raise CertificateError(f"unit {shown(unit.name)} multiplies two numbers that depend on limbs further down")
    return _activated(unit, {key: coefficient for key, coefficient in total.items() if coefficient})


def _add(total: dict[int, mpq], factor: mpq, form: Form) -> None:
    for key, coefficient in form.items():
        total[key] = total.get(key, ZERO) + factor * coefficient


def _activated(unit: Unit, form: Form) -> Form:
    """Return the branch of the activation that serves all of `form`, as the table above says."""
    activation = unit.activation
    if not activation.is_rational:
        raise CertificateError(f"unit {shown(unit.name)}: its {activation} is no rational number")
    low, high = _bounds(form)
    if activation is Activation.IDENTITY:
        return form
    if high <= 0:
        return {}
    if low >= 0 and activation is Activation.RELU:
        return form
    if low >= 0 and activation is Activation.HEAVISIDE:
        return {ONE: mpq(1)}
    if low >= 0 and high <= 1 and activation is Activation.SLU:
        return form
    if low >= 1 and activation is Activation.SLU:
        return {ONE: mpq(1)}
    raise CertificateError(
        f"unit {shown(unit.name)}: its {activation} of a number between {short_text(low)} and {short_text(high)} "
        "depends on limbs further down"
    )


def _bounds(form: Form) -> tuple[mpq, mpq]:
    low = high = form.get(ONE, ZERO)
    for key, coefficient in form.items():
        if key != ONE and coefficient < 0:
            low += coefficient
        elif key != ONE:
            high += coefficient
    return low, high


def _number(form: Form) -> mpq | None:
    """Return the number that a form is, or None if it depends on an unknown."""
    return form.get(ONE, ZERO) if form.keys() <= {ONE} else None
