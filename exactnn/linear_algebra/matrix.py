"""Matrices of rationals: products, rank, characteristic polynomials, and whether one is positive definite."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm

from gmpy2 import mpq

from exactnn.size_limit import SizeLimit

__all__ = [
    "LDL",
    "Matrix",
    "Vector",
    "characteristic_polynomial",
    "common_denominator",
    "defect",
    "dot",
    "identity",
    "kronecker",
    "ldl",
    "product",
    "rank",
    "row_times",
    "transposed",
]


Vector = tuple[mpq, ...]
Matrix = tuple[Vector, ...]

ZERO, ONE = mpq(0), mpq(1)


def dot(first: Sequence[mpq], second: Sequence[mpq]) -> mpq:
    """Return the sum of products; zeros cost nothing.

    >>> dot((mpq(1), mpq(2)), (mpq(1, 2), mpq(3)))
    mpq(13,2)
    """
    return sum((x * y for x, y in zip(first, second, strict=True) if x and y), ZERO)


def transposed(matrix: Matrix) -> Matrix:
    """Return the transpose of a matrix with at least one row."""
    return tuple(zip(*matrix, strict=True))


def product(first: Matrix, second: Matrix) -> Matrix:
    """Return the product of two matrices.

    >>> product(((mpq(1), mpq(2)),), ((mpq(3),), (mpq(4),)))
    ((mpq(11,1),),)
    """
    columns = transposed(second)
    return tuple(tuple(dot(row, column) for column in columns) for row in first)


def row_times(row: Vector, matrix: Matrix) -> Vector:
    """Return a row times a matrix; zeros of the row cost nothing.

    >>> row_times((mpq(2), mpq(0)), ((mpq(1), mpq(3)), (mpq(1), mpq(1))))
    (mpq(2,1), mpq(6,1))
    """
    total = [ZERO] * (len(matrix[0]) if matrix else 0)
    for weight, line in zip(row, matrix, strict=True):
        if weight:
            total = [x + weight * y if y else x for x, y in zip(total, line, strict=True)]
    return tuple(total)


def kronecker(first: Matrix, second: Matrix) -> Matrix:
    """Return the Kronecker product of two matrices."""
    return tuple(tuple(x * y for x in row for y in line) for row in first for line in second)


def identity(size: int) -> Matrix:
    """Return the identity matrix.

    >>> identity(2)
    ((mpq(1,1), mpq(0,1)), (mpq(0,1), mpq(1,1)))
    """
    return tuple(tuple(ONE if i == j else ZERO for j in range(size)) for i in range(size))


def defect(matrix: Matrix, scale: mpq = ONE) -> Matrix:
    """Return ``scale I - WᵀW`` for a matrix W: positive definite exactly if the spectral norm of W squared is less.

    >>> defect(((mpq(3, 5),),))
    ((mpq(16,25),),)
    """
    columns = transposed(matrix)
    return tuple(
        tuple((scale if i == j else ZERO) - dot(first, second) for j, second in enumerate(columns))
        for i, first in enumerate(columns)
    )


def common_denominator(matrix: Matrix) -> int:
    """Return the least common denominator of the entries.

    >>> common_denominator(((mpq(1, 2), mpq(2, 3)),))
    6
    """
    return lcm(*(int(entry.denominator) for row in matrix for entry in row))


# --- The rank of a rational matrix, by elimination.


def rank(matrix: Sequence[Sequence[mpq]]) -> int:
    """Return the rank of a matrix (any number of rows, of equal length), exactly.

    Raises
    ------
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    >>> rank(((mpq(1), mpq(2)), (mpq(2), mpq(4)), (mpq(0), mpq(1, 3))))
    2
    """
    rest = [list(row) for row in matrix]
    found = 0
    limit = SizeLimit()
    for column in range(len(rest[0]) if rest else 0):
        pivot = next((i for i in range(found, len(rest)) if rest[i][column]), None)
        if pivot is None:
            continue
        rest[found], rest[pivot] = rest[pivot], rest[found]
        first = rest[found]
        limit.refuse_longer(rest[found:], 4)
        for row in rest[found + 1 :]:
            if row[column]:
                factor = row[column] / first[column]
                row[column:] = [x - factor * y for x, y in zip(row[column:], first[column:], strict=True)]
        found += 1
    return found


# --- The characteristic polynomial of a rational matrix, by the traces of Faddeev and LeVerrier.
#
# References
# ----------
# U. Le Verrier, 1840; D. K. Faddeev, 1949: see A. S. Householder, *The Theory of Matrices in Numerical Analysis*, 1964,
# section 6.7.


def characteristic_polynomial(matrix: Matrix) -> Vector:
    """Return the coefficients p₀, ..., pₘ of ``det(λI - A) = p₀ + p₁ λ + ... + λᵐ`` for a square matrix A (m by m).

    Notes
    -----
    M₁ = I and Mₖ₊₁ = A Mₖ + pₘ₋ₖ I, where pₘ₋ₖ = -tr(A Mₖ)/k. At the end A Mₘ + p₀ I = 0, which is the theorem of
    Cayley and Hamilton, and is checked.

    Raises
    ------
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    >>> characteristic_polynomial(((mpq(0), mpq(-1)), (mpq(1), mpq(0))))
    (mpq(1,1), mpq(0,1), mpq(1,1))
    """
    size = len(matrix)
    coefficients = [ONE]
    power = identity(size)
    limit = SizeLimit()
    for k in range(1, size + 1):
        limit.refuse_longer((*matrix, *power), 2 * size)
        power = product(matrix, power)
        coefficient = -sum((power[i][i] for i in range(size)), ZERO) / k
        coefficients.append(coefficient)
        power = tuple(
            tuple(entry + coefficient if i == j else entry for j, entry in enumerate(row))
            for i, row in enumerate(power)
        )
    assert not any(map(any, power))
    return tuple(reversed(coefficients))


# --- Is a symmetric matrix positive definite? Decided in rationals by its factorisation LDLᵀ.


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
