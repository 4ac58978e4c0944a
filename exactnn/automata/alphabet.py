"""Symbols and words: what a machine reads, and families of words given by a pattern."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from exactnn.errors import OptionError, WordError, shown
from exactnn.options import entries, is_whole, whole_numbers

__all__ = [
    "Symbol", "Word", "as_word", "entries_at", "entry_of_each", "is_word_family", "numbers_for", "word_of_family",
    "words_of_family",
]  # fmt: skip


_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")
"""A symbol that a whole number is written as."""

Symbol = str
Word = tuple[str, ...]


def as_word(word: str | Sequence[Symbol], input_symbols: Collection[Symbol]) -> Word:
    """Return `word` as a tuple of symbols of `input_symbols`.

    A string is split into characters; where the alphabet has a symbol of several characters, it is split
    at white space instead.

    Parameters
    ----------
    word : str or sequence of str
        The word; the empty string is the empty word. A row of a numpy array or a tensor will do, and whole numbers
        where they are written as the symbols are.
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
    >>> as_word([1, 0], "01")
    ('1', '0')
    >>> as_word("abc", ["a", "b"])
    Traceback (most recent call last):
    ...
    exactnn.errors.WordError: symbol 'c' at position 2 of the word is not in the alphabet {a, b}: use its symbols
    """
    known = set(input_symbols)
    if isinstance(word, str):
        symbols = tuple(word) if all(len(a) == 1 for a in input_symbols) else tuple(word.split())
    elif isinstance(word, Sequence):
        symbols = _symbols(entries("word", word, error=WordError), known)
    elif getattr(word, "ndim", None) == 1 and hasattr(word, "tolist"):
        symbols = _symbols(word.tolist(), known)
    else:
        vectors = getattr(word, "ndim", None) == 2
        hint = f": vectors are for networks without an alphabet, and this one has {_listed(input_symbols)}" * vectors
        raise WordError(f"a word is a string or a sequence of symbols, not {shown(word)}{hint}")
    if type(word) is str and known.issuperset(symbols):  # in less time than one by one
        return symbols
    for position, symbol in enumerate(symbols):
        if not isinstance(symbol, str) or symbol not in known:
            hint = "; a pattern with ^ stands for many words, which collapse takes" if is_word_family(symbol) else ""
            raise WordError(
                f"symbol {shown(symbol)} at position {position} of the word is not in the alphabet "
                f"{_listed(input_symbols)}: use its symbols{hint}"
            )
    return symbols


def _symbols(given: Sequence[Any], known: Collection[Symbol]) -> tuple[Any, ...]:
    """Return the symbols that whole numbers are written as, and anything else as it is."""
    if all(type(entry) is str for entry in given):
        return tuple(given)
    numbers: dict[Any, Symbol] = {int(text): text for text in known if _WHOLE.fullmatch(text)}
    return tuple(numbers.get(entry, entry) if is_whole(entry) else entry for entry in given)


def entry_of_each(table: Any, keys: Sequence[Any]) -> tuple[Any, ...]:
    """Return the entry of a table for each key: of millions in less time than one by one.

    >>> entry_of_each({"a": 0, "b": 1}, "abba"), entry_of_each("ab", [1])
    ((0, 1, 1, 0), ('b',))
    """
    return entries_at(keys)(table)


def entries_at(keys: Sequence[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what takes these entries out of a table, for many tables; as a tuple also where it is one or none.

    >>> entries_at([2, 0])("abc"), entries_at([1])("abc")
    (('c', 'a'), ('b',))
    """
    return itemgetter(*keys) if len(keys) > 1 else lambda table: tuple(table[key] for key in keys)


def _listed(symbols: Collection[Symbol], limit: int = 20) -> str:
    """Return an alphabet for a message, on one line and of bounded length."""
    if not symbols:
        return "{} (only the empty word can be read)"
    names = [a if a.isprintable() and a.strip() == a else repr(a) for a in islice(symbols, limit)]
    return "{" + ", ".join(names) + (", ..." if len(symbols) > limit else "") + "}"


# --- Families of words written as patterns: ``a^n b^n``, ``{ab}^n``, ``a^2n b^n+1``.

_ITEM = re.compile(r"(?:\{([^{}]*)\}|([^\s{}^]))(?:\^(?:([0-9]{0,9})n(?:([+-])([0-9]{1,9}))?|([0-9]{1,9})))?\s*")
LONGEST = 10**7
USUAL = range(1, 41)
"""The n of a pattern, unless others are given."""


def is_word_family(text: object, input_symbols: Collection[Symbol] | None = None) -> bool:
    """Whether `text` is a pattern with an exponent: where a symbol has ^ in it, it is a word.

    >>> is_word_family("a^n b^n"), is_word_family("aabb"), is_word_family("a^n", "an^"), is_word_family("x^2", ["x^2"])
    (True, False, False, False)
    """
    return isinstance(text, str) and "^" in text and not any("^" in symbol for symbol in input_symbols or ())


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


def numbers_for(pattern: str, numbers: Sequence[int]) -> Sequence[int]:
    """Return the n for which a pattern gives words of their own: the first alone if it has no n, such as a^2.

    >>> numbers_for("a^n b", [1, 2]), numbers_for("a^2 b", [1, 2])
    ([1, 2], [1])
    """
    return numbers if any(match.group(3) is not None for match in _ITEM.finditer(pattern)) else numbers[:1]


def words_of_family(
    words: Any, n: Iterable[int] | int | None, input_symbols: Collection[Symbol] | None, *, usual: Iterable[int] = USUAL
) -> Any:
    """Return the words that a pattern gives, one for each n if it has n, and what is no pattern as it is.

    Parameters
    ----------
    words : str or anything else
        A pattern, or a list or tuple, whose patterns each give their words in their place.
    n : iterable of int, int or None
        None stands for `usual`.
    input_symbols : collection of str or None
        Where ^ is one of them there are no patterns.

    Raises
    ------
    WordError
        If the pattern cannot be read, or a word would be too long.
    OptionError
        If `n` is no whole numbers, or is given without a pattern.

    Examples
    --------
    >>> words_of_family("a^n b^n", [1, 2], "ab"), words_of_family("a^n", 3, "ab"), words_of_family(["ab"], None, "ab")
    (['ab', 'aabb'], ['aaa'], ['ab'])
    >>> words_of_family(["a^n", "b", "b^n a"], [1, 2], "ab")
    ['a', 'aa', 'b', 'ba', 'bba']
    """
    given = entries("words", words) if isinstance(words, list | tuple) else [words]
    if any(is_word_family(word, input_symbols) for word in given):
        given_n = usual if n is None else [n] if isinstance(n, int) else n
        numbers = whole_numbers("n", given_n, "whole numbers from 0 on, such as range(1, 41)")
        found = []
        for word in given:
            if is_word_family(word, input_symbols):
                found += [word_of_family(word, number) for number in numbers_for(word, numbers)]
            else:
                found.append(word)
        return found
    if n is not None:
        raise OptionError(f"n={shown(n)}: it goes with a pattern such as 'a^n b^n', and words={shown(words)} is none")
    return words
