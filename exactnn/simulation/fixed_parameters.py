"""Weights, biases, start states and inputs in fixed point: rounded to nearest, and refused beyond the range."""

from gmpy2 import mpq

from exactnn.arithmetic import FixedPoint, short_text
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.networks import Activation, Network, Unit

__all__ = ["check_parameters", "fixed_word"]

ONE = mpq(1)


def fixed_word(format: FixedPoint, value: mpq, what: str = "an input") -> int:
    """Return the word of an exact number in a format, rounded to nearest, ties to even.

    Raises
    ------
    UnsupportedArithmeticError
        If it is beyond the range; `what` says in the message what it is.

    Examples
    --------
    >>> fixed_word(FixedPoint(integer_bits=2, fraction_bits=4), mpq(1, 3))
    5
    """
    word = int(format.parameters.unbounded_word(value))
    if format.lowest_word <= word <= format.largest_word:
        return word
    if word < 0 and not format.signed:
        remedy = "give a signed format"
    else:
        bits = (word if word >= 0 else ~word).bit_length() + format.signed - format.fraction_bits
        remedy = f"give at least {bits} integer bits, or scale the network"
    raise UnsupportedArithmeticError(
        f"{what} is {short_text(value)}, beyond the numbers of {format}, which go from {short_text(format.lowest)} to "
        f"{short_text(format.largest)}: {remedy}"
    )


def check_parameters(network: Network, format: FixedPoint) -> None:
    """Refuse a network of which a weight, a bias, a start value or a constant is beyond the range of a format.

    Raises
    ------
    UnsupportedArithmeticError
        It names the first such number, its unit, and the integer bits that it needs.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> check_parameters(
    ...     SimpleRNN(V=[[9]], W=[[1]], b=[0], s=[0], readout_weight=[1]), FixedPoint(integer_bits=4, fraction_bits=8)
    ... )
    Traceback (most recent call last):
        ...
    exactnn.errors.UnsupportedArithmeticError: the weight of 'h[0]' in unit 'h[0]' is 9, beyond the numbers of q4.8, \
which go from -8 to 2047/256: give at least 5 integer bits, or scale the network
    """
    circuit = network.circuit
    inputs = network.alphabet or [f"input[{i}]" for i in range(circuit.input_size)]
    units = [unit for layer in circuit.layers for unit in layer]
    names = [*circuit.state_names, *inputs, *(unit.name for unit in units)]
    for name, value in zip(circuit.state_names, network.initial_state, strict=True):
        fixed_word(format, value, f"the start value of {shown(name)}")
    if network.alphabet:
        fixed_word(format, ONE, "the input that stands for a symbol")
    for unit in (*units, *network.readout):
        _check_unit(unit, names, format)


def _check_unit(unit: Unit, names: list[str], format: FixedPoint) -> None:
    where = f"unit {shown(unit.name)}"
    fixed_word(format, unit.bias, f"the bias of {where}")
    for register, weight in unit.linear:
        fixed_word(format, weight, f"the weight of {shown(names[register])} in {where}")
    for first, second, weight in unit.bilinear:
        fixed_word(format, weight, f"the weight of {shown(names[first])} times {shown(names[second])} in {where}")
    if unit.activation is Activation.HEAVISIDE:
        fixed_word(format, ONE, f"a value of {where}, whose activation is heaviside,")
