"""Text from strangers made fit for a terminal: on one line, cut where it is long, numbers short."""

from math import isfinite

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import Numeral, count_text, value_text
from exactnn.markup import printable

__all__ = ["digits_text", "number_text", "one_line", "shortened"]


def one_line(text: str) -> str:
    r"""Return `text` as one printable line.

    >>> one_line("two\n  lines")
    'two lines'
    """
    return printable(" ".join(text.split()))


def shortened(text: str, limit: int = 40) -> str:
    """Return `text` printable and cut in the middle to about `limit` characters.

    >>> shortened("a" * 30 + "b" * 30, 21)
    'aaaaaaaaaa…bbbbbbbbbb'
    """
    if len(text) <= limit:
        return printable(text)
    half = limit // 2
    return f"{printable(text[:half])}…{printable(text[-half:])}"


def number_text(value: object) -> str:
    """Return a number of a network for people: a short exact fraction, or the digits that a float stands for.

    >>> number_text(mpq(1, 3)), number_text(0.1)
    ('1/3', '0.1')
    """
    if isinstance(value, Numeral):
        return f"≈{value} ({count_text(value.digits)} digits in base {value.base})"
    return value_text(value)


def digits_text(value: mpq | float) -> str:
    """Return a number with 20 digits, so that an exact value and a rounded one can be told apart.

    >>> digits_text(mpq(1, 3)), digits_text(0.5), digits_text(float("inf"))
    ('0.33333333333333333333', '0.5', 'inf')
    """
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    with gmpy2.context(precision=160, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return f"{gmpy2.mpfr(value):.20g}"
