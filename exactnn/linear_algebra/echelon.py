"""Reduced row echelon forms: of rationals, exactly, and modulo a prime, row by row."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from gmpy2 import invert, lcm, mpq, next_prime
from numpy.typing import NDArray

from exactnn.interrupts import loaded
from exactnn.linear_algebra.matrix import Matrix, Vector
from exactnn.size_limit import KEPT, SizeLimit

__all__ = ["ModularRows", "UnluckyPrimeError", "primes", "reduced_rows"]

PRIME_BITS = 25
TERMS_AT_ONCE = 1024
"""Products of two numbers below the primes, so many of which have a sum that fits int64."""
WORTH_WHILE = 200
"""Entries from which on python-flint is faster, which has to be given copies."""


@cache
def _flint() -> Any:
    try:
        return loaded("flint")
    except ImportError:
        return None


def reduced_rows(rows: Sequence[Vector]) -> tuple[Matrix, tuple[int, ...]]:
    """Return the reduced row echelon form without rows of zeros, and the column of each row's leading 1.

    Computed by python-flint where that is installed; the result is the same without it.

    Raises
    ------
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    >>> reduced_rows([(mpq(2), mpq(4), mpq(2)), (mpq(1), mpq(2), mpq(3))])
    (((mpq(1,1), mpq(2,1), mpq(0,1)), (mpq(0,1), mpq(0,1), mpq(1,1))), (0, 2))
    """
    flint = _flint()
    if flint is not None and rows and len(rows) * len(rows[0]) >= WORTH_WHILE:
        SizeLimit().refuse(2 * _minor_bits(rows) * (1 + len(rows) * len(rows[0]) // KEPT))
        entries = [[flint.fmpq(int(x.numerator), int(x.denominator)) for x in row] for row in rows]
        reduced, rank = flint.fmpq_mat(entries).rref()
        found = [tuple(mpq(int(x.p), int(x.q)) for x in row) for row in reduced.tolist()[: int(rank)]]
    else:
        found = _eliminated(rows)
    return tuple(found), tuple(next(j for j, x in enumerate(row) if x) for row in found)


def _minor_bits(rows: Sequence[Vector]) -> int:
    """Return the bits that no minor of the rows, with their denominators cleared, exceeds (Hadamard)."""
    total = 0
    for row in rows:
        denominator = lcm(*(x.denominator for x in row))
        total += (int(sum(((x * denominator) ** 2 for x in row), mpq(0))) - 1).bit_length() // 2 + 1
    return total


def _eliminated(rows: Sequence[Vector]) -> list[Vector]:
    rest, done = [list(row) for row in rows], 0
    limit = SizeLimit()
    for column in range(len(rest[0]) if rest else 0):
        pivot = next((i for i in range(done, len(rest)) if rest[i][column]), None)
        if pivot is None:
            continue
        limit.refuse_longer(rest, 4)
        rest[done], rest[pivot] = rest[pivot], rest[done]
        leading = rest[done][column]
        first = rest[done] = [x / leading for x in rest[done]]
        for i, row in enumerate(rest):
            if i != done and row[column]:
                factor = row[column]
                rest[i] = [x - factor * y if y else x for x, y in zip(row, first, strict=True)]
        done += 1
    return [tuple(row) for row in rest[:done]]


# --- The same modulo a prime, in machine words: rows that are independent there are independent over the rationals.


class UnluckyPrimeError(ArithmeticError):
    """A prime divides a denominator, or rows are dependent modulo it only: take another one."""


def primes() -> Any:
    """Yield primes without end, all small enough for :class:`ModularRows`.

    >>> next(primes())
    33554467
    """
    prime = 1 << PRIME_BITS
    while True:
        prime = int(next_prime(prime))
        yield prime


class ModularRows:
    """Independent rows modulo a prime, in reduced echelon form, to which rows are added one by one.

    Examples
    --------
    >>> space = ModularRows(3, next(primes()))
    >>> [space.add(space.reduced(row)) for row in [(mpq(1), mpq(2), mpq(0)), (mpq(2), mpq(4), mpq(0))]]
    [True, False]
    """

    def __init__(self, width: int, prime: int) -> None:
        self.prime = prime
        self._rows: NDArray[np.int64] = np.zeros((width, width), dtype=np.int64)
        self._columns: list[int] = []

    def __len__(self) -> int:
        return len(self._columns)

    def reduced(self, values: Sequence[mpq]) -> NDArray[np.int64]:
        """Return rationals modulo the prime.

        Raises
        ------
        UnluckyPrimeError
            If it divides a denominator.
        """
        found = []
        for value in values:
            denominator = int(value.denominator % self.prime)
            if not denominator:
                raise UnluckyPrimeError(f"{self.prime} divides a denominator")
            inverse = 1 if denominator == 1 else int(invert(denominator, self.prime))
            found.append(int(value.numerator % self.prime) * inverse % self.prime)
        return np.array(found, dtype=np.int64)

    def product(self, row: NDArray[np.int64], matrix: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a row, or rows, times a matrix."""
        total = np.zeros((*row.shape[:-1], matrix.shape[1]), dtype=np.int64)
        for begin in range(0, len(matrix), TERMS_AT_ONCE):
            some = slice(begin, begin + TERMS_AT_ONCE)
            total = (total + row[..., some] @ matrix[some] % self.prime) % self.prime
        return total

    def add(self, row: NDArray[np.int64]) -> bool:
        """Add a row if it is independent of those there are, and return whether it is."""
        known = self._rows[: len(self)]
        rest = (row - self.product(row[self._columns], known)) % self.prime
        (places,) = np.nonzero(rest)
        if not len(places):
            return False
        column = int(places[0])
        rest = rest * int(invert(int(rest[column]), self.prime)) % self.prime
        known -= known[:, column, None] * rest % self.prime
        known %= self.prime
        self._rows[len(self)] = rest
        self._columns.append(column)
        return True
