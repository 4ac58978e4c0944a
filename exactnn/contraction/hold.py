"""Do the further units of a unitary twin stay 0 in a format, on every word? Certified by bounds of rounding errors."""

from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import AnyFormat, ExactNumber, FixedPoint, Format, Rounding, format_of
from exactnn.contraction.contractivity import Elman, elman
from exactnn.contraction.reachable_ball import input_bounds_of
from exactnn.contraction.unitary import UnitaryTwin
from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector, dot, rounded_up, spectral_norm_bounds, square_root_above
from exactnn.simulation import executor_for

__all__ = ["Hold", "hold"]

ONE, ZERO = mpq(1), mpq(0)
BITS = 80
"""Significant bits of what is rounded up: more than those of a float, whose room may be as small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Whether the further units of a twin are proven to stay 0 in a format.

    Parameters
    ----------
    arithmetic : Format
    certified : bool
        True: on every word within the bounds. False: not proven, which is no proof that they do not.
    radius : mpq or None
        An upper bound on the norm of every computed state; None if there is none.
    highest : mpq or None
        An upper bound on what a further unit's sum can be; none exceeds 0 if `certified`.
    reason : str
        Why it is not certified; empty if it is.
    """

    arithmetic: Format
    certified: bool
    radius: mpq | None
    highest: mpq | None
    reason: str

    def __repr__(self) -> str:
        return f"<Hold in {self.arithmetic}: {'certified' if self.certified else f'not certified, {self.reason}'}>"


def hold(
    twin: UnitaryTwin, arithmetic: AnyFormat, *, input_bound: ExactNumber | Sequence[ExactNumber] | None = None
) -> Hold:
    """Return whether a twin's further units stay 0 in a format: then it has the original's states on every word.

    Parameters
    ----------
    twin : UnitaryTwin
    arithmetic : FloatFormat or FixedPoint
    input_bound : number, or one for each input component, optional
        Of the words; by default that of the twin. A smaller one leaves more room for the rounding.

    Raises
    ------
    OptionError
        If `twin` is none, the arithmetic does not round, or the bound is larger than the twin's.
    UnsupportedArithmeticError
        If the format has no room for the twin's numbers.

    Notes
    -----
    What runs is the network with rounded numbers, of a rate ρ. A sum of k terms ``b + Σ w v``, with a rounding by at
    most a part ε of each product and each sum, is off by at most ``γ (|b| + Σ |w v|) + 2kη``, where γ is
    ``(1 + ε)^(k+1) - 1``, and η is (1 + γ) times what underflow loses. So computed states of norm r are followed by
    some of norm at most ``ρr + γ‖V‖r + drive``, with the Frobenius norm. That bounds all states, and so the sums of the
    further units. That nothing overflows is checked for every sum.

    References
    ----------
    N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, SIAM, 2002, section 3.1.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16, FLOAT64
    >>> from exactnn.contraction import unitary
    >>> from exactnn.networks import SimpleRNN
    >>> leaky = SimpleRNN(V=[["4/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> twin = unitary(leaky, input_bound=1)
    >>> hold(twin, FLOAT64).certified, hold(twin, BFLOAT16).certified
    (True, True)
    >>> hold(unitary(leaky, input_bound=1, room=1), BFLOAT16).reason
    'a further unit may become positive'
    """
    if not isinstance(twin, UnitaryTwin):
        raise OptionError(f"{shown(twin)} is no unitary twin: exactnn.unitary makes one of a contractive network")
    arithmetic = format_of(arithmetic, "arithmetic")
    bounds = input_bounds_of(twin.network, input_bound)
    executor_for(twin.network, arithmetic)  # refuses what has no room
    if arithmetic.accumulator is not None or arithmetic.summation == "pairwise":
        return _unproven(arithmetic, "accumulators and sums in pairs have no bound here")
    if arithmetic.rounding is Rounding.STOCHASTIC:
        return _unproven(arithmetic, "random numbers of the two networks are different ones")
    rounded = _rounded(elman(twin.network), arithmetic)
    if rounded is None:
        return _unproven(arithmetic, "a number of the twin is beyond the largest one of the format")
    if bounds is not None and any(bound > arithmetic.largest for bound in bounds):
        return _unproven(arithmetic, "an input may be beyond the largest number of the format")
    drives = _drives(rounded, bounds, arithmetic)
    return _bounded(rounded, twin.original.neurons, drives, _Errors.of(arithmetic, rounded.size + len(rounded.W[0])))


@dataclass(frozen=True, slots=True)
class _Errors:
    """A computed sum of absolute value A is off by at most ``relative * A + absolute``."""

    arithmetic: Format
    relative: mpq
    absolute: mpq

    @classmethod
    def of(cls, format: Format, terms: int) -> "_Errors":
        half = mpq(1, 2) if format.rounding in (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY) else ONE
        if isinstance(format, FixedPoint):
            return cls(format, ZERO, terms * half * format.smallest)
        grown = (1 + 2 * half * format.unit_roundoff) ** (terms + 1)
        lost = half * format.smallest if format.subnormals else format.smallest
        return cls(format, grown - 1, 2 * terms * lost * grown)


def _unproven(format: Format, reason: str, radius: mpq | None = None, highest: mpq | None = None) -> Hold:
    return Hold(arithmetic=format, certified=False, radius=radius, highest=highest, reason=reason)


def _rounded(network: Elman, format: Format) -> Elman | None:
    """Return the network that runs; None if a number of it is not finite or is cut."""

    def vector(values: Vector) -> Vector:
        return tuple(mpq(format.parameters.rounded(value)) for value in values)

    numbers = [*network.b, *network.s, *(x for row in (*network.V, *network.W) for x in row)]
    if any(abs(number) > format.largest for number in numbers):
        return None
    return Elman(
        V=tuple(map(vector, network.V)),
        W=tuple(map(vector, network.W)),
        b=vector(network.b),
        s=vector(network.s),
        activation=network.activation,
    )


Drive = list[tuple[mpq, mpq]]
"""For each unit bounds of |W x + b| and of |W| |x| + |b|."""


def _drives(network: Elman, bounds: Vector | None, format: Format) -> list[Drive]:
    """Return what the inputs do, for each symbol, or for all within bounds; rounded, they may exceed these."""
    if bounds is None:
        columns = zip(*network.W, strict=True)
        return [[(abs(f + b), abs(f) + abs(b)) for f, b in zip(column, network.b, strict=True)] for column in columns]
    most = [bound + format.spacing(bound) for bound in bounds]
    sums = [abs(b) + dot(tuple(map(abs, row)), most) for row, b in zip(network.W, network.b, strict=True)]
    return [[(total, total) for total in sums]]


def _norm(vector: Sequence[mpq]) -> mpq:
    return square_root_above(dot(vector, vector), BITS)


def _bounded(network: Elman, size: int, drives: list[Drive], errors: _Errors) -> Hold:
    """Return the bounds of a rounded network, whose first units are those of the original."""
    format = errors.arithmetic
    matrix: Matrix = tuple(row[:size] for row in network.V[:size])
    _, rate = spectral_norm_bounds(matrix)
    kept = 1 - rate - errors.relative * _norm([x for row in matrix for x in row])
    if kept <= 0:
        return _unproven(format, "the rounded network need not be contractive")
    drive = max(
        _norm([x + errors.relative * total + errors.absolute for x, total in column[:size]]) for column in drives
    )
    radius = rounded_up(max(_norm(network.s), drive / kept), BITS)
    norms = [_norm(row[:size]) for row in network.V]
    sums = [
        (1 + errors.relative) * (norm * radius + max(column[i][1] for column in drives)) + errors.absolute
        for i, norm in enumerate(norms)
    ]
    highest = max(
        (b + norm * radius + errors.relative * (norm * radius - b) + errors.absolute
         for norm, b in zip(norms[size:], network.b[size:], strict=True)),
        default=ZERO,
    )  # fmt: skip
    if max(sums) > format.largest:
        return _unproven(format, "a sum may be beyond the largest number of the format", radius, highest)
    if highest > 0:
        return _unproven(format, "a further unit may become positive", radius, highest)
    return Hold(arithmetic=format, certified=True, radius=radius, highest=highest, reason="")
