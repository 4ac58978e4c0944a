"""Families of words written as patterns: ``a^n b^n``, ``{ab}^n``, ``a^2n b^n+1``."""

import re

from exactnn.errors import WordError, shown

__all__ = ["is_word_family", "word_of_family"]

_ITEM = re.compile(r"(?:\{([^{}]*)\}|([^\s{}^]))(?:\^(?:([0-9]{0,9})n(?:([+-])([0-9]{1,9}))?|([0-9]{1,9})))?\s*")
LONGEST = 10**7


def is_word_family(text: str) -> bool:
    """Whether `text` is a pattern with an exponent.

    >>> is_word_family("a^n b^n"), is_word_family("aabb")
    (True, False)
    """
    return "^" in text


def word_of_family(pattern: str, n: int) -> str:
    """Return the word that `pattern` gives for `n`.

    A pattern is a sequence of symbols or groups in braces, each with an optional exponent: a number, n,
    a multiple such as 2n, or a shifted one such as n+1 or 2n-1 (negative counts give nothing).

    Raises
    ------
    WordError
        If the pattern cannot be read, or the word would have more than ten million symbols.

    Examples
    --------
    >>> word_of_family("a^n b^n", 3), word_of_family("{ab}^2 c^2n-1", 2)
    ('aaabbb', 'ababccc')
    """
    parts: list[str] = []
    length = position = 0
    while position < len(pattern):
        match = _ITEM.match(pattern, position)
        if match is None:
            raise WordError(
                f"pattern {shown(pattern)} cannot be read from {shown(pattern[position:])} on: write symbols or "
                "{groups} with exponents such as a^n, {ab}^n, a^2n, a^n+1"
            )
        group, single, factor, sign, shift, fixed = match.groups()
        text = single if group is None else group
        count = 1
        if fixed is not None:
            count = int(fixed)
        elif factor is not None:
            count = int(factor or 1) * n + int(f"{sign}{shift}" if sign else 0)
        count = max(0, count)
        length += count * len(text)
        if length > LONGEST:
            raise WordError(f"pattern {shown(pattern)} gives a word of more than {LONGEST} symbols for n={n}")
        parts.append(text * count)
        position = match.end()
    return "".join(parts)
