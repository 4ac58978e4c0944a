"""Which states a contractive network can reach: a ball around the origin, certified in rationals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact, short_text
from exactnn.contraction.contractivity import Contractivity, Elman, contractivity, elman
from exactnn.errors import ConstructionError, NumberError, OptionError, shown
from exactnn.linear_algebra import Vector, defect, dot, ldl, rounded_up, square_root_above
from exactnn.matrices import is_sequence
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.options import entries

__all__ = ["ReachableBall", "ball_of", "input_bounds_of", "reachable_ball"]

ZERO = mpq(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachableBall:
    """A ball that no run leaves: ‖h‖₂ ≤ `radius` for every state h, whatever the inputs within their bounds.

    Parameters
    ----------
    rate : mpq
        An upper bound on ‖V‖₂, below 1.
    drive : mpq
        An upper bound on ‖W x + b‖₂.
    radius : mpq
        At least the norm of the start state, and at least rate * radius + drive: an invariant ball.
    """

    rate: mpq
    drive: mpq
    radius: mpq

    def __post_init__(self) -> None:
        for name in ("rate", "drive", "radius"):  # in floats an inequality may seem to hold
            object.__setattr__(self, name, exact(getattr(self, name)))

    def holds(self, network: Elman, bounds: Vector | None, *, watch: Callable[[], object] = bool) -> bool:
        """Return whether this is true of a network, checked again in rationals; never with a jump or exp in it.

        Parameters
        ----------
        network : Elman
        bounds : vector of length d, or None for one-hot inputs
        watch : callable, optional
            Called now and then; it may raise an exception.
        """
        return (
            network.activation.keeps_zero
            and network.activation.is_nonexpansive
            and 0 <= self.rate < 1
            and ldl(defect(network.V, self.rate**2), watch=watch).semidefinite
            and self.drive >= 0
            and self.drive**2 >= _squared_drive(network, bounds)
            and self.radius >= 0
            and self.radius**2 >= dot(network.s, network.s)
            and self.radius >= self.rate * self.radius + self.drive
        )

    def __repr__(self) -> str:
        return f"<ReachableBall of radius {short_text(self.radius)}: rate {short_text(self.rate)}>"


def reachable_ball(
    network: AnyNetwork, *, input_bound: ExactNumber | Sequence[ExactNumber] | None = None
) -> ReachableBall:
    """Return a ball that holds all states that a contractive simple RNN can reach.

    Parameters
    ----------
    network : Network or Construction
        A simple RNN with ‖V‖₂ < 1 and an activation that does not lengthen vectors (identity, ReLU, SLU, tanh).
    input_bound : number, or one for each input component, optional
        The largest absolute value of an input component. Not needed by networks that read symbols, whose inputs are
        one-hot, or that have input bounds of their own.

    Raises
    ------
    ConstructionError
        If the network is no simple RNN, or not contractive, or its activation lengthens vectors (sigmoid).
    OptionError
        If the bound is missing, or is no number of at least 0 for each input component.

    Notes
    -----
    ‖h'‖ ≤ ‖V‖ ‖h‖ + ‖W x + b‖. Square roots are rounded up.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> half = SimpleRNN(V=[["3/5"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = reachable_ball(half, input_bound=3)
    >>> found.drive, float(found.radius)
    (mpq(3,1), 7.500007154420018)
    """
    core = network_of(network)
    bounds = input_bounds_of(core, input_bound)
    return ball_of(core, bounds, contractivity(core))


def ball_of(
    core: Network, bounds: Vector | None, verdict: Contractivity, watch: Callable[[], object] = bool
) -> ReachableBall:
    """Return the ball of a network whose input bounds and contractivity are known; `watch` may raise an exception."""
    matrices = elman(core)
    if not verdict.contractive:
        raise ConstructionError(f"network {shown(core.name)} is {verdict}")
    if not matrices.activation.keeps_zero:  # it does not expand, so that it lengthens no vector if it does
        raise ConstructionError(
            f"network {shown(core.name)} has the activation {matrices.activation}, which lengthens vectors: the ball "
            "is for activations that are 0 at 0"
        )
    _, rate = verdict.norm_bounds(watch=watch)
    drive = square_root_above(_squared_drive(matrices, bounds))
    radius = rounded_up(max(square_root_above(dot(matrices.s, matrices.s)), drive / (1 - rate)))
    return ReachableBall(rate=rate, drive=drive, radius=radius)


def input_bounds_of(network: Network, input_bound: Any) -> Vector | None:
    """Return the bound of each input component, from what the user gave; None for one-hot inputs."""
    if network.alphabet is not None:
        if input_bound is not None and any(bound < 1 for bound in _bounds(input_bound, network.circuit.input_size)):
            raise OptionError(f"input_bound={shown(input_bound)}: this network reads one-hot symbols, which have a 1")
        return None
    if input_bound is None:
        if network.input_bounds is None:
            raise OptionError(
                "input_bound is missing: say how large an input component may be, for example input_bound=1; without "
                "a bound on the inputs there is none on the states"
            )
        return network.input_bounds
    bounds = _bounds(input_bound, network.circuit.input_size)
    inner = network.input_bounds
    if inner is not None and any(mine > theirs for mine, theirs in zip(bounds, inner, strict=True)):
        raise OptionError(
            f"input_bound={shown(input_bound)}: the network itself is right only for inputs up to "
            f"{', '.join(map(short_text, inner))}"
        )
    return bounds


def _bounds(given: Any, size: int) -> Vector:
    if not is_sequence(given):
        return (_bound(given),) * size
    values = entries("input_bound", given)
    if len(values) != size:
        raise OptionError(f"input_bound={shown(given)}: give one number, or {size}, one for each component")
    return tuple(_bound(value) for value in values)


def _bound(value: Any) -> mpq:
    try:
        bound = exact(value)
    except NumberError as error:
        raise OptionError(f"input_bound: {error}") from None
    if bound < 0:
        raise OptionError(f"input_bound={shown(value)}: give a number of at least 0")
    return bound


def _squared_drive(network: Elman, bounds: Vector | None) -> mpq:
    """Return an upper bound on the squared norm of W x + b; for one-hot inputs the largest one."""
    if bounds is None:
        columns = zip(*network.W, strict=True)
        driven = (tuple(f + b for f, b in zip(column, network.b, strict=True)) for column in columns)
        return max((dot(vector, vector) for vector in driven), default=ZERO)
    return sum(
        ((abs(b) + dot(tuple(map(abs, row)), bounds)) ** 2 for row, b in zip(network.W, network.b, strict=True)), ZERO
    )
