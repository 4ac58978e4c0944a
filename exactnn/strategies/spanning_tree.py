"""Machines whose states can all be reached: a tree of transitions is drawn first, and the rest is free."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from exactnn.automata import State

__all__ = ["spanning_tree"]

Letter = TypeVar("Letter", bound=Hashable)


def spanning_tree(
    draw: st.DrawFn, states: Sequence[State], letters: Sequence[Letter]
) -> dict[tuple[State, Letter], State]:
    """Return a transition into each state but the first, from one before it; no (state, letter) has two.

    There is always one free: `n` states with a letter or more have at least `n` transitions, and the tree `n - 1`.
    """
    free = [(states[0], letter) for letter in letters]
    edges = {}
    for state in states[1:]:
        edges[free.pop(draw(st.integers(0, len(free) - 1)))] = state
        free += [(state, letter) for letter in letters]
    return edges
