"""The UT transform: over the rationals the delta rule step by step; in formats what numpy's loops give."""

import random

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import NetworkError, OptionError, UnsupportedArithmeticError, WordError

NUMBERS = st.fractions(-2, 2, max_denominator=6)


@st.composite
def layers(draw):
    height, width, symbols = draw(st.integers(1, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 3))

    def matrix(rows, columns):
        return [[draw(NUMBERS) for _ in range(columns)] for _ in range(rows)]

    return {"K": matrix(width, symbols), "V": matrix(height, symbols), "beta": matrix(1, symbols)[0],
            "S": matrix(height, width)}  # fmt: skip


def layer_of(parts):
    return xn.DeltaProductLayer(K=[parts["K"]], V=[parts["V"]], beta=[parts["beta"]], S=parts["S"])


def flat(matrix):
    return tuple(entry for row in matrix for entry in row)


@given(parts=layers(), chunk=st.sampled_from([1, 2, 3, 16]), data=st.data())
def test_over_the_rationals_it_is_step_by_step(parts, chunk, data):
    symbols = len(parts["beta"])
    word = data.draw(st.lists(st.integers(0, symbols - 1), max_size=9))
    net = xn.DeltaNet(**parts, readout_weight=[0] * len(flat(parts["S"])), alphabet="abc"[:symbols])
    stepped = xn.run(net, "".join("abc"[i] for i in word)).final_state
    assert flat(xn.delta_rule_by_chunks(layer_of(parts), word, chunk)) == tuple(stepped)


@pytest.mark.parametrize("chunk", [1, 4, 16, 64])
def test_words_of_swaps(chunk):
    """Twenty words of S5, 64 swaps each."""
    drawn = random.Random(chunk)
    keys = [[(i == j) - (i == j + 1) for j in range(4)] for i in range(5)]
    layer = xn.DeltaProductLayer(K=[keys], beta=[[1] * 4], S=[[1, 2, 3, 4, 5]])
    for arithmetic in (xn.EXACT, xn.FLOAT8_E4M3):  # whole numbers up to 8 are numbers of both
        for _ in range(20 if arithmetic is xn.EXACT else 2):
            word, places = drawn.choices(range(4), k=64), [1, 2, 3, 4, 5]
            for i in word:
                places[i], places[i + 1] = places[i + 1], places[i]
            assert xn.delta_rule_by_chunks(layer, word, chunk, arithmetic) == (tuple(places),)


def by_loops(parts, word, chunk, kind):
    """The transform in numpy scalars: T by forward substitution, all sums from the first to the last."""
    K, V, beta, S = (np.array([[kind(float(x)) for x in row] for row in rows], dtype=kind) for rows in (
        parts["K"], parts["V"], [parts["beta"]], parts["S"]))  # fmt: skip
    for first in range(0, len(word), chunk):
        part = word[first : first + chunk]
        count = len(part)
        strong = np.array([[beta[0, a] * x for x in K[:, a]] for a in part], dtype=kind)
        values = np.array([[beta[0, a] * x for x in V[:, a]] for a in part], dtype=kind)
        low = np.zeros((count, count), dtype=kind)
        for i in range(count):
            for j in range(i):
                low[i, j] = -summed(strong[i, c] * K[c, part[j]] for c in range(len(K)))
        for i in range(count):
            row = low[i].copy()
            for j in range(i):
                terms = [row[m] * low[m, j] for m in range(j + 1, i)]
                low[i, j] = row[j] + summed(iter(terms)) if terms else row[j]
        u, w = (
            np.array([[summed(iter([*(low[i, m] * x[m, c] for m in range(i)), x[i, c]])) for c in range(x.shape[1])]
                      for i in range(count)], dtype=kind) for x in (values, strong))  # fmt: skip
        new = np.array([[u[i, r] - summed(w[i, c] * S[r, c] for c in range(len(K))) for r in range(len(S))]
                        for i in range(count)], dtype=kind)  # fmt: skip
        S = np.array([[S[r, c] + summed(new[i, r] * K[c, part[i]] for i in range(count)) for c in range(len(K))]
                      for r in range(len(S))], dtype=kind)  # fmt: skip
    return S


def summed(terms):
    total = next(terms)
    for term in terms:
        total = total + term
    return total


@given(parts=layers(), chunk=st.sampled_from([1, 2, 4]), data=st.data())
@pytest.mark.parametrize(
    ("kind", "format"), [(np.float64, xn.FLOAT64), (np.float32, xn.FLOAT32), (np.float16, xn.FLOAT16)]
)
def test_in_formats_it_is_the_loops_of_numpy(kind, format, parts, chunk, data):
    word = data.draw(st.lists(st.integers(0, len(parts["beta"]) - 1), max_size=9))
    rounded = {name: [[mpq(format.nearest(mpq(x))) for x in row] for row in rows] for name, rows in
               (("K", parts["K"]), ("V", parts["V"]), ("S", parts["S"]))}  # fmt: skip
    rounded["beta"] = [mpq(format.nearest(mpq(x))) for x in parts["beta"]]
    with np.errstate(all="ignore"):
        expected = by_loops(rounded, word, chunk, kind)
    found = xn.delta_rule_by_chunks(layer_of(parts), word, chunk, format)
    assert [list(map(float, row)) for row in found] == expected.tolist()


def test_what_is_refused():
    parts = {"K": [[[1]]], "beta": [[1]], "S": [[1]]}
    layer = xn.DeltaProductLayer(**parts)
    for wrong in (
        xn.DeltaProductLayer(K=[[[1]]] * 2, beta=[[1]] * 2, S=[[1]]),
        xn.DeltaProductLayer(**parts, decay=[1]),
        xn.DeltaProductLayer(**parts, gate="sigmoid"),
        xn.parity_unit(),
    ):
        with pytest.raises(NetworkError, match="layer"):
            xn.delta_rule_by_chunks(wrong, [0], 1)
    for word in ([1], ["a"], [0.5]):
        with pytest.raises(WordError, match="index"):
            xn.delta_rule_by_chunks(layer, word, 1)
    with pytest.raises(OptionError, match="chunk"):
        xn.delta_rule_by_chunks(layer, [0], 0)
    with pytest.raises(UnsupportedArithmeticError, match="at random"):
        xn.delta_rule_by_chunks(layer, [0], 1, xn.FloatFormat(precision=4, exponent_bits=4, rounding="stochastic"))
