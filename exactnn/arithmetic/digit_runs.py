"""The digits of long numbers as a stream: one after another of a rational, by their runs of a numeral."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import lcm

from gmpy2 import mpq, mpz

from exactnn.arithmetic.digits import digit_chunks, digits_of, places, side_by_side
from exactnn.arithmetic.numeral import Numeral
from exactnn.errors import NumberError

__all__ = ["LongNumber", "digit_runs", "fraction_digits"]

LongNumber = mpq | Numeral
"""A number with many digits."""

DigitRuns = Iterator[tuple[Sequence[Sequence[int]], int]]


def fraction_digits(value: LongNumber, base: int) -> int | None:
    """Return how many digits a number has after the point in a base, or None if they do not end.

    >>> fraction_digits(mpq(3, 16), 4), fraction_digits(mpq(1, 3), 4)
    (2, None)
    """
    if not isinstance(value, Numeral):
        return places(value, base)
    _, length, runs = value.words(_exponent(value, base))
    size = length // _exponent(value, base)
    last = digits_of(mpz(runs[-1][0]), base, size) if runs else ()
    return size * sum(count for _, count in runs) - next((i for i, digit in enumerate(reversed(last)) if digit), 0)


def digit_runs(values: Sequence[LongNumber], base: int) -> DigitRuns | None:
    """Return the digits of several numbers after the point, side by side, as (a sequence for each, repetitions).

    None if a number is not in [0, 1), or its digits do not end.

    Raises
    ------
    NumberError
        If a Numeral is in another base, of which this is no power.

    Examples
    --------
    >>> [([list(digits) for digits in piece], count) for piece, count in digit_runs([mpq(3, 16), mpq(1, 4)], 4)]
    [([[0, 3], [1, 0]], 1)]
    >>> third = Numeral(base=2, limb_digits=2, head=0, places=0, sign=1, runs=((1, 10**30),))
    >>> [(list(digits), count) for (digits,), count in digit_runs([third], 4)]
    [([1], 1000000000000000000000000000000)]
    """
    if not all(0 <= value < 1 for value in values):
        return None
    if any(fraction_digits(value, base) is None for value in values):
        return None
    rationals = [value for value in values if not isinstance(value, Numeral)]
    return _digits_of_rationals(rationals, base) if len(rationals) == len(values) else _runs_of_numerals(values, base)


def _digits_of_rationals(values: Sequence[mpq], base: int) -> DigitRuns:
    most = max((places(value, base) or 0 for value in values), default=0)
    scale = mpz(base) ** most
    chunks = [digit_chunks(value.numerator * (scale // value.denominator), base, most) for value in values]
    for piece in zip(*chunks, strict=True):
        yield piece, 1


def _runs_of_numerals(values: Sequence[LongNumber], base: int) -> DigitRuns:
    first = next(value for value in values if isinstance(value, Numeral))
    exponent = _exponent(first, base)
    numerals = [value if isinstance(value, Numeral) else Numeral.of(value, first.base) for value in values]
    length = lcm(*(numeral.limb_digits for numeral in numerals), exponent)
    rows = [numeral.words(length) for numeral in numerals]
    size = length // exponent

    @cache
    def digits(word: int) -> Sequence[int]:
        return digits_of(mpz(word), base, size)

    for words, count in side_by_side([runs for _, _, runs in rows]):
        yield [digits(word) for word in words], count


def _exponent(value: Numeral, base: int) -> int:
    """Return e with ``base == value.base ** e``."""
    exponent = 1
    while value.base**exponent < base:
        exponent += 1
    if value.base**exponent != base:
        raise NumberError(f"{value!r} has no digits in base {base}: that is no power of {value.base}")
    return exponent
