"""Exact networks of integers: those with finitely many states for sure, and what machine words do for all of them."""

from collections.abc import Iterator

from gmpy2 import mpq

from exactnn.arithmetic import FixedPoint
from exactnn.networks import Activation, Circuit, Network, Unit

__all__ = ["integer_words", "is_clipped_integer", "is_integer"]

MOST_BITS = 30
"""Bits of integers: then products have no more than 62, and the compiled loops are at their fastest."""

_CLIPPED = (Activation.SLU, Activation.HEAVISIDE)

Magnitudes = tuple[int, list[tuple[int, int]], list[tuple[int, int, int]], bool]
"""Of a unit: its bias, its linear and its second-order terms, without signs, and whether it is clipped."""


def is_integer(network: Network) -> bool:
    """Return whether all numbers of all states are integers: no unit is smooth, and all parameters are integers."""
    units = (*_units(network), *network.readout)
    if not all(unit.activation.is_rational for unit in units):
        return False
    return all(value.denominator == 1 for value in (*network.initial_state, *_parameters(units)))


def is_clipped_integer(network: Network) -> bool:
    """Return whether a network is of the kind of Theorem 4.5: it has finitely many states, by its form.

    All parameters are integers, and every number of the state comes from a unit that is clipped to 0..1.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = {"V": [[2]], "W": [[-3]], "b": [1], "s": [0], "readout_weight": [1], "alphabet": "a"}
    >>> [is_clipped_integer(SimpleRNN(**network, activation=name)) for name in ("slu", "relu")]
    [True, False]
    """
    circuit, units = network.circuit, _units(network)
    first_unit = circuit.state_size + circuit.input_size
    sources = (units[i - first_unit].activation if i >= first_unit else None for i in circuit.next_state)
    return is_integer(network) and all(source in _CLIPPED for source in sources)


def integer_words(network: Network) -> tuple[FixedPoint, int] | None:
    """Return machine words for a network of integers, and how large the numbers of a state may be so that they do.

    From a state whose magnitudes are at most that, a step and the readout round nothing and exceed nothing. None if the
    network is none of integers, or its parameters are too large.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> doubles = SimpleRNN(V=[[2]], W=[[1]], b=[0], s=[0], readout_weight=[1], alphabet="a")
    >>> format, largest = integer_words(doubles)
    >>> str(format), largest
    ('q31.0', 357913941)
    """
    if not is_integer(network):
        return None
    circuit = network.circuit
    layers = [[_magnitudes(unit) for unit in layer] for layer in circuit.layers]
    readout = [_magnitudes(unit) for unit in network.readout]
    limit = (1 << MOST_BITS) - 1

    def reach(largest: int) -> int:
        return _reach(circuit, layers, readout, largest)

    # Without products of two numbers, what is reached grows at most as fast as the numbers that it is reached from.
    largest = limit if _has_products(layers, readout) else limit // reach(1)
    while largest and reach(largest) > limit:
        largest >>= 1
    if not largest or any(abs(x) > largest for x in network.initial_state):
        return None
    return FixedPoint(integer_bits=MOST_BITS + 1, fraction_bits=0), largest


def _units(network: Network) -> list[Unit]:
    return [unit for layer in network.circuit.layers for unit in layer]


def _parameters(units: tuple[Unit, ...]) -> Iterator[mpq]:
    for unit in units:
        yield unit.bias
        yield from (weight for _, weight in unit.linear)
        yield from (weight for _, _, weight in unit.bilinear)


def _magnitudes(unit: Unit) -> Magnitudes:
    return (
        abs(int(unit.bias)),
        [(register, abs(int(weight))) for register, weight in unit.linear],
        [(first, second, abs(int(weight))) for first, second, weight in unit.bilinear],
        unit.activation in _CLIPPED,
    )


def _has_products(layers: list[list[Magnitudes]], readout: list[Magnitudes]) -> bool:
    return any(unit[2] for layer in (*layers, readout) for unit in layer)


def _reach(circuit: Circuit, layers: list[list[Magnitudes]], readout: list[Magnitudes], largest: int) -> int:
    """Return what no number on the way exceeds in a step from a state of such magnitudes, nor in the readout."""
    bounds = [largest] * circuit.state_size + [1] * circuit.input_size
    found = largest
    for layer in layers:
        sums = [_bound(unit, bounds) for unit in layer]
        bounds += [1 if unit[3] else max(1, total) for unit, total in zip(layer, sums, strict=True)]
        found = max([found, *sums])
    return max([found, *(_bound(unit, bounds) for unit in readout)])


def _bound(unit: Magnitudes, bounds: list[int]) -> int:
    """Return what no partial sum of a unit exceeds, and no product in it."""
    bias, linear, bilinear, _ = unit
    total = bias + sum([weight * bounds[register] for register, weight in linear])
    return total + sum([weight * bounds[first] * bounds[second] for first, second, weight in bilinear])
