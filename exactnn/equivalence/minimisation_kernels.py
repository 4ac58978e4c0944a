"""Partition refinement, compiled: Hopcroft's algorithm on arrays.

A partition of the states 0, 1, ... is kept as in Valmari and Lehtinen's refinable partition: `elements` has the states
block by block, `location` where each stands there, `block` the block of each; block b is ``elements[first[b]:end[b]]``.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["breadth_first", "invert", "number_by_occurrence", "partition_by_label", "refine"]

Array = NDArray[Any]
Partition = tuple[Array, Array, Array, Array, Array]
"""elements, location, block, first, end"""


@compiled
def breadth_first(transitions: Array, initial: int, number: Array, order: Array) -> int:
    """Number the states that `initial` reaches in breadth-first order, and return how many they are.

    Parameters
    ----------
    number : array, shape (states,)
        Full of -1; receives the number of each state.
    order : array, shape (states,)
        Receives the states by number.
    """
    number[initial] = 0
    order[0] = initial
    found = 1
    done = 0
    while done < found:
        state = order[done]
        done += 1
        for a in range(transitions.shape[1]):
            target = transitions[state, a]
            if number[target] < 0:
                number[target] = found
                order[found] = target
                found += 1
    return found


@compiled
def invert(transitions: Array, starts: Array, sources: Array) -> None:
    """List the states that lead to each state on each symbol.

    Parameters
    ----------
    transitions : array, shape (states, symbols)
    starts : array, shape (states * symbols + 1,)
        Full of 0. The states that lead to t on symbol a are ``sources[starts[c]:starts[c + 1]]``, c = t * symbols + a.
    sources : array, shape (states * symbols,)
    """
    states, symbols = transitions.shape
    for state in range(states):
        for a in range(symbols):
            starts[transitions[state, a] * symbols + a] += 1
    total = 0
    for cell in range(states * symbols + 1):
        total += starts[cell]
        starts[cell] = total
    for state in range(states - 1, -1, -1):
        for a in range(symbols):
            cell = transitions[state, a] * symbols + a
            starts[cell] -= 1
            sources[starts[cell]] = state


@compiled
def partition_by_label(labels: Array, partition: Partition) -> int:
    """Make the partition with a block for each label, in the order in which they occur, and return how many."""
    elements, location, block, first, end = partition
    block_of_label = np.full(labels.max() + 1, -1, block.dtype)
    blocks = 0
    for state in range(len(labels)):
        label = labels[state]
        if block_of_label[label] < 0:
            block_of_label[label] = blocks
            end[blocks] = 0
            blocks += 1
        block[state] = block_of_label[label]
        end[block[state]] += 1
    total = 0
    for b in range(blocks):
        first[b] = total
        total += end[b]
        end[b] = first[b]
    for state in range(len(labels)):
        b = block[state]
        elements[end[b]] = state
        location[state] = end[b]
        end[b] += 1
    return blocks


@compiled
def refine(starts: Array, sources: Array, symbols: int, partition: Partition, blocks: int) -> int:
    """Refine a partition until all states of a block lead, on each symbol, to one block; return the number of blocks.

    Every block that waits is taken as a splitter once. The new block of a split is the smaller part, and it waits: if
    the other waits too, both must, and if it does not, the partition is stable for both together, so that the smaller
    is enough (Hopcroft).
    """
    elements, _, _, first, end = partition
    states = len(elements)
    marked = np.zeros(states, elements.dtype)
    touched, found, waiting = np.empty_like(marked), np.empty_like(marked), np.empty_like(marked)
    largest = np.argmax(end[:blocks] - first[:blocks])
    count = 0
    for b in range(blocks):
        if b != largest:
            waiting[count] = b
            count += 1
    while count > 0 and blocks < states:
        count -= 1
        low, high = first[waiting[count]], end[waiting[count]]  # its states stand there, however it is split meanwhile
        for a in range(symbols):
            many = _predecessors(starts, sources, elements, low, high, symbols, a, found)
            several = _mark(found, many, partition, marked, touched)
            for j in range(several):
                if _split(touched[j], partition, marked, blocks):
                    waiting[count] = blocks
                    count += 1
                    blocks += 1
    return blocks


@register_jitable(inline="always")
def _predecessors(
    starts: Array, sources: Array, elements: Array, low: int, high: int, symbols: int, a: int, found: Array
) -> int:
    """Write the states that symbol `a` leads from to ``elements[low:high]``, and return how many they are."""
    many = 0
    for i in range(low, high):
        cell = elements[i] * symbols + a
        for j in range(starts[cell], starts[cell + 1]):
            found[many] = sources[j]
            many += 1
    return many


@register_jitable(inline="always")
def _mark(found: Array, many: int, partition: Partition, marked: Array, touched: Array) -> int:
    """Move states to the beginnings of their blocks, count them in `marked`; list the blocks, return how many."""
    elements, location, block, first, _ = partition
    several = 0
    for j in range(many):
        state = found[j]
        b = block[state]
        if marked[b] == 0:
            touched[several] = b
            several += 1
        here, there = location[state], first[b] + marked[b]
        other = elements[there]
        elements[here], elements[there] = other, state
        location[other], location[state] = here, there
        marked[b] += 1
    return several


@register_jitable(inline="always")
def _split(b: int, partition: Partition, marked: Array, new: int) -> bool:
    """Split a block into marked and other states, the smaller part as block `new`; False if all are marked."""
    elements, _, block, first, end = partition
    middle = first[b] + marked[b]
    marked[b] = 0
    if middle == end[b]:
        return False
    if middle - first[b] <= end[b] - middle:
        first[new], end[new] = first[b], middle
        first[b] = middle
    else:
        first[new], end[new] = middle, end[b]
        end[b] = middle
    for i in range(first[new], end[new]):
        block[elements[i]] = new
    return True


@compiled
def number_by_occurrence(values: Array, number: Array, where: Array) -> int:
    """Number values from 0 on in the order in which they first occur, and return how many there are.

    Parameters
    ----------
    values : array
    number : array, shape (largest value + 1,)
        Full of -1; receives the number of each value.
    where : array, shape (largest value + 1,)
        Receives by number where the value first occurs.
    """
    several = 0
    for place in range(len(values)):
        value = values[place]
        if number[value] < 0:
            number[value] = several
            where[several] = place
            several += 1
    return several
