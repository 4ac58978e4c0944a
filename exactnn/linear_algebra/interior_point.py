"""A point inside of a polyhedron, exactly: strict linear inequalities decided by the simplex method in rationals."""

from collections.abc import Sequence

from gmpy2 import mpq

from exactnn.linear_algebra.matrix import Vector, dot

__all__ = ["Inequality", "interior_point"]

ZERO, ONE = mpq(0), mpq(1)

Inequality = tuple[Vector, mpq]
"""The coefficients a and the constant b of ``a . x + b > 0``."""


def interior_point(inequalities: Sequence[Inequality], dimension: int) -> Vector | None:
    """Return a point with ``a . x + b > 0`` for every inequality, or None if there is none.

    Parameters
    ----------
    inequalities : sequence of (a, b)
        a has `dimension` entries.
    dimension : int

    Notes
    -----
    Minimises the slack t of ``a . x + b + t >= 1``, t >= 0, by Bland's rule, which ends: the inequalities hold
    strictly somewhere exactly if the least t is below 1.

    Examples
    --------
    >>> above = ((mpq(1),), mpq(-2))
    >>> below = ((mpq(-1),), mpq(2))
    >>> interior_point([above], 1)
    (mpq(3,1),)
    >>> interior_point([above, below], 1) is None
    True
    """
    rows = [[constant - 1, *a, *(-entry for entry in a), ONE] for a, constant in inequalities]
    tableau = _Tableau(rows, dimension)
    if all(row[0] >= 0 for row in rows):
        return (ZERO,) * dimension
    tableau.pivot(min(range(len(rows)), key=lambda i: rows[i][0]), 2 * dimension)
    while tableau.slack() >= 1:
        column = tableau.improving()
        if column is None:
            return None
        tableau.pivot(tableau.leaving(column), column)
    point = tableau.point()
    assert all(dot(a, point) + constant > 0 for a, constant in inequalities)
    return point


class _Tableau:
    """Basic variables as affine forms of the others: 2n parts of x, then the slack t, then one variable per row."""

    def __init__(self, rows: list[list[mpq]], dimension: int) -> None:
        self.rows = rows  # the constant, then a coefficient for each column
        self.dimension = dimension
        self.slack_variable = 2 * dimension
        self.columns = list(range(2 * dimension + 1))
        self.basis = [self.slack_variable + 1 + i for i in range(len(rows))]

    def slack(self) -> mpq:
        """Return the slack at the current vertex."""
        return self._value(self.slack_variable)

    def point(self) -> Vector:
        """Return x at the current vertex."""
        n = self.dimension
        return tuple(self._value(i) - self._value(n + i) for i in range(n))

    def _value(self, variable: int) -> mpq:
        return self.rows[self.basis.index(variable)][0] if variable in self.basis else ZERO

    def improving(self) -> int | None:
        """Return the column of least variable that makes the slack smaller, or None at the optimum."""
        row = self.rows[self.basis.index(self.slack_variable)]
        found = [j for j in range(len(self.columns)) if row[j + 1] < 0]
        return min(found, key=lambda j: self.columns[j], default=None)

    def leaving(self, column: int) -> int:
        """Return the row that first becomes 0 as the variable of `column` grows; the slack's own bounds it."""
        limits = [
            (-row[0] / row[column + 1], self.basis[i], i) for i, row in enumerate(self.rows) if row[column + 1] < 0
        ]
        return min(limits)[2]

    def pivot(self, index: int, column: int) -> None:
        """Exchange the basic variable of a row with that of a column."""
        row = self.rows[index]
        factor = row[column + 1]
        solved = [-entry / factor for entry in row]
        solved[column + 1] = 1 / factor
        self.basis[index], self.columns[column] = self.columns[column], self.basis[index]
        for i, other in enumerate(self.rows):
            weight = other[column + 1]
            if i != index and weight:
                other[column + 1] = ZERO
                self.rows[i] = [x + weight * y for x, y in zip(other, solved, strict=True)]
        self.rows[index] = solved
