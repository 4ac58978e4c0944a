"""Enclosures and directed rounding: bounds hold, are as narrow as their bits, and comparisons are certain."""

from fractions import Fraction

import gmpy2
import pytest
from gmpy2 import mpfr, mpq
from hypothesis import assume, given
from hypothesis import strategies as st

from exactnn.arithmetic import (
    CERTIFIED,
    Certified,
    DirectedRounding,
    Enclosure,
    Interval,
    arithmetic_from_json,
    arithmetic_to_json,
    exact,
    exact_dyadic,
)
from exactnn.errors import BitLimitError, ExactnnError, NumberError, OptionError
from exactnn.networks import ACTIVATIONS
from tests.strategies import rationals

DYADICS = st.builds(lambda n, e: mpq(n) * mpq(2) ** e, st.integers(-(2**12), 2**12), st.integers(-20, 8))
BITS = st.integers(2, 80)
ORACLE_BITS = 1000


def ordered(pair):
    return Enclosure(low=min(pair), high=max(pair))


enclosures = st.tuples(DYADICS, DYADICS).map(ordered)
shares = st.fractions(0, 1, max_denominator=8)


def inside(enclosure, share):
    """A number of an enclosure."""
    return enclosure.low + mpq(share.numerator, share.denominator) * enclosure.width


def bounds(enclosure):
    return exact_dyadic(enclosure.low), exact_dyadic(enclosure.high)


def significant_bits(value):
    return 0 if not value else (value.numerator >> ((value.numerator & -value.numerator).bit_length() - 1)).bit_length()


@given(enclosures, rationals())
def test_comparisons_are_those_of_all_numbers_between_the_bounds(enclosure, bound):
    ends = {x > bound for x in enclosure}
    assert enclosure.above(bound) is (ends.pop() if len(ends) == 1 else None)
    ends = {x < bound for x in enclosure}
    assert enclosure.below(bound) is (ends.pop() if len(ends) == 1 else None)
    assert enclosure.contains(bound) is (enclosure.low <= bound <= enclosure.high)
    assert enclosure.contains(enclosure.midpoint)
    assert enclosure.contains(enclosure)
    assert enclosure.contains(Enclosure(low=enclosure.low - 1, high=enclosure.high)) is False


@given(st.tuples(rationals(largest=1000), st.fractions(0, "1/1000")))
def test_what_is_shown_encloses_the_number_too(pair):
    low, width = pair
    enclosure = Enclosure(low=low, high=low + mpq(width.numerator, width.denominator))
    text = str(enclosure)
    if text.startswith("["):
        shown = Enclosure(**dict(zip(("low", "high"), map(exact, text[1:-1].split(", ")), strict=True)))
        assert shown.contains(enclosure)
        assert shown.width <= 2 * enclosure.width + abs(enclosure.low) / 10**15
    else:
        assert Fraction(text) == low


@given(rationals(largest=10**9), BITS)
def test_a_rational_is_between_the_closest_numbers_of_so_many_bits(value, bits):
    low, high = map(mpq, DirectedRounding(bits).enclosed(value))
    assert low <= value <= high
    assert all(significant_bits(abs(x)) <= bits for x in (low, high))
    assert high - low <= abs(value) * mpq(2) ** (1 - bits)
    if significant_bits(abs(value)) <= bits and not value.denominator & (value.denominator - 1):
        assert low == value == high
    elif value:
        assert low < value < high


@given(enclosures, enclosures, shares, shares, BITS)
def test_products_of_all_numbers_are_enclosed(x, y, s, t, bits):
    rounding = DirectedRounding(bits)
    exactly = [a * b for a in x for b in y]
    found = rounding.enclosure(rounding.product(bounds(x), bounds(y)))
    assert found.contains(inside(x, s) * inside(y, t))
    assert found.contains(Enclosure(low=min(exactly), high=max(exactly)))
    slack = max(map(abs, exactly)) * mpq(2) ** (2 - rounding.working_bits)
    assert Enclosure(low=min(exactly) - slack, high=max(exactly) + slack).contains(found)
    square = rounding.enclosure(rounding.square(bounds(x)))
    least, most = (mpq(0) if x.low <= 0 <= x.high else min(x.low**2, x.high**2)), max(x.low**2, x.high**2)
    assert square.contains(inside(x, s) ** 2)
    assert square.contains(Enclosure(low=least, high=most))
    slack = most * mpq(2) ** (2 - rounding.working_bits)
    assert Enclosure(low=least - slack if least else 0, high=most + slack).contains(square)


def oracle(name, value):
    """A function at a rational, by MPFR with so many bits that its error plays no part."""
    with gmpy2.context(precision=ORACLE_BITS):
        x = mpfr(value)
        return mpq(FUNCTIONS[name](x))


FUNCTIONS = {
    "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)),
    "tanh": gmpy2.tanh,
    "softplus": lambda x: gmpy2.log1p(gmpy2.exp(x)),
    "exp": gmpy2.exp,
}


@pytest.mark.parametrize("name", [name for name, kind in ACTIVATIONS.items() if not kind.is_rational])
@given(x=enclosures, share=shares, bits=BITS)
def test_smooth_functions_are_enclosed_and_narrow(name, x, share, bits):
    assume(max(abs(x.low), abs(x.high)) < 700_000)  # exp of what is further from 0 is beyond the bounds there are
    rounding = DirectedRounding(bits)
    found = rounding.enclosure(rounding.kept(getattr(rounding, name)(bounds(x))))
    assert found.contains(oracle(name, x.low))
    assert found.contains(oracle(name, x.high))
    value = oracle(name, inside(x, share))
    assert found.contains(value)
    point = rounding.enclosure(rounding.kept(getattr(rounding, name)((exact_dyadic(x.low),) * 2)))
    truth = oracle(name, x.low)
    assert point.contains(truth)
    assert point.width <= abs(truth) * mpq(2) ** (2 - bits)  # at most two numbers of so many bits apart


@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
@given(x=st.fractions(-10, 10), width=st.integers(66, 600), bits=st.integers(512, 700))
def test_functions_that_are_computed_at_one_bound(name, x, width, bits):
    """With so many bits the other bound follows from the slope: it is beyond the function, and hardly."""
    rounding = DirectedRounding(bits)
    low, high = mpq(x), mpq(x) + mpq(1, 1 << width)
    given_ = rounding.enclosed(low)[0], rounding.enclosed(high)[1]
    found = rounding.enclosure(getattr(rounding, name)(given_))
    least, most = (oracle(name, mpq(bound)) for bound in given_)
    assert found.low <= least <= most <= found.high
    assert found.width <= (most - least) * (1 + mpq(1, 1 << 25)) + mpq(1, 1 << (bits + 10))


@pytest.mark.parametrize("power", [10, 20, 30, 40, 70, 200])
def test_huge_arguments_of_smooth_functions(power):
    rounding = DirectedRounding(53)
    for sign in (1, -1):
        x = exact_dyadic(sign * mpq(2) ** power)
        low, high = map(mpq, rounding.kept(rounding.sigmoid((x, x))))
        assert 0 <= low < high < mpq(1, 2**300) or sign > 0
        assert (mpq(1) - mpq(1, 2**53) <= low < high == 1) or sign < 0
        low, high = map(mpq, rounding.kept(rounding.tanh((x, x))))
        assert sign * (low + high) > 0
        assert 1 in (abs(low), abs(high))
        assert low != high
        if sign > 0 and power >= 20:
            with pytest.raises(BitLimitError, match="beyond"):
                rounding.kept(rounding.exp((x, x)))
        else:
            low, high = map(mpq, rounding.kept(rounding.exp((x, x))))
            assert 0 <= low < high
            assert high < mpq(1, 2**1000) or sign > 0
            assert low > 2**1000 or sign < 0


def test_what_has_no_exponent_any_more():
    rounding = DirectedRounding(53)
    huge, tiny = exact_dyadic(mpq(2) ** (1 << 21)), exact_dyadic(mpq(1, 2 ** (1 << 21)))
    with pytest.raises(BitLimitError, match="beyond"):
        rounding.kept((huge, huge))
    low, high = map(mpq, rounding.kept((tiny, tiny)))
    assert low == 0 < mpq(tiny) < high
    low, high = map(mpq, rounding.kept((-tiny, -tiny)))
    assert low < -mpq(tiny) < 0 == high
    with pytest.raises(BitLimitError):
        rounding.finite((mpfr("nan"), mpfr("inf")))


@pytest.mark.parametrize("bits", [0, 1, -3, True, 53.0, "53", None, 10**9, 2**200])
def test_bits_that_there_cannot_be(bits):
    for make in (lambda: Interval(bits=bits), lambda: Certified(bits=bits), lambda: Certified(most_bits=bits)):
        with pytest.raises(OptionError, match="give a whole number from 2"):
            make()


@pytest.mark.parametrize("options", [{"bits": 100, "most_bits": 99}, {"width": 0}, {"width": -1}, {"width": True}])
def test_options_that_do_not_fit(options):
    with pytest.raises(OptionError):
        Certified(**options)


@pytest.mark.parametrize("width", ["x", None, float("nan")])
def test_widths_that_are_no_numbers(width):
    with pytest.raises(NumberError):
        Certified(width=width)


def test_an_enclosure_has_its_bounds_in_order():
    with pytest.raises(NumberError, match="no number is enclosed"):
        Enclosure(low=1, high=0)
    with pytest.raises(NumberError):
        Enclosure(low=float("-inf"), high=0)
    assert Enclosure(low=0.5, high="1/2") == Enclosure(low=mpq(1, 2), high=mpq(1, 2))


ARITHMETICS = (Interval(bits=2), Interval(bits=1000), CERTIFIED, Certified(bits=3, most_bits=17, width="1/3"))


@pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=str)
def test_arithmetics_are_written_and_read(arithmetic):
    data = arithmetic_to_json(arithmetic)
    assert arithmetic_from_json(data) == arithmetic
    for key in data:
        with pytest.raises(ExactnnError):
            arithmetic_from_json({k: v for k, v in data.items() if k != key})
        with pytest.raises(ExactnnError):
            arithmetic_from_json({**data, key: [1]})


def test_bits_are_doubled_up_to_the_limit():
    assert [interval.bits for interval in CERTIFIED.intervals] == [64, 128, 256, 512, 1024, 2048, 4096]
    assert [interval.bits for interval in Certified(bits=5, most_bits=5).intervals] == [5]
