"""The selective scan against its equations: bit for bit in numpy, with exp and softplus by MPFR, and enclosed."""

import random

import gmpy2
import ml_dtypes
import numpy as np
import pytest
from cells import CELLS, selective_scan
from gmpy2 import mpfr, mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_mpfr import holds

import exactnn as xn
from exactnn.errors import NetworkError, UnsupportedArithmeticError
from exactnn.networks import SelectiveScan

TYPES = {xn.FLOAT32: np.float32, xn.FLOAT64: np.float64, xn.BFLOAT16: ml_dtypes.bfloat16}


def entry(rng):
    return mpq(rng.randrange(-99, 100), rng.choice((3, 16, 64)))


def matrix(rng, height, width):
    return [[entry(rng) for _ in range(width)] for _ in range(height)]


def random_scan(rng):
    """Return the parameters of a scan with negative A, as Mamba's is, and a word."""
    channels, width = rng.randrange(1, 4), rng.randrange(1, 4)
    layer = {
        "A": [[-abs(x) for x in row] for row in matrix(rng, channels, width)],
        "W": matrix(rng, channels, channels),
        "b": matrix(rng, 1, channels)[0],
        "B": matrix(rng, width, channels),
        "C": matrix(rng, width, channels),
    }
    if rng.random() < 0.7:
        layer["D"] = matrix(rng, 1, channels)[0]
    if rng.random() < 0.5:
        layer["s"] = matrix(rng, channels, width)
    return layer, matrix(rng, rng.randrange(1, 7), channels)


def in_numpy(layer, word, format):
    """Return the outputs and the last h, of arrays of a type: each product and each sum is rounded."""
    of_type = TYPES[format]

    def array(values):
        rounded = [[format.nearest(x) for x in row] for row in values]
        return np.array(rounded).astype(of_type)

    def rounding(function):
        def rounded(x):
            with gmpy2.context(precision=400, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
                return format.nearest(mpq(function(mpfr(float(x))))) if np.isfinite(x) else max(float(x), 0.0)

        return lambda values: np.array([rounded(x) for x in values.flat]).reshape(values.shape).astype(of_type)

    def summed(columns, of_what):
        total = np.zeros_like(of_what)
        for column in columns:
            total = total + column
        return total

    exp, softplus = rounding(gmpy2.exp), rounding(lambda x: gmpy2.log1p(gmpy2.exp(x)))
    A, W, B, C = (array(layer[letter]) for letter in "AWBC")
    (b,) = array([layer["b"]])
    h = array(layer["s"]) if "s" in layer else np.zeros_like(A)
    outputs = []
    for x in array(word):
        delta = softplus(b + summed([W[:, j] * x[j] for j in range(len(x))], x))
        b_x, c_x = (summed([M[:, j] * x[j] for j in range(len(x))], M[:, 0]) for M in (B, C))
        h = summed([exp(A * delta[:, None]) * h, (delta * x)[:, None] * b_x[None, :]], h)
        y = summed([h[:, j] * c_x[j] for j in range(len(c_x))], x)
        if "D" in layer:
            (D,) = array([layer["D"]])
            y = y + D * x
        outputs.append(y.astype(np.float64).tolist())
    return outputs, h.astype(np.float64).ravel().tolist()


def network_of(layer):
    size = len(layer["A"])
    return SelectiveScan(**layer, readout_weight=[[int(i == j) for j in range(size)] for i in range(size)])


@pytest.mark.parametrize("format", TYPES, ids=str)
@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_bit_for_bit_in_numpy(format, rng):
    layer, word = random_scan(rng)
    found = xn.run(network_of(layer), word, format)
    with np.errstate(all="ignore"):
        outputs, h = in_numpy(layer, word, format)
    np.testing.assert_array_equal(np.array(list(found.outputs), dtype=float), np.array(outputs))
    np.testing.assert_array_equal(np.array(found.final_state[len(layer["A"]) :], dtype=float), np.array(h))


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_it_is_enclosed(rng):
    layer, word = random_scan(rng)
    layer = {"s": [[mpq(0)] * len(row) for row in layer["A"]], "gate": "softplus", "decay": "exp", **layer}
    outputs = xn.run(network_of(layer), word, xn.Interval(bits=100)).outputs
    with gmpy2.context(precision=400, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        squash = {"softplus": lambda x: gmpy2.log1p(gmpy2.exp(x)), "exp": gmpy2.exp}
        state = CELLS["selective scan"].start(layer)
        for x, found in zip(word, outputs, strict=True):
            state = selective_scan(layer, state, x, squash)
            assert all(holds(enclosed, mpq(value)) for enclosed, value in zip(found, state[0], strict=True))
            assert all(enclosed.width <= 2**-60 * (1 + abs(enclosed.midpoint)) for enclosed in found)


def test_exact_arithmetic_refuses_softplus_and_exp_by_name():
    layer, word = random_scan(random.Random(1))
    for arithmetic in (xn.EXACT, xn.RATIONAL):
        with pytest.raises(UnsupportedArithmeticError, match=r"the softplus of unit 'delta\[0\]' is no rational"):
            xn.run(network_of(layer), word, arithmetic=arithmetic)
        with pytest.raises(UnsupportedArithmeticError, match=r"the exp of unit 'a\[0,0\]' is no rational number"):
            xn.run(network_of({**layer, "gate": "relu"}), word, arithmetic=arithmetic)
    with pytest.raises(NetworkError, match="has the activation softplus: only networks that are linear"):
        xn.run(network_of(layer), word, xn.FLOAT32, order=xn.KOGGE_STONE)
