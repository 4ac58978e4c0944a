"""The Hankel matrix of a function of words: its rank, with a minor as proof, and the automaton that it determines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, exact
from exactnn.automata import DFA, Symbol, WeightedAutomaton, Word, as_word, word_text
from exactnn.automata.validation import collected, symbol_faults
from exactnn.errors import NumberError, OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, reduced_rows, transposed
from exactnn.markup import Table, Tabular
from exactnn.networks import Network
from exactnn.options import entries, mapped, whole_number
from exactnn.simulation import Runnable, run

__all__ = ["HankelRank", "hankel_rank", "spectral_learn"]

ValueTable = Mapping[str | Sequence[Symbol], object]
Source = WeightedAutomaton | DFA | Network | Runnable | Callable[[Word], object] | ValueTable
"""What gives words exact numbers."""

MOST_WORDS = 1_000
"""Rows of a block of the matrix: a million values."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HankelRank(Tabular):
    """The ranks of blocks of a Hankel matrix.

    Parameters
    ----------
    ranks : tuple of int
        Of the block whose rows and columns are the words of length 0, of up to 1, and so on.
    certificate : pair of tuples of words
        As many rows and columns of the largest block as its rank, whose minor is not 0: no weighted automaton with
        fewer states has these values.
    """

    ranks: tuple[int, ...]
    certificate: tuple[tuple[Word, ...], tuple[Word, ...]]

    def __repr__(self) -> str:
        return f"<Hankel ranks {', '.join(map(str, self.ranks))}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        return Table(title="Hankel matrix", heading=("words up to", "rank"), rows=tuple(enumerate(self.ranks)))


def hankel_rank(source: Source, length: int, *, input_symbols: Iterable[Symbol] | None = None) -> HankelRank:
    """Return the ranks of blocks of a function's Hankel matrix: its entry in row u and column v is the value of uv.

    Parameters
    ----------
    source : WeightedAutomaton, DFA, Network, Construction or function
        A DFA gives 1 and 0, a network its last output in exact arithmetic, a function of a word, a tuple of symbols,
        any exact number.
    length : int
        Of the longest words of rows and columns.
    input_symbols : iterable of str, optional
        The alphabet, where the source is a function.

    Raises
    ------
    OptionError
        If the source is none of these, there is no alphabet, or there are more than 1,000 words of up to that length.
    NumberError
        If a value is no exact number.

    Notes
    -----
    The rank of the whole matrix is the least size of a weighted automaton with these values (Carlyle and Paz 1971,
    Fliess 1974). A block gives a lower bound, which its minor proves.

    Examples
    --------
    No weighted automaton tells whether there are as many b as a after them.

    >>> hankel_rank(lambda w: w == ("a",) * (len(w) // 2) + ("b",) * (len(w) // 2) and len(w) % 2 == 0, 4,
    ...             input_symbols="ab")
    <Hankel ranks 1, 2, 4, 6, 8>
    """
    length = whole_number("length", length)
    value, symbols = _values_of(source, input_symbols)
    if length > MOST_WORDS or (len(symbols) > 1 and len(symbols) ** (length + 1) > MOST_WORDS):
        raise OptionError(f"length={shown(length)} with {len(symbols)} symbols makes more than {MOST_WORDS:,} words")
    words = [word for size in range(length + 1) for word in product(symbols, repeat=size)]
    ranks: list[int] = []
    certificate: tuple[tuple[Word, ...], tuple[Word, ...]] = ((), ())
    for size in range(length + 1):
        some = [word for word in words if len(word) <= size]
        rows, columns = _independent(value, some, some)
        ranks.append(len(rows))
        certificate = rows, columns
    return HankelRank(ranks=tuple(ranks), certificate=certificate)


def spectral_learn(
    value: Source,
    prefixes: Iterable[str | Sequence[Symbol]],
    suffixes: Iterable[str | Sequence[Symbol]],
    input_symbols: Iterable[Symbol] | None = None,
) -> WeightedAutomaton:
    """Return the weighted automaton that a block of a Hankel matrix determines, exactly.

    If the rank of the block is that of the whole matrix, the automaton has the values of `value` on all words, and as
    few states as there can be; so it is with all words shorter than n on either side, for a function of n states.

    Parameters
    ----------
    value : WeightedAutomaton, DFA, Network, Construction, function or mapping
        As for :func:`hankel_rank`, or a table of the values of all words that are asked for.
    prefixes, suffixes : iterables of words
        The rows and columns of the block; the empty word is added to both.
    input_symbols : iterable of str, optional
        The alphabet, where `value` is a function or a table.

    Raises
    ------
    OptionError, WordError, NumberError
        If something is none of these, a word has other symbols, or a value is missing or no exact number.

    References
    ----------
    D. Hsu, S. M. Kakade, T. Zhang, "A spectral algorithm for learning hidden Markov models", *JCSS* 78, 2012; B. Balle,
    X. Carreras, F. M. Luque, A. Quattoni, *Machine Learning* 96, 2014. The rank is exact here, and no singular value is
    computed.

    Examples
    --------
    >>> learned = spectral_learn(lambda word: word.count("a") ** 2, ["a", "aa"], ["a", "aa"], input_symbols="ab")
    >>> learned.size, learned.value("aabaa")
    (3, mpq(16,1))
    """
    ask, symbols = _values_of(value, input_symbols)
    rows, columns = (
        [(), *(as_word(word, symbols) for word in entries(what, given))]
        for what, given in (("prefixes", prefixes), ("suffixes", suffixes))
    )
    rows, columns = map(list, _independent(ask, list(dict.fromkeys(rows)), list(dict.fromkeys(columns))))
    block = _block(ask, rows, (), columns)
    return WeightedAutomaton(
        input_symbols=symbols,
        initial=_coefficients((_block(ask, [()], (), columns)[0],), block)[0],
        transitions={a: _coefficients(_block(ask, rows, (a,), columns), block) for a in symbols},
        final=tuple(ask(row) for row in rows),
        name="learned",
    )


def _values_of(source: Source, input_symbols: Iterable[Symbol] | None) -> tuple[Callable[[Word], mpq], tuple[str, ...]]:
    """Return a function from words to exact numbers, each asked for once, and the alphabet."""
    if isinstance(source, DFA):
        source = WeightedAutomaton.from_dfa(source)
    if isinstance(source, WeightedAutomaton):
        return cache(source.value), source.input_symbols
    core = getattr(source, "network", source)
    if isinstance(core, Network):
        if core.input_symbols is None or not core.scalar_output:
            raise OptionError(f"{core.name} has to read symbols and to have one output")
        return cache(lambda word: _last_output(core, word)), core.input_symbols
    if input_symbols is None:
        raise OptionError("input_symbols is None: give the alphabet of a function or a table")
    faults: list[str] = []
    symbols = collected("input_symbols", input_symbols, faults)
    faults += symbol_faults(symbols, "input symbol")
    if faults:
        raise OptionError("; ".join(faults))
    if isinstance(source, Mapping):
        table = {as_word(word, symbols): number for word, number in mapped("value", source).items()}
        return cache(lambda word: _number(word, _entry(table, word))), symbols
    if not callable(source):
        raise OptionError(f"{shown(source)} gives no values: give an automaton, a network, a function or a table")
    return cache(lambda word: _number(word, source(word))), symbols


def _last_output(network: Network, word: Word) -> mpq:
    found = run(network, word, arithmetic=RATIONAL, max_steps=len(word))
    return found.outputs[-1] if word else found.initial_output  # type: ignore[return-value]


def _entry(table: Mapping[Word, object], word: Word) -> object:
    if word not in table:
        raise OptionError(f"there is no value of the word {shown(word_text(word))}: the table needs it")
    return table[word]


def _number(word: Word, value: object) -> mpq:
    try:
        return exact(int(value) if isinstance(value, bool) else value)
    except NumberError as error:
        raise NumberError(f"the value of the word {shown(word_text(word))}: {error}") from None


def _block(value: Callable[[Word], mpq], rows: Sequence[Word], between: Word, columns: Sequence[Word]) -> Matrix:
    return tuple(tuple(value((*row, *between, *column)) for column in columns) for row in rows)


def _independent(
    value: Callable[[Word], mpq], rows: Sequence[Word], columns: Sequence[Word]
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Return the first rows and columns of a block that are independent: their minor is not 0."""
    block = _block(value, rows, (), columns)
    _, kept = reduced_rows(transposed(block))
    some: list[Vector] = [block[i] for i in kept]
    _, places = reduced_rows(some)
    return tuple(rows[i] for i in kept), tuple(columns[j] for j in places)


def _coefficients(rows: Matrix, basis: Matrix) -> Matrix:
    """Return each row as a combination of the rows of an invertible matrix."""
    size = len(basis)
    if not size:
        return tuple(() for _ in rows)
    equations = [(*left, *right) for left, right in zip(transposed(basis), transposed(rows), strict=True)]
    solved, _ = reduced_rows(equations)
    return transposed(tuple(row[size:] for row in solved))
