"""Numbers of any length become text and come back; short texts are for people."""

import re
from fractions import Fraction

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from strategies import long_rationals, rationals

from exactnn.arithmetic import exact, exact_text, short_text


@given(st.one_of(rationals(largest=10**9), rationals(largest=2**200), long_rationals()))
def test_exact_reads_back_what_exact_text_writes(value):
    text = exact_text(value)
    assert exact(text) == value
    assert exact(f"  {text}\n") == value


def test_numbers_beyond_the_digit_limit_of_python():
    value = mpq(-(7**12000), 10**9000 + 1)
    text = exact_text(value)
    assert len(text) > 10**4
    assert exact(text) == value
    assert exact("1" * 20000) == mpq((10**20000 - 1) // 9)
    assert exact(f"0.{'0' * 8999}1") == mpq(1, 10**9000)


@given(rationals(largest=10**6))
def test_exact_text_is_hexadecimal(value):
    match = re.fullmatch(r"(-?)0x([0-9a-f]+)(?:/0x([0-9a-f]+))?", exact_text(value))
    assert match is not None
    sign, p, q = match.groups()
    assert Fraction(int(f"{sign}{p}", 16), int(q or "1", 16)) == Fraction(int(value.numerator), int(value.denominator))


@given(rationals(largest=10**6))
def test_a_short_number_is_shown_whole(value):
    assert exact(short_text(value)) == value


@given(long_rationals())
def test_a_long_number_is_shown_by_its_size(value):
    text = short_text(value)
    assert len(text) < 60
    assert f"({value.numerator.bit_length()}/{value.denominator.bit_length()} bits)" in text


def test_the_leading_digits_of_a_number_beyond_any_float():
    assert short_text(mpq(10) ** 6000).startswith("≈1.0000e+6000 ")
    assert short_text(mpq(-1, 3 * 10**6000)).startswith("≈-3.3333e-6001 ")


def test_the_limit_of_short_text_counts_characters():
    assert short_text(mpq(123456, 7), limit=8) == "123456/7"
    assert short_text(mpq(123456, 7), limit=7) == "≈1.7637e+04 (17/3 bits)"
