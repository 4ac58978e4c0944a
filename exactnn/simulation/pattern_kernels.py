"""Words through a network in a floating-point format, one after the other, where most registers are 0 or 1.

A pattern says which components of the state are 0, which are 1, and which have any other value. With the input it
fixes what most units are, in this format and with its roundings: they are computed once. What is left of a step is a
list of operations for the units that depend on other values; whether these come out as 0, 1 or another value leads to
the next pattern. Rounding is a part of the operations, so that nothing differs from the plain evaluation of all units.

A *place* is a pattern, with what the readout makes of it. A *node* is a place and an input, with the operations of the
step. A *transition* is a node and the outcomes of its units: it leads to a place. They are found as they come up, in
arrays that Python makes larger when they are full.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from exactnn.simulation.carriers.carrier import above
from exactnn.simulation.compiled import compiled
from exactnn.simulation.float_rows import Rows
from exactnn.simulation.operation_kernels import (
    CHECK,
    CHECK_DOWN,
    END,
    LIVE,
    MOVE,
    N_NODES,
    N_OPERATIONS,
    N_PLACES,
    N_TRANSITIONS,
    NO_ROOM,
    ONE,
    ZERO,
    Array,
    Tables,
    activated,
    as_number,
    at_least,
    at_most,
    is_finite,
    operate,
    resolve,
    status_of,
    write,
)
from exactnn.simulation.rounding_kernels import Format
from exactnn.simulation.state_kernels import (
    NO_STATE,
    UNDECIDED,
    UNREAD,
    VERDICT,
    States,
    load_state,
    number_of_state,
)

__all__ = ["Plan", "Room", "run_words"]


class Plan(NamedTuple):
    """The network."""

    units: Rows
    readout: Rows
    next_state: Array
    first_unit: int
    """The register of the first unit."""
    zero: int
    """The register that is always 0, which is followed by one that is always 1 and the readout."""


class Room(NamedTuple):
    """Space to work in; what is in it before and after means nothing."""

    registers: Array
    """Those of the network, 0 and 1, and the readout."""
    held: Array
    """For what the state becomes."""
    held_bits: Array
    """The same, as words."""
    kept: Array
    """For a state that may come again."""
    statuses: Array
    """For those of all registers, and others."""
    known: Array
    """The same."""


# Why the loop stopped.
DONE, FULL, STOPPED = range(3)
P_MOVES, P_READOUT, P_END, P_FIXED, P_NODES = range(5)
MOST_LIVE = 40
"""Units of a node that are not fixed, so that their outcomes fit a machine word."""
BETWEEN_LOOKS = 1 << 12
"""Steps that are looked up before the loop looks at `stop` again."""
TOO_MANY = -2
NONE = -1


@compiled
def compute(
    codes: Array, operands: Array, weights: Array, first: Any, last: Any, registers: Array, format: Format
) -> Any:
    """Do operations; their results go to the registers, and what these are is returned, as digits to base 3."""
    outcomes = np.uint64(0)
    value = as_number(0.0, weights[0])
    nearest = format.nearest
    at = first
    while at < last:
        code, left, right, weight = codes[at], operands[at, 0], operands[at, 1], weights[at]
        if code == END:
            value = activated(value, right)
            registers[left] = value
            outcomes = np.uint64(3) * outcomes + np.uint64(status_of(value))
        elif code >= CHECK:
            value = -registers[left] if code == CHECK_DOWN else registers[left]
            at += 1
            one = at_least(value, weights[at].real)
            if (one or at_most(value, weight.real)) and is_finite(value):
                at += right
                registers[operands[at, 0]] = 1.0 if one else 0.0
                outcomes = np.uint64(3) * outcomes + np.uint64(one)
        elif nearest:
            value = operate(code, value, weight, registers[left], registers[right], True, format)
        else:
            value = operate(code, value, weight, registers[left], registers[right], False, format)
        at += 1
    return outcomes


@compiled
def node_for(tables: Tables, place: int, symbol: int, plan: Plan, format: Format) -> int:
    """Return the number of a new node; NO_ROOM, or TOO_MANY if too much is not fixed."""
    units, _, next_state, first_unit, zero = plan
    nodes, node_statuses, places, place_statuses, used = (
        tables.nodes,
        tables.node_statuses,
        tables.places,
        tables.place_statuses,
        tables.used,
    )
    node = used[N_NODES]
    if node == len(nodes):
        return NO_ROOM
    size = len(next_state)
    statuses = node_statuses[node]
    copy(place_statuses[place], statuses, size)
    for register in range(size, first_unit):
        statuses[register] = ZERO
    statuses[size + symbol] = ONE
    first = used[N_OPERATIONS]
    live = resolve(tables, units, statuses, first_unit, zero, False, format)
    if live == NO_ROOM:
        return NO_ROOM
    if live > MOST_LIVE:
        used[N_OPERATIONS] = first
        return TOO_MANY
    nodes[node, 0], nodes[node, 1], nodes[node, 2] = first, used[N_OPERATIONS], place
    places[place, P_NODES + symbol] = node
    used[N_NODES] = node + 1
    return int(node)


@register_jitable
def equal(numbers: Any, others: Any, size: Any) -> Any:
    """Return whether the first numbers are the same."""
    for i in range(size):  # noqa: SIM110 - numba has no generators here
        if numbers[i] != others[i]:
            return False
    return True


@register_jitable
def copy(numbers: Any, to: Any, size: Any) -> None:
    """Copy the first numbers."""
    for i in range(size):
        to[i] = numbers[i]


@compiled
def place_for(tables: Tables, statuses: Array, plan: Plan, format: Format) -> int:
    """Return the number of the place with these statuses of the state; NO_ROOM if it is new and there is none."""
    _, readout, next_state, _, zero = plan
    places, place_statuses, found, used = tables.places, tables.place_statuses, tables.found, tables.used
    size = len(next_state)
    key = np.uint64(14695981039346656037)
    for i in range(size):
        key = (key ^ np.uint64(statuses[i])) * np.uint64(1099511628211)
    mask = np.uint64(len(found) - 1)
    slot = (key ^ (key >> np.uint64(29))) & mask
    while found[slot, 0] != NONE:
        place = found[slot, 0]
        if equal(place_statuses[place], statuses, size):
            return int(place)
        slot = (slot + np.uint64(1)) & mask
    place = used[N_PLACES]
    if place == len(places) or used[N_OPERATIONS] + size > len(tables.codes):
        return NO_ROOM
    copy(statuses, place_statuses[place], size)
    places[place, P_MOVES] = used[N_OPERATIONS]
    for i in range(size):
        if statuses[i] == LIVE:
            write(tables, MOVE, i, next_state[i], 0.0)
    places[place, P_READOUT] = used[N_OPERATIONS]
    if resolve(tables, readout, statuses, zero + 2, zero, True, format) == NO_ROOM:
        return NO_ROOM
    places[place, P_END] = used[N_OPERATIONS]
    places[place, P_FIXED] = used[N_OPERATIONS] - places[place, P_READOUT] == 2 * len(readout.bias)
    for following in range(P_NODES, places.shape[1]):
        places[place, following] = NONE
    found[slot, 0] = place
    used[N_PLACES] = place + 1
    return int(place)


@compiled
def transition_for(tables: Tables, slot: Any, node: int, outcomes: Any, room: Room, plan: Plan, format: Format) -> int:
    """Return the place after a node with these outcomes, and note it; NO_ROOM if there is none."""
    nodes, node_statuses, transitions, all_outcomes, used = (
        tables.nodes,
        tables.node_statuses,
        tables.transitions,
        tables.outcomes,
        tables.used,
    )
    if 2 * used[N_TRANSITIONS] >= len(transitions):
        return NO_ROOM
    codes, operands = tables.codes, tables.operands
    next_state, known, statuses = plan.next_state, room.known, room.statuses
    copy(node_statuses[node], known, node_statuses.shape[1])
    rest = outcomes
    for at in range(nodes[node, 1] - 1, nodes[node, 0] - 1, -1):
        if codes[at] == END:
            known[operands[at, 0]] = rest % np.uint64(3)
            rest //= np.uint64(3)
    for i in range(len(next_state)):
        statuses[i] = known[next_state[i]]
    place = place_for(tables, statuses, plan, format)
    if place != NO_ROOM:
        transitions[slot, 0], transitions[slot, 1] = node, place
        all_outcomes[slot] = outcomes
        used[N_TRANSITIONS] += 1
    return place


@register_jitable
def slot_of(transitions: Any, all_outcomes: Any, node: Any, outcomes: Any) -> Any:
    """Return where a transition is in its table, or where it should be."""
    mask = np.uint64(len(transitions) - 1)
    key = (outcomes + np.uint64(node) * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    slot = (key >> np.uint64(31)) & mask
    while transitions[slot, 0] != NONE and (transitions[slot, 0] != node or all_outcomes[slot] != outcomes):
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def run_words(
    tables: Tables, states: States, plan: Plan, format: Format, room: Room, start: Array, symbols: Array, ends: Array,
    eos: int, limits: Array, threshold: complex, begin: int, steps: Array, outputs: Array, stop: Array,
) -> tuple[int, int]:  # fmt: skip
    """Run words from number `begin` on; return why it stopped and at which word.

    After the symbols of word i, up to `ends[i]`, come up to `limits[i]` symbols `eos`, until the output is above the
    threshold or below its negative. The steps, -1 if too many units were live, and the last output are noted. Another
    thread may set `stop` to end it all.

    A word goes from state to state as long as these are known. Where one is not, its step is computed, from the
    registers, which are loaded if only the number of the state before is known.
    """
    codes, operands, weights, nodes, places = tables.codes, tables.operands, tables.weights, tables.nodes, tables.places
    transitions, all_outcomes = tables.transitions, tables.outcomes
    size, zero = len(plan.next_state), plan.zero
    registers, held, bits, kept, statuses, _ = room
    words = len(bits) // len(held)
    registers[zero], registers[zero + 1] = 0.0, 1.0
    for i in range(size):
        statuses[i] = status_of(start[i])
    first_place = place_for(tables, statuses, plan, format)
    first_state = NO_STATE
    if first_place >= 0:
        for move in range(places[first_place, P_MOVES], places[first_place, P_READOUT]):
            held[move - places[first_place, P_MOVES]] = start[operands[move, 0]]
        live = places[first_place, P_READOUT] - places[first_place, P_MOVES]
        first_state = number_of_state(states, first_place, bits, words * live)
    for word in range(begin, len(ends)):
        copy(start, registers, size)
        place, state, loaded = first_place, first_state, True
        at = ends[word - 1] if word else 0
        length = ends[word] - at
        end = length + limits[word]
        taken, kept_state, kept_place, kept_at = 0, NO_STATE, NONE, length
        output = weights[0]
        while place >= 0:
            if state != NO_STATE and taken < length:
                until = min(length, taken + BETWEEN_LOOKS)
                while taken < until and states.following[state, symbols[at + taken]] != NO_STATE:
                    state = int(states.following[state, symbols[at + taken]])
                    taken += 1
                    loaded = False
                place = states.places[state]
            if stop[0]:
                return STOPPED, word
            moves, last = places[place, P_MOVES], places[place, P_READOUT]
            symbol = symbols[at + taken] if taken < length else eos
            following = NO_STATE
            if state != NO_STATE:
                following = states.following[state, symbol]
            if not loaded and (following == NO_STATE or (taken >= length and states.verdicts[state] == UNREAD)):
                load_state(states, state, bits, words * (last - moves))
                for move in range(moves, last):
                    registers[operands[move, 0]] = held[move - moves]
                loaded = True
            if taken > length or taken == end:
                if state != NO_STATE and states.verdicts[state] != UNREAD:
                    output, decided = states.outputs[state], states.verdicts[state] == VERDICT
                else:
                    readout = places[place, P_READOUT]
                    output = weights[readout]
                    if not places[place, P_FIXED]:
                        compute(codes, operands, weights, readout, places[place, P_END], registers, format)
                        output = registers[zero + 2]
                    decided = above(output, threshold) or above(-output, threshold)
                    if state != NO_STATE:
                        states.outputs[state], states.verdicts[state] = output, VERDICT if decided else UNDECIDED
                if decided or taken == end:
                    break
            taken += 1
            if following != NO_STATE:
                state, loaded = int(following), False
                place = states.places[state]
                moves, last = 0, 0
            else:
                node = places[place, P_NODES + symbol]
                if node == NONE:
                    node = node_for(tables, place, symbol, plan, format)
                    if node < 0:
                        place = node
                        break
                outcomes = compute(codes, operands, weights, nodes[node, 0], nodes[node, 1], registers, format)
                slot = slot_of(transitions, all_outcomes, node, outcomes)
                place = transitions[slot, 1]
                if transitions[slot, 0] == NONE:
                    place = transition_for(tables, slot, node, outcomes, room, plan, format)
                    if place < 0:
                        break
                moves, last = places[place, P_MOVES], places[place, P_READOUT]
                for move in range(moves, last):  # all are read before one is written
                    held[move - moves] = registers[operands[move, 1]]
                for move in range(moves, last):
                    registers[operands[move, 0]] = held[move - moves]
                if state != NO_STATE:
                    before = state
                    state = number_of_state(states, place, bits, words * (last - moves))
                    states.following[before, symbol] = state
            if taken > length:
                # Where a state comes again, so does all that follows it: Brent, 1980.
                if state != NO_STATE:
                    again = state == kept_state
                else:
                    again = place == kept_place and equal(held, kept, last - moves)
                if again:
                    taken += (end - taken) // (taken - kept_at) * (taken - kept_at)  # until the end
                    kept_state, kept_place = NO_STATE, NONE
                elif taken - length >= 2 * (kept_at - length):
                    copy(held, kept, last - moves)
                    kept_state, kept_place, kept_at = state, NONE if state != NO_STATE else place, taken
        if place == NO_ROOM:
            return FULL, word
        steps[word] = taken if place >= 0 else -1
        outputs[word] = output
    return DONE, len(ends)
