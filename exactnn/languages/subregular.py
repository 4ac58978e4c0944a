"""Classes of regular languages below the regular ones: minimal automata from what defines each class."""

from collections.abc import Iterable, Sequence

from exactnn.automata import DFA, Symbol, Word, as_word
from exactnn.errors import OptionError, shown
from exactnn.languages.definitions import (
    BEGIN,
    END,
    MOST_LETTERS,
    WORDS,
    Counts,
    Scan,
    accepted_rows,
    alphabet_of,
    complete,
    factors_of,
    further,
    minimal_automaton,
    subset_of,
    words_of,
)
from exactnn.options import listed, whole_number

__all__ = [
    "locally_testable",
    "marked_product",
    "modular_counting",
    "piecewise_testable",
    "strictly_local",
    "strictly_piecewise",
]

MOST_MODULUS = 10_000


def strictly_local(
    input_symbols: Iterable[Symbol],
    forbidden: Iterable[str | Sequence[Symbol]],
    *,
    tier: Iterable[Symbol] | None = None,
) -> DFA:
    """Return the minimal automaton of the words in which no forbidden factor occurs.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols; "^" and "$" are none of them.
    forbidden : iterable of str or sequence of str
        Factors, each a row of neighbouring symbols. The beginning of a word is written "^" and its end "$". So "^a"
        forbids that it begins with a, and "^$" that it is empty.
    tier : iterable of str, optional
        Symbols that are looked at; all others may stand anywhere. The language is *tier-based* strictly local then.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError
        If something is not of this form, the factors have more than 200 symbols together, or the automaton has more
        than 100,000 entries.
    WordError
        If a factor has another symbol.

    References
    ----------
    R. McNaughton and S. Papert, *Counter-Free Automata*, 1971; J. Heinz, C. Rawal and H. G. Tanner, "Tier-based
    strictly local constraints for phonology", ACL 2011; S. van der Poel et al., "MLRegTest: a benchmark for the machine
    learning of regular languages", *Journal of Machine Learning Research* 25, 2024, for all classes of this file.

    Examples
    --------
    >>> no_bb = strictly_local("ab", ["bb", "^b"])
    >>> [no_bb.accepts(word) for word in ("", "abab", "abba", "ba")], len(no_bb.states)
    ([True, True, False, False], 3)
    """
    symbols = alphabet_of(input_symbols)
    scan = Scan(symbols, factors_of("forbidden", forbidden, symbols), tier)

    def step(state: Word | None, symbol: Symbol) -> Word | None:
        if state is None or symbol not in scan.tier:
            return state
        after, found = scan.after(state, symbol)
        return None if found else after

    begin, found = scan.after((), BEGIN)
    start = None if found else begin
    return minimal_automaton(
        symbols, start, step, lambda state: state is not None and not scan.after(state, END)[1], "strictly local"
    )


def strictly_piecewise(input_symbols: Iterable[Symbol], forbidden: Iterable[str | Sequence[Symbol]]) -> DFA:
    """Return the minimal automaton of the words in which no forbidden subsequence occurs.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols.
    forbidden : iterable of str or sequence of str
        Subsequences: symbols that occur in this order, with anything between them.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError, WordError
        As :func:`strictly_local`.

    References
    ----------
    J. Rogers et al., "On languages piecewise testable in the strict sense", *The Mathematics of Language* 10-11, 2010.

    Examples
    --------
    >>> no_a_after_b = strictly_piecewise("ab", ["ba"])
    >>> [no_a_after_b.accepts(word) for word in ("", "aabb", "aba")]
    [True, True, False]
    """
    symbols = alphabet_of(input_symbols)
    wanted = words_of("forbidden", forbidden, symbols)
    start: Counts | None = (0,) * len(wanted)

    def step(state: Counts | None, symbol: Symbol) -> Counts | None:
        after = None if state is None else further(wanted, state, symbol)
        return None if after is None or complete(wanted, after) else after

    return minimal_automaton(symbols, start, step, lambda state: state is not None, "strictly piecewise")


def locally_testable(
    input_symbols: Iterable[Symbol],
    factors: Iterable[str | Sequence[Symbol]],
    accepted: Iterable[Iterable[int]],
    *,
    threshold: int = 1,
    tier: Iterable[Symbol] | None = None,
) -> DFA:
    """Return the minimal automaton of the words that have accepted numbers of some factors, counted up to a threshold.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols; "^" and "$" are none of them.
    factors : iterable of str or sequence of str
        The k factors that are looked for, written as for :func:`strictly_local`. Occurrences may overlap.
    accepted : iterable of sequences of int, each of shape (k,)
        How often each factor occurs in words of the language, from 0 to `threshold`, which stands for any more, too.
    threshold : int
        With 1 only whether a factor occurs counts: the language is locally testable. With more it is locally threshold
        testable.
    tier : iterable of str, optional
        Symbols that are looked at, as for :func:`strictly_local`.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError
        If something is not of this form, the factors have more than 200 symbols together, or the automaton has more
        than 100,000 entries.
    WordError
        If a factor has another symbol.

    References
    ----------
    R. McNaughton and S. Papert, *Counter-Free Automata*, 1971; D. Beauquier and J.-E. Pin, "Languages and scanners",
    *Theoretical Computer Science* 84, 1991, for thresholds.

    Examples
    --------
    >>> both_or_none = locally_testable("ab", ["aa", "bb"], [(0, 0), (1, 1)])
    >>> [both_or_none.accepts(word) for word in ("abab", "aabb", "aab")]
    [True, True, False]
    >>> one_b = locally_testable("ab", ["b"], [(1,)], threshold=2)
    >>> [one_b.accepts(word) for word in ("aba", "", "bb")], len(one_b.states)
    ([True, False, False], 3)
    """
    symbols = alphabet_of(input_symbols)
    scan = Scan(symbols, factors_of("factors", factors, symbols), tier)
    threshold = whole_number("threshold", threshold, 1, MOST_LETTERS)
    wanted = accepted_rows(accepted, len(scan.factors), threshold)

    def counted(state: tuple[Word, Counts], symbol: Symbol) -> tuple[Word, Counts]:
        after, found = scan.after(state[0], symbol)
        return after, tuple(min(count + (i in found), threshold) for i, count in enumerate(state[1]))

    def step(state: tuple[Word, Counts], symbol: Symbol) -> tuple[Word, Counts]:
        return counted(state, symbol) if symbol in scan.tier else state

    start = counted(((), (0,) * len(scan.factors)), BEGIN)
    name = "locally testable" if threshold == 1 else "locally threshold testable"
    return minimal_automaton(symbols, start, step, lambda state: counted(state, END)[1] in wanted, name)


def piecewise_testable(
    input_symbols: Iterable[Symbol],
    subsequences: Iterable[str | Sequence[Symbol]],
    accepted: Iterable[Iterable[int]],
) -> DFA:
    """Return the minimal automaton of the words in which an accepted choice of some subsequences occurs.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols.
    subsequences : iterable of str or sequence of str
        The k subsequences that are looked for: symbols in this order, with anything between them.
    accepted : iterable of sequences of int, each of shape (k,)
        For each subsequence 1 if it occurs in words of the language, and 0 if not.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError, WordError
        As :func:`locally_testable`.

    References
    ----------
    I. Simon, "Piecewise testable events", *Automata Theory and Formal Languages*, 1975.

    Examples
    --------
    >>> one_way = piecewise_testable("ab", ["ab", "ba"], [(1, 0), (0, 1)])
    >>> [one_way.accepts(word) for word in ("aabb", "ba", "aba", "aa")]
    [True, True, False, False]
    """
    symbols = alphabet_of(input_symbols)
    wanted = words_of("subsequences", subsequences, symbols)
    choices = accepted_rows(accepted, len(wanted), 1)

    def accepts(state: Counts) -> bool:
        return tuple(int(at == len(word)) for word, at in zip(wanted, state, strict=True)) in choices

    return minimal_automaton(
        symbols, (0,) * len(wanted), lambda state, a: further(wanted, state, a), accepts, "piecewise testable"
    )


def marked_product(
    input_symbols: Iterable[Symbol], blocks: Iterable[Iterable[Symbol]], marks: str | Sequence[Symbol]
) -> DFA:
    """Return the minimal automaton of A0* a1 A1* a2 ... an An*, which is star-free.

    Unions, intersections and complements of these are star-free, too (:mod:`exactnn.equivalence` has them).

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols.
    blocks : iterable of n + 1 collections of str
        The sets A0 to An of symbols that may stand between marks; one may be empty.
    marks : str or sequence of n str
        The symbols a1 to an.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError, WordError
        As :func:`strictly_local`, or if there is not one more block than there are marks.

    References
    ----------
    J.-E. Pin and P. Weil, "Polynomial closure and unambiguous product", *Theory of Computing Systems* 30, 1997; M.-P.
    Schützenberger, "On finite monoids having only trivial subgroups", *Information and Control* 8, 1965, for star-free.

    Examples
    --------
    >>> inner = marked_product("abc", ["abc", "c", "abc"], "ab")
    >>> [inner.accepts(word) for word in ("accb", "bab", "acab", "ba")], len(inner.states)
    ([True, True, True, False], 3)
    """
    symbols = alphabet_of(input_symbols)
    places = as_word(marks, symbols) if isinstance(marks, str) else tuple(listed("marks", marks, WORDS))
    given = listed("blocks", blocks, "a list of collections of symbols")
    sets = [subset_of("blocks", block, symbols) for block in given]
    if len(sets) != len(places) + 1 or len(sets) > MOST_LETTERS:
        counted = f"{len(sets)} blocks and {len(places)} marks"
        raise OptionError(f"there are {counted}: give one block more than marks, at most {MOST_LETTERS}")
    if wrong := [mark for mark in places if not isinstance(mark, str) or mark not in symbols]:
        raise OptionError(f"marks: {shown(wrong[0])} is no input symbol: give symbols of the alphabet")

    def step(state: frozenset[int], symbol: Symbol) -> frozenset[int]:
        stays = {i for i in state if symbol in sets[i]}
        return frozenset(stays | {i + 1 for i in state if i < len(places) and places[i] == symbol})

    return minimal_automaton(symbols, frozenset([0]), step, lambda state: len(places) in state, "marked product")


def modular_counting(
    input_symbols: Iterable[Symbol], counted: Iterable[Symbol], modulus: int, residues: Iterable[int] = (0,)
) -> DFA:
    """Return the minimal automaton of the words in which some symbols occur so often, modulo a number.

    Parameters
    ----------
    input_symbols : iterable of str
        The alphabet, of at most 1,000 symbols.
    counted : iterable of str
        The symbols that are counted together.
    modulus : int
        From 1 to 10,000.
    residues : iterable of int
        The remainders of words of the language, from 0 to `modulus` - 1.

    Returns
    -------
    DFA

    Raises
    ------
    OptionError
        If something is not of this form, or the automaton has more than 100,000 entries.

    References
    ----------
    S. van der Poel et al., "MLRegTest: a benchmark for the machine learning of regular languages", *Journal of Machine
    Learning Research* 25, 2024.

    Examples
    --------
    >>> odd = modular_counting("01", "1", 2, [1])
    >>> [odd.accepts(word) for word in ("", "10", "101")], len(odd.states)
    ([False, True, False], 2)
    """
    symbols = alphabet_of(input_symbols)
    seen = subset_of("counted", counted, symbols)
    modulus = whole_number("modulus", modulus, 1, MOST_MODULUS)
    given = listed("residues", residues, f"remainders from 0 to {modulus - 1}", least=1)
    if len(given) > MOST_MODULUS:
        raise OptionError(f"residues has {len(given):,} entries: give each remainder from 0 to {modulus - 1} once")
    numbers = {whole_number("residues", number, 0, modulus - 1) for number in given}
    return minimal_automaton(
        symbols, 0, lambda state, a: (state + (a in seen)) % modulus, lambda state: state in numbers, "modular counting"
    )
