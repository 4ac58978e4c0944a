"""Integral lattices in a rational quadratic space, and orthonormal rational vectors in them. Needs python-flint."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as tuples
from random import Random
from types import ModuleType

from gmpy2 import invert, legendre, mpq

from exactnn.errors import MissingExtraError
from exactnn.interrupts import loaded
from exactnn.linear_algebra.matrix import Matrix, identity, product, transposed

__all__ = ["Gram", "Lattice", "flint", "kernel_modulo", "orthonormal_frame", "value"]


Gram = tuple[tuple[int, ...], ...]
"""Integral inner products of the vectors of a basis."""


def flint() -> ModuleType:
    """Return the module of python-flint; raises MissingExtraError if it is not installed."""
    try:
        return loaded("flint")
    except ImportError:
        raise MissingExtraError('lattices need python-flint: pip install "exactnn[flint]"') from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """The integer combinations of the rows of `basis`, with their inner products in a positive definite form.

    Parameters
    ----------
    form : symmetric matrix (n by n)
    basis : matrix (n by n)
        Its rows generate the lattice; their inner products are integers.
    """

    form: Matrix
    basis: Matrix

    @property
    def gram(self) -> Gram:
        """Inner products of the basis vectors."""
        products = product(product(self.basis, self.form), transposed(self.basis))
        return tuple(tuple(int(entry) for entry in row) for row in products)

    def reduced(self) -> "Lattice":
        """Return the same lattice with a basis of short vectors (A. K. Lenstra, H. W. Lenstra and L. Lovász, 1982)."""
        return self._with(reducing(self.gram))

    def sublattice(self, index: int, rng: Random) -> "Lattice":
        """Return a random sublattice of that index with a cyclic quotient."""
        size = len(self.basis)
        rows = [list(row) for row in identity(size)]
        one = rng.randrange(size)
        for i in range(size):
            rows[i][one] = mpq(index if i == one else -rng.randrange(index))
        return self._with(rows)

    def maximal_at(self, p: int, rng: Random) -> "Lattice":
        """Return an integral lattice around this one, of index a power of the prime `p`.

        It is one that has no larger ones for p = 2; for other primes, one whose discriminant group has rank 2 at most.
        """
        lattice = self
        while (vector := lattice._halved(p, rng)) is not None:
            one = next(i for i, entry in enumerate(vector) if entry)
            unit = int(invert(vector[one], p))
            rows = [list(row) for row in identity(len(vector))]
            rows[one] = [mpq(unit * entry % p, p) for entry in vector]
            lattice = lattice._with(rows).reduced()
        return lattice

    def _with(self, rows: Sequence[Sequence[mpq | int]]) -> "Lattice":
        transform = tuple(tuple(map(mpq, row)) for row in rows)
        return Lattice(form=self.form, basis=product(transform, self.basis))

    def _halved(self, p: int, rng: Random) -> list[int] | None:
        """Return coordinates of a vector v, not 0 modulo p, for which v/p may join the lattice; None if none is found.

        It is orthogonal to the lattice modulo p, and its inner square is 0 modulo p².
        """
        gram = self.gram
        kernel = kernel_modulo(gram, p)
        if p == 2:
            choices = (_combined(kernel, weights, p) for weights in tuples(range(2), repeat=len(kernel)))
            return next((v for v in choices if any(v) and value(gram, v) % 4 == 0), None)
        if len(kernel) < 3:
            return None
        while True:  # three squares represent 0 modulo p: about every second line through a vector meets such a one
            one, other = (_combined(kernel, [rng.randrange(p) for _ in kernel], p) for _ in range(2))
            for vector in _isotropic(gram, one, other, p):
                if any(vector):
                    return vector


def _isotropic(gram: Gram, one: list[int], other: list[int], p: int) -> list[list[int]]:
    """Return the vectors one + t other, modulo an odd p, whose length is 0 modulo p²."""
    a, b, c = value(gram, other) // p, 2 * value(gram, other, one) // p, value(gram, one) // p
    if not a % p:
        return [one] if not c % p else []
    discriminant = (b * b - 4 * a * c) % p
    if legendre(discriminant, p) == -1:
        return []
    t = (int(flint().fmpz(discriminant).sqrtmod(p)) - b) * int(invert(2 * a % p, p)) % p
    return [[(x + t * y) % p for x, y in zip(one, other, strict=True)]]


def reducing(gram: Gram) -> list[list[int]]:
    """Return the integer transformation to a reduced basis."""
    matrix = flint().fmpz_mat([list(row) for row in gram])
    _, transform = matrix.lll(transform=True, rep="gram", gram="exact")
    return [[int(entry) for entry in row] for row in transform.tolist()]


def value(gram: Gram, first: Sequence[int], second: Sequence[int] | None = None) -> int:
    """Return the inner product of two vectors, or of one with itself, from their coordinates.

    >>> value(((2, 1), (1, 2)), (1, 1))
    6
    """
    second = first if second is None else second
    return sum(x * sum(g * y for g, y in zip(row, second, strict=True)) for x, row in zip(first, gram, strict=True))


def kernel_modulo(matrix: Gram, p: int) -> list[list[int]]:
    """Return a basis of the vectors that a square matrix takes to 0 modulo a prime.

    >>> kernel_modulo(((1, 2), (2, 4)), 5)
    [[3, 1]]
    """
    rows = [[entry % p for entry in row] for row in matrix]
    size = len(rows)
    leading: list[int] = []
    for column in range(size):
        top = len(leading)
        found = next((i for i in range(top, size) if rows[i][column]), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        unit = int(invert(rows[top][column], p))
        rows[top] = [unit * entry % p for entry in rows[top]]
        for i in range(size):
            if i != top and (factor := rows[i][column]):
                rows[i] = [(x - factor * y) % p for x, y in zip(rows[i], rows[top], strict=True)]
        leading.append(column)
    kernel = []
    for free in sorted(set(range(size)) - set(leading)):
        vector = [int(i == free) for i in range(size)]
        for row, column in zip(rows, leading, strict=False):
            vector[column] = -row[free] % p
        kernel.append(vector)
    return kernel


def _combined(vectors: Sequence[Sequence[int]], weights: Sequence[int], p: int) -> list[int]:
    return [sum(w * x for w, x in zip(weights, entries, strict=True)) % p for entries in zip(*vectors, strict=True)]


# --- Orthonormal rational vectors in a unimodular lattice: read off a reduced basis, or built of its roots.

Coordinates = tuple[int, ...]


def orthonormal_frame(gram: Gram) -> Matrix | None:
    """Return orthonormal vectors, as rational coordinates in a basis with these inner products; None if not found.

    Parameters
    ----------
    gram : symmetric integer matrix (n by n), positive definite, of determinant 1

    Notes
    -----
    A unimodular lattice of rank n < 8 is the one of all integer vectors. In general vectors of length 1 split off, and
    what is left has none: E₈, and from rank 12 on D₁₂⁺ and others. Of rank below 15 it is spanned, over the rationals,
    by roots (vectors v with v·v = 2) that are orthogonal to each other, and for two of them (r ± s)/2 have length 1.

    References
    ----------
    J. H. Conway and N. J. A. Sloane, *Sphere Packings, Lattices and Groups*, chapter 16.
    """
    basis = [tuple(row) for row in reducing(gram)]
    short = [vector for vector in basis if value(gram, vector) == 1]
    even = _even(gram, [vector for vector in basis if _orthogonal(gram, vector, short)])
    roots = [vector for vector in even if value(gram, vector) == 2]
    frame = [tuple(map(mpq, vector)) for vector in short]
    chosen = _orthogonal_roots(gram, roots)
    for first, second in zip(chosen[::2], chosen[1::2], strict=False):
        frame.append(tuple(mpq(x + y, 2) for x, y in zip(first, second, strict=True)))
        frame.append(tuple(mpq(x - y, 2) for x, y in zip(first, second, strict=True)))
    return tuple(frame) if len(frame) == len(gram) else None


def _even(gram: Gram, basis: Sequence[Coordinates]) -> list[Coordinates]:
    """Return short vectors that generate those of even length in a lattice: in D₁₂⁺ and others, its roots do."""
    odd = next((vector for vector in basis if value(gram, vector) % 2), None)
    if odd is not None:
        others = [vector for vector in basis if vector is not odd]
        lifted = [_plus(vector, value(gram, vector) % 2, odd) for vector in others]
        basis = [*lifted, tuple(2 * x for x in odd)]
    if not basis:
        return []
    inner = tuple(tuple(value(gram, first, second) for second in basis) for first in basis)
    return [_combination(row, basis) for row in reducing(inner)]


def _combination(weights: Sequence[int], vectors: Sequence[Coordinates]) -> Coordinates:
    return tuple(sum(w * x for w, x in zip(weights, entries, strict=True)) for entries in zip(*vectors, strict=True))


def _plus(first: Coordinates, factor: int, second: Coordinates) -> Coordinates:
    return tuple(x + factor * y for x, y in zip(first, second, strict=True))


def _orthogonal(gram: Gram, vector: Coordinates, others: Sequence[Coordinates]) -> bool:
    return not any(value(gram, vector, other) for other in others)


def _orthogonal_roots(gram: Gram, simple: Sequence[Coordinates]) -> list[Coordinates]:
    """Return roots that are orthogonal to each other, as many as are found, among all that some roots generate."""
    chosen: list[Coordinates] = []
    for root in _generated(gram, simple):
        if _orthogonal(gram, root, chosen):
            chosen.append(root)
    return chosen


def _generated(gram: Gram, simple: Sequence[Coordinates]) -> list[Coordinates]:
    """Return all roots that reflections along some roots make of them: finitely many, since the form is definite."""
    found, waiting = dict.fromkeys(simple), list(simple)
    while waiting:
        root = waiting.pop()
        for mirror in simple:
            image = _plus(root, -value(gram, root, mirror), mirror)
            if image not in found:
                found[image] = None
                waiting.append(image)
    return list(found)
