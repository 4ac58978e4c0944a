"""Compiled: Hopcroft's partition refinement on arrays, and the search through pairs of states with a union-find."""

from typing import Any

from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled, register_jitable

__all__ = ["unite_all"]

Array = NDArray[Any]
Partition = tuple[Array, Array, Array]
"""elements, places, spans"""

LOCATION, BLOCK = 0, 1
FIRST, END, MARKED = 0, 1, 2


@compiled(entries=lambda transitions, *_: transitions.size)
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


@compiled(entries=lambda transitions, *_: transitions.size)
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


@compiled(entries=lambda labels, *_: labels.size)
def partition_by_label(labels: Array, block_of_label: Array, partition: Partition) -> int:
    """Make the partition with a block for each label, in the order in which they occur, and return how many.

    `block_of_label` is -1 for every label.
    """
    elements, places, spans = partition
    blocks = 0
    for state in range(len(labels)):
        label = labels[state]
        if block_of_label[label] < 0:
            block_of_label[label] = blocks
            spans[blocks, END] = 0
            blocks += 1
        places[state, BLOCK] = block_of_label[label]
        spans[block_of_label[label], END] += 1
    total = 0
    for b in range(blocks):
        size = spans[b, END]
        spans[b, FIRST], spans[b, END], spans[b, MARKED] = total, total, 0
        total += size
    for state in range(len(labels)):
        b = places[state, BLOCK]
        elements[spans[b, END]] = state
        places[state, LOCATION] = spans[b, END]
        spans[b, END] += 1
    return blocks


@compiled(entries=lambda starts, *_: starts.size)
def refine(starts: Array, sources: Array, symbols: int, partition: Partition, room: Array, blocks: int) -> int:
    """Refine a partition until all states of a block lead, on each symbol, to one block; return the number of blocks.

    Every block that waits is taken as a splitter once. The new block of a split is the smaller part, and it waits: if
    the other waits too, both must, and if it does not, the partition is stable for both together, so that the smaller
    is enough (Hopcroft). `room` holds three lists of as many entries as there are states: the blocks touched by a
    splitter, the states found before it, and the blocks that wait.
    """
    elements, _, spans = partition
    states = len(elements)
    touched, found, waiting = room[0], room[1], room[2]
    largest, count = 0, 0
    for b in range(1, blocks):
        if spans[b, END] - spans[b, FIRST] > spans[largest, END] - spans[largest, FIRST]:
            largest = b
    for b in range(blocks):
        if b != largest:
            waiting[count] = b
            count += 1
    while count > 0 and blocks < states:
        count -= 1
        low, high = (
            spans[waiting[count], FIRST],
            spans[waiting[count], END],
        )  # however it is split, its states are there
        for a in range(symbols):
            many = _predecessors(starts, sources, elements, low, high, symbols, a, found)
            several = _mark(found, many, partition, touched)
            for j in range(several):
                if _split(touched[j], partition, blocks):
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
def _mark(found: Array, many: int, partition: Partition, touched: Array) -> int:
    """Mark states and move them to the beginnings of their blocks; list the blocks, and return how many they are."""
    elements, places, spans = partition
    several = 0
    for j in range(many):
        state = found[j]
        here, b = places[state, LOCATION], places[state, BLOCK]
        if spans[b, MARKED] == 0:
            touched[several] = b
            several += 1
        there = spans[b, FIRST] + spans[b, MARKED]
        other = elements[there]
        elements[here], elements[there] = other, state
        places[other, LOCATION], places[state, LOCATION] = here, there
        spans[b, MARKED] += 1
    return several


@register_jitable(inline="always")
def _split(b: int, partition: Partition, new: int) -> bool:
    """Split a block into marked and other states, the smaller part as block `new`; False if all are marked."""
    elements, places, spans = partition
    first, end = spans[b, FIRST], spans[b, END]
    middle = first + spans[b, MARKED]
    spans[b, MARKED] = 0
    if middle == end:
        return False
    if middle - first <= end - middle:
        spans[b, FIRST] = end = middle
    else:
        spans[b, END] = first = middle
    spans[new, FIRST], spans[new, END], spans[new, MARKED] = first, end, 0
    for i in range(first, end):
        places[elements[i], BLOCK] = new
    return True


@compiled(entries=lambda values, *_: values.size)
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


@compiled(entries=lambda transitions, others, *_: transitions.size + others.size)
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


@compiled(entries=lambda place, transitions, others, columns, *arrays: columns.size * arrays[-1].size)
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


@compiled(entries=lambda left, *_: left.size)
def unite_all(left: Array, right: Array, parent: Array, fresh: Array) -> None:
    """Unite the members of pairs, one pair after the other, and mark those that were not in one class already.

    State i of the first machine is node 2i, state j of the second is node 2j + 1.
    """
    for i in range(len(left)):
        fresh[i] = united(parent, 2 * left[i], 2 * right[i] + 1)
