"""Configurations of a counter machine: a state and the values of the counters."""

from dataclasses import dataclass

from exactnn.automata.transitions import State
from exactnn.markup import printable

__all__ = ["CounterConfiguration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterConfiguration:
    """State and counters; a counter that cannot be read back from a rounded network state is LOST.

    >>> print(CounterConfiguration(state="q", counters=(3, -1)))
    q: 3, -1
    """

    state: State
    counters: tuple[int | str, ...]

    def __str__(self) -> str:
        """The counters after the state."""
        return printable(f"{self.state}: ") + ", ".join(map(str, self.counters))
