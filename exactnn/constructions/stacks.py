"""Stacks of symbols as rational numbers: Cantor encodings and how to read them back, rounded ones too."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import floor, isfinite
from typing import Any

from gmpy2 import mpq, mpz

from exactnn.arithmetic import LongNumber, Numeral, fraction_digits
from exactnn.automata import LOST
from exactnn.constructions.long_stacks import is_long, leading_digits, length_in, like_it

__all__ = [
    "pop_vector",
    "push_vector",
    "read_above",
    "read_scalar",
    "read_vector",
    "readable",
    "write_scalar",
    "write_vector",
]

HALF = mpq(1, 2)


def readable(units: Iterable[Hashable], values: Iterable[Any]) -> dict[Hashable, Any]:
    """Return the units of a state that are not zero with their exact values, rationals or numerals.

    Infinities and NaN, which stand for nothing, become -1.

    >>> readable("abc", (0.5, 0.0, float("nan")))
    {'a': mpq(1,2), 'c': mpq(-1,1)}
    """
    return {
        unit: value if isinstance(value, Numeral) else _rational(value)
        for unit, value in zip(units, values, strict=True)
        if value != 0
    }


def _rational(value: Any) -> mpq:
    return mpq(value) if not isinstance(value, float) or isfinite(value) else mpq(-1)


def write_scalar(digits: Sequence[int], base: int) -> mpq:
    """Return sum of 2 * digits[i] / base**(i+1): a stack as one number, top first.

    >>> write_scalar([1, 0, 2], 5)
    mpq(54,125)
    """
    value = mpq(0)
    for digit in reversed(digits):
        value = (2 * digit + value) / base
    return value


def read_scalar(value: LongNumber, base: int, largest: int, cells: int | None) -> list[int | None]:
    """Return the digits that :func:`write_scalar` wrote, without the zeros at the end.

    Each digit is the one that a comparator would see, so that small errors are forgiven where the network
    forgives them; where no digit fits, the list ends with None.

    >>> read_scalar(mpq(54, 125), 5, 2, None), read_scalar(mpq(9, 10), 5, 1, 3)
    ([1, 0, 2], [None])
    """
    if is_long(value):
        return _read_long_scalar(value, base, largest, cells)
    assert not isinstance(value, Numeral)
    return _read_short_scalar(value, base, largest, cells)


def read_above(value: LongNumber, base: int, bottom: int, cells: int | None) -> list[int | None]:
    """Return the digits that :func:`write_scalar` wrote above the largest one, `bottom`, all of them down to it.

    >>> read_above(write_scalar([1, 0, 3], 8), 8, 3, None), read_above(write_scalar([1, 0, 3], 8), 8, 3, 1)
    ([1, 0], [1])
    """
    deep = None if cells is None else cells + 1  # to see whether the bottom comes next
    digits = read_scalar(value, base, bottom, deep)
    if bottom in digits:
        return digits[: digits.index(bottom)][:cells]
    if None not in digits:
        digits += [None] if cells is None else [0] * (cells - len(digits))  # the bottom is gone, or farther down
    return digits[:cells]


def _read_long_scalar(value: LongNumber, base: int, largest: int, cells: int | None) -> list[int | None]:
    """Return the same from the digits, where each of those is one that was written."""
    count = fraction_digits(value, base) if cells is None else cells
    digits = None if count is None else leading_digits(value, base, count)
    if digits is not None and set(digits) <= set(range(0, 2 * largest + 1, 2)):
        return _without_last_zeros([digit // 2 for digit in digits])
    return _read_short_scalar(_cut(value, base, cells), base, largest, cells)


def _cut(value: LongNumber, base: int, cells: int | None) -> mpq:
    """Return a number that so many cells are read from as from `value`."""
    if cells is not None:
        return like_it(value, 2 * mpz(base) ** cells)
    return value.rational() if isinstance(value, Numeral) else value


def _read_short_scalar(value: mpq, base: int, largest: int, cells: int | None) -> list[int | None]:
    digits: list[int | None] = []
    limit = value.denominator.bit_length() if cells is None else cells
    while value and len(digits) < limit:
        digit: int = floor((base * value + HALF) / 2)
        if not 0 <= digit <= largest:
            digits.append(None)
            break
        digits.append(int(digit))
        value = base * value - 2 * digit
    if value and cells is None and None not in digits:
        digits.append(None)  # no stack of this base ends like that
    return _without_last_zeros(digits)


def _without_last_zeros(digits: list[int | None]) -> list[int | None]:
    while digits and digits[-1] == 0:
        digits.pop()
    return digits


def push_vector(symbol: Hashable, stack: Mapping[Hashable, mpq], base: int) -> dict[Hashable, mpq]:
    """Return ((base-1)/base) e_symbol + stack / base."""
    return {a: (value + (base - 1) * (a == symbol)) / base for a, value in stack.items()}


def pop_vector(symbol: Hashable, stack: Mapping[Hashable, mpq], base: int) -> dict[Hashable, mpq]:
    """Return base * stack - (base-1) e_symbol, which undoes a push of `symbol`."""
    return {a: base * value - (base - 1) * (a == symbol) for a, value in stack.items()}


def write_vector(symbols: Sequence[Hashable], alphabet: Sequence[Hashable], base: int) -> dict[Hashable, mpq]:
    """Return the vector Cantor encoding of a stack, top first."""
    stack = dict.fromkeys(alphabet, mpq(0))
    for symbol in reversed(symbols):
        stack = push_vector(symbol, stack, base)
    return stack


def read_vector(stack: Mapping[Hashable, LongNumber], base: int, bottom: Hashable, cells: int | None) -> list[Hashable]:
    """Return the symbols above `bottom`, top first; where no symbol is clearly on top, the list ends with LOST.

    >>> read_vector(write_vector("ab$", "ab$", 4), 4, "$", None)
    ['a', 'b']
    """
    if any(map(is_long, stack.values())):
        symbols = _read_long_vector(stack, base, bottom, cells)
        if symbols is not None:
            return symbols
        stack = {a: _cut(value, base, cells) for a, value in stack.items()}
    return _read_short_vector(stack, base, bottom, cells)


def _read_long_vector(
    stack: Mapping[Hashable, LongNumber], base: int, bottom: Hashable, cells: int | None
) -> list[Hashable] | None:
    """Return the same from the digits, or None where they are not what was written."""
    count = max(length_in(value, base) for value in stack.values()) if cells is None else cells
    rows = [leading_digits(value, base, count) for value in stack.values()]
    if None in rows:
        return None
    tops = {tuple((base - 1) * (a == top) for a in stack): top for top in stack}
    symbols: list[Hashable] = []
    for digits in zip(*(row for row in rows if row is not None), strict=True):
        if digits not in tops:
            return None
        if tops[digits] == bottom:
            return symbols
        symbols.append(tops[digits])
    return symbols if len(symbols) == cells else None


def _read_short_vector(stack: Mapping[Hashable, Any], base: int, bottom: Hashable, cells: int | None) -> list[Hashable]:
    symbols: list[Hashable] = []
    limit = max(value.denominator.bit_length() for value in stack.values()) if cells is None else cells
    while len(symbols) < limit:
        tops = [a for a, value in stack.items() if value > HALF]
        if tops == [bottom]:
            break
        if len(tops) != 1 or any(not -HALF < value < 1 + HALF for value in stack.values()):
            symbols.append(LOST)
            break
        symbols.append(tops[0])
        stack = pop_vector(tops[0], stack, base)
    return symbols
