"""Hypothesis strategies of the parameters of gated cells, as dictionaries of their keyword arguments."""

from fractions import Fraction

from hypothesis import strategies as st
from textbook_cells import EXACT_SQUASHINGS

DOUBLING = ("i", "f1", "f2", "g", "o")
FRACTIONS = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 4))
NAMES = st.sampled_from(sorted(EXACT_SQUASHINGS))


def vectors(size):
    return st.lists(FRACTIONS, min_size=size, max_size=size)


def matrices(height, width):
    return st.lists(vectors(width), min_size=height, max_size=height)


def per_gate(gates, values):
    return st.fixed_dictionaries(dict.fromkeys(gates, values))


@st.composite
def lstms(draw, *, gates="ifgo", n=None, d=None, peepholes=None):
    """Parameters of an LSTM."""
    n, d = n or draw(st.integers(1, 2)), d or draw(st.integers(1, 2))
    layer = {
        "V": draw(per_gate(gates, matrices(n, n))),
        "W": draw(per_gate(gates, matrices(n, d))),
        "b": draw(per_gate(gates, vectors(n))),
        "h": draw(vectors(n)),
        "c": draw(vectors(n)),
        "gate": draw(NAMES),
        "candidate": draw(NAMES),
        "output": draw(NAMES),
    }
    if draw(st.booleans()) if peepholes is None else peepholes:
        layer["p"] = draw(per_gate([gate for gate in gates if gate != "g"], vectors(n)))
    return layer


def words(d, most=3):
    return st.lists(vectors(d), max_size=most)


def width(layer):
    return len(next(iter(layer["W"].values()))[0])


@st.composite
def grus(draw, *, n=None, d=None):
    """Parameters of a GRU."""
    n, d = n or draw(st.integers(1, 2)), d or draw(st.integers(1, 2))
    layer = {
        "V": draw(per_gate("rzn", matrices(n, n))),
        "W": draw(per_gate("rzn", matrices(n, d))),
        "b": draw(per_gate("rzn", vectors(n))),
        "h": draw(vectors(n)),
        "reset": draw(st.sampled_from(["after", "before"])),
        "gate": draw(NAMES),
        "candidate": draw(NAMES),
    }
    if layer["reset"] == "after" and draw(st.booleans()):
        layer["recurrent_bias"] = draw(vectors(n))
    return layer


@st.composite
def qrnns(draw, *, n=None, d=None):
    """Parameters of a QRNN."""
    n, d, k = n or draw(st.integers(1, 2)), d or draw(st.integers(1, 2)), draw(st.integers(1, 3))
    pooling = draw(st.sampled_from(["f", "fo", "ifo"]))
    return {
        "W": draw(per_gate("z" + pooling, matrices(n, k * d))),
        "b": draw(per_gate("z" + pooling, vectors(n))),
        "window": k,
        "pooling": pooling,
        "h": draw(vectors(n)),
        **({} if pooling == "f" else {"c": draw(vectors(n))}),
        "gate": draw(NAMES),
        "candidate": draw(NAMES),
    }


def start_of_qrnn(layer):
    d = width(layer) // layer["window"]
    return (*(layer[kind] for kind in "hc" if kind in layer), *([[Fraction(0)] * d] * (layer["window"] - 1)))


@st.composite
def simple_rnns(draw, *, n, d):
    """Parameters of a simple RNN."""
    return {
        "V": draw(matrices(n, n)),
        "W": draw(matrices(n, d)),
        "b": draw(vectors(n)),
        "s": draw(vectors(n)),
        "activation": draw(st.sampled_from(["slu", "relu", "identity"])),
    }


@st.composite
def second_order_rnns(draw, *, n, d):
    """Parameters of a second-order RNN."""
    layer = {
        "A": draw(st.lists(matrices(n, d), min_size=n, max_size=n)),
        "s": draw(vectors(n)),
        "activation": draw(st.sampled_from(["identity", "slu", "relu"])),
    }
    optional = {"U": matrices(n, n), "V": matrices(n, d), "b": vectors(n)}
    return layer | {letter: draw(values) for letter, values in optional.items() if draw(st.booleans())}
