"""Simple (Elman) recurrent networks: one layer of units."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import ExactNumber
from exactnn.linear_algebra import Vector
from exactnn.networks.activation import Activation
from exactnn.networks.circuit import affine_unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.matrix import exact_matrix, exact_vector
from exactnn.networks.network import Network
from exactnn.networks.notation import named_as_in_torch
from exactnn.networks.squashing import Squashing
from exactnn.networks.step_units import Registers, StepUnits

__all__ = ["SimpleRNN", "SimpleRNNLayer"]


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
    b, s : vectors of length n
        The bias, for which `bias` is the same, and the start state.
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
    s: Any
    activation: str | Activation | Squashing = "relu"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "activation", Squashing.named(self.activation).as_activation)
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
    def hidden_size(self) -> int:
        """Length of its state."""
        return len(self.s)

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
    s: Sequence[ExactNumber],
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
    b, s : vectors of length d'
        The bias, for which `bias` is the same, and the start state.
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
