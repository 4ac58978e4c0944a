"""The Hankel matrix of a function of words: its rank, with a minor as proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product as tuples
from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, Enclosure, Interval, exact
from exactnn.automata import DFA, Machine, Symbol, WeightedAutomaton, Word, as_word, kind_of, word_text
from exactnn.automata.validation import collected, symbol_faults
from exactnn.errors import NumberError, OptionError, shown
from exactnn.linear_algebra import (
    Matrix,
    ModularRows,
    UnluckyPrimeError,
    Vector,
    identity,
    primes,
    product,
    reduced_rows,
    row_times,
    transposed,
)
from exactnn.markup import Table, Tabular
from exactnn.networks import AnyNetwork, Network, meant_by
from exactnn.options import mapped, whole_number
from exactnn.simulation import run
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["HankelRank", "Source", "block_of", "hankel_rank", "independent", "values_of"]

ValueTable = Mapping[str | Sequence[Symbol], object]
Source = WeightedAutomaton | DFA | AnyNetwork | Callable[[Word], object] | ValueTable
"""What gives words exact numbers."""

MOST_WORDS = 1_000
"""Rows of a block of the matrix: a million values."""

MOST_ENCLOSED_WORDS = 130
"""Rows of a block whose values are enclosed, each by a run in interval arithmetic."""

ENCLOSING = Interval(bits=256)

Enclosed = Callable[[Word], Enclosure]


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
    factors : pair of matrices, or None
        Matrices L (words by rank) and R (rank by words) whose product is the largest block: it has no larger rank. None
        of a network whose values are only enclosed.
    exact : bool
        Whether the ranks are those of the blocks. Of a network whose values are only enclosed they are lower bounds,
        proven: no matrix within the enclosures of the minor has the determinant 0.
    """

    ranks: tuple[int, ...]
    certificate: tuple[tuple[Word, ...], tuple[Word, ...]]
    factors: tuple[Matrix, Matrix] | None = None
    exact: bool = True

    def __repr__(self) -> str:
        return f"<Hankel ranks {'' if self.exact else 'at least '}{', '.join(map(str, self.ranks))}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        heading = ("words up to", "rank" if self.exact else "rank, at least")
        return Table(title="Hankel matrix", heading=heading, rows=tuple(enumerate(self.ranks)))


def hankel_rank(source: Source, length: int, *, input_symbols: Iterable[Symbol] | None = None) -> HankelRank:
    """Return the ranks of blocks of a function's Hankel matrix: its entry in row u and column v is the value of uv.

    Parameters
    ----------
    source : WeightedAutomaton, DFA, Network, Construction, function, or str
        A DFA gives 1 and 0, a network its last output in exact arithmetic, or enclosed in 256 bits where it has smooth
        units; a function of a word, a tuple of symbols, any exact number. A text is the name of such an automaton, or
        of a network's file.
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
    Fliess 1974). A block gives a lower bound, which its minor proves; its factors prove that its own rank is no larger.

    Examples
    --------
    No weighted automaton tells whether there are as many b as a after them.

    >>> hankel_rank(lambda w: w == ("a",) * (len(w) // 2) + ("b",) * (len(w) // 2) and len(w) % 2 == 0, 4,
    ...             input_symbols="ab")
    <Hankel ranks 1, 2, 4, 6, 8>
    >>> hankel_rank("parity", 2)
    <Hankel ranks 0, 2, 2>
    """
    length, source = whole_number("length", length), meant_by(source)
    value, symbols = values_of(source, input_symbols)
    smooth = _smooth_network(source)
    most = MOST_WORDS if smooth is None else MOST_ENCLOSED_WORDS
    if length > most or (len(symbols) > 1 and len(symbols) ** (length + 1) > most):
        raise OptionError(f"length={shown(length)} with {len(symbols)} symbols makes more than {most:,} words")
    words = [word for size in range(length + 1) for word in tuples(symbols, repeat=size)]
    ranks: list[int] = []
    certificate: tuple[tuple[Word, ...], tuple[Word, ...]] = ((), ())
    for size in range(length + 1):
        some = [word for word in words if len(word) <= size]
        rows, columns = independent(value, some, some) if smooth is None else _surely_independent(smooth, some)
        ranks.append(len(rows))
        certificate = rows, columns
    factors = None if smooth is not None else _factors(value, words, certificate[0])
    return HankelRank(ranks=tuple(ranks), certificate=certificate, factors=factors, exact=smooth is None)


def values_of(source: Source, input_symbols: Iterable[Symbol] | None) -> tuple[Callable[[Word], mpq], tuple[str, ...]]:
    """Return a function from words to exact numbers, each asked for once, and the alphabet."""
    if isinstance(source, DFA):
        source = WeightedAutomaton.from_dfa(source)
    if isinstance(source, WeightedAutomaton):
        _check_same(source.input_symbols, input_symbols)
        return cache(source.value), source.input_symbols
    core = getattr(source, "network", source)
    if isinstance(core, Network):
        if core.input_symbols is None or not core.scalar_output:
            raise OptionError(f"{core.name} has to read symbols and to have one output")
        _check_same(core.input_symbols, input_symbols)
        return cache(lambda word: _last_output(core, word)), core.input_symbols
    if isinstance(source, Machine):
        kind = kind_of(source).replace("_", " ")
        raise OptionError(
            f"{source.name} is a {kind}, which gives words no numbers: give a DFA, a weighted automaton or a network"
        )
    if not isinstance(source, Mapping) and not callable(source):
        raise OptionError(f"{shown(source)} gives no values: give an automaton, a network, a function or a table")
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
    return cache(lambda word: _number(word, source(word))), symbols


def _check_same(own: tuple[str, ...], given: Iterable[Symbol] | None) -> None:
    if given is not None and set(own) != set(collected("input_symbols", given, [])):
        raise OptionError(f"input_symbols={shown(given)}: it reads {shown(own)}, leave them out")


def _last_output(network: Network, word: Word) -> mpq:
    found = run(network, word, arithmetic=RATIONAL, max_steps=len(word))
    return found.outputs[-1] if word else found.initial_output  # type: ignore[return-value]


def _smooth_network(source: Source) -> Enclosed | None:
    """Return a function from words to what encloses their values, of a network with smooth units."""
    core = getattr(source, "network", source)
    if not isinstance(core, Network) or not has_smooth_units(core):
        return None

    def enclosed(word: Word) -> Enclosure:
        found = run(core, word, arithmetic=ENCLOSING, max_steps=len(word))
        return found.outputs[-1] if word else found.initial_output  # type: ignore[return-value]

    return cache(enclosed)


def _surely_independent(value: Enclosed, words: Sequence[Word]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Return rows and columns of a block whose minor is not 0, whatever numbers the enclosures hold."""
    block = [[value((*row, *column)) for column in words] for row in words]
    centres = [[(entry.low + entry.high) / 2 for entry in row] for row in block]
    with gmpy2.context(precision=2 * ENCLOSING.bits):
        pivots = _pivots([[gmpy2.mpfr(x) for x in row] for row in centres])
        proven, beyond = 0, len(pivots) + 1
        while beyond - proven > 1:
            size = (proven + beyond) // 2
            some = [[block[i][j] for _, j in pivots[:size]] for i, _ in pivots[:size]]
            proven, beyond = (size, beyond) if _is_regular(some) else (proven, size)
    return tuple(words[i] for i, _ in pivots[:proven]), tuple(words[j] for _, j in pivots[:proven])


def _pivots(rest: list[list[Any]]) -> list[tuple[int, int]]:
    """Return the places of the pivots, largest first, of an elimination in floating point: a guess."""
    rows, columns, found = list(range(len(rest))), list(range(len(rest))), []
    while rows:
        i, j = max(((i, j) for i in rows for j in columns), key=lambda place: abs(rest[place[0]][place[1]]))
        if not rest[i][j]:
            break
        found.append((i, j))
        rows.remove(i)
        columns.remove(j)
        for k in rows:
            factor = rest[k][j] / rest[i][j]
            for column in columns:
                rest[k][column] -= factor * rest[i][column]
    return found


def _is_regular(block: Sequence[Sequence[Enclosure]]) -> bool:
    """Whether all matrices within the enclosures are surely invertible.

    With R near an inverse of the centre C, and the radii D: a row of |1 - R C| + |R| D that is all below 1 in sum says
    that R times each of them is (Neumann). It is computed exactly.
    """
    size = range(len(block))
    centres = tuple(tuple((entry.low + entry.high) / 2 for entry in row) for row in block)
    radii = tuple(tuple((entry.high - entry.low) / 2 for entry in row) for row in block)
    near = _near_inverse(centres)
    if near is None:
        return False
    defect, spread = product(near, centres), product(tuple(tuple(map(abs, row)) for row in near), radii)
    return all(sum((abs((i == j) - defect[i][j]) + spread[i][j] for j in size), mpq(0)) < 1 for i in size)


def _near_inverse(matrix: Matrix) -> Matrix | None:
    """Return an inverse in floating point, in rationals; None if none is found."""
    size = len(matrix)
    rest = [[gmpy2.mpfr(x) for x in row] + [gmpy2.mpfr(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rest[i][column]))
        if not rest[pivot][column]:
            return None
        rest[column], rest[pivot] = rest[pivot], rest[column]
        leading = rest[column][column]
        first = rest[column] = [x / leading for x in rest[column]]
        for i in range(size):
            if i != column and (factor := rest[i][column]):
                rest[i] = [x - factor * y for x, y in zip(rest[i], first, strict=True)]
    return tuple(tuple(mpq(x) for x in row[size:]) for row in rest)


def _entry(table: Mapping[Word, object], word: Word) -> object:
    if word not in table:
        raise OptionError(f"there is no value of the word {shown(word_text(word))}: the table needs it")
    return table[word]


def _number(word: Word, value: object) -> mpq:
    try:
        return exact(int(value) if isinstance(value, bool) else value)
    except NumberError as error:
        raise NumberError(f"the value of the word {shown(word_text(word))}: {error}") from None


def block_of(value: Callable[[Word], mpq], rows: Sequence[Word], between: Word, columns: Sequence[Word]) -> Matrix:
    """Return the values of words that begin as the rows and end as the columns."""
    return tuple(tuple(value((*row, *between, *column)) for column in columns) for row in rows)


def independent(
    value: Callable[[Word], mpq], rows: Sequence[Word], columns: Sequence[Word]
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Return the first rows and columns of a block that are independent: their minor is not 0."""
    block = block_of(value, rows, (), columns)
    for prime in primes():
        try:
            kept = _independent_modulo(block, prime)
            places = _independent_modulo(transposed(tuple(block[i] for i in kept)) if kept else (), prime)
        except UnluckyPrimeError:
            continue
        if len(kept) in (len(rows), len(columns)) or _spans([block[i] for i in kept], block):
            break
    return tuple(rows[i] for i in kept), tuple(columns[j] for j in places)


def _factors(value: Callable[[Word], mpq], words: Sequence[Word], kept: Sequence[Word]) -> tuple[Matrix, Matrix]:
    """Return two matrices whose product is the block, of which some rows are a basis."""
    if len(kept) == len(words):
        return block_of(value, words, (), words), identity(len(words))
    reduced, leading = reduced_rows(block_of(value, kept, (), words))
    return block_of(value, words, (), [words[j] for j in leading]), reduced


def _independent_modulo(block: Matrix, prime: int) -> list[int]:
    """Return the first rows that are independent modulo a prime, and so over the rationals."""
    known = ModularRows(len(block[0]) if block else 0, prime)
    return [i for i, row in enumerate(block) if known.add(known.reduced(row))]


def _spans(basis: list[Vector], block: Matrix) -> bool:
    """Whether all rows are combinations of some: each has its coefficients where these have their leading 1s."""
    reduced, leading = reduced_rows(basis)
    return (
        all(row_times(tuple(row[j] for j in leading), reduced) == row for row in block)
        if basis
        else not any(map(any, block))
    )
