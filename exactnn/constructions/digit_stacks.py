"""Stacks as rational numbers with any digits: the symbol a is the digit ``digits[a]`` of the base, none of them 0."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.constructions.long_stacks import is_long, leading_digits, length_in
from exactnn.constructions.stacks import HALF

__all__ = ["read_digits", "write_digits"]


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
        found = _long(value, digits, base, cells)
        if found is not None:
            return found
        value = value.rational() if isinstance(value, Numeral) else value
    assert not isinstance(value, Numeral)
    return _short(value, digits, base, cells)


def _long(value: LongNumber, digits: Sequence[int], base: int, cells: int | None) -> list[int | None] | None:
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


def _short(value: mpq, digits: Sequence[int], base: int, cells: int | None) -> list[int | None]:
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
