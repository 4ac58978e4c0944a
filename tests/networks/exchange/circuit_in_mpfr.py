"""Circuits in numbers of 200 bits, and the equations of torch's cells in the same: two oracles of imported networks."""

from functools import partial
from typing import assert_never

import gmpy2
from gmpy2 import mpfr

from exactnn.networks import Activation, Kind

PRECISION = 200


def activated(activation, x):
    match activation.kind:
        case Kind.CLAMP:
            x = x if activation.low is None else max(mpfr(activation.low), x)
            return x if activation.high is None else min(mpfr(activation.high), x)
        case Kind.JUMP:
            return mpfr(activation.high if x > 0 else activation.low)
        case Kind.SIGMOID:
            return 1 / (1 + gmpy2.exp(-x))
        case Kind.TANH:
            return gmpy2.tanh(x)
        case Kind.SOFTPLUS:
            return gmpy2.log1p(gmpy2.exp(x))
        case _:
            assert_never(activation.kind)


def evaluated(unit, registers):
    total = mpfr(unit.bias)
    for register, weight in unit.linear:
        total += weight * registers[register]
    for first, second, weight in unit.bilinear:
        total += weight * registers[first] * registers[second]
    return activated(unit.activation, total)


def outputs(network, vectors):
    """Return the readout after each step, to 200 bits."""
    found = []
    with gmpy2.context(precision=PRECISION):
        state = [mpfr(x) for x in network.initial_state]
        for vector in vectors:
            registers = [*state, *map(mpfr, vector)]
            for layer in network.circuit.layers:
                registers += [evaluated(unit, registers) for unit in layer]
            state = [registers[register] for register in network.circuit.next_state]
            found.append([evaluated(unit, state) for unit in network.readout])
    return found


def linear(matrix, vector, bias):
    return [
        sum((mpfr(w) * x for w, x in zip(row, vector, strict=True)), mpfr(b))
        for row, b in zip(matrix, bias, strict=True)
    ]


def torch_outputs(tensors, vectors, nonlinearity="tanh", initial=None):
    """Return the hidden states of the last layer as the documentation of torch.nn defines them.

    `tensors` are those of a state_dict, as lists.
    """
    tanh, sigmoid = partial(activated, Activation.TANH), partial(activated, Activation.SIGMOID)
    squash = tanh if nonlinearity == "tanh" else partial(activated, Activation.RELU)
    with gmpy2.context(precision=PRECISION):
        values = [[mpfr(x) for x in vector] for vector in vectors]
        for k in range(sum(name.startswith("weight_ih") for name in tensors)):
            ih, hh = tensors[f"weight_ih_l{k}"], tensors[f"weight_hh_l{k}"]
            size, rows = len(hh[0]), len(hh)
            b_ih, b_hh = (tensors.get(f"bias_{kind}_l{k}", [0] * rows) for kind in ("ih", "hh"))
            h, c = (
                [mpfr(x) for x in (initial[name][k] if initial and name in initial else [0] * size)] for name in "hc"
            )
            states = []
            for x in values:
                below, own = linear(ih, x, b_ih), linear(hh, h, b_hh)
                parts = [(below[i : i + size], own[i : i + size]) for i in range(0, rows, size)]
                sums = [[a + b for a, b in zip(*part, strict=True)] for part in parts]
                if rows == size:
                    h = [squash(s) for s in sums[0]]
                elif rows == 4 * size:
                    i, f, g, o = (
                        [fn(s) for s in part] for fn, part in zip((sigmoid, sigmoid, tanh, sigmoid), sums, strict=True)
                    )
                    c = [f[j] * c[j] + i[j] * g[j] for j in range(size)]
                    h = [o[j] * tanh(c[j]) for j in range(size)]
                else:
                    r, z = ([sigmoid(s) for s in part] for part in sums[:2])
                    n = [tanh(a + r[j] * b) for j, (a, b) in enumerate(zip(*parts[2], strict=True))]
                    h = [(1 - z[j]) * n[j] + z[j] * h[j] for j in range(size)]
                states.append(h)
            values = states
    return values


def close(first, second, bits):
    """Whether two tables of numbers agree to 2^-bits of the larger, or of 1."""
    return all(
        abs(a - b) <= max(1, abs(a)) * mpfr(2) ** -bits
        for row, other in zip(first, second, strict=True)
        for a, b in zip(row, other, strict=True)
    )
