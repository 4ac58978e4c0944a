"""The delta rule by chunks: the UT transform, with every product and every sum in an arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, AnyArithmetic, arithmetic_of
from exactnn.errors import NetworkError, WordError, shown
from exactnn.evaluation.ordered import Recurrence, check_ordered
from exactnn.networks import DeltaProductLayer, StackedRNN
from exactnn.options import listed, whole_number
from exactnn.simulation import Values

__all__ = ["delta_rule_by_chunks"]

Row = list[Any]
Matrix = list[Row]


def delta_rule_by_chunks(
    layer: DeltaProductLayer, word: Iterable[int], chunk: int, arithmetic: AnyArithmetic = EXACT
) -> tuple[Values, ...]:
    """Return the state matrix S of a delta rule after a word, row by row, computed chunk by chunk as it is trained.

    A delta step is ``S + beta (v - S k) k'``. For a chunk of C steps, with keys, values and strengths as the rows of K
    and V and in beta, the UT transform finds the matrix T = (1 + L)^-1, where L is the part of ``diag(beta) K K'``
    below the diagonal, by forward substitution. With ``U = T diag(beta) V`` and ``W = T diag(beta) K`` the chunk is
    ``S + (U - W S')' K``. Over the rationals that is the same as step by step. In a format it is another function.

    The order of operations: the rows ``beta_i k_i`` and ``beta_i v_i``; the entries of -L, row by row; row i of T below
    the diagonal, ``T_ij = -L_ij + sum_m (-L_im) T_mj`` from what is known of rows m < i, its sum first; U and W; for
    each row of ``U - W S'`` the sum first, then the difference; and to S is added, for each entry, the sum over the
    rows. Sums run from the first to the last, and the diagonal of T, which is 1, is a summand, not a factor.

    Parameters
    ----------
    layer : DeltaProductLayer
        One of one factor, without decay and with the strengths as they are (gate "identity").
    word : iterable of int
        Indices of symbols: columns of the tables of keys, values and strengths, which are rounded once.
    chunk : int
        How many steps are done at a time; the last chunk may be shorter. Each chunk takes some chunk^3 / 6 products
        in plain Python: 300 steps some seconds.
    arithmetic : Arithmetic

    Raises
    ------
    NetworkError
        If the layer has several factors, a decay or a gate.
    WordError
        If the word has something else than an index.
    UnsupportedArithmeticError
        If the format fuses or reorders sums, or rounds at random.
    OptionError
        If `chunk` is no whole number of at least 1, or `word` no sequence.

    References
    ----------
    S. Yang et al., "Parallelizing linear transformers with the delta rule over sequence length", 2024,
    arXiv:2406.06484.

    Examples
    --------
    Two swaps, which are delta steps with the keys (1, -1, 0) and (0, 1, -1) and the strength 1:

    >>> layer = DeltaProductLayer(K=[[[1, 0], [-1, 1], [0, -1]]], beta=[[1, 1]], S=[[1, 2, 3]])
    >>> [list(map(str, row)) for row in delta_rule_by_chunks(layer, [0, 1, 0, 1], 2)]
    [['3', '1', '2']]
    """
    chosen, size = arithmetic_of(arithmetic), whole_number("chunk", chunk, 1)
    if not isinstance(layer, DeltaProductLayer):
        raise NetworkError(f"layer={shown(layer)}: give a DeltaProductLayer")
    if len(layer.K) != 1 or layer.decay is not None or layer.gate.name != "identity":  # type: ignore[union-attr]
        raise NetworkError("the layer has several factors, a decay or a gate: give one delta step, without them")
    check_ordered(chosen)
    network = StackedRNN([layer], readout_weight=[mpq(0)] * layer.hidden_size, name="delta rule")
    within = Recurrence.of(network, chosen)
    given = listed("word", word, "a sequence of indices of symbols")
    symbols = [whole_number("an index in word", symbol, 0, layer.input_size - 1, error=WordError) for symbol in given]
    numbers = {
        symbol: tuple(
            [within.number(row[symbol]) for row in matrix] for matrix in (layer.K[0], layer.V[0], layer.beta[:1])
        )
        for symbol in set(symbols)
    }
    state = [[within.number(entry) for entry in row] for row in layer.S]
    for first in range(0, len(symbols), size):
        keys, values, strengths = zip(*(numbers[symbol] for symbol in symbols[first : first + size]), strict=True)
        state = _after(state, keys, values, [beta for (beta,) in strengths], within)
    flat = within.values(tuple(entry for row in state for entry in row))
    width = len(layer.S[0])
    return tuple(flat[i : i + width] for i in range(0, len(flat), width))


def _after(state: Matrix, keys: Sequence[Row], values: Sequence[Row], beta: Row, within: Recurrence) -> Matrix:
    """Return S after a chunk: S + (U - W S')' K."""
    add, multiply = within.operations.add, within.operations.multiply
    minus = within.number(mpq(-1))

    def dot(left: Iterable[Any], right: Iterable[Any]) -> Any:
        return reduce(add, map(multiply, left, right))

    steps = range(len(keys))
    strong_keys, strong_values = ([[multiply(beta[i], x) for x in rows[i]] for i in steps] for rows in (keys, values))
    below = [[multiply(minus, dot(strong_keys[i], keys[j])) for j in range(i)] for i in steps]
    inverse: Matrix = []  # row i of T, what is left of the diagonal
    for i in steps:
        sums = [[multiply(below[i][m], inverse[m][j]) for m in range(j + 1, i)] for j in range(i)]
        inverse.append([add(x, reduce(add, terms)) if terms else x for x, terms in zip(below[i], sums, strict=True)])

    def transformed(rows: Matrix) -> Matrix:
        """Return T times rows, the row of the diagonal last."""
        return [
            [
                reduce(add, [*(multiply(inverse[i][m], rows[m][c]) for m in range(i)), rows[i][c]])
                for c in range(len(rows[i]))
            ]
            for i in steps
        ]

    U, W = transformed(strong_values), transformed(strong_keys)
    new = [[add(U[i][r], multiply(minus, dot(W[i], row))) for r, row in enumerate(state)] for i in steps]
    return [
        [add(x, dot((new[i][r] for i in steps), (keys[i][c] for i in steps))) for c, x in enumerate(row)]
        for r, row in enumerate(state)
    ]
