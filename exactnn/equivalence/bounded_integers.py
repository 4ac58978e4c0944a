"""Exact networks that never leave a range of integers, so that machine words compute with them exactly."""

from gmpy2 import mpq

from exactnn.arithmetic import FixedPoint
from exactnn.networks import Activation, Network, Unit

__all__ = ["integer_format"]

MOST_BITS = 63
"""Bits of integers for which the compiled loops multiply exactly."""

_CLIPPED = (Activation.SLU, Activation.HEAVISIDE)


def integer_format(network: Network) -> FixedPoint | None:
    """Return a format of integers in which steps of a network round nothing and exceed nothing; None if there is none.

    There is one if all parameters are integers and every number of the state comes from a unit that is clipped to 0..1
    (Theorem 4.5 of the chapter): then magnitudes have bounds, layer by layer, whatever the word.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> slu = {"V": [[2]], "W": [[-3]], "b": [1], "s": [0], "readout_weight": [1], "activation": "slu"}
    >>> str(integer_format(SimpleRNN(**slu, alphabet="a")))
    'q4.0'
    >>> integer_format(SimpleRNN(**{**slu, "V": [["1/2"]]}, alphabet="a")) is None
    True
    """
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    if any(
        value.denominator != 1 for value in (*network.initial_state, *map(mpq, _parameters([*units, *network.readout])))
    ):
        return None
    first_unit = circuit.state_size + circuit.input_size
    if any(i < first_unit or units[i - first_unit].activation not in _CLIPPED for i in circuit.next_state):
        return None
    bounds = [max(mpq(1), abs(value)) for value in network.initial_state] + [mpq(1)] * circuit.input_size
    largest = max(bounds, default=mpq(1))
    for layer in circuit.layers:
        sums = [_bound(unit, bounds) for unit in layer]
        bounds += [mpq(1) if unit.activation in _CLIPPED else total for unit, total in zip(layer, sums, strict=True)]
        largest = max([largest, *sums])
    largest = max([largest, *(_bound(unit, bounds) for unit in network.readout)])
    bits = int(largest.numerator).bit_length() + 1
    return FixedPoint(integer_bits=bits, fraction_bits=0) if bits <= MOST_BITS else None


def _parameters(units: list[Unit]) -> list[mpq]:
    found = [unit.bias for unit in units]
    found += [weight for unit in units for _, weight in unit.linear]
    return found + [weight for unit in units for _, _, weight in unit.bilinear]


def _bound(unit: Unit, bounds: list[mpq]) -> mpq:
    """Return what no partial sum of a unit, and no product in it, exceeds."""
    linear = (abs(weight) * bounds[register] for register, weight in unit.linear)
    bilinear = (abs(weight) * bounds[first] * bounds[second] for first, second, weight in unit.bilinear)
    return sum(bilinear, sum(linear, abs(unit.bias)))
