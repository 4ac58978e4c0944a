"""Lazily refined reals beside the rationals that they are: their digits end or recur, so that their value is known.

Bounds have to contain the number and to nest, whoever has read the stream before; comparisons of linear combinations
have to be those of the values, from as few digits as are allowed, or end with DigitLimitError.
"""

from contextlib import suppress
from dataclasses import replace

from gmpy2 import mpq

from exactnn.arithmetic import DigitCount, DigitStream, LazyNumber, LazyReal, linear_combination
from exactnn.errors import DigitLimitError
from fuzz_subjects.known_reals import MOST, Case, cases
from fuzz_subjects.subject import Subject

__all__ = ["LAZY_REALS"]

GAP = mpq(1, 10**6)
"""What differs by so much, MOST digits tell apart: 30 of two streams each, from the fourth on."""


def check(arithmetic: str, case: Case) -> None:
    for real, other in zip(case.read(), case.reals, strict=True):
        digits = case.streams[other[0]]
        for position in range(6):
            check_tails(real, position, digits.tail(*other[1:], position), f"{other} of {case}")
    for number in range(len(case.reals)):
        check_width(case, number)
    lazy, count = case.read(), DigitCount(case.most)
    summands = [
        LazyNumber(constant=case.constant, terms=tuple((lazy[r], place, c) for r, place, c in terms), count=count)
        for terms in case.sums
    ]
    values = [case.constant + sum(c * case.tail(r, place) for r, place, c in terms) for terms in case.sums]
    for number, value in zip(summands, values, strict=True):
        check_number(number, value, case)
    total = linear_combination([(number, case.weight) for number in summands], case.bound, count)
    check_number(total, case.bound + sum(case.weight * value for value in values), case)


def check_tails(real: LazyReal, position: int, value: mpq, told: str) -> None:
    """Check bounds of a tail, from more digits each: they contain it, nest, and are as narrow as it takes."""
    low, high, most = mpq(0), mpq(1), max(real.values)
    for places in range(10):
        before = low, high
        low, high = real.tail(position, places)
        assert low <= value <= high, f"{told}: {value} from {position} on is not from {low} to {high}"
        assert before[0] <= low <= high <= before[1], f"{told}: {low} to {high} is not within {before}"
        widest = mpq(most, real.base - 1) / real.base**places
        assert high - low <= widest, f"{told}: {places} digits from {position} on leave {low} to {high}"


def check_width(case: Case, number: int) -> None:
    """Check bounds of a width that is asked for, and that no digit more is read than these take."""
    width, value = mpq(1, 1 + abs(case.bound.numerator)), case.tail(number, 0)
    real = replace(case, before=0).read()[number]
    low, high = real.within(width)
    told = f"{real.values} in {real.base} of {case}"
    assert low <= value <= high <= low + width, f"{told}: {value}, from {low} to {high}, of width {width}"
    drawn = real.stream.drawn
    fewer = mpq(max(real.values), real.base - 1) / real.base ** (drawn - 1)
    assert not drawn or fewer > width, f"{told}: {drawn} digits for the width {width}"


def check_number(number: LazyNumber | mpq, value: mpq, case: Case) -> None:
    """Compare a number with the rational that it is: bounds, comparisons, and what is left of it after them."""
    told = f"{number!r} of {case}"
    if not isinstance(number, LazyNumber):
        assert number == value, f"{told}: {number}, not {value}"
        return
    truth = {"above": value > case.bound, "below": value < case.bound, "exceeds": value > case.bound}
    asked = {"above": number.__gt__, "below": number.__lt__, "exceeds": number.exceeds}
    for name, ask in asked.items():
        try:
            found = ask(case.bound)
        except DigitLimitError:
            close = abs(value - case.bound) < GAP
            assert close or case.most < MOST, f"{told}: {value} and {case.bound} take more than {case.most} digits"
            continue
        either = name == "exceeds" and value == case.bound
        assert either or found == truth[name], f"{told}: {value} {name} {case.bound} is {found}"
    check_look(number, told)
    assert number.count.read <= case.most, f"{told}: {number.count.read} digits were read"
    left = number.rewritten()
    for some in (number, left):
        low, high = some.enclosure() if isinstance(some, LazyNumber) else (some, some)
        assert low <= value <= high, f"{told}: {value} is not from {low} to {high}, of {some!r}"


def check_look(number: LazyNumber, told: str) -> None:
    """Check that a look at a digit more reads one of each stream, behind those that are read or not of its tails."""
    ends: dict[DigitStream, int] = {}
    for real, position, _ in number.terms:
        ends[real.stream] = max(ends.get(real.stream, 0), number.count.of(real.stream), position)
    with suppress(DigitLimitError):
        number.enclosure(1)
    for stream, end in ends.items():
        assert number.count.of(stream) <= end + 1, f"{told}: {number.count.of(stream)} digits, one behind {end}"


LAZY_REALS = Subject(cases=cases, check=check)
