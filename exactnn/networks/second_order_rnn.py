"""Second-order RNNs, whose sums have products of the state and the input."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.linear_algebra import Vector
from exactnn.matrices import exact_matrix, exact_vector, sequence
from exactnn.networks.activation import Activation
from exactnn.networks.cell import Registers, StepUnits, named_as_in_torch
from exactnn.networks.circuit import Unit
from exactnn.networks.layer import RecurrentLayer, StackedRNN, input_width
from exactnn.networks.network import Network
from exactnn.networks.squashing import Squashing

__all__ = ["LinearRecurrence", "LinearRecurrenceLayer", "SecondOrderRNN", "SecondOrderRNNLayer"]

_named_as_in_torch = partial(named_as_in_torch, names={"weight_hh": "U", "weight_ih": "V", "bias": "b"})


@_named_as_in_torch
@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOrderRNNLayer(RecurrentLayer):
    """A second-order layer, for :func:`StackedRNN`; :func:`SecondOrderRNN` has its equation and parameters.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.
    """

    A: Any
    U: Any = None
    V: Any = None
    b: Any = None
    s: Any
    activation: str | Activation | Squashing = "identity"

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "activation", Squashing.named(self.activation).as_activation)
        fill(self, "s", exact_vector(self.s, "s"))
        size, width = len(self.s), None
        slices = sequence(self.A, "A", "a tensor (a sequence of matrices)")
        if len(slices) != size:
            raise NetworkError(f"A has {len(slices)} matrices, not {size}, one for each number of the state")
        for i, rows in enumerate(slices):
            slices[i] = exact_matrix(rows, f"A[{i}]", height=size, width=width)
            width = input_width(slices[i])
        fill(self, "A", tuple(slices))
        zeros = (mpq(0),) * size
        fill(self, "U", (zeros,) * size if self.U is None else exact_matrix(self.U, "U", height=size, width=size))
        no_inputs = ((mpq(0),) * (width or 0),) * size
        fill(self, "V", no_inputs if self.V is None else exact_matrix(self.V, "V", height=size, width=width))
        fill(self, "b", zeros if self.b is None else exact_vector(self.b, "b", size=size))

    @property
    def input_size(self) -> int:
        """How many numbers it reads."""
        return input_width(self.V)

    @property
    def start(self) -> Vector:
        """Its start state, `s`."""
        return self.s  # type: ignore[no-any-return]

    def lower(self, step: StepUnits, own: Registers, below: Registers, number: str) -> tuple[int, ...]:
        """Add one sum per row, in the order b, U, V, A, and its activation; :meth:`RecurrentLayer.lower` says more."""
        units = [
            Unit(
                name=f"h{number}[{i}]",
                bias=self.b[i],
                linear=tuple(
                    (register, weight)
                    for registers, row in ((own, self.U[i]), (below, self.V[i]))
                    for register, weight in zip(registers, row, strict=True)
                    if weight
                ),
                bilinear=tuple(
                    (first, second, weight)
                    for first, row in zip(own, self.A[i], strict=True)
                    for second, weight in zip(below, row, strict=True)
                    if weight
                ),
            )
            for i in range(len(own))
        ]
        return tuple(step.squashed({"h": (units, Squashing.named(self.activation))})["h"])


@_named_as_in_torch
def SecondOrderRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    A: Sequence[Sequence[Sequence[ExactNumber]]],
    U: Sequence[Sequence[ExactNumber]] | None = None,
    V: Sequence[Sequence[ExactNumber]] | None = None,
    b: Sequence[ExactNumber] | None = None,
    s: Sequence[ExactNumber],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation | Squashing = "identity",
    alphabet: Iterable[str] | None = None,
    name: str = "second-order RNN",
) -> Network:
    """Return the second-order RNN whose state multiplies the input.

    ``h_i(t) = activation(sum_jk A_ijk h_j(t-1) x_k(t) + (U h(t-1))_i + (V x(t))_i + b_i)``, ``h(0) = s``, output
    ``w . h + bias``. Its order of sums is b, U h, V x, then the products, for j = 0 all k, then for j = 1, and so on.

    Parameters
    ----------
    A : tensor (n by n by d)
        ``A[i][j][k]`` weighs h_j x_k in the sum of number i.
    U : matrix (n by n), optional
        The recurrent weights, 0 unless given; `weight_hh` is the same.
    V : matrix (n by d), optional
        The input weights, 0 unless given; `weight_ih` is the same.
    b : vector of length n, optional
        The bias, 0 unless given, for which `bias` is the same.
    s : vector of length n
        The start state.
    readout_weight : vector of length n, or matrix (k by n)
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    activation : str, Activation or Squashing
        "identity", "relu", "slu", "tanh", "hard_tanh" or another name of docs/cells.md.
    alphabet : iterable of str, optional
        d symbols read as one-hot vectors. With "EOS" among them the network is run with intermediate steps. Else a
        word is accepted if the output after it is above 0; but with the identity as activation the network gives
        outputs, and no verdicts. Without an alphabet it reads vectors.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number (a float is taken as exactly what it is).

    Notes
    -----
    With the identity as activation and symbols as input it is a weighted automaton: each symbol multiplies the state
    by a matrix, and what it gives a word is a value.

    References
    ----------
    C. L. Giles et al., "Learning and extracting finite state automata with second-order recurrent neural networks",
    *Neural Computation* 4, 1992, pp. 393-405.

    Examples
    --------
    One number tells whether there were an odd number of b: b changes its sign.

    >>> parity = SecondOrderRNN(A=[[[1, -1]]], s=[1], readout_weight=[1], alphabet="ab")
    >>> from exactnn import run
    >>> [str(y) for y in run(parity, "abba").outputs]
    ['1', '-1', '1', '1']
    """
    layer = SecondOrderRNNLayer(A=A, U=U, V=V, b=b, s=s, activation=activation)
    network = StackedRNN(
        [layer], readout_weight=readout_weight, readout_bias=readout_bias, alphabet=alphabet, name=name
    )
    if layer.activation == Activation.IDENTITY and not network.decision.protocol.reads_eos:
        return network.giving_outputs()
    return network


LinearRecurrence, LinearRecurrenceLayer = SecondOrderRNN, SecondOrderRNNLayer
"""The same under the name of today: ``h(t) = A[x] h(t-1) + b[x]`` with the matrix ``sum_k A_ijk x_k`` and V for b."""
