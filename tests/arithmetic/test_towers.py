"""Towers of powers against plain integers: here powers are symbolic from a few bits on, so that both can be had."""

import json
from contextlib import suppress
from math import gcd, log2

import pytest
from gmpy2 import mpq, mpz
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from exactnn.arithmetic import Tower, count_text, exact, power, tower, tower_from_json, tower_to_json
from exactnn.arithmetic.carmichael import carmichael
from exactnn.arithmetic.iterated_logarithm import UNIT, Size
from exactnn.errors import NumberError, SizeLimitError


def evaluated(number):
    """Return a number as a plain rational."""
    if not isinstance(number, Tower):
        return mpq(number)
    return number.constant + sum(v * mpz(base) ** int(evaluated(e)) for base, e, v in number.terms)


@pytest.fixture(params=[4, 8, 30, 100], ids="symbolic beyond {} bits".format)
def written_bits(request, monkeypatch):
    monkeypatch.setattr(tower, "WRITTEN_BITS", request.param)


recipes = st.recursive(
    st.integers(1, 60),
    lambda inner: st.tuples(inner, st.integers(-9, 9), st.integers(-50, 50), st.sampled_from([1, 2, 4, 7, 8])),
    max_leaves=3,
)


def built(recipe, base):
    """Return a whole number made of powers of powers: (exponent, factor, summand, divisor)."""
    if isinstance(recipe, int):
        return recipe
    exponent, factor, summand, divisor = recipe
    raised = built(exponent, base)
    assume(0 <= evaluated(raised) < 3000)
    return (power(base, raised) * factor + summand) // divisor


@pytest.mark.usefixtures("written_bits")
@settings(max_examples=50, deadline=None)
@given(st.sampled_from([2, 3, 5, 6, 12]), recipes, recipes, st.integers(1, 99), st.integers(1, 4), st.integers(1, 4))
@example(2, (60, 1, 0, 1), (59, 2, 0, 1), 7, 1, 1)
def test_all_operations_are_those_of_integers(base, first, second, modulus, p, q):
    try:
        one, other = built(first, base), built(second, base)
        difference = one * p - other * q
        plain = evaluated(difference)
        assert plain == evaluated(one) * p - evaluated(other) * q
        assert (difference > 0, difference < 0, difference == 0) == (plain > 0, plain < 0, plain == 0)
        assert (one == other) == (evaluated(one) == evaluated(other))
        assert (difference % modulus, evaluated(difference // modulus)) == (plain % modulus, plain // modulus)
        assert hash(one) == hash(evaluated(one)) or not isinstance(one, Tower) or one < 0
        assert evaluated(one * other) == evaluated(one) * evaluated(other)
        if isinstance(difference, Tower):
            size, logarithm = difference.size, abs(plain.numerator) / mpz(plain.denominator)
            for _ in range(size.levels):
                logarithm = log2(logarithm)
            assert size.low <= logarithm * UNIT <= size.high
            again = tower_from_json(json.loads(json.dumps(tower_to_json(difference))), exact, lambda x: int(x, 16))
            assert evaluated(again) == plain
    except SizeLimitError:  # it may say that it does not know, never what is wrong
        pass


@pytest.mark.usefixtures("written_bits")
def test_most_of_that_is_decided():
    rows = [(b, e, f) for b in (2, 3, 6) for e in range(40, 60, 3) for f in (-3, 1, 5)]
    numbers = [power(b, e) * f for b, e, f in rows]
    plain = list(map(evaluated, numbers))
    known = 0
    for one, first in zip(numbers, plain, strict=True):
        for other, second in zip(numbers, plain, strict=True):
            with suppress(SizeLimitError):
                assert (one < other) == (first < second)
                known += 1
    assert known > 0.75 * len(rows) ** 2


def test_powers_that_come_near_to_each_other_are_one_term():
    """x + x is a power of 2 with the next exponent; then it may be near to a power to which x was not."""
    apart = (tower.WRITTEN_BITS >> 1) + 1
    x, y, z = (power(2, power(3, 10**9) + n * apart) for n in range(3))
    near, far, half = (x + y) + x, x + y, z - y * mpq(1, 2)
    assert [len(total.terms) for total in (near, far, half, half + y, x + z + y)] == [1, 2, 2, 2, 3]
    assert (near - y, near - x * 2, half + y - z) == (x * 2, y, y * mpq(1, 2))
    for total in (near, far, (x + z) + (y + near), z + (z + near)):
        assert tower_from_json(tower_to_json(total), exact, lambda text: int(text, 16)) == total


def test_what_cannot_be_written_out():
    x = power(3, power(3, 100))
    assert x % 10 == 3  # 3**100 is odd, and 1 modulo 4
    assert (x - x, x + 1 - x, x * 2 - x == x, (x // 3) * 3 == x) == (0, 1, True, True)
    assert power(9, power(3, 100)) == x * x
    assert power(2, 1 << 30) < x
    assert x > power(2, power(3, 100))
    assert -x < 0 < x
    with pytest.raises(OverflowError, match="too long to be written out"):
        int(x)
    with pytest.raises(SizeLimitError, match="powers of 3 and 2"):
        x * power(2, power(2, 100))
    with pytest.raises(SizeLimitError, match="negative exponent"):
        power(2, -x)
    with pytest.raises(NumberError, match="the exponent -3, which is negative"):
        power(2, -3)


def test_towers_of_thousands_of_powers():
    heights = [1]
    for _ in range(2050):
        heights.append(power(2, heights[-1]))
    assert heights[2050] > heights[2049] + heights[100]
    assert (heights[2050] - heights[2049]) % 1009 == 0  # powers of 2 modulo a small number end in a constant
    total = sum(heights[6:], mpz(0))
    assert count_text(total) == "more than 10↑↑2047"
    # A long sum to which short ones are added is that sum, whatever the order, and nothing is left when all are gone.
    twice = total
    for height in heights[6:]:
        twice = twice + height
    assert len(twice.terms) == len(total.terms) > 2000
    assert twice == 2 * total
    for height in reversed(heights[6:]):
        twice -= 2 * height
    assert twice == 0


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (power(10, 10**8), "about 1e100000000"),
        (power(10, 4 * 10**8), "about 10^(4e08)"),
        (power(2, power(10, 4 * 10**8)), "more than 10↑↑3"),
        (power(2, 10**10) * 7, "about 10^(3.01e09)"),
        (power(10, power(10, 10)), "about 10^(1e10)"),
        (power(10, power(10, power(10, 10))), "more than 10↑↑3"),
        (power(10, power(10, power(10, 10))) + 1, "more than 10↑↑4"),
        (-power(10, 10**8), "-(about 1e100000000)"),
    ],
)
def test_text(number, text):
    assert (count_text(number), str(number), f"{number:,}") == (text,) * 3


@pytest.mark.parametrize("value", [2, 3, 1000, 1 << 70, 3**10000, (1 << 100_000) - 1], ids=int.bit_length)
def test_sizes_hold_the_logarithm(value):
    size = Size.of(value)
    number = value
    for _ in range(size.levels):
        number = log2(number)
    assert size.low <= number * UNIT <= size.high
    assert size.high - size.low < 1000
    assert size.exceeds_bits(10) is (value.bit_length() > 11)


def test_the_period_of_powers():
    for modulus in range(1, 400):
        period = carmichael(modulus)
        units = [x for x in range(modulus) if gcd(x, modulus) == 1]
        assert all(pow(x, period, modulus) == 1 % modulus for x in units)
    with pytest.raises(SizeLimitError, match="is not known"):
        carmichael((2**61 - 1) * (2**89 - 1))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([], "no list of one to"),
        ({}, "no list of one to"),
        ([1], "is no sum"),
        ([{"constant": "0x1"}], "is no sum"),
        ([{"constant": "0x1", "powers": [[2, "0x5"]]}], "is no power"),
        ([{"constant": "0x1", "powers": [[1, "0x5", "0x1"]]}], "the base 1 "),
        ([{"constant": "0x1", "powers": [[True, "0x5", "0x1"]]}], "the base True "),
        ([{"constant": "0x1", "powers": [[2, 0, "0x1"]]}], "no number of a sum before"),
        ([{"constant": "0x1/0x3", "powers": []}], "no whole number"),
        ([{"constant": "0x1/0x3", "powers": [[2, "0x123456789abc", "0x1"]]}], "no whole number"),
        ([{"constant": "0x0", "powers": [[2, "0x5", "0x1"]] * 20000}], "more than 16384 powers"),
    ],
)
def test_data_that_are_no_tower(data, text):
    with pytest.raises(NumberError, match=text):
        tower_from_json(data, exact, lambda x: int(x, 16))
