"""Jacobians of a network's state along a word, exactly: what every gradient is a product of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL
from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, identity, product, spectral_norm_bounds
from exactnn.markup import MOST_ROWS, Table, Tabular
from exactnn.networks import Activation, Input, Kind, Network, Unit
from exactnn.simulation import Runnable, network_of, run
from exactnn.simulation.smooth_units import refuse_smooth_units

__all__ = ["Jacobians", "jacobian"]

ZERO, ONE = mpq(0), mpq(1)

BITS = 20
"""Of the bounds of norms, beside the largest entry."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Jacobians(Tabular):
    """The Jacobians of a state with respect to the one before, along a word.

    Parameters
    ----------
    matrices : tuple of matrices (d' by d')
        ``matrices[t][i][j]`` is the derivative of number i of the state after step t + 1 with respect to number j of
        the state before it.
    """

    matrices: tuple[Matrix, ...]
    size: int

    @property
    def product(self) -> Matrix:
        """The derivative of the last state with respect to the first one: the last matrix times ... times the first."""
        found = identity(self.size)
        for matrix in self.matrices:
            found = product(matrix, found)
        return found

    @property
    def norm_bounds(self) -> tuple[mpq, mpq]:
        """Rational numbers that the spectral norm of the product is between, exactly."""
        return _norm_bounds(self.product)

    def __repr__(self) -> str:
        low, high = self.norm_bounds
        norm = f"the norm of their product is {float(low):.6g} to {float(high):.6g}"
        return f"<Jacobians of {len(self.matrices)} steps: {norm}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = []
        for step, matrix in enumerate(self.matrices[:MOST_ROWS], 1):
            low, high = _norm_bounds(matrix)
            rows.append((step, f"{float(low):.6g}", f"{float(high):.6g}"))
        more = max(0, len(self.matrices) - MOST_ROWS)
        return Table(title=repr(self)[1:-1], heading=("step", "norm at least", "at most"), rows=tuple(rows), more=more)


def _norm_bounds(matrix: Matrix) -> tuple[mpq, mpq]:
    """Return numbers that the spectral norm is between, 2^-20 of the largest entry apart or little more."""
    largest = max((abs(x) for row in matrix for x in row), default=ZERO)
    if not largest:
        return ZERO, ZERO
    low, high = spectral_norm_bounds(tuple(tuple(x / largest for x in row) for row in matrix), BITS)
    return low * largest, high * largest


def jacobian(network: Network | Runnable, word: str | Sequence[object]) -> Jacobians:
    """Return the Jacobian of each step of a word, in exact arithmetic.

    Parameters
    ----------
    network : Network or Construction
        All its units have an activation that maps rationals to rationals.
    word : str or sequence
        Symbols or vectors; EOS steps are not taken.

    Raises
    ------
    OptionError
        If a unit is at a kink of its activation, or at a jump, where there is no derivative: the error names it.
    UnsupportedArithmeticError
        If a unit is smooth: its derivative is no rational number.
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
    """
    core = network_of(network)
    refuse_smooth_units(core, RATIONAL)
    inputs = core.inputs(word)
    found = run(core, word, arithmetic=RATIONAL, max_steps=len(inputs), record="all")
    steps = zip(found.trace, inputs, strict=False)
    size = core.circuit.state_size
    matrices = tuple(
        _of_step(core, state, given, number)  # type: ignore[arg-type]  # an exact run has exact numbers
        for number, (state, given) in enumerate(steps, 1)
    )
    return Jacobians(matrices=matrices, size=size)


def _of_step(network: Network, state: Sequence[mpq], given: Input, number: int) -> Matrix:
    """Return the Jacobian of one step: every register with its derivatives with respect to the state."""
    circuit = network.circuit
    size = circuit.state_size
    vector = given if isinstance(given, tuple) else tuple(mpq(i == given) for i in range(circuit.input_size))
    values: list[mpq] = [*state, *vector]
    slopes: list[Vector] = [*identity(size), *[(ZERO,) * size] * circuit.input_size]
    for layer in circuit.layers:
        new = [_evaluated(unit, values, slopes, size, number) for unit in layer]
        values += [value for value, _ in new]
        slopes += [slope for _, slope in new]
    return tuple(slopes[register] for register in circuit.next_state)


def _evaluated(
    unit: Unit, values: Sequence[mpq], slopes: Sequence[Vector], size: int, number: int
) -> tuple[mpq, Vector]:
    """Return a unit's value and its derivatives."""
    total, slope = unit.bias, [ZERO] * size
    for register, weight in unit.linear:
        total += weight * values[register]
        _add(slope, weight, slopes[register])
    for first, second, weight in unit.bilinear:
        total += weight * values[first] * values[second]
        _add(slope, weight * values[second], slopes[first])
        _add(slope, weight * values[first], slopes[second])
    value, factor = _activated(unit.activation, total)
    if factor is None and any(slope):
        raise OptionError(
            f"step {number}: the sum of unit {shown(unit.name)} is {total}, a kink of {unit.activation}, where there "
            "is no derivative: change the word, the start state or a bias a little"
        )
    return value, tuple(factor * x for x in slope) if factor else (ZERO,) * size


def _add(slope: list[mpq], factor: mpq, other: Vector) -> None:
    if factor:
        for i, x in enumerate(other):
            if x:
                slope[i] += factor * x


def _activated(activation: Activation, total: mpq) -> tuple[mpq, mpq | None]:
    """Return an activation of a number, and its derivative there; None where there is none."""
    low, high = activation.low, activation.high
    match activation.kind:
        case Kind.CLAMP:
            if low is not None and total <= low:
                return low, None if total == low else ZERO
            if high is not None and total >= high:
                return high, None if total == high else ZERO
            return total, ONE
        case Kind.JUMP:
            assert low is not None
            assert high is not None
            return (high if total > 0 else low), (ZERO if total else None)
        case Kind.SIGMOID | Kind.TANH:
            raise AssertionError("smooth units are refused before")
        case _:
            assert_never(activation.kind)
