"""How far a number format counts, and how deep a stack in one number is: formulas in p and the largest number."""

from __future__ import annotations

from typing import TypeGuard

from exactnn.arithmetic import AnyArithmetic, Arithmetic, FixedPoint, FloatFormat, arithmetic_of

__all__ = ["counter_capacity", "doubling_capacity"]


def counter_capacity(arithmetic: AnyArithmetic) -> int | None:
    """Return the count up to which a counter of step 1 is right in an arithmetic; None if there is no such limit.

    This is the N for which all of 0, 1, ..., N are numbers of the format and N + 1 is not; with an accumulator, numbers
    of both.

    Parameters
    ----------
    arithmetic : Arithmetic
        A float or fixed-point format; anything else computes without rounding.

    Raises
    ------
    UnsupportedArithmeticError
        If it is no arithmetic.

    Notes
    -----
    **Theorem.** For a float format with p bits and the largest number L, N = min(2^p, floor(L)); for a fixed-point
    format N = floor(L); with an accumulator it is the lesser one of the two. A counter c' = c + 1 from 0, whatever
    rounding and order of summation, is exact up to N, and without an accumulator it is wrong at N + 1.

    *Proof.* Of a float format: an integer of at most p bits, and 2^p, is a number of the format if it is at most L (the
    smallest normal number is at most 1); a sum of two such numbers that is one too is computed without rounding. The
    number 2^p + 1 has p + 1 bits and its last is 1: it is none of the format. If L < 2^p, then L's last place is at
    most 1, and floor(L) + 1 is beyond L. QED. Rounded to nearest, ties to even, 2^p + 1 is 2^p again: +1 is lost, and
    the counter stands still. (If an accumulator ends between N and N + 1, the rounding into the format may put that
    right, once.)

    So `lstm_anbn` is right on a^n b^n exactly as long as n <= N, in a float format without an accumulator whose L is
    at least 2^p and which has the number 1/2, its threshold. (It has none with 2 bits of exponent and no subnormals.)

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT8_E4M3, FLOAT16, FixedPoint
    >>> formats = FLOAT16, BFLOAT16, FLOAT8_E4M3, FixedPoint(integer_bits=8, fraction_bits=8), EXACT
    >>> [counter_capacity(format) for format in formats]
    [2048, 256, 16, 127, None]
    """
    arithmetic = arithmetic_of(arithmetic)
    if not _is_bounded(arithmetic):
        return None
    return min(map(_count, _formats(arithmetic)))


def doubling_capacity(arithmetic: AnyArithmetic) -> int | None:
    """Return the depth to which a stack that doubles is right in an arithmetic; None if there is no such limit.

    The stack is that of :func:`~exactnn.constructions.doubling_lstm_palindromes`: n bits are an integer below 2^n
    beside its weight 2^n, and a pop doubles the integer. The depth is the largest n for which all 2^n contents are
    pushed and popped without error.

    Parameters
    ----------
    arithmetic : Arithmetic

    Raises
    ------
    UnsupportedArithmeticError
        If it is no arithmetic.

    Notes
    -----
    **Theorem.** For a float format with p bits and the largest number L it is min(p, floor(log2(L + 2)) - 1), in any
    rounding; of a fixed-point format floor(log2(L + 2)) - 1. With an accumulator the stack is right at least up to the
    lesser one of the two depths, which is returned.

    *Proof.* All integers below 2^n are numbers of the format if n <= p. Doubled they are even and at most 2^(n+1) - 2,
    with no more bits; the weight that is taken away leaves an integer below 2^n again. So every state is exact if
    2^(n+1) - 2 <= L, which is n <= log2(L + 2) - 1, and then 2^n <= L too. For n = p + 1 the contents b a^(p-1) b are
    2^p + 1, which is no number: the first bit is lost. Where L is the limit, n b's are doubled beyond L. QED.

    A stack in the digits of a fraction has floor(p / 2) places in base 4, a counter the capacity 2^p
    (docs/collapse_formulas.md).

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16, EXACT, FLOAT8_E4M3, FLOAT16, FixedPoint
    >>> formats = FLOAT16, BFLOAT16, FLOAT8_E4M3, FixedPoint(integer_bits=8, fraction_bits=8), EXACT
    >>> [doubling_capacity(format) for format in formats]
    [11, 8, 4, 6, None]
    """
    arithmetic = arithmetic_of(arithmetic)
    if not _is_bounded(arithmetic):
        return None
    return min(map(_depth, _formats(arithmetic)))


def _count(format: FloatFormat | FixedPoint) -> int:
    return min(1 << format.significant_bits, int(format.largest))


def _depth(format: FloatFormat | FixedPoint) -> int:
    return min(format.significant_bits, (int(format.largest) + 2).bit_length() - 2)


def _formats(format: FloatFormat | FixedPoint) -> tuple[FloatFormat | FixedPoint, ...]:
    """Return the format and its accumulator, in which products and sums are formed first."""
    return (format,) if format.accumulator is None else (format, format.accumulator)


def _is_bounded(arithmetic: Arithmetic) -> TypeGuard[FloatFormat | FixedPoint]:
    return arithmetic.rounds
