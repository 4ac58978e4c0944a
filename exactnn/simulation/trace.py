"""The recorded states of a run."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from exactnn.simulation.executor import Values

__all__ = ["Trace"]


@dataclass(slots=True, kw_only=True)
class Trace:
    """Recorded states, with the step after which each was recorded; step 0 is the initial state.

    Parameters
    ----------
    names : tuple of str
        Names of the state components.
    steps : list of int
    states : list of tuples of numbers
        Exact rationals for exact runs, floats for rounded ones; one tuple of d' numbers per entry of `steps`.
    """

    names: tuple[str, ...]
    steps: list[int] = field(default_factory=list)
    states: list[Values] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.states)

    def __getitem__(self, index: int) -> Values:
        return self.states[index]

    def truncate(self, step: int) -> None:
        """Forget what was recorded after more than `step` steps, also by a call that was interrupted."""
        while self.steps and self.steps[-1] > step:
            self.steps.pop()
        del self.states[len(self.steps) :]

    def record(self, step: int, values: Values) -> None:
        """Append the state after `step` steps."""
        self.states.append(values)
        self.steps.append(step)
