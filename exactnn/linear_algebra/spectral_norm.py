"""The spectral norm of a rational matrix, between two rationals that are certified by factorisations LDLᵀ."""

from collections.abc import Callable

from gmpy2 import mpq, mpz

from exactnn.linear_algebra.ldl import ldl
from exactnn.linear_algebra.matrix import Matrix, defect, transposed
from exactnn.options import whole_number

__all__ = ["spectral_norm_bounds"]


def spectral_norm_bounds(matrix: Matrix, bits: int = 20, *, watch: Callable[[], object] = bool) -> tuple[mpq, mpq]:
    """Return rationals `low`, `high` with ``low <= ‖W‖₂ <= high``, 2^-`bits` apart.

    `watch` is called now and then, and may raise an exception.

    Raises
    ------
    OptionError
        If `bits` is no whole number of at least 1.

    Notes
    -----
    ‖W‖₂ ≤ ρ exactly if ρ²I − WᵀW is positive semidefinite, which LDLᵀ decides: bisection over multiples of 2^-bits.

    Examples
    --------
    >>> low, high = spectral_norm_bounds(((mpq(1, 2), mpq(1, 2)), (mpq(0), mpq(1, 2))))
    >>> float(low), float(high)
    (0.809016227722168, 0.8090171813964844)
    """
    bits = whole_number("bits", bits, 1)
    unit = mpz(1) << bits
    squares = sum((x * x for row in matrix for x in row), mpq(0))  # of the Frobenius norm, which is no less
    low, high = mpz(0), unit
    while mpq(high, unit) ** 2 < squares:
        high *= 2
    columns = matrix if len(matrix) >= len(matrix[0]) else transposed(matrix)  # the same norm, the smaller form
    while high - low > 1:
        middle = (low + high) // 2
        if ldl(defect(columns, mpq(middle, unit) ** 2), watch=watch).semidefinite:
            high = middle
        else:
            low = middle
    return mpq(low, unit), mpq(high, unit)
