"""How a perturbation of the start state decays: exactly, in any arithmetic, and no slower than the norm of V says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gmpy2 import mpq

from exactnn.arithmetic import RATIONAL, Arithmetic, ExactNumber, count_text, counted
from exactnn.contraction.contractivity import contractivity
from exactnn.contraction.states import exact_vector, inputs_within_bounds, squared_distance, states_on
from exactnn.errors import ConstructionError, shown
from exactnn.linear_algebra import Vector, dot
from exactnn.markup import named
from exactnn.networks import Network
from exactnn.simulation import Runnable, network_of

__all__ = ["PerturbationDecay", "perturbation_decay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbationDecay:
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

    def __repr__(self) -> str:
        beyond = self.first_beyond
        found = "within the bound" if beyond is None else f"beyond the bound at step {count_text(beyond)}"
        merged = "" if self.merged_from is None else f", merged from step {count_text(self.merged_from)} on"
        sizes = f"{named(self.name)} in {self.arithmetic}, {counted(self.steps, 'step')}"
        return f"<PerturbationDecay of {sizes}: {found}{merged}>"


def perturbation_decay(
    network: Network | Runnable,
    word: str | Sequence[object],
    *,
    perturbation: Sequence[ExactNumber],
    arithmetic: Arithmetic = RATIONAL,
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
        If the network is no simple RNN, or has Heaviside units, which no perturbation is small for.
    OptionError
        If the perturbation is not of n numbers.
    WordError
        If the word does not fit the network or is beyond its input bounds.
    UnsupportedArithmeticError
        If the arithmetic cannot run it.

    Notes
    -----
    ``‖φ(Vh + c) - φ(Vh' + c)‖ ≤ ‖V(h - h')‖ ≤ ρ‖h - h'‖`` for every activation φ that does not jump. Where numbers
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
    core = network_of(network)
    verdict = contractivity(core)
    if not verdict.activation.is_continuous:
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
