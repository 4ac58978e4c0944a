"""The characteristic polynomial of a rational matrix, by the traces of Faddeev and LeVerrier.

References
----------
U. Le Verrier, 1840; D. K. Faddeev, 1949: see A. S. Householder, *The Theory of Matrices in Numerical Analysis*, 1964,
section 6.7.
"""

from gmpy2 import mpq

from exactnn.linear_algebra.matrix import Matrix, Vector, identity, product
from exactnn.size_limit import SizeLimit

__all__ = ["characteristic_polynomial"]

ONE, ZERO = mpq(1), mpq(0)


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
