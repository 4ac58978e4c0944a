"""Stacks of symbols as rational numbers: Cantor encodings and how to read them back, rounded ones too."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import floor, isfinite
from typing import Any

from gmpy2 import mpq

from exactnn.automata import LOST

__all__ = ["pop_vector", "push_vector", "read_scalar", "read_vector", "readable", "write_scalar", "write_vector"]

HALF = mpq(1, 2)


def readable(units: Iterable[Hashable], values: Iterable[Any]) -> dict[Hashable, mpq]:
    """Return the units of a state that are not zero with their exact values.

    Infinities and NaN, which stand for nothing, become -1.

    >>> readable("abc", (0.5, 0.0, float("nan")))
    {'a': mpq(1,2), 'c': mpq(-1,1)}
    """
    return {
        unit: mpq(value) if not isinstance(value, float) or isfinite(value) else mpq(-1)
        for unit, value in zip(units, values, strict=True)
        if value != 0
    }


def write_scalar(digits: Sequence[int], base: int) -> mpq:
    """Return sum of 2 * digits[i] / base**(i+1): a stack as one number, top first.

    >>> write_scalar([1, 0, 2], 5)
    mpq(54,125)
    """
    value = mpq(0)
    for digit in reversed(digits):
        value = (2 * digit + value) / base
    return value


def read_scalar(value: mpq, base: int, largest: int, cells: int | None) -> list[int | None]:
    """Return the digits that :func:`write_scalar` wrote, without the zeros at the end.

    Each digit is the one that a comparator would see, so that small errors are forgiven where the network
    forgives them; where no digit fits, the list ends with None.

    >>> read_scalar(mpq(54, 125), 5, 2, None), read_scalar(mpq(9, 10), 5, 1, 3)
    ([1, 0, 2], [None])
    """
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


def read_vector(stack: Mapping[Hashable, mpq], base: int, bottom: Hashable, cells: int | None) -> list[Hashable]:
    """Return the symbols above `bottom`, top first; where no symbol is clearly on top, the list ends with LOST.

    >>> read_vector(write_vector("ab$", "ab$", 4), 4, "$", None)
    ['a', 'b']
    """
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
