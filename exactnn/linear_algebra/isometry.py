"""Completing an isometry by reflections: Witt's extension theorem for diagonal forms, in rationals.

References
----------
A. S. Householder, "Unitary triangularization of a nonsymmetric matrix", *J. ACM* 5, 1958; E. Witt, "Theorie der
quadratischen Formen in beliebigen Körpern", *J. reine angew. Math.* 176, 1937.
"""

from collections.abc import Callable, Sequence

from gmpy2 import mpq

from exactnn.linear_algebra.matrix import Matrix, Vector, dot, identity, transposed

__all__ = ["completed_isometry", "is_isometry"]


def completed_isometry(columns: Sequence[Vector], form: Vector, *, watch: Callable[[], object] = bool) -> Matrix:
    """Return a matrix N with the given first columns that preserves a diagonal form: ``NᵀDN = D``.

    Parameters
    ----------
    columns : n vectors of length m
        Orthogonal in the form, each as long as the unit vector in whose place it stands: ``cᵢᵀDcⱼ = Dᵢⱼ``.
    form : vector of length m
        The diagonal of D, all positive. With ones N is orthogonal.
    watch : callable, optional
        Called before each reflection of a vector; it may raise an exception.

    Notes
    -----
    The image of each unit vector, so far, is taken to its column by the reflection along their difference. That
    difference is orthogonal to the columns before it, which stay where they are. There is no square root anywhere.

    Examples
    --------
    >>> completed_isometry([(mpq(3, 5), mpq(4, 5))], (mpq(1), mpq(1)))
    ((mpq(3,5), mpq(4,5)), (mpq(4,5), mpq(-3,5)))
    """
    images = list(identity(len(form)))
    for index, column in enumerate(columns):
        along = tuple(x - y for x, y in zip(images[index], column, strict=True))
        weighted = tuple(x * d for x, d in zip(along, form, strict=True))
        length = dot(along, weighted)
        if length:
            images = [_reflected(image, along, weighted, length, watch) for image in images]
    return transposed(tuple(images))


def _reflected(vector: Vector, along: Vector, weighted: Vector, length: mpq, watch: Callable[[], object]) -> Vector:
    watch()
    factor = 2 * dot(vector, weighted) / length
    return tuple(x - factor * y for x, y in zip(vector, along, strict=True)) if factor else vector


def is_isometry(matrix: Matrix, form: Vector, *, watch: Callable[[], object] = bool) -> bool:
    """Return whether ``NᵀDN = D`` for a square matrix N and the diagonal D, exactly.

    >>> is_isometry(((mpq(3, 5), mpq(4, 5)), (mpq(4, 5), mpq(-3, 5))), (mpq(1), mpq(1)))
    True
    """
    columns = transposed(matrix)
    weighted = [tuple(x * d for x, d in zip(column, form, strict=True)) for column in columns]
    for i, column in enumerate(columns):
        watch()
        if any(dot(column, weighted[j]) != (form[i] if i == j else 0) for j in range(i + 1)):
            return False
    return True
