"""What a network with smooth units does, step by step by MPFR with so many bits that they stand for the real numbers.

The oracle of enclosures: nothing here comes from exactnn's executors. `slack` is far more than its own roundings, and
far less than the width of any enclosure that is not a number.
"""

from dataclasses import replace
from itertools import takewhile

import gmpy2
from gmpy2 import mpfr, mpq

from exactnn.networks import Activation, Kind

BITS = 300
SLACK = mpq(1, 2**200)


def piecewise_linear(network):
    """Return the network with piecewise linear activations where it has smooth ones."""
    instead = {
        Activation.SIGMOID: Activation.SLU,
        Activation.TANH: Activation.HEAVISIDE,
        Activation.SOFTPLUS: Activation.RELU,
        Activation.EXP: Activation.RELU,
    }

    def changed(units):
        return tuple(replace(unit, activation=instead.get(unit.activation, unit.activation)) for unit in units)

    circuit = replace(network.circuit, layers=tuple(map(changed, network.circuit.layers)))
    return replace(network, circuit=circuit, readout=changed(network.readout))


def activated(activation, x):
    if activation == Activation.SIGMOID:
        return 1 / (1 + gmpy2.exp(-x))
    if activation == Activation.TANH:
        return gmpy2.tanh(x)
    if activation == Activation.SOFTPLUS:
        return gmpy2.log(1 + gmpy2.exp(x)) if x < 20 else x + gmpy2.log(1 + gmpy2.exp(-x))
    if activation == Activation.EXP:
        return gmpy2.exp(x)
    if activation.kind is Kind.JUMP:
        return mpfr(activation.high if x > 0 else activation.low)
    x = x if activation.low is None else max(x, mpfr(activation.low))
    return x if activation.high is None else min(x, mpfr(activation.high))


def evaluated(unit, registers):
    total = mpfr(unit.bias)
    for register, weight in unit.linear:
        total += mpfr(weight) * registers[register]
    for first, second, weight in unit.bilinear:
        total += mpfr(weight) * registers[first] * registers[second]
    return activated(unit.activation, total)


def states_by_mpfr(network, inputs):
    """Return the states of a run as rationals, the initial one first, as long as MPFR's largest number is enough."""
    size = network.circuit.input_size
    with gmpy2.context(precision=BITS, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        states = [[mpfr(x) for x in network.initial_state]]
        for symbol in inputs:
            vector = symbol if isinstance(symbol, tuple) else [mpq(i == symbol) for i in range(size)]
            registers = [*states[-1], *map(mpfr, vector)]
            for layer in network.circuit.layers:
                registers += [evaluated(unit, registers) for unit in layer]
            states.append([registers[register] for register in network.circuit.next_state])
        finite = takewhile(lambda state: all(map(gmpy2.is_finite, state)), states)
        return [[mpq(x) for x in state] for state in finite]


def holds(enclosure, value):
    """Whether a number of the oracle lies in an enclosure, but for the oracle's own roundings."""
    slack = SLACK * (1 + abs(value))
    return enclosure.low - slack <= value <= enclosure.high + slack
