"""Sigmoid and tanh of numbers of a format: the definition, against values with very many bits and one rounding."""

from dataclasses import replace

import gmpy2
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_circuit import bits, smooth

from exactnn.arithmetic import (
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FixedOperations,
    FixedPoint,
    FloatFormat,
    FloatOperations,
    MpfrOperations,
    Rounding,
    can_mpfr,
    operations_of,
)
from exactnn.arithmetic.mpfr import ProcessorOperations
from exactnn.arithmetic.rounding import random_bits
from exactnn.networks import ACTIVATIONS, Activation

INFINITY, NAN = float("inf"), float("nan")
SMOOTH = tuple(activation for activation in ACTIVATIONS.values() if not activation.is_rational)
MODES = tuple(Rounding)
LEAST = st.integers(0, 2**64 - 1)


def applied(operations, activation, x):
    return getattr(operations, activation.name)(x)


def by_definition(format, activation, x, draw=0):
    """Return the value at a rational, rounded once."""
    return format.rounded(smooth(activation, x), draw)


def all_numbers(format):
    """Yield every number of a format that is not 0."""
    unit = format.smallest
    while unit <= format.largest:
        for k in range(1, 1 << format.precision):
            if k * unit <= format.largest and (k >= 1 << (format.precision - 1) or unit == format.smallest):
                yield k * unit
                yield -k * unit
        unit *= 2


@pytest.mark.mostly_slow(quick=9, slow=5)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", [FLOAT8_E4M3, FLOAT8_E5M2, FloatFormat(precision=2, exponent_bits=2)], ids=str)
def test_every_number_of_small_formats(format, mode):
    format = replace(format, rounding=mode, seed=11, name="")
    draws = iter(range(1 << 20))
    for x in all_numbers(format):
        for activation in SMOOTH:
            n = next(draws)
            expected = by_definition(format, activation, x, random_bits(11, n) if mode is Rounding.STOCHASTIC else 0)
            assert bits(applied(FloatOperations(format, n), activation, x)) == bits(expected), x
            if can_mpfr(format):
                mpfr = MpfrOperations(format)
                found = mpfr.plain(applied(mpfr, activation, mpfr.number(x)))
                assert bits(found) == bits(expected), x


@given(
    st.sampled_from([(24, 8), (53, 11), (60, 9), (113, 15)]), st.sampled_from(MODES), st.sampled_from(SMOOTH),
    st.integers(-(2**113), 2**113), st.integers(-1300, 12), LEAST,
)  # fmt: skip
def test_any_number_in_any_mode(size, mode, activation, n, exponent, seed):
    format = FloatFormat(precision=size[0], exponent_bits=size[1], rounding=mode, seed=seed)
    x = format.parameters.rounded(mpq(n) * mpq(2) ** (exponent - abs(n).bit_length()))
    if isinstance(x, float):
        return
    expected = by_definition(format, activation, x, random_bits(seed, 5))
    assert bits(applied(FloatOperations(format, 5), activation, x)) == bits(expected)
    if can_mpfr(format):
        mpfr = MpfrOperations(format)
        assert bits(mpfr.plain(applied(mpfr, activation, mpfr.number(x)))) == bits(expected)


@pytest.mark.parametrize("kind", [FloatOperations, MpfrOperations])
def test_zeros_infinities_and_nan(kind):
    operations = kind(FLOAT16)
    found = {
        (activation, x): operations.plain(applied(operations, activation, operations.number(x)))
        for activation in SMOOTH
        for x in (0.0, -0.0, INFINITY, -INFINITY, NAN)
    }
    sigmoid, tanh, softplus, exp = SMOOTH
    half, one = mpq(1, 2), mpq(1)
    expected = {
        (sigmoid, 0.0): half, (sigmoid, INFINITY): one, (sigmoid, -INFINITY): 0.0, (tanh, INFINITY): one,
        (tanh, -INFINITY): -one, (softplus, INFINITY): INFINITY, (softplus, -INFINITY): 0.0,
        (exp, INFINITY): INFINITY, (exp, -INFINITY): 0.0, (exp, 0.0): one, (exp, -0.0): one,
    }  # fmt: skip
    assert {key: bits(found[key]) for key in expected} == {key: bits(value) for key, value in expected.items()}
    for zero in (0.0, -0.0):
        assert bits(applied(operations, sigmoid, operations.number(zero))) == bits(0.5)
        assert bits(applied(operations, tanh, operations.number(zero))) == bits(zero)
        log_2 = operations.plain(applied(operations, softplus, operations.number(zero)))
        assert log_2 == FLOAT16.rounded(smooth(softplus, 0))
    assert all(bits(applied(operations, activation, operations.number(NAN))) == "nan" for activation in SMOOTH)


@pytest.mark.parametrize("kind", [FloatOperations, MpfrOperations])
def test_what_no_number_of_bits_shows_is_rounded_at_once(kind):
    format = FloatFormat(precision=20, exponent_bits=20, rounding="up")
    up, down = (kind(replace(format, rounding=mode, name="")) for mode in ("up", "down"))
    huge, tiny = mpq(2) ** 500000, mpq(1, 2**500000)
    below = 1 - mpq(1, 2**20)
    for operations, one in ((up, 1), (down, below)):
        assert operations.plain(operations.tanh(operations.number(huge))) == one
        assert operations.plain(operations.sigmoid(operations.number(huge))) == one
    assert up.plain(up.sigmoid(up.number(-huge))) == format.smallest
    assert up.plain(up.softplus(up.number(-huge))) == format.smallest
    assert bits(down.plain(down.softplus(down.number(-huge)))) == bits(0.0)
    assert up.plain(up.exp(up.number(-huge))) == format.smallest
    assert bits(down.plain(down.exp(down.number(-huge)))) == bits(0.0)
    assert up.plain(up.exp(up.number(huge))) == INFINITY
    assert down.plain(down.exp(down.number(huge))) == format.largest
    assert up.plain(up.exp(up.number(tiny))) == 1 + mpq(1, 2**19)
    assert down.plain(down.exp(down.number(tiny))) == 1
    assert up.plain(up.exp(up.number(-tiny))) == 1
    assert down.plain(down.exp(down.number(-tiny))) == below
    assert up.plain(up.softplus(up.number(huge))) == huge * (1 + mpq(1, 2**19))
    assert down.plain(down.softplus(down.number(huge))) == huge
    assert bits(down.plain(down.sigmoid(down.number(-huge)))) == bits(0.0)
    assert up.plain(up.sigmoid(up.number(tiny))) == mpq(1, 2) + mpq(1, 2**20)
    assert down.plain(down.sigmoid(down.number(-tiny))) == mpq(1, 2) - mpq(1, 2**21)
    assert up.plain(up.tanh(up.number(tiny))) == tiny
    assert down.plain(down.tanh(down.number(tiny))) == tiny * (1 - mpq(1, 2**20))


@pytest.mark.parametrize("format", [FLOAT32, FLOAT64], ids=str)
@given(x=st.floats(width=32), y=st.floats(width=32))
def test_the_processor_computes_as_mpfr(format, x, y):
    processor, mpfr = operations_of(format)(format), MpfrOperations(format)
    assert type(processor) is ProcessorOperations
    for name, numbers in (("multiply", (x, y)), ("add", (x, y)), *((activation.name, (x,)) for activation in SMOOTH)):
        found = getattr(processor, name)(*map(processor.number, numbers))
        assert type(found) is float
        assert bits(processor.plain(found)) == bits(mpfr.plain(getattr(mpfr, name)(*map(mpfr.number, numbers)))), name


def test_another_context_of_mpfr_changes_nothing():
    usual = applied(MpfrOperations(FLOAT64), Activation.SIGMOID, gmpy2.mpfr(0.7, 53))
    with gmpy2.context(precision=5, emax=3, emin=-3, round=gmpy2.RoundUp):
        assert MpfrOperations(FLOAT64).sigmoid(gmpy2.mpfr(0.7, 53)) == usual
        assert FloatOperations(FLOAT64).sigmoid(mpq(0.7)) == mpq(usual)


@pytest.mark.mostly_slow(quick=20, slow=20)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize(("integer_bits", "fraction_bits", "signed"), [(4, 3, True), (0, 6, True), (5, 0, True),
                                                                      (3, 3, False), (0, 4, False)])  # fmt: skip
def test_every_number_in_fixed_point(integer_bits, fraction_bits, signed, overflow, mode):
    format = FixedPoint(
        integer_bits=integer_bits, fraction_bits=fraction_bits, signed=signed, overflow=overflow, rounding=mode, seed=3
    )
    for n, word in enumerate(range(format.lowest_word, format.largest_word + 1)):
        x = format.number(word)
        for activation in SMOOTH:
            expected = by_definition(format, activation, x, random_bits(3, n))
            assert applied(FixedOperations(format, n), activation, x) == expected, x
