"""The minimal automaton of a table, and which states are equivalent."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.equivalence.automata.table import AutomatonTable
from exactnn.interrupts import Uninterrupted

__all__ = ["minimal_table", "state_classes"]

Array = NDArray[np.signedinteger[Any]]

INT32_ENTRIES = 2**31 - 1
"""Tables of more entries are inverted with 64-bit places."""


def minimal_table(table: AutomatonTable) -> AutomatonTable:
    """Return the smallest automaton that gives the label of `table` after every word.

    Parameters
    ----------
    table : AutomatonTable
        Of k symbols and n states that can be reached.

    Returns
    -------
    AutomatonTable
        Its states are numbered in breadth-first order from the initial state 0, symbols in the order of the table, and
        its labels in the order in which states have them; labels that no state has are left out. This form is
        canonical: two tables over the same sequence of symbols have equal minimal tables if and only if they give equal
        labels after every word.

    Notes
    -----
    States that cannot be reached are dropped, then a partition of the others by labels is refined by Hopcroft's
    algorithm in O(k n log n) time. It takes some 40 + 12 k bytes of memory for each state that can be reached, and 8
    for each that cannot.

    Among the states of a class, the one that comes first in breadth-first order is that of the least word (shorter
    words first, then in the order of the symbols) that leads into the class. Hence to number the classes by their first
    states is to number the minimal automaton in breadth-first order.

    References
    ----------
    J. Hopcroft, An n log n algorithm for minimizing states in a finite automaton, in *Theory of Machines and
    Computations*, 1971, pp. 189-196.
    A. Valmari and P. Lehtinen, Efficient minimization of DFAs with partial transition functions, *STACS* 2008,
    pp. 645-656 (the refinable partition).

    Examples
    --------
    >>> redundant = AutomatonTable(transitions=[[3, 2], [0, 0], [2, 3], [0, 2]], labels=[1, 0, 0, 1], symbols="01",
    ...     label_names=["odd", "even"])
    >>> minimal = minimal_table(redundant)
    >>> minimal.transitions.tolist(), minimal.labels.tolist(), minimal.label_names
    ([[0, 1], [1, 0]], [0, 1], ('even', 'odd'))
    """
    transitions, labels, _ = _reachable(table)
    return _quotient(table, transitions, labels, *_classes(transitions, labels))


def state_classes(table: AutomatonTable) -> Array:
    """Return for each state which state of the minimal table it is equivalent to; -1 for one that cannot be reached.

    Returns
    -------
    array of int, shape (states,)

    Examples
    --------
    >>> redundant = AutomatonTable(transitions=[[3, 2], [0, 0], [2, 3], [0, 2]], labels=[1, 0, 0, 1], symbols="01",
    ...     label_names=["odd", "even"])
    >>> state_classes(redundant).tolist()
    [0, -1, 1, 0]
    """
    transitions, labels, number = _reachable(table)
    classes, _ = _classes(transitions, labels)
    found = classes[number]
    found[number < 0] = -1
    return found


def _reachable(table: AutomatonTable) -> tuple[Array, Array, Array]:
    """Return the part of a table that can be reached, in breadth-first order, and the number there of each state."""
    with Uninterrupted("loading numba"):
        from exactnn.equivalence.automata import kernels

    number = np.full(table.states, -1, dtype=table.transitions.dtype)
    order = np.empty_like(number)
    order = order[: kernels.breadth_first(table.transitions, table.initial_state, number, order)]
    return number[table.transitions[order]], table.labels[order], number


def _classes(transitions: Array, labels: Array) -> tuple[Array, Array]:
    """Return the class of each state, and the first state of each class; classes are numbered by these."""
    with Uninterrupted("loading numba"):
        from exactnn.equivalence.automata import kernels

    states, symbols = transitions.shape
    kind = transitions.dtype
    starts = np.zeros(states * symbols + 1, dtype=np.int32 if states * symbols <= INT32_ENTRIES else np.int64)
    sources = np.empty(states * symbols, dtype=kind)
    kernels.invert(transitions, starts, sources)
    elements, places, spans = (np.empty(shape, dtype=kind) for shape in (states, (states, 2), (states, 3)))
    partition = elements, places, spans
    blocks = kernels.partition_by_label(labels, np.full(labels.max() + 1, -1, dtype=kind), partition)
    blocks = kernels.refine(starts, sources, symbols, partition, np.empty((3, states), dtype=kind), blocks)
    block = elements
    block[:] = places[:, kernels.BLOCK]
    number = np.full(blocks, -1, dtype=kind)
    where = np.empty_like(number)
    kernels.number_by_occurrence(block, number, where)
    return number[block], where


def _quotient(table: AutomatonTable, transitions: Array, labels: Array, classes: Array, where: Array) -> AutomatonTable:
    """Return the table with a state for each class, `where` its first state is."""
    with Uninterrupted("loading numba"):
        from exactnn.equivalence.automata import kernels

    marks = labels[where]
    number = np.full(len(table.label_names), -1, dtype=np.int32)
    names = np.empty_like(number)
    names = names[: kernels.number_by_occurrence(marks, number, names)]
    return AutomatonTable(
        transitions=classes[transitions[where]],
        labels=number[marks],
        symbols=table.symbols,
        label_names=[table.label_names[marks[place]] for place in names],
        name=table.name,
    )
