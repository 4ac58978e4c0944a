"""Products of a row and matrices of rationals in integers over one denominator: no step needs a gcd."""

from collections.abc import Mapping

from gmpy2 import mpz

from exactnn.automata.alphabet import Symbol, Word
from exactnn.linear_algebra import Matrix, Vector
from exactnn.size_limit import SizeLimit, common_denominator

__all__ = ["weights_after"]


def weights_after(initial: Vector, transitions: Mapping[Symbol, Matrix], word: Word) -> tuple[list[mpz], mpz]:
    """Return a row times the matrices of the symbols of a word, as numerators and their denominator.

    Raises
    ------
    SizeLimitError
        If the numbers may be too long for the memory.

    Examples
    --------
    >>> from gmpy2 import mpq
    >>> weights_after((mpq(1), mpq(0)), {"a": ((mpq(1, 2), mpq(1, 3)), (mpq(0), mpq(1)))}, ("a", "a"))
    ([mpz(9), mpz(18)], mpz(36))
    """
    limit = SizeLimit()
    known = {symbol: _integer_rows(transitions[symbol], limit) for symbol in set(word)}
    entries = (x for _, rows in known.values() for row in rows for _, x in row)
    longest = max((x.bit_length() for x in entries), default=0) + len(initial).bit_length()
    longest += max((scale.bit_length() for scale, _ in known.values()), default=0)
    limit.refuse(len(initial) * len(word) * longest)
    denominator = common_denominator(initial, limit)
    weights = [(x * denominator).numerator for x in initial]
    for symbol in word:
        scale, rows = known[symbol]
        total = [mpz(0)] * len(weights)
        for weight, row in zip(weights, rows, strict=True):
            if weight:
                for j, factor in row:
                    total[j] += weight * factor
        weights, denominator = total, denominator * scale
    return weights, denominator


def _integer_rows(matrix: Matrix, limit: SizeLimit) -> tuple[mpz, list[list[tuple[int, mpz]]]]:
    """Return a denominator of a matrix, and the numerators over it that are not 0, with their columns."""
    scale = common_denominator((x for row in matrix for x in row), limit)
    return scale, [[(j, (x * scale).numerator) for j, x in enumerate(row) if x] for row in matrix]
