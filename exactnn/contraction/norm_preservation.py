"""The linear part h → N h of a unitary twin alone: it preserves a norm exactly; in floats that drifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, ExactNumber, arithmetic_of, counted, short_text
from exactnn.contraction.contractivity import elman
from exactnn.contraction.states import exact_vector, squared_norm, states_on
from exactnn.contraction.unitary import UnitaryTwin
from exactnn.errors import OptionError, shown
from exactnn.linear_algebra import Matrix, Vector
from exactnn.markup import named
from exactnn.networks import Activation, Circuit, Network, affine_unit
from exactnn.options import whole_number

__all__ = ["NormPreservation", "norm_preservation"]

MOST_STEPS = 10**9
"""The norm after each is kept."""

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormPreservation:
    """The squared norm, in the form D of a twin, of Nᵗh for t = 0, 1, 2, ... in an arithmetic.

    Parameters
    ----------
    name : str
        Of the twin.
    arithmetic : Arithmetic
    start : vector of length m
        h, exactly.
    squared_norm : mpq
        Σ dᵢ hᵢ² of the exact start: of every Nᵗh, in exact arithmetic.
    squared_norms : tuple of (mpq or None)
        Those in the arithmetic; None where a number is infinite or NaN.
    """

    name: str
    arithmetic: Arithmetic
    start: Vector
    squared_norm: mpq
    squared_norms: tuple[mpq | None, ...]

    @property
    def steps(self) -> int:
        """How often N was applied."""
        return len(self.squared_norms) - 1

    @property
    def drifts(self) -> tuple[mpq | None, ...]:
        """How much larger each squared norm is than the exact one, as a part of it; 0 in exact arithmetic."""
        return tuple(None if found is None else found / self.squared_norm - 1 for found in self.squared_norms)

    @property
    def largest_drift(self) -> mpq | None:
        """The largest absolute drift; None if a number is infinite or NaN."""
        drifts = [abs(drift) for drift in self.drifts if drift is not None]
        return max(drifts) if len(drifts) == len(self.squared_norms) else None

    @property
    def preserved(self) -> bool:
        """Whether the norm is the same after every step, exactly."""
        return self.largest_drift == 0

    def __repr__(self) -> str:
        drift = self.largest_drift
        found = "preserved" if drift == 0 else "not finite" if drift is None else f"drifts by {short_text(drift)}"
        return f"<NormPreservation of {named(self.name)} in {self.arithmetic}, {counted(self.steps, 'step')}: {found}>"


def norm_preservation(
    twin: UnitaryTwin, *, start: Sequence[ExactNumber], steps: int, arithmetic: AnyArithmetic = EXACT
) -> NormPreservation:
    """Apply the recurrent matrix N of a unitary twin again and again, and return the squared norms in its form D.

    There are no biases, inputs and activations: those of the twin hold half of it at 0, so that its own states do
    shrink.

    Parameters
    ----------
    twin : UnitaryTwin
    start : sequence of m numbers, not all 0
    steps : int
    arithmetic : Arithmetic

    Raises
    ------
    OptionError
        If the start is not of m numbers or is 0, or `steps` is no number of at least 0.
    UnsupportedArithmeticError
        If the arithmetic cannot run this network.

    Notes
    -----
    ``(Nh)ᵀD(Nh) = hᵀDh``, since ``NᵀDN = D``. In floats the entries of N are rounded, so that no power of that matrix
    preserves the form, and all products and sums are: the drift grows about linearly with the steps while it is small.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT32
    >>> from exactnn.contraction import unitary
    >>> from exactnn.networks import SimpleRNN
    >>> twin = unitary(SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1]), input_bound=3)
    >>> norm_preservation(twin, start=[1, 2], steps=3).squared_norms
    (mpq(5,1), mpq(5,1), mpq(5,1), mpq(5,1))
    >>> found = norm_preservation(twin, start=[1, 2], steps=100, arithmetic=FLOAT32)
    >>> found.preserved, found.drifts[2] == 0, float(found.largest_drift) < 1e-5
    (False, False, True)
    """
    arithmetic = arithmetic_of(arithmetic)
    if not isinstance(twin, UnitaryTwin):
        raise OptionError(f"{shown(twin)} is no unitary twin: exactnn.unitary makes one of a contractive network")
    steps = whole_number("steps", steps, 0, MOST_STEPS)
    given = exact_vector("start", start, twin.network.neurons)
    exact_norm = squared_norm(given, twin.certificate.form)
    if not exact_norm:
        raise OptionError("start is 0, which stays 0: give a vector with another number")
    linear = _linear_part(elman(twin.network).V, given, twin.network.name)
    states = states_on(linear, [()] * index(steps), arithmetic)
    return NormPreservation(
        name=twin.network.name,
        arithmetic=arithmetic,
        start=given,
        squared_norm=exact_norm,
        squared_norms=tuple(squared_norm(state, twin.certificate.form) for state in states),
    )


def _linear_part(matrix: Matrix, start: Vector, name: str) -> Network:
    """Return the network h' = N h, which reads vectors of no numbers."""
    size = len(matrix)
    units = tuple(
        affine_unit(f"h[{i}]", enumerate(row), ZERO, Activation.IDENTITY) for i, row in enumerate(matrix)
    )  # fmt: skip
    return Network(
        circuit=Circuit(state_size=size, input_size=0, layers=(units,), next_state=tuple(range(size, 2 * size))),
        initial_state=start,
        readout=(),
        scalar_output=False,
        name=f"linear part of {name}",
    )
