"""Matrices of exact numbers, as tuples of rows: the few operations that the rest needs, in plain rationals."""

from collections.abc import Sequence
from math import lcm

from gmpy2 import mpq

__all__ = ["Matrix", "Vector", "common_denominator", "defect", "dot", "identity", "product", "transposed"]

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
