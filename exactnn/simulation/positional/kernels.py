"""The inner loop: steps of a network whose long numbers are positional numerals, in numba.

A value is (head + sign * T) / B**places. Head and places are machine integers. The tail T, in (0, 1), is a
reference (node, count): the limb of the node `count` times, most significant first, and then the tail that the node
leads to. Node 0 is the empty tail, T = 0; its sign is of no meaning. Nodes are never changed, and made at the end of
the arena. Nodes 1 to LABELS are opaque: tails of which nothing is known but that they lie in (0, 1); whoever needs
their digits stops. What is kept of the head is twice the middle of what it leaves open: 2 head, and one more or less
by the tail's sign if there is a tail. Its leading digits tell all that the head and the tail's sign do.

Slots, arena and program are flat arrays of machine integers, each with one meaning of an address: a slot's is that of
its head, a node's that of its first word. A program node looks at the leading digits of its sources and
computes its general rows; together they give the number of a case. The transition of that case has moves, each of which
shifts a number and adds a constant, and leads to the next node. What a step writes is in another bank of slots than
what it reads (or in places that hold no state), so a step can always be begun again.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["LABELS", "Array", "head_of", "loop", "middle_of"]

Array = NDArray[np.int64]

LABELS = 16
"""Opaque tails; the first tail that can be made is number LABELS + 1."""

# Why the loop stopped.
LIMIT, MISS, TWO_TAILS, RANGE, OUTSIDE, FULL, TOUCH, LIVE_OUTPUT, DECIDED, CHANGES, TRACED = range(11)
# Places of the loop's variables in the control array.
C_NODE, C_START, C_STEPS, C_TOP, C_OUTPUT, C_CHANGES, C_MISS, C_LABEL, C_TRACED = range(9)
CONTROL_SIZE = 9
# Words of a slot: (head + sign * T) / base**places, where T is the tail (node, count); MIDDLE is told of above.
MIDDLE, PLACES, SIGN, NODE, COUNT = range(5)
HEAD = MIDDLE  # in a copy of a slot that has the head there
SLOT = 8
# Words of a tail's node.
LIMB, NEXT, REPEATED = range(3)
LINK = 4
# A node of the program: this header, the sources, the rows, and the table from cases to transitions. A node of blocks
# has a plain one, for single steps; that of any other is itself.
N_SOURCES, N_ROWS, N_TABLE, N_OUTPUT, N_OUTSIDE, N_PLAIN = range(6)
HEADER = 6
# A source: the slot, the digits that its head needs, those that tell the outcomes, and where they are looked up.
S_SLOT, S_NEED, S_DIGITS, S_LOOKUP = range(4)
SOURCE = 4
# A row: what it writes, a constant, which classes of the value are kept, where its operands are and end, and what
# each of five classes adds to the number of the case. Operands are slot, number, shift.
R_DESTINATION, R_NUMBER, R_PLACES, R_KEEP, R_FIRST, R_LAST, R_CASES = range(7)
ROW = R_CASES + 5
OPERAND = 3
# A transition: the next node, without and with blocks, the output if it ends a step, the steps, how many moves, these.
# A move is turned, -1, if the number changes its sign, or not, 0: x ^ turned - turned is x or -x. It adds half of
# M_TWICE / base**M_PLACES.
T_NODE, T_BLOCK, T_OUTPUT, T_STEPS, T_MOVES, T_FIRST = range(6)
M_DESTINATION, M_SOURCE, M_TURNED, M_SHIFT, M_TWICE, M_PLACES = range(6)
MOVE = 6
# Outputs that are none: the pattern does not fix it, the transition ends no step, nobody has looked yet.
UNFIXED, WITHIN, UNKNOWN = -1, -2, -3

ZERO, ONE, LIVE, BIG, NEGATIVE = range(5)
LARGE = 4.0e18
NOTHING, ONE_MORE, OPAQUE = np.uint64(0), np.uint64(1), np.uint64(LABELS)


@register_jitable  # from Python it is called as it stands
def head_of(middle: Any, sign: Any, node: Any) -> Any:
    """Return the head."""
    return (middle - sign if node else middle) >> 1


@register_jitable
def middle_of(head: Any, sign: Any, node: Any) -> Any:
    """Return twice the middle of what a head leaves open."""
    return 2 * head + sign if node else 2 * head


@register_jitable(inline="always")  # a fifth faster where a head is full every ten steps
def commit(slot: Any, slots: Array, binary: Any, most: Any, limb: Any, power: Array, arena: Array, top: Any) -> Any:
    """Move digits from the head of a slot to its tail until the head has at most `most`; return the arena's new top."""
    places, node, count = slots[slot + PLACES], slots[slot + NODE], slots[slot + COUNT]
    sign = slots[slot + SIGN] if node else 1
    head = head_of(slots[slot + MIDDLE], sign, node)
    unit = power[limb]
    while places > most:
        # With sign -1 the digits are those of the number's distance to the next one above.
        if binary:
            digits = (sign * head) & (unit - 1)
            head = (head - sign * digits) >> limb
        else:
            digits = (sign * head) % unit
            head = (head - sign * digits) // unit
        places -= limb
        if node > LABELS and arena[LINK * node + LIMB] == digits:
            count += 1
        elif node != 0 or digits != 0:
            arena[LINK * top + LIMB] = digits
            arena[LINK * top + NEXT] = node
            arena[LINK * top + REPEATED] = count
            node, count = top, 1
            top += 1
    slots[slot + MIDDLE] = middle_of(head, sign, node)
    slots[slot + PLACES] = places
    slots[slot + SIGN] = sign
    slots[slot + NODE] = node
    slots[slot + COUNT] = count
    return top


@compiled
def same(first: Any, first_count: Any, second: Any, second_count: Any, arena: Array) -> Any:
    """Whether two tails hold the same digits; runs of limbs are as long as they can be."""
    while first != second:
        if first <= LABELS or second <= LABELS or first_count != second_count:
            return False
        if arena[LINK * first + LIMB] != arena[LINK * second + LIMB]:
            return False
        first, first_count = arena[LINK * first + NEXT], arena[LINK * first + REPEATED]
        second, second_count = arena[LINK * second + NEXT], arena[LINK * second + REPEATED]
    return first_count == second_count


@compiled
def general(row: Any, program: Array, work: Array, slots: Array, limb: Any, power: Array, arena: Array) -> Any:
    """Compute a row of any operands; return (code, class, label).

    The value is written if it has at most one tail, and that with coefficient 1 or -1; the code is LIMIT then,
    and TWO_TAILS where only the class is known. `work` is scratch space: a copy of every operand's slot with the head
    for the middle, its number and its shift.
    """
    first, need = program[row + R_FIRST], program[row + R_PLACES]
    n = (program[row + R_LAST] - first) // OPERAND
    unit, longest = power[limb], power.shape[0] - 1
    # Operands without a tail do not care how they are cut; those with one must be cut alike to be added.
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
        constant = program[row + R_NUMBER]
        total = constant * power[target - need]
        size = abs(float(constant)) * float(power[target - need])
        for j in range(n):
            while work[j, NODE] != 0 and work[j, PLACES] - work[j, 6] + limb <= target:
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
        # The tails: those cut at the target and equal are added; the value is in the interval (low, high).
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
    """Compute the general rows of a node; return (code, label, what they add to the case, new top)."""
    case = 0
    row = node + HEADER + SOURCE * program[node + N_SOURCES]
    for _ in range(program[node + N_ROWS]):
        slot = program[row + R_DESTINATION]
        code, kind, label = general(row, program, work, slots, limb, power, arena)
        kept = (program[row + R_KEEP] >> kind) & 1
        if code == TWO_TAILS and not kept:
            code = LIMIT
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

    With `binary`, base 2, digits are taken by shifts. `stops` says which outputs are verdicts. Transitions are written
    to `trace` if there is one, at most `margin` in a step. If `onward` is T_BLOCK steps are taken in blocks, the last
    of which may pass the limit, if T_NODE one by one. `eager` says whether to stop where a block is missing.
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
                while places < need:
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
            if digits >= 0:  # each number of so many digits has an entry, and what lies between it and the next
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
        if program[node + np.uint64(N_ROWS)]:
            code, label, more, top = rows_of(
                np.int64(node), program, work, slots, binary, most, limb, power, arena, top
            )
            control[C_LABEL] = label
            if code:
                break
            case += np.uint64(more)
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
