"""Networks in float formats: the compiled loops, bit for bit, against the same operations in rationals."""

import json
import math
import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import (
    BFLOAT16,
    FLOAT4_E2M1,
    FLOAT6_E2M3,
    FLOAT6_E3M2,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    NAMED_FORMATS,
    TF32,
    FloatFormat,
    FloatOperations,
    Rounding,
)
from exactnn.arithmetic.rounding import RANDOM_BITS, random_bits
from exactnn.errors import CheckpointError, OptionError
from exactnn.networks import ACTIVATIONS, Activation, Circuit, Decision, Network, Protocol, SimpleRNN, Unit
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for, run
from exactnn.simulation.compiled_steps import CompiledSteps
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.floats import FloatExecutor
from exactnn.simulation.packed import pack_numbers
from exactnn.simulation.rounded import RoundedExecutor, RoundedState, Roundings, can_pair, can_round, plain
from tests.simulation import exact_networks as at_random
from tests.simulation import lanes
from tests.strategies import extreme_rationals, networks_and_words, rationals

MODES = tuple(Rounding)
MANNERS = {
    "plain": {},
    "saturate": {"overflow": "saturate"},
    "NaN for overflow": {"overflow": "nan"},
    "no subnormals": {"subnormals": False},
    "no infinities": {"specials": "nan"},
    "no specials": {"specials": "none"},
    "bias last": {"summation": "bias last"},
    "pairwise": {"summation": "pairwise"},
    "fused": {"fused": True},
}
SIZES = (
    (2, 2),
    (3, 5),
    (4, 4),
    (5, 9),
    (8, 8),
    (11, 5),
    (20, 9),
    (24, 8),
    (26, 10),
    (27, 8),
    (40, 10),
    (51, 10),
    (52, 10),
    (53, 10),
)
ROUNDED = st.one_of(rationals(), rationals(largest=10**9), extreme_rationals())


def bits(value):
    """Return numbers such that equal means equal bit for bit; NaNs are alike."""
    if isinstance(value, (tuple, list)):
        return tuple(map(bits, value))
    return "nan" if value != value else float(value).hex() if float(value) == value else str(value)


def repeated(outputs):
    """Return outputs that come as (output, repetitions), one for each step."""
    return [output for output, repetitions in outputs for _ in range(repetitions)]


def same_steps(network, word, format, *, fast=RoundedExecutor):
    """Take every step of a word, given as (input, repetitions), in both executors; return the last states."""
    here, there = fast(network, format), EmulatedExecutor(network, format)
    mine, theirs = here.start(), there.start()
    assert bits(here.values(mine)) == bits(there.values(theirs))
    assert bits(here.output(mine)) == bits(there.output(theirs))
    for symbol, count in word:
        found = here.advance(mine, symbol, count, until_decided=False)
        expected = there.advance(theirs, symbol, count, until_decided=False)
        assert bits(repeated(found.outputs)) == bits([output for output, _ in expected.outputs])
        mine, theirs = found.state, expected.state
        assert bits(here.values(mine)) == bits(there.values(theirs))
        assert bits(here.output(mine)) == bits(there.output(theirs))
    return mine, theirs


# --- networks at random


def number(rng, format):
    """Return a rational of any size that matters in a format."""
    kind = rng.random()
    if kind < 0.2:
        return mpq(rng.choice((0, 1, -1, 2, -2, 3)))
    if kind < 0.7:
        return mpq(rng.randint(-40, 40), rng.choice((1, 2, 3, 4, 5, 7, 16)))
    reach = 2 ** (min(format.exponent_bits, 9) - 1)
    exponent = rng.randint(-format.precision - reach, reach)
    return mpq(rng.randint(-1000, 1000), rng.randint(1, 1000)) * mpq(2) ** exponent


DRAWN = tuple(map(Activation.named, ("identity", "relu", "slu", "heaviside", "sigmoid", "tanh")))
"""Activations of networks at random; what a seed draws goes by their order."""


def network_at_random(rng, format, steps=10, activations=DRAWN):
    """Return a network with layers, products of registers and zeros of both signs, and a word for it."""

    def weight():
        return number(rng, format)

    def unit(name, available):
        linear = [(rng.randrange(available), weight()) for _ in range(rng.randint(0, 5))]
        bilinear = [
            (rng.randrange(available), rng.randrange(available), weight()) for _ in range(rng.choice((0, 0, 1, 2)))
        ]
        bias = weight() if rng.random() < 0.7 else rng.choice((mpq(0), mpq(-1, 10**400)))
        return at_random.unit(name, bias, linear, rng.choice(activations), bilinear)

    size, inputs = rng.randint(1, 4), rng.randint(1, 2)
    available = size + inputs
    widths = [rng.randint(1, 4) for _ in range(rng.choice((0, 0, 1)))] + [rng.randint(1, size + 1)]
    layers = []
    for depth, width in enumerate(widths):
        layers.append(tuple(unit(f"u{depth}.{i}", available) for i in range(width)))
        available += width
    pair = at_random.assembled(
        rng, 2, [weight() for _ in range(size)], inputs, tuple(layers),
        at_random.sources(rng, size, available, widths[-1]), entries=rng.choice((None, weight)), steps=steps,
    )  # fmt: skip
    return pair.network, pair.word


def format_at_random(rng, rounding, manner, accumulated):
    """Return a format with these options that the compiled loops have."""
    for _ in range(1000):
        precision, exponent_bits = rng.choice((*SIZES, (rng.randint(2, 53), rng.randint(2, 10))))
        options = {**manner, "precision": precision, "exponent_bits": exponent_bits, "seed": rng.randrange(2**63)}
        try:
            if accumulated:
                other = rng.choice(list(MANNERS.values()))
                options["accumulator"] = FloatFormat(
                    precision=rng.choice((rng.randint(2, 53), min(53, precision + rng.randint(0, 20)))),
                    exponent_bits=rng.randint(2, 10),
                    rounding=rng.choice((rounding, *MODES)),
                    seed=rng.randrange(2**63),
                    **{k: v for k, v in other.items() if k in ("overflow", "subnormals", "specials")},
                )
            format = FloatFormat(rounding=rounding, **options)
        except OptionError:
            continue
        if can_round(format):
            return format
    raise AssertionError("no such format is drawn")


@pytest.mark.mostly_slow(quick=20, slow=30)
@pytest.mark.parametrize("accumulated", [False, True], ids=["", "accumulator"])
@pytest.mark.parametrize("manner", list(MANNERS))
@pytest.mark.parametrize("mode", MODES)
def test_networks_at_random(mode, manner, accumulated):
    for n in range(10):
        rng = random.Random(f"{mode} {manner} {accumulated} {n}")
        format = format_at_random(rng, mode, MANNERS[manner], accumulated)
        network, word = network_at_random(rng, format)
        same_steps(network, word, format)


@pytest.mark.mostly_slow(quick=16, slow=8)
@pytest.mark.parametrize("manner", [name for name in MANNERS if name not in ("fused", "no infinities")])
@pytest.mark.parametrize("mode", [mode for mode in MODES if mode is not Rounding.STOCHASTIC])
def test_pairs_of_floats(mode, manner):
    for number in range(8):
        rng = random.Random(f"pairs {mode} {manner} {number}")
        precision, exponent_bits = rng.choice(((54, 9), (60, 5), (64, 9), (79, 9), (rng.randint(54, 79), 8)))
        format = FloatFormat(precision=precision, exponent_bits=exponent_bits, rounding=mode, **MANNERS[manner])
        assert can_pair(format)
        same_steps(*network_at_random(rng, format, activations=DRAWN[:4]), format)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name, format in NAMED_FORMATS.items() if can_round(format)])
def test_named_formats_on_networks_at_random(name, mode):
    format = replace(NAMED_FORMATS[name], rounding=mode, name="")
    for n in range(3):
        rng = random.Random(f"{name} {mode} {n}")
        if can_round(format):
            same_steps(*network_at_random(rng, format), format)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["machines", "stacks", "relu_pairs", "unsaturated", "shapes"])
def test_networks_of_the_exact_engine(kind, mode):
    """Compiled machines and networks that compute on digits, in formats that are too short for them."""
    for n in range(2):
        rng = random.Random(f"{kind} {mode} {n}")
        format = format_at_random(rng, mode, rng.choice(list(MANNERS.values())), rng.random() < 0.3)
        pair = getattr(at_random, kind)(rng, steps=12)
        if sum(count for _, count in pair.word) < 100:
            same_steps(pair.network, pair.word, format)


def listed(network, word):
    return [(symbol, 1) for symbol in network.inputs(word)]


@given(
    networks_and_words(weights=ROUNDED), st.sampled_from(SIZES), st.sampled_from(MODES), st.sampled_from(list(MANNERS))
)
def test_networks_with_extreme_weights(pair, size, mode, manner):
    try:
        format = FloatFormat(precision=size[0], exponent_bits=size[1], rounding=mode, **MANNERS[manner])
    except OptionError:
        return
    if can_round(format):
        same_steps(pair[0], listed(*pair), format)


@pytest.mark.parametrize("format", [FLOAT32, FLOAT64], ids=str)
@given(networks_and_words(weights=ROUNDED))
def test_emulated_native_formats_are_the_native_ones(format, pair):
    same_steps(pair[0], listed(*pair), format, fast=FloatExecutor)


@pytest.mark.parametrize("format", [FLOAT32, FLOAT64], ids=str)
def test_emulated_native_formats_on_networks_at_random(format):
    for n in range(60):
        rng = random.Random(f"{format} {n}")
        same_steps(*network_at_random(rng, format), format, fast=FloatExecutor)


def test_the_compiled_loops_in_float32_are_the_native_ones():
    assert can_round(FLOAT32)
    for n in range(60):
        rng = random.Random(f"float32 {n}")
        network, word = network_at_random(rng, FLOAT32)
        same_steps(network, word, FLOAT32)


def test_a_fused_product_that_underflows_leaves_a_negative_zero_that_a_zero_term_clears():
    network = SimpleRNN(
        V=[["-1/1024", 1], [0, 0]], W=[[0], [0]], b=[0, 0], s=["1/131072", 0],
        readout_weight=[1, 0], activation="identity", alphabet="a",
    )  # fmt: skip
    same_steps(network, [(0, 2)], FloatFormat(precision=11, exponent_bits=5, fused=True))


# --- verdicts


THRESHOLDS = (mpq(0), mpq(1, 3), mpq(2, 3), mpq(1), mpq(-1, 3), mpq(1, 10**200), mpq(10) ** 200, mpq(57344), mpq(6))


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=str)
@pytest.mark.parametrize("protocol", [Protocol.EOS_VERDICT, Protocol.EOS_HALT, Protocol.END_OF_WORD])
def test_a_run_ends_with_the_same_verdict_at_the_same_step(threshold, protocol):
    formats = (BFLOAT16, FLOAT8_E4M3, FLOAT8_E5M2, FLOAT4_E2M1, replace(FLOAT16, rounding="stochastic", seed=5))
    factors = (mpq(5, 4), mpq(-3, 2), mpq(9, 8), mpq(1, 2), mpq(3))
    for format, factor in product(formats, factors):
        grows = SimpleRNN(V=[[factor]], W=[[0, 0]], b=[0], s=[mpq(1, 7)], readout_weight=[1], activation="identity")
        eos = ("a", "EOS") if protocol.reads_eos else ("a", "b")
        network = replace(grows, alphabet=eos, decision=Decision(protocol=protocol, threshold=threshold))
        found = run(network, "aaa", arithmetic=format, max_steps=40)
        there = EmulatedExecutor(network, format)
        state = there.advance(there.start(), 0, 3, until_decided=False).state
        if not protocol.reads_eos:
            assert found.outcome is network.decision.outcome(there.output(state))
            continue
        cycles = found.outcome is Outcome.NON_HALTING  # proven before the limit
        rest = there.advance(state, 1, found.steps - 3 if cycles else 37, until_decided=True)
        assert found.steps == 3 + rest.steps
        assert bits(list(found.outputs)[3:]) == bits([output for output, _ in rest.outputs])
        assert rest.outcome is None or found.outcome is rest.outcome


# --- examples


def one_unit(bias, linear, state, *, bilinear=(), activation=Activation.IDENTITY):
    """A network whose state is kept, and whose output is that of one unit."""
    unit = Unit(name="u", bias=bias, linear=tuple(linear), bilinear=tuple(bilinear), activation=activation)
    size = len(state)
    return Network(
        circuit=Circuit(state_size=size, input_size=0, layers=((unit,),), next_state=tuple(range(size))),
        initial_state=tuple(state),
        readout=(unit,),
    )


def output(network, format):
    """Return the output after a step, which both executors agree on."""
    same_steps(network, [((), 2)], format)
    executor = RoundedExecutor(network, format)
    return executor.advance(executor.start(), (), 1, until_decided=False).outputs[0][0]


def test_a_register_that_is_nan_is_not_skipped_as_zero():
    """Infinity minus infinity in the first layer; a unit of the second one reads it with weight 1, and with 0."""
    huge = mpq(10) ** 400
    first = (Unit(name="n", bias=huge, linear=((0, -huge),)), Unit(name="z", bias=mpq(0), linear=((0, mpq(0)),)))
    second = tuple(Unit(name=f"u{w}", bias=mpq(3), linear=((1, mpq(w)), (2, mpq(1)))) for w in (1, 0))
    network = Network(
        circuit=Circuit(state_size=1, input_size=0, layers=(first, second), next_state=(3,)),
        initial_state=(mpq(1),),
        readout=(Unit(name="y", bias=mpq(1), linear=((0, mpq(1)),)),),
    )
    for format in (FLOAT16, FLOAT8_E4M3, replace(FLOAT16, fused=False, rounding="up"), replace(TF32, subnormals=False)):
        mine, _ = same_steps(network, [((), 3)], format)
        assert math.isnan(mine.numbers[0])


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("specials", ["ieee", "nan"])
def test_a_state_that_is_nan_is_not_skipped_as_zero(specials, fused):
    format = FloatFormat(precision=8, exponent_bits=6, specials=specials, fused=fused)
    network = one_unit(mpq(5), [(0, mpq(1)), (1, mpq(2))], [mpq(0), mpq(1)])
    executor = RoundedExecutor(network, format)
    state = executor.unpack({"numbers": ["nan", "0x0.0p+0"], "operations": "0x0"})
    assert math.isnan(executor.output(state))
    assert math.isnan(executor.advance(state, (), 1, until_decided=False).outputs[0][0])


def test_an_infinite_weight_times_a_zero_is_not_skipped():
    for fused in (False, True):
        network = one_unit(mpq(1), [(0, mpq(10) ** 400)], [mpq(0)])
        assert math.isnan(output(network, replace(FLOAT16, fused=fused)))


@pytest.mark.parametrize(
    ("format", "expected"),
    [(FLOAT8_E4M3, math.nan), (FLOAT6_E3M2, 28.0), (FLOAT6_E2M3, 7.5), (FLOAT4_E2M1, 6.0), (FLOAT8_E5M2, math.inf)],
    ids=str,
)
@pytest.mark.parametrize("sign", [1, -1])
def test_infinity_of_an_accumulator_in_a_format_without_infinities(format, expected, sign):
    accumulator = FloatFormat(precision=4, exponent_bits=3)
    format = replace(format, accumulator=accumulator)
    network = one_unit(mpq(0), [(0, mpq(4)), (0, mpq(4)), (0, mpq(4))], [sign * mpq(6)])
    assert accumulator.largest < 72
    assert bits(output(network, format)) == bits(sign * expected)


def test_infinity_of_an_accumulator_that_rounds_inwards():
    """An infinity is not rounded: the mode does not make it finite, only the lack of infinities does."""
    accumulator = FloatFormat(precision=4, exponent_bits=3)
    network = one_unit(mpq(0), [(0, mpq(4)), (0, mpq(4))], [mpq(6)])
    assert output(network, replace(FLOAT16, accumulator=accumulator, rounding="toward zero")) == math.inf
    assert output(network, replace(FLOAT6_E3M2, accumulator=accumulator, rounding="toward zero")) == 28
    assert math.isnan(output(network, replace(FLOAT8_E4M3, accumulator=accumulator, rounding="toward zero")))
    saturating = replace(FLOAT8_E4M3, overflow="saturate", accumulator=accumulator)
    assert output(network, saturating) == 448


def test_nan_of_an_accumulator_stays_nan_whatever_the_format():
    accumulator = FloatFormat(precision=4, exponent_bits=3)
    network = one_unit(mpq(0), [(0, mpq(6)), (0, mpq(-6))], [mpq(6)])
    for format in (FLOAT4_E2M1, FLOAT8_E4M3, FLOAT16):
        assert math.isnan(output(network, replace(format, accumulator=accumulator)))


ZEROS = [
    (mpq(0), [(0, mpq(1))], 0.0),
    (mpq(-1, 10**400), [(0, mpq(1))], 0.0),  # bias -0, state 0
    (mpq(-1, 10**400), [(1, mpq(1))], -0.0),  # -0 + -0
    (mpq(-1, 10**400), [(0, mpq(-1))], -0.0),
    (mpq(-1, 10**400), [(0, mpq(-1)), (0, mpq(1))], 0.0),
    (mpq(-1, 10**400), [], -0.0),
    (mpq(1), [(2, mpq(-1))], 0.0),  # an exact zero: -0 when rounding down
    (mpq(0), [(1, mpq(1))], 0.0),
]


@pytest.mark.mostly_slow(quick=24, slow=15)
@pytest.mark.parametrize("manner", list(MANNERS))
@pytest.mark.parametrize("mode", MODES)
def test_totals_that_are_minus_zero(mode, manner):
    options = MANNERS[manner]
    format = FloatFormat(precision=5, exponent_bits=4, rounding=mode, **options)
    for bias, linear, expected in ZEROS:
        for accumulator in (None, TF32, replace(BFLOAT16, rounding="down"), replace(BFLOAT16, subnormals=False)):
            network = one_unit(bias, linear, [mpq(0), mpq(-1, 10**400), mpq(1)])
            found = output(network, replace(format, accumulator=accumulator))
            if Rounding.DOWN not in (mode, (accumulator or format).rounding):
                assert bits(found) == bits(expected)
    mixed = output(one_unit(mpq(0), [(1, mpq(1))], [mpq(0), mpq(-1, 10**400)]), format)
    assert bits(mixed) == bits(-0.0 if mode is Rounding.DOWN else 0.0)


@pytest.mark.parametrize("activation", tuple(ACTIVATIONS.values()), ids=str)
def test_activations_of_zeros_infinities_and_nan(activation):
    huge = mpq(10) ** 400
    for bias, linear in (
        (mpq(-1, 10**400), []), (huge, []), (-huge, []), (huge, [(0, -huge)]), (mpq(2), []), (mpq(1), []),
        (mpq(1, 2), []),
    ):  # fmt: skip
        network = one_unit(bias, linear, [mpq(1)], activation=activation)
        for format in (FLOAT16, FLOAT8_E4M3, FLOAT6_E2M3):
            found = output(network, format)
            if math.isnan(found):
                assert activation != Activation.HEAVISIDE
            elif activation in (Activation.SLU, Activation.HEAVISIDE):
                assert 0 <= found <= 1
            if activation.low is not None and activation.low >= 0 and found == 0:
                assert bits(found) == bits(0.0)


# --- stochastic rounding


@pytest.mark.parametrize("outer", [Rounding.STOCHASTIC, Rounding.NEAREST_EVEN])
@pytest.mark.parametrize("inner", [Rounding.STOCHASTIC, Rounding.UP])
def test_an_accumulator_with_stochastic_rounding(inner, outer):
    for n in range(20):
        rng = random.Random(f"{inner} {outer} {n}")
        accumulator = FloatFormat(precision=rng.randint(6, 20), exponent_bits=6, rounding=inner, seed=n)
        format = FloatFormat(precision=5, exponent_bits=5, rounding=outer, seed=n + 7, accumulator=accumulator)
        mine, theirs = same_steps(*network_at_random(rng, format), format)
        assert mine.count == (theirs.count if Rounding.STOCHASTIC in (inner, outer) else 0)


def sums_of_a_third(seed, **options):
    format = FloatFormat(precision=4, exponent_bits=5, rounding="stochastic", seed=seed, **options)
    network = SimpleRNN(V=[[mpq(7, 8)]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="identity")
    return run(network, [mpq(1, 3)] * 60, arithmetic=format).outputs


def test_a_run_is_the_same_again_and_another_with_another_seed():
    assert sums_of_a_third(3) == sums_of_a_third(3)
    assert sums_of_a_third(3) != sums_of_a_third(4)


def test_the_mean_of_runs_with_stochastic_rounding_is_right():
    """1 + 60/16 in steps of 1/16, of which only every other one is a number, and from 2 on every fourth."""
    format = FloatFormat(precision=4, exponent_bits=5, rounding="stochastic")
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[1], readout_weight=[1], activation="identity")
    word = [mpq(1, 16)] * 60
    ends = [run(network, word, arithmetic=replace(format, seed=seed)).outputs[-1] for seed in range(300)]
    assert abs(sum(ends) / 300 - 4.75) < 0.1
    assert run(network, word, arithmetic=replace(format, rounding="nearest even")).outputs[-1] == 1


@pytest.mark.parametrize(
    "seed",
    [0, 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1],
)
def test_every_seed(seed):
    accumulator = FloatFormat(precision=9, exponent_bits=6, rounding="stochastic", seed=seed)
    for first, inner in ((0, None), (seed, None), (seed, accumulator), (0, accumulator)):  # compiled for seed 0
        format = FloatFormat(precision=5, exponent_bits=5, rounding="stochastic", seed=first, accumulator=inner)
        same_steps(*network_at_random(random.Random(1), format), format)


@pytest.mark.parametrize("slices", [(12,), (1,) * 12, (5, 1, 6)], ids=str)
def test_slices_take_the_same_random_numbers(slices):
    format = FloatFormat(precision=5, exponent_bits=5, rounding="stochastic", seed=9)
    for n in range(10):
        network, word = network_at_random(random.Random(n), format)
        executor = RoundedExecutor(network, format)
        whole = executor.advance(executor.start(), word[0][0], 12, until_decided=False)
        state, outputs = executor.start(), []
        for count in slices:
            segment = executor.advance(state, word[0][0], count, until_decided=False)
            state = segment.state
            outputs += segment.outputs
        assert bits(repeated(outputs)) == bits(repeated(whole.outputs))
        assert bits(executor.values(state)) == bits(executor.values(whole.state))
        assert state.count == whole.state.count


# --- which executor


def sized(precision, **options):
    return FloatFormat(precision=precision, exponent_bits=10, **options)


BORDERS = [
    ({"precision": 52, "exponent_bits": 10}, True),
    ({"precision": 53, "exponent_bits": 10}, True),
    ({"precision": 52, "exponent_bits": 11}, False),
    ({"precision": 54, "exponent_bits": 10}, False),
    ({"precision": 53, "exponent_bits": 10, "rounding": "nearest away"}, True),
    ({"precision": 54, "exponent_bits": 10, "rounding": "nearest away"}, False),
    ({"precision": 2, "exponent_bits": 11}, False),
    ({"precision": 64, "exponent_bits": 15}, False),
    ({"precision": 53, "exponent_bits": 11, "rounding": "up"}, False),
    ({"precision": 24, "exponent_bits": 8, "rounding": "up"}, True),
    ({"precision": 24, "exponent_bits": 8, "subnormals": False}, True),
    ({"precision": 3, "exponent_bits": 10, "specials": "nan"}, False),
    ({"precision": 3, "exponent_bits": 9, "specials": "nan"}, True),
    ({"precision": 3, "exponent_bits": 10, "specials": "none"}, False),
    ({"precision": 26, "exponent_bits": 10, "fused": True}, True),
    ({"precision": 27, "exponent_bits": 10, "fused": True}, False),
    ({"precision": 20, "exponent_bits": 8, "rounding": "stochastic"}, True),
    ({"precision": 21, "exponent_bits": 8, "rounding": "stochastic"}, True),
    ({"precision": 53, "exponent_bits": 10, "rounding": "stochastic"}, True),
    ({"precision": 54, "exponent_bits": 10, "rounding": "stochastic"}, False),
    ({"precision": 8, "exponent_bits": 8, "accumulator": FLOAT32}, True),
    ({"precision": 8, "exponent_bits": 8, "accumulator": FLOAT64}, False),
    ({"precision": 24, "exponent_bits": 8, "accumulator": FLOAT64}, False),
    ({"precision": 8, "exponent_bits": 8, "fused": True, "accumulator": sized(45)}, True),
    ({"precision": 8, "exponent_bits": 8, "fused": True, "accumulator": sized(46)}, False),
    ({"precision": 27, "exponent_bits": 8, "fused": True, "accumulator": FLOAT16}, False),
    ({"precision": 8, "exponent_bits": 8, "accumulator": sized(53, rounding="stochastic")}, True),
    ({"precision": 8, "exponent_bits": 8, "accumulator": sized(54, rounding="stochastic")}, False),
]  # fmt: skip


@pytest.mark.parametrize(("options", "compiled"), BORDERS, ids=lambda x: str(x) if isinstance(x, dict) else "")
def test_formats_on_the_border_of_the_compiled_loops(options, compiled):
    format = FloatFormat(**options)
    assert can_round(format) == compiled
    rng = random.Random(str(options))
    network, word = network_at_random(rng, format, steps=4)
    executor = executor_for(network, format)
    assert type(executor) is (RoundedExecutor if compiled else EmulatedExecutor)
    assert str(format) in executor.engine
    if compiled:
        for _ in range(15):
            same_steps(*network_at_random(rng, format), format)
    else:
        executor.advance(executor.start(), word[0][0], 2, until_decided=False)


def test_the_native_formats_have_their_own_executor():
    network = SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    for format in (FLOAT32, FLOAT64, replace(FLOAT64, name="double")):
        assert type(executor_for(network, format)) is FloatExecutor
    for format in NAMED_FORMATS.values():
        if format not in (FLOAT32, FLOAT64):
            compiled = can_round(format) or can_pair(format)
            assert type(executor_for(network, format)) is (RoundedExecutor if compiled else EmulatedExecutor)


# --- the compiled operations


def numbers_of(format):
    """Return all finite numbers of a format with both signs, and its special ones."""
    up, found, x = replace(format, rounding="up"), [0.0], mpq(0)
    while x < format.largest:
        x = up.rounded(x + format.smallest / 4) if x else format.smallest
        found.append(float(x))
    specials = {"ieee": [math.inf, -math.inf, math.nan], "nan": [math.nan], "none": []}[format.specials]
    return found + [-x for x in found] + specials


def as_number(value):
    return mpq(value) if value and math.isfinite(value) else value


TINY = [
    FLOAT4_E2M1, FLOAT6_E2M3, FLOAT6_E3M2, FloatFormat(precision=3, exponent_bits=3),
    FloatFormat(precision=4, exponent_bits=3, specials="nan"),
    FloatFormat(precision=3, exponent_bits=3, subnormals=False),
    FloatFormat(precision=3, exponent_bits=3, overflow="saturate"),
]  # fmt: skip


@pytest.mark.mostly_slow(quick=14, slow=10)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", TINY, ids=str)
def test_all_pairs_of_small_formats_in_the_compiled_operations(format, mode):
    format = replace(format, rounding=mode, name="")
    values = numbers_of(format)
    exact = list(map(as_number, values))
    column = np.array(values)
    for x, value in zip(exact, values, strict=True):
        sums = bits([FloatOperations(format, 4).add(x, y) for y in exact])
        products = bits([FloatOperations(format, 4).multiply(x, y) for y in exact])
        for products_exact in (False, True):
            packed = lanes.carrier_of(plain(format, products_exact))
            total, product_all, product_one = column.copy(), column.copy(), np.empty(len(column))
            lanes.add(np.full(len(column), value), total, packed, 4)
            lanes.multiply_all(np.full(len(column), value), product_all, packed, 4)
            lanes.multiply(value, column, product_one, packed, 4)
            assert bits(total.tolist()) == sums
            assert bits(product_all.tolist()) == products
            assert bits(product_one.tolist()) == products


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", [TINY[0], TINY[3], TINY[4]], ids=str)
def test_fused_sums_of_small_formats_in_the_compiled_operations(format, mode):
    format = replace(format, rounding=mode, name="")
    values = numbers_of(format)
    rng = random.Random(str(mode))
    triples = [[rng.choice(values) for _ in range(3000)] for _ in range(3)]
    first, second, third = map(np.array, triples)
    lanes.fuse(first, second, third, lanes.carrier_of(plain(format, True)), 6)
    expected = [FloatOperations(format, 6).fused(*map(as_number, triple)) for triple in zip(*triples, strict=True)]
    assert bits(third.tolist()) == bits(expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", [*TINY, FLOAT8_E4M3, FLOAT8_E5M2], ids=str)
def test_numbers_of_other_formats_are_converted(format, mode):
    format = replace(format, rounding=mode, name="")
    rng = random.Random(str(format))
    values = [math.inf, -math.inf, math.nan, 0.0, -0.0]
    values += [
        rng.choice((1, -1)) * math.ldexp(rng.getrandbits(rng.randint(1, 52)), rng.randint(-70, 0)) for _ in range(900)
    ]
    values += [sign * float(format.largest) * (1 + math.ldexp(k, -7)) for k in range(-9, 50) for sign in (1, -1)]
    found = np.array(values)
    lanes.convert(found, lanes.carrier_of(plain(format, False)), 2)
    assert bits(found.tolist()) == bits([FloatOperations(format, 2).convert(as_number(x)) for x in values])


@pytest.mark.mostly_slow(quick=24)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("precision", [2, 11, 19, 20, 21, 32, 33, 34, 40, 51, 52, 53])
def test_sums_next_to_where_a_rounding_changes(precision, mode):
    """Of a number and the fraction of its last place beyond which the magnitude grows, or neighbours of that."""
    rng = random.Random(f"{precision} {mode}")
    format = FloatFormat(precision=precision, exponent_bits=9, rounding=mode, seed=rng.randrange(2**63))
    for count in range(16):
        fraction = mpq(2 * random_bits(format.seed, count) + 1, 2 << RANDOM_BITS)
        if mode is not Rounding.STOCHASTIC:
            fraction = mpq(1, 2)
        pairs = []
        for _ in range(20):
            unit = mpq(2) ** rng.randint(-40, 40)
            x = unit * rng.choice((2 ** (precision - 1), 2**precision - 1, rng.getrandbits(precision) | 1))
            y = format.parameters.rounded(unit * rng.choice((fraction, fraction - 1, fraction + 1)))
            y *= 1 + mpq(rng.choice((0, 1, -1)), 2 ** (precision - 1))
            sign = rng.choice((1, -1))
            pairs.append((sign * format.nearest(x), sign * format.nearest(y)))
        column, results = (np.array(part) for part in zip(*pairs, strict=True))
        lanes.add(column, results, lanes.carrier_of(plain(format, False)), count)
        expected = [FloatOperations(format, count).add(as_number(x), as_number(y)) for x, y in pairs]
        assert bits(results.tolist()) == bits(expected)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_lanes_side_by_side_are_runs_of_their_own(mode):
    for n in range(3):
        rng = random.Random(f"{mode} {n}")
        format = format_at_random(rng, mode, rng.choice(list(MANNERS.values())), n % 2 == 1)
        network, _ = network_at_random(rng, format)
        executor = RoundedExecutor(network, format)
        steps = CompiledSteps(network, Roundings(network, format).parameters, format)
        starts = np.array([[format.nearest(number(rng, format)) for _ in executor.start().numbers] for _ in range(5)])
        starts[1], starts[2, 0] = 0.0, math.nan
        for symbol in range(network.circuit.input_size):
            following = steps.following(starts, symbol, np.float64)
            outputs = steps.outputs(starts, np.float64)
            for lane, start in enumerate(starts):
                alone = executor.advance(RoundedState(start, 0), symbol, 1, until_decided=False).state
                assert bits(following[lane].tolist()) == bits(alone.numbers.tolist())
                read = executor.output(RoundedState(start, 0))
                assert bits(outputs[lane].tolist()) == bits(read if isinstance(read, tuple) else [read])


# --- packed states


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [RoundedExecutor, EmulatedExecutor])
def test_a_packed_state_runs_on_alike(kind, mode):
    for n in range(12):
        rng = random.Random(f"{mode} {n}")
        format = format_at_random(rng, mode, rng.choice(list(MANNERS.values())), n % 3 == 0)
        network, word = network_at_random(rng, format)
        executor = kind(network, format)
        state = executor.start()
        for symbol, count in word:
            back = executor.unpack(json.loads(json.dumps(executor.pack(state))))
            assert pack_numbers(executor.values(back)) == pack_numbers(executor.values(state))
            assert executor.pack(back) == executor.pack(state)
            here, there = (executor.advance(s, symbol, count, until_decided=False) for s in (state, back))
            assert bits(here.outputs) == bits(there.outputs)
            assert executor.pack(here.state) == executor.pack(there.state)
            state = here.state


def packed(numbers, operations="0x0"):
    return {"numbers": list(numbers), "operations": operations}


def refuses(kind, format, data, size=1):
    identity = [[int(i == j) for j in range(size)] for i in range(size)]
    network = SimpleRNN(V=identity, W=[[1]] * size, b=[0] * size, s=[0] * size, readout_weight=[1] * size)
    executor = kind(network, format)
    executor.unpack(executor.pack(executor.start()))
    with pytest.raises(CheckpointError):
        executor.unpack(data)


@pytest.mark.parametrize("kind", [RoundedExecutor, EmulatedExecutor])
@pytest.mark.parametrize(
    "data",
    [
        None, [], "0x0", ["0x0.0p+0"], {}, {"numbers": ["0x0.0p+0"]}, {"operations": "0x0"},
        {"numbers": ["0x0.0p+0"], "operations": "0x0", "more": 1}, packed([]), packed(["0x0.0p+0"] * 2),
        packed(["0x0.0p+0"], 0), packed(["0x0.0p+0"], "-0x1"), packed(["0x0.0p+0"], "0x1/0x2"),
        packed(["0x0.0p+0"], None), packed(["0"]), packed([0.0]), packed("0"),
    ],
    ids=str,
)  # fmt: skip
def test_what_pack_cannot_have_written_is_refused(kind, data):
    refuses(kind, BFLOAT16, data)


@pytest.mark.parametrize("format", [BFLOAT16, FLOAT8_E4M3, replace(FLOAT8_E5M2, rounding="up")], ids=str)
def test_a_number_of_another_format_is_refused(format):
    for value in (1 + format.unit_roundoff, format.smallest / 2, 2 * format.largest, 3 * format.smallest / 2):
        refuses(RoundedExecutor, format, packed(pack_numbers((float(value),))))
        refuses(EmulatedExecutor, format, packed(pack_numbers((value,))))
    flushed = replace(format, subnormals=False)
    refuses(RoundedExecutor, flushed, packed(pack_numbers((float(flushed.smallest / 2),))))
    refuses(EmulatedExecutor, flushed, packed(pack_numbers((flushed.smallest / 2,))))


def test_a_packed_state_after_more_operations_than_there_can_be():
    refuses(RoundedExecutor, BFLOAT16, packed(["0x0.0p+0"], hex(2**64)))


def test_emulated_numbers_that_are_finite_floats_are_refused():
    refuses(EmulatedExecutor, BFLOAT16, packed(["0x1.8000000000000p+0"]))


def test_an_emulated_zero_that_is_rational_is_refused():
    refuses(EmulatedExecutor, BFLOAT16, packed(["0x0"]))


@pytest.mark.parametrize("kind", [RoundedExecutor, EmulatedExecutor])
@pytest.mark.parametrize("format", [FLOAT8_E4M3, FLOAT6_E2M3], ids=str)
def test_infinities_of_formats_without_them_are_refused(kind, format):
    refuses(kind, format, packed(["inf"]))
