"""Square roots, norms and isometries, in rationals."""

from collections.abc import Callable, Sequence

from gmpy2 import is_square, isqrt, mpq, mpz

from exactnn.linear_algebra.matrix import Matrix, Vector, defect, dot, identity, ldl, transposed
from exactnn.options import whole_number

__all__ = [
    "completed_isometry",
    "is_isometry",
    "rational_square_root",
    "rounded_up",
    "spectral_norm_bounds",
    "square_root_above",
]


# --- Square roots of rationals: exact where there are any, else certified bounds.

BITS = 32
"""Significant bits of a bound."""


def rational_square_root(value: mpq) -> mpq | None:
    """Return the square root of a positive rational if it is rational.

    >>> rational_square_root(mpq(16, 25)), rational_square_root(mpq(2))
    (mpq(4,5), None)
    """
    if is_square(value.numerator) and is_square(value.denominator):
        return mpq(isqrt(value.numerator), isqrt(value.denominator))
    return None


def rounded_up(value: mpq, bits: int = BITS) -> mpq:
    """Return the least number with so many significant bits that is not below `value`, which is not negative.

    >>> rounded_up(mpq(1, 3), 4), rounded_up(mpq(5))
    (mpq(11,32), mpq(5,1))
    """
    if not value:
        return mpq(0)
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    scale = mpq(mpz(1) << shift) if shift >= 0 else 1 / mpq(mpz(1) << -shift)
    scaled = value * scale
    if scaled >= mpz(1) << bits:
        scale, scaled = scale / 2, scaled / 2
    return -(-scaled.numerator // scaled.denominator) / scale


def square_root_above(value: mpq, bits: int = BITS) -> mpq:
    """Return a rational of so many significant bits whose square is at least `value`, which is not negative.

    It exceeds the root by less than one part in 2^(`bits` - 2).

    >>> bound = square_root_above(mpq(2))
    >>> bound**2 >= 2, float(bound)
    (True, 1.4142135623842478)
    """
    root = rational_square_root(value)
    if root is None:
        p, q = value.numerator, value.denominator
        shift = max(0, 2 * bits - p.bit_length() + q.bit_length())
        shift += shift % 2
        root = mpq(isqrt((p << shift) // q) + 1, mpz(1) << (shift // 2))
    return rounded_up(root, bits)


# --- The spectral norm of a rational matrix, between two rationals that are certified by factorisations LDLᵀ.


def spectral_norm_bounds(matrix: Matrix, bits: int = 20, *, watch: Callable[[], object] = bool) -> tuple[mpq, mpq]:
    """Return rationals `low`, `high` with ``low <= ‖W‖₂ <= high``, 2^-`bits` apart.

    `watch` is called now and then, and may raise an exception.

    Raises
    ------
    OptionError
        If `bits` is no whole number from 1 to a million.

    Notes
    -----
    ‖W‖₂ ≤ ρ exactly if ρ²I − WᵀW is positive semidefinite, which LDLᵀ decides: bisection over multiples of 2^-bits.

    Examples
    --------
    >>> low, high = spectral_norm_bounds(((mpq(1, 2), mpq(1, 2)), (mpq(0), mpq(1, 2))))
    >>> float(low), float(high)
    (0.809016227722168, 0.8090171813964844)
    """
    bits = whole_number("bits", bits, 1, 10**6)
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


# --- Completing an isometry by reflections: Witt's extension theorem for diagonal forms, in rationals.
#
# References
# ----------
# A. S. Householder, "Unitary triangularization of a nonsymmetric matrix", *J. ACM* 5, 1958; E. Witt, "Theorie der
# quadratischen Formen in beliebigen Körpern", *J. reine angew. Math.* 176, 1937.


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
