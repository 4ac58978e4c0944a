"""Integral lattices in a rational quadratic space: reduced bases, larger and smaller lattices. Needs python-flint."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as tuples
from random import Random
from types import ModuleType

from gmpy2 import invert, legendre, mpq

from exactnn.errors import MissingExtraError
from exactnn.interrupts import loaded
from exactnn.linear_algebra.matrix import Matrix, identity, product, transposed

__all__ = ["Gram", "Lattice", "flint", "kernel_modulo", "value"]

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
