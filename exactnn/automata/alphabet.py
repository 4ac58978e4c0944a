"""Alphabets and words: a symbol is a non-empty string, a word a tuple of symbols."""

from collections.abc import Collection, Sequence
from itertools import islice

from exactnn.errors import WordError, shown

__all__ = ["Symbol", "Word", "as_word"]

Symbol = str
Word = tuple[str, ...]


def as_word(word: str | Sequence[Symbol], input_symbols: Collection[Symbol]) -> Word:
    """Return `word` as a tuple of symbols of `input_symbols`.

    A string is split into characters; where the alphabet has a symbol of several characters, it is split
    at white space instead.

    Parameters
    ----------
    word : str or sequence of str
        The word; the empty string is the empty word.
    input_symbols : collection of str
        The alphabet.

    Raises
    ------
    WordError
        If a symbol is not in the alphabet: the message names it, its position and the alphabet.

    Examples
    --------
    >>> as_word("abba", ["a", "b"])
    ('a', 'b', 'b', 'a')
    >>> as_word("up down", ["up", "down"])
    ('up', 'down')
    >>> as_word("abc", ["a", "b"])
    Traceback (most recent call last):
    ...
    exactnn.errors.WordError: symbol 'c' at position 2 of the word is not in the alphabet {a, b}: use its symbols
    """
    if isinstance(word, str):
        symbols = tuple(word) if all(len(a) == 1 for a in input_symbols) else tuple(word.split())
    elif isinstance(word, Sequence):
        symbols = tuple(word)
    else:
        raise WordError(f"a word is a string or a sequence of symbols, not {shown(word)}")
    known = set(input_symbols)
    for position, symbol in enumerate(symbols):
        if not isinstance(symbol, str) or symbol not in known:
            raise WordError(
                f"symbol {shown(symbol)} at position {position} of the word is not in the alphabet "
                f"{_listed(input_symbols)}: use its symbols"
            )
    return symbols


def _listed(symbols: Collection[Symbol], limit: int = 20) -> str:
    """Return an alphabet for a message, on one line and of bounded length."""
    if not symbols:
        return "{} (only the empty word can be read)"
    names = [a if a.isprintable() and a.strip() == a else repr(a) for a in islice(symbols, limit)]
    return "{" + ", ".join(names) + (", ..." if len(symbols) > limit else "") + "}"
