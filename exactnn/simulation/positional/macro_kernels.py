"""The inner loop of macro mode: whole limbs, and runs of equal limbs, are consumed by one memoised edge, in numba."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["insert", "macro_loop"]

Array = NDArray[np.int64]

# Why the loop stopped.
M_LIMIT, M_MISS, M_SPECIAL, M_PARTIAL, M_LARGE, M_FULL, M_CHANGES = range(7)
# Places of the loop's variables in the control array.
C_STATE, C_STEPS, C_OUTPUT, C_CHANGES, C_EDGE, C_TRANSITIONS = range(6)
CONTROL_SIZE = 6
# Words of an edge: steps, the state after it, the output during it (SPECIAL: several, or it ends the run), whether a
# run of limbs can be consumed at once, which stacks are emptied (one bit each), and where its pushes are.
E_STEPS, E_STATE, E_OUTPUT, E_LOOP, E_CLEAR, E_FIRST, E_LAST = range(7)
EDGE = 8

SPECIAL, NO_OUTPUT = -1, -2
LARGE = 2**60


@compiled
def find(key: Any, keys: Array, values: Array) -> Any:
    """Return the value of a key, or -1."""
    mask = np.uint64(keys.shape[0] - 1)
    place = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (place >> np.uint64(20)) & mask
    while True:
        if keys[place] == key:
            return values[place]
        if keys[place] < 0:
            return -1
        place = (place + np.uint64(1)) & mask


@compiled
def insert(key: Any, value: Any, keys: Array, values: Array) -> Any:
    """Add a key that is not there yet."""
    mask = np.uint64(keys.shape[0] - 1)
    place = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (place >> np.uint64(20)) & mask
    while keys[place] >= 0:
        place = (place + np.uint64(1)) & mask
    keys[place] = key
    values[place] = value


@compiled
def macro_loop(
    wanted: Array,
    keys: Array,
    values: Array,
    edges: Array,
    pushes: Array,
    limbs: Array,
    counts: Array,
    depth: Array,
    unit: Any,
    changes: Array,
    control: Array,
    limit: Any,
    longest: Any,
    transitions: Any,
) -> Any:
    """Follow edges until `limit` steps are taken or something has to be done elsewhere; return why.

    Stack w has `depth[w]` runs `limbs[w]` with `counts[w]`, the top last; a state wants a limb of stack
    `wanted[state]`, or none (-1). No edge has more than `longest` pushes. The key of an edge is 2 * unit * state + 2 *
    limb + (the limb is the last of its stack).
    """
    state = control[C_STATE]
    steps = control[C_STEPS]
    output = control[C_OUTPUT]
    changed = control[C_CHANGES]
    code = M_LIMIT
    taken = 0
    while steps < limit and taken < transitions:
        stack = wanted[state]
        limb, count, last, runs = 0, 0, 0, 0
        if stack >= 0:
            runs = depth[stack]
            limb = limbs[stack, runs - 1]
            count = counts[stack, runs - 1]
            last = runs == 1 and count == 1
        edge = find(2 * (unit * state + limb) + last, keys, values)
        if edge < 0:
            code = M_MISS
            break
        control[C_EDGE] = edge
        at = EDGE * edge
        if edges[at + E_OUTPUT] == SPECIAL:
            code = M_SPECIAL
            break
        length = edges[at + E_STEPS]
        if length > limit - steps:
            code = M_PARTIAL
            break
        times = 1
        if edges[at + E_LOOP]:
            if stack >= 0:
                times = count - (runs == 1)
                if times > (limit - steps) // length:
                    times = (limit - steps) // length
            else:
                times = (limit - steps) // length
            if float(times) * float(length) > LARGE or steps > LARGE:
                code = M_LARGE
                break
        if edges[at + E_OUTPUT] != NO_OUTPUT and edges[at + E_OUTPUT] != output:
            if changed == changes.shape[0]:
                code = M_CHANGES
                break
            output = edges[at + E_OUTPUT]
            changes[changed, 0] = steps + 1
            changes[changed, 1] = output
            changed += 1
        if stack >= 0:
            counts[stack, runs - 1] -= times
            if counts[stack, runs - 1] == 0:
                depth[stack] -= 1
        clear = edges[at + E_CLEAR]
        if clear:
            for other in range(depth.shape[0]):
                if (clear >> other) & 1:
                    depth[other] = 0
        for push in range(edges[at + E_FIRST], edges[at + E_LAST]):
            other, digits = pushes[push, 0], pushes[push, 1]
            height = depth[other]
            if height and limbs[other, height - 1] == digits:
                counts[other, height - 1] += times
                if counts[other, height - 1] > LARGE:
                    code = M_LARGE
            else:
                limbs[other, height] = digits
                counts[other, height] = times
                depth[other] = height + 1
                if height + longest + 2 > limbs.shape[1]:
                    code = M_FULL
        steps += times * length
        state = edges[at + E_STATE]
        taken += 1
        if code:
            break
    control[C_STATE] = state
    control[C_STEPS] = steps
    control[C_OUTPUT] = output
    control[C_CHANGES] = changed
    control[C_TRANSITIONS] = taken
    return code
