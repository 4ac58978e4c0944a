"""Exact numbers, and binary floating-point formats."""

from collections.abc import Sequence
from dataclasses import replace

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.arithmetic import FloatFormat, Rounding
from exactnn.arithmetic.float_format import Summation
from exactnn.strategies.bounds import check_bounds, check_choices

__all__ = ["float_formats", "rationals"]

SUMMATIONS: tuple[Summation, ...] = ("bias first", "bias last", "pairwise")
DETERMINISTIC = tuple(rounding for rounding in Rounding if rounding is not Rounding.STOCHASTIC)


def rationals(*, largest: int = 6) -> st.SearchStrategy[mpq]:
    """Rationals p/q with \\|p\\|, q <= `largest`; they shrink to 0.

    Raises
    ------
    OptionError
        If `largest` is less than 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(rationals(), lambda x: x > 1)
    mpq(2,1)
    """
    check_bounds(1, largest=largest)
    return st.builds(mpq, st.integers(-largest, largest), st.integers(1, largest))


def float_formats(
    *, max_precision: int = 24, max_exponent_bits: int = 8, roundings: Sequence[Rounding] = DETERMINISTIC
) -> st.SearchStrategy[FloatFormat]:
    """Formats of every kind: with or without infinities, subnormals, accumulator, fused operations; sums in any order.

    They shrink to 2 bits of precision, 2 of exponent, and what IEEE 754 says.

    Parameters
    ----------
    max_precision, max_exponent_bits : int
        At least 2; the hidden bit of the significand counts.
    roundings : sequence of Rounding
        By default all that do not draw random numbers.

    Raises
    ------
    OptionError
        If a bound is less than 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(float_formats(), lambda format: format.largest > 100)
    FloatFormat(precision=2, exponent_bits=4)
    """
    check_bounds(2, 1 << 12, max_precision=max_precision)
    check_bounds(2, 20, max_exponent_bits=max_exponent_bits)
    check_choices(tuple(Rounding), roundings=roundings)
    return _float_formats(max_precision, max_exponent_bits, tuple(roundings))


@st.composite
def _float_formats(
    draw: st.DrawFn, max_precision: int, max_exponent_bits: int, roundings: tuple[Rounding, ...]
) -> FloatFormat:
    plain = _without_accumulator(max_precision, max_exponent_bits, roundings)
    format, accumulator = draw(plain), draw(st.none() | plain)
    return format if accumulator is None else replace(format, accumulator=accumulator, name="")


@st.composite
def _without_accumulator(
    draw: st.DrawFn, max_precision: int, max_exponent_bits: int, roundings: tuple[Rounding, ...]
) -> FloatFormat:
    precision = draw(st.integers(2, max_precision))
    summation = draw(st.sampled_from(SUMMATIONS))
    return FloatFormat(
        precision=precision,
        exponent_bits=draw(st.integers(2, max_exponent_bits)),
        rounding=draw(st.sampled_from(roundings)),
        subnormals=not draw(st.booleans()),
        specials=draw(st.sampled_from(("ieee", "nan", "none") if precision > 2 else ("ieee", "none"))),
        fused=draw(st.booleans()) and summation == "bias first",
        summation=summation,
    )
