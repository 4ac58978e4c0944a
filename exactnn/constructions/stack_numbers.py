"""Stacks of symbols as rational numbers: how they are written, and read back, rounded ones and very long ones too."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import floor, isfinite
from typing import Any

from gmpy2 import mpq, mpz

from exactnn.arithmetic import LongNumber, Numeral, digit_runs, digits_of, fraction_digits
from exactnn.automata import LOST

__all__ = [
    "HALF",
    "MOST_CELLS",
    "as_state",
    "count_scalar",
    "count_vector",
    "is_long",
    "leading_digits",
    "length_in",
    "pop_vector",
    "push_vector",
    "read_above",
    "read_digits",
    "read_scalar",
    "read_vector",
    "readable",
    "write_digits",
    "write_scalar",
    "write_vector",
]

HALF = mpq(1, 2)

LONG = 4096
"""Bits from which a number is long."""
MOST_CELLS = 10**7
"""Cells on either side of the head up to which a tape is decoded without being asked for a number of cells."""


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


def as_state(units: Iterable[Hashable], values: Mapping[Hashable, Any]) -> tuple[Any, ...]:
    """Return the state whose units have these values; the others are 0.

    >>> as_state("abc", {"b": mpq(1, 2)})
    (mpq(0,1), mpq(1,2), mpq(0,1))
    """
    return tuple(values.get(unit, mpq(0)) for unit in units)


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


def is_long(value: object) -> bool:
    """Whether a number is too long for arithmetic on it for every symbol.

    >>> is_long(mpq(1, 3)), is_long(mpq(1, 3**5000)), is_long(0.5)
    (False, True, False)
    """
    return isinstance(value, Numeral) or (isinstance(value, mpq) and value.denominator.bit_length() > LONG)


def length_in(value: LongNumber, base: int) -> int:
    """Return how many digits of a number there are to be read in a base; if they do not end, how many are tried."""
    found = fraction_digits(value, base)
    if found is None:
        assert not isinstance(value, Numeral)  # its digits end in every base that it has digits in
        return value.denominator.bit_length()
    return found


def leading_digits(value: LongNumber, base: int, count: int) -> Sequence[int] | None:
    """Return the first `count` digits of a number after the point; None if it is not in [0, 1).

    >>> list(leading_digits(mpq(3, 16), 4, 3)), leading_digits(mpq(1), 4, 3)
    ([0, 3, 0], None)
    """
    if not 0 <= value < 1:
        return None
    return digits_of(_floor(value, mpz(base) ** count), base, count)


def like_it(value: LongNumber, scale: int | mpz) -> mpq:
    """Return a short number that is less, equal or greater than any multiple of 1/scale if `value` is.

    >>> like_it(mpq(1, 3), 4), like_it(mpq(1, 2), 4)
    (mpq(3,8), mpq(1,2))
    """
    below = _floor(value, scale)
    return mpq(2 * below + (value > mpq(below, scale)), 2 * scale)


def count_scalar(
    value: LongNumber, base: int, largest: int, bottom: int | None = None, *, spacing: int = 2
) -> int | None:
    """Return how many symbols of a stack that :func:`write_scalar` wrote are not 0, those above `bottom` only.

    None if it did not write this number, or the bottom is not found. The digit of symbol k is `spacing` times k.

    >>> count_scalar(mpq(54, 125), 5, 2), count_scalar(mpq(54, 125), 5, 2, bottom=2), count_scalar(mpq(9, 10), 5, 2)
    (2, 1, None)
    """
    nonzero = 0
    runs = digit_runs([value], base)
    if runs is None:
        return None
    for (digits,), repetitions in runs:
        end = digits.index(spacing * bottom) if bottom is not None and spacing * bottom in digits else len(digits)
        above = digits[:end]
        zeros = above.count(0)
        if zeros + sum(above.count(spacing * digit) for digit in range(1, largest + 1)) < end:
            return None
        nonzero += (end - zeros) * (repetitions if end == len(digits) else 1)
        if end < len(digits):
            return nonzero
    return nonzero if bottom is None else None


def count_vector(stack: Mapping[Hashable, LongNumber], base: int, bottom: Hashable, blank: Hashable) -> int | None:
    """Return how many symbols above `bottom` are not `blank`, in a stack that :func:`write_vector` wrote.

    None if it did not write these numbers.

    >>> count_vector({"a": mpq(12, 64), "_": mpq(48, 64), "$": mpq(3, 64)}, 4, "$", "_")
    1
    """
    symbols = list(stack)
    clear = {tuple((base - 1) * (a == top) for a in symbols) for top in symbols}
    found = 0
    for digits, repetitions in digit_runs(list(stack.values()), base) or ():
        rows = dict(zip(symbols, digits, strict=True))
        whole = len(rows[bottom])
        end = rows[bottom].index(base - 1) if base - 1 in rows[bottom] else whole
        if not clear.issuperset(zip(*(row[: end + 1] for row in digits), strict=True)):
            return None
        found += (end - rows[blank][:end].count(base - 1)) * (repetitions if end == whole else 1)
        if end < whole:
            return found
    return None


def _floor(value: LongNumber, scale: int | mpz) -> mpz:
    """Return the largest whole number that is at most value * scale."""
    return value.floor(scale) if isinstance(value, Numeral) else value.numerator * scale // value.denominator


def write_digits(symbols: Sequence[int], digits: Sequence[int], base: int) -> mpq:
    """Return the sum of digits[symbols[i]] / base**(i+1): a stack as one number, top first; the empty one is 0.

    >>> write_digits([1, 0], (1, 3), 4)
    mpq(13,16)
    """
    value = mpq(0)
    for a in reversed(symbols):
        value = (digits[a] + value) / base
    return value


def read_digits(value: LongNumber, digits: Sequence[int], base: int, cells: int | None) -> list[int | None]:
    """Return the symbols that :func:`write_digits` wrote, top first, up to `cells` of them.

    Small errors are forgiven, as comparators half way between the digits forgive them; where no digit fits, the list
    ends with None.

    >>> read_digits(mpq(13, 16), (1, 3), 4, None), read_digits(mpq(1, 7), (1, 3), 4, None)
    ([1, 0], [0, None])
    """
    if is_long(value):
        found = _long_digits(value, digits, base, cells)
        if found is not None:
            return found
        value = value.rational() if isinstance(value, Numeral) else value
    assert not isinstance(value, Numeral)
    return _short_digits(value, digits, base, cells)


def _long_digits(value: LongNumber, digits: Sequence[int], base: int, cells: int | None) -> list[int | None] | None:
    """Return the same from the digits, or None where they are not what was written."""
    count = length_in(value, base) if cells is None else cells
    found = leading_digits(value, base, count)
    symbols: dict[int, int | None] = {digit: a for a, digit in enumerate(digits)}
    if found is None:
        return None
    end = len(found)
    while end and not found[end - 1]:
        end -= 1
    return [symbols[digit] for digit in found[:end]] if symbols.keys() >= set(found[:end]) else None


def _short_digits(value: mpq, digits: Sequence[int], base: int, cells: int | None) -> list[int | None]:
    found: list[int | None] = []
    limit = value.denominator.bit_length() if cells is None else cells
    while value and len(found) < limit:
        shifted = base * value
        if cells is not None and abs(shifted) < HALF:
            return found  # what rounding has left of an empty stack
        fitting = [a for a, digit in enumerate(digits) if digit - HALF <= shifted < digit + 1 + HALF]
        if not fitting:
            return [*found, None]
        nearest = max(fitting, key=lambda a: -abs(shifted - digits[a] - HALF))
        found.append(nearest)
        value = shifted - digits[nearest]
    return [*found, None] if value and cells is None else found
