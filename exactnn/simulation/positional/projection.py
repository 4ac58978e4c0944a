"""A smaller network with the same outputs, whose state is a projection P of the full one: P(step(s)) = step'(P(s)).

Nothing that reads the full state sees more of it than P. So the full state after a step is :func:`long_step` of any
state with the projection that there was before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.networks.network import input_vector
from exactnn.simulation.common_denominator import CommonDenominatorExecutor
from exactnn.simulation.lowest_terms import Layer, layers_of
from exactnn.size_limit import LARGEST, SizeLimit, common_denominator

__all__ = ["Projection", "long_step", "long_sum"]

ONE, ZERO = mpq(1), mpq(0)

SHORT = 1 << 20
"""Digits up to which a numeral is a rational again."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A smaller network, and how its states belong to those of the full one.

    Parameters
    ----------
    network : Network
        The smaller network.
    rows : tuple of ((component, weight), ...)
        P: each number of the smaller state as a sum of weighted components of the full state.
    homes : tuple of int
        For each row a component that no other row has, in which :meth:`embed` puts its number.
    size : int
        Of the full state.
    pairs : tuple of int, or None
        Numbers of the smaller state. A state that is embedded after a step is the full one if none of these is 1. None:
        it may be another one.
    """

    network: Network
    rows: tuple[tuple[tuple[int, mpq], ...], ...]
    homes: tuple[int, ...]
    size: int
    pairs: tuple[int, ...] | None = None

    def project(self, values: Sequence[LongNumber]) -> tuple[LongNumber, ...]:
        """Return P of a full state.

        >>> pair = Projection(None, (((0, ONE), (2, -ONE)), ((1, ONE),)), homes=(0, 1), size=3)
        >>> pair.project((mpq(7), mpq(1, 3), mpq(6)))
        (mpq(1,1), mpq(1,3))
        """
        return tuple(long_sum(ZERO, [values[i] * weight for i, weight in row if values[i]]) for row in self.rows)

    def embed(self, values: Sequence[LongNumber]) -> tuple[LongNumber, ...]:
        """Return a full state with this projection.

        A step of the full network takes it where it takes every state with that projection.

        >>> pair = Projection(None, (((0, ONE), (2, -ONE)), ((1, ONE),)), homes=(0, 1), size=3)
        >>> pair.embed((mpq(1), mpq(1, 3)))
        (mpq(1,1), mpq(1,3), mpq(0,1))
        """
        full: list[LongNumber] = [ZERO] * self.size
        for value, row, home in zip(values, self.rows, self.homes, strict=True):
            full[home] = value * (ONE / dict(row)[home]) if value else ZERO
        return tuple(full)

    def full_after(self, network: Network, before: Sequence[LongNumber], given: Input) -> tuple[LongNumber, ...]:
        """Return the state of the full network one step after a state with this projection."""
        return long_step(network, self.embed(before), given)

    def is_full(self, values: Sequence[object]) -> bool:
        """Return whether :meth:`embed` of these values after a step is the full state; only those that are 1 count.

        >>> pair = Projection(None, (((0, ONE), (2, -ONE)), ((1, ONE),)), homes=(0, 1), size=3, pairs=(0,))
        >>> pair.is_full((mpq(1, 2), mpq(1))), pair.is_full((mpq(1), mpq(0)))
        (True, False)
        """
        return self.pairs is not None and not any(values[i] == ONE for i in self.pairs)


def long_step(network: Network, values: Sequence[LongNumber], given: Input) -> tuple[LongNumber, ...]:
    """Return the state after one step on exact numbers of any length: rationals, and numerals too long for them.

    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> tiny = Numeral(base=2, limb_digits=1, head=0, places=0, sign=1, runs=((0, 10**99), (1, 1)))
    >>> long_step(network, (tiny,), (mpq(0),))[0].digits == 10**99 + 2
    True
    """
    rationals = [value for value in values if not isinstance(value, Numeral)]
    short = len(rationals) == len(values)
    if short and _over_few_bits(rationals):
        executor = CommonDenominatorExecutor(network, SizeLimit(LARGEST))
        after, _ = executor.step_on(given)(executor.state_of(rationals))
        return executor.values(after)
    circuit = network.circuit
    inputs = input_vector(given, circuit.input_size)
    registers: list[Any] = [*values, *inputs]
    layers = layers_of(network).layers
    for layer in layers:
        biases = layer.given(given)
        registers += layer.values(registers, biases) if short else _values(layer, registers, biases)
    return tuple(_short(registers[register]) for register in circuit.next_state)


def _over_few_bits(values: Sequence[mpq]) -> bool:
    """Return whether numbers have a common denominator that is not much longer than the longest one.

    That of numbers over powers of one base is not.
    """
    try:
        common_denominator(values, SizeLimit(64 + 4 * max((x.denominator.bit_length() for x in values), default=0)))
    except SizeLimitError:
        return False
    return True


def long_sum(first: mpq, others: Sequence[LongNumber]) -> LongNumber:
    """Return the sum of numbers, of which some may be numerals.

    >>> long_sum(mpq(1), [mpq(1, 2)])
    mpq(3,2)
    """
    if not others:
        return first
    long = [number for number in others if isinstance(number, Numeral)]
    short = sum((number for number in others if not isinstance(number, Numeral)), first)
    return sum(long[1:], long[0]) + short if long else short  # a numeral goes on the left


def _values(layer: Layer, registers: Sequence[LongNumber], biases: list[mpq]) -> list[LongNumber]:
    """Return the values of units, of which some read numerals."""
    products: list[list[LongNumber]] = [[] for _ in biases]
    for register, column in layer.columns.items():
        if number := registers[register]:
            for place, weight in column:
                products[place].append(number * weight)
    for place, (first, second, weight) in layer.products:
        one, other = registers[first], registers[second]
        if one and other:
            products[place].append((one * mpq(other) if isinstance(one, Numeral) else other * one) * weight)
    return layer.activated(list(map(long_sum, biases, products)))


def _short(number: LongNumber) -> LongNumber:
    """Return a rational where long numbers left a short one."""
    return mpq(number) if isinstance(number, Numeral) and number.digits <= SHORT else number
