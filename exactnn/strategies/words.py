"""Alphabets, and words over them."""

from collections.abc import Sequence

from hypothesis import strategies as st

from exactnn.automata import Symbol
from exactnn.errors import OptionError
from exactnn.strategies.bounds import check_bounds, check_symbols

__all__ = ["LETTERS", "alphabets", "words"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def alphabets(*, min_symbols: int = 1, max_symbols: int = 3) -> st.SearchStrategy[tuple[Symbol, ...]]:
    """Alphabets a, b, c, ...; they shrink to the least number of symbols.

    Raises
    ------
    OptionError
        If a bound is no number of letters, from 0 to 26, or they are in the wrong order.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(alphabets(), lambda symbols: True)
    ('a',)
    """
    check_bounds(0, len(LETTERS), min_symbols=min_symbols, max_symbols=max_symbols)
    if min_symbols > max_symbols:
        raise OptionError(f"min_symbols={min_symbols} is more than max_symbols={max_symbols}")
    return st.integers(min_symbols, max_symbols).map(lambda size: tuple(LETTERS[:size]))


def words(
    alphabet: Sequence[Symbol] = ("a", "b"), *, min_size: int = 0, max_size: int = 8
) -> st.SearchStrategy[tuple[Symbol, ...]]:
    """Words over an alphabet as tuples; only the empty one if there are no symbols. They shrink to the shortest.

    Raises
    ------
    OptionError
        If these are no different symbols, a bound is negative, they are in the wrong order, or all words of no symbols
        are to be longer.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(words("ab"), lambda word: word.count("b") == 2)
    ('b', 'b')
    """
    check_symbols(alphabet=alphabet)
    check_bounds(0, min_size=min_size, max_size=max_size)
    if min_size > max_size or (min_size and not alphabet):
        raise OptionError(
            f"min_size={min_size}: there are no such words, of at most {max_size} of {len(alphabet)} symbols"
        )
    if not alphabet:
        return st.just(())
    return st.lists(st.sampled_from(tuple(alphabet)), min_size=min_size, max_size=max_size).map(tuple)
