"""Text from strangers made fit for a terminal: control characters shown, long texts cut, tapes cut at their ends."""

from gmpy2 import mpq

from exactnn.arithmetic import short_text
from exactnn.automata import TapeConfiguration

__all__ = ["configuration_text", "number_text", "one_line", "printable", "shortened"]


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
    return short_text(value) if isinstance(value, mpq) else repr(value)


def configuration_text(configuration: object, *, reach: int | None = None) -> str:
    """Return a configuration as text, at most `reach` cells on either side of the head.

    >>> tape = TapeConfiguration(state="q", left=("b", "a"), scanned="c", right=("d", "e"))
    >>> configuration_text(tape), configuration_text(tape, reach=1)
    ('q: a b [c] d e', 'q: … b [c] d …')
    """
    if reach is not None and isinstance(configuration, TapeConfiguration):
        cells = [*reversed(configuration.left[:reach]), f"[{configuration.scanned}]", *configuration.right[:reach]]
        before = "… " if len(configuration.left) > reach else ""
        after = " …" if len(configuration.right) > reach else ""
        return printable(f"{configuration.state}: {before}{' '.join(cells)}{after}")
    return printable(str(configuration))
