"""The equations of the gated cells as the papers print them, in plain numbers: the oracle of their lowerings.

Numbers are Fractions, or whatever else the squashings given here map to themselves; vectors are lists.
"""

from fractions import Fraction

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
    """Giles et al. 1992, with the first-order terms of the depth paper: (h,) to (h,)."""
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
