"""A positive definite rational form of rank n as a sum of n + 3 squares of linear forms. Needs python-flint.

Two random squares are taken away, so that what is left has a prime determinant P. Together with one more variable of
length P it is then, with even odds, the form of a lattice inside a unimodular one, whose orthonormal vectors give n + 1
squares. For n = 1 that is how Rabin and Shallit find four squares.

References
----------
L. J. Mordell, "The representation of a definite quadratic form as a sum of two others", *Ann. of Math.* 38, 1937: n + 3
squares are always enough. M. O. Rabin and J. O. Shallit, "Randomized algorithms in number theory", 1986.
"""

from collections.abc import Callable, Sequence
from random import Random

from gmpy2 import invert, is_prime, is_square, isqrt, legendre, mpq

from exactnn.errors import OptionError, shown
from exactnn.linear_algebra.lattice import Gram, Lattice, flint, kernel_modulo, value
from exactnn.linear_algebra.ldl import ldl
from exactnn.linear_algebra.matrix import Matrix, common_denominator, identity, product, transposed
from exactnn.linear_algebra.sums_of_squares import require_short, sum_of_squares
from exactnn.linear_algebra.unimodular_frame import orthonormal_frame
from exactnn.size_limit import bits_of

__all__ = ["squares_of_form"]

Rows = Sequence[Sequence[mpq | int]]

DOUBLINGS = 75
"""How often the index of the sublattices that are tried doubles before the search is given up."""

FACTORED = 200
"""Bits of the largest number that is factored, which takes seconds."""

DRAWS = 20
"""Pairs of squares that are taken from one sublattice."""


def squares_of_form(form: Matrix, *, seed: int = 0, watch: Callable[[], object] = bool) -> Matrix:
    """Return a matrix X (n + 3 by n) with ``XᵀX`` the given form: as a sum of n + 3 squares, one for each row.

    Parameters
    ----------
    form : symmetric positive definite matrix (n by n)
    seed : int
        Of the random numbers; the same seed gives the same squares.
    watch : callable, optional
        Called before each lattice that is tried; it may raise an exception.

    Raises
    ------
    MissingExtraError
        If python-flint is not installed.
    OptionError
        If the search is given up, as it may be from rank 15 on, or if three dimensions share a divisor that is too hard
        to factor.
    SizeLimitError
        If the numbers are so long that nobody would wait for it.

    Examples
    --------
    >>> seven = squares_of_form(((mpq(7),),))
    >>> len(seven), sum(row[0] ** 2 for row in seven)
    (4, mpq(7,1))
    """
    if len(form) == 1:
        roots = sum_of_squares(form[0][0], watch=watch)
        return tuple((root,) for root in (*roots, *[mpq(0)] * (4 - len(roots))))
    rng = Random(seed)
    require_short(max(bits_of(entry) for row in form for entry in row))
    lattice = _maximal(form, rng)
    require_short(_determinant(lattice.gram).bit_length())
    patience = 4 + 32 // len(form) + _determinant(lattice.gram).bit_length() // 64  # long primes are rare
    for trial in range(DOUBLINGS * patience):
        # Smaller lattices leave room for squares to be taken away, and other residues modulo powers of two.
        index = 2 ** rng.randrange(4) * rng.randint(1, 1 + int(2 ** (trial / patience)))
        longest = 1 + int(2 ** (trial / patience / len(form)))
        inner = lattice.sublattice(index, rng).reduced()
        gram = inner.gram
        for draw in range(DRAWS):
            watch()
            # Small squares leave a definite form; larger ones, as the lattice allows them, more kinds of determinants.
            highest = longest if draw % 2 else 2
            taken = [[rng.randint(-highest, highest) for _ in gram] for _ in range(2)]
            rest = _less(gram, taken)
            if (rows := _prime_squares(rest)) is not None:
                return _in_coordinates([*rows, *taken], inner.basis)
    raise OptionError(
        f"no sum of {len(form) + 3} squares was found for a form of rank {len(form)} in {DOUBLINGS * patience} "
        "lattices: take four squares for each pivot (form='5n' of a unitary twin)"
    )


def _maximal(form: Matrix, rng: Random) -> Lattice:
    """Return an integral lattice on which the form has no divisor that three dimensions share."""
    basis = tuple(
        tuple(scale * entry for entry in row) for scale, row in zip(_scales(form), identity(len(form)), strict=True)
    )
    lattice = Lattice(form=form, basis=basis).reduced().maximal_at(2, rng)
    if len(form) > 2:
        invariants = flint().fmpz_mat([list(row) for row in lattice.gram]).snf()
        for p in _prime_factors(int(invariants[len(form) - 3, len(form) - 3])):
            lattice = lattice.maximal_at(p, rng)
    return lattice


def _scales(form: Matrix) -> list[int]:
    """Return multiples of the unit vectors between which the inner products are integers: small ones, if easy to see.

    For I - WᵀW they are the common denominators of the columns of W.
    """
    scales = [isqrt(x) if is_square(x) else x for x in (row[i].denominator for i, row in enumerate(form))]
    for i, row in enumerate(form):
        scales[i] *= common_denominator((tuple(scales[i] * scale * x for scale, x in zip(scales, row, strict=True)),))
    return [int(scale) for scale in scales]


def _prime_factors(number: int) -> list[int]:
    """Return the prime factors of a positive integer; raises OptionError rather than work for hours."""
    parts = [number] if number.bit_length() <= FACTORED else [int(p) for p, _ in flint().fmpz(number).factor_smooth(40)]
    if any(part.bit_length() > FACTORED and not is_prime(part) for part in parts):
        raise OptionError(
            f"{shown(number)} divides the form in three dimensions, and is too hard to factor: take four squares for "
            "each pivot (form='5n' of a unitary twin)"
        )
    return sorted({int(p) for part in parts for p, _ in flint().fmpz(part).factor()})


def _determinant(gram: Gram) -> int:
    return int(flint().fmpz_mat([list(row) for row in gram]).det())


def _less(gram: Gram, taken: Sequence[Sequence[int]]) -> Gram:
    """Return the form less the squares of some linear forms."""
    return tuple(
        tuple(entry - sum(row[i] * row[j] for row in taken) for j, entry in enumerate(line))
        for i, line in enumerate(gram)
    )


def _prime_squares(gram: Gram) -> Rows | None:
    """Return an integral form of prime determinant as n + 1 squares; None if it is not one, or not such a sum."""
    p = _determinant(gram)
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
