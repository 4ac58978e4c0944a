"""Hypothesis strategy of contractive networks: random rational matrices, scaled until I - W'W is positive definite."""

from gmpy2 import mpq
from hypothesis import strategies as st
from strategies import rationals

import exactnn as xn
from exactnn.linear_algebra import defect, ldl

BOUND = mpq(1)
"""The input bound of what :func:`inputs_of` gives."""


def scaled(matrix):
    """Return a multiple of a matrix with a spectral norm below 1."""
    while not ldl(defect(matrix)).definite:
        matrix = tuple(tuple(entry * mpq(3, 4) for entry in row) for row in matrix)
    return matrix


@st.composite
def contractive_networks(draw, *, max_size=3, max_inputs=2, activation="relu", start=None):
    """Simple RNNs with ‖W‖₂ < 1 that read vectors, or one-hot symbols a, b, ..."""
    size, width = draw(st.integers(1, max_size)), draw(st.integers(1, max_inputs))

    def vector(length, entry):
        return tuple(draw(entry) for _ in range(length))

    entry = rationals(largest=5)
    matrix = scaled(tuple(vector(size, entry) for _ in range(size)))
    return xn.SimpleRNN(
        V=matrix,
        W=[vector(width, entry) for _ in range(size)],
        b=vector(size, entry),
        s=vector(size, entry if start is None else start),
        readout_weight=vector(size, entry),
        activation=activation,
        alphabet=draw(st.sampled_from([None, "abcd"[:width]])),
    )


@st.composite
def inputs_of(draw, network, *, max_size=8, min_size=0):
    """Words of a network, of symbols or of vectors within BOUND."""
    if network.alphabet is not None:
        symbol = st.sampled_from(network.alphabet)
    else:
        number = st.sampled_from([mpq(k, 7) for k in range(-7, 8)])
        symbol = st.lists(number, min_size=network.circuit.input_size, max_size=network.circuit.input_size)
    return draw(st.lists(symbol, min_size=min_size, max_size=max_size))


def bound_of(network):
    """Return the option `input_bound` of a network, which those that read symbols have none of."""
    return None if network.alphabet is not None else BOUND
