"""Rationals, and positive definite forms, as sums of squares."""

from collections.abc import Callable, Sequence
from math import prod
from random import Random

from gmpy2 import invert, is_prime, is_square, isqrt, legendre, mpq, mpz, powmod

from exactnn.errors import OptionError, SizeLimitError, shown
from exactnn.linear_algebra.isometry import rational_square_root
from exactnn.linear_algebra.lattice import Gram, Lattice, flint, kernel_modulo, orthonormal_frame, value
from exactnn.linear_algebra.matrix import Matrix, common_denominator, identity, ldl, product, transposed
from exactnn.size_limit import bits_of

__all__ = ["MOST_BITS", "fewest_squares", "require_short", "squares_of_form", "sum_of_squares"]


# --- A positive rational as a sum of at most four squares of rationals.
#
# References
# ----------
# Which numbers are sums of two squares: P. de Fermat and L. Euler; of three: A.-M. Legendre, 1798; of four: J.-L.
# Lagrange, 1770. M. O. Rabin and J. O. Shallit, "Randomized algorithms in number theory", *Comm. Pure Appl. Math.* 39,
# 1986: squares are taken away until what is left is a prime that is a sum of two; here the largest squares come first.

MOST_BITS = 8192
"""Bits of a number that primes are looked for in the place of: to test a longer one takes seconds, and none is near."""

Pair = tuple[mpz, mpz]

PRIMES = [p for p in range(2, 1 << 12) if is_prime(p)]
"""Prime factors that are looked for."""


def sum_of_squares(value: mpq, *, watch: Callable[[], object] = bool) -> tuple[mpq, ...]:
    """Return at most four positive rationals whose squares add up to a positive rational.

    They are as few as can be, unless a large composite factor hides that two would do: then they are three.

    Parameters
    ----------
    value : mpq
    watch : callable, optional
        Called before each number that is tried; it may raise an exception.

    Raises
    ------
    SizeLimitError
        If the numbers are so long that nobody would wait for it.

    Examples
    --------
    >>> sum_of_squares(mpq(16, 25)), sum_of_squares(mpq(8, 9))
    ((mpq(4,5),), (mpq(2,3), mpq(2,3)))
    >>> sum(root**2 for root in sum_of_squares(mpq(7, 16)))
    mpq(7,16)
    """
    root = rational_square_root(value)
    if root is not None:
        return (root,)
    number = value.numerator * value.denominator
    require_short(number.bit_length())
    two = _two_squares(number)
    roots: tuple[mpz, ...] = two if two is not None else _three_or_four_squares(number, watch)
    return tuple(mpq(part, value.denominator) for part in roots if part)


def fewest_squares(value: mpq) -> int | None:
    """Return the least number of rational squares that a positive rational is a sum of: 1, 2, 3 or 4.

    None if it is 2 or 3, and a large composite factor hides which.

    Notes
    -----
    A first column of a rational orthogonal matrix that has the entry w needs that many further entries for 1 - w².

    Examples
    --------
    >>> [1 + fewest_squares(1 - w**2) for w in (mpq(3, 5), mpq(1, 3), mpq(1, 2), mpq(3, 4))]
    [2, 3, 4, 5]
    """
    number = value.numerator * value.denominator
    require_short(number.bit_length())
    if is_square(number):
        return 1
    if not _is_three(number):
        return 4
    if _two_squares(number) is not None:
        return 2
    factors, rest = _factors(number)
    never = any(p % 4 == 3 and exponent % 2 for p, exponent in factors.items()) or rest % 4 == 3
    return 3 if never else None


def require_short(bits: int) -> None:
    """Raise SizeLimitError for numbers of so many bits if squares are not looked for in them."""
    if bits > MOST_BITS:
        raise SizeLimitError(
            f"squares are looked for that add up to a number of {bits:,} bits, {MOST_BITS:,} is the most: give shorter "
            "weights, or take form='2n' of a unitary twin, which needs no squares"
        )


def _is_three(number: mpz) -> bool:
    """Whether a positive integer is a sum of three squares: it is not 4^a (8 b + 7)."""
    while not number % 4:
        number //= 4
    return bool(number % 8 != 7)


def _three_or_four_squares(number: mpz, watch: Callable[[], object]) -> tuple[mpz, ...]:
    scale = mpz(1)
    while not number % 4:
        number, scale = number // 4, 2 * scale
    fourth = [scale] if number % 8 == 7 else []  # then number - 1 is 6 modulo 8, and a sum of three
    rest = number - len(fourth)
    third = isqrt(rest)
    while (two := _two_squares(rest - third * third)) is None:
        watch()
        third -= 1
    return scale * third, scale * two[0], scale * two[1], *fourth


def _two_squares(number: mpz) -> Pair | None:
    """Return two integers whose squares add up to a non-negative one; None if there are none, or none are found.

    Below the square of the largest prime that is looked for, nothing is missed.
    """
    if not number:
        return mpz(0), mpz(0)
    if number % 4 == 3:
        return None
    factors, rest = _factors(number)
    if any(p % 4 == 3 and exponent % 2 for p, exponent in factors.items()):
        return None
    if is_square(rest):
        result = isqrt(rest), mpz(0)
    elif rest % 4 == 1 and is_prime(rest):
        result = _of_prime(rest)
    else:
        return None
    for p, exponent in factors.items():
        if exponent % 2:
            result = _times(result, _of_prime(mpz(p)))
    scale = prod(p ** (exponent // 2) for p, exponent in factors.items())
    return scale * abs(result[0]), scale * abs(result[1])


def _factors(number: mpz) -> tuple[dict[int, int], mpz]:
    """Return the prime factors that are looked for, with exponents, and what is left."""
    found: dict[int, int] = {}
    for p in PRIMES:
        if p * p > number:
            break
        while not number % p:
            number //= p
            found[p] = found.get(p, 0) + 1
    if number <= PRIMES[-1] and number > 1:  # a prime, or a factor would have been found
        found[int(number)] = found.get(int(number), 0) + 1
        number = mpz(1)
    return found, number


def _times(first: Pair, second: Pair) -> Pair:
    """Return the product of two Gaussian integers."""
    return first[0] * second[0] - first[1] * second[1], first[0] * second[1] + first[1] * second[0]


def _of_prime(p: mpz) -> Pair:
    """Return two integers whose squares add up to 2, or to a prime that is 1 modulo 4."""
    if p == 2:
        return mpz(1), mpz(1)
    base = mpz(2)
    while powmod(base, (p - 1) // 2, p) == 1:
        base += 1
    high, low = p, powmod(base, (p - 1) // 4, p)  # a root of -1: Euclid's algorithm, halfway, ends in the two
    while low * low > p:
        high, low = low, high % low
    return low, high % low


# --- A positive definite rational form of rank n as a sum of n + 3 squares of linear forms. Needs python-flint.
#
# Two random squares are taken away, so that what is left has a prime determinant P. Together with one more variable of
# length P it is then, with even odds, the form of a lattice inside a unimodular one, whose orthonormal vectors give n +
# 1 squares. For n = 1 that is how Rabin and Shallit find four squares.
#
# References ---------- L. J. Mordell, "The representation of a definite quadratic form as a sum of two others", *Ann.
# of Math.* 38, 1937: n + 3 squares are always enough. M. O. Rabin and J. O. Shallit, "Randomized algorithms in number
# theory", 1986.

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
