"""The numbers of fixed-point formats, rounding to them and operations on them, against plain integers."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st
from plain_fixed import DETERMINISTIC, OVERFLOWS, product, quotient, settled, small_formats, total, words
from strategies import extreme_rationals, rationals

from exactnn.arithmetic import FixedOperations, FixedPoint, Rounding
from exactnn.arithmetic.rounding import RANDOM_BITS, random_bits
from exactnn.errors import OptionError


@st.composite
def formats(draw, modes=tuple(Rounding), most=70):
    signed = draw(st.booleans())
    bits = draw(st.integers(1 + signed, most))
    fraction_bits = draw(st.integers(0, bits))
    return FixedPoint(
        integer_bits=bits - fraction_bits,
        fraction_bits=fraction_bits,
        signed=signed,
        rounding=draw(st.sampled_from(modes)),
        overflow=draw(st.sampled_from(OVERFLOWS)),
    )


@st.composite
def borders(draw, format):
    """Rationals between, at and right beside the numbers of a format, inside its range and outside."""
    low, high = min(format.lowest_word, 0), format.largest_word
    word = draw(st.one_of(st.integers(low, high), st.integers(-9, 9), st.integers(high - 3, high + 3),
                          st.integers(low - 3, low + 3), st.integers(4 * low - 9, 4 * high + 9)))  # fmt: skip
    beside = draw(st.sampled_from((0, 0, mpq(1, 2), mpq(1, 2), mpq(1, 3), mpq(1, 2**60), mpq(-1, 10**30))))
    return (word + beside) / mpq(2) ** format.fraction_bits


def fraction(value):
    return Fraction(int(value.numerator), int(value.denominator))


# --- the numbers


def test_the_sign_bit_is_one_of_the_integer_bits():
    """Q8.8 of ARM and ap_fixed<16, 8> of AMD are words of 16 bits from -128 to 128 - 1/256."""
    q = FixedPoint(integer_bits=8, fraction_bits=8)
    assert (q.word_bits, q.lowest, q.largest, q.smallest) == (16, -128, 128 - mpq(1, 256), mpq(1, 256))
    u = FixedPoint(integer_bits=0, fraction_bits=8, signed=False)
    assert (u.word_bits, u.lowest, u.largest, u.smallest) == (8, 0, mpq(255, 256), mpq(1, 256))


def test_overflow_as_in_the_user_guide_of_ap_fixed():
    """UG1399, "Overflow Modes", AP_SAT; and the same words with their first bits cut off."""
    sat, wrap = ({"fraction_bits": 0, "integer_bits": 4, "overflow": overflow} for overflow in OVERFLOWS)
    assert [FixedPoint(**sat).rounded(mpq(x)) for x in (19, -19)] == [7, -8]
    assert [FixedPoint(**sat, signed=False).rounded(mpq(x)) for x in (19, -19)] == [15, 0]
    assert [FixedPoint(**wrap).rounded(mpq(x)) for x in (19, -19)] == [3, -3]
    assert [FixedPoint(**wrap, signed=False).rounded(mpq(x)) for x in (19, -19)] == [3, 13]


def test_rounding_of_halves_and_quarters():
    halves = {"integer_bits": 2, "fraction_bits": 1}
    found = {
        mode: [FixedPoint(**halves, rounding=mode).rounded(mpq(x, 4)) for x in (5, -5, 3, -3)] for mode in DETERMINISTIC
    }
    assert found == {
        Rounding.NEAREST_EVEN: [1, -1, 1, -1],
        Rounding.NEAREST_AWAY: [mpq(3, 2), mpq(-3, 2), 1, -1],
        Rounding.TOWARD_ZERO: [1, -1, mpq(1, 2), mpq(-1, 2)],
        Rounding.UP: [mpq(3, 2), -1, 1, mpq(-1, 2)],
        Rounding.DOWN: [1, mpq(-3, 2), mpq(1, 2), -1],
    }


@pytest.mark.parametrize("format", small_formats(), ids=str)
def test_a_format_has_its_numbers_and_no_others(format):
    numbers = [Fraction(k, 2**format.fraction_bits) for k in words(format)]
    assert (format.lowest, format.largest) == (numbers[0], numbers[-1])
    assert len(numbers) == 2**format.word_bits
    reach = 8 * 2**format.word_bits
    beyond = [Fraction(k, 4 * 2**format.fraction_bits) for k in range(-reach, reach)]
    assert [x for x in beyond if format.has_number(mpq(x.numerator, x.denominator))] == numbers
    for x in numbers:
        assert format.rounded(mpq(x.numerator, x.denominator)) == x == format.nearest(mpq(x.numerator, x.denominator))
        assert format.has_number(float(x))
    assert not any(map(format.has_number, (float("inf"), float("-inf"), float("nan"))))


def test_numbers_that_are_floats():
    assert FixedPoint(integer_bits=1, fraction_bits=53).fits_float
    assert FixedPoint(integer_bits=0, fraction_bits=53, signed=False).fits_float
    wide = FixedPoint(integer_bits=1, fraction_bits=54)
    assert not wide.fits_float
    with pytest.raises(OptionError, match="do not fit into a Python float"):
        wide.nearest(mpq(1, 3))


# --- rounding


@given(st.data(), formats(modes=DETERMINISTIC))
def test_every_format_rounds_by_definition(data, format):
    value = data.draw(st.one_of(borders(format), rationals(), extreme_rationals()))
    scaled = fraction(value) * 2**format.fraction_bits
    word = settled(quotient(scaled.numerator, scaled.denominator, format.rounding), format)
    found = format.rounded(value)
    assert type(found) is mpq
    assert found == Fraction(word, 2**format.fraction_bits)
    assert format.has_number(found)


@given(st.data(), formats(modes=[Rounding.STOCHASTIC]), st.integers(0, 2**RANDOM_BITS - 1))
def test_stochastic_rounding_goes_to_a_neighbour_by_the_random_number(data, format, draw):
    value = data.draw(borders(format))
    scaled = fraction(value) * 2**format.fraction_bits
    size = abs(scaled)
    grows = size % 1 > Fraction(2 * draw + 1, 2 ** (RANDOM_BITS + 1))
    word = settled((size // 1 + grows) * (1 if scaled > 0 else -1), format)
    assert format.rounded(value, draw) == Fraction(word, 2**format.fraction_bits)


@given(st.data(), formats())
def test_parameters_are_rounded_to_nearest_even(data, format):
    value = data.draw(borders(format))
    expected = replace(format, rounding="nearest even").rounded(value)
    assert format.parameters.rounded(value) == expected
    if format.fits_float:
        assert format.nearest(value) == expected
    assert format.spacing(value) == format.smallest == mpq(1, 2**format.fraction_bits)


# --- operations


@pytest.mark.mostly_slow(quick=2)
@pytest.mark.parametrize("overflow", OVERFLOWS)
@pytest.mark.parametrize("mode", DETERMINISTIC)
def test_all_pairs_of_numbers_of_all_small_formats(mode, overflow):
    for format in small_formats():
        format = replace(format, rounding=mode, overflow=overflow, name="")
        operations = FixedOperations(format)
        numbers = [(k, format.number(k)) for k in words(format)]
        for j, x in numbers:
            for k, y in numbers:
                assert operations.multiply(x, y) == format.number(product(j, k, format))
                assert operations.add(x, y) == format.number(total(j, k, format))


def test_the_operations_take_the_random_numbers_one_by_one():
    format = FixedPoint(integer_bits=2, fraction_bits=3, rounding="stochastic", seed=5)
    operations = FixedOperations(format)
    third = mpq(3, 8)
    found = [operations.multiply(third, third) for _ in range(50)]
    assert found == [format.rounded(third * third, random_bits(5, i)) for i in range(50)]
    assert len(set(found)) == 2


@given(st.data(), formats(modes=DETERMINISTIC))
def test_sums_that_wrap_around_on_the_way_and_come_back_are_right(data, format):
    """In two's complement the order of a sum plays no part, and if the total is in range it is the exact one."""
    wraps, saturates = replace(format, overflow="wrap", name=""), replace(format, overflow="saturate", name="")
    terms = [format.number(data.draw(st.integers(format.lowest_word, format.largest_word))) for _ in range(5)]
    found = terms[0]
    for term in terms[1:]:
        found = FixedOperations(wraps).add(found, term)
    exact = sum(terms)
    assert found == wraps.rounded(exact)
    if wraps.has_number(exact):
        assert found == exact
    assert FixedOperations(saturates).add(terms[0], terms[1]) == saturates.rounded(terms[0] + terms[1])


def test_a_sum_that_saturates_on_the_way_is_lost():
    q = FixedPoint(integer_bits=4, fraction_bits=0)
    operations = FixedOperations(q)
    assert operations.add(operations.add(mpq(5), mpq(5)), mpq(-5)) == 2
    operations = FixedOperations(replace(q, overflow="wrap"))
    assert operations.add(operations.add(mpq(5), mpq(5)), mpq(-5)) == 5


# --- the value of a format


def test_names():
    options = {"integer_bits": 4, "fraction_bits": 12}
    assert str(FixedPoint(**options)) == "q4.12"
    assert str(FixedPoint(**options, signed=False)) == "uq4.12"
    assert str(FixedPoint(**options, rounding="down", overflow="wrap")) == "q4.12(down, wrap)"
    wide = FixedPoint(integer_bits=8, fraction_bits=24)
    assert str(FixedPoint(**options, accumulator=wide)) == "q4.12(accumulator: q8.24)"
    assert str(FixedPoint(**options, rounding="stochastic", seed=3)) == "q4.12(stochastic, seed 3)"
    assert str(FixedPoint(**options, name="mine")) == "mine"


@given(formats(), st.integers(0, 9), st.booleans())
def test_a_format_is_a_value_that_its_repr_gives_back(format, seed, accumulated):
    inner = FixedPoint(integer_bits=40, fraction_bits=24, overflow="wrap") if accumulated else None
    format = replace(format, seed=seed, accumulator=inner, name="")
    for again in (eval(repr(format), {"FixedPoint": FixedPoint}), copy.deepcopy(format),
                  pickle.loads(pickle.dumps(format)), replace(format, name="other")):  # fmt: skip
        assert again == format
        assert hash(again) == hash(format)
    assert replace(format, fraction_bits=format.fraction_bits + 1, name="") != format


@pytest.mark.parametrize(
    "options",
    [
        {"integer_bits": -1}, {"integer_bits": 1.0}, {"integer_bits": True}, {"fraction_bits": -1},
        {"fraction_bits": "8"}, {"integer_bits": 2**21}, {"integer_bits": 1, "fraction_bits": 0},
        {"integer_bits": 0, "fraction_bits": 0, "signed": False}, {"overflow": "infinity"}, {"overflow": None},
        {"rounding": "sideways"}, {"seed": -1}, {"seed": 2**64}, {"accumulator": "q8.8"},
        {"accumulator": FixedPoint(integer_bits=2, fraction_bits=2, accumulator=FixedPoint(integer_bits=8,
                                                                                            fraction_bits=8))},
    ],
    ids=str,
)  # fmt: skip
def test_options_that_are_refused(options):
    name = next(iter(options))
    with pytest.raises(OptionError) as error:
        FixedPoint(**{"integer_bits": 4, "fraction_bits": 4, **options})
    assert name in str(error.value)
    assert "give" in str(error.value)
