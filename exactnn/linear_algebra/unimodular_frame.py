"""Orthonormal rational vectors in a unimodular lattice: read off a reduced basis, or built of its roots."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.linear_algebra.lattice import Gram, reducing, value
from exactnn.linear_algebra.matrix import Matrix

__all__ = ["orthonormal_frame"]

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
