"""Stacked simple RNNs, lowered to a step circuit with one layer of units per RNN layer."""

from collections.abc import Iterable, Sequence

from exactnn.arithmetic import ExactNumber, exact
from exactnn.errors import NetworkError, shown
from exactnn.networks.activation import Activation
from exactnn.networks.circuit import Circuit, Unit, affine_unit
from exactnn.networks.decision import EOS, Decision, Protocol
from exactnn.networks.matrix import exact_matrix, exact_vector
from exactnn.networks.network import Network

__all__ = ["MultiLayerRNN"]


def MultiLayerRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Sequence[Sequence[Sequence[ExactNumber]]],
    W: Sequence[Sequence[Sequence[ExactNumber]]],
    b: Sequence[Sequence[ExactNumber]],
    s: Sequence[Sequence[ExactNumber]],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "multi-layer RNN",
) -> Network:
    """Return a stack of simple RNNs, each reading the new state of the one below.

    Layer l computes ``h_l(t) = activation(V_l h_l(t-1) + W_l h_{l-1}(t) + b_l)`` with ``h_0(t) = x(t)``.

    Parameters
    ----------
    V, W, b, s : one entry per layer
        Recurrent matrices (n_l by n_l), input matrices (n_l by n_{l-1}), biases and start states (n_l).
    readout_weight : vector of length n_L, or matrix (k by n_L)
        The output ``w . h_L + bias`` of the top layer: a number for a vector, a tuple for a matrix.
    readout_bias : number or vector of length k
    activation : {"relu", "slu", "heaviside", "identity"}
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
    depth = len(V)
    if not depth or not len(W) == len(b) == len(s) == depth:
        raise NetworkError(f"V, W, b and s give {depth}, {len(W)}, {len(b)} and {len(s)} layers: give the same number")
    function = _activation(activation)
    starts = [exact_vector(start, f"s[{i}]") for i, start in enumerate(s)]
    sizes = [len(start) for start in starts]
    width = len(exact_matrix(W[0], "W[0]", height=sizes[0])[0]) if sizes[0] else 0
    state_size = sum(sizes)
    layers: list[tuple[Unit, ...]] = []
    below = range(state_size, state_size + width)  # the registers that the layer reads as its input
    for i, size in enumerate(sizes):
        own = sum(sizes[:i])
        recurrent = exact_matrix(V[i], f"V[{i}]", height=size, width=size)
        incoming = exact_matrix(W[i], f"W[{i}]", height=size, width=len(below))
        bias = exact_vector(b[i], f"b[{i}]", size=size)
        prefix = f"h{i + 1}" if depth > 1 else "h"
        layers.append(
            tuple(
                affine_unit(
                    f"{prefix}[{j}]",
                    [*enumerate(recurrent[j], own), *zip(below, incoming[j], strict=True)],
                    bias[j],
                    function,
                )
                for j in range(size)
            )
        )
        below = range(state_size + width + own, state_size + width + own + size)
    first_unit = state_size + width
    circuit = Circuit(
        state_size=state_size,
        input_size=width,
        layers=tuple(layers),
        next_state=tuple(range(first_unit, first_unit + state_size)),
    )
    readout, scalar = _readout(readout_weight, readout_bias, sizes[-1], state_size - sizes[-1])
    symbols = None if alphabet is None else tuple(alphabet)
    return Network(
        circuit=circuit,
        initial_state=tuple(entry for start in starts for entry in start),
        readout=readout,
        alphabet=symbols,
        decision=_decision(symbols, scalar),
        scalar_output=scalar,
        name=name,
    )


def _activation(name: str | Activation) -> Activation:
    try:
        return Activation(name)
    except ValueError:
        known = ", ".join(Activation)
        raise NetworkError(f"activation {shown(name)} is unknown: choose one of {known}") from None


def _readout(
    weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    bias: ExactNumber | Sequence[ExactNumber],
    size: int,
    offset: int,
) -> tuple[tuple[Unit, ...], bool]:
    scalar = not (len(weight) and hasattr(weight[0], "__len__") and not isinstance(weight[0], str))
    rows = (
        (exact_vector(weight, "readout_weight", size=size),)
        if scalar
        else exact_matrix(weight, "readout_weight", width=size)
    )
    biases = (
        exact_vector(bias, "readout_bias", size=len(rows))
        if hasattr(bias, "__len__") and not isinstance(bias, str)
        else (exact(bias),) * len(rows)
    )
    units = tuple(
        affine_unit("output" if scalar else f"output[{i}]", enumerate(row, offset), biases[i], Activation.IDENTITY)
        for i, row in enumerate(rows)
    )
    return units, scalar


def _decision(alphabet: tuple[str, ...] | None, scalar: bool) -> Decision:
    if alphabet is None or not scalar:
        return Decision(protocol=Protocol.OUTPUTS)
    return Decision(protocol=Protocol.EOS_VERDICT if EOS in alphabet else Protocol.END_OF_WORD)
