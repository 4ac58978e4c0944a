"""The lowering that simple and multi-layer RNNs share: one layer of units per RNN layer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import ExactNumber
from exactnn.networks.activation import Activation
from exactnn.networks.cell import recurrent_network
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.matrix import exact_matrix, exact_vector
from exactnn.networks.network import Network

__all__ = ["Layer", "stacked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What the user gave for one layer: its matrices, bias and start state, and how its parts are called.

    `prefix` names its units, `place` follows the parameters' names in errors.
    """

    V: Any
    W: Any
    b: Any
    s: Any
    prefix: str
    place: str


def stacked(
    layers: Sequence[Layer],
    *,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber],
    activation: str | Activation,
    alphabet: Iterable[str] | None,
    name: str,
) -> Network:
    """Return the network of layers that each read the new state of the one below; the first reads the input."""
    function = Activation.named(activation)
    starts = [exact_vector(layer.s, f"s{layer.place}") for layer in layers]
    state_size = sum(map(len, starts))
    first = layers[0]
    width = len(exact_matrix(first.W, f"W{first.place}", height=len(starts[0]))[0]) if starts[0] else 0
    below = range(state_size, state_size + width)  # the registers that a layer reads as its input
    own = 0  # the first register of a layer's own last state
    lowered: list[tuple[Unit, ...]] = []
    for layer, start in zip(layers, starts, strict=True):
        lowered.append(_units(layer, range(own, own + len(start)), below, function))
        below = range(state_size + width + own, state_size + width + own + len(start))
        own += len(start)
    first_unit = state_size + width
    circuit = Circuit(
        state_size=state_size,
        input_size=width,
        layers=tuple(lowered),
        next_state=tuple(range(first_unit, first_unit + state_size)),
    )
    return recurrent_network(
        circuit=circuit,
        initial_state=tuple(entry for start in starts for entry in start),
        read=range(state_size - len(starts[-1]), state_size),
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        alphabet=alphabet,
        name=name,
    )


def _units(layer: Layer, own: range, below: range, activation: Activation) -> tuple[Unit, ...]:
    """Return ``activation(V own + W below + b)``, one unit per row."""
    size = len(own)
    recurrent = exact_matrix(layer.V, f"V{layer.place}", height=size, width=size)
    incoming = exact_matrix(layer.W, f"W{layer.place}", height=size, width=len(below))
    bias = exact_vector(layer.b, f"b{layer.place}", size=size)
    return tuple(
        affine_unit(
            f"{layer.prefix}[{j}]",
            [*zip(own, recurrent[j], strict=True), *zip(below, incoming[j], strict=True)],
            bias[j],
            activation,
        )
        for j in range(size)
    )
