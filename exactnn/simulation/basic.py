"""The four activations that the fast exact engine and the loops over patterns know, and networks made of them.

Any clamp or jump is an affine function of one of the four, so a network with others has a twin with these only, whose
states and outputs are the same numbers. What is not here: the meaning of an activation, which is its own data.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from gmpy2 import mpq

from exactnn.networks import Activation, Kind, Network, Unit

__all__ = ["Basic", "basic", "basic_twin", "is_basic"]

ZERO, ONE = mpq(0), mpq(1)


class Basic(StrEnum):
    """Activations whose bounds are 0 and 1, or none."""

    IDENTITY = "identity"
    RELU = "relu"
    SLU = "slu"
    HEAVISIDE = "heaviside"


_BASIC = {
    (Kind.CLAMP, None, None): Basic.IDENTITY,
    (Kind.CLAMP, ZERO, None): Basic.RELU,
    (Kind.CLAMP, ZERO, ONE): Basic.SLU,
    (Kind.JUMP, ZERO, ONE): Basic.HEAVISIDE,
}


def _found(activation: Activation) -> Basic | None:
    return _BASIC.get((activation.kind, activation.low, activation.high))


def basic(activation: Activation) -> Basic:
    """Return which of the four an activation is; it must be one.

    >>> basic(Activation.SLU)
    <Basic.SLU: 'slu'>
    """
    found = _found(activation)
    assert found is not None, f"{activation} is none of {', '.join(Basic)}: the network has no basic twin"
    return found


def is_basic(network: Network) -> bool:
    """Return whether all activations of a network are among the four.

    >>> from exactnn.networks import SimpleRNN
    >>> made = {"V": [[1]], "W": [[1]], "b": [0], "s": [0], "readout_weight": [1]}
    >>> [is_basic(SimpleRNN(**made, activation=name)) for name in ("relu", "relu6", "tanh")]
    [True, False, False]
    """
    layers = (*network.circuit.layers, network.readout)
    return all(_found(unit.activation) is not None for layer in layers for unit in layer)


def basic_twin(network: Network) -> Network | None:
    """Return a network of the four activations with the same states and outputs; None where there is none.

    A unit ``clamp(x)`` to low..high becomes the unit ``u = SLU((x - low) / (high - low))`` and, in a layer of its own,
    ``low + (high - low) u``; with one bound that is a ReLU, and a jump a Heaviside. What read the unit reads the second
    one. There is no twin of a network with a smooth unit, or with such a unit in its readout, which is one layer.

    >>> from exactnn.networks import SimpleRNN
    >>> six = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="relu6")
    >>> [[str(unit.activation) for unit in layer] for layer in basic_twin(six).circuit.layers]
    [['slu'], ['identity']]
    """
    if is_basic(network):
        return network
    circuit = network.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    if not all(unit.activation.is_rational for unit in units):
        return None
    if any(_found(unit.activation) is None for unit in network.readout):
        return None
    registers = list(range(circuit.state_size + circuit.input_size))
    layers: list[tuple[Unit, ...]] = []
    first = len(registers)
    for layer in circuit.layers:
        scaled = [_scaled(unit, registers) for unit in layer]
        layers.append(tuple(unit for unit, _ in scaled))
        backs = [back(first + i) for i, (_, back) in enumerate(scaled) if back is not None]
        if backs:
            layers.append(tuple(backs))
        places = iter(range(first + len(layer), first + len(layer) + len(backs)))
        registers += [first + i if back is None else next(places) for i, (_, back) in enumerate(scaled)]
        first += len(layer) + len(backs)
    following = tuple(registers[register] for register in circuit.next_state)
    return replace(network, circuit=replace(circuit, layers=tuple(layers), next_state=following))


def _scaled(unit: Unit, registers: list[int]) -> tuple[Unit, Callable[[int], Unit] | None]:
    """Return the unit with one of the four activations, and what makes its value of that one's, if it is another.

    `registers` are those of the twin where the values of the registers are found.
    """
    read = replace(
        unit,
        linear=tuple((registers[register], weight) for register, weight in unit.linear),
        bilinear=tuple((registers[one], registers[other], weight) for one, other, weight in unit.bilinear),
    )
    if _found(unit.activation) is not None:
        return read, None
    low, high = unit.activation.low, unit.activation.high
    if low is None:  # min(high, x) = high - relu(high - x)
        assert high is not None
        return _times(read, -ONE, high, Activation.RELU), _back(unit.name, high, -ONE)
    if high is None:  # max(low, x) = low + relu(x - low)
        return _times(read, ONE, -low, Activation.RELU), _back(unit.name, low, ONE)
    if unit.activation.kind is Kind.JUMP:
        return replace(read, activation=Activation.HEAVISIDE), _back(unit.name, low, high - low)
    scale = 1 / (high - low)
    return _times(read, scale, -low * scale, Activation.SLU), _back(unit.name, low, high - low)


def _times(unit: Unit, factor: mpq, constant: mpq, activation: Activation) -> Unit:
    """Return the unit of `factor` times the sum of `unit`, plus a constant."""
    return Unit(
        name=f"scaled {unit.name}",
        bias=factor * unit.bias + constant,
        linear=tuple((register, factor * weight) for register, weight in unit.linear),
        bilinear=tuple((one, other, factor * weight) for one, other, weight in unit.bilinear),
        activation=activation,
    )


def _back(name: str, constant: mpq, factor: mpq) -> Callable[[int], Unit]:
    return lambda register: Unit(name=name, bias=constant, linear=((register, factor),))
