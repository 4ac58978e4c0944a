"""Is a symmetric matrix positive definite? Decided in rationals by its factorisation LDLᵀ."""

from collections.abc import Callable
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.linear_algebra.matrix import Matrix, Vector
from exactnn.size_limit import SizeLimit

__all__ = ["LDL", "ldl"]

ZERO, ONE = mpq(0), mpq(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LDL:
    """A symmetric matrix A as L D Lᵀ, with ones on the diagonal of the lower triangular L; or where that ends.

    Parameters
    ----------
    lower : matrix (n by n)
        L, as far as it is known.
    pivots : vector
        The diagonal of D. It ends with the first pivot that shows that A is not positive semidefinite.
    semidefinite : bool
        Whether A is positive semidefinite: x'Ax is never negative.
    """

    lower: Matrix
    pivots: Vector
    semidefinite: bool

    @property
    def definite(self) -> bool:
        """Whether A is positive definite: all n pivots are positive."""
        return self.semidefinite and all(self.pivots)

    @property
    def failing(self) -> int | None:
        """Index of the pivot that shows what A is not; None if A is positive definite.

        It is the last one if A is not positive semidefinite, else the first that is 0.
        """
        if not self.semidefinite:
            return len(self.pivots) - 1
        return next((i for i, pivot in enumerate(self.pivots) if pivot <= 0), None)


def ldl(matrix: Matrix, *, watch: Callable[[], object] = bool) -> LDL:
    """Return the factorisation of a symmetric matrix (n by n).

    A pivot of zero is passed over where the rest of its column is zero too; else, as after a negative pivot, the
    matrix is not positive semidefinite and the factorisation ends there. `watch` is called before each row that is
    computed; it may raise an exception.

    Raises
    ------
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    >>> two = ldl(((mpq(4), mpq(2)), (mpq(2), mpq(3))))
    >>> two.pivots, two.lower[1][0], two.definite
    ((mpq(4,1), mpq(2,1)), mpq(1,2), True)
    >>> one = ldl(((mpq(1), mpq(1)), (mpq(1), mpq(1))))
    >>> one.definite, one.semidefinite, one.failing
    (False, True, 1)
    """
    size = len(matrix)
    rest = [list(row) for row in matrix]
    lower = [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]
    pivots: list[mpq] = []
    semidefinite = True
    limit = SizeLimit()
    for k in range(size):
        pivot = rest[k][k]
        pivots.append(pivot)
        if pivot < 0 or (not pivot and any(rest[k][k + 1 :])):
            semidefinite = False
            break
        if pivot:
            limit.refuse_longer(rest[k:], 4)
            _eliminate(rest, lower, k, watch)
    return LDL(lower=tuple(map(tuple, lower)), pivots=tuple(pivots), semidefinite=semidefinite)


def _eliminate(rest: list[list[mpq]], lower: list[list[mpq]], k: int, watch: Callable[[], object]) -> None:
    """Take the square of row k out of what is left below and to the right of it."""
    row = rest[k]
    for i in range(k + 1, len(rest)):
        watch()
        factor = rest[i][k] / row[k]
        lower[i][k] = factor
        if factor:
            for j in range(i, len(rest)):
                rest[i][j] -= factor * row[j]
                rest[j][i] = rest[i][j]
