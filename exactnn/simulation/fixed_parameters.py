"""Weights, biases, start states and inputs in fixed point: rounded to nearest, and refused beyond the range."""

from collections.abc import Iterator

from gmpy2 import mpq

from exactnn.arithmetic import FixedPoint, short_text
from exactnn.errors import UnsupportedArithmeticError, shown
from exactnn.networks import Kind, Network, Unit

__all__ = ["bounding_word", "check_parameters", "fixed_word"]

ONE = mpq(1)

MOST_WRAPPED = 16
"""Integer bits of formats that wrap in which exp is computed."""

Place = tuple[str, ...]
"""What a number of a network is: texts and names by turns."""


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
        least = (word if word >= 0 else ~word).bit_length() + format.signed - format.fraction_bits
        remedy = f"give integer_bits={least} at least, or scale the network"
    raise UnsupportedArithmeticError(
        f"{what} is {short_text(value)}, beyond the numbers of {format}, which go from {short_text(format.lowest)} to "
        f"{short_text(format.largest)}: {remedy}"
    )


def bounding_word(format: FixedPoint, value: mpq) -> int:
    """Return the word of a bound of an activation, rounded to nearest; that of the last number if it is beyond those.

    >>> bounding_word(FixedPoint(integer_bits=2, fraction_bits=4), mpq(6))
    31
    """
    return min(max(int(format.parameters.unbounded_word(value)), format.lowest_word), format.largest_word)


def check_parameters(network: Network, format: FixedPoint) -> None:
    """Refuse a network of which a weight, a bias, a start value or a constant is beyond the range of a format.

    Raises
    ------
    UnsupportedArithmeticError
        It names the number farthest from 0, where it is, and the integer bits that it needs. Also if exp of the largest
        numbers has more bits than are computed for the last of them: the format wraps, and has more than 16 integer
        bits.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[[9]], W=[[20]], b=[0], s=[0], readout_weight=[1])
    >>> check_parameters(network, FixedPoint(integer_bits=4, fraction_bits=8))
    Traceback (most recent call last):
        ...
    exactnn.errors.UnsupportedArithmeticError: the weight of 'input[0]' in unit 'h[0]' is 20, beyond the numbers of \
q4.8, which go from -8 to 2047/256: give integer_bits=6 at least, or scale the network
    """
    _refuse_long_exponentials(network, format)
    low, high = format.lowest_word, format.largest_word
    beyond = {
        value
        for value in {value for value, _ in _numbers(network)}
        if not low <= format.parameters.unbounded_word(value) <= high
    }
    if not beyond:
        return
    farthest = max(beyond, key=lambda value: (abs(value), value))  # 16 needs a bit more than -16
    place = next(place for value, place in _numbers(network) if value == farthest)
    fixed_word(format, farthest, " ".join(shown(part) if i % 2 else part for i, part in enumerate(place)))


def _refuse_long_exponentials(network: Network, format: FixedPoint) -> None:
    if format.overflow == "saturate" or format.integer_bits <= MOST_WRAPPED:
        return
    for unit in _units(network):
        if unit.activation.kind is Kind.EXP:
            raise UnsupportedArithmeticError(
                f"unit {shown(unit.name)} has the activation {unit.activation}, and {format} keeps the last bits of a "
                f"number that is beyond it: exp of its largest number has some 2^{format.integer_bits} bits; give "
                f'integer_bits={MOST_WRAPPED} at most, or overflow="saturate"'
            )


def _units(network: Network) -> Iterator[Unit]:
    for layer in network.circuit.layers:
        yield from layer
    yield from network.readout


def _numbers(network: Network) -> Iterator[tuple[mpq, Place]]:
    """Yield all numbers that the arithmetic must have, and what they are."""
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    inputs = network.alphabet or [f"input[{i}]" for i in range(circuit.input_size)]
    names = [*circuit.state_names, *inputs, *(unit.name for unit in units)]
    for name, value in zip(circuit.state_names, network.initial_state, strict=True):
        yield value, ("the start value of", name)
    if network.alphabet:
        yield ONE, ("the input that stands for a symbol",)
    for unit in _units(network):
        yield from _numbers_of(unit, names)


def _numbers_of(unit: Unit, names: list[str]) -> Iterator[tuple[mpq, Place]]:
    yield unit.bias, ("the bias of unit", unit.name)
    for register, weight in unit.linear:
        yield weight, ("the weight of", names[register], "in unit", unit.name)
    for first, second, weight in unit.bilinear:
        yield weight, ("the weight of", names[first], "times", names[second], "in unit", unit.name)
    if unit.activation.kind is Kind.JUMP:
        for value in (unit.activation.low, unit.activation.high):
            assert value is not None
            yield value, (f"what {unit.activation} gives in unit", unit.name)
