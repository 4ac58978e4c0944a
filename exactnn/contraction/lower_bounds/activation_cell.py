"""Open sets of two inputs on which a ReLU network is affine: where each unit stays on, or stays off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import gcd

from gmpy2 import mpq

from exactnn.contraction.contractivity import Elman
from exactnn.linear_algebra import Matrix, Vector, dot, product

__all__ = ["ActivationCell", "activation_cell"]

ZERO, ONE, HALF = mpq(0), mpq(1), mpq(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationCell:
    """A point of two inputs (x₁, x₂), 2d numbers, around which no unit of the network changes between on and off.

    Parameters
    ----------
    point : vector of length 2d
    margins : vector of length 2d
        Positive. At the point, and with one number of it moved away from 0 by its margin, the same units are on, all
        numbers have the same signs, and the inputs keep to their bounds.
    first_active, second_active : tuple of bool, length m
        The units that are on after the first input and after the second: the diagonals of D₁ and D₂. A unit whose
        activation is 0 throughout the cell counts as off.
    first_state, second_state : matrix (m by 2d + 1)
        The states after the first and the second input, within the cell: affine functions of the point, of which the
        last column is the constant.
    """

    point: Vector
    margins: Vector
    first_active: tuple[bool, ...]
    second_active: tuple[bool, ...]
    first_state: Matrix
    second_state: Matrix

    def words(self) -> Iterator[tuple[Vector, Vector]]:
        """Yield 2d + 1 words of two inputs in the cell; affine functions that agree on them are the same."""
        half = len(self.point) // 2
        yield self.point[:half], self.point[half:]
        for index, margin in enumerate(self.margins):
            moved = list(self.point)
            moved[index] += margin if moved[index] > 0 else -margin
            yield tuple(moved[:half]), tuple(moved[half:])


def activation_cell(network: Elman, bounds: Vector, signs: Sequence[int]) -> ActivationCell:
    """Return a cell of a ReLU network in which the numbers of the two inputs have the given signs.

    Parameters
    ----------
    network : Elman
        A ReLU network with m states and d inputs.
    bounds : vector of length d
        The largest absolute values of an input; all positive.
    signs : 2d numbers, each 1 or -1

    Notes
    -----
    There always is one. What goes into a unit at the first step is an affine function of the point; unless it is zero
    everywhere, a point on the moment curve ``(σ₁ β₁ s, σ₂ β₂ s², ...)``, 0 < s < 1, makes it zero for at most 2d values
    of s, the roots of a polynomial. Between all these values the pattern D₁ is the same, so that the same is true of
    the second step. Hence all but finitely many s give a point at which nothing that is not zero throughout is zero,
    and a point around which, by continuity, nothing changes its sign. Fractions s are tried one after the other.
    """
    size = len(signs)
    scales = [sign * bound for sign, bound in zip(signs, (*bounds, *bounds), strict=True)]
    for s in _fractions():
        point = tuple(scale * s ** (i + 1) for i, scale in enumerate(scales))
        first = _driven(network, network.V, [(*[ZERO] * size, entry) for entry in network.s], first=True)
        on = _active(first, point)
        if on is None:
            continue
        after_first = _kept(first, on)
        second = _driven(network, network.V, after_first, first=False)
        still_on = _active(second, point)
        if still_on is not None:
            return ActivationCell(
                point=point,
                margins=_margins(point, [*first, *second], (*bounds, *bounds)),
                first_active=on,
                second_active=still_on,
                first_state=after_first,
                second_state=_kept(second, still_on),
            )
    raise AssertionError("there are infinitely many fractions")


def _fractions() -> Iterator[mpq]:
    """Yield the fractions between 0 and 1, those with small denominators first."""
    for denominator in count(2):
        yield from (mpq(p, denominator) for p in range(1, denominator) if gcd(p, denominator) == 1)


def _driven(network: Elman, recurrent: Matrix, state: Sequence[Vector], *, first: bool) -> Matrix:
    """Return what goes into the units, as affine functions: U h + F x + b for the first or the second input x."""
    nothing = (ZERO,) * len(network.W[0])
    inputs = [(*(row if first else nothing), *(nothing if first else row)) for row in network.W]
    return tuple(
        tuple(x + y for x, y in zip(moved, (*driven, bias), strict=True))
        for moved, driven, bias in zip(product(recurrent, tuple(state)), inputs, network.b, strict=True)
    )


def _value(row: Vector, point: Vector) -> mpq:
    return dot(row[:-1], point) + row[-1]


def _active(rows: Matrix, point: Vector) -> tuple[bool, ...] | None:
    """Return which affine functions are positive at a point; None if one is zero there and not everywhere."""
    values = [_value(row, point) for row in rows]
    if any(not value and any(row) for value, row in zip(values, rows, strict=True)):
        return None
    return tuple(value > 0 for value in values)


def _kept(rows: Matrix, active: Sequence[bool]) -> Matrix:
    return tuple(row if on else (ZERO,) * len(row) for row, on in zip(rows, active, strict=True))


def _margins(point: Vector, rows: Sequence[Vector], bounds: Vector) -> Vector:
    """Return how far each number may go away from 0 while no affine function comes to 0, halved."""

    def margin(index: int) -> mpq:
        room = bounds[index] - abs(point[index])
        limits = [abs(_value(row, point) / row[index]) for row in rows if row[index]]
        return HALF * min([room, *limits])

    return tuple(margin(index) for index in range(len(point)))
