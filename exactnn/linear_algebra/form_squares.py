"""A positive definite rational form of rank n as a sum of n + 3 squares of linear forms. Needs python-flint.

Two random squares are taken away, so that what is left has a prime determinant P. Together with one more variable of
length P it is then, with even odds, the form of a lattice inside a unimodular one, whose orthonormal vectors give n + 1
squares. For n = 1 that is how Rabin and Shallit find four squares.

References
----------
L. J. Mordell, "The representation of a definite quadratic form as a sum of two others", *Ann. of Math.* 38, 1937: n + 3
squares are always enough. M. O. Rabin and J. O. Shallit, "Randomized algorithms in number theory", 1986.
"""

from collections.abc import Sequence
from random import Random

from gmpy2 import invert, is_prime, legendre, mpq

from exactnn.errors import OptionError
from exactnn.linear_algebra.lattice import Gram, Lattice, flint, kernel_modulo, value
from exactnn.linear_algebra.ldl import ldl
from exactnn.linear_algebra.matrix import Matrix, common_denominator, identity, product, transposed
from exactnn.linear_algebra.unimodular_frame import orthonormal_frame

__all__ = ["squares_of_form"]

Rows = Sequence[Sequence[mpq | int]]

TRIALS = 300
"""Sublattices that are tried before the search is given up; up to rank 14, some tens are enough."""

DRAWS = 20
"""Pairs of squares that are taken from one sublattice."""

HIGHEST = 2
"""Largest coefficient of those squares."""


def squares_of_form(form: Matrix, *, seed: int = 0) -> Matrix:
    """Return a matrix X (n + 3 by n) with ``XᵀX`` the given form: as a sum of n + 3 squares, one for each row.

    Parameters
    ----------
    form : symmetric positive definite matrix (n by n)
    seed : int
        Of the random numbers; the same seed gives the same squares.

    Raises
    ------
    MissingExtraError
        If python-flint is not installed.
    OptionError
        If the search is given up, as it may be from rank 15 on.

    Examples
    --------
    >>> seven = squares_of_form(((mpq(7),),))
    >>> len(seven), sum(row[0] ** 2 for row in seven)
    (4, mpq(7,1))
    """
    rng = Random(seed)
    lattice = _maximal(form, rng)
    for trial in range(TRIALS):
        # Smaller lattices leave room for squares to be taken away, and other residues modulo powers of two.
        index = 2 ** rng.randrange(4) * rng.randint(1, 1 + int(2 ** min(trial / 4, 200)))
        inner = lattice.sublattice(index, rng).reduced()
        gram = inner.gram
        for _ in range(DRAWS):
            taken = [[rng.randint(-HIGHEST, HIGHEST) for _ in gram] for _ in range(2)]
            rest = _less(gram, taken)
            if (rows := _prime_squares(rest)) is not None:
                return _in_coordinates([*rows, *taken], inner.basis)
    raise OptionError(
        f"no sum of {len(form) + 3} squares was found for a form of rank {len(form)} in {TRIALS} lattices: take the "
        "sum of four squares for each pivot"
    )


def _maximal(form: Matrix, rng: Random) -> Lattice:
    """Return an integral lattice on which the form has no divisor that three dimensions share."""
    scale = common_denominator(form)
    basis = tuple(tuple(scale * entry for entry in row) for row in identity(len(form)))
    lattice = Lattice(form=form, basis=basis).reduced().maximal_at(2, rng)
    if len(form) > 2:
        invariants = flint().fmpz_mat([list(row) for row in lattice.gram]).snf()
        for p, _ in invariants[len(form) - 3, len(form) - 3].factor():
            lattice = lattice.maximal_at(int(p), rng)
    return lattice


def _less(gram: Gram, taken: Sequence[Sequence[int]]) -> Gram:
    """Return the form less the squares of some linear forms."""
    return tuple(
        tuple(entry - sum(row[i] * row[j] for row in taken) for j, entry in enumerate(line))
        for i, line in enumerate(gram)
    )


def _prime_squares(gram: Gram) -> Rows | None:
    """Return an integral form of prime determinant as n + 1 squares; None if it is not one, or not such a sum."""
    p = int(flint().fmpz_mat([list(row) for row in gram]).det())
    if p < 3 or not is_prime(p):
        return None
    if not ldl(tuple(tuple(map(mpq, row)) for row in gram)).definite:
        return None
    (radical,) = kernel_modulo(gram, p)
    square = -(value(gram, radical) // p) % p
    if legendre(square, p) != 1:
        return None
    root = int(flint().fmpz(square).sqrtmod(p))
    return _unimodular_squares(gram, p, [*radical, root])


def _unimodular_squares(gram: Gram, p: int, glue: Sequence[int]) -> Rows | None:
    """Return a form of determinant `p` as squares, from the unimodular lattice that glue/p generates with it and p."""
    size = len(gram) + 1
    larger = (*((*row, 0) for row in gram), (*(0 for _ in gram), p))
    one = next(i for i, entry in enumerate(glue) if entry)
    unit = int(invert(glue[one], p))
    basis = [[p * (i == j) for j in range(size)] for i in range(size)]  # p times the vectors
    basis[one] = [unit * entry % p for entry in glue]
    inner = tuple(tuple(value(larger, first, second) // (p * p) for second in basis) for first in basis)
    frame = orthonormal_frame(inner)
    if frame is None:
        return None
    vectors = product(frame, tuple(tuple(mpq(entry, p) for entry in row) for row in basis))
    return [row[:-1] for row in product(vectors, tuple(tuple(map(mpq, row)) for row in larger))]


def _in_coordinates(rows: Rows, basis: Matrix) -> Matrix:
    """Return linear forms, given by their values on a basis, in the coordinates of the space."""
    size = len(basis)
    rational = flint().fmpq
    inverse = flint().fmpq_mat(size, size, [rational(int(x.numerator), int(x.denominator)) for r in basis for x in r])
    entries = [[mpq(int(entry.p), int(entry.q)) for entry in row] for row in inverse.inv().tolist()]
    return product(tuple(tuple(map(mpq, row)) for row in rows), transposed(tuple(map(tuple, entries))))
