"""A step with one hidden layer, given by its matrices: ``h' = U activation(V h + W x + b)``."""

from collections.abc import Iterable, Sequence

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber
from exactnn.matrices import exact_matrix, exact_vector
from exactnn.networks import Activation, Circuit, Network, Unit, affine_unit
from exactnn.networks.cell import recurrent_network

__all__ = ["matrix_step"]


def matrix_step(
    *,
    U: Sequence[Sequence[ExactNumber]],
    V: Sequence[Sequence[ExactNumber]],
    W: Sequence[Sequence[ExactNumber]],
    b: Sequence[ExactNumber],
    s: Sequence[ExactNumber],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "matrix step",
) -> Network:
    """Return the network of the step ``h(t) = U activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``.

    It has a linear layer after its units and so is no simple RNN; `fold_network` makes it one.

    Parameters
    ----------
    U : matrix (n by m)
        With m hidden units and n state components.
    V : matrix (m by n)
    W : matrix (m by d)
    b : vector of length m
    s : vector of length n
    readout_weight, readout_bias, activation, alphabet
        As in `SimpleRNN`; the readout reads h.

    Raises
    ------
    NetworkError, NumberError
        If sizes do not fit, or an entry is not an exact number.

    References
    ----------
    Equation (4.18) of the chapter on recurrent networks that `docs/sources.md` describes.

    Examples
    --------
    >>> from exactnn.constructions.folding import fold_network
    >>> from exactnn.simulation import run
    >>> absolute = matrix_step(U=[[1, 1]], V=[[1], [-1]], W=[[-1], [1]], b=[0, 0], s=[7], readout_weight=[1])
    >>> simple = fold_network(absolute)  # h' = |h - x|
    >>> result = run(simple.network, [3, 9])
    >>> result.initial_output, list(result.outputs)
    (mpq(7,1), [mpq(4,1), mpq(5,1)])
    """
    function = Activation.named(activation)
    start = exact_vector(s, "s")
    bias = exact_vector(b, "b")
    recurrent = exact_matrix(V, "V", height=len(bias), width=len(start))
    incoming = exact_matrix(W, "W", height=len(bias))
    width = len(incoming[0]) if incoming else 0
    outer = exact_matrix(U, "U", height=len(start), width=len(bias))
    first = len(start) + width
    hidden = tuple(
        affine_unit(f"hidden[{j}]", enumerate((*recurrent[j], *incoming[j])), bias[j], function)
        for j in range(len(bias))
    )
    emitted = tuple(_linear(f"h[{i}]", first, row) for i, row in enumerate(outer))
    circuit = Circuit(
        state_size=len(start),
        input_size=width,
        layers=(hidden, emitted),
        next_state=tuple(range(first + len(hidden), first + len(hidden) + len(start))),
    )
    return recurrent_network(
        circuit=circuit,
        initial_state=start,
        read=range(len(start)),
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        alphabet=alphabet,
        name=name,
    )


def _linear(name: str, first: int, row: Sequence[mpq]) -> Unit:
    return affine_unit(name, enumerate(row, first), mpq(0), Activation.IDENTITY)
