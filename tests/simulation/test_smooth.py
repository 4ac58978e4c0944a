"""Sigmoid and tanh in the compiled loops, bit for bit against their definition by MPFR."""

import random
from dataclasses import replace

import gmpy2
import numpy as np
import pytest
from every_executor import check_every_executor, check_steps
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from plain_circuit import smooth

from exactnn.arithmetic import (
    BFLOAT16,
    EXACT,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    RATIONAL,
    FixedOperations,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    Rounding,
)
from exactnn.constructions.folding import fold_network
from exactnn.contraction import (
    ReachableBall,
    contractivity,
    elman,
    fading_memory,
    is_contractive,
    perturbation_decay,
    reachable_ball,
)
from exactnn.equivalence import extract_state_machine, state_bound
from exactnn.equivalence.closure_check import check_extraction
from exactnn.errors import ConstructionError, UnsupportedArithmeticError
from exactnn.networks import Activation, Kind, Protocol, SimpleRNN, Unit, load_network, save_network
from exactnn.precision import required_bits
from exactnn.simulation import executor_for, run, smooth_kernels
from exactnn.simulation.carriers.fixed import smooth_word
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor
from exactnn.simulation.fixed import FixedExecutor, carriers_of
from exactnn.simulation.float_rows import KINDS
from exactnn.simulation.many_states import many_states
from exactnn.simulation.mpfr_kernels import odd_pair
from exactnn.simulation.rounded import RoundedExecutor
from exactnn.simulation.word_batch import can_batch
from tests.simulation.smooth_networks import SMOOTH, smooth_network

MODES = tuple(Rounding)
ODD = [FloatFormat(precision=p, exponent_bits=e) for p, e in ((2, 2), (9, 6), (26, 8), (43, 9), (44, 9), (53, 10))]
FLOATS = [FLOAT64, FLOAT32, FLOAT16, BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2]
MANNERS = [
    {"accumulator": FLOAT32},
    {"subnormals": False},
    {"specials": "nan"},
    {"specials": "none"},
    {"fused": True},
    {"summation": "pairwise"},
]
compute_rough = njit(lambda code, x: smooth_kernels.rough(code, x))
BY_PAIRS = tuple(activation for activation in SMOOTH if activation != Activation.SOFTPLUS)


def steps_of(network, rng, count=8):
    return [rng.randrange(len(network.alphabet)) for _ in range(count)]


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.sampled_from(FLOATS + ODD), st.sampled_from(MODES),
       st.sampled_from([mpq(1, 50), 1, 5, 60]))  # fmt: skip
def test_networks_in_float_formats(rng, format, mode, scale):
    if format not in (FLOAT64, FLOAT32) or mode is not Rounding.NEAREST_EVEN:
        wide = format.largest_exponent > 511
        format = replace(format, exponent_bits=10 if wide else format.exponent_bits, rounding=mode, seed=5, name="")
        assert isinstance(executor_for(smooth_network(rng), format), RoundedExecutor)
    network = smooth_network(rng, scale=scale)
    check_steps(executor_for(network, format), EmulatedExecutor(network, format), steps_of(network, rng))


@settings(max_examples=30)
@given(st.randoms(use_true_random=False), st.sampled_from(MANNERS), st.sampled_from(MODES))
def test_networks_in_other_manners(rng, manner, mode):
    network = smooth_network(rng, scale=3)
    format = FloatFormat(precision=9, exponent_bits=6, rounding=mode, seed=6, **manner)
    check_steps(executor_for(network, format), EmulatedExecutor(network, format), steps_of(network, rng))


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.sampled_from([(8, 8), (6, 25), (4, 20), (3, 58), (2, 61), (7, 0)]),
       st.sampled_from(MODES), st.sampled_from(["saturate", "wrap"]), st.booleans())  # fmt: skip
def test_networks_in_fixed_point(rng, size, mode, overflow, accumulates):
    options = {"integer_bits": size[0], "fraction_bits": size[1], "rounding": mode, "overflow": overflow, "seed": 2}
    inner = FixedPoint(integer_bits=9, fraction_bits=16) if accumulates and size[1] <= 25 else None
    format = FixedPoint(**options, accumulator=inner)
    network = smooth_network(rng)
    executor = executor_for(network, format)
    assert isinstance(executor, FixedExecutor)
    check_steps(executor, EmulatedFixedExecutor(network, format), steps_of(network, rng))


@pytest.mark.parametrize("protocol", Protocol)
def test_every_executor(protocol):
    rng = random.Random(4)
    for scale in (mpq(1, 10), 7):
        check_every_executor(smooth_network(rng, scale=scale, protocol=protocol), "abb")


@pytest.mark.mostly_slow(quick=8, slow=4)
@pytest.mark.parametrize("mode", [Rounding.NEAREST_EVEN, Rounding.UP])
@pytest.mark.parametrize(
    "format",
    [*(pytest.param(each, marks=pytest.mark.by_hand) for each in (FLOAT16, BFLOAT16)), FLOAT8_E4M3, FLOAT8_E5M2],
    ids=str,
)
@pytest.mark.parametrize("activation", SMOOTH)
def test_every_number_of_a_format(activation, format, mode):
    format = replace(format, rounding=mode, name="")
    step = 1 if format.precision > 4 else 1 << 7  # the numbers of 8 bits are among those of float16, so far apart
    words = np.arange(0, 1 << 16, step, dtype=np.uint32)
    numbers = (words << 16).view(np.float32) if format.exponent_bits == 8 else words.astype(np.uint16).view(np.float16)
    rounded = {float(x) for x in numbers if np.isfinite(x)}
    if step > 1:
        rounded = {x for x in (format.nearest(mpq(x)) for x in rounded) if np.isfinite(x)}
    special = [float("inf"), float("-inf")] if format.specials == "ieee" else []
    states = many_states(with_state_as_operand(activation), format)
    some = 1 if mode is Rounding.NEAREST_EVEN else 7
    arguments = np.array(sorted(rounded)[::some] + special, dtype=np.float32).reshape(-1, 1)
    found = states.step(arguments, 0)[:, 0].tolist()
    operations = FloatOperations(format)
    for x, y in zip(arguments[:, 0].tolist(), found, strict=True):
        number = x if x == 0 or not np.isfinite(x) else mpq(x)
        expected = float(getattr(operations, activation.name)(number))
        both_nan = np.isnan(y) and np.isnan(expected)  # softplus and exp may be beyond the largest number
        assert both_nan or (y, np.signbit(y)) == (expected, np.signbit(expected)), x


def with_state_as_operand(activation):
    """Return a network whose state goes through an activation."""
    return SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[1], activation=activation, alphabet="a")


def near_a_breakpoint(activation, format, rng):
    """Return a number of a format whose value is next to a number of the format, or to the middle of two."""
    with gmpy2.context(precision=300):
        value = gmpy2.mpfr(mpq(rng.getrandbits(format.precision) | 1, 2 << format.precision))
        if activation == Activation.TANH:
            return format.nearest(mpq(gmpy2.atanh(value)) * rng.choice((1, -1)))
        if activation == Activation.EXP:
            return format.nearest(mpq(gmpy2.log(gmpy2.mul_2exp(value, rng.choice((0, 1, 8, 100))))))
        if activation == Activation.SOFTPLUS:
            return format.nearest(mpq(gmpy2.log(gmpy2.expm1(value * rng.choice((1, 8))))))
        return format.nearest(mpq(gmpy2.log(value / (1 - value))))


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize("format", [FLOAT64, FLOAT32], ids=str)
def test_native_numbers_next_to_breakpoints_and_of_any_size(activation, format):
    rng = random.Random(8)
    executor = executor_for(with_state_as_operand(activation), format)
    numbers = [near_a_breakpoint(activation, format, rng) for _ in range(300)]
    for most in (1e-20, 1e-9, 1e-3, 0.5, 30, 120, 800):
        numbers += [format.nearest(rng.uniform(-most, most)) for _ in range(100)]
    numbers += [sign * float(x) for x in (format.smallest, mpq(2) ** -27, 744, 746, format.largest) for sign in (1, -1)]
    states = np.array(numbers, dtype=executor.dtype).reshape(-1, 1)
    with np.errstate(over="ignore"):
        found = many_states(executor.network, format).step(states, 0)[:, 0].tolist()
    assert found == [format.nearest(smooth(activation, mpq(x))) for x in numbers]


def test_native_zeros_infinities_and_nan():
    inf = float("inf")
    sigmoid, tanh, exp = (KINDS[activation.kind] for activation in BY_PAIRS)
    for of_type in (smooth_kernels.smooth_64, smooth_kernels.smooth_32):
        assert [of_type(sigmoid, x) for x in (-inf, -0.0, 0.0, inf)] == [0, 0.5, 0.5, 1]
        assert [of_type(tanh, x) for x in (-inf, 0.0, inf)] == [-1, 0, 1]
        assert [of_type(exp, x) for x in (-inf, -0.0, 0.0, inf)] == [0, 1, 1, inf]
        assert np.signbit(of_type(tanh, -0.0))
        assert not np.signbit(of_type(sigmoid, -inf))
        assert not np.signbit(of_type(exp, -inf))
        assert all(np.isnan(of_type(code, float("nan"))) for code in (sigmoid, tanh, exp))
    for of_type, log_2 in (
        (smooth_kernels.softplus_64, np.log(2)),
        (smooth_kernels.softplus_32, np.log(np.float32(2))),
    ):
        assert [of_type(x) for x in (-inf, inf)] == [0, inf]
        assert not np.signbit(of_type(-inf))
        assert of_type(0.0) == of_type(-0.0) == log_2
        assert np.isnan(of_type(float("nan")))


@settings(max_examples=150)
@given(st.sampled_from(BY_PAIRS), st.booleans(),
       st.floats(-320, 320) | st.floats(-1, 1) | st.floats(-1e-6, 1e-6) | st.floats(-599, 599))  # fmt: skip
def test_pairs_keep_their_bound(activation, quick, x):
    if not x:
        return
    code = KINDS[activation.kind]
    value, low, bound = smooth_kernels.smooth_pair(code, x, 0.0, quick)
    assert value == value + low
    exact = smooth(activation, mpq(x))
    error = abs(mpq(value) + mpq(low) - exact)
    tiny = mpq(2) ** -200 * abs(mpq(value))  # where the pair tells no more than the side
    assert 2 * error <= mpq(bound) or (not bound and error <= tiny)
    assert (mpq(low) > 0) == (exact > mpq(value)) or 2 * abs(mpq(low)) <= mpq(bound)
    if 2.0**-30 < abs(x) < 300:
        assert 8 * abs(mpq(compute_rough(code, x)) - exact) <= mpq(smooth_kernels.ROUGH) * abs(exact)


@settings(max_examples=88)
@given(st.integers(0, 3), st.floats(-740, 709))
def test_what_mpfr_returns_is_on_the_right_side(place, x):
    value, low = odd_pair(place, x)
    exact = smooth(SMOOTH[place], mpq(x))
    assert value == FLOAT64.nearest(exact)
    if abs(value) > 2.0**-900:
        assert abs(mpq(value) + mpq(low) - exact) <= abs(exact) * mpq(1, 2**104)
        assert (low > 0) == (exact > mpq(value)) or not x


@settings(max_examples=200)
@given(st.floats(-720, 720) | st.floats(-1, 1) | st.floats(30, 50))
def test_softplus_as_a_pair_is_on_the_right_side(x):
    value, low = smooth_kernels.softplus_pair(x)
    exact = smooth(Activation.SOFTPLUS, mpq(x))
    assert abs(x) > 600 or value == FLOAT64.nearest(exact)
    assert x < -600 or (low > 0) == (exact > mpq(value))


def test_what_the_loops_leave_to_mpfr_is_right_too(monkeypatch):
    with monkeypatch.context() as patch:  # nothing is close enough
        for name in ("ROUGH", "NEAR", "NEARER", "CLOSE"):
            patch.setattr(smooth_kernels, name, 1.0)
        patch.setattr(smooth_kernels, "smooth_pair", njit(smooth_kernels.smooth_pair.py_func))
        vague = njit(smooth_kernels.smooth_64.py_func)
        for x in (-30.0, -1.5, -1e-3, 1e-5, 0.7, 12.0):
            for activation in BY_PAIRS:
                assert vague(KINDS[activation.kind], x) == FLOAT64.nearest(smooth(activation, mpq(x)))


@pytest.mark.mostly_slow(quick=3, slow=10)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("activation", SMOOTH)
def test_every_word_in_fixed_point(activation, mode):
    code = KINDS[activation.kind]
    for size in ((6, 4), (10, 0), (2, 9), (10, 1), (0, 11)):
        format = FixedPoint(integer_bits=size[0], fraction_bits=size[1], rounding=mode, seed=9)
        _, carrier = carriers_of(format, second_order=False)
        for count, word in enumerate(range(format.lowest_word, format.largest_word + 1)):
            operations = FixedOperations(format, count)
            x = format.number(word)
            expected = getattr(operations, activation.name)(x)
            assert format.number(smooth_word(code, word, carrier, count)) == expected, word


def test_words_with_more_digits_than_the_loops_have_are_run_in_rationals():
    format = FixedPoint(integer_bits=1, fraction_bits=63)
    network = SimpleRNN(V=[["1/3"]], W=[["1/2"]], b=[0], s=[0], readout_weight=["1/2"], activation="tanh")
    piecewise = SimpleRNN(V=[["1/3"]], W=[["1/2"]], b=[0], s=[0], readout_weight=["1/2"])
    assert isinstance(executor_for(network, format), EmulatedFixedExecutor)
    assert isinstance(executor_for(piecewise, format), FixedExecutor)
    assert many_states(network, format) is None


@pytest.mark.needs_torch
def test_torch_is_within_two_units_in_the_last_place():
    import torch

    def softplus(x):  # torch's own is x above its threshold
        return torch.nn.functional.softplus(x, threshold=700)

    numbers = np.random.default_rng(1).normal(0, 4, 2000)
    for activation, theirs in zip(SMOOTH, (torch.sigmoid, torch.tanh, softplus, torch.exp), strict=True):
        mine = many_states(with_state_as_operand(activation), FLOAT64).step(numbers.reshape(-1, 1), 0)[:, 0]
        found = theirs(torch.tensor(numbers)).numpy()
        assert (np.abs(found - mine) <= 2 * np.spacing(np.abs(mine))).all()


# --- what is made of runs


def recogniser(activation="tanh"):
    return SimpleRNN(
        V=[["1/2", "-3/2"], [1, "1/3"]], W=[[1, 0, "1/2"], [0, -2, 1]], b=["1/7", 0], s=[0, "1/2"],
        readout_weight=[1, -2], readout_bias="1/9", activation=activation, alphabet=["a", "b", "EOS"],
    )  # fmt: skip


@pytest.mark.mostly_slow(quick=6, slow=1)
@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize(
    "format",
    [FLOAT8_E4M3, FloatFormat(precision=3, exponent_bits=3, rounding="up"), FixedPoint(integer_bits=4, fraction_bits=4),
     FixedPoint(integer_bits=6, fraction_bits=1, overflow="wrap", rounding="down")],
    ids=str,
)  # fmt: skip
def test_extracted_automata_are_certified(activation, format):
    found = extract_state_machine(recogniser(activation), format)
    assert found.complete
    assert len(found.certificate["labels"]) <= found.bound
    assert check_extraction(found.certificate).states == found.states


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize("mode", [Rounding.NEAREST_EVEN, Rounding.DOWN])
@pytest.mark.parametrize(
    "size", [(3, 3, True, "wrap"), (0, 5, True, "wrap"), (0, 5, True, "saturate"), (1, 4, False, "wrap")]
)
def test_no_more_values_than_the_bound_says(activation, mode, size):
    format = FixedPoint(integer_bits=size[0], fraction_bits=size[1], signed=size[2], overflow=size[3], rounding=mode)
    network = SimpleRNN(V=[[1]], W=[[0]], b=[0], s=[0], readout_weight=[0], activation=activation, alphabet="a")
    operations = FixedOperations(format)
    apply = getattr(operations, activation.name)
    values = {apply(format.number(word)) for word in range(format.lowest_word, format.largest_word + 1)}
    assert len(values) <= state_bound(network, format) <= 1 << format.word_bits


def test_nothing_is_compared_with_an_exact_run():
    network = recogniser()
    for attempt in (
        lambda: run(network, "ab", arithmetic=RATIONAL),
        lambda: run(network, "ab", arithmetic=EXACT),
        lambda: required_bits(network, "ab", max_steps=5),
        lambda: extract_state_machine(network, RATIONAL),
    ):
        with pytest.raises(UnsupportedArithmeticError, match=r"no exact run: .* first_divergence"):
            attempt()


def test_integer_weights_make_no_integers_of_smooth_units():
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="sigmoid", alphabet="a")
    assert state_bound(network, RATIONAL) is None
    with pytest.raises(UnsupportedArithmeticError, match="no rational number"):
        extract_state_machine(network, RATIONAL)


def test_patterns_of_zeros_and_ones_are_not_for_smooth_units():
    assert can_batch(recogniser("slu"), FLOAT16)
    assert not can_batch(recogniser(), FLOAT16)


def test_a_ball_is_for_activations_that_keep_zero():
    half = {"V": [["1/2"]], "W": [[0]], "b": [0], "readout_weight": [1], "alphabet": "a"}
    with pytest.raises(ConstructionError, match="lengthens vectors"):
        reachable_ball(SimpleRNN(**half, s=[0], activation="sigmoid"))
    # Two states of tanh may have opposite signs, whatever the start state is.
    distances = [
        fading_memory(SimpleRNN(**half, s=[1], activation=name), tolerance=1).distance for name in ("tanh", "slu")
    ]
    assert distances[0] == 2
    assert distances[1] <= 1


def test_no_relus_for_smooth_units():
    with pytest.raises(ConstructionError, match="piecewise linear steps are made of ReLUs"):
        fold_network(recogniser())


def test_a_smooth_network_is_saved(tmp_path):
    network = smooth_network(random.Random(3))
    save_network(network, tmp_path / "lstm.json")
    assert load_network(tmp_path / "lstm.json") == network


def test_compiled_code_knows_every_kind_of_activation():
    assert KINDS.keys() == set(Kind), "give each kind a number in KINDS of simulation/float_rows.py"
    smooth = {kind for kind, number in KINDS.items() if number >= smooth_kernels.SMOOTH}
    assert smooth == {Kind.SIGMOID, Kind.TANH, Kind.SOFTPLUS, Kind.EXP}, (
        "smooth_kernels.py takes all others for the sigmoid"
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize("size", [(32, 32), (4, 60), (64, 0), (63, 0, False), (3, 60, False), (2, 60)])
def test_softplus_of_the_largest_words(size, overflow, mode):
    """It is above the largest number of the format, where a word of 64 bits has no room for it."""
    format = FixedPoint(
        integer_bits=size[0], fraction_bits=size[1], signed=len(size) == 2, rounding=mode, overflow=overflow, seed=2
    )
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="softplus")
    for number in (format.number(format.largest_word - 1), format.largest):
        word = [[number]]
        definition = EmulatedFixedExecutor(network, format)
        segment = definition.advance(definition.start(), network.inputs(word)[0], 1, until_decided=False)
        found = run(network, word, arithmetic=format, record="all").trace[1]
        assert tuple(found) == tuple(definition.values(segment.state))


def exp_network():
    return SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="exp")


@pytest.mark.mostly_slow(quick=40, slow=30)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize("size", [(32, 30), (16, 46), (4, 58), (7, 55), (62, 0), (16, 0), (12, 0, False), (2, 60)])
def test_exp_of_words_about_the_largest_that_fit(size, overflow, mode):
    """exp is beyond the largest number, by thousands of bits: of these a format that wraps keeps the last ones."""
    format = FixedPoint(
        integer_bits=size[0], fraction_bits=size[1], signed=len(size) == 2, rounding=mode, overflow=overflow, seed=2
    )
    if overflow == "wrap" and format.integer_bits > 16:
        with pytest.raises(UnsupportedArithmeticError, match=r"'h\[0\]' has the activation exp.*bits=16 at most"):
            run(exp_network(), [[1]], arithmetic=format)
        return
    with gmpy2.context(precision=100):
        edge = format.rounded(mpq(gmpy2.log(gmpy2.mpfr(format.largest))))
    numbers = {min(edge + k * format.smallest, format.largest) for k in (-2, -1, 0, 1, 2, 1000)} | {format.largest}
    assert isinstance(executor_for(exp_network(), format), FixedExecutor)
    for number in sorted(numbers):
        network = replace(exp_network(), initial_state=(number,))
        found = run(network, [[0]], arithmetic=format, record="all").trace[1]
        definition = EmulatedFixedExecutor(network, format)
        segment = definition.advance(definition.start(), network.inputs([[0]])[0], 1, until_decided=False)
        assert tuple(found) == tuple(definition.values(segment.state))
        if mode is not Rounding.STOCHASTIC:
            assert found[0] == format.rounded(smooth(Activation.EXP, number))


def test_no_bound_that_rests_on_slopes_below_one_is_given_for_exp():
    """exp takes numbers further apart: no contraction, no ball, no fading memory, nor is a certificate of one true."""
    half = {"V": [["1/2"]], "W": [[0]], "b": [0], "s": [0], "alphabet": "a"}
    network = SimpleRNN(**half, readout_weight=[1], activation="exp")
    reason = "the exp of two numbers may be further apart"
    assert not is_contractive(network)
    assert reason in str(contractivity(network))
    for bound in (
        lambda: reachable_ball(network),
        lambda: fading_memory(network, tolerance=1),
        lambda: perturbation_decay(network, "aa", perturbation=[mpq(1, 2)]),
    ):
        with pytest.raises(ConstructionError, match=reason):
            bound()
    read = Unit(name="y", bias=0, linear=((0, 1),), activation="exp")
    with pytest.raises(ConstructionError, match="exp units in its readout: its outputs jump or move apart"):
        fading_memory(replace(SimpleRNN(**half, readout_weight=[1]), readout=(read,)), tolerance=1)
    jumps = SimpleRNN(**half, readout_weight=[1], activation="heaviside")
    ball = ReachableBall(rate=mpq(1, 2), drive=mpq(0), radius=mpq(0))
    assert ball.holds(elman(SimpleRNN(**half, readout_weight=[1])), None)
    assert not any(ball.holds(elman(wrong), None) for wrong in (network, jumps))
