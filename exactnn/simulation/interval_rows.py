"""Sums of weights times enclosed registers, of a layer of units: one by one by MPFR, or as a matrix in python-flint."""

from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any, Protocol

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import Bounds, DirectedRounding, exact_dyadic
from exactnn.interrupts import loaded

__all__ = ["Row", "Rows", "rows_of"]

LEAST_DENSE = 1000
"""Weights from which on a matrix is worth its conversions."""

ZERO = gmpy2.mpfr(0)

Row = Sequence[tuple[int, mpq]]
"""Registers with their weights, which are dyadic; each register once."""


class Rows(Protocol):
    """The linear terms of several units."""

    library: str
    """What computes."""

    def sums(self, lows: Sequence[Any], highs: Sequence[Any], rounding: DirectedRounding) -> list[Bounds]:
        """Return bounds of the sum of each unit, from the bounds of all registers."""


def rows_of(rows: Sequence[Row]) -> Rows:
    """Return what sums these rows: a matrix where they are many, dense, and python-flint is installed."""
    registers = {register for row in rows for register, _ in row}
    weights = sum(map(len, rows))
    if weights >= LEAST_DENSE and 4 * weights >= len(rows) * len(registers) and _flint() is not None:
        return _FlintRows(rows, sorted(registers))
    return _MpfrRows(rows)


class _MpfrRows:
    """Fused operations of MPFR, one for each weight and bound: a weight below 0 takes the other bound."""

    library = "MPFR"

    def __init__(self, rows: Sequence[Row]) -> None:
        exact_rows = [[(register, weight > 0, exact_dyadic(weight)) for register, weight in row] for row in rows]
        self._signed = [
            ([(r, w) for r, rises, w in row if rises], [(r, w) for r, rises, w in row if not rises])
            for row in exact_rows
        ]

    def sums(self, lows: Sequence[Any], highs: Sequence[Any], rounding: DirectedRounding) -> list[Bounds]:
        """Return bounds of the sum of each row."""
        down, up = rounding.down.fma, rounding.up.fma
        found = []
        for rising, falling in self._signed:
            low = high = ZERO
            for register, weight in rising:
                low = down(weight, lows[register], low)
                high = up(weight, highs[register], high)
            for register, weight in falling:
                low = down(weight, highs[register], low)
                high = up(weight, lows[register], high)
            found.append((low, high))
        return found


class _FlintRows:
    """A matrix of exact numbers times a column of Arb's balls, whose radii are rounded up.

    References
    ----------
    F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Transactions on
    Computers 66 (2017), 1281-1292.
    """

    library = "Arb"

    def __init__(self, rows: Sequence[Row], registers: Sequence[int]) -> None:
        module = _flint()
        assert module is not None
        self._registers = registers
        self._ball, self._new, self._context = module.arb, module.arb_mat, module.ctx
        places = {register: place for place, register in enumerate(registers)}
        entries = [[self._ball(0)] * len(registers) for _ in rows]
        for row, terms in zip(entries, rows, strict=True):
            for register, weight in terms:
                row[places[register]] = self._exact_ball(exact_dyadic(weight))
        self._matrix = self._new(len(rows), len(registers), [entry for row in entries for entry in row])

    def sums(self, lows: Sequence[Any], highs: Sequence[Any], rounding: DirectedRounding) -> list[Bounds]:
        """Return bounds of the sum of each row."""
        with self._context.workprec(rounding.working_bits):
            column = [self._enclosing_ball(lows[register], highs[register]) for register in self._registers]
            product = self._matrix * self._new(len(column), 1, column)
            return [_bounds(ball, rounding) for ball in product.entries()]

    def _exact_ball(self, number: Any) -> Any:
        mantissa, exponent = number.as_mantissa_exp()
        return self._ball((int(mantissa), int(exponent)))

    def _enclosing_ball(self, low: Any, high: Any) -> Any:
        ball = self._exact_ball(low)
        return ball if low == high else ball.union(self._exact_ball(high))


def _bounds(ball: Any, rounding: DirectedRounding) -> Bounds:
    if not ball.is_finite():
        return gmpy2.mpfr("-inf"), gmpy2.mpfr("inf")
    middle, radius = _number(ball.mid()), _number(ball.rad())
    return rounding.down.sub(middle, radius), rounding.up.add(middle, radius)


def _number(exact_ball: Any) -> Any:
    """Return a ball with radius 0 as the mpfr that it is."""
    mantissa, exponent = map(int, exact_ball.man_exp())
    return exact_dyadic(mpq(mantissa << exponent) if exponent >= 0 else mpq(mantissa, 1 << -exponent))


@cache
def _flint() -> ModuleType | None:
    try:
        return loaded("flint")
    except ImportError:
        return None
