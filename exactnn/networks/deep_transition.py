"""Simple RNNs with hidden layers within a step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Matrix, Vector
from exactnn.matrices import exact_matrix, exact_vector, sequence
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, named_as_in_torch
from exactnn.networks.circuit import affine_unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["DeepTransitionRNN", "DeepTransitionRNNLayer"]


@named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class DeepTransitionRNNLayer(RecurrentLayer):
    """A layer with hidden layers in its step, for :func:`StackedRNN`; :func:`DeepTransitionRNN` has its equations.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    V: Any
    W: Any
    b: Any
    transitions: Any
    s: Any
    activation: str | Activation | Squashing = "relu"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "activation", Squashing.named(self.activation).as_activation)
        fill(self, "s", exact_vector(self.s, "s"))
        fill(self, "b", exact_vector(self.b, "b"))
        first = len(self.b)
        fill(self, "V", exact_matrix(self.V, "V", height=first, width=len(self.s)))
        fill(self, "W", exact_matrix(self.W, "W", height=first))
        found: list[tuple[Matrix, Vector]] = []
        width = first
        for number, pair in enumerate(sequence(self.transitions, "transitions", "a sequence of pairs (matrix, bias)")):
            parts = sequence(pair, f"transitions[{number}]", "a pair (matrix, bias)")
            if len(parts) != 2:
                raise NetworkError(f"transitions[{number}] has {len(parts)} entries: give the pair (matrix, bias)")
            bias = exact_vector(parts[1], f"the bias of transitions[{number}]")
            matrix = exact_matrix(parts[0], f"the matrix of transitions[{number}]", height=len(bias), width=width)
            found.append((matrix, bias))
            width = len(bias)
        if width != len(self.s):
            raise NetworkError(f"the last layer of the step has {width} units, but s has {len(self.s)} numbers")
        fill(self, "transitions", tuple(found))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.W)

    @property
    def start(self) -> Vector:
        """Its start state, `s`."""
        return self.s  # type: ignore[no-any-return]

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add a sum per row and its activation, layer by layer, in the order b, V, W; then bias and matrix."""
        squashing = Squashing.named(self.activation)
        values: Registers = (*own, *below)
        rows = tuple((*v, *w) for v, w in zip(self.V, self.W, strict=True))
        stages: list[tuple[Matrix, Vector]] = [(rows, self.b), *self.transitions]
        for place, (matrix, bias) in enumerate(stages, 1):
            name = f"h{number}" if place == len(stages) else f"u{number}.{place}"
            units = [
                affine_unit(f"{name}[{j}]", zip(values, row, strict=True), bias[j], Activation.IDENTITY)
                for j, row in enumerate(matrix)
            ]
            values = step.squashed({name: (units, squashing)})[name]
        return tuple(values)


@named_as_in_torch
def DeepTransitionRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Sequence[Sequence[ExactNumber]],
    W: Sequence[Sequence[ExactNumber]],
    b: Sequence[ExactNumber],
    transitions: Sequence[tuple[Sequence[Sequence[ExactNumber]], Sequence[ExactNumber]]],
    s: Sequence[ExactNumber],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation | Squashing = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "deep transition RNN",
) -> Network:
    """Return the RNN whose step has several layers, all with the same activation.

    ``u_1 = activation(V h(t-1) + W x(t) + b)``, ``u_(k+1) = activation(M_k u_k + c_k)``, and the last of them is h(t);
    ``h(0) = s``, and the output is ``w . h + bias``. :func:`exactnn.fold_network` makes one with
    ReLU a simple RNN with the same outputs, which takes a step for each layer.

    Parameters
    ----------
    V : matrix (m by n)
        The weights of the last state; `weight_hh` is the same.
    W : matrix (m by d)
        The input weights; `weight_ih` is the same.
    b : vector of length m
        The bias of the first layer, for which `bias` is the same.
    transitions : sequence of pairs (matrix, vector)
        ``(M_k, c_k)``, one for each further layer of the step; none makes it a simple RNN. The last has n rows.
    s : vector of length n
        The start state.
    readout_weight : vector of length n, or matrix (k by n)
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    activation : str, Activation or Squashing
        "relu", "slu", "tanh", "hard_tanh", "leaky_relu" or another name of docs/cells.md, of all layers.
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors. With "EOS" among them the network is run with intermediate steps;
        else a word is accepted if the output after it is above 0. Without it the network reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number (a float is taken as exactly what it is).

    References
    ----------
    R. Pascanu, C. Gulcehre, K. Cho, Y. Bengio, "How to construct deep recurrent neural networks", ICLR 2014.

    Examples
    --------
    The exclusive or of the last two bits needs a hidden layer; the state keeps it and the last bit.

    >>> from exactnn import run
    >>> net = DeepTransitionRNN(V=[[0, 1], [0, 1], [0, 0]], W=[[1], [1], [1]], b=[0, -1, 0], s=[0, 0],
    ...     transitions=[([[1, -2, 0], [0, 0, 1]], [0, 0])], readout_weight=[1, 0])
    >>> [str(y) for y in run(net, [[1], [1], [0], [0], [1]]).outputs]
    ['1', '0', '1', '0', '1']
    """
    layer = DeepTransitionRNNLayer(V=V, W=W, b=b, transitions=transitions, s=s, activation=activation)
    return StackedRNN([layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name)
