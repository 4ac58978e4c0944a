"""Configurations of a stack machine: a state and the contents of the stacks."""

from dataclasses import dataclass

from exactnn.automata.alphabet import Symbol
from exactnn.automata.transitions import State
from exactnn.markup import printable

__all__ = ["StackConfiguration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackConfiguration:
    """State and stacks, each from its top down.

    >>> print(StackConfiguration(state="q", stacks=(("a", "b"), ())))
    q: a b | (empty)
    """

    state: State
    stacks: tuple[tuple[Symbol, ...], ...]

    def __str__(self) -> str:
        """The stacks after the state, each from its top, with a stroke between two."""
        return printable(f"{self.state}: " + " | ".join(" ".join(stack) or "(empty)" for stack in self.stacks))
