"""Tables of transitions: a tree of them is drawn first, so that all states can be reached, and the rest is free.

What is drawn last is dropped most easily when an example shrinks: so sizes come first, and rules letter by letter.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from exactnn.automata import State

__all__ = ["shuffle", "spanning_tree", "table"]

Letter = TypeVar("Letter", bound=Hashable)
Entry = TypeVar("Entry")


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


def table(
    states: Sequence[State], letters: Sequence[Letter], entry: Callable[[State, Letter], Entry]
) -> dict[State, dict[Letter, Entry]]:
    """Return a table by state and letter; the entries of a letter are asked for one after another."""
    columns = [{q: entry(q, letter) for q in states} for letter in letters]
    return {q: {letter: column[q] for letter, column in zip(letters, columns, strict=True)} for q in states}


def shuffle(draw: st.DrawFn, values: Sequence[Letter]) -> tuple[Letter, ...]:
    """Return values in an order that is drawn; it shrinks to the order that they have."""
    return tuple(draw(st.permutations(values)))
