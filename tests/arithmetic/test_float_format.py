"""Rounding into a float format against two oracles that share no code with it.

One is Python's own division of integers, correctly rounded to double; the other rounds in integers, by the
definition of round to nearest, ties to even, with subnormal numbers and overflow.
"""

import math
import struct
from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import extreme_rationals, long_rationals

from exactnn.arithmetic import FLOAT32, FLOAT64, FloatFormat
from exactnn.errors import OptionError

FLOAT16 = FloatFormat(precision=11, exponent_bits=5)
TINY = FloatFormat(precision=2, exponent_bits=2)


def divided(value):
    """Round to double by Python's division of integers."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rounded(value, precision, exponent_bits):
    """Round |p/q| to a multiple of the last place, by integer division and the remainder."""
    p, q = abs(value.numerator), value.denominator
    sign = -1.0 if value.numerator < 0 else 1.0
    if not p:
        return 0.0
    bias = 2 ** (exponent_bits - 1) - 1
    exponent = p.bit_length() - q.bit_length()
    if p * 2 ** max(0, -exponent) < q * 2 ** max(0, exponent):
        exponent -= 1  # now 2**exponent <= p/q < 2**(exponent + 1)
    last_place = max(exponent, 1 - bias) - (precision - 1)
    units, remainder = divmod(p * 2 ** max(0, -last_place), denominator := q * 2 ** max(0, last_place))
    if 2 * remainder > denominator or (2 * remainder == denominator and units % 2):
        units += 1
    if units * Fraction(2) ** last_place >= Fraction(2) ** (bias + 1):
        return sign * math.inf
    return math.copysign(math.ldexp(units, last_place), sign)


def fraction(value):
    return Fraction(int(value.numerator), int(value.denominator))


def bits(value):
    return struct.pack("<d", value)


@given(st.one_of(extreme_rationals(), long_rationals()))
@example(mpq(2) ** 1024 - mpq(2) ** 970)  # halfway between the largest number and the next power
@example(mpq(2) ** 1024 - mpq(2) ** 970 - 1)
@example(mpq(1, 2**1075))  # half of the least subnormal: ties to zero
@example(mpq(3, 2**1075))
@example(mpq(-1, 2**1075) - mpq(1, 2**2000))
@example(mpq(2**53 + 1))
@example(mpq(2**54 + 6, 3))
def test_float64(value):
    nearest = FLOAT64.nearest(value)
    assert bits(nearest) == bits(divided(fraction(value)))
    assert bits(nearest) == bits(rounded(fraction(value), 53, 11))


@given(st.one_of(extreme_rationals(), long_rationals(), extreme_rationals().map(lambda x: x * mpq(2) ** 900)))
@example(mpq(2) ** 128 - mpq(2) ** 103)
@example(mpq(2) ** 128 - mpq(2) ** 103 - mpq(1, 3))
@example(mpq(1, 2**150))
@example(mpq(-3, 2**150))
@example(mpq(2**24 + 1))
@example(mpq(2**24 + 1) + mpq(1, 2**60))  # rounding through double first would tie
def test_float32(value):
    assert bits(FLOAT32.nearest(value)) == bits(rounded(fraction(value), 24, 8))


@pytest.mark.parametrize(("name", "precision", "exponent_bits"), [("float32", 24, 8), ("float64", 53, 11)])
@pytest.mark.parametrize("scale", range(-1100, 1100, 25))
def test_every_tie_goes_to_even(name, precision, exponent_bits, scale):
    format = {"float32": FLOAT32, "float64": FLOAT64}[name]
    for units in (2**precision + 1, 2**precision + 3, 2 ** (precision + 1) - 1, 1, 3, 5):
        for sign in (1, -1):
            value = Fraction(sign * units) * Fraction(2) ** scale
            expected = rounded(value, precision, exponent_bits)
            assert bits(format.nearest(mpq(value.numerator, value.denominator))) == bits(expected)


@given(extreme_rationals(), st.integers(2, 53), st.integers(2, 11))
def test_formats_of_any_size(value, precision, exponent_bits):
    format = FloatFormat(precision=precision, exponent_bits=exponent_bits)
    assert bits(format.nearest(value)) == bits(rounded(fraction(value), precision, exponent_bits))


def test_every_float16_is_itself_and_every_midpoint_goes_to_even():
    numbers = [struct.unpack("<e", struct.pack("<H", code))[0] for code in range(0x7C00)]
    for i, (lower, upper) in enumerate(zip(numbers, [*numbers[1:], 65536.0], strict=True)):
        assert bits(FLOAT16.nearest(mpq(lower))) == bits(lower)
        even = (lower if i % 2 == 0 else upper) if upper < 65536 else math.inf
        assert FLOAT16.nearest((mpq(lower) + mpq(upper)) / 2) == even


def test_the_smallest_format_by_hand():
    expected = [0, 0, 0.5, 0.5, 0.5, 1, 1, 1, 1.5, 2, 2, 2, 3, 3, 3, math.inf, math.inf]
    quarters = [mpq(n, 4) for n in (0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16)]
    assert [TINY.nearest(x) for x in quarters] == expected


def test_the_parameters_of_the_native_formats():
    assert (FLOAT32.precision, FLOAT32.exponent_bits, FLOAT32.largest_exponent) == (24, 8, 127)
    assert (FLOAT64.precision, FLOAT64.exponent_bits, FLOAT64.largest_exponent) == (53, 11, 1023)
    assert (FLOAT32.unit_roundoff, FLOAT64.unit_roundoff) == (mpq(1, 2**24), mpq(1, 2**53))
    assert (str(FLOAT32), str(FLOAT64)) == ("float32", "float64")
    assert str(FloatFormat(precision=4, exponent_bits=3)) == "float(p=4, e=3)"


@given(st.integers(2, 53), st.integers(2, 11))
def test_unit_roundoff_is_half_the_distance_to_the_next_number(precision, exponent_bits):
    format = FloatFormat(precision=precision, exponent_bits=exponent_bits)
    u = format.unit_roundoff
    assert format.nearest(1 + u) == 1
    assert format.nearest(1 + u + u * mpq(1, 10**9)) == float(1 + 2 * u)


@pytest.mark.parametrize("field", ["precision", "exponent_bits"])
@pytest.mark.parametrize("value", [1, 0, -3, True, 2.0, "8", None, 10**9])
def test_parameters_out_of_range_are_refused_and_shown(field, value):
    with pytest.raises(OptionError) as caught:
        FloatFormat(**{"precision": 8, "exponent_bits": 8, field: value})
    assert f"{field}={value!r}" in str(caught.value)


def test_formats_are_values():
    same = FloatFormat(precision=24, exponent_bits=8, name="float32")
    assert same == FLOAT32
    assert hash(same) == hash(FLOAT32)
    with pytest.raises(AttributeError):
        same.precision = 25
