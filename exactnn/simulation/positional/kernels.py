"""The inner loop of direct mode: steps of a network whose long numbers are heads and tails, in numba.

The loop follows a program (:mod:`exactnn.simulation.positional.words`): it looks at a node's sources, computes its
rows, and takes the transition for what both come to.

What a step writes is in another bank of slots than what it reads (or in places that hold no state). So the loop may
stop anywhere within a step, for a transition to be written or for room to be made, and begin the step again.
"""

from typing import Any

import numpy as np

from exactnn.simulation.compiled import compiled, register_jitable
from exactnn.simulation.positional import words
from exactnn.simulation.positional.block_kernels import BlockArrays, changed_output, follow
from exactnn.simulation.positional.numeral_kernels import (
    LINK,
    NOTHING,
    SLOT,
    Array,
    entry_of,
    equal,
    moved,
    number_in,
    put_number,
    with_digits,
    with_short_head,
)  # fmt: skip
from exactnn.simulation.positional.row_kernels import rows_of
from exactnn.simulation.positional.table_kernels import find, pair_of

__all__ = ["loop", "read"]

BEYOND = np.uint64(words.BEYOND)


@register_jitable
def is_there(anchor: Array, first: Any, limb: Any, power: Array, slots: Array, arena: Array, work: Array | None) -> Any:
    """Whether the numbers of a state, which has the pattern of the anchor, are those of the anchor.

    Those of the state are in the `first` bank or in the other one.
    """
    bank = 0 if first else anchor[words.A_OTHER_BANK]
    for i in range(words.A_NUMBERS, anchor.shape[0]):
        x, y = number_in(bank + anchor[i], slots, work), number_in(anchor[words.A_BANK] + anchor[i], slots, work)
        if not equal(x, y, limb, power, arena):
            return False
    return True


@compiled
def loop(
    program: Array, stops: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array | None, changes: Array, trace: Array | None, margin: Any, control: Array, limit: Any, anchor: Array,
    arrays: BlockArrays | None, eager: Any,
) -> Any:  # fmt: skip
    """Take steps until `limit` or until something has to be decided elsewhere; return a code.

    `power` has the powers of the base; with `binary`, base 2, digits are taken by shifts. A limb has `limb` digits, and
    a head at most `most` after a step. `stops` says which outputs are verdicts. `changes` gets (step, output) where the
    output is another one than before. Transitions are written to `trace` if there is one, at most `margin` in a step.
    Steps are taken in blocks where there are some, the last of which may pass the limit. `eager` says whether to stop
    where a block is not written yet, once a step was taken: where none can be written now, a single step goes on.
    Single steps stop where the state is that of `anchor`.

    Each of `work`, `trace` and `arrays` is None where there are no rows, traces or blocks: code for these is left out
    then, which is most of what takes long to compile.
    """
    node = np.uint64(control[words.C_NODE])
    start = np.uint64(control[words.C_START])
    steps = control[words.C_STEPS]
    top = control[words.C_TOP]
    output = control[words.C_OUTPUT]
    changed = control[words.C_CHANGES]
    traced = control[words.C_TRACED]
    room = arena.shape[0] // LINK - 64 * (anchor[words.A_BANK] // SLOT + 1)  # a row makes fewer than 64 nodes
    code = words.LIMIT
    begun, within = steps, 0
    added, joined = control[words.C_ADDED], control[words.C_JOINED]
    there, there_too = np.uint64(anchor[words.A_NODE]), np.uint64(anchor[words.A_OTHER_NODE])
    while True:
        if arrays is not None:
            number = program[node + np.uint64(words.N_BLOCKS)]
            if number and output != words.UNKNOWN:  # within a block the output is that before it
                before = steps
                code, node, steps, top, output, changed = follow(
                    arrays, stops, power, binary, limb, most, slots, arena, work, changes, number, steps, top, output,
                    changed, limit, room,
                )  # fmt: skip
                within += steps - before
                start = node
                if code != words.SINGLE and (code != words.BLOCK or (eager and steps > begun)):
                    break
                code = words.LIMIT
        # Sources: every long number that is read alone. Its head gets the digits that the moves will shift out, and its
        # leading digits say what all units come to that read it.
        case = np.uint64(0)
        places, inside = np.uint64(program[node + np.uint64(words.N_PLACES)]), True
        at = node + np.uint64(words.HEADER)
        last = at + np.uint64(words.SOURCE * program[node + np.uint64(words.N_SOURCES)])
        while at < last:
            slot = program[at + np.uint64(words.S_SLOT)]
            need = program[at + np.uint64(words.S_NEED)]
            digits = program[at + np.uint64(words.S_DIGITS)]
            x = number_in(slot, slots, work)
            if places and x.middle >> 1 < -power[np.uint64(x.places)]:  # below -1; how far, no word may tell
                inside = False
                at += np.uint64(words.SOURCE)
                continue
            if x.places < need:
                x = with_digits(x, need, limb, power, arena)
                if x.places < need:
                    control[words.C_LABEL] = x.node
                    code = words.TOUCH
                    break
                put_number(x, slot, slots, work)
            if digits >= 0:
                entry = entry_of(x, digits, binary, power)
                lookup = np.uint64(program[at + np.uint64(words.S_LOOKUP)])
                if places:  # entries of negative numbers are negative, here modulo 2**64
                    case = lookup * case + entry
                else:
                    case += np.uint64(program[lookup + entry])
            at += np.uint64(words.SOURCE)
        if code:
            break
        # Rows: units that read several long numbers.
        if work is not None:  # noqa: SIM102 - an `and` would not be compiled away
            if program[node + np.uint64(words.N_ROWS)]:
                code, label, more, top, limbs, tails = rows_of(
                    np.int64(node), program, work, slots, binary, most, limb, power, arena, top, room
                )
                control[words.C_LABEL] = label
                added += limbs
                joined += tails
                if code:
                    if code == words.FULL:
                        node = start
                    break
                case += np.uint64(more)
        if not inside:
            case = BEYOND
        entry = np.uint64(program[node + np.uint64(words.N_TABLE)])
        entry = pair_of(case, program, entry, places) + np.uint64(1) if places else entry + case
        transition = np.uint64(program[entry])
        if transition == NOTHING:
            control[words.C_MISS] = case
            code = words.OUTSIDE if program[node + np.uint64(words.N_OUTSIDE)] else words.MISS
            break
        if trace is not None:
            trace[traced] = transition
            traced += 1
        # Moves: push, pop, copy and complement touch the head only. A head that got too long gives limbs to its tail.
        at = transition + np.uint64(words.T_FIRST)
        last = at + np.uint64(words.MOVE * program[transition + np.uint64(words.T_MOVES)])
        while at < last:
            x = moved(number_in(program[at + np.uint64(words.M_SOURCE)], slots, work), program, at, binary, power)
            if x.places > most:
                x, top = with_short_head(x, binary, most, limb, power, arena, top)
            put_number(x, program[at + np.uint64(words.M_DESTINATION)], slots, work)
            at += np.uint64(words.MOVE)
        node = np.uint64(program[transition + np.uint64(words.T_NODE)])
        written = program[transition + np.uint64(words.T_OUTPUT)]
        if written == words.WITHIN:
            continue
        # A step is done: from here on the next one begins.
        start = node
        steps += 1
        if written != output:
            output = written
            code, changed = changed_output(output, steps, changes, changed, stops)
            if code:
                break
        # The anchor's pattern comes up in either bank; only there are the numbers compared.
        if start in (there, there_too) and is_there(anchor, start == there, limb, power, slots, arena, work):
            code = words.RECURS
            break
        if steps >= limit:
            break
        if top > room:
            code = words.FULL
            break
        if added > words.MOST_ADDED:
            code = words.LONG_SUMS
            break
        if trace is not None:  # noqa: SIM102 - an `and` would not be compiled away
            if traced + margin > trace.shape[0]:
                code = words.TRACED
                break
    control[words.C_NODE] = node
    control[words.C_START] = start
    control[words.C_STEPS] = steps
    control[words.C_TOP] = top
    control[words.C_OUTPUT] = output
    control[words.C_CHANGES] = changed
    control[words.C_TRACED] = traced
    control[words.C_WITHIN] = within
    control[words.C_ADDED] = added
    control[words.C_JOINED] = joined
    return code


@compiled
def read(
    program: Array, never: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array | None, changes: Array, control: Array, symbols: Array, size: Any, keys: Array, values: Array,
    room: Any, anchor: Array, outputs: Any,
) -> Any:  # fmt: skip
    """Take a step for each symbol that no step was taken for; return why it stopped.

    A table has the node for a symbol in the pattern of a node where a step begins, under size * node + symbol. With
    `outputs`, `changes` gets those, and it stops after a step whose output the pattern does not fix.
    """
    last = control[words.C_STEPS]
    while control[words.C_STEPS] < len(symbols):
        if control[words.C_TOP] > room:
            return words.FULL
        symbol = symbols[control[words.C_STEPS]]
        while last < len(symbols) and symbols[last] == symbol:  # equal symbols are one stretch
            last += 1
        node = find(size * control[words.C_START] + symbol, keys, values)
        if node < 0:
            return words.SWITCH
        control[words.C_NODE] = control[words.C_START] = node
        if not outputs:
            control[words.C_CHANGES] = 0
        code = loop(
            program, never, power, binary, limb, most, slots, arena, work, changes, None, 0, control, last,
            anchor, None, False,
        )  # fmt: skip
        if code != words.LIMIT and (outputs or code != words.LIVE_OUTPUT):
            return code
    return words.LIMIT
