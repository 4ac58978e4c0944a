"""Hypothesis strategies: contractive networks, and words for them."""

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.strategies import contractive_networks

__all__ = ["BOUND", "bound_of", "contractive_networks", "inputs_of"]

BOUND = mpq(1)
"""The input bound of what :func:`inputs_of` gives."""


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
