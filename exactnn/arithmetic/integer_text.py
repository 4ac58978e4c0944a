"""Whole numbers of any length as text: Python itself refuses to print more than 4300 digits."""

import gmpy2
from gmpy2 import mpz

__all__ = ["count_text", "whole_text"]


def whole_text(number: int) -> str:
    """Return all decimal digits of a number.

    >>> whole_text(-(10**3)), len(whole_text(10**9999))
    ('-1000', 10000)
    """
    return mpz(number).digits(10)


def count_text(number: int, *, limit: int = 40) -> str:
    """Return a number for people: all digits if there are at most `limit`, else the first ones and the magnitude.

    >>> count_text(1234567), count_text(10**1000 // 7)
    ('1,234,567', 'about 1.429e999')
    """
    if abs(number) < 10**limit:
        return f"{number:,}"
    with gmpy2.context(precision=53, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return "about " + f"{gmpy2.mpfr(mpz(number)):.3e}".replace("e+", "e")


def counted(number: int, noun: str, nouns: str = "") -> str:
    """Return a number of things for people; `nouns` is the plural, by default with an s.

    >>> counted(1, "step"), counted(1200, "step"), counted(0, "piece of path", "pieces of path")
    ('1 step', '1,200 steps', '0 pieces of path')
    """
    return f"{count_text(number)} {noun if number == 1 else nouns or noun + 's'}"
