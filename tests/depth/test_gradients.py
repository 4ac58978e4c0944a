"""Gradients: Jacobians as finite differences, backward passes as plain loops and torch have them, where they end."""

import re
from dataclasses import replace
from itertools import count, product
from math import ceil
from pathlib import Path
from random import Random

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import NAMED_FORMATS
from exactnn.errors import BitLimitError, OptionError, SizeLimitError, WordError
from exactnn.linear_algebra import identity, transposed
from exactnn.linear_algebra import product as matrix_product
from exactnn.networks import ACTIVATIONS, Circuit, Protocol, Unit
from exactnn.strategies import networks, rationals


def random_network(random, activation, size=3, width=2):
    def matrix(height, width):
        return [[mpq(random.randint(-6, 6), random.randint(1, 4)) for _ in range(width)] for _ in range(height)]

    layer = {"V": matrix(size, size), "W": matrix(size, width), "b": matrix(1, size)[0], "s": matrix(1, size)[0]}
    second = {"V": matrix(size, size), "W": matrix(size, size), "b": matrix(1, size)[0], "s": matrix(1, size)[0]}
    if random.random() < 0.3:
        bilinear = xn.SecondOrderRNNLayer(
            A=[matrix(size, width) for _ in range(size)], U=matrix(size, size), V=matrix(size, width),
            b=matrix(1, size)[0], s=matrix(1, size)[0], activation=activation,
        )  # fmt: skip
        return xn.StackedRNN([bilinear, xn.SimpleRNNLayer(**second, activation=activation)], readout_weight=[1] * size)
    layers = [xn.SimpleRNNLayer(**layer, activation=activation), xn.SimpleRNNLayer(**second, activation=activation)]
    return xn.StackedRNN(layers, readout_weight=[1] * size)


@pytest.mark.mostly_slow(quick=5)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("activation", ["relu", "slu", "identity", "hard_tanh", "leaky_relu"])
def test_jacobians_are_finite_differences(activation, part):
    """500 random networks: a little to either side gives the same quotient, exactly, away from kinks."""
    random = Random(f"{activation} {part}")
    compared = 0
    while compared < 25:
        network = random_network(random, activation)
        word = [[random.randint(-3, 3) for _ in range(2)] for _ in range(2)]
        try:
            found = xn.jacobian(network, word)
        except OptionError:
            continue
        compared += 1
        h = mpq(1, 2**60)
        total = found.product
        for j in range(network.neurons):
            ends = []
            for sign in (1, -1):
                start = [x + sign * h * (i == j) for i, x in enumerate(network.initial_state)]
                moved = xn.Network(circuit=network.circuit, initial_state=start, readout=network.readout)
                ends.append(xn.run(moved, word, arithmetic=xn.RATIONAL).final_state)
            quotient = [(x - y) / (2 * h) for x, y in zip(*ends, strict=True)]
            assert quotient == [row[j] for row in total]
        floats = np.array([[float(x) for x in row] for row in total])
        low, high = found.norm_bounds
        norm = np.linalg.norm(floats, 2)
        assert float(low) <= norm * (1 + 1e-9) + 1e-12
        assert norm <= float(high) * (1 + 1e-9) + 1e-12


Q = ((mpq(3, 5), mpq(4, 5)), (mpq(-4, 5), mpq(3, 5)))


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("rho", [mpq(9, 10), mpq(1), mpq(11, 10)])
def test_orthogonal_matrices_times_a_factor_attain_the_bound(rho, layers):
    """With A_l = rho Q_l the product J of T steps of L layers has J'J = rho^(2 L T)."""
    scaled = [[rho * x for x in row] for row in Q]
    found = xn.jacobian(deep_linear(scaled, layers), [[0]] * 10)
    assert found.size == 2
    gram = matrix_product(transposed(found.product), found.product)
    assert gram == tuple(tuple(rho ** (20 * layers) * x for x in row) for row in identity(2))
    low, high = found.norm_bounds
    assert low <= rho ** (10 * layers) <= high
    assert high - low < high / 10**5


def deep_linear(matrix, layers):
    """A linear network that multiplies its state by a matrix L times in each step."""
    zeros = [0] * len(matrix)
    return xn.DeepTransitionRNN(
        V=matrix, W=[[0]] * len(matrix), b=zeros, s=zeros, transitions=[(matrix, zeros)] * (layers - 1),
        readout_weight=[1] * len(matrix), activation="identity",
    )  # fmt: skip


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("rho", [mpq(9, 10), mpq(1), mpq(11, 10)])
def test_row_sums_attain_the_bound_of_the_largest_row(rho, layers):
    """ReLU with matrices of entries above 0 and row sums rho: the largest row sum of the product is rho^(L T)."""
    matrix = [[rho / 2, rho / 3, rho / 6], [rho / 4, rho / 4, rho / 2], [rho / 3, rho / 3, rho / 3]]
    zeros = [0, 0, 0]
    network = xn.DeepTransitionRNN(
        V=matrix, W=[[1]] * 3, b=zeros, s=[1, 2, 3], transitions=[(matrix, zeros)] * (layers - 1),
        readout_weight=[1, 0, 0],
    )  # fmt: skip
    found = xn.jacobian(network, [[1]] * 10)
    assert {sum(row) for row in found.product} == {rho ** (10 * layers)}


def test_the_power_of_the_norm_is_an_upper_bound_only():
    """A = ((0, 2), (0, 0)): the norm of A is 2, and the gradient through two steps is 0."""
    shift = xn.SimpleRNN(
        V=[[0, 2], [0, 0]], W=[[1], [1]], b=[0, 0], s=[0, 0], readout_weight=[1, 1], activation="identity"
    )
    assert xn.jacobian(shift, [[1]]).norm_bounds[1] == 2
    assert xn.jacobian(shift, [[1], [1]]).norm_bounds == (0, 0)
    exact, rounded = xn.gradient_growth(shift, [[1]] * 3, xn.FLOAT16)
    assert (exact.zero_from, rounded.zero_from) == (2, 2)


def test_where_there_is_no_derivative():
    kink = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    with pytest.raises(OptionError, match=r"step 2: the sum of unit 'h\[0\]' is 0, a kink of relu"):
        xn.jacobian(kink, [[1], [-2]])
    jump = xn.SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[1], readout_weight=[1], activation="heaviside")
    assert xn.jacobian(jump, [[1]]).matrices == (((0,),),)
    with pytest.raises(OptionError, match="heaviside"):
        xn.jacobian(jump, [[-1]])
    empty = xn.jacobian(kink, [])
    assert (empty.matrices, empty.product) == ((), ((1,),))
    assert empty.norm_bounds[0] <= 1 == empty.norm_bounds[1]
    assert "0 steps" in repr(empty)
    assert xn.jacobian(kink, [[1], [1]]).as_table().rows


@pytest.mark.parametrize(
    ("arithmetic", "rho", "multiple", "step"),
    [
        (xn.FLOAT32, "9/10", 4, 965),
        (xn.FLOAT16, "9/10", 4, 143),
        (xn.FLOAT64, "9/10", 5, 7051),
        (xn.FLOAT16, "99/100", 51, 1284),
        (xn.FLOAT16, "1/2", 0, 25),
        (xn.FLOAT32, "1/2", 0, 150),
        (xn.FLOAT64, "1/2", 0, 1075),
    ],
)
def test_where_gradients_stick(arithmetic, rho, multiple, step):
    """After so many multiplications the size is that of the one before, for ever; 0 counts from the first."""
    network = xn.SimpleRNN(V=[[rho]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    exact, rounded = xn.gradient_growth(network, [[0]] * (step + 20), arithmetic)
    assert exact.largest[-1] == mpq(rho) ** (step + 20)
    assert (exact.zero_from, exact.sticks_from, exact.overflows_at) == (None, None, None)
    assert rounded.largest[-1] == multiple * arithmetic.smallest
    assert (rounded.zero_from if not multiple else rounded.sticks_from + 1) == step
    half = next(t for t in count() if mpq(rho) ** t < arithmetic.smallest / 2)
    assert not multiple or half == {143: 165, 965: 987, 7051: 7073, 1284: 1725}[step]


@pytest.mark.parametrize("seed", range(6))
def test_backward_passes_are_those_of_a_plain_loop(seed):
    """Through two layers of three ReLUs, in float32 and float64, by numpy: what each unit passes on, in their order."""
    random = Random(seed)

    def matrix(height, width):
        return [[mpq(random.randint(-6, 6), random.randint(1, 4)) for _ in range(width)] for _ in range(height)]

    layers = [
        xn.SimpleRNNLayer(V=matrix(3, 3), W=matrix(3, 3), b=matrix(1, 3)[0], s=[1, 2, 3], activation="relu")
        for _ in range(2)
    ]
    network = xn.StackedRNN(layers, readout_weight=[1, 2, 3])
    word = [[random.randint(1, 3) for _ in range(3)] for _ in range(6)]
    states = list(xn.run(network, word, record="all").trace)[1:]
    passes = xn.gradient_growth(network, word, [xn.FLOAT32, xn.FLOAT64])
    for found, dtype in zip(passes[1:], (np.float32, np.float64), strict=True):
        below, above = layers
        gradient = [dtype(x) for x in (0, 0, 0, 1, 2, 3)]
        for size, state in zip(found.largest[1:], reversed(states), strict=True):
            following = [None] * 6
            lower = gradient[:3]
            for unit in range(3):
                if state[3 + unit] > 0:
                    for j in range(3):
                        pass_on(following, 3 + j, above.V[unit][j], gradient[3 + unit], dtype)
                        pass_on(lower, j, above.W[unit][j], gradient[3 + unit], dtype)
            for unit in range(3):
                if state[unit] > 0:
                    for j in range(3):
                        pass_on(following, j, below.V[unit][j], lower[unit], dtype)
            gradient = [dtype(0) if x is None else x for x in following]
            assert size == float(max(map(abs, gradient)))


def pass_on(totals, place, weight, gradient, dtype):
    if weight:
        summand = dtype(weight.numerator) / dtype(weight.denominator) * gradient  # small whole numbers: rounded once
        totals[place] = summand if totals[place] is None else totals[place] + summand


def test_gradients_overflow():
    network = xn.SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    exact, rounded = xn.gradient_growth(network, [[0]] * 20, xn.FLOAT16)
    assert rounded.overflows_at == next(t for t in range(20) if 3**t > 65504)
    assert exact.largest[-1] == 3**20
    assert len(xn.gradient_growth(network, [[[0]], [[0], [0]]], [xn.FLOAT16, xn.FLOAT32])) == 6
    assert xn.gradient_growth(network, [[0]], xn.FLOAT16).as_table().rows
    for formats, message in (([], "at least|FloatFormats"), ("flot16", "float16"), (xn.EXACT, "formats")):
        with pytest.raises(OptionError, match=message):
            xn.gradient_growth(network, [[0]], formats)


FORMATS = {xn.FLOAT16: (11, -23, 16), xn.FLOAT32: (24, -148, 128), xn.BFLOAT16: (8, -132, 128)}


@given(
    st.fractions(min_value="1/10", max_value="19/10", max_denominator=200).filter(lambda f: abs(f - 1) > 0.01),
    st.sampled_from(list(FORMATS)),
    st.integers(1, 5),
)
def test_limits_are_those_of_mpfr(factor, format, layers):
    """An independent loop: MPFR with the subnormal numbers of the format."""
    (found,) = xn.gradient_limits(factor, format, layers)
    precision, emin, emax = FORMATS[format]
    with gmpy2.context(precision=precision, emin=emin, emax=emax, subnormalize=True):
        weight, value, steps = gmpy2.mpfr(mpq(factor)), gmpy2.mpfr(1), 0
        while (following := value * weight) != value:
            value, steps = following, steps + 1
    assert (found.last, found.rounded, found.steps) == (mpq(value) if gmpy2.is_finite(value) else value, weight, ceil(
        mpq(steps, layers)
    ))  # fmt: skip
    if factor < 1:
        half = format.smallest / 2
        exactly = next(t for t in count() if mpq(factor) ** (t * layers) < half)
        assert found.exact_steps == exactly
        assert found.multiple == largest_fixed(found.rounded)
    else:
        assert found.multiple is None
        assert found.exact_steps == next(t for t in count() if mpq(factor) ** (t * layers) > format.largest)


def largest_fixed(w):
    """The formula: the largest k with k (1 - w) < 1/2, or = 1/2 for an even one."""
    bound = 1 / (2 * (1 - w))
    k = int(bound)
    return k - 1 if k == bound and k % 2 else k


@pytest.mark.parametrize(
    ("format", "factor", "multiple", "steps", "exact_steps"),
    [
        (xn.FLOAT32, "9/10", 4, 964, 987),
        (xn.FLOAT16, "9/10", 4, 142, 165),
        (xn.FLOAT64, "9/10", 5, 7050, 7073),
        (xn.FLOAT16, "99/100", 51, 1283, 1725),
        (xn.FLOAT32, "99/100", 50, 9876, 10346),
        (xn.FLOAT16, "1/2", 0, 25, 26),
        (xn.FLOAT32, "1/2", 0, 150, 151),
        (xn.FLOAT64, "1/2", 0, 1075, 1076),
    ],
)
def test_the_table_of_limits(format, factor, multiple, steps, exact_steps):
    """The steps are those that change it: it sticks from the one after them."""
    for layers in (1, 2, 4):
        (found,) = xn.gradient_limits(factor, format, layers)
        assert (found.multiple, found.steps) == (multiple, ceil(steps / layers))
        assert found.exact_steps == ceil(exact_steps / layers)


def test_the_table_of_the_page():
    text = (Path(__file__).parents[2] / "docs" / "depth.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\d+/\d+) \| (b?float\d+) \| (.+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", text, re.MULTILINE
    )
    assert len(rows) == 16
    for factor, name, end, *numbers in rows:
        found = xn.gradient_limits(factor, NAMED_FORMATS[name], [1, 2, 4])
        assert [f"{x:,}" for x in (*(one.steps for one in found), found[0].exact_steps)] == numbers
        multiple = found[0].multiple
        smallest = f"2^−{NAMED_FORMATS[name].smallest.denominator.bit_length() - 1}"
        assert end == ("infinity" if multiple is None else f"{multiple} · {smallest}" if multiple else "0")


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize(("factor", "steps"), [("9/10", 142), ("1/2", 25), (3, 11)])
def test_limits_are_the_ends_of_backward_passes(factor, steps, layers):
    (limit,) = xn.gradient_limits(factor, xn.FLOAT16, layers)
    _, found = xn.gradient_growth(deep_linear([[factor]], layers), [[0]] * 200, xn.FLOAT16)
    end = found.overflows_at if limit.multiple is None else found.sticks_from if limit.multiple else found.zero_from
    assert found.largest[-1] == limit.last
    assert limit.steps == end == ceil(steps / layers)


def test_factors_that_end_nowhere():
    one, two = xn.gradient_limits([1, "0.9985"], xn.BFLOAT16)
    assert (one.last, one.steps, one.exact_steps) == (1, 0, None)
    assert (two.rounded, two.last, two.steps) == (1, 1, 0)
    assert mpq("0.9985") ** two.exact_steps < xn.BFLOAT16.smallest / 2 <= mpq("0.9985") ** (two.exact_steps - 1)
    assert "2^-133" in str(xn.gradient_limits("9/10", xn.BFLOAT16).as_table().rows)
    toward_zero = xn.FloatFormat(precision=4, exponent_bits=4, rounding="toward zero")
    assert xn.gradient_limits(2, toward_zero)[0].last == toward_zero.largest
    near = 1 - mpq(1, 10**12)
    far = xn.gradient_limits(near, xn.FLOAT16)[0].exact_steps
    assert 17 * 10**12 < far < 18 * 10**12
    for call, error, message in (
        (lambda: xn.gradient_limits(0, xn.FLOAT16), OptionError, "above 0"),
        (lambda: xn.gradient_limits([], xn.FLOAT16), OptionError, "one at least"),
        (lambda: xn.gradient_limits("1e-30", xn.FLOAT16), OptionError, "number there"),
        (lambda: xn.gradient_limits(1, xn.FLOAT16, 0), OptionError, "layers=0"),
        (lambda: xn.gradient_limits(1, "flot16"), OptionError, "float16"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.slow
def test_a_factor_too_near_one_is_refused():
    with pytest.raises(SizeLimitError, match="further from 1"):
        xn.gradient_limits(1 - mpq(1, 10**12), xn.FLOAT64)


# --- Smooth networks: enclosures.


SMOOTH = {
    "tanh": (gmpy2.tanh, lambda x: 1 - gmpy2.tanh(x) ** 2),
    "sigmoid": (lambda x: 1 / (1 + gmpy2.exp(-x)), lambda x: gmpy2.exp(-x) / (1 + gmpy2.exp(-x)) ** 2),
    "softplus": (lambda x: gmpy2.log1p(gmpy2.exp(x)), lambda x: 1 / (1 + gmpy2.exp(-x))),
    "exp": (gmpy2.exp, gmpy2.exp),
}


@pytest.mark.parametrize("activation", [name for name, kind in ACTIVATIONS.items() if not kind.is_rational])
@given(st.data())
def test_enclosures_of_jacobians_hold_the_plain_chain_of_derivatives(activation, data):
    """Of h = f(V h + W x + b) the Jacobian is diag(f') V: here with 400 bits."""
    function, derivative = SMOOTH[activation]
    entry = st.fractions(-2, 0 if activation == "exp" else 2, max_denominator=9)  # for exp is soon beyond all bounds

    def matrix(height, width):
        return data.draw(st.lists(st.lists(entry, min_size=width, max_size=width), min_size=height, max_size=height))

    v, w, (b, s) = matrix(2, 2), matrix(2, 1), matrix(2, 2)
    network = xn.SimpleRNN(V=v, W=w, b=b, s=s, readout_weight=[1, 1], activation=activation)
    word = [[1], [-1], [2]]
    found = xn.jacobian(network, word, bits=64)
    with gmpy2.context(precision=400):
        number = [[gmpy2.mpfr(mpq(x)) for x in row] for row in v]
        state, product_so_far = [gmpy2.mpfr(mpq(x)) for x in s], [[1, 0], [0, 1]]
        for t, (x,) in enumerate(word):
            sums = [number[i][0] * state[0] + number[i][1] * state[1] + mpq(w[i][0]) * x + mpq(b[i]) for i in range(2)]
            state = list(map(function, sums))
            step = [[derivative(sums[i]) * number[i][j] for j in range(2)] for i in range(2)]
            for i, j in product(range(2), repeat=2):
                assert holds(found.matrices[t][i][j], step[i][j])
            product_so_far = [
                [sum(step[i][k] * product_so_far[k][j] for k in range(2)) for j in range(2)] for i in range(2)
            ]
    for i, j in product(range(2), repeat=2):
        assert holds(found.product[i][j], product_so_far[i][j])
    low, high = found.norm_bounds
    norm = np.linalg.norm(np.array(product_so_far, dtype=float), 2)
    assert float(low) * (1 - 1e-9) <= norm <= float(high) * (1 + 1e-9) + 1e-300


def holds(slope, number):
    """Whether a slope encloses a number that is known to 400 bits, and is narrow."""
    low, high = slope if isinstance(slope, xn.Enclosure) else (slope, slope)
    away = mpq(1, 2**380)
    return low - away <= mpq(number) <= high + away and high - low < mpq(1, 2**40)


@pytest.mark.parametrize("cell", ["LSTM", "GRU"])
def test_enclosures_of_jacobians_hold_finite_differences(cell):
    """Of cells with gates, whose states are products: a step of 2^-200 to either side, in 1,000 bits."""
    random = Random(cell)

    def matrix(height, width):
        return [[mpq(random.randint(-9, 9), 10) for _ in range(width)] for _ in range(height)]

    gates = "ifgo" if cell == "LSTM" else "rzn"
    network = getattr(xn, cell)(
        V={gate: matrix(2, 2) for gate in gates},
        W={gate: matrix(2, 1) for gate in gates},
        b={gate: matrix(1, 2)[0] for gate in gates},
        readout_weight=[1, 1],
    )
    word = [[1], [-1]]
    found = xn.jacobian(network, word)
    width = mpq(1, 2**200)
    for j in range(found.size):
        ends = []
        for sign in (1, -1):
            start = [x + sign * width * (i == j) for i, x in enumerate(network.initial_state)]
            moved = replace(network, initial_state=tuple(start))
            ends.append([x.midpoint for x in xn.run(moved, word, arithmetic=xn.Interval(bits=1000)).final_state])
        for i, (x, y) in enumerate(zip(*ends, strict=True)):
            slope = found.product[i][j]
            low, high = slope if isinstance(slope, xn.Enclosure) else (slope, slope)
            assert low - mpq(1, 2**300) <= (x - y) / (2 * width) <= high + mpq(1, 2**300)
            assert high - low < mpq(1, 2**90)


def test_gradients_of_smooth_networks():
    """Slopes are enclosed until it is clear how they are rounded; the exact gradient is between bounds."""
    network = xn.SimpleRNN(V=[["9/10"]], W=[[1]], b=[0], s=["1/2"], readout_weight=[1], activation="tanh")
    word = [["1/2"]] * 60
    exact, half, single = xn.gradient_growth(network, word, [xn.FLOAT16, xn.FLOAT32])
    jacobian = xn.jacobian(network, word, bits=300)
    assert all(isinstance(x, xn.Enclosure) for x in exact.largest[1:])
    assert exact.largest[-1].contains(jacobian.product[0][0].midpoint)
    assert (exact.zero_from, exact.sticks_from, exact.overflows_at) == (None, None, None)
    assert half.zero_from is not None
    assert single.zero_from is None
    gradient = {xn.FLOAT16: np.float16(1), xn.FLOAT32: np.float32(1)}
    states = list(xn.run(network, word, arithmetic=xn.Interval(bits=300), record="all").trace)[1:]
    for one, dtype in ((half, np.float16), (single, np.float32)):
        gradient, weight = dtype(1), dtype(0.9)
        for size, (h,) in zip(one.largest[1:], reversed(states), strict=True):
            slope = dtype(one.format.nearest(1 - h.midpoint**2))
            gradient = dtype(weight * dtype(slope * gradient))
            assert size == gradient
    assert "[" in str(xn.gradient_growth(network, word, xn.FLOAT16).as_table().rows)


def test_where_bounds_do_not_tell():
    """A ReLU after a tanh: with few bits it is not known on which side of 0 its sum is, with more it is."""
    layers = [
        xn.SimpleRNNLayer(V=[[1]], W=[[1]], b=[0], s=[0], activation="tanh"),
        xn.SimpleRNNLayer(V=[[0]], W=[[1]], b=["-0.76159415595576488811945828260479"], s=[0], activation="relu"),
    ]
    network = xn.StackedRNN(layers, readout_weight=[1])
    with pytest.raises(BitLimitError, match=r"step 1: the sum of unit .* where relu has a kink"):
        xn.jacobian(network, [[1]], bits=64)
    assert xn.jacobian(network, [[1]], bits=200).norm_bounds[1] > 0
    assert len(xn.gradient_growth(network, [[1]], xn.FLOAT16)) == 2
    at_zero = xn.StackedRNN([layers[0], xn.SimpleRNNLayer(V=[[0]], W=[[1]], b=[0], s=[0])], readout_weight=[1])
    with pytest.raises(OptionError, match="is 0, a kink of relu"):
        xn.jacobian(at_zero, [[0]])
    with pytest.raises(OptionError, match="bits=1"):
        xn.jacobian(network, [[1]], bits=1)


@given(networks(), st.data())
def test_jacobians_of_any_circuit(network, data):
    """Whatever is copied, multiplied or read by nobody: 2^-300 to either side gives the same, but for 2^-500."""
    size = network.circuit.input_size
    if network.alphabet is None:
        word = data.draw(st.lists(st.lists(rationals(largest=3), min_size=size, max_size=size), max_size=3))
    else:
        symbols = network.input_symbols
        word = data.draw(st.lists(st.sampled_from(symbols), max_size=3)) if symbols else []
    try:
        found = xn.jacobian(network, word)
    except OptionError:
        return
    plain = xn.Network(circuit=network.circuit, initial_state=network.initial_state, readout=(), scalar_output=False)
    vectors = [x if isinstance(x, tuple) else [int(i == x) for i in range(size)] for x in network.inputs(word)]
    h = mpq(1, 2**300)
    for j, row in enumerate(zip(*found.product, strict=True)):
        ends = []
        for sign in (1, -1):
            start = tuple(x + sign * h * (i == j) for i, x in enumerate(plain.initial_state))
            ends.append(xn.run(replace(plain, initial_state=start), vectors, arithmetic=xn.RATIONAL).final_state)
        for slope, (x, y) in zip(row, zip(*ends, strict=True), strict=True):
            assert abs((x - y) / (2 * h) - slope) < mpq(1, 2**500)


@given(networks(protocols=[Protocol.OUTPUTS], max_input=2).filter(lambda net: net.alphabet is None), st.data())
def test_exact_gradients_are_the_readout_times_the_jacobians(network, data):
    size = network.circuit.input_size
    word = data.draw(st.lists(st.lists(rationals(largest=3), min_size=size, max_size=size), min_size=1, max_size=3))
    try:
        exact, *_ = xn.gradient_growth(network, [word], xn.FLOAT16)
        steps = xn.jacobian(network, word).matrices
    except OptionError:
        return
    gradient = [mpq(0)] * network.neurons
    for register, weight in network.readout[0].linear:
        gradient[register] += weight
    sizes = [max(map(abs, gradient), default=0)]
    for matrix in reversed(steps):
        gradient = [
            sum((row[j] * g for row, g in zip(matrix, gradient, strict=True)), mpq(0)) for j in range(network.neurons)
        ]
        sizes.append(max(map(abs, gradient), default=0))
    assert list(exact.largest) == sizes


def test_slopes_of_products_are_enclosed_outward():
    """Of a weight such as 1/3 times an enclosed number the bounds are no binary fractions: they are rounded outward."""
    for weight in ("1/3", "2/3", "5/7", "1/5", "9/7", "-1/3"):
        layers = [
            xn.SimpleRNNLayer(V=[[0]], W=[[1]], b=[0], s=[0], activation="tanh"),
            xn.SecondOrderRNNLayer(A=[[[weight]]], s=[1]),
        ]
        network = xn.StackedRNN(layers, readout_weight=[1])
        with gmpy2.context(precision=600):
            exactly = mpq(gmpy2.tanh(gmpy2.mpfr(1))) * mpq(weight)
        for bits in (20, 64, 128):
            low, high = xn.jacobian(network, [[1]], bits=bits).product[1][1]
            assert low < exactly < high


def test_jumps_of_what_does_not_move():
    """heaviside(h^2) has no derivative at 0, though h^2 has the derivative 0 there; relu(h^2) has."""
    for activation, slope in (("heaviside", None), ("relu", 0)):
        unit = Unit(name="u", bias=mpq(0), bilinear=((0, 0, mpq(1)),), activation=xn.Activation.named(activation))
        circuit = Circuit(state_size=1, input_size=1, layers=((unit,),), next_state=(2,))
        readout = (Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),)
        network = xn.Network(circuit=circuit, initial_state=(mpq(0),), readout=readout)
        if slope is None:
            with pytest.raises(OptionError, match="a kink of heaviside"):
                xn.jacobian(network, [[1]])
        else:
            assert xn.jacobian(network, [[1]]).matrices == (((slope,),),)


def test_formats_whose_largest_number_is_followed_by_nan():
    format = xn.FloatFormat(precision=4, exponent_bits=4, specials="nan")
    (found,) = xn.gradient_limits(2, format)
    assert found.last != found.last
    assert (found.steps, found.multiple) == (9, None)
    assert "NaN" in str(xn.gradient_limits(2, format).as_table().rows)
    tripled = deep_linear([[3]], 1)
    assert xn.gradient_growth(tripled, [[0]] * 8, format)[1].overflows_at == 6
    assert xn.gradient_growth(deep_linear([[1000]], 1), [[0]] * 2, format)[1].overflows_at == 1


def test_numbers_beyond_floats():
    tripled = deep_linear([[3]], 1)
    exact, rounded = found = xn.gradient_growth(tripled, [[0]] * 1000, xn.FLOAT16)
    assert (exact.overflows_at, rounded.overflows_at) == (None, 11)
    assert found.as_table().rows
    assert "e+477" in repr(xn.jacobian(tripled, [[0]] * 1000))
    long = xn.FloatFormat(precision=113, exponent_bits=15)
    assert xn.gradient_limits(3, long)[0].steps == 10338
    for digits in (50, 100):
        near = 1 - mpq(1, 10**digits)
        steps = xn.gradient_limits(near, xn.FLOAT16)[0].exact_steps
        assert abs(steps - mpq(17328679513998632735) * mpq(10) ** (digits - 18)) < mpq(10) ** (digits - 10)
    with pytest.raises(SizeLimitError, match="fewer exponent bits"):
        xn.gradient_limits("1/2", xn.FloatFormat(precision=24, exponent_bits=24))


def test_words_that_can_be_read_once():
    network = deep_linear([["1/2"]], 1)
    assert xn.jacobian(network, ([x] for x in (1, 2, 3))).product == ((mpq(1, 8),),)
    zero = xn.SimpleRNN(V=[[3]], W=[[1]], b=[0], s=[0], readout_weight=[0], activation="identity")
    assert [one.zero_from for one in xn.gradient_growth(zero, [[0]] * 3, xn.FLOAT16)] == [0, 0]
    assert [one.zero_from for one in xn.gradient_growth(zero, [], xn.FLOAT16)] == [0, 0]


def test_inputs_beyond_the_bounds_of_a_network():
    bounded = replace(deep_linear([["1/2"]], 1), input_bounds=(mpq(2),))
    assert len(xn.jacobian(bounded, [[1], [2]]).matrices) == 2
    with pytest.raises(WordError, match="input 2 is beyond"):
        xn.jacobian(bounded, [[1], [3]])
