"""A state of a run by :class:`ExactExecutor`: in plain numbers at first, then one of its modes."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from exactnn.networks import Input
from exactnn.simulation.executor import State
from exactnn.simulation.positional.beginning import STEPS

__all__ = ["LastSteps", "RunState"]


@dataclass(frozen=True, slots=True)
class LastSteps:
    """The steps that led to a state of the smaller network: so many on one input, from a state of the modes."""

    origin: Any
    symbol: Input
    steps: int
    until_decided: bool


class RunState(NamedTuple):
    """A state in plain numbers, with the steps that are left to take so, or a state of the modes.

    More steps are taken in plain numbers where compiled code is waited for, so that fewer than 0 are left. `last` is
    what led there, where a smaller network is run; None at the start.
    """

    plain: State | None = None
    left: int = 0
    form: Any = None
    last: LastSteps | None = None

    @property
    def turn(self) -> int:
        """How many plain steps are taken at once."""
        return self.left if self.left > 0 else STEPS
