"""Stacked simple RNNs, lowered to a step circuit with one layer of units per RNN layer."""

from collections.abc import Iterable, Sequence

from exactnn.arithmetic import ExactNumber
from exactnn.errors import NetworkError
from exactnn.networks.activation import Activation
from exactnn.networks.layer import StackedRNN
from exactnn.networks.matrix import exact_matrix, exact_vector, sequence
from exactnn.networks.network import Network
from exactnn.networks.notation import named_as_in_torch
from exactnn.networks.simple_rnn import SimpleRNNLayer
from exactnn.networks.squashing import Squashing

__all__ = ["MultiLayerRNN"]


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
