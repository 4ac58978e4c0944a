"""The recorded states of a run."""

from collections.abc import Iterator
from dataclasses import dataclass

from exactnn.simulation.executor import Values

__all__ = ["Trace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Recorded states, with the step after which each was recorded; step 0 is the initial state.

    Parameters
    ----------
    names : tuple of str
        Names of the state components.
    steps : tuple of int
    states : tuple of tuples of numbers
        Exact rationals for exact runs, floats for rounded ones; one tuple of d' numbers per entry of `steps`.
    """

    names: tuple[str, ...]
    steps: tuple[int, ...] = ()
    states: tuple[Values, ...] = ()

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.states)

    def __getitem__(self, index: int) -> Values:
        return self.states[index]
