"""Stacks too long to be read symbol by symbol: their leading symbols, how long they are, how many are not blank."""

from collections.abc import Hashable, Mapping, Sequence

from gmpy2 import mpq, mpz

from exactnn.arithmetic import LongNumber, Numeral, digit_runs, digits_of, fraction_digits

__all__ = ["MOST_CELLS", "count_scalar", "count_vector", "is_long", "leading_digits", "length_in", "like_it"]

LONG = 4096
"""Bits from which a number is long."""
MOST_CELLS = 10**7
"""Cells on either side of the head up to which a tape is decoded without being asked for a number of cells."""


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
