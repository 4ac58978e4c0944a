"""Simple RNNs whose recurrent matrix has a spectral norm below 1."""

from typing import Literal

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, defect, ldl
from exactnn.networks import Network, SimpleRNN
from exactnn.strategies.bounds import check_bounds, check_strategies
from exactnn.strategies.numbers import rationals
from exactnn.strategies.words import LETTERS

__all__ = ["contractive_matrices", "contractive_networks"]

Reads = Literal["vectors", "symbols", "any"]
SHRINKING = mpq(3, 4)


def contractive_networks(
    *,
    max_size: int = 3,
    max_inputs: int = 2,
    activation: str = "relu",
    start: st.SearchStrategy[mpq] | None = None,
    reads: Reads = "any",
) -> st.SearchStrategy[Network]:
    """Simple RNNs with ‖W‖₂ < 1, exactly; they shrink to one unit and zeros.

    Parameters
    ----------
    max_size, max_inputs : int
        Sizes of state and input.
    activation : str
    start : strategy of rationals, optional
        Of the entries of start states.
    reads : "vectors", "symbols" or "any"
        What their words are of: vectors, one-hot symbols a, b, ..., or either.

    Raises
    ------
    OptionError
        If there are to be no states or inputs, `reads` is none of these, or `start` is no strategy.

    Examples
    --------
    >>> from hypothesis import find
    >>> from exactnn.contraction import is_contractive
    >>> found = find(contractive_networks(reads="symbols"), is_contractive)
    >>> found, found.alphabet
    (<Network simple RNN: 1 neuron, 0 weights>, ('a',))
    """
    check_bounds(1, max_size=max_size)
    check_bounds(1, len(LETTERS), max_inputs=max_inputs)
    if reads not in ("vectors", "symbols", "any"):
        raise OptionError(f"reads={shown(reads)}: give 'vectors', 'symbols' or 'any'")
    check_strategies(start=start)
    entry = rationals(largest=5)
    return _contractive_networks(max_size, max_inputs, activation, entry if start is None else start, reads)


def contractive_matrices(*, size: int, entries: st.SearchStrategy[mpq] | None = None) -> st.SearchStrategy[Matrix]:
    """Square matrices with a spectral norm below 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(contractive_matrices(size=1), lambda matrix: matrix[0][0] > 0)
    ((mpq(3,4),),)
    """
    row = st.tuples(*[rationals(largest=5) if entries is None else entries] * size)
    return st.tuples(*[row] * size).map(_scaled)


def _scaled(matrix: Matrix) -> Matrix:
    """Return a multiple of a matrix with a spectral norm below 1."""
    while not ldl(defect(matrix)).definite:
        matrix = tuple(tuple(entry * SHRINKING for entry in row) for row in matrix)
    return matrix


@st.composite
def _contractive_networks(
    draw: st.DrawFn, max_size: int, max_inputs: int, activation: str, start: st.SearchStrategy[mpq], reads: Reads
) -> Network:
    size, width = draw(st.integers(1, max_size)), draw(st.integers(1, max_inputs))
    entry = rationals(largest=5)

    def vector(length: int, entry: st.SearchStrategy[mpq] = entry) -> Vector:
        return tuple(draw(entry) for _ in range(length))

    alphabets: dict[Reads, list[str | None]] = {"vectors": [None], "symbols": [LETTERS[:width]]}
    return SimpleRNN(
        V=draw(contractive_matrices(size=size)),
        W=[vector(width) for _ in range(size)],
        b=vector(size),
        s=vector(size, start),
        readout_weight=vector(size),
        activation=activation,
        alphabet=draw(st.sampled_from(alphabets.get(reads, [None, LETTERS[:width]]))),
    )
