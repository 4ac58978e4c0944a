"""The inner loop of direct mode: steps of a network whose long numbers are heads and tails, in numba.

The loop follows a *program* (:mod:`exactnn.simulation.positional.program`), a flat array of machine integers in which
nodes, transitions and tables are written; the address of each is that of its first word.

- A *node* stands for a pattern where a layer begins, or where a part of it is left. It looks at the leading digits of
  its *sources*, the long numbers that are read alone, and computes its *rows*, which read several. Every outcome adds
  something to a number, the *case*.
- The node's *table* has a transition for each case, or 0 where none is written yet.
- A *transition* has *moves*, each of which shifts one number and adds a constant, and leads to the next node.

What a step writes is in another bank of slots than what it reads (or in places that hold no state). So the loop may
stop anywhere within a step, for a transition to be written or for room to be made, and begin the step again.
"""

from typing import Any

import numpy as np

from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional.numeral_kernels import (
    COUNT,
    HEAD,
    LABELS,
    LIMB,
    LINK,
    MIDDLE,
    NEXT,
    NODE,
    PLACES,
    REPEATED,
    SIGN,
    SLOT,
    Array,
    commit,
    head_of,
    middle_of,
    same,
)  # fmt: skip
from exactnn.simulation.positional.rows import Status
from exactnn.simulation.positional.table_kernels import find

__all__ = ["loop", "read"]

# Why the loop stopped: all steps are taken; the transition is not written yet; a sum has two tails; a number left the
# machine word; a row is outside what words can do; the arena is full; a digit of an opaque tail is needed; the pattern
# does not fix the output; it is a verdict; `changes` is full; `trace` is; the node for a symbol is not in the table.
LIMIT, MISS, TWO_TAILS, RANGE, OUTSIDE, FULL, TOUCH, LIVE_OUTPUT, DECIDED, CHANGES, TRACED, SWITCH = range(12)
# Words of `control`, which the loop goes on from and leaves behind: the node to go on with, the node where the step
# began, the steps taken, the arena's first free node, the last output, how many changes of the output are written; the
# case without a transition; the opaque tail that was touched; how many transitions are in the trace.
C_NODE, C_START, C_STEPS, C_TOP, C_OUTPUT, C_CHANGES, C_MISS, C_LABEL, C_TRACED = range(9)
CONTROL_SIZE = 9
# Words of a node: how many sources and rows it has, its table, the output in this pattern, whether it is outside (then
# nothing else counts), and the node for single steps: itself, unless it is a node of blocks. Sources and rows follow.
N_SOURCES, N_ROWS, N_TABLE, N_OUTPUT, N_OUTSIDE, N_PLAIN = range(6)
HEADER = 6
# A source: the slot, the digits that its head needs, those that tell the outcomes, and where they are looked up.
S_SLOT, S_NEED, S_DIGITS, S_LOOKUP = range(4)
SOURCE = 4
# A row: the slot that it writes, its constant as number / base**places, which statuses of the value are kept (a bit
# each), where its operands begin and end, and what each of five statuses adds to the case. An operand is three words:
# slot, number, shift, for number * base**shift * the value in the slot.
R_DESTINATION, R_NUMBER, R_PLACES, R_KEEP, R_FIRST, R_LAST, R_CASES = range(7)
ROW = R_CASES + 5
OPERAND = 3
# A transition: the next node without and with blocks, the output if it ends a step, how many steps it is, how many
# moves, and these. A move is turned, -1, if the number changes its sign, or not, 0: x ^ turned - turned is x or -x. It
# multiplies by base**M_SHIFT and adds half of M_TWICE / base**M_PLACES.
T_NODE, T_BLOCK, T_OUTPUT, T_STEPS, T_MOVES, T_FIRST = range(6)
M_DESTINATION, M_SOURCE, M_TURNED, M_SHIFT, M_TWICE, M_PLACES = range(6)
MOVE = 6
# Outputs that are none: the pattern does not fix it, the transition ends no step, nobody has looked yet.
UNFIXED, WITHIN, UNKNOWN = -1, -2, -3

ZERO, ONE, LIVE, BIG, NEGATIVE = map(int, Status)
LARGE = 4.0e18  # below 2**63, with room for the errors of sizes that are reckoned in floats
NOTHING, ONE_MORE, OPAQUE = np.uint64(0), np.uint64(1), np.uint64(LABELS)  # unsigned addresses are faster


@compiled
def general(row: Any, program: Array, work: Array, slots: Array, limb: Any, power: Array, arena: Array) -> Any:
    """Compute a row of any operands; return (code, status of its value, opaque tail that was touched).

    The value is written if it has at most one tail, and that with coefficient 1 or -1; the code is LIMIT then,
    and TWO_TAILS where only the status is known. `work` is scratch space: a copy of every operand's slot with the head
    for the middle, its number and its shift. The slots themselves are not changed, since the step may be begun again.
    """
    first, need = program[row + R_FIRST], program[row + R_PLACES]
    n = (program[row + R_LAST] - first) // OPERAND
    unit, longest = power[limb], power.shape[0] - 1
    # Copy the operands, and find `target`: after how many digits behind the point all of them are cut. An operand
    # without a tail has only zeros there. One with a tail can be cut where a limb ends, which `anchor` decides, the
    # first of them: tails that are cut elsewhere cannot be added to its own.
    target, anchor = need, -1
    for j in range(n):
        operand = first + OPERAND * j
        for word in range(1, 5):
            work[j, word] = slots[program[operand] + word]
        work[j, HEAD] = head_of(slots[program[operand] + MIDDLE], work[j, SIGN], work[j, NODE])
        work[j, 5], work[j, 6] = program[operand + 1], program[operand + 2]
        target = max(target, work[j, PLACES] - work[j, 6])
        if work[j, NODE] != 0 and anchor < 0:
            anchor = j
    if anchor >= 0:
        target += (work[anchor, PLACES] - work[anchor, 6] - target) % limb
    while True:
        if target > longest:
            return RANGE, 0, 0
        # The heads: `total` / base**target is the sum of what lies before the cut. `size`, a float, bounds it and what
        # the tails can add, so that no product below overflows unseen.
        constant = program[row + R_NUMBER]
        total = constant * power[target - need]
        size = abs(float(constant)) * float(power[target - need])
        for j in range(n):
            while work[j, NODE] != 0 and work[j, PLACES] - work[j, 6] + limb <= target:
                # The operand is cut too early: a limb goes from its tail to its head.
                node = work[j, NODE]
                if node <= LABELS:
                    return TOUCH, 0, node
                if abs(float(work[j, HEAD])) * float(unit) > LARGE:
                    return RANGE, 0, 0
                work[j, HEAD] = work[j, HEAD] * unit + work[j, SIGN] * arena[LINK * node + LIMB]
                work[j, PLACES] += limb
                if work[j, COUNT] > 1:
                    work[j, COUNT] -= 1
                else:
                    work[j, NODE] = arena[LINK * node + NEXT]
                    work[j, COUNT] = arena[LINK * node + REPEATED]
            gap = target - (work[j, PLACES] - work[j, 6])
            if gap > longest:
                return RANGE, 0, 0
            size += (abs(float(work[j, HEAD])) + 1.0) * float(power[gap]) * abs(float(work[j, 5]))
            if size > LARGE:
                return RANGE, 0, 0
            total += work[j, 5] * work[j, HEAD] * power[gap]
        # The tails: each is in (0, 1), so the value * base**target is in (low, high), or is `total` if none is left.
        # Equal tails that are cut at the target are added at the first of them, where they may cancel. The value can be
        # written with a tail of its own if exactly one is left, `alone`: cut at the target, with coefficient 1 or -1.
        low, high = total, total
        tails, alone = 0, True
        sign, node, count = 1, 0, 0
        for j in range(n):
            if work[j, NODE] == 0:
                continue
            coefficient = work[j, SIGN] * work[j, 5]
            gap = target - (work[j, PLACES] - work[j, 6])
            if gap == 0:
                counted = False
                for i in range(n):
                    if i == j or work[i, NODE] == 0 or target != work[i, PLACES] - work[i, 6]:
                        continue
                    if same(work[i, NODE], work[i, COUNT], work[j, NODE], work[j, COUNT], arena):
                        counted |= i < j
                        coefficient += work[i, SIGN] * work[i, 5]
                if counted or coefficient == 0:
                    continue
            else:
                coefficient *= power[gap]
            tails += 1
            low += min(coefficient, 0)
            high += max(coefficient, 0)
            alone &= gap == 0 and abs(coefficient) == 1
            sign, node, count = coefficient, work[j, NODE], work[j, COUNT]
        # Write the value, if it has a form; then see in which of the five statuses the whole interval lies.
        code = TWO_TAILS
        top = power[target]
        if tails == 0 or (tails == 1 and alone):
            code = LIMIT
            slot = program[row + R_DESTINATION]
            slots[slot + MIDDLE] = middle_of(total, sign, node)
            slots[slot + PLACES] = target
            slots[slot + SIGN] = sign
            slots[slot + NODE] = node
            slots[slot + COUNT] = count
        if tails == 0 and (total == 0 or total == top):
            return code, (ZERO if total == 0 else ONE), 0
        if high <= 0:
            return code, NEGATIVE, 0
        if low >= top:
            return code, BIG, 0
        if low >= 0 and high <= top:
            return code, LIVE, 0
        target += limb  # more digits decide, or cancel


@compiled
def rows_of(
    node: Any, program: Array, work: Array, slots: Array, binary: Any, most: Any, limb: Any, power: Array, arena: Array,
    top: Any,
) -> Any:  # fmt: skip
    """Compute the rows of a node; return (code, opaque tail, what they add to the case, new top of the arena)."""
    case = 0
    row = node + HEADER + SOURCE * program[node + N_SOURCES]
    for _ in range(program[node + N_ROWS]):
        slot = program[row + R_DESTINATION]
        code, kind, label = general(row, program, work, slots, limb, power, arena)
        kept = (program[row + R_KEEP] >> kind) & 1
        if code == TWO_TAILS and not kept:
            code = LIMIT  # the activation makes it 0 or 1: the status was all that is wanted
        if code:
            return code, label, 0, top
        if kept and slots[slot + PLACES] > most:
            top = commit(slot, slots, binary, most, limb, power, arena, top)
        case += program[row + R_CASES + kind]
        row += ROW
    return LIMIT, 0, case, top


@compiled
def loop(
    program: Array, stops: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array, changes: Array, trace: Array | None, margin: Any, control: Array, limit: Any, onward: Any, eager: Any,
) -> Any:  # fmt: skip
    """Take steps until `limit` or until something has to be decided elsewhere; return a code.

    `power` has the powers of the base; with `binary`, base 2, digits are taken by shifts. A limb has `limb` digits, and
    a head at most `most` after a step. `stops` says which outputs are verdicts. `changes` gets (step, output) where the
    output is another one than before. Transitions are written to `trace` if there is one, at most `margin` in a step.
    If `onward` is T_BLOCK steps are taken in blocks, the last of which may pass the limit, if T_NODE one by one.
    `eager` says whether to stop where a block is missing.
    """
    node = np.uint64(control[C_NODE])
    start = np.uint64(control[C_START])
    steps = control[C_STEPS]
    top = control[C_TOP]
    output = control[C_OUTPUT]
    changed = control[C_CHANGES]
    traced = control[C_TRACED]
    unit = power[limb]
    room = arena.shape[0] // LINK - 64 * (slots.shape[0] // SLOT + 1)  # a row makes fewer than 64 nodes
    code = LIMIT
    while True:
        # Sources: every long number that is read alone. Its head gets the digits that the moves will shift out, and its
        # leading digits say what all units come to that read it.
        case = np.uint64(0)
        at = node + np.uint64(HEADER)
        last = at + np.uint64(SOURCE * program[node + np.uint64(N_SOURCES)])
        while at < last:
            slot = np.uint64(program[at + np.uint64(S_SLOT)])
            need = program[at + np.uint64(S_NEED)]
            digits = program[at + np.uint64(S_DIGITS)]
            middle, places = slots[slot + np.uint64(MIDDLE)], slots[slot + np.uint64(PLACES)]
            if places < need:
                sign, count = slots[slot + np.uint64(SIGN)], slots[slot + np.uint64(COUNT)]
                tail = np.uint64(slots[slot + np.uint64(NODE)])
                head = head_of(middle, sign, tail)
                while places < need:  # limbs from the tail, or zeros where there is none
                    if tail == NOTHING:
                        head *= power[np.uint64(need - places)]
                        places = need
                    elif tail <= OPAQUE:
                        control[C_LABEL] = tail
                        code = TOUCH
                        break
                    else:
                        tail *= np.uint64(LINK)
                        head = head * unit + sign * arena[tail + np.uint64(LIMB)]
                        places += limb
                        if count > 1:
                            count -= 1
                            tail //= np.uint64(LINK)
                        else:
                            count = arena[tail + np.uint64(REPEATED)]
                            tail = np.uint64(arena[tail + np.uint64(NEXT)])
                if code:
                    break
                middle = middle_of(head, sign, tail)
                slots[slot + np.uint64(MIDDLE)] = middle
                slots[slot + np.uint64(PLACES)] = places
                slots[slot + np.uint64(NODE)] = tail
                slots[slot + np.uint64(COUNT)] = count
            if digits >= 0:
                # The table has entry 2q for the number q / base**digits, and 2q + 1 for those between it and the next.
                # An odd middle is inside of what its head leaves open, so it is between; an even one is a number
                # itself, and stands on a border if nothing follows its leading digits.
                rest = np.uint64(places - digits)
                if binary:
                    rest += ONE_MORE
                    leading = middle >> rest
                else:
                    leading = middle // (2 * power[rest])
                entry = program[at + np.uint64(S_LOOKUP)] + 2 * leading + 1
                if not middle & 1:
                    entry -= middle == (leading << rest if binary else leading * (2 * power[rest]))
                case += np.uint64(program[np.uint64(entry)])
            at += np.uint64(SOURCE)
        if code:
            break
        # Rows: units that read several long numbers.
        if program[node + np.uint64(N_ROWS)]:
            code, label, more, top = rows_of(
                np.int64(node), program, work, slots, binary, most, limb, power, arena, top
            )
            control[C_LABEL] = label
            if code:
                break
            case += np.uint64(more)
        # Without a transition, a node of blocks gives way to the plain one, and any other stops the loop.
        transition = np.uint64(program[np.uint64(program[node + np.uint64(N_TABLE)]) + case])
        if transition == NOTHING:
            plain = np.uint64(program[node + np.uint64(N_PLAIN)])
            if plain != node and not eager:
                node = plain
                continue
            control[C_MISS] = case
            code = OUTSIDE if program[node + np.uint64(N_OUTSIDE)] else MISS
            break
        if trace is not None:  # compiled away for None
            trace[traced] = transition
            traced += 1
        # Moves: push, pop, copy and complement touch the head only. A head that got too long gives limbs to its tail.
        at = transition + np.uint64(T_FIRST)
        last = at + np.uint64(MOVE * program[transition + np.uint64(T_MOVES)])
        while at < last:
            source = np.uint64(program[at + np.uint64(M_SOURCE)])
            slot = np.uint64(program[at + np.uint64(M_DESTINATION)])
            turned = program[at + np.uint64(M_TURNED)]
            moved = slots[source + np.uint64(PLACES)] - program[at + np.uint64(M_SHIFT)]
            more = np.uint64(moved - program[at + np.uint64(M_PLACES)])
            twice = program[at + np.uint64(M_TWICE)]
            middle, tail_sign = slots[source + np.uint64(MIDDLE)], slots[source + np.uint64(SIGN)]
            tail, count = slots[source + np.uint64(NODE)], slots[source + np.uint64(COUNT)]
            if binary:
                twice = twice << more
            else:
                twice *= power[more]
            slots[slot + np.uint64(MIDDLE)] = (middle ^ turned) - turned + twice
            slots[slot + np.uint64(PLACES)] = moved
            slots[slot + np.uint64(SIGN)] = (tail_sign ^ turned) - turned
            slots[slot + np.uint64(NODE)] = tail
            slots[slot + np.uint64(COUNT)] = count
            if moved > most:
                top = commit(slot, slots, binary, most, limb, power, arena, top)
            at += np.uint64(MOVE)
        node = np.uint64(program[transition + np.uint64(onward)])
        written = program[transition + np.uint64(T_OUTPUT)]
        if written == WITHIN:
            continue
        # A step, or a block of steps, is done: from here on the next one begins.
        start = node
        steps += program[transition + np.uint64(T_STEPS)]
        if written != output:
            output = written
            if output == UNFIXED:
                code = LIVE_OUTPUT
                break
            changes[changed, 0] = steps
            changes[changed, 1] = output
            changed += 1
            if stops[output]:
                code = DECIDED
                break
            if changed == changes.shape[0]:
                code = CHANGES
                break
        if steps >= limit:
            break
        if top > room:
            code = FULL
            break
        if trace is not None:  # noqa: SIM102 - an `and` would not be compiled away
            if traced + margin > trace.shape[0]:
                code = TRACED
                break
    control[C_NODE] = node
    control[C_START] = start
    control[C_STEPS] = steps
    control[C_TOP] = top
    control[C_OUTPUT] = output
    control[C_CHANGES] = changed
    control[C_TRACED] = traced
    return code


@compiled
def read(
    program: Array, never: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array, changes: Array, control: Array, symbols: Array, begin: Any, size: Any, keys: Array, values: Array,
    room: Any,
) -> Any:  # fmt: skip
    """Take a step for each symbol from number `begin` on; return why it stopped and at which symbol.

    A table has the node for a symbol in the pattern of a node where a step begins, under size * node + symbol.
    """
    for at in range(begin, len(symbols)):
        if control[C_TOP] > room:
            return FULL, at
        node = find(size * control[C_START] + symbols[at], keys, values)
        if node < 0:
            return SWITCH, at
        control[C_NODE] = control[C_START] = node
        control[C_CHANGES] = 0
        code = loop(
            program, never, power, binary, limb, most, slots, arena, work, changes, None, 0, control,
            control[C_STEPS] + 1, T_NODE, False,
        )  # fmt: skip
        if code != LIMIT and code != LIVE_OUTPUT:
            return code, at
    return LIMIT, len(symbols)
