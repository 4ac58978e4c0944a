"""Simple RNNs, of one layer and of several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector, sequence
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, named_as_in_torch
from exactnn.networks.circuit import affine_unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["MultiLayerRNN", "SimpleRNN", "SimpleRNNLayer"]


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleRNNLayer(RecurrentLayer):
    """A layer ``h(t) = activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``, for :func:`StackedRNN`.

    Parameters
    ----------
    V : matrix (n by n)
        The recurrent weights; `weight_hh` is the same.
    W : matrix (n by d)
        The input weights; `weight_ih` is the same.
    b : vector of length n
        The bias; `bias` is the same.
    s : vector of length n, optional
        The start state, zeros by default.
    activation : str, Activation or Squashing
        "relu", "slu", "tanh", "hard_tanh", "leaky_relu" or another name of docs/cells.md.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    V: Any
    W: Any
    b: Any
    s: Any = None
    activation: str | Activation | Squashing = "relu"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "activation", Squashing.named(self.activation).as_activation)
        if self.s is None:
            fill(self, "s", (0,) * len(exact_vector(self.b, "b")))
        fill(self, "s", exact_vector(self.s, "s"))
        size = len(self.s)
        fill(self, "V", exact_matrix(self.V, "V", height=size, width=size))
        fill(self, "W", exact_matrix(self.W, "W", height=size))
        fill(self, "b", exact_vector(self.b, "b", size=size))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.W)

    @property
    def start(self) -> Vector:
        """Its start state, `s`."""
        return self.s  # type: ignore[no-any-return]

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add one sum per row, in the order b, V, W, and its activation; :meth:`RecurrentLayer.lower` says more."""
        units = [
            affine_unit(
                f"h{number}[{j}]",
                [*zip(own, self.V[j], strict=True), *zip(below, self.W[j], strict=True)],
                self.b[j],
                Activation.IDENTITY,
            )
            for j in range(len(own))
        ]
        return tuple(step.squashed({"h": (units, Squashing.named(self.activation))})["h"])


@named_as_in_torch
def SimpleRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Sequence[Sequence[ExactNumber]],
    W: Sequence[Sequence[ExactNumber]],
    b: Sequence[ExactNumber],
    s: Sequence[ExactNumber] | None = None,
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation | Squashing = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "simple RNN",
) -> Network:
    """Return the simple RNN ``h(t) = activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``, output ``w . h + bias``.

    Parameters
    ----------
    V : matrix (d' by d')
        The recurrent weights; `weight_hh` is the same.
    W : matrix (d' by d)
        The input weights; `weight_ih` is the same.
    b : vector of length d'
        The bias; `bias` is the same.
    s : vector of length d', optional
        The start state, zeros by default.
    readout_weight : vector of length d', or matrix (k by d')
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    activation : str, Activation or Squashing
        "relu", "slu", "tanh", "hard_tanh", "leaky_relu" or another name of docs/cells.md.
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors. With "EOS" among them the network is run with intermediate steps;
        else a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number (a float is taken as exactly what it is).

    References
    ----------
    J. L. Elman, "Finding structure in time", *Cognitive Science* 14, 1990.

    Examples
    --------
    >>> half = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> half.neurons, half.circuit.layers[0][0].linear
    (1, ((0, mpq(1,2)), (1, mpq(1,1))))
    """
    return StackedRNN(
        [SimpleRNNLayer(V=V, W=W, b=b, s=s, activation=activation)],
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        alphabet=alphabet,
        name=name,
    )


# --- Stacked simple RNNs, lowered to a step circuit with one layer of units per RNN layer.


@named_as_in_torch
def MultiLayerRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Sequence[Sequence[Sequence[ExactNumber]]],
    W: Sequence[Sequence[Sequence[ExactNumber]]],
    b: Sequence[Sequence[ExactNumber]],
    s: Sequence[Sequence[ExactNumber]],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation | Squashing = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "multi-layer RNN",
) -> Network:
    """Return a stack of simple RNNs, each reading the new state of the one below.

    Layer l computes ``h_l(t) = activation(V_l h_l(t-1) + W_l h_{l-1}(t) + b_l)`` with ``h_0(t) = x(t)``.

    Parameters
    ----------
    V, W, b, s : one entry per layer
        Recurrent matrices (n_l by n_l), input matrices (n_l by n_{l-1}), biases and start states (n_l);
        `weight_hh`, `weight_ih` and `bias` are the same as V, W and b.
    readout_weight : vector of length n_L, or matrix (k by n_L)
        The output ``w . h_L + bias`` of the top layer: a number for a vector, a tuple for a matrix.
    readout_bias : number or vector of length k
    activation : str, Activation or Squashing
        "relu", "slu", "tanh", "hard_tanh", "leaky_relu" or another name of docs/cells.md.
    alphabet : iterable of str, optional
        Symbols read as one-hot vectors; if it contains "EOS" the protocol is that of intermediate steps, else
        a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    Examples
    --------
    >>> two = MultiLayerRNN(V=[[[1]], [[1]]], W=[[[1]], [[1]]], b=[[0], [0]], s=[[0], [0]], readout_weight=[1])
    >>> two.neurons, two.circuit.state_names
    (2, ('h1[0]', 'h2[0]'))
    """
    kinds = {"V": V, "W": W, "b": b, "s": s}
    counts = [len(sequence(value, what, "one entry per layer")) for what, value in kinds.items()]
    if not counts[0] or len(set(counts)) > 1:
        raise NetworkError(
            f"V, W, b and s give {counts[0]}, {counts[1]}, {counts[2]} and {counts[3]} layers: give the same number"
        )
    layers: list[SimpleRNNLayer] = []
    for i in range(counts[0]):
        start = exact_vector(s[i], f"s[{i}]")
        below = layers[-1].hidden_size if layers else None
        layers.append(
            SimpleRNNLayer(
                V=exact_matrix(V[i], f"V[{i}]", height=len(start), width=len(start)),
                W=exact_matrix(W[i], f"W[{i}]", height=len(start), width=below),
                b=exact_vector(b[i], f"b[{i}]", size=len(start)),
                s=start,
                activation=activation,
            )
        )
    return StackedRNN(layers, readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
