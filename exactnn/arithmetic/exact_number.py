"""Exact rational numbers: how a user's number becomes a ``gmpy2.mpq``, and how one is printed.

A float is taken as exactly the dyadic rational that it is; nothing is rounded here.
"""

import numbers
import re
from fractions import Fraction
from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.errors import NumberError, shown

__all__ = ["ExactNumber", "exact", "exact_text", "short_text"]

ExactNumber = Any
"""int, Fraction, gmpy2.mpz, gmpy2.mpq, "p/q", or a finite float (taken exactly)."""


_EXACT_TYPES = (mpq, type(gmpy2.mpz(0)))
_INTEGER = r"(?:0[xX][0-9a-fA-F]+|[0-9]+)"
_FRACTION = re.compile(rf"\s*([+-]?{_INTEGER})(?:\s*/\s*({_INTEGER}))?\s*")
_BARE_POINT = re.compile(r"^(-?)\.")  # gmpy2 wants a digit before the point, and no plus sign
_DECIMAL = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?\s*")


def exact(value: ExactNumber) -> mpq:
    """Return `value` as an exact rational.

    Parameters
    ----------
    value : int, Fraction, mpz, mpq, numpy integer, str or finite float
        A string is "p", "p/q" or a decimal such as "0.1" (one tenth, exactly); numerator and denominator
        may be hexadecimal ("0x1f/0x20"). A float is the dyadic rational that it is.

    Raises
    ------
    NumberError
        If `value` is none of these, or is infinite or not a number.

    Examples
    --------
    >>> exact("2/3"), exact(0.5), exact("0.1") == exact(0.1)
    (mpq(2,3), mpq(1,2), False)
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, (int, *_EXACT_TYPES)):
        return mpq(value)
    if isinstance(value, Fraction):  # which gmpy2 would ask for its parts, and make a SystemError of Ctrl-C there
        return mpq(value.numerator, value.denominator)
    if isinstance(value, numbers.Integral):  # numpy integers
        return mpq(int(value))
    if isinstance(value, numbers.Real):  # float and numpy floats
        try:
            numerator, denominator = value.as_integer_ratio()  # type: ignore[attr-defined]
        except (OverflowError, ValueError):
            raise NumberError(f"{shown(value)} is not a finite number: parameters are exact rationals") from None
        return mpq(int(numerator), int(denominator))
    raise NumberError(f"{shown(value)} is not an exact number: give an int, a Fraction, 'p/q' or a finite float")


def _from_text(text: str) -> mpq:
    if match := _FRACTION.fullmatch(text):
        numerator, denominator = (gmpy2.mpz(part or "1", 0) for part in match.groups())
        if denominator:
            return mpq(numerator, denominator)
    elif _DECIMAL.fullmatch(text):
        return mpq(_BARE_POINT.sub(r"\g<1>0.", text.strip().removeprefix("+")))
    raise NumberError(f"{shown(text)} is not a number: write 'p', 'p/q' or a decimal")


def exact_text(value: mpq) -> str:
    """Return `value` as hexadecimal text that :func:`exact` reads back, of any length.

    >>> exact_text(mpq(-31, 2)), exact(exact_text(mpq(-31, 2)))
    ('-0x1f/0x2', mpq(-31,2))
    """
    numerator = hex(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{hex(value.denominator)}"


def short_text(value: mpq, *, limit: int = 24) -> str:
    """Return `value` for people: the fraction if it is short, else its leading digits and its size in bits.

    >>> short_text(mpq(2, 3)), short_text(mpq(2, 3) ** 100)
    ('2/3', '≈2.4597e-18 (101/159 bits)')
    """
    p, q = value.numerator, value.denominator
    if p.bit_length() + q.bit_length() <= 3 * limit:
        text = str(value)
        if len(text) <= limit:
            return text
    with gmpy2.context(precision=53, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        leading = f"{gmpy2.mpfr(value):.4e}"
    return f"≈{leading} ({p.bit_length()}/{q.bit_length()} bits)"
