"""A user's number becomes exactly the rational that it says, or is refused by name."""

import decimal
import math
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st

from exactnn.arithmetic import FLOAT16, FixedPoint, FloatFormat, exact
from exactnn.errors import NumberError
from tests.promptness import promptly

EXACT = type(mpq(0))


def same(value, p, q=1):
    """Whether `value` is the mpq p/q in lowest terms."""
    reduced = Fraction(p, q)
    return type(value) is EXACT and (value.numerator, value.denominator) == (reduced.numerator, reduced.denominator)


@pytest.mark.parametrize(
    ("value", "p", "q"),
    [
        (7, 7, 1),
        (-(10**40), -(10**40), 1),
        (True, 1, 1),
        (Fraction(-4, 6), -2, 3),
        (gmpy2.mpz(-12), -12, 1),
        (mpq(6, 4), 3, 2),
        (np.int64(-(2**63)), -(2**63), 1),
        (np.uint64(2**64 - 1), 2**64 - 1, 1),
        (np.uint8(255), 255, 1),
        (np.float16(0.1), 819, 8192),
        (np.float32(0.1), 13421773, 2**27),
        (np.float64(0.1), 3602879701896397, 2**55),
        (0.1, 3602879701896397, 2**55),
        (-0.0, 0, 1),
        (5e-324, 1, 2**1074),
        (gmpy2.mpfr("0.375"), 3, 8),
    ],
)
def test_accepted_types(value, p, q):
    assert same(exact(value), p, q)


@pytest.mark.parametrize(
    ("text", "p", "q"),
    [
        ("0", 0, 1),
        ("-0", 0, 1),
        ("+3", 3, 1),
        ("010", 10, 1),  # not octal
        ("08/010", 4, 5),
        (" 4 / 6 ", 2, 3),
        ("-0x1F/0x20", -31, 32),
        ("0X10/3", 16, 3),
        ("0.1", 1, 10),
        ("-2.50", -5, 2),
        ("1.", 1, 1),
        (".5", 1, 2),
        ("-.5", -1, 2),
        ("+.5e1", 5, 1),
        ("-.25E-2", -1, 400),
        ("1e3", 1000, 1),
        ("1.5e-3", 3, 2000),
    ],
)
def test_accepted_texts(text, p, q):
    assert same(exact(text), p, q)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "x", "0x", "1/0", "0x1/0x0", "1/", "/2", "1/-2", "1//2", "1/2/3", "nan", "inf", "-inf", "infinity"),
        *("1e400000000", "-1e-400000000", "1e999999", "1.5/2", "0x1.8", "0x1p3", "0b1", "0o7", "1_000", "1,5", "--1"),
        *("٣", "½", "1\u00a02", "1 2", ".", "-", "e5", "1e", "1e+", "1j", "0x1e5/0xg", "1\x00", "[1]", "__import__"),
    ],
)
def test_hostile_texts_are_refused_and_shown(text):
    with pytest.raises(NumberError) as caught:
        exact(text)
    assert repr(text)[:50] in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        *(float("nan"), float("inf"), -float("inf"), np.float32("nan"), np.float64("-inf"), gmpy2.mpfr("inf")),
        *(None, 1j, b"1", [1], (1, 2), {}, np.array([1]), np.bool_(True), decimal.Decimal("0.1"), object(), int),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_are_refused_and_shown(value):
    with pytest.raises(NumberError) as caught:
        exact(value)
    assert repr(value)[:50] in str(caught.value)


@pytest.mark.parametrize("text", ["1" * 20_000 + "?", " " * 20_000 + "?", "1." + "1" * 20_000 + "?", "/" * 20_000])
def test_a_long_hostile_text_is_refused_at_once_and_in_few_words(text):
    with promptly(), pytest.raises(NumberError) as caught:
        exact(text)
    assert len(str(caught.value)) < 200


def test_integers_beyond_the_digit_limit_of_python():
    assert same(exact(-(10**6000)), -(10**6000))
    assert same(exact(Fraction(1, 10**6000)), 1, 10**6000)


@given(st.fractions())
def test_fractions_are_taken_over(value):
    assert same(exact(value), value.numerator, value.denominator)
    assert exact(exact(value)) == exact(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1.7976931348623157e308)
@example(-5e-324)
@example(2.2250738585072014e-308)
def test_a_float_is_the_dyadic_rational_that_it_is(value):
    assert same(exact(value), *value.as_integer_ratio())
    assert same(exact(np.float64(value)), *value.as_integer_ratio())


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float32_is_taken_exactly_too(value):
    assert same(exact(np.float32(value)), *value.as_integer_ratio())


@given(st.integers(), st.integers(min_value=1))
def test_decimal_and_hexadecimal_texts_of_a_fraction(p, q):
    assert same(exact(f"{p}/{q}"), p, q)
    assert same(exact(f"{p:#x} / {q:#X}"), p, q)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30))
def test_a_decimal_text_is_a_fraction_over_a_power_of_ten(value):
    assert same(exact(str(value)), *value.as_integer_ratio())


@given(st.text(alphabet="0123456789abxXeE+-./ _\n", max_size=12))
@example("-.5")
@example("1e-3")
def test_any_text_is_a_number_or_refused(text):
    try:
        value = exact(text)
    except NumberError:
        return
    assert type(value) is EXACT
    if "x" not in text.lower():
        p, _, q = text.replace(" ", "").strip().partition("/")
        assert value == mpq(*(decimal.Decimal(p) / 1).as_integer_ratio()) / int(q or "1")


@pytest.mark.parametrize(
    "format",
    [FLOAT16, FloatFormat(precision=60, exponent_bits=12), FixedPoint(integer_bits=4, fraction_bits=9)],
    ids=str,
)
@pytest.mark.parametrize("value", [0.1, -0.1, "1/3", 3, Fraction(-2, 7), -0.0])
def test_formats_round_every_exact_number_as_it_is(format, value):
    assert format.rounded(value) == format.rounded(exact(value))
    assert format.spacing(value) == format.spacing(exact(value))
    for wrong in (math.nan, math.inf, None, "x"):
        with pytest.raises(NumberError):
            format.rounded(wrong)
