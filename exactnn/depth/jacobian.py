"""Jacobians of a network's state along a word: what every gradient is a product of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import DirectedRounding, Enclosure, Interval, counted, exact_cell
from exactnn.depth.slopes import AtKinks, ExactNumbers, Slope, StepSlopes, exact_numbers, slopes_along
from exactnn.files import DataTable
from exactnn.linear_algebra import Matrix, identity, spectral_norm_bounds
from exactnn.markup import MOST_ROWS, Table
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.simulation.smooth_units import has_smooth_units

__all__ = ["Jacobians", "SlopeMatrix", "jacobian"]

ZERO = mpq(0)

SlopeMatrix = tuple[tuple[Slope, ...], ...]
"""A matrix of rational numbers, or of enclosures."""

NORM_BITS = 20
"""Of the bounds of norms, beside the largest entry."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Jacobians(DataTable):
    """The Jacobians of a state with respect to the one before, along a word.

    Parameters
    ----------
    matrices : tuple of matrices (d' by d')
        ``matrices[t][i][j]`` is the derivative of number i of the state after step t + 1 with respect to number j of
        the state before it: a rational number, or an Enclosure of it if the network has smooth units.
    size : int
        d', the length of the state.
    bits : int or None
        Of the bounds, if there are smooth units; else None.
    """

    matrices: tuple[SlopeMatrix, ...]
    size: int
    bits: int | None = None

    @property
    def product(self) -> SlopeMatrix:
        """The derivative of the last state with respect to the first one: the last matrix times ... times the first."""
        with DirectedRounding.wide():
            numbers = exact_numbers(self.bits)
            found = [[numbers.number(x) for x in row] for row in identity(self.size)]
            for matrix in self.matrices:
                columns = list(zip(*found, strict=True))
                rows = [[numbers.number(x) for x in row] for row in matrix]
                found = [[_dot(numbers, row, column) for column in columns] for row in rows]
            return tuple(tuple(map(numbers.slope, row)) for row in found)

    @property
    def norm_bounds(self) -> tuple[mpq, mpq]:
        """Rational numbers that the spectral norm of the product is between: proven."""
        return _norm_bounds(self.product)

    def __repr__(self) -> str:
        low, high = self.norm_bounds
        norm = f"the norm of their product is {_digits(low)} to {_digits(high)}"
        return f"<Jacobians of {counted(len(self.matrices), 'step')}: {norm}>"

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each derivative of each step, exactly or between two bounds."""
        return [
            {"step": step, "state": i, "of": j, "derivative": exact_cell(slope)}
            for step, matrix in enumerate(self.matrices, 1)
            for i, row in enumerate(matrix)
            for j, slope in enumerate(row)
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = []
        for step, matrix in enumerate(self.matrices[:MOST_ROWS], 1):
            low, high = _norm_bounds(matrix)
            rows.append((step, _digits(low), _digits(high)))
        more = max(0, len(self.matrices) - MOST_ROWS)
        return Table(title=repr(self)[1:-1], heading=("step", "norm at least", "at most"), rows=tuple(rows), more=more)


def _digits(number: mpq) -> str:
    """Return six digits of a number, which may be far too large or small for a float."""
    with DirectedRounding.wide():
        digits = gmpy2.mpfr(number)
    is_float = not number or 2**-1000 < number < 2**1000
    return f"{float(number):.6g}" if is_float else f"{digits:.6g}"


def _dot(numbers: ExactNumbers, row: Sequence[Any], column: Sequence[Any]) -> Any:
    total = numbers.number(ZERO)
    for x, y in zip(row, column, strict=True):
        total = numbers.add(total, numbers.multiply(x, y))
    return total


def _norm_bounds(matrix: SlopeMatrix) -> tuple[mpq, mpq]:
    """Return numbers that the spectral norm is between, 2^-20 of the largest entry apart or little more.

    Of enclosures the norm is that of their middles, give or take the sum of their half widths, which is no less than
    the norm of any matrix that has such entries.
    """
    middles: Matrix = tuple(tuple(x.midpoint if isinstance(x, Enclosure) else x for x in row) for row in matrix)
    away = sum((x.width / 2 for row in matrix for x in row if isinstance(x, Enclosure)), ZERO)
    largest = max((abs(x) for row in middles for x in row), default=ZERO)
    if not largest:
        return ZERO, away
    low, high = spectral_norm_bounds(tuple(tuple(x / largest for x in row) for row in middles), NORM_BITS)
    return max(ZERO, low * largest - away), high * largest + away


def jacobian(
    network: AnyNetwork, word: str | Sequence[object], *, bits: int = 128, at_kinks: AtKinks = None
) -> Jacobians:
    """Return the Jacobian of each step of a word: exactly, or enclosed if the network has smooth units.

    Parameters
    ----------
    network : Network or Construction
    word : str or sequence
        Symbols or vectors; EOS steps are not taken.
    bits : int
        Of the bounds of enclosures, up to 1,000,000. It plays no part where all activations map rationals to rationals.
    at_kinks : 0 or 1, optional
        The slope that a unit is given at a kink, as automatic differentiation does: torch takes 0 of ReLU and hardtanh,
        1 of clamp. A jump has the slope 0 then. By default a kink is refused.

    Raises
    ------
    OptionError
        If a unit is at a kink of its activation, or at a jump, where there is no derivative: the error names it.
    BitLimitError
        If so many bits do not tell on which side of a kink a unit is.
    WordError
        If the word does not fit the network.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> net = SimpleRNN(V=[[1, 2], [0, 1]], W=[[1], [1]], b=[0, -5], s=[1, 1], readout_weight=[1, 0])
    >>> [[str(x) for x in row] for row in jacobian(net, [[1]]).matrices[0]]
    [['1', '2'], ['0', '0']]
    >>> jacobian(net, [[4]])
    Traceback (most recent call last):
        ...
    exactnn.errors.OptionError: step 1: the sum of unit 'h[1]' is 0, a kink of relu, where there is no derivative: ...

    Of a smooth network every entry is enclosed:

    >>> smooth = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="tanh")
    >>> print(jacobian(smooth, [[1], [1]], bits=20).product[0][0])
    [0.02347749, 0.02347783]
    """
    core = network_of(network)
    bits = Interval(bits=bits).bits
    needed = bits if has_smooth_units(core) else None
    steps = slopes_along(core, word, needed, at_kinks)
    with DirectedRounding.wide():
        numbers = exact_numbers(needed)
        matrices = tuple(_of_step(core, step, numbers) for step in steps)
    return Jacobians(matrices=matrices, size=core.circuit.state_size, bits=needed)


def _of_step(network: Network, step: StepSlopes, numbers: ExactNumbers) -> SlopeMatrix:
    """Return the Jacobian of one step: every register with its derivatives with respect to the state."""
    circuit = network.circuit
    size = circuit.state_size
    nothing = [numbers.number(ZERO)] * size
    registers = [[numbers.number(x) for x in row] for row in identity(size)] + [nothing] * circuit.input_size
    for layer in step:
        new = []
        for factor, terms in layer:
            slope = nothing
            for register, weight in terms if factor else ():
                scale, other = numbers.number(weight), registers[register]
                if weight and other is not nothing:
                    scaled = (numbers.multiply(scale, x) for x in other)
                    slope = list(map(numbers.add, slope, scaled))
            if slope is not nothing and factor != 1:
                slope = [numbers.multiply(numbers.number(factor), x) for x in slope]
            new.append(slope)
        registers += new
    return tuple(tuple(map(numbers.slope, registers[register])) for register in circuit.next_state)
