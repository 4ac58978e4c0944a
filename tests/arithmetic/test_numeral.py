"""Numerals against the rationals that they are, and where no rational can be written out against closed forms."""

import math
import pickle
from fractions import Fraction

import pytest
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st
from strategies import rationals

from exactnn.arithmetic import Numeral, digit_runs, fraction_digits, fraction_of_runs
from exactnn.errors import NumberError, SizeLimitError

HUGE = 10**100


@st.composite
def numerals(draw, base=None):
    """Numerals that are short enough to be written out, with runs that are longer than the words they are cut into."""
    base = draw(st.sampled_from((2, 3, 6, 10))) if base is None else base
    limb_digits = draw(st.integers(1, 5))
    unit = base**limb_digits
    limb = st.one_of(st.sampled_from((0, 1, unit - 1)), st.integers(0, unit - 1))
    runs = draw(st.lists(st.tuples(limb, st.integers(1, 40)), max_size=4))
    while runs and not runs[-1][0]:
        runs.pop()
    return Numeral(
        base=base,
        limb_digits=limb_digits,
        head=draw(st.integers(-(base**8), base**8)),
        places=draw(st.integers(0, 10)),
        sign=draw(st.sampled_from((1, -1))),
        runs=tuple(runs),
    )


def fraction(numeral):
    """What the definition says, limb by limb."""
    tail, unit = Fraction(0), Fraction(1, numeral.base**numeral.limb_digits)
    scale = unit
    for limb, count in numeral.runs:
        for _ in range(count):
            tail += limb * scale
            scale *= unit
    return (numeral.head + numeral.sign * tail) / Fraction(numeral.base) ** numeral.places


def pairs():
    """Two numerals in the same base."""
    return st.sampled_from((2, 3, 10)).flatmap(lambda base: st.tuples(numerals(base), numerals(base)))


def repeated(limb, count, *, base=2, digits=2, sign=1, head=0, places=0):
    return Numeral(base=base, limb_digits=digits, head=head, places=places, sign=sign, runs=((limb, count),))


@given(numerals())
def test_a_numeral_is_the_number_of_its_definition(numeral):
    value = mpq(numeral)
    assert value == numeral.rational() == fraction(numeral)
    assert bool(numeral) == bool(value)
    assert numeral.base**numeral.digits * value == mpz(numeral.base**numeral.digits * value)


@given(numerals(), st.integers(0, 120))
def test_leading_digits_are_cut_downwards(numeral, digits):
    scale = numeral.base**digits
    assert numeral.leading(digits) == mpq(math.floor(mpq(numeral) * scale), scale)


@given(numerals(), st.integers(1, 10**30))
def test_the_floor_of_a_multiple(numeral, scale):
    assert numeral.floor(scale) == math.floor(mpq(numeral) * scale)


@given(numerals(), st.integers(1, 6))
def test_the_floor_at_the_number_itself(numeral, factor):
    scale = factor * numeral.base**numeral.digits
    assert numeral.floor(scale) == mpq(numeral) * scale


@given(numerals())
def test_floats_are_rounded_as_those_of_a_fraction(numeral):
    assert float(numeral) == float(Fraction(mpq(numeral)))


@pytest.mark.parametrize("count", [1, 3, HUGE], ids=["1", "3", "HUGE"])
def test_a_float_just_above_a_tie_is_rounded_up(count):
    tie = 1 + mpq(1, 2**53)
    above = repeated(1, count, digits=1, places=60, head=2**60 + 2**7)
    assert float(tie) == 1.0
    assert float(above) == math.nextafter(1.0, 2.0)
    below = repeated(1, count, digits=1, places=60, head=2**60 + 2**7, sign=-1)
    assert float(below) == 1.0


def test_floats_beyond_the_smallest_are_zero():
    assert float(Numeral(base=2, limb_digits=1, head=0, places=0, sign=1, runs=((0, HUGE), (1, 1)))) == 0.0


@given(numerals(), rationals())
def test_comparisons_with_rationals(numeral, other):
    value = mpq(numeral)
    for bound in (other, value, value + mpq(1, 3**200), value - mpq(1, 3**200), int(other), 0, 0.5):
        assert (numeral < bound) == (value < bound)
        assert (numeral <= bound) == (value <= bound)
        assert (numeral > bound) == (value > bound)
        assert (numeral >= bound) == (value >= bound)
        assert (numeral == bound) == (value == bound)
        assert (numeral != bound) == (value != bound)
    assert (numeral < Fraction(other)) == (value < other)


@given(pairs())
def test_comparisons_and_sums_of_two(pair):
    first, second = pair
    a, b = mpq(first), mpq(second)
    assert (first < second) == (a < b)
    assert (first == second) == (a == b)
    assert mpq(first + second) == a + b
    assert mpq(first - second) == a - b
    assert first - first == 0
    assert first == first + 0


@given(numerals(), st.integers(-50, 50), st.integers(0, 5))
def test_sums_and_products_with_finite_rationals(numeral, number, places):
    value, other = mpq(numeral), mpq(number, numeral.base**places)
    assert mpq(numeral + other) == value + other
    assert mpq(numeral - other) == value - other
    assert mpq(numeral * other) == value * other
    assert mpq(-numeral) == -value
    assert mpq(number + numeral) == value + number
    assert mpq(number - numeral) == number - value
    assert mpq(number * numeral) == number * value


@given(numerals())
def test_the_hash_is_that_of_any_number_of_that_value(numeral):
    assert hash(numeral) == hash(mpq(numeral)) == hash(numeral + 0)
    assert {mpq(numeral): 1}[numeral] == 1


def test_hashes_where_the_unit_of_a_limb_is_one_to_the_modulus():
    numeral = repeated(12345, 7, digits=61)
    assert hash(numeral) == hash(mpq(numeral))


@given(numerals(), st.integers(1, 4))
def test_words_are_the_digits_of_the_number(numeral, digits):
    whole, length, runs = numeral.words(digits)
    unit = numeral.base**length
    assert length % digits == 0
    assert all(0 <= word < unit and count > 0 for word, count in runs)
    value, scale = mpq(whole), mpq(1)
    for word, count in runs:
        for _ in range(count):
            scale /= unit
            value += word * scale
    assert value == mpq(numeral)


@given(numerals(), st.integers(1, 3))
def test_digits_of_a_numeral_are_those_of_the_rational(numeral, exponent):
    base = numeral.base**exponent
    fractional = numeral - numeral.floor(1)
    value = mpq(fractional)
    assert fraction_digits(fractional, base) == fraction_digits(value, base)
    long, short = ([], [])
    for found, number in ((long, fractional), (short, value)):
        for (digits,), count in digit_runs([number], base):
            found += list(digits) * count
    length = fraction_digits(value, base)
    assert long[:length] == short[:length]
    assert not any(long[length:])
    assert value == sum((mpq(digit, mpz(base) ** (i + 1)) for i, digit in enumerate(short)), mpq(0))


@given(pairs())
def test_digits_side_by_side(pair):
    values = [number - number.floor(1) for number in pair]
    base = values[0].base
    both = [[], []]
    for rows, count in digit_runs([values[0], mpq(values[1])], base):
        for found, digits in zip(both, rows, strict=True):
            found += list(digits) * count
    for found, value in zip(both, values, strict=True):
        assert value == sum((mpq(digit, mpz(base) ** (i + 1)) for i, digit in enumerate(found)), mpq(0))


@pytest.mark.parametrize(
    "values", [[mpq(1)], [mpq(-1, 2)], [mpq(1, 3)], [mpq(1, 2), mpq(1, 7)], [repeated(3, HUGE, head=1)]]
)
def test_no_digits_outside_of_zero_to_one_or_without_an_end(values):
    assert digit_runs(values, 4) is None


@pytest.mark.parametrize("count", [HUGE, 10**5000], ids=["HUGE", "more"])
def test_numbers_that_nobody_can_write_out(count):
    third = repeated(1, count)
    assert third < mpq(1, 3)
    assert third + mpq(1, 4) < mpq(7, 12)
    assert not third < mpq(1, 3) - mpq(1, 10**1000)
    assert third == repeated(5, count // 2, digits=4)
    assert third != repeated(1, count - 1)
    assert third > repeated(1, count - 1)
    assert hash(third) == hash(repeated(5, count // 2, digits=4))
    assert (1 - third) + third == 1
    assert third * 3 < 1
    assert 1 - third * 3 == Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((0, count - 1), (1, 1)))
    assert fraction_digits(third, 16) == count // 2
    assert [(list(digits), times) for (digits,), times in digit_runs([third], 16)] == [([5], count // 2)]
    assert pickle.loads(pickle.dumps(third)) == third
    with pytest.raises(SizeLimitError, match=r"about \d\.\d+e\d+ digits is not written out.*leading"):
        third.rational()


@pytest.mark.parametrize("base_and_digits", [(2, 18), (3, 5), (10, 1)])
def test_a_number_just_below_another_with_a_tail_of_any_length(base_and_digits):
    base, digits = base_and_digits
    below = repeated(base**digits - 1, HUGE, base=base, digits=digits)
    assert below < 1
    assert below.floor(base**100) == base**100 - 1
    assert below.leading(3) == 1 - mpq(1, base**3)
    above = replace_sign(below)
    assert above.leading(3) == mpq(0)
    assert above.floor(base**100) == 0
    assert above > 0
    assert above == 1 - below


def replace_sign(numeral):
    """1 - T, of the number T."""
    return Numeral(
        base=numeral.base, limb_digits=numeral.limb_digits, head=1, places=0, sign=-numeral.sign, runs=numeral.runs
    )


@pytest.mark.parametrize(
    ("numeral", "text", "shown"),
    [
        (repeated(1, HUGE), "0.333333", "<0.333333 with about 2.000e100 digits in base 2>"),
        (repeated(1, 5), "0.333008", "<0.333008 with 10 digits in base 2>"),
        (repeated(1, 10**6000, sign=-1, head=10**400), "1e+400", "<1e+400 with about 2.000e6000 digits in base 2>"),
        (repeated(1, 10**6, head=-1, sign=1, places=1), "-0.333333", "<-0.333333 with 2,000,001 digits in base 2>"),
    ],
)
def test_text_is_short_whatever_the_number(numeral, text, shown):
    assert str(numeral) == text
    assert repr(numeral) == shown


def test_what_is_refused_says_why():
    half = repeated(2, HUGE)
    with pytest.raises(NumberError, match="divides no power of 2"):
        half + mpq(1, 3)
    with pytest.raises(NumberError, match="bases 2 and 3"):
        half + repeated(1, 2, base=3)
    with pytest.raises(NumberError, match="no digits in base 12"):
        list(digit_runs([half], 12))
    with pytest.raises(TypeError):
        half < "1"  # noqa: B015
    assert half != "1"
    assert half != math.nan


@given(
    runs=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 90)), min_size=1, max_size=12),
    more=st.lists(st.tuples(st.integers(0, 9), st.just(1)), max_size=300),
)
def test_runs_of_words_are_one_fraction(runs, more):
    words = [word for word, count in runs + more for _ in range(count)]
    assert fraction_of_runs(runs + more, mpz(10)) == (int("".join(map(str, words))), len(words))
