"""Which state space a network has in an arithmetic, and which exact networks machine words are enough for."""

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, Arithmetic, FixedPoint, is_arithmetic
from exactnn.equivalence.spaces.listed import ListedSpace
from exactnn.equivalence.spaces.state_space import StateSpace
from exactnn.errors import OptionError, UnsupportedArithmeticError
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Circuit, Network, Unit
from exactnn.networks.circuit import numbers_of
from exactnn.simulation import executor_for
from exactnn.simulation.executors import unsupported
from exactnn.simulation.with_numba import has_numba
from exactnn.size_limit import SizeLimit

__all__ = ["integer_words", "is_clipped_integer", "state_space"]

MOST_BITS = 30
"""Bits of integers: then products have no more than 62, and the compiled loops are at their fastest."""

Magnitudes = tuple[int, list[tuple[int, int]], list[tuple[int, int, int]], int, bool]
"""Of a unit: its bias, its linear and its second-order terms, without signs; the largest bound of its activation, and
whether that bounds its value on both sides."""


def state_space(network: Network, arithmetic: Arithmetic, most: int) -> StateSpace:
    """Return the state space of a network, whose steps are compiled where the arithmetic allows.

    Raises
    ------
    OptionError
        If the network takes vectors, of which there is no end.
    UnsupportedArithmeticError
        If rounding is stochastic: then a step depends on how many came before, or if no executor has the arithmetic.
    """
    if network.alphabet is None:
        raise OptionError(f"{network.name} takes vectors of numbers: only networks that take symbols are automata")
    if not is_arithmetic(arithmetic):
        raise unsupported(arithmetic)
    if arithmetic.rounds_at_random:
        raise UnsupportedArithmeticError(
            f"{arithmetic} rounds at random: a step then depends on how many there were before, "
            "so the network is no automaton of its states: choose another rounding"
        )
    limit = SizeLimit()
    if not has_numba():
        return ListedSpace(
            executor_for(network, RATIONAL if arithmetic.is_exact else arithmetic, limit), most, limit=limit
        )
    with Uninterrupted("loading numba"):  # only here, since that takes as long as everything else together
        from exactnn.equivalence.spaces.compiled import CompiledSpace, IntegerSpace
        from exactnn.simulation.many_states import many_states

    if arithmetic.is_exact:
        words = integer_words(network)
        if words is not None:
            return IntegerSpace(network, words, most)
        return ListedSpace(executor_for(network, RATIONAL, limit), most, limit=limit)
    steps = many_states(network, arithmetic)
    if steps is None:
        return ListedSpace(executor_for(network, arithmetic, limit), most, limit=limit)
    return CompiledSpace(network, steps, most)


def is_integer(network: Network) -> bool:
    """Return whether all numbers of all states are integers: no unit is smooth, and all parameters are integers."""
    units = (*_units(network), *network.readout)
    if not all(unit.activation.is_rational for unit in units):
        return False
    return all(map(gmpy2.is_integer, (*network.initial_state, *numbers_of(units))))


def is_clipped_integer(network: Network) -> bool:
    """Return whether a network is of the kind of Theorem 4.5: it has finitely many states, by its form.

    It reads symbols, all parameters are integers, and every number of the state comes from a unit that has bounds, such
    as 0 and 1.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = {"V": [[2]], "W": [[-3]], "b": [1], "s": [0], "readout_weight": [1], "alphabet": "a"}
    >>> [is_clipped_integer(SimpleRNN(**network, activation=name)) for name in ("slu", "relu")]
    [True, False]
    """
    circuit, units = network.circuit, _units(network)
    first_unit = circuit.state_size + circuit.input_size
    if network.alphabet is None or not is_integer(network):
        return False
    if any(register < first_unit for register in circuit.next_state):
        return False
    sources = (units[register - first_unit].activation for register in circuit.next_state)
    return all(source.low is not None and source.high is not None for source in sources)


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
    return network.laid_out.of(integer_words, None, lambda: _integer_words(network))


def _integer_words(network: Network) -> tuple[FixedPoint, int] | None:
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


def _bounds(unit: Unit) -> list[mpq]:
    return [bound for bound in (unit.activation.low, unit.activation.high) if bound is not None]


def _magnitudes(unit: Unit) -> Magnitudes:
    bounds = _bounds(unit)
    return (
        abs(int(unit.bias)),
        [(register, abs(int(weight))) for register, weight in unit.linear],
        [(first, second, abs(int(weight))) for first, second, weight in unit.bilinear],
        max([1, *(abs(int(bound)) for bound in bounds)]),
        len(bounds) == 2,
    )


def _has_products(layers: list[list[Magnitudes]], readout: list[Magnitudes]) -> bool:
    return any(unit[2] for layer in (*layers, readout) for unit in layer)


def _reach(circuit: Circuit, layers: list[list[Magnitudes]], readout: list[Magnitudes], largest: int) -> int:
    """Return what no number on the way exceeds in a step from a state of such magnitudes, nor in the readout."""
    bounds = [largest] * circuit.state_size + [1] * circuit.input_size
    found = largest
    for layer in layers:
        sums = [_bound(unit, bounds) for unit in layer]
        bounds += [
            edge if bounded else max(edge, total) for (*_, edge, bounded), total in zip(layer, sums, strict=True)
        ]
        found = max([found, *sums])
    return max([found, *(_bound(unit, bounds) for unit in readout)])


def _bound(unit: Magnitudes, bounds: list[int]) -> int:
    """Return what no partial sum of a unit exceeds, and no product in it."""
    bias, linear, bilinear, _, _ = unit
    total = bias + sum([weight * bounds[register] for register, weight in linear])
    return total + sum([weight * bounds[first] * bounds[second] for first, second, weight in bilinear])
