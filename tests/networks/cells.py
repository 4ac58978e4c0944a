"""Every recurrent cell as tests need it: its equations, parameters at random, a small valid call, and what it refuses.

The equations are those that the papers print, in plain numbers: Fractions, or whatever else the squashings given here
map to themselves; vectors are lists. They are the oracle of the lowerings.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import gmpy2
from hypothesis import strategies as st

from exactnn import networks

HALF = Fraction(1, 2)

EXACT_SQUASHINGS = {
    "slu": lambda x: min(Fraction(1), max(Fraction(0), x)),
    "hard_sigmoid": lambda x: Fraction(0) if x < -3 else Fraction(1) if x > 3 else (x + 3) / 6,
    "hard_tanh": lambda x: Fraction(-1) if x < -1 else Fraction(1) if x > 1 else x,
    "step": lambda x: Fraction(1) if x > 0 else Fraction(0),
    "sign": lambda x: Fraction((x > 0) - (x < 0)),
    "limit_sigmoid": lambda x: HALF if x == 0 else Fraction(x > 0),
    "relu": lambda x: abs(x) if x > 0 else Fraction(0),
    "relu6": lambda x: min(Fraction(6), max(Fraction(0), x)),
    "heaviside": lambda x: Fraction(1) if x > 0 else Fraction(0),
    "leaky_relu": lambda x: x if x > 0 else x / 100,
    "identity": lambda x: x,
}

SMOOTH_SQUASHINGS = {
    "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)),
    "tanh": gmpy2.tanh,
    "softplus": lambda x: gmpy2.log1p(gmpy2.exp(x)),
    "exp": gmpy2.exp,
}
"""Of numbers of MPFR, as many bits as its context has."""


def affine(bias, *terms):
    """Return bias + sum of matrix times vector, summed from the left."""
    result = list(bias)
    for matrix, vector in terms:
        for j, row in enumerate(matrix):
            for weight, x in zip(row, vector, strict=True):
                result[j] = result[j] + weight * x
    return result


def times(*vectors):
    result = list(vectors[0])
    for vector in vectors[1:]:
        result = [x * y for x, y in zip(result, vector, strict=True)]
    return result


def plus(first, second):
    return [x + y for x, y in zip(first, second, strict=True)]


def rest(vector):
    return [1 - x for x in vector]


def second_order(layer, state, x, squash):
    """Giles et al. 1992, with first-order terms: (h,) to (h,)."""
    (h,) = state
    size = len(h)
    U, V = layer.get("U") or [[0] * size] * size, layer.get("V") or [[0] * len(x)] * size
    net = affine(layer.get("b") or [0] * size, (U, h), (V, x))
    for i, matrix in enumerate(layer["A"]):
        for row, number in zip(matrix, h, strict=True):
            for weight, entry in zip(row, x, strict=True):
                net[i] = net[i] + weight * number * entry
    return ([squash[layer["activation"]](y) for y in net],)


def lstm(layer, state, x, squash):
    """Hochreiter and Schmidhuber 1997, Gers 2000: (h, c) to (h, c)."""
    h, c = state
    V, W, b = layer["V"], layer["W"], layer["b"]
    p = layer.get("p") or {}

    def gate(name, cell):
        peephole = times(p[name], cell) if name in p else [0] * len(h)
        return plus(affine(b[name], (V[name], h), (W[name], x)), peephole)

    gates, candidate, output = (squash[layer[kind]] for kind in ("gate", "candidate", "output"))
    i = [gates(y) for y in gate("i", c)]
    forget = [[gates(y) for y in gate(name, c)] for name in V if name.startswith("f")]
    f = forget[0] if len(forget) == 1 else plus(*forget)
    g = [candidate(y) for y in gate("g", c)]
    new = plus(times(f, c), times(i, g))
    o = [gates(y) for y in gate("o", new)]
    return times(o, [output(y) for y in new]), new


def gru(layer, state, x, squash):
    """Cho et al. 2014 (the gates' product with h before the matrix), or after it, as in PyTorch: (h,) to (h,)."""
    (h,) = state
    V, W, b = layer["V"], layer["W"], layer["b"]
    r = [squash[layer["gate"]](y) for y in affine(b["r"], (V["r"], h), (W["r"], x))]
    z = [squash[layer["gate"]](y) for y in affine(b["z"], (V["z"], h), (W["z"], x))]
    if layer["reset"] == "before":
        net = affine(b["n"], (V["n"], times(r, h)), (W["n"], x))
    else:
        own = layer.get("recurrent_bias") or [0] * len(h)
        net = plus(affine(b["n"], (W["n"], x)), times(r, affine(own, (V["n"], h))))
    n = [squash[layer["candidate"]](y) for y in net]
    return (plus(times(rest(z), n), times(z, h)),)


def qrnn(layer, state, x, squash):
    """Bradbury et al. 2017: (h,) or (h, c), then the last inputs, to the same."""
    k, pooling = layer["window"], layer["pooling"]
    cell = state[0] if pooling == "f" else state[1]
    past = list(state[1 if pooling == "f" else 2 :])
    seen = [entry for vector in [x, *past] for entry in vector]
    W, b = layer["W"], layer["b"]
    gates = {
        name: [squash[layer["candidate" if name == "z" else "gate"]](y) for y in affine(b[name], (W[name], seen))]
        for name in ["z", *pooling]
    }
    incoming = gates["i"] if pooling == "ifo" else rest(gates["f"])
    cell = plus(times(gates["f"], cell), times(incoming, gates["z"]))
    kept = [x, *past][: k - 1]
    return (cell, *kept) if pooling == "f" else (times(gates["o"], cell), cell, *kept)


def simple_rnn(layer, state, x, squash):
    """Elman 1990: (h,) to (h,)."""
    net = affine(layer["b"], (layer["V"], state[0]), (layer["W"], x))
    return ([squash[layer["activation"]](y) for y in net],)


def deep_transition(layer, state, x, squash):
    """Pascanu et al. 2014, a deep transition: (h,) to (h,)."""
    function = squash[layer["activation"]]
    values = [function(y) for y in affine(layer["b"], (layer["V"], state[0]), (layer["W"], x))]
    for matrix, bias in layer["transitions"]:
        values = [function(y) for y in affine(bias, (matrix, values))]
    return (values,)


# --- Strategies of parameters, as dictionaries of keyword arguments.

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


@st.composite
def deep_transitions(draw, *, n, d):
    """Parameters of a simple RNN with hidden layers in its step."""
    widths = [*draw(st.lists(st.integers(1, 2), max_size=2)), n]
    pairs = zip(widths[1:], widths, strict=False)
    return {
        "V": draw(matrices(widths[0], n)),
        "W": draw(matrices(widths[0], d)),
        "b": draw(vectors(widths[0])),
        "transitions": [(draw(matrices(size, below)), draw(vectors(size))) for size, below in pairs],
        "s": draw(vectors(n)),
        "activation": draw(st.sampled_from(["relu", "slu", "identity"])),
    }


def matvec(matrix, x):
    return affine([Fraction(0)] * len(matrix), (matrix, x))


def delta_product(layer, state, x, squash):
    """Siems et al. 2025: (o, S) to (o, S), with S as one list."""
    (S,) = state[-1:]
    width = len(layer["K"][0])
    if "decay" in layer:
        (a,) = matvec([layer["decay"]], x)
        S = [a * entry for entry in S]
    for K, V, beta in zip(layer["K"], layer["V"], layer["beta"], strict=True):
        k, v, (b,) = matvec(K, x), matvec(V, x), matvec([beta], x)
        rows = [S[i : i + width] for i in range(0, len(S), width)]
        S = [
            entry + b * (v[i] - sum(s * y for s, y in zip(row, k, strict=True))) * k[j]
            for i, row in enumerate(rows)
            for j, entry in enumerate(row)
        ]
    if "Q" not in layer:
        return (S,)
    q = matvec(layer["Q"], x)
    return ([sum(S[i + j] * q[j] for j in range(width)) for i in range(0, len(S), width)], S)


def diagonal_ssm(layer, state, x, squash):
    """S4D and S5: (h,) to (h,), poles real or complex."""
    (h,) = state[-1:]
    turned: list[Any] = []
    for pole in layer["a"]:
        i = len(turned)
        if isinstance(pole, tuple):
            r, m = pole
            turned += [r * h[i] - m * h[i + 1], m * h[i] + r * h[i + 1]]
        else:
            turned.append(pole * h[i])
    result = affine(turned, (layer["B"], x))
    if "C" not in layer:
        return (result,)
    y = matvec(layer["C"], result)
    return (affine(y, (layer["D"], x)) if "D" in layer else y, result)


def selective_ssm(layer, state, x, squash):
    """Mamba: h, with C and D (y, h), where each y reads its part of h."""
    h = plus(times(matvec(layer["a"], x), state[-1]), matvec(layer["b"], x))
    if "C" not in layer:
        return (h,)
    read = times(matvec(layer["C"], x), h)
    skip = matvec(layer["D"], x)
    part = len(h) // len(skip)
    return ([sum(read[i * part : (i + 1) * part], skip[i]) for i in range(len(skip))], h)


def selective_scan(layer, state, x, squash):
    """Gu and Dao 2023, Algorithm 2, with delta B for the inputs: (y, h) to (y, h), h as one list."""
    h, width = state[1], len(layer["A"][0])
    delta = [squash[layer["gate"]](bias + net) for bias, net in zip(layer["b"], matvec(layer["W"], x), strict=True)]
    decays = [squash[layer["decay"]](entry * d) for row, d in zip(layer["A"], delta, strict=True) for entry in row]
    b, c, entering = matvec(layer["B"], x), matvec(layer["C"], x), times(delta, x)
    h = [decays[k] * h[k] + entering[k // width] * b[k % width] for k in range(len(h))]
    y = [sum(h[i * width + j] * c[j] for j in range(width)) for i in range(len(x))]
    return (plus(y, times(layer["D"], x)) if "D" in layer else y, h)


def gated_linear_attention(layer, state, x, squash):
    """Yang et al. 2023: (y, S) to (y, S), S as one list."""
    S = state[1]
    a, k, v, q = (matvec(layer[letter], x) for letter in ("a", "K", "V", "Q"))
    S = [a[j] * S[i * len(k) + j] + v[i] * k[j] for i in range(len(v)) for j in range(len(k))]
    return ([sum(S[i * len(k) + j] * q[j] for j in range(len(k))) for i in range(len(v))], S)


def mlstm(layer, state, x, squash):
    """Beck et al. 2024, compared with a threshold: (h, C, n) to the same, C as one list."""
    _, C, n = state
    (f,), (i,) = matvec([layer["f"]], x), matvec([layer["i"]], x)
    k, v, q = (matvec(layer[letter], x) for letter in ("K", "V", "Q"))
    C = [f * C[r * len(k) + j] + i * v[r] * k[j] for r in range(len(v)) for j in range(len(k))]
    n = [f * n[j] + i * k[j] for j in range(len(k))]
    size = max(abs(sum(m * y for m, y in zip(n, q, strict=True))), 1)
    read = [sum(C[r * len(k) + j] * q[j] for j in range(len(k))) for r in range(len(v))]
    return ([y - layer["threshold"] * size for y in read], C, n)


@st.composite
def delta_products(draw, *, n, d):
    """Parameters of a DeltaProduct whose hidden state has n numbers."""
    query = draw(st.booleans())
    width, factors = draw(st.integers(1, 2)) if query else n, draw(st.integers(1, 2))
    height = n if query else 1

    def several(values):
        return draw(st.lists(values, min_size=factors, max_size=factors))

    layer = {
        "K": several(matrices(width, d)), "V": several(matrices(height, d)), "beta": several(vectors(d)),
        "S": draw(matrices(height, width)),
    }  # fmt: skip
    if query:
        layer["Q"] = draw(matrices(width, d))
    return layer | ({"decay": draw(vectors(d))} if draw(st.booleans()) else {})


def start_of_delta_product(layer):
    S = [entry for row in layer["S"] for entry in row]
    return ([Fraction(0)] * len(layer["S"]), S) if "Q" in layer else (S,)


@st.composite
def diagonal_ssms(draw, *, n, d):
    """Parameters of a diagonal state-space model whose hidden state has n numbers."""
    numbers = vectors(1).map(lambda entries: entries[0])
    if draw(st.booleans()):
        poles, size = draw(st.lists(numbers, min_size=n, max_size=n)), n
        return {"a": poles, "B": draw(matrices(size, d)), "s": draw(vectors(size))}
    layer = {
        "a": [(draw(numbers), draw(numbers))],
        "B": draw(matrices(2, d)),
        "C": draw(matrices(n, 2)),
        "s": draw(vectors(2)),
    }
    return layer | ({"D": draw(matrices(n, d))} if draw(st.booleans()) else {})


def start_of_ssm(layer):
    return ([Fraction(0)] * len(layer["C"]), layer["s"]) if "C" in layer else (layer["s"],)


@st.composite
def selective_ssms(draw, *, n, d):
    part = draw(st.integers(1, 2))
    layer = {letter: draw(matrices(n * part, d)) for letter in "ab"} | {"s": draw(vectors(n * part))}
    if part == 1 and draw(st.booleans()):
        return layer
    return layer | {"C": draw(matrices(n * part, d)), "D": draw(matrices(n, d))}


def start_of_selective(layer):
    return ([Fraction(0)] * len(layer["D"]), layer["s"]) if "D" in layer else (layer["s"],)


@st.composite
def selective_scans(draw, *, n, d):
    """Parameters of a selective scan, which reads as many numbers as it gives: with n numbers a channel."""
    layer = {
        "A": draw(matrices(d, n)), "W": draw(matrices(d, d)), "b": draw(vectors(d)), "B": draw(matrices(n, d)),
        "C": draw(matrices(n, d)), "s": draw(matrices(d, n)), "gate": draw(NAMES), "decay": draw(NAMES),
    }  # fmt: skip
    return layer | ({"D": draw(vectors(d))} if draw(st.booleans()) else {})


@st.composite
def attentions(draw, *, n, d):
    width = draw(st.integers(1, 2))
    layer = {letter: draw(matrices(width, d)) for letter in ("a", "K", "Q")}
    return layer | {"V": draw(matrices(n, d)), "S": draw(matrices(n, width))}


@st.composite
def mlstms(draw, *, n, d):
    width = draw(st.integers(1, 2))
    layer = {"f": draw(vectors(d)), "i": draw(vectors(d)), "V": draw(matrices(n, d))}
    layer |= {letter: draw(matrices(width, d)) for letter in "KQ"}
    return layer | {"threshold": draw(vectors(1))[0]}


def start_of_mlstm(layer):
    height, width = len(layer["V"]), len(layer["K"])
    return tuple([Fraction(0)] * size for size in (height, height * width, width))


# --- The table of the cells: a new one is a row here.


USUAL = MappingProxyType({"gate": "sigmoid", "candidate": "tanh", "output": "tanh", "activation": "relu"})


class Cell(NamedTuple):
    """A cell of :mod:`exactnn.networks`."""

    layer: type
    equations: Callable[..., Any]
    """From the parameters, a state and an input to the next state."""
    parameters: Callable[..., Any]
    """A strategy, for `n` numbers of the hidden state and `d` inputs; some layers have as many of both."""
    start: Callable[[Any], Any]
    """The start state of the equations."""
    call: dict[str, Any]
    """Parameters of a layer of which two numbers are read."""
    refused: list[tuple[dict[str, Any], str]]
    """Changes of these that do not fit, each with what the error says of it, as a regular expression."""
    squashings: Mapping[str, str] = USUAL
    """Which functions it has by default, by the names of its parameters."""

    @property
    def function(self) -> str:
        """The name of the function that makes a network of one layer."""
        return self.layer.__name__.removesuffix("Layer")


def square(gates):
    """Return V, W and b of a gated cell with two numbers that reads one."""
    return {
        "V": {gate: [[1, 0], [0, 1]] for gate in gates},
        "W": {gate: [[1], [1]] for gate in gates},
        "b": {gate: [0, 0] for gate in gates},
    }


def hidden(layer):
    return (layer["h"],)


def hidden_and_cell(layer):
    return (layer["h"], layer["c"])


ONE, COLUMN, SQUARE = [[1]], [[1], [1]], [[1, 0], [0, 1]]

CELLS = {
    "LSTM": Cell(
        networks.LSTMLayer, lstm, lstms, hidden_and_cell,
        square("ifgo"),
        [
            ({"V": [[1]]}, r"V is \[\[1\]\], which is no mapping: give a matrix for each of i, f, g, o"),
            ({"b": {"i": [0]}}, "b has no gate 'f': give a vector for each of i, f, g, o"),
            ({"V": square("ifgo")["W"]}, r"V\['i'\]\[0\] has 1 entries, not 2"),
            ({"b": {**square("ifgo")["b"], "o": [1]}}, r"b\['o'\] has 1 entries, not 2"),
            ({"c": [1, 2, 3]}, "c has 3 entries, not 2"),
            ({"b": {**square("ifgo")["b"], "g": [0, "x"]}}, r"b\['g'\]\[1\]: 'x'"),
            ({"gate": "softmax"}, "activation 'softmax' is unknown: choose one of identity, relu, slu"),
            ({"p": {"i": [1, 1]}}, "p has no gate 'f': give a vector for each of i, f, o"),
            ({"p": {g: [1, 1] for g in "ifgo"}}, "p has the gate 'g'"),
        ],
    ),
    "doubling": Cell(
        networks.DoublingLSTMLayer, lstm, partial(lstms, gates=DOUBLING), hidden_and_cell,
        square(DOUBLING),
        [
            (square("ifgo"), "b has no gate 'f1'"),
            ({"output": ["tanh"]}, r"activation \['tanh'\] is unknown"),
        ],
    ),
    "GRU": Cell(
        networks.GRULayer, gru, grus, hidden,
        square("rzn"),
        [
            ({"b": None}, "b is None, which is no mapping"),
            ({"b": {g: [0, 0] for g in "rznx"}}, "b has the gate 'x', which the cell does not have"),
            ({"W": {**square("rzn")["W"], "n": [[1, 1]] * 2}}, r"W\['n'\]\[0\] has 2 entries, not 1"),
            ({"h": [1]}, "h has 1 entries, not 2"),
            ({"candidate": None}, "activation None is unknown"),
            ({"reset": "never"}, "reset is 'never': choose"),
            ({"reset": "before", "recurrent_bias": [0, 0]}, r'add it to the bias b\["n"\]'),
            ({"recurrent_bias": [0]}, "recurrent_bias has 1 entries, not 2"),
        ],
    ),
    "QRNN": Cell(
        networks.QRNNLayer, qrnn, qrnns, start_of_qrnn,
        {letter: square("zfo")[letter] for letter in "Wb"},
        [
            ({"pooling": "f"}, "b has the gate 'o'"),
            ({"pooling": "ifo"}, "b has no gate 'i'"),
            ({"W": {**square("zfo")["W"], "o": [[1]]}}, r"W\['o'\] has 1 rows, not 2"),
            ({"pooling": "max"}, "pooling is 'max': choose one of f, fo, ifo"),
            ({"pooling": ["f"]}, r"pooling is \['f'\]"),
            ({"window": 0}, "window=0: give a whole number of at least 1"),
            ({"window": "2"}, "window='2'"),
            ({"window": 2}, r"W\['z'\] has 1 columns, which 2 inputs"),
        ],
    ),
    "deep transition": Cell(
        networks.DeepTransitionRNNLayer, deep_transition, deep_transitions, lambda layer: (layer["s"],),
        {"V": SQUARE, "W": COLUMN, "b": [0, 0], "transitions": [(SQUARE, [0, 0])], "s": [0, 0]},
        [
            ({"transitions": [(COLUMN, [0, 0])]}, r"the matrix of transitions\[0\]\[0\] has 1 entries, not 2"),
            ({"s": [0]}, r"V\[0\] has 2 entries, not 1"),
        ],
    ),
    "second-order": Cell(
        networks.SecondOrderRNNLayer, second_order, second_order_rnns, lambda layer: (layer["s"],),
        {"A": [COLUMN, COLUMN], "s": [0, 0]},
        [
            ({"A": [COLUMN]}, "A has 1 matrices, not 2"),
            ({"A": [COLUMN, ONE]}, r"A\[1\] has 1 rows, not 2"),
            ({"A": [COLUMN, SQUARE]}, r"A\[1\]\[0\] has 2 entries, not 1"),
            ({"s": [0, "x"]}, r"s\[1\]: 'x'"),
        ],
        {"activation": "identity"},
    ),
    "simple": Cell(
        networks.SimpleRNNLayer, simple_rnn, simple_rnns, lambda layer: (layer["s"],),
        {"V": SQUARE, "W": COLUMN, "b": [0, 0], "s": [0, 0]},
        [
            ({"V": COLUMN}, r"V\[0\] has 1 entries, not 2"),
            ({"W": ONE}, "W has 1 rows, not 2"),
        ],
    ),
    "delta product": Cell(
        networks.DeltaProductLayer, delta_product, delta_products, start_of_delta_product,
        {"K": [ONE, ONE], "V": [COLUMN, COLUMN], "beta": [[1], [1]], "Q": ONE, "S": COLUMN},
        [
            ({"K": [], "V": [], "beta": []}, "K is empty: give the keys of at least one"),
            ({"V": [COLUMN]}, "V has 1 entries, but K has 2: give one for each delta step"),
            ({"beta": [[1]]}, "beta has 1 entries, but K has 2"),
            ({"Q": COLUMN}, "Q has 2 rows, not 1"),
        ],
        {"gate": "identity"},
    ),
    "diagonal": Cell(
        networks.DiagonalSSMLayer, diagonal_ssm, diagonal_ssms, start_of_ssm,
        {"a": [1, "1/2"], "B": COLUMN, "C": SQUARE, "D": COLUMN},
        [
            ({"a": "9/10"}, r"a is '9/10': give a sequence of numbers, or of pairs"),
            ({"a": [1, (0, 1, 2)]}, r"a\[1\] is \(0, 1, 2\): give a number, or a pair"),
            ({"a": [1, float("nan")]}, r"a\[1\]\[0\]: nan"),
            ({"a": [(0, 1), 1]}, "B has 2 rows, not 3"),
            ({"C": [[1]]}, r"C\[0\] has 1 entries, not 2"),
            ({"D": ONE}, "D has 1 rows, not 2"),
            ({"D": SQUARE}, r"D\[0\] has 2 entries, not 1"),
            ({"C": None}, "D is given without C"),
            ({"s": [1]}, "s has 1 entries, not 2"),
        ],
    ),
    "selective": Cell(
        networks.SelectiveSSMLayer, selective_ssm, selective_ssms, start_of_selective,
        {"a": COLUMN, "b": COLUMN},
        [
            ({"b": ONE}, "b has 1 rows, not 2"),
            ({"b": SQUARE}, r"b\[0\] has 2 entries, not 1"),
            ({"a": None}, "a is None: give a matrix"),
            ({"s": 0}, "s is 0: give"),
        ],
    ),
    "selective scan": Cell(
        networks.SelectiveScanLayer, selective_scan, selective_scans,
        lambda layer: ([Fraction(0)] * len(layer["s"]), [x for row in layer["s"] for x in row]),
        {"A": [[-1], [-2]], "W": SQUARE, "B": [[1, 1]], "C": [[1, 1]], "D": [1, 1]},
        [
            ({"A": []}, "A is empty: give a matrix of at least one row"),
            ({"A": [[], []]}, "A is empty"),
            ({"W": COLUMN}, r"W\[0\] has 1 entries, not 2"),
            ({"b": [0]}, "b has 1 entries, not 2"),
            ({"B": COLUMN}, "B has 2 rows, not 1"),
            ({"C": ONE}, r"C\[0\] has 1 entries, not 2"),
            ({"D": SQUARE}, r"D\[0\]: "),
            ({"s": [0, 0]}, r"s\[0\] is 0: give"),
            ({"A": [["-x"], [1]]}, r"A\[0\]\[0\]: '-x'"),
            ({"gate": "softmax"}, "activation 'softmax' is unknown"),
            ({"decay": 2}, "activation 2 is unknown"),
        ],
        {"gate": "softplus", "decay": "exp"},
    ),
    "attention": Cell(
        networks.GatedLinearAttentionLayer, gated_linear_attention, attentions,
        lambda layer: ([Fraction(0)] * len(layer["S"]), [x for row in layer["S"] for x in row]),
        {"a": ONE, "K": ONE, "V": COLUMN, "Q": ONE},
        [
            ({"K": [], "a": [], "Q": []}, "K is empty: give the keys"),
            ({"a": COLUMN}, "a has 2 rows, not 1"),
            ({"V": SQUARE}, r"V\[0\] has 2 entries, not 1"),
            ({"Q": ["1"]}, r"Q\[0\] is '1': give"),
            ({"S": ONE}, "S has 1 rows, not 2"),
        ],
    ),
    "mLSTM": Cell(
        networks.MLSTMLayer, mlstm, mlstms, start_of_mlstm,
        {"f": [1], "i": [1], "K": ONE, "V": COLUMN, "Q": ONE},
        [
            ({"K": [], "Q": []}, "K is empty: give the keys"),
            ({"f": [1, 1]}, "f has 2 entries, not 1"),
            ({"i": 1}, "i is 1: give"),
            ({"Q": SQUARE}, "Q has 2 rows, not 1"),
            ({"threshold": "half"}, r"threshold\[0\]: 'half'"),
        ],
    ),
}  # fmt: skip
"""Every layer that is public."""
