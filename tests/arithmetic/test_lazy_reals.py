"""Lazily refined reals: bounds that hold, digits drawn once and counted, and sources that are no sources."""

from itertools import count, cycle, islice
from threading import Event

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from exactnn.arithmetic import DigitCount, DigitStream, LazyNumber, LazyReal, lazy_real, linear_combination
from exactnn.errors import DigitLimitError, NumberError
from tests.promptness import promptly

THIRD = mpq(1, 3)


def thirds():
    return lazy_real(cycle([3]))


def number(real, coefficient=1, constant=0, *, most=None):
    return LazyNumber(constant=mpq(constant), terms=((real, 0, mpq(coefficient)),), count=DigitCount(most))


def value_of(digits, base):
    return sum((mpq(digit, base ** (i + 1)) for i, digit in enumerate(digits)), mpq(0))


bases = st.integers(2, 12)
digit_lists = bases.flatmap(lambda base: st.tuples(st.just(base), st.lists(st.integers(0, base - 1), max_size=8)))


@given(digit_lists, st.integers(0, 10))
def test_bounds_hold_and_are_as_narrow_as_the_digits(pair, digits):
    base, listed = pair
    low, high = lazy_real(listed, base=base).enclosure(digits)
    assert low <= value_of(listed, base) <= high
    assert high - low == (mpq(1, base**digits) if digits <= len(listed) else 0)


@given(digit_lists, st.integers(0, 8), st.integers(0, 8))
def test_a_tail_is_the_number_without_its_first_digits(pair, position, digits):
    base, listed = pair
    real = lazy_real(listed, base=base)
    assert real.tail(position, digits) == lazy_real(listed[position:], base=base).enclosure(digits)


@given(digit_lists, st.integers(1, 1000))
def test_no_more_digits_are_drawn_than_a_width_needs(pair, n):
    base, listed = pair
    drawn = []

    def source():
        for digit in listed:
            drawn.append(digit)
            yield digit
        for digit in cycle([base - 1]):
            drawn.append(digit)
            yield digit

    real = lazy_real(source(), base=base)
    low, high = real.within(mpq(1, n))
    assert high - low <= mpq(1, n)
    assert base ** len(drawn) >= n
    assert not drawn or base ** (len(drawn) - 1) < n
    assert tuple(real.within(mpq(1, n))) == (low, high)
    assert len(drawn) == real.stream.drawn  # the second time they were there


@pytest.mark.parametrize(
    "source", [[1, 4, 1, 5], (1, 4, 1, 5), iter([1, 4, 1, 5]), (d for d in (1, 4, 1, 5)), range(1, 5)]
)
def test_a_source_that_ends_is_followed_by_blanks(source):
    stream = DigitStream(source, base=10)
    assert [stream.at(i) for i in range(6)][-2:] == [None, None]
    assert stream.drawn == 4


def test_a_function_of_the_position_is_a_source():
    squares = DigitStream(lambda k: k * k % 10 if k < 5 else None, base=10)
    assert [squares.at(k) for k in (4, 0, 2, 5, 9)] == [6, 0, 4, None, None]


def test_several_numbers_read_one_stream():
    stream = DigitStream(cycle([0, 1, 2]), base=3, name="abc")
    a, b = (LazyReal(stream=stream, base=4, values=tuple(3 * (i == j) for j in range(3))) for i in range(2))
    assert tuple(a.enclosure(4)) == (mpq(3, 4) + mpq(3, 4**4), mpq(3, 4) + mpq(4, 4**4))
    assert b.enclosure(3).low == mpq(3, 16)
    assert stream.drawn == 4


@pytest.mark.parametrize("digit", [-1, 10, True, 1.0, "1", None, mpq(1)])
def test_what_is_no_digit_is_refused_with_its_position(digit):
    real = lazy_real([1, 2, digit, 3], name="the constant")
    real.enclosure(2)
    for _ in range(2):
        with pytest.raises(NumberError, match=r"digit 2 of the constant is .*: .* whole numbers from 0 to 9"):
            real.enclosure(3)
    assert tuple(real.enclosure(2)) == (mpq(12, 100), mpq(13, 100))


def test_a_source_that_raises_does_not_seem_to_end():
    def source():
        yield 7
        raise KeyError("no more")

    real = lazy_real(source())
    for _ in range(2):  # the generator is exhausted the second time
        with pytest.raises(NumberError, match=r"digit 1 of the real: its source raised KeyError: .*no more"):
            real.enclosure(2)
    assert real.stream.drawn == 1


def test_a_source_that_is_interrupted_does_not_seem_to_end():
    def source():
        yield 7
        raise KeyboardInterrupt

    stream = DigitStream(source(), base=10)
    with pytest.raises(KeyboardInterrupt):
        stream.at(1)
    assert stream.waiting
    with pytest.raises(NumberError, match="digit 1 of the digits: its source was interrupted"):
        stream.at(1)


@pytest.mark.parametrize("source", [3, None, 0.5])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(NumberError, match="is no source: give"):
        lazy_real(source)


@pytest.mark.parametrize(
    "make",
    [
        lambda: lazy_real([], base=1),
        lambda: lazy_real([], base=True),
        lambda: lazy_real([], base="10"),
        lambda: DigitStream([], base=0),
        lambda: LazyReal(stream=DigitStream([], base=2), base=4, values=(0,)),
        lambda: LazyReal(stream=DigitStream([], base=2), base=4, values=(0, 4)),
        lambda: LazyReal(stream=DigitStream([], base=2), base=4, values=(-1, 3)),
        lambda: thirds().within(0),
        lambda: thirds().enclosure(-1),
        lambda: thirds().enclosure(True),
        lambda: thirds().enclosure(2.5),
        lambda: lazy_real([], patience=float("inf")),
        lambda: lazy_real([], patience=1e30),
    ],
)
def test_wrong_numbers_are_refused(make):
    with pytest.raises(NumberError):
        make()


def test_comparisons_read_as_many_digits_as_they_need():
    third = number(thirds())
    assert third < mpq(1, 2)
    assert third.count.read == 1
    assert third > mpq(333, 1000)
    assert third.count.read == 4  # 0.333 is a lower bound, and no more
    assert not third > mpq(34, 100)
    assert third.count.read == 4


@pytest.mark.parametrize("before", [0, 3, 9])
def test_a_tail_may_begin_where_nobody_has_read(before):
    """Digits before it are read on the way, and count; until then it has the bounds of any tail."""
    stream = DigitStream(cycle([1, 4, 2, 8, 5, 7]), base=10)
    if before:
        stream.at(before - 1)
    real = LazyReal(stream=stream, base=10, values=tuple(range(10)))
    tail = LazyNumber(constant=mpq(0), terms=((real, 3, mpq(1)),), count=DigitCount(4))
    assert tuple(tail.enclosure()) == (0, 1)
    assert tail.count.read == 0
    assert tuple(tail.enclosure(1)) == (mpq(8, 10), mpq(9, 10))
    assert tail.count.read == 4
    assert tail > mpq(3, 4)
    assert tuple(tail.rewritten().enclosure()) == (mpq(8, 10), mpq(9, 10))
    with pytest.raises(DigitLimitError, match="more than 4 digits"):
        assert tail > mpq(6, 7)


def test_a_stream_that_several_terms_read_gives_a_digit_for_all_of_them():
    stream = DigitStream(cycle([0, 1, 2]), base=3)
    a, b = (LazyReal(stream=stream, base=4, values=tuple(3 * (i == j) for j in range(3))) for i in range(2))
    both = LazyNumber(constant=mpq(0), terms=((a, 0, mpq(1)), (b, 0, mpq(1))), count=DigitCount(2))
    assert tuple(both.enclosure(1)) == (mpq(3, 4), mpq(5, 4))
    assert both.count.read == 1
    assert both < mpq(9, 8)
    assert both.count.read == 2
    assert tuple(both.enclosure()) == (mpq(15, 16), mpq(17, 16))
    assert stream.drawn == 2


def test_equal_numbers_are_undecided_with_any_limit():
    """0.333... and 1/3: every enclosure has 1/3 inside."""
    for most in (0, 1, 10, 300):
        third = number(thirds(), most=most)
        for compare in (lambda x: x > THIRD, lambda x: x < THIRD, lambda x: x.exceeds(THIRD)):
            with pytest.raises(DigitLimitError, match=f"more than {most} digits of the real: raise max_digits"):
                compare(third)
        assert third.count.read == most


def test_where_an_end_of_the_enclosure_is_the_bound_a_comparison_is_decided():
    ones = number(lazy_real(cycle([9])))  # 0.999... is 1
    assert not ones > 1
    assert ones.count.read == 0
    assert number(lazy_real([])).exceeds(mpq(0))
    assert not number(lazy_real([]), most=0) < 0


def test_numbers_of_a_stream_that_ends_are_rational_in_the_end():
    assert not number(lazy_real([2, 5])) > mpq(1, 4)
    assert not number(lazy_real([2, 5])) < mpq(1, 4)
    quarter = number(lazy_real([2, 5]), 4, -1)
    quarter.enclosure(3)
    assert quarter.rewritten() == 0


@given(digit_lists, st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 8))
def test_a_rewritten_number_is_the_same(pair, coefficient, constant, digits):
    base, listed = pair
    whole = number(lazy_real(listed, base=base), coefficient or 1, constant)
    value = constant + (coefficient or 1) * value_of(listed, base)
    whole.enclosure(digits)
    rewritten = whole.rewritten()
    if isinstance(rewritten, LazyNumber):
        low, high = rewritten.enclosure(10)
        assert low == high == value
        assert (low, high) == tuple(whole.enclosure(10))
    else:
        assert rewritten == value


def test_what_cancels_is_rational():
    real = thirds()
    both = [(number(real), mpq(2)), (number(real, 1, 5), mpq(-2)), (mpq(3), mpq(7))]
    assert linear_combination(both, mpq(1), DigitCount()) == 12
    assert number(real) * mpq(-1) + number(real) == 0
    assert 1 + number(real) * 2 > mpq(5, 3) - mpq(1, 100)


def test_a_limit_is_of_all_streams_together():
    terms = ((thirds(), 0, mpq(1)), (lazy_real(cycle([0])), 0, mpq(1)))
    total = LazyNumber(constant=-THIRD, terms=terms, count=DigitCount(5))
    with pytest.raises(DigitLimitError):
        total.exceeds(mpq(0))
    assert total.count.read <= 5


def test_digits_are_drawn_once_for_all_who_read_them():
    stream = iter(islice(count(), 10))
    real = lazy_real(stream)
    first, second = number(real), number(real)
    assert first > 0.01
    assert second > 0.01
    assert first.count.read == second.count.read == 3
    assert next(stream) == 3


def test_a_source_that_blocks_is_not_waited_for_with_patience():
    released = Event()

    def source():
        yield 1
        released.wait()
        yield 2

    stream = DigitStream(source(), base=10, name="the slow one", patience=0.05)
    assert stream.at(0) == 1
    for _ in range(2):
        with pytest.raises(NumberError, match=r"digit 1 of the slow one did not come within 0\.05 seconds"):
            stream.at(1)
    assert stream.waiting
    released.set()


def test_a_patient_stream_gives_the_same():
    assert [DigitStream([4, 2], base=10, patience=9).at(i) for i in range(3)] == [4, 2, None]
    with pytest.raises(NumberError, match="raised ValueError"):
        lazy_real(map(int, "1x"), patience=9).enclosure(2)
    for patience in (0, -1, True, "9", float("nan")):
        with pytest.raises(NumberError, match="patience="):
            DigitStream([], base=2, patience=patience)


def test_a_width_of_many_digits_takes_no_time():
    real = lazy_real(lambda position: 1, base=2)
    width = mpq(1, 2**20_000)
    with promptly():
        assert tuple(real.within(width)) == (1 - width, mpq(1))
    assert real.stream.drawn == 20_000


@given(digit_lists, st.integers(-9, 9), st.integers(0, 9))
def test_what_one_count_knows_does_not_depend_on_others(pair, coefficient, digits):
    """Another reader may have met the end of the stream: the bounds, the digits and the limits are the same."""
    base, listed = pair
    fresh, used = lazy_real(listed, base=base), lazy_real(listed, base=base)
    assert tuple(number(used).enclosure(20)) == (value_of(listed, base),) * 2
    assert used.stream.ended
    first, second = (number(real, coefficient or 1) for real in (fresh, used))
    assert first.enclosure(digits) == second.enclosure(digits)
    assert first.count.read == second.count.read == min(digits, len(listed) + 1)
    assert repr(first.rewritten()) == repr(second.rewritten())


def test_the_end_of_a_stream_counts_as_one_digit_and_a_limit_holds_for_it():
    used = lazy_real([2, 5])
    for real in (used, used, lazy_real([2, 5])):
        quarter = number(real)
        assert not quarter > mpq(1, 4)
        assert quarter.count.read == 3
        assert not number(real, most=3) > mpq(1, 4)
        with pytest.raises(DigitLimitError, match="more than 2 digits"):
            assert number(real, most=2) > mpq(1, 4)
