"""Contractive networks forget: how a perturbation decays, and how many of the last inputs decide the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import gmpy2
from gmpy2 import mpq

from exactnn.arithmetic import (
    EXACT,
    AnyArithmetic,
    Arithmetic,
    ExactNumber,
    arithmetic_of,
    count_text,
    counted,
    exact,
    exact_cell,
    short_text,
)
from exactnn.contraction.contractivity import contractivity, elman
from exactnn.contraction.reachable_ball import reachable_ball
from exactnn.contraction.states import exact_vector, inputs_within_bounds, squared_distance, states_on
from exactnn.errors import ConstructionError, NumberError, OptionError, shown
from exactnn.files import DataTable, Rows
from exactnn.linear_algebra import Vector, dot, rounded_up, square_root_above
from exactnn.markup import MOST_ROWS, Entry, Table, named
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.networks.circuit import weights_by_register

__all__ = ["FadingMemory", "PerturbationDecay", "fading_memory", "perturbation_decay"]


# --- How a perturbation of the start state decays: exactly, in any arithmetic, and no slower than the norm of V says.


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbationDecay(DataTable):
    """The distance of two runs on the same inputs; entry t of each tuple is after t steps, 0 the start.

    Parameters
    ----------
    name : str
        Of the network.
    arithmetic : Arithmetic
    perturbation : vector of length n
    squared_distances : tuple of (mpq or None)
        ‖h - h'‖², of the numbers that the states have in the arithmetic; None where one is infinite or NaN.
    rate : mpq
        An upper bound ρ on ‖V‖₂, certified. Below 1 if the network is contractive.
    """

    name: str
    arithmetic: Arithmetic
    perturbation: Vector
    squared_distances: tuple[mpq | None, ...]
    rate: mpq

    @property
    def steps(self) -> int:
        """The steps of the two runs."""
        return len(self.squared_distances) - 1

    @property
    def squared_bounds(self) -> tuple[mpq, ...]:
        """ρ²ᵗ‖δ‖², which ‖h - h'‖² never exceeds in exact arithmetic."""
        bounds = [dot(self.perturbation, self.perturbation)]
        for _ in range(self.steps):
            bounds.append(bounds[-1] * self.rate**2)
        return tuple(bounds)

    @property
    def first_beyond(self) -> int | None:
        """The first step whose distance exceeds the bound, or is not finite; None in exact arithmetic."""
        pairs = zip(self.squared_distances, self.squared_bounds, strict=True)
        return next((t for t, (found, bound) in enumerate(pairs) if found is None or found > bound), None)

    @property
    def keeps_bound(self) -> bool:
        """Whether every distance is within the bound."""
        return self.first_beyond is None

    @property
    def merged_from(self) -> int | None:
        """The step from which on the two runs have the same states, for ever; None if they still differ at the end."""
        return next((t for t, distance in enumerate(self.squared_distances) if distance == 0), None)

    def as_rows(self) -> Rows:
        """Return a row for each step: the distance and its bound in float64, and their squares exactly."""
        return [
            {
                "step": step,
                "distance": inf if found is None else _root(found),
                "bound": _root(bound),
                "squared_distance": None if found is None else exact_cell(found),
                "squared_bound": exact_cell(bound),
                "within": found is not None and found <= bound,
            }
            for step, (found, bound) in enumerate(zip(self.squared_distances, self.squared_bounds, strict=True))
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the distance after each step, and its bound."""
        shown = list(zip(self.squared_distances, self.squared_bounds, strict=True))[:MOST_ROWS]
        return Table(
            title=f"{self.name} in {self.arithmetic}: how a perturbation decays",
            heading=("step", "distance", "at most"),
            rows=tuple((step, _distance_entry(*pair), f"{_root(pair[1]):.6g}") for step, pair in enumerate(shown)),
            more=self.steps + 1 - len(shown),
        )

    def __repr__(self) -> str:
        beyond = self.first_beyond
        found = "within the bound" if beyond is None else f"beyond the bound at step {count_text(beyond)}"
        merged = "" if self.merged_from is None else f", merged from step {count_text(self.merged_from)} on"
        sizes = f"{named(self.name)} in {self.arithmetic}, {counted(self.steps, 'step')}"
        return f"<PerturbationDecay of {sizes}: {found}{merged}>"


def _distance_entry(found: mpq | None, bound: mpq) -> Entry:
    if found is None:
        return Entry("not finite", mark="wrong")
    return Entry(f"{_root(found):.6g}", mark="" if found <= bound else "wrong")


def _root(value: mpq) -> float:
    return float(gmpy2.sqrt(gmpy2.mpfr(value)))


def perturbation_decay(
    network: AnyNetwork,
    word: str | Sequence[object],
    *,
    perturbation: Sequence[ExactNumber],
    arithmetic: AnyArithmetic = EXACT,
) -> PerturbationDecay:
    """Run a simple RNN from its start state and from that plus a perturbation, and return how far apart they are.

    Parameters
    ----------
    network : Network or Construction
        A simple RNN, contractive or not; of one that is not, the rate is 1 or more.
    word : str or sequence
        The inputs of both runs. They take a step for each.
    perturbation : sequence of n numbers
        δ. In an arithmetic that rounds, both start states are rounded.
    arithmetic : Arithmetic

    Raises
    ------
    ConstructionError
        If the network is no simple RNN, or has units that take numbers further apart, as jumps and exp do.
    OptionError
        If the perturbation is not of n numbers.
    WordError
        If the word does not fit the network or is beyond its input bounds.
    UnsupportedArithmeticError
        If the arithmetic cannot run it.

    Notes
    -----
    ``‖φ(Vh + c) - φ(Vh' + c)‖ ≤ ‖V(h - h')‖ ≤ ρ‖h - h'‖`` for every activation φ but jumps and exp. Where numbers
    are rounded, it is V rounded that contracts, and each operation may add to the distance: it stalls at some units in
    the last place, or the two runs merge.

    Examples
    --------
    >>> from exactnn.arithmetic import FloatFormat
    >>> from exactnn.networks import SimpleRNN
    >>> leaky = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[1], readout_weight=[1])
    >>> perturbation_decay(leaky, [1, 1], perturbation=["1/2"]).squared_distances
    (mpq(1,4), mpq(9,100), mpq(81,2500))
    >>> coarse = FloatFormat(precision=3, exponent_bits=4)
    >>> found = perturbation_decay(leaky, [1] * 5, perturbation=["1/2"], arithmetic=coarse)
    >>> found.squared_distances
    (mpq(1,4), mpq(1,4), mpq(0,1), mpq(0,1), mpq(0,1), mpq(0,1))
    >>> found.first_beyond, found.merged_from
    (1, 2)
    """
    core, arithmetic = network_of(network), arithmetic_of(arithmetic)
    verdict = contractivity(core)
    if not verdict.activation.is_nonexpansive:
        raise ConstructionError(f"network {shown(core.name)} is {verdict}: no perturbation is small for it")
    delta = exact_vector("perturbation", perturbation, core.neurons)
    inputs = inputs_within_bounds(core, word)
    moved = replace(core, initial_state=tuple(x + y for x, y in zip(core.initial_state, delta, strict=True)))
    runs = [states_on(start, inputs, arithmetic) for start in (core, moved)]
    return PerturbationDecay(
        name=core.name,
        arithmetic=arithmetic,
        perturbation=delta,
        squared_distances=tuple(squared_distance(*states) for states in zip(*runs, strict=True)),
        rate=verdict.norm_bounds()[1],
    )


ONE, ZERO = mpq(1), mpq(0)
BITS = 256
"""Significant bits of a power of the rate, which is rounded up."""
LONGEST = 1 << 64
"""Steps that are looked for at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FadingMemory:
    """After `steps` equal inputs no output tells by more than `tolerance` what came before.

    Parameters
    ----------
    steps : int
        The least for which :meth:`bound` is no more than the tolerance.
    tolerance : mpq
    rate : mpq
        An upper bound ρ on ‖V‖₂, below 1.
    distance : mpq
        An upper bound on the distance of two states that the network can reach.
    gain : mpq
        An upper bound on the Euclidean norm of the readout weights of an output.
    """

    steps: int
    tolerance: mpq
    rate: mpq
    distance: mpq
    gain: mpq

    def bound(self, steps: int) -> mpq:
        """Return an upper bound on the difference of two outputs after so many equal inputs: ρᵗ distance gain.

        The power is rounded up, to 256 bits at each of its multiplications.
        """
        return power_above(self.rate, steps) * self.distance * self.gain

    def __repr__(self) -> str:
        after = f"after {counted(self.steps, 'equal input')} outputs differ by at most {short_text(self.tolerance)}"
        return f"<FadingMemory: {after}>"


def fading_memory(
    network: AnyNetwork,
    *,
    tolerance: ExactNumber,
    input_bound: ExactNumber | Sequence[ExactNumber] | None = None,
) -> FadingMemory:
    """Return how many last inputs are enough: what came before them changes no output by more than `tolerance`.

    Parameters
    ----------
    network : Network or Construction
        A simple RNN with ‖V‖₂ < 1, and an activation and a readout that take no numbers further apart, as all do but
        jumps and exp.
    tolerance : number
        Positive.
    input_bound : number, or one for each input component
        As in :func:`reachable_ball`.

    Raises
    ------
    ConstructionError
        If the network is no simple RNN or not contractive, or its readout has products of states or Heaviside units.
    OptionError
        If the tolerance is no positive number, or so small for this rate that more than 2^64 inputs would count; or as
        :func:`reachable_ball`.

    Notes
    -----
    Two histories, of any lengths, the empty one among them, lead to states h and h' in the reachable ball of radius R,
    at most 2R apart. If no state is negative, ``⟨h, h'⟩ ≥ 0``, and they are at most √2 R apart: ReLU and SLU, with a
    start state that is not negative. The states of SLU then are in a cube too, with sides of 1 or of the largest
    number of the start state, and at most as far apart as its corners. With each equal input the distance shrinks by
    the rate, and an output differs by at most its weights' norm times that. Square roots are rounded up.

    The bound is true for every network, but not the best one for it: it may well forget faster.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> leaky = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = fading_memory(leaky, tolerance="1/1000", input_bound=3)
    >>> found.steps, float(found.distance), found.bound(18) > found.tolerance >= found.bound(19)
    (19, 10.60661183575968, True)
    """
    core = network_of(network)
    least = _tolerance(tolerance)
    ball = reachable_ball(core, input_bound=input_bound)
    gain = _gain(core)
    distance = _distance(core, ball.radius)
    steps = _least_steps(ball.rate, distance * gain, least)
    return FadingMemory(steps=steps, tolerance=least, rate=ball.rate, distance=distance, gain=gain)


def power_above(base: mpq, exponent: int, bits: int = BITS) -> mpq:
    """Return an upper bound on a power of a number that is not negative, by squaring, with so many bits.

    >>> float(power_above(mpq(1, 3), 2)), power_above(mpq(1, 2), 3)
    (0.1111111111111111, mpq(1,8))
    """
    found = ONE
    for digit in f"{exponent:b}":
        found = rounded_up(found * found, bits)
        if digit == "1":
            found = rounded_up(found * base, bits)
    return found


def _tolerance(tolerance: ExactNumber) -> mpq:
    try:
        value = exact(tolerance)
    except NumberError as error:
        raise OptionError(f"tolerance: {error}") from None
    if value <= 0:
        raise OptionError(f"tolerance={shown(tolerance)}: give a positive number; a memory that fades is never gone")
    return value


def _gain(network: Network) -> mpq:
    """Return an upper bound on the Euclidean norm of the weights of an output."""
    for unit in network.readout:
        if unit.bilinear:
            raise ConstructionError(f"network {shown(network.name)} has a readout with products of states: give a "
                                    "network with a linear one")  # fmt: skip
        if not unit.activation.is_nonexpansive:
            raise ConstructionError(f"network {shown(network.name)} has {unit.activation} units in its readout: its "
                                    "outputs jump or move apart, however near two states are")  # fmt: skip
    rows = [weights_by_register(unit.linear).values() for unit in network.readout]
    return max((square_root_above(sum((w * w for w in row), ZERO)) for row in rows), default=ZERO)


def _distance(network: Network, radius: mpq) -> mpq:
    """Return an upper bound on the distance of two states in the ball that the network can reach."""
    matrices = elman(network)
    low, high = matrices.activation.low, matrices.activation.high
    if low is None or low < 0 or min(matrices.s) < 0:
        return 2 * radius
    distance = square_root_above(mpq(2)) * radius
    if high is not None:
        side = max(high, *matrices.s)
        distance = min(distance, square_root_above(mpq(matrices.size)) * side)
    return distance


def _least_steps(rate: mpq, start: mpq, tolerance: mpq) -> int:
    """Return the least t with power_above(rate, t) * start <= tolerance, by doubling and bisection."""
    low, high = -1, 0
    while power_above(rate, high) * start > tolerance:
        low, high = high, 2 * high or 1
        if high > LONGEST:
            raise OptionError(f"tolerance={shown(tolerance)}: with a rate so near to 1 more than 2^64 inputs would "
                              "count; give a larger tolerance")  # fmt: skip
    while high - low > 1:
        middle = (low + high) // 2
        if power_above(rate, middle) * start > tolerance:
            low = middle
        else:
            high = middle
    return high
