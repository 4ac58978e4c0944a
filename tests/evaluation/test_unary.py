"""One symbol again and again: periods in formats, their bound, and what decays can tell without rounding."""

from itertools import pairwise

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

import exactnn as xn
from exactnn.errors import OptionError, UnsupportedArithmeticError, WordError
from exactnn.networks import ACTIVATIONS, Circuit, Decision, Network, Protocol, Unit
from exactnn.simulation import executor_for

SMALL = {
    "e2m1": xn.FLOAT4_E2M1, "e3m2": xn.FLOAT6_E3M2, "e2m3": xn.FLOAT6_E2M3, "e4m3": xn.FLOAT8_E4M3,
    "e5m2": xn.FLOAT8_E5M2,
}  # fmt: skip
MODES = ("nearest even", "nearest away", "toward zero", "up", "down")


def numbers_of(format):
    """All finite numbers of a format, from its smallest ones and the exponents there are."""
    found, step = {mpq(0)}, mpq(format.smallest)
    while step < format.largest:
        rounded = (format.nearest(step * k) for k in range(1, 2 ** (format.precision + 1)))
        found |= {mpq(x) for x in rounded if np.isfinite(x)}
        step *= 2
    return sorted(x for x in found | {-x for x in found} if abs(x) <= format.largest)


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize("name", SMALL)
def test_every_single_unit_in_small_formats(name):
    """h = a h + b for all a with |a| <= 1, all b and all h: period 1 for a >= 0, and 1 or 2 for a < 0.

    Every function h -> fl(fl(a h) + b) is a table. Its 2^k-th power for a large k sends each number to one that comes
    round, and there the function itself, or its square, must be the identity.
    """
    format = SMALL[name]
    numbers = numbers_of(format)
    place = {x: i for i, x in enumerate(numbers)}
    gates = [x for x in numbers if abs(x) <= 1]

    def rounded(x):  # beyond the largest number is an infinity, or a NaN: the orbit is left out
        return place.get(mpq(y), -1) if np.isfinite(y := format.nearest(x)) else -1

    size = len(numbers)
    products = np.array([[rounded(a * h) for h in numbers] for a in gates])
    values = {x: i for i, x in enumerate(sorted({x + y for x in numbers for y in numbers}))}
    table = np.array([rounded(x) for x in values])
    sums = np.array([[table[values[x + b]] for x in numbers] for b in numbers])
    counted = {True: set(), False: set()}
    for a, row in zip(gates, products, strict=True):
        step = np.where(row >= 0, sums[:, row], size)
        step = np.where(step < 0, size, step)
        step = np.concatenate([step, np.full((size, 1), size)], axis=1)  # what was left stays away
        power = step
        for _ in range(size.bit_length() + 1):
            power = np.take_along_axis(power, power, axis=1)
        once = np.take_along_axis(step, power, axis=1)
        twice = np.take_along_axis(step, once, axis=1)
        assert (twice == power).all()
        counted[a >= 0] |= {1} if (once == power).all() else {1, 2}
    assert counted[True] == {1}
    assert counted[False] == {1, 2}


def square_wave(layers):
    """A stack whose layers change their sign if all below are 1: a counter in signs, of period 2^layers."""
    gates = [
        Unit(
            name=f"all below {i}",
            bias=mpq(2 - i if i else 1),
            linear=tuple((j, mpq(1)) for j in range(i)),
            activation=xn.Activation.SLU,
        )
        for i in range(layers)
    ]
    signs = [Unit(name=f"sign {i}", bias=mpq(1), linear=((layers + 1 + i, mpq(-2)),)) for i in range(layers)]
    states = [Unit(name=f"h[{i}]", bias=mpq(0), bilinear=((2 * layers + 1 + i, i, mpq(1)),)) for i in range(layers)]
    return Network(
        name="signs",
        circuit=Circuit(
            state_size=layers,
            input_size=1,
            layers=(tuple(gates), tuple(signs), tuple(states)),
            next_state=tuple(3 * layers + 1 + i for i in range(layers)),
        ),
        initial_state=(mpq(1),) * layers,
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(0)),
        alphabet=("1",),
    )


@pytest.mark.parametrize("layers", [1, 2, 3, 5])
def test_the_bound_is_reached(layers):
    """No better one is there for stacks with anything between their layers."""
    found = xn.unary_period(square_wave(layers), "1", xn.BFLOAT16)
    assert (found.index, found.period, found.bound) == (0, 2**layers, 2**layers)


@st.composite
def stacks(draw):
    """Stacks of diagonal layers, with gates that may read what is below and activations between them."""
    layers, below = [], 1
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 2))

        def matrix(width, size=size):
            return [[draw(rationals()) for _ in range(width)] for _ in range(size)]

        start = [draw(rationals()) for _ in range(size)]
        kind = draw(st.sampled_from(["diagonal", "selective", "simple"]))
        if kind == "diagonal":
            layer = xn.DiagonalSSMLayer(a=[row[0] for row in matrix(1)], B=matrix(below), s=start)
        elif kind == "selective":
            layer = xn.SelectiveSSMLayer(a=matrix(below), b=matrix(below), s=start)
        else:
            gates = [draw(rationals()) for _ in range(size)]
            layer = xn.SimpleRNNLayer(
                V=[[gate if i == j else 0 for j in range(size)] for i, gate in enumerate(gates)],
                W=matrix(below),
                b=[0] * size,
                s=start,
                activation=draw(st.sampled_from(["relu", "slu", "heaviside", "tanh", "sigmoid", "identity"])),
            )
        layers.append(layer)
        below = size
    return xn.StackedRNN(layers, readout_weight=[1] * below, alphabet="1")


def formats():
    return st.builds(
        lambda precision, exponent, rounding, subnormals: xn.FloatFormat(
            precision=precision, exponent_bits=exponent, rounding=rounding, subnormals=subnormals
        ),
        st.integers(2, 6),
        st.integers(3, 5),
        st.sampled_from(MODES),
        st.booleans(),
    )


@given(network=stacks(), format=formats())
def test_every_period_divides_the_bound(network, format):
    found = xn.unary_period(network, "1", format, max_steps=20_000)
    executor = executor_for(network, format)
    state, seen = executor.start(), {}
    while (key := numbers_in(executor.values(state))) not in seen:
        seen[key] = len(seen)
        state = executor.advance(state, 0, 1, until_decided=False).state
    assert (found.index, found.period) == (seen[key], len(seen) - seen[key])
    if "nan" in key or (found.bound is None and "NaN" in found.remark):  # the last: a jump above what may overflow
        assert found.bound is None
    else:
        assert found.bound % found.period == 0


def numbers_in(values):
    """A state as numbers: 0 is -0."""
    return tuple("nan" if x != x else repr(float(x) + 0.0) for x in values)


WEIGHTS = [mpq(x) for x in ("0", "1", "-1", "1/2", "-2", "3/4", "100", "-100", "1/1000000", "-1/1000000", "100000")]
BENT = [
    *ACTIVATIONS.values(),
    xn.Activation(name="far above", low=500),
    xn.Activation(name="far below", high=-500),
    xn.Activation(name="sign", kind="jump", low=-1, high=1),
    *[xn.Activation.IDENTITY] * 12,
]


@st.composite
def circuits(draw):
    """Circuits of any shape: products of anything, copies of registers, weights that overflow or vanish in a format."""
    size, width = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    layers, available = [], size + width
    for depth in range(draw(st.integers(1, 3))):
        register, weight = st.integers(0, available - 1), st.sampled_from(WEIGHTS)
        units = [
            Unit(
                name=f"u{depth}{i}",
                bias=draw(weight),
                linear=tuple(draw(st.lists(st.tuples(register, weight), max_size=2))),
                bilinear=tuple(draw(st.lists(st.tuples(register, register, weight), max_size=2))),
                activation=draw(st.sampled_from(BENT)),
            )
            for i in range(draw(st.integers(1, 3)))
        ]
        layers.append(tuple(units))
        available += len(units)
    return Network(
        name="any",
        circuit=Circuit(
            state_size=size,
            input_size=width,
            layers=tuple(layers),
            next_state=tuple(draw(st.integers(0, available - 1)) for _ in range(size)),
        ),
        initial_state=tuple(draw(st.sampled_from(WEIGHTS)) for _ in range(size)),
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(0)),
        alphabet=tuple("1b"[:width]),
    )


@st.composite
def any_formats(draw):
    """Float formats with all their options."""
    inner = draw(st.none() | formats())
    specials = draw(st.sampled_from(["ieee", "nan", "none"]))
    summation = draw(st.sampled_from(["bias first", "bias last", "pairwise", "fused"]))
    return xn.FloatFormat(
        precision=draw(st.integers(3, 5)),
        exponent_bits=draw(st.integers(2, 4)),
        rounding=draw(st.sampled_from(MODES)),
        subnormals=draw(st.booleans()),
        specials=specials,
        overflow=draw(st.sampled_from([None, "saturate"])),
        accumulator=inner,
        fused=summation == "fused",
        summation="bias first" if summation == "fused" else summation,
    )


@given(network=circuits(), format=any_formats())
def test_every_period_divides_the_bound_of_any_circuit(network, format):
    found = xn.unary_period(network, "1", format, max_steps=3000)
    if found.bound is not None and found.period is not None:
        assert found.bound % found.period == 0


def one_number(*units, start=0, alphabet="1"):
    """A network of one number: the last of the units, each a layer of its own."""
    return stateful([(unit,) for unit in units], next_state=(1 + len(units),), start=(start,), alphabet=alphabet)


def stateful(layers, next_state, start, alphabet=None):
    """A network that reads one number."""
    return Network(
        name="network",
        circuit=Circuit(state_size=len(start), input_size=1, layers=tuple(layers), next_state=next_state),
        initial_state=tuple(map(mpq, start)),
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        decision=Decision(protocol=Protocol.OUTPUTS, threshold=mpq(0)),
        alphabet=alphabet,
    )


@pytest.mark.parametrize(("rounding", "bias"), [("down", 0), ("nearest even", mpq(-1, 10**9)), ("up", mpq(-1, 10**9))])
def test_zeros_of_either_sign_are_one_number(rounding, bias):
    """h = bias + (-1 * 0) h: the sign of the zero turns at every step, and no number does."""
    network = one_number(Unit(name="h", bias=mpq(bias), bilinear=((1, 0, mpq(-1)),)), alphabet=None)
    format = xn.FloatFormat(precision=4, exponent_bits=4, rounding=rounding)
    found = xn.unary_period(network, [0], format)
    assert (found.index, found.period, found.bound) == (0, 1, 1)
    executor = executor_for(network, format)
    state = executor.advance(executor.start(), (mpq(0),), 4, until_decided=False).state
    after = executor.advance(state, (mpq(0),), 1, until_decided=False).state
    assert not executor.alike(state, after)


@pytest.mark.parametrize("format", [xn.FLOAT8_E4M3, xn.BFLOAT16, xn.FLOAT64])
def test_a_jump_that_hides_a_nan(format):
    """0, 1, 0, 1: the jump is at 1 + 0 * (2M) h, and 0 times an infinity is a NaN, of which a jump makes 0."""
    much = Unit(name="much", bias=mpq(0), linear=((0, format.largest), (0, format.largest)))
    lost = Unit(name="lost", bias=mpq(1), linear=((2, mpq(0)),))
    jump = Unit(name="jump", bias=mpq(0), linear=((3, mpq(1)),), activation=xn.Activation.HEAVISIDE)
    found = xn.unary_period(one_number(much, lost, jump), "1", format)
    assert (found.period, found.bound, found.remark) == (2, None, "the jump jump might hide a NaN")
    saturating = xn.FloatFormat(
        precision=format.precision, exponent_bits=format.exponent_bits, specials=format.specials, overflow="saturate"
    )
    found = xn.unary_period(one_number(much, lost, jump), "1", saturating)
    assert (found.period, found.bound) == (1, 1)


def test_a_jump_that_hides_none():
    """Sums of numbers that are bounded, and far from the largest one."""
    turned = xn.SimpleRNN(V=[[-1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="heaviside", alphabet="1")
    for format in (xn.FLOAT8_E4M3, xn.BFLOAT16, xn.FloatFormat(precision=3, exponent_bits=4, accumulator="float32")):
        found = xn.unary_period(turned, "1", format)
        assert (found.period, found.bound) == (2, 2)


def test_a_bound_of_an_activation_that_is_a_nan_bounds_nothing():
    """max(500, x) in a format in which 500 is a NaN: the gate -2 is below 0."""
    gate = Unit(name="gate", bias=mpq(-1), activation=xn.Activation(name="from 500", low=500))
    turned = Unit(name="h", bias=mpq(0), bilinear=((2, 0, mpq(1)),))
    network = one_number(gate, turned, start=1)
    found = xn.unary_period(network, "1", xn.FLOAT8_E4M3)
    assert (found.period, found.bound) == (2, 2)
    assert xn.unary_period(network, "1", xn.BFLOAT16).bound == 1


def test_a_nan_in_the_state():
    """Two numbers that a gate of 0 sends to each other: of finite ones nothing is left, and a NaN goes to and fro."""
    swap = tuple(Unit(name=f"h[{i}]", bias=mpq(1), bilinear=((2, 1 - i, mpq(1)),)) for i in (0, 1))
    network = stateful([swap], next_state=(3, 4), start=(10**6, 1))
    found = xn.unary_period(network, [0], xn.FLOAT8_E4M3)
    assert (found.period, found.bound) == (2, None)
    assert found.remark in ("h[0] is a NaN", "h[1] is a NaN")
    found = xn.unary_period(network, [0], xn.BFLOAT16)
    assert (found.period, found.bound) == (1, 1)


@given(st.lists(st.fractions(0, 3, max_denominator=9), min_size=1, max_size=3), formats())
def test_gates_that_are_not_negative(gates, format):
    network = xn.DiagonalSSM(a=gates, B=[[1]] * len(gates), readout_weight=[1] * len(gates), alphabet="1")
    found = xn.unary_period(network, "1", format)
    assert (found.period, found.bound) == (1, 1)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_no_activation_descends(name):
    """What the bound takes for granted of each."""
    unit = xn.SimpleRNN(V=[[0]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation=name)
    points = [mpq(k, 4) for k in range(-40, 41)]
    values = [xn.run(unit, [x], xn.FLOAT64).outputs[-1] for x in points]
    assert all(x <= y for x, y in pairwise(values))


def diagonal(a, format=xn.FLOAT16):
    network = xn.DiagonalSSM(a=a, B=[[1]] * sum(2 if isinstance(x, tuple) else 1 for x in a), readout_weight=[1] *
                             sum(2 if isinstance(x, tuple) else 1 for x in a), alphabet="1")  # fmt: skip
    return xn.unary_period(network, "1", format)


def test_what_the_theorem_says_nothing_of():
    turning = diagonal([(0, 1)])
    assert (turning.period, turning.bound, turning.remark) == (4, None, "h[0] and h[1] depend on each other")
    square = Network(
        name="square",
        circuit=Circuit(
            state_size=1,
            input_size=1,
            layers=((Unit(name="x", bias=mpq(-1), bilinear=((0, 0, mpq(1)),)),),),
            next_state=(2,),
        ),
        initial_state=(mpq(0),),
        readout=(Unit(name="y", bias=mpq(0), linear=((0, mpq(1)),)),),
        decision=Decision(protocol=Protocol.END_OF_WORD, threshold=mpq(0)),
        alphabet=("1",),
    )
    found = xn.unary_period(square, "1", xn.FLOAT16)
    assert (found.period, found.bound, found.remark) == (2, None, "x is not known to be monotone in itself")
    wrapping = xn.FixedPoint(integer_bits=3, fraction_bits=0, overflow="wrap")
    counting = diagonal([1], wrapping)
    assert (counting.period, counting.bound) == (8, None)
    assert "wraps round" in counting.remark
    assert diagonal([1], xn.FixedPoint(integer_bits=3, fraction_bits=0)).period == 1


def test_counting_modulo_three_needs_a_number_that_is_not_diagonal():
    for cell, bound in (("permutation", None), ("delta_product", None)):
        found = xn.unary_period(xn.word_problem("Z3", cell), "a", xn.BFLOAT16)
        assert (found.period, found.bound) == (3, bound)
    assert diagonal([-1, "-1/2", 1]).bound == 2


def test_a_period_that_is_not_seen():
    found = diagonal(["9999/10000"], xn.FLOAT32)
    assert found.period == 1
    cut = xn.unary_period(
        xn.DiagonalSSM(a=["9999/10000"], B=[[1]], readout_weight=[1]), [1], xn.FLOAT32, max_steps=found.index
    )
    assert (cut.index, cut.period, cut.steps, cut.bound) == (None, None, found.index, 1)
    assert repr(cut).endswith("steps; the period divides 1>")
    assert "1" in str(found.as_table())


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ((xn.parity_unit, "1", xn.EXACT), UnsupportedArithmeticError, "need not come round"),
        ((xn.parity_unit, "1", xn.CERTIFIED), UnsupportedArithmeticError, "gives enclosures"),
        ((xn.parity_unit, "2", xn.FLOAT16), WordError, "2"),
        ((xn.parity_unit, "11", xn.FLOAT16), WordError, "11"),
        (
            (xn.parity_unit, "1", xn.FloatFormat(precision=4, exponent_bits=4, rounding="stochastic")),
            UnsupportedArithmeticError, "rounds at random",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, error, told):
    network, symbol, arithmetic = arguments
    with pytest.raises(error, match=told):
        xn.unary_period(network(), symbol, arithmetic)
    with pytest.raises(OptionError, match="max_steps"):
        xn.unary_period(network(), "1", xn.FLOAT16, max_steps=0)


# --- Parity by decays, without rounding.


@pytest.mark.parametrize("units", [1, 2, 3, 4, 7, 12])
def test_decays_are_right_up_to_as_many_ones(units):
    network = xn.decaying_parity(units)
    found = xn.run(network, "1" * (units + 1) + "0")
    assert [int(y) for y in found.outputs[:units]] == [-((-1) ** k) for k in range(1, units + 1)]
    assert (found.outputs[units] > 0) != (units % 2 == 0)
    assert found.outputs[units + 1] == found.outputs[units]
    assert found.initial_output == -1


@given(st.sets(st.fractions(0, 3, max_denominator=12), min_size=1, max_size=5))
def test_no_decays_are_right_for_longer(gates):
    """Whatever the weights: a combination of the rows of powers with alternating signs is 0."""
    nodes = sorted({mpq(1), *map(mpq, gates)})
    size = len(nodes)
    polynomial = [mpq(1)]  # of degree `size`, with the nodes as zeros: its coefficients times the powers give 0
    for x in nodes:
        polynomial = [a - x * b for a, b in zip([*polynomial, 0], [0, *polynomial], strict=True)]
    coefficients = polynomial[::-1]
    assert all(sum(c * x**k for k, c in enumerate(coefficients)) == 0 for x in nodes)
    kept = [c for c in coefficients if c]
    assert all(a * b < 0 for a, b in pairwise(kept))
    assert len(kept) >= size


def test_how_many_decays():
    for units in (0, 201, "three"):
        with pytest.raises(OptionError, match="units"):
            xn.decaying_parity(units)
