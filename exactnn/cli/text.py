"""Text from strangers made fit for a terminal: control characters shown, long texts cut, tapes cut at their ends."""

from math import isfinite

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import Enclosure, Numeral, count_text, short_text
from exactnn.automata import StackConfiguration, TapeConfiguration

__all__ = ["configuration_text", "digits_text", "number_text", "one_line", "printable", "shortened"]


NOT_CUT = (False, False)


def printable(text: str) -> str:
    r"""Return `text` with control and other invisible characters as escapes, so that none reaches a terminal.

    >>> printable("a\x1b[2J b\n")
    'a\\x1b[2J b\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


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
    if isinstance(value, Enclosure):
        return str(value)
    return short_text(value) if isinstance(value, mpq) else repr(value)


def digits_text(value: mpq | float) -> str:
    """Return a number with 20 digits, so that an exact value and a rounded one can be told apart.

    >>> digits_text(mpq(1, 3)), digits_text(0.5), digits_text(float("inf"))
    ('0.33333333333333333333', '0.5', 'inf')
    """
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    with gmpy2.context(precision=160, emax=gmpy2.get_emax_max(), emin=gmpy2.get_emin_min()):
        return f"{gmpy2.mpfr(value):.20g}"


def configuration_text(configuration: object, *, reach: int | None = None, cut: tuple[bool, bool] = NOT_CUT) -> str:
    """Return a configuration as text, at most `reach` cells on either side of the head.

    Parameters
    ----------
    configuration : object
    reach : int, optional
    cut : pair of bool
        Whether the tape goes on beyond the cells of `configuration`, to the left and to the right. The first of them
        says of stacks whether the longest go on.

    Examples
    --------
    >>> tape = TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d", "e"))
    >>> configuration_text(tape), configuration_text(tape, reach=1), configuration_text(tape, cut=(True, False))
    ('q: a b [c] d e', 'q: … b [c] d …', 'q: … a b [c] d e')
    """
    if isinstance(configuration, StackConfiguration):
        return _stacks_text(configuration, reach, cut[0])
    if not isinstance(configuration, TapeConfiguration):
        return str(configuration)
    cells = [*reversed(configuration.left[:reach]), f"[{configuration.scanned}]", *configuration.right[:reach]]
    before, after = (reach is not None and len(side) > reach for side in (configuration.left, configuration.right))
    dots = ["…" * (before or cut[0]), "…" * (after or cut[1])]
    return " ".join(filter(None, [f"{configuration.state}:", dots[0], *cells, dots[1]]))


def _stacks_text(configuration: StackConfiguration, reach: int | None, cut: bool) -> str:
    """Return the state and at most `reach` symbols of each stack, with dots where there are more."""
    longest = max(map(len, configuration.stacks))
    texts = []
    for stack in configuration.stacks:
        more = (reach is not None and len(stack) > reach) or (cut and len(stack) == longest)
        texts.append(" ".join([*stack[:reach], *["…"] * more]) or "(empty)")
    return f"{configuration.state}: " + " | ".join(texts)
