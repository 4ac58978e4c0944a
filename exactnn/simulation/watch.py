"""Watching a run under EOS for a state that comes again, and finding where its cycle begins.

References
----------
R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20 (1980), 176-184: every state is compared with one
anchor, which is renewed at powers of two.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from exactnn.simulation.cycle import Cycle
from exactnn.simulation.executor import State

__all__ = ["Watch", "anchor_steps"]


def anchor_steps(eos_steps: int) -> tuple[int, ...]:
    """Return at which EOS step the anchor may have been set, after so many.

    At a power of two it is not renewed if the state has just come again: then the run is over.

    Examples
    --------
    >>> [anchor_steps(steps) for steps in (0, 1, 2, 7, 8)]
    [(0,), (1, 0), (2, 1), (4,), (8, 4)]
    """
    if not eos_steps:
        return (0,)
    last = 1 << (eos_steps.bit_length() - 1)
    return (last, last // 2) if last == eos_steps else (last,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is kept of a run under EOS, to notice where a state comes again.

    Parameters
    ----------
    start : State
        The state at the end of the word.
    anchor : State
        The state that all the following ones are compared with.
    anchor_step : int
        After how many EOS steps it was the state: 0 or a power of two.
    """

    start: State
    anchor: State
    anchor_step: int = 0

    def until_renewal(self, eos_steps: int) -> int:
        """Return how many EOS steps there are from `eos_steps` to the one that renews the anchor."""
        return (1 << eos_steps.bit_length()) - eos_steps

    def renewed(self, eos_steps: int, state: State) -> "Watch":
        """Return what to keep after `eos_steps`, whose state did not come again."""
        if eos_steps not in anchor_steps(eos_steps):
            return self
        return replace(self, anchor=state, anchor_step=eos_steps)

    def cycle(
        self, eos_steps: int, alike: Callable[[State, State], bool], later: Callable[[State, int], State]
    ) -> Cycle:
        """Return the cycle of a run that was at the anchor again after `eos_steps`, for the first time since.

        Parameters
        ----------
        eos_steps : int
        alike : callable
            Whether two states are the same.
        later : callable
            The state so many EOS steps after a state.

        Notes
        -----
        That the states after i and i + period EOS steps are equal is false for all i before the cycle, and true from
        there on: the first one is found by bisection, in fewer than 2 * `eos_steps` steps.
        """
        period = eos_steps - self.anchor_step
        low, behind, ahead = 0, self.start, later(self.start, period)
        if alike(behind, ahead):
            return Cycle(preperiod=0, period=period)
        high = self.anchor_step
        while high - low > 1:
            middle = (low + high) // 2
            pair = later(behind, middle - low), later(ahead, middle - low)
            if alike(*pair):
                high = middle
            else:
                low, (behind, ahead) = middle, pair
        return Cycle(preperiod=high, period=period)
