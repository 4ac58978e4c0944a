"""Hypothesis strategies: contractive ReLU networks and words for them, valid by construction."""

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.linear_algebra import dot
from exactnn.networks import SimpleRNN
from tests.strategies import rationals


def matrices(height, width, entries):
    return st.lists(st.lists(entries, min_size=width, max_size=width), min_size=height, max_size=height)


@st.composite
def contractive_matrices(draw, *, size, entries=None):
    """Matrices with a Frobenius norm, and so a spectral norm, below 1; those near 1 are among them."""
    rows = draw(matrices(size, size, rationals() if entries is None else entries))
    squares = sum((dot(row, row) for row in rows), mpq(0))
    scale = 1
    while mpq(scale) ** 2 <= squares:
        scale += 1
    return [[entry / scale for entry in row] for row in rows]


@st.composite
def contractive_networks(draw, *, max_size=4, max_inputs=2, alphabet=False):
    """ReLU networks with ‖W‖ < 1 that read vectors, or the symbols a and b."""
    size = draw(st.integers(1, max_size))
    inputs = 2 if alphabet else draw(st.integers(1, max_inputs))
    small = rationals(largest=3)
    return SimpleRNN(
        V=draw(contractive_matrices(size=size)),
        W=draw(matrices(size, inputs, small)),
        b=draw(st.lists(small, min_size=size, max_size=size)),
        s=draw(st.lists(small, min_size=size, max_size=size)),
        readout_weight=draw(matrices(2, size, small)) if not alphabet else draw(matrices(1, size, small))[0],
        readout_bias=[1, -1] if not alphabet else 0,
        alphabet="ab" if alphabet else None,
    )


def bounded_words(inputs, *, bound, max_length=8):
    """Words of vectors whose entries are at most `bound` in absolute value; the extreme ones are among them."""
    entry = st.one_of(
        st.sampled_from((mpq(bound), -mpq(bound))),
        st.integers(-60, 60).map(lambda k: bound * mpq(k, 60)),
    )
    return st.lists(st.tuples(*[entry] * inputs), max_size=max_length)
