"""The simple (Elman) RNN, lowered to a step circuit with one layer of units."""

from collections.abc import Iterable, Sequence

from exactnn.arithmetic import ExactNumber
from exactnn.networks.activation import Activation
from exactnn.networks.network import Network
from exactnn.networks.stack import Layer, stacked

__all__ = ["SimpleRNN"]


def SimpleRNN(  # noqa: N802  (a constructor by its field's name)
    *,
    V: Sequence[Sequence[ExactNumber]],
    W: Sequence[Sequence[ExactNumber]],
    b: Sequence[ExactNumber],
    s: Sequence[ExactNumber],
    readout_weight: Sequence[ExactNumber] | Sequence[Sequence[ExactNumber]],
    readout_bias: ExactNumber | Sequence[ExactNumber] = 0,
    activation: str | Activation = "relu",
    alphabet: Iterable[str] | None = None,
    name: str = "simple RNN",
) -> Network:
    """Return the simple RNN ``h(t) = activation(V h(t-1) + W x(t) + b)``, ``h(0) = s``, output ``w . h + bias``.

    Parameters
    ----------
    V : matrix (d' by d')
    W : matrix (d' by d)
    b, s : vectors of length d'
    readout_weight : vector of length d', or matrix (k by d')
        A vector gives a number as output, a matrix a tuple.
    readout_bias : number or vector of length k
    activation : {"relu", "slu", "heaviside", "identity"}
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
    return stacked(
        [Layer(V=V, W=W, b=b, s=s, prefix="h", place="")],
        readout_weight=readout_weight,
        readout_bias=readout_bias,
        activation=activation,
        alphabet=alphabet,
        name=name,
    )
