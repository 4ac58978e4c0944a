"""The search for a word that tells two automata apart, compiled: breadth first over pairs, with a union-find."""

from typing import Any

from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["first_difference", "path_to", "united"]

Array = NDArray[Any]


@register_jitable
def _root(parent: Array, node: int) -> int:
    """Return the root of a tree, halving the path there; the parent of a root is minus the size of its tree."""
    while parent[node] >= 0:
        above = parent[node]
        if parent[above] >= 0:
            parent[node] = parent[above]
        node = above
    return node


@register_jitable
def united(parent: Array, one: int, other: int) -> bool:
    """Unite two trees, the smaller below the larger; return False if they were one already."""
    one, other = _root(parent, one), _root(parent, other)
    if one == other:
        return False
    if parent[one] > parent[other]:
        one, other = other, one
    parent[one] += parent[other]
    parent[other] = one
    return True


@compiled
def first_difference(
    transitions: Array,
    other_transitions: Array,
    columns: Array,
    labels: Array,
    other_labels: Array,
    names: Array,
    other_names: Array,
    parent: Array,
    left: Array,
    right: Array,
    before: Array,
) -> int:
    """Return the place of the first pair of states with unlike labels in the queue, -1 if there is none.

    Parameters
    ----------
    transitions, other_transitions : array, shape (states, symbols)
    columns : array, shape (symbols,)
        Where the symbols of the first automaton are in the table of the other.
    labels, other_labels : array, shape (states,)
    names, other_names : array
        What the labels stand for, as numbers with one meaning for both.
    parent : array, shape (all states,)
        Full of -1.
    left, right, before : array, shape (all states,)
        The queue: pairs of states, and the place of the pair that each was reached from. The initial states are at
        place 0.
    """
    states = len(transitions)
    if names[labels[left[0]]] != other_names[other_labels[right[0]]]:
        return 0
    united(parent, left[0], states + right[0])
    many = 1
    done = 0
    while done < many:
        p, q = left[done], right[done]
        for a in range(len(columns)):
            next_p, next_q = transitions[p, a], other_transitions[q, columns[a]]
            if not united(parent, next_p, states + next_q):
                continue
            left[many], right[many], before[many] = next_p, next_q, done
            if names[labels[next_p]] != other_names[other_labels[next_q]]:
                return many
            many += 1
        done += 1
    return -1


@compiled
def path_to(
    place: int,
    transitions: Array,
    other_transitions: Array,
    columns: Array,
    left: Array,
    right: Array,
    before: Array,
    path: Array,
) -> int:
    """Write the columns of the symbols that lead to a pair at the end of `path`, and return where they begin."""
    at = len(path)
    while place > 0:
        p, q = left[before[place]], right[before[place]]
        a = 0
        while transitions[p, a] != left[place] or other_transitions[q, columns[a]] != right[place]:
            a += 1
        at -= 1
        path[at] = a
        place = before[place]
    return at
