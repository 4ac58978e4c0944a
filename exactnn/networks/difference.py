"""Whether two networks are the same, names aside: the same numbers in the same places, and the same protocol."""

from collections.abc import Iterator

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.errors import CertificateError, shown
from exactnn.networks.any_network import network_of
from exactnn.networks.circuit import Unit
from exactnn.networks.network import Network

__all__ = ["first_difference_of_networks", "require_network"]


def require_network(found: Network, given: object) -> None:
    """Refuse the network of a certificate that is another than the one given, names aside.

    Parameters
    ----------
    found : Network
    given : Network, Construction, machine or name of a machine

    Raises
    ------
    NetworkError
        If `given` is none of these.
    CertificateError
        If they differ; the message says where first.
    """
    expected = network_of(given)
    difference = first_difference_of_networks(found, expected)
    if difference:
        raise CertificateError(f"this is a certificate of another network than {shown(expected.name)}: {difference}")


def first_difference_of_networks(found: Network, expected: Network) -> str:
    """Return in words where a network is another than the expected one; empty text if it is nowhere.

    Names of networks and units are not compared. Everything else is, the order of the terms of a sum too, which is the
    order in which formats round.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> one, other = (SimpleRNN(V=[[1]], W=[[w]], b=[0], s=[0], readout_weight=[1]) for w in (1, 2))
    >>> first_difference_of_networks(one, other), first_difference_of_networks(one, one)
    ('the weight of register 1 in unit 0 of layer 0 is 1, not 2', '')
    """
    for (what, value), (_, other) in zip(_parts(found), _parts(expected), strict=False):
        if value != other:
            return f"{what} is {_text(value)}, not {_text(other)}"
    return ""


def _parts(network: Network) -> Iterator[tuple[str, object]]:
    """Yield all that is compared; a list after its length, so that the parts of two networks keep in step."""
    yield "the alphabet", network.alphabet
    yield "the protocol", str(network.decision.protocol)
    yield "the threshold", network.decision.threshold
    yield "scalar_output", network.scalar_output
    yield "input_bounds", network.input_bounds
    yield "the number of neurons", network.neurons
    yield "the size of the input", network.circuit.input_size
    for i, number in enumerate(network.initial_state):
        yield f"component {i} of the initial state", number
    yield "the number of layers", len(network.circuit.layers)
    layers = [(f"layer {i}", layer) for i, layer in enumerate(network.circuit.layers)]
    for where, layer in (*layers, ("the readout", network.readout)):
        yield f"the number of units of {where}", len(layer)
        for i, unit in enumerate(layer):
            yield from _unit_parts(unit, f"unit {i} of {where}")
    for i, register in enumerate(network.circuit.next_state):
        yield f"the register of component {i} of the next state", register


def _unit_parts(unit: Unit, where: str) -> Iterator[tuple[str, object]]:
    yield f"the activation of {where}", str(unit.activation)
    yield f"the bias of {where}", unit.bias
    yield f"the registers that {where} reads", tuple(register for register, _ in unit.linear)
    yield f"the registers that {where} multiplies", tuple((first, second) for first, second, _ in unit.bilinear)
    for register, weight in unit.linear:
        yield f"the weight of register {register} in {where}", weight
    for first, second, weight in unit.bilinear:
        yield f"the weight of register {first} times register {second} in {where}", weight


def _text(value: object) -> str:
    return short_text(value) if isinstance(value, type(mpq())) else shown(value)
