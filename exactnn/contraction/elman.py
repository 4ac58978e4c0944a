"""A simple (Elman) RNN read back from its circuit, as matrices."""

from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.errors import ConstructionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.networks import Activation, Network, Unit

__all__ = ["Elman", "elman"]

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Elman:
    """``h(t) = activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``.

    Parameters
    ----------
    V : matrix (n by n)
    W : matrix (n by d)
    b, s : vectors of length n
    activation : Activation
    """

    V: Matrix
    W: Matrix
    b: Vector
    s: Vector
    activation: Activation

    @property
    def size(self) -> int:
        """The number n of states."""
        return len(self.s)


def elman(network: Network) -> Elman:
    """Return the matrices of a network whose step is one layer of affine units, all with the same activation.

    Raises
    ------
    ConstructionError
        If the step is another one: more layers, products of registers, several activations, no state, or a next state
        that is not the layer.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> elman(SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])).V
    ((mpq(1,2),),)
    """
    circuit = network.circuit
    size, width = circuit.state_size, circuit.input_size
    if len(circuit.layers) != 1 or not size:
        raise _another(network, f"its step has {len(circuit.layers)} layers and {size} states")
    (layer,) = circuit.layers
    if len(set(circuit.next_state)) < size or min(circuit.next_state) < size + width or len(layer) > size:
        raise _another(network, "its next state is not its layer of units, each unit once")
    units = [layer[register - size - width] for register in circuit.next_state]
    if any(unit.bilinear for unit in units):
        raise _another(network, "it has products of registers")
    activations = {unit.activation for unit in units}
    if len(activations) > 1:
        raise _another(network, f"it has several activations, {' and '.join(sorted(map(str, activations)))}")
    rows = [_row(unit, size + width) for unit in units]
    return Elman(
        V=tuple(row[:size] for row in rows),
        W=tuple(row[size:] for row in rows),
        b=tuple(unit.bias for unit in units),
        s=network.initial_state,
        activation=units[0].activation,
    )


def _row(unit: Unit, size: int) -> Vector:
    row = [ZERO] * size
    for register, weight in unit.linear:
        row[register] += weight
    return tuple(row)


def _another(network: Network, reason: str) -> ConstructionError:
    name = shown(network.name)
    return ConstructionError(f"network {name} is no simple RNN, h' = activation(V h + W x + b): {reason}")
