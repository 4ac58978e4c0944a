"""The memoryless network y = ReLU(x): the contractive network whose unitary twins need twice its states."""

from exactnn.linear_algebra import identity
from exactnn.networks import Network, SimpleRNN
from exactnn.options import whole_number

__all__ = ["relu_witness"]

MOST_INPUTS = 10_000
"""The network has a weight for each pair of them."""


def relu_witness(size: int) -> Network:
    """Return the network ``h(t) = ReLU(x(t))``, ``y = h`` with `size` states, inputs and outputs.

    Its matrices are W = 0, F = C = I and b = 0, so that it is as contractive as can be. A network with an invertible
    recurrent matrix, such as an orthogonal one, and the same outputs has at least 2 `size` states:
    :func:`refute_unitary_candidate` has the proof. With so many there is one: ``unitary(relu_witness(n))``.

    Parameters
    ----------
    size : int
        At least 1.

    Raises
    ------
    OptionError
        If the size is no positive whole number.

    References
    ----------
    M. Emami, M. Sahraee-Ardakan, S. Rangan and A. K. Fletcher, "Input-output equivalence of unitary and contractive
    RNNs", NeurIPS 2019, Theorem 2.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> run(relu_witness(2), [(1, -2), (-3, 4)]).outputs[:]
    [(mpq(1,1), mpq(0,1)), (mpq(0,1), mpq(4,1))]
    """
    size = whole_number("size", size, 1, MOST_INPUTS)
    return SimpleRNN(
        V=[[0] * size for _ in range(size)],
        W=identity(size),
        b=[0] * size,
        s=[0] * size,
        readout_weight=identity(size),
        name=f"ReLU of {size} inputs",
    )
