"""Hypothesis strategies: contractive networks and words for them, valid by construction."""

from gmpy2 import mpq
from hypothesis import strategies as st
from strategies import contractive_matrices, rationals

import exactnn as xn

BOUND = mpq(1)
"""The input bound of what :func:`inputs_of` gives."""


@st.composite
def contractive_networks(draw, *, max_size=3, max_inputs=2, activation="relu", start=None, reads="any"):
    """Simple RNNs with ‖W‖₂ < 1 that read "vectors", one-hot "symbols" a, b, ..., or "any" of these."""
    size, width = draw(st.integers(1, max_size)), draw(st.integers(1, max_inputs))
    entry = rationals(largest=5)

    def vector(length, entry=entry):
        return tuple(draw(entry) for _ in range(length))

    alphabets = {"vectors": [None], "symbols": ["abcd"[:width]], "any": [None, "abcd"[:width]]}
    return xn.SimpleRNN(
        V=draw(contractive_matrices(size=size)),
        W=[vector(width) for _ in range(size)],
        b=vector(size),
        s=vector(size, entry if start is None else start),
        readout_weight=vector(size),
        activation=activation,
        alphabet=draw(st.sampled_from(alphabets[reads])),
    )


@st.composite
def inputs_of(draw, network, *, max_size=8, min_size=0, bound=BOUND):
    """Words of a network, of symbols or of vectors within `bound`; the largest are among them."""
    if network.alphabet is not None:
        symbol = st.sampled_from(network.alphabet)
    else:
        number = st.sampled_from([bound * mpq(k, 7) for k in range(-7, 8)])
        symbol = st.lists(number, min_size=network.circuit.input_size, max_size=network.circuit.input_size)
    return draw(st.lists(symbol, min_size=min_size, max_size=max_size))


def bound_of(network):
    """Return the option `input_bound` of a network, which those that read symbols have none of."""
    return None if network.alphabet is not None else BOUND
