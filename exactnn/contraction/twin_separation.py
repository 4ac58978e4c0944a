"""Do a contractive network and its unitary twin stay together where numbers are rounded? Both run, and are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of, count_text, counted
from exactnn.contraction.states import ExactState, inputs_within_bounds, squared_distance, states_on
from exactnn.contraction.unitary import UnitaryTwin
from exactnn.errors import OptionError, shown
from exactnn.markup import named

__all__ = ["TwinSeparation", "twin_separation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinSeparation:
    """How far the two networks are from each other and from the exact run; entry t is after t steps, 0 the start.

    Distances are ‖h - h'‖², exactly, and None where a number is infinite or NaN.

    Parameters
    ----------
    name : str
        Of the twin.
    arithmetic : Arithmetic
    squared_separations : tuple of (mpq or None)
        Between the original's state and the twin's, decoded.
    original_errors, twin_errors : tuple of (mpq or None)
        Between their states and the exact one, which is the same for both.
    first_separation : int or None
        The first step with different states; numbers that are NaN in both are the same.
    first_release : int or None
        The first step with a further unit of the twin that is not 0.
    released : str or None
        The name of that unit.
    """

    name: str
    arithmetic: Arithmetic
    squared_separations: tuple[mpq | None, ...]
    original_errors: tuple[mpq | None, ...]
    twin_errors: tuple[mpq | None, ...]
    first_separation: int | None
    first_release: int | None
    released: str | None

    @property
    def steps(self) -> int:
        """The steps of the runs."""
        return len(self.squared_separations) - 1

    @property
    def together(self) -> bool:
        """Whether both networks have the same states after every step."""
        return self.first_separation is None

    def __repr__(self) -> str:
        first = self.first_separation
        found = "together" if first is None else f"apart at step {count_text(first)}"
        if self.first_release is not None:
            found += f", {self.released} not 0 at step {count_text(self.first_release)}"
        return f"<TwinSeparation of {named(self.name)} in {self.arithmetic}, {counted(self.steps, 'step')}: {found}>"


def twin_separation(twin: UnitaryTwin, word: str | Sequence[object], arithmetic: AnyArithmetic) -> TwinSeparation:
    """Run a contractive network and its unitary twin side by side in an arithmetic, and both exactly.

    Parameters
    ----------
    twin : UnitaryTwin
    word : str or sequence
        Within the input bounds of the twin. The runs take a step for each input.
    arithmetic : Arithmetic

    Raises
    ------
    WordError
        If the word does not fit the network or is beyond the bounds.
    UnsupportedArithmeticError
        If the arithmetic cannot run the networks; in fixed point the twin's numbers may be too large where the
        original's are not.

    Notes
    -----
    *As long as they are held, the further units change nothing.* Let each sum be formed term by term, the bias first or
    last, with rounding that is not random; in any float or fixed-point format, fused or not, with any accumulator. If
    no further unit was other than 0 before step t, both networks have the same states up to step t: so
    `first_separation`, if there is one, is after `first_release`.

    Proof, by induction. A row of the original's unit has, in the twin, the same bias and terms in the same order, and
    further terms N·0 between them. The entries N are finite there: they are at most 1, but for rounding. So N·0 = ±0,
    without rounding, and s ± 0 = s for the sum s of the terms before, which is a number of the format that it is formed
    in already; a zero may change its sign, and ReLU gives 0 for both. The further units themselves are not read by the
    outputs.

    *They need not be held.* In exact arithmetic the bias -M of a further unit is at least as large as V₃h can be in the
    reachable ball. In a format it is the rounded V that runs, whose ball is another one; V₃ and -M are rounded too, and
    there may be nothing between the two. The further unit becomes positive then, and from the next step on the networks
    are different ones, in round-to-nearest as well: the first example, whose biases have no room. They may have the
    same states nevertheless, if what is added is rounded away. In a saturating format -M may be cut to a number that is
    too small, in fixed point with wrap-around V₃h - M may come back from below as a positive number, and in a float
    format without infinities a -M beyond the largest number is NaN, at once. An infinite -M holds its unit, unless an
    infinite entry of V₃ meets a 0 or another sign. Wider input bounds than those of the words leave more room, and
    :func:`exactnn.contraction.hold` certifies where that is enough, for every word.

    *Where sums are formed otherwise.* Pairs are different ones when there are more terms (`summation="pairwise"`), and
    so are the random numbers of stochastic rounding: there the networks separate though all further units are 0.

    Examples
    --------
    >>> from exactnn.arithmetic import BFLOAT16
    >>> from exactnn.contraction import unitary
    >>> from exactnn.networks import SimpleRNN
    >>> leaky = SimpleRNN(V=[["4/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> tight = twin_separation(unitary(leaky, input_bound="7/10", room=1), [["7/10"]] * 40, BFLOAT16)
    >>> tight.first_release, tight.released, tight.first_separation, tight.squared_separations[22]
    (21, 'held[0]', 22, mpq(1,4096))
    >>> wide = twin_separation(unitary(leaky, input_bound="7/10"), [["7/10"]] * 40, BFLOAT16)
    >>> wide.first_release, wide.together, wide.original_errors == wide.twin_errors
    (None, True, True)
    """
    arithmetic = arithmetic_of(arithmetic)
    if not isinstance(twin, UnitaryTwin):
        raise OptionError(f"{shown(twin)} is no unitary twin: exactnn.unitary makes one of a contractive network")
    inputs = inputs_within_bounds(twin.network, word)
    runs = (
        states_on(twin.original, inputs, EXACT),
        states_on(twin.original, inputs, arithmetic),
        states_on(twin.network, inputs, arithmetic),
    )
    rows = list(_compared(twin, zip(*runs, strict=True)))
    held = twin.network.circuit.state_names[twin.original.neurons :]
    release = next(((t, row.release) for t, row in enumerate(rows) if row.release is not None), None)
    return TwinSeparation(
        name=twin.network.name,
        arithmetic=arithmetic,
        squared_separations=tuple(row.separation for row in rows),
        original_errors=tuple(row.original_error for row in rows),
        twin_errors=tuple(row.twin_error for row in rows),
        first_separation=next((t for t, row in enumerate(rows) if row.differ), None),
        first_release=release and release[0],
        released=release and held[release[1]],
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """What is compared after a step; `release` is the number of the first further unit that is not 0."""

    separation: mpq | None
    original_error: mpq | None
    twin_error: mpq | None
    differ: bool
    release: int | None


def _compared(twin: UnitaryTwin, states: Iterator[tuple[ExactState, ExactState, ExactState]]) -> Iterator[_Row]:
    size = twin.original.neurons
    for exact, original, whole in states:
        decoded = whole[:size]
        yield _Row(
            separation=squared_distance(original, decoded),
            original_error=squared_distance(original, exact),
            twin_error=squared_distance(decoded, exact),
            differ=not all(map(_same, original, decoded)),
            release=next((i for i, value in enumerate(whole[size:]) if value != 0), None),
        )


def _same(first: mpq | float, second: mpq | float) -> bool:
    return first == second or (first != first and second != second)
