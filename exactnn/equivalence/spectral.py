"""The weighted automaton that a block of a Hankel matrix determines: exactly, or in floats by singular values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import FLOAT32, FLOAT64, RATIONAL, AnyArithmetic, FloatFormat, arithmetic_of
from exactnn.automata import Symbol, WeightedAutomaton, Word, as_word
from exactnn.equivalence.hankel import Source, block_of, independent, values_of
from exactnn.errors import NumberError, OptionError, UnsupportedArithmeticError, shown
from exactnn.linear_algebra import Matrix, reduced_rows, transposed
from exactnn.networks import meant_by
from exactnn.options import entries, whole_number

__all__ = ["spectral_learn"]

Floats = NDArray[Any]


def spectral_learn(
    value: Source,
    prefixes: Iterable[str | Sequence[Symbol]],
    suffixes: Iterable[str | Sequence[Symbol]],
    input_symbols: Iterable[Symbol] | None = None,
    *,
    arithmetic: AnyArithmetic = RATIONAL,
    size: int | None = None,
) -> WeightedAutomaton:
    """Return the weighted automaton that a block of a Hankel matrix determines.

    If the rank of the block is that of the whole matrix, the automaton has the values of `value` on all words, and as
    few states as there can be; so it is with all words shorter than n on either side, for a function of n states.

    Parameters
    ----------
    value : WeightedAutomaton, DFA, Network, Construction, function, mapping, or str
        As for :func:`hankel_rank`, or a table of the values of all words that are asked for.
    prefixes, suffixes : iterables of words
        The rows and columns of the block; the empty word is added to both.
    input_symbols : iterable of str, optional
        The alphabet, where `value` is a function or a table.
    arithmetic : Arithmetic
        Exact, as it is by default, or float64 or float32: then by the singular values of the block, as LAPACK computes
        them, and the weights are the floats that are found.
    size : int, optional
        In floats: the states, which are the singular values that are kept. By default those above the largest times the
        longer side of the block times the machine precision, as in ``numpy.linalg.matrix_rank``.

    Raises
    ------
    OptionError, WordError, NumberError
        If something is none of these, a word has other symbols, or a value is missing, no exact number, or beyond all
        floats.
    UnsupportedArithmeticError
        If the arithmetic is another.

    References
    ----------
    D. Hsu, S. M. Kakade, T. Zhang, "A spectral algorithm for learning hidden Markov models", *JCSS* 78, 2012; B. Balle,
    X. Carreras, F. M. Luque, A. Quattoni, *Machine Learning* 96, 2014. In exact arithmetic the rank is exact, and no
    singular value is computed.

    Examples
    --------
    >>> learned = spectral_learn(lambda word: word.count("a") ** 2, ["a", "aa"], ["a", "aa"], input_symbols="ab")
    >>> learned.size, learned.value("aabaa")
    (3, mpq(16,1))
    >>> rounded = spectral_learn(
    ...     lambda word: word.count("a") ** 2, ["a", "aa"], ["a", "aa"], input_symbols="ab", arithmetic=FLOAT64
    ... )
    >>> rounded.size, rounded.value("aabaa") == 16, abs(rounded.value("aabaa") - 16) < 1e-9
    (3, False, True)
    """
    ask, symbols = values_of(meant_by(value), input_symbols)
    rows, columns = (
        list(dict.fromkeys([(), *(as_word(word, symbols) for word in entries(what, given))]))
        for what, given in (("prefixes", prefixes), ("suffixes", suffixes))
    )
    arithmetic = arithmetic_of(arithmetic)
    if isinstance(arithmetic, FloatFormat) and arithmetic in (FLOAT64, FLOAT32):
        if size is not None:
            size = whole_number("size", size, most=min(len(rows), len(columns)), otherwise="None for all above noise")
        return _by_singular_values(
            ask, symbols, rows, columns, np.dtype("float64" if arithmetic == FLOAT64 else "float32"), size
        )
    if not arithmetic.is_exact:
        raise UnsupportedArithmeticError(
            f"no spectral learning in {shown(arithmetic)}: give exactnn.RATIONAL, FLOAT64 or FLOAT32"
        )
    if size is not None:
        raise OptionError(f"size={shown(size)}: in exact arithmetic it is the rank of the block, leave it out")
    rows, columns = map(list, independent(ask, rows, columns))
    block = block_of(ask, rows, (), columns)
    return WeightedAutomaton(
        input_symbols=symbols,
        initial=_coefficients((block_of(ask, [()], (), columns)[0],), block)[0],
        transitions={a: _coefficients(block_of(ask, rows, (a,), columns), block) for a in symbols},
        final=tuple(ask(row) for row in rows),
        name="learned",
    )


def _coefficients(rows: Matrix, basis: Matrix) -> Matrix:
    """Return each row as a combination of the rows of an invertible matrix."""
    size = len(basis)
    if not size:
        return tuple(() for _ in rows)
    equations = [(*left, *right) for left, right in zip(transposed(basis), transposed(rows), strict=True)]
    solved, _ = reduced_rows(equations)
    return transposed(tuple(row[size:] for row in solved))


def _by_singular_values(
    ask: Callable[[Word], mpq],
    symbols: tuple[Symbol, ...],
    rows: Sequence[Word],
    columns: Sequence[Word],
    dtype: np.dtype[Any],
    size: int | None,
) -> WeightedAutomaton:
    """Return what the block gives in floats: with H = U S V' cut to so many singular values, the rows are U S."""

    def block(begin: Sequence[Word], between: Word, end: Sequence[Word]) -> Floats:
        values = block_of(ask, begin, between, end)
        largest = mpq(float(np.finfo(dtype).max))
        if any(abs(x) > largest for row in values for x in row):
            raise NumberError(f"a value is beyond all numbers of {dtype}: give shorter words, or RATIONAL")
        return np.array([list(map(float, row)) for row in values], dtype=dtype)

    with np.errstate(over="ignore", invalid="ignore"):
        left, values, right = np.linalg.svd(block(rows, (), columns), full_matrices=False)
    if not np.isfinite(values).all():
        raise NumberError(f"a singular value is beyond {dtype}: give shorter words, or RATIONAL")
    if size is None:
        noise = values[0] * max(len(rows), len(columns)) * np.finfo(dtype).eps
        size = int((values > noise).sum())
    forward, backward = left[:, :size] * values[:size], right[:size]  # the block is nearly forward @ backward
    back = np.linalg.pinv(forward)
    return WeightedAutomaton(
        input_symbols=symbols,
        initial=(block([()], (), columns)[0] @ backward.T).tolist(),
        transitions={a: (back @ block(rows, (a,), columns) @ backward.T).tolist() for a in symbols},
        final=(back @ block(rows, (), [()])[:, 0]).tolist(),
        name=f"learned in {dtype}",
    )
