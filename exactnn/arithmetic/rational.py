"""Rationals of unbounded size: how users write them, how they are printed, and the arithmetics that round nothing."""

import numbers
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import gmpy2
from gmpy2 import mpq, mpz

from exactnn.arithmetic.tower import Tower, Whole
from exactnn.errors import NumberError, shown

__all__ = [
    "EXACT",
    "RATIONAL",
    "ExactArithmetic",
    "ExactNumber",
    "RationalArithmetic",
    "count_text",
    "exact",
    "exact_text",
    "short_text",
    "value_text",
    "whole_text",
]


# --- Exact rational numbers: how a user's number becomes a ``gmpy2.mpq``, and how one is printed.
#
# A float is taken as exactly the dyadic rational that it is; nothing is rounded here.

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
    value : int, Fraction, mpz, mpq, str, finite float, numpy number, or array or torch tensor of one number
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
            raise NumberError(f"{shown(value)} is not a finite number: only a finite one has an exact value") from None
        return mpq(int(numerator), int(denominator))
    if getattr(value, "shape", None) == () and callable(item := getattr(value, "item", None)):  # an array of one number
        number = item()
        if isinstance(number, int | float) and not isinstance(number, bool):
            return exact(number)
    raise NumberError(f"{shown(value)} is not an exact number: give an int, a Fraction, 'p/q' or a finite float")


def _from_text(text: str) -> mpq:
    if match := _FRACTION.fullmatch(text):
        numerator, denominator = (gmpy2.mpz(part or "1", 0) for part in match.groups())
        if not denominator:
            raise NumberError(f"{shown(text)} is not a number: its denominator is 0")
        return mpq(numerator, denominator)
    if _DECIMAL.fullmatch(text):
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


# --- Whole numbers of any length as text: Python itself refuses to print more than 4300 digits.


def whole_text(number: int) -> str:
    """Return all decimal digits of a number.

    >>> whole_text(-(10**3)), len(whole_text(10**9999))
    ('-1000', 10000)
    """
    return mpz(number).digits(10)


def count_text(number: Whole, *, limit: int = 40) -> str:
    """Return a number for people: all digits if there are at most `limit`, else the first ones and the magnitude.

    >>> count_text(1234567), count_text(10**1000 // 7)
    ('1,234,567', 'about 1.429e999')
    """
    if isinstance(number, Tower):
        return str(number)
    if abs(number) < 10**limit:
        return f"{number:,}"
    with gmpy2.context(precision=53, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return "about " + f"{gmpy2.mpfr(mpz(number)):.3e}".replace("e+", "e")


def counted(number: Whole, noun: str, nouns: str = "") -> str:
    """Return a number of things for people; `nouns` is the plural, by default with an s.

    >>> counted(1, "step"), counted(1200, "step"), counted(0, "piece of path", "pieces of path")
    ('1 step', '1,200 steps', '0 pieces of path')
    """
    return f"{count_text(number)} {noun if number == 1 else nouns or noun + 's'}"


# --- A number of a state as text for people, whatever the arithmetic is.


def value_text(value: Any, *, limit: int = 24) -> str:
    """Return a float with all its digits, a rational if it is not long, anything else as it writes itself.

    >>> from gmpy2 import mpq
    >>> value_text(0.1), value_text(mpq(1, 3)), value_text(mpq(1, 3**1000))
    ('0.1', '1/3', '≈7.5639e-478 (1/1585 bits)')
    """
    if isinstance(value, float):
        return repr(value)
    return short_text(value, limit=limit) if hasattr(value, "numerator") else str(value)


@dataclass(frozen=True, slots=True)
class RationalArithmetic:
    """Exact rational arithmetic (``gmpy2.mpq``).

    >>> str(RATIONAL)
    'rational'
    """

    name: str = "rational"
    is_exact: ClassVar[Literal[True]] = True
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[False]] = False
    rounds_at_random: ClassVar[Literal[False]] = False

    def __str__(self) -> str:
        return self.name


RATIONAL = RationalArithmetic()
"""The plain reference arithmetic."""


@dataclass(frozen=True, slots=True)
class ExactArithmetic:
    """The same rational numbers, held as positional numerals where a network allows it: as exact, and fast.

    >>> str(EXACT)
    'exact'
    """

    name: str = "exact"
    is_exact: ClassVar[Literal[True]] = True
    rounds: ClassVar[Literal[False]] = False
    encloses: ClassVar[Literal[False]] = False
    rounds_at_random: ClassVar[Literal[False]] = False

    def __str__(self) -> str:
        return self.name


EXACT = ExactArithmetic()
"""Exact arithmetic by the fast engine; it falls back to plain rationals by itself."""
