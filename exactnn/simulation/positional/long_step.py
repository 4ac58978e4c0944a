"""One step of a network on exact numbers of any length: rationals, and numerals that are too long for them."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.networks import Input, Network, Unit
from exactnn.simulation.positional.status import activated

__all__ = ["long_step"]

SHORT = 1 << 20
"""Digits up to which a numeral is a rational again."""


def long_step(network: Network, values: Sequence[LongNumber], given: Input) -> tuple[LongNumber, ...]:
    """Return the state after one step.

    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> tiny = Numeral(base=2, limb_digits=1, head=0, places=0, sign=1, runs=((0, 10**99), (1, 1)))
    >>> long_step(network, (tiny,), (mpq(0),))[0].digits == 10**99 + 2
    True
    """
    circuit = network.circuit
    inputs = given if isinstance(given, tuple) else (mpq(i == given) for i in range(circuit.input_size))
    registers: list[LongNumber] = [*values, *inputs]
    for units in circuit.layers:
        registers += [activated(unit.activation, _pre_activation(unit, registers)) for unit in units]
    return tuple(_short(registers[register]) for register in circuit.next_state)


def _pre_activation(unit: Unit, registers: Sequence[LongNumber]) -> LongNumber:
    products = [registers[register] * weight for register, weight in unit.linear if registers[register]]
    for first, second, weight in unit.bilinear:
        one, other = registers[first], registers[second]
        if one and other:
            products.append((one * mpq(other) if isinstance(one, Numeral) else other * one) * weight)
    long = [number for number in products if isinstance(number, Numeral)]
    short = sum((number for number in products if not isinstance(number, Numeral)), unit.bias)
    return sum(long[1:], long[0]) + short if long else short  # a numeral goes on the left


def _short(number: LongNumber) -> LongNumber:
    """Return a rational where long numbers left a short one."""
    return mpq(number) if isinstance(number, Numeral) and number.digits <= SHORT else number
