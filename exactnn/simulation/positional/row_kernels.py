"""Rows: units that read several long numbers, computed in machine words."""

from typing import Any

import numpy as np

from exactnn.simulation.compiled import compiled, register_jitable
from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import (
    COUNT,
    HEAD,
    LABELS,
    LIMB,
    LINK,
    MIDDLE,
    NEXT,
    NODE,
    NOTHING,
    PLACES,
    REPEATED,
    SIGN,
    Array,
    head_of,
    middle_of,
    number_in,
    put,
    put_number,
    same,
    with_short_head,
)  # fmt: skip
from exactnn.simulation.positional.rows import Status

__all__ = ["NUMBER", "rows_of", "sum_of_tails"]

ZERO, ONE, LIVE, BIG, NEGATIVE = map(int, Status)
UNDECIDED = -1
LARGE = 4.0e18  # below 2**63, with room for the errors of sizes that are reckoned in floats

NUMBER, SHIFT = 5, 6
"""Words of an operand in scratch space, after those of its slot: its number, and its shift or how often that counts."""
PAIR = 2
"""Words of a sum of limbs in the free end of an arena: the sum, and how often it comes."""


@register_jitable
def status_of(head: Any, node: Any, top: Any) -> Any:
    """Return the status of the number (head + T) / top, with the tail T, or 0 for T without a node."""
    if head < 0:
        return NEGATIVE
    if head >= top:
        return ONE if head == top and node == NOTHING else BIG
    return ZERO if head == 0 and node == NOTHING else LIVE


@compiled
def sum_of_tails(n: Any, target: Any, work: Array, unit: Any, power: Array, arena: Array, top: Any, room: Any) -> Any:
    """Add the tails of `n` operands limb by limb; return (code, carry, node, count, new top of the arena, limbs read).

    The sum times base**target is the carry, any integer, and a tail of digits, (node, count). Each operand is cut where
    less than a limb is left to the target, so that its tail counts number * base**gap times. OPAQUE_SUM if one is
    opaque, RANGE if sums of limbs may leave the machine word, FULL if there is no room below `room`, with the nodes
    that it takes instead of the limbs read.
    """
    total: Any
    times: Any
    size = 0.0
    for j in range(n):
        if work[j, NODE] != 0:
            work[j, SHIFT] = work[j, SIGN] * work[j, NUMBER] * power[target - (work[j, PLACES] - work[j, SHIFT])]
            size += abs(float(work[j, SHIFT]))
    if (size + 1.0) * float(unit) > LARGE:
        return words.RANGE, 0, 0, 0, top, 0
    # From the first limbs to the last: their sums, without what is carried over, go into the arena from its end on.
    at, sums, read, active = arena.shape[0], 0, 0, True
    while active:
        active, total, times = False, 0, np.int64(1 << 62)
        for j in range(n):
            node = work[j, NODE]
            if node != 0:
                if node <= LABELS:
                    return words.OPAQUE_SUM, 0, 0, 0, top, 0
                active = True
                read += 1
                total += work[j, SHIFT] * arena[LINK * node + LIMB]
                times = min(times, work[j, COUNT])
        if not active:
            break
        for j in range(n):
            node = work[j, NODE]
            if node != 0:
                work[j, COUNT] -= times
                if work[j, COUNT] == 0:
                    work[j, NODE], work[j, COUNT] = arena[LINK * node + NEXT], arena[LINK * node + REPEATED]
        at -= PAIR
        sums += 1
        if LINK * (top + 1) <= at:
            arena[at], arena[at + 1] = total, times
    # From the last to the first: each with what the ones after it carry over. Once that stays the same, so do the
    # limbs. What is written grows towards what is still to be read, and must not reach it: where it would, all is left.
    # A sum that has been read makes room for more, so that to go on with the next one would lose the rest of this one.
    carry, node, count = np.int64(0), NOTHING, np.int64(0)
    fresh, times = top, np.int64(0)
    for _ in range(sums):
        if LINK * (fresh + 1) > at:
            fresh = room + 1
            break
        total, times = arena[at], arena[at + 1]
        while times > 0 and LINK * (fresh + 1) <= at:
            limb, following = total + carry, np.int64(0)
            if limb < 0 or limb >= unit:  # most often by less than a unit
                following = np.int64(1 if limb > 0 else -1)
                limb -= following * unit
                if limb < 0 or limb >= unit:
                    following += limb // unit
                    limb %= unit
            repeated = times if following == carry else np.int64(1)
            node, count, fresh = put(limb, repeated, node, count, arena, fresh)
            carry = following
            times -= repeated
        if times > 0:
            break
        at += PAIR
    if fresh > room or times > 0:
        return words.FULL, 0, 0, 0, top, 4 * sums + 2 * (room - top) + 64
    return words.LIMIT, carry, np.int64(node), count, fresh, read


@compiled
def general(
    row: Any, program: Array, work: Array, slots: Array, limb: Any, power: Array, arena: Array, top: Any, room: Any
) -> Any:  # fmt: skip
    """Compute a row of any operands.

    Return (code, status of its value, label, new top of the arena, limbs read, tails added).

    The value is written if its status is one that is kept, or if it is easy. `work` is scratch space: a copy of every
    operand's slot with the head for the middle, its number and its shift. The slots themselves are not changed, since
    the step may be begun again. The label is the opaque tail that was touched, or how many nodes there is no room for.
    """
    first, need = program[row + words.R_FIRST], program[row + words.R_PLACES]
    n = (program[row + words.R_LAST] - first) // words.OPERAND
    unit, longest = power[limb], power.shape[0] - 1
    # Copy the operands, and find `target`: after how many digits behind the point all of them are cut. An operand
    # without a tail has only zeros there. One with a tail can be cut where a limb ends, which `anchor` decides, the
    # one with the longest head: tails that are cut elsewhere cannot be added to its own.
    target, anchor, at_least = need, -1, 0
    for j in range(n):
        operand = first + words.OPERAND * j
        for word in range(1, 5):
            work[j, word] = slots[program[operand] + word]
        work[j, HEAD] = head_of(slots[program[operand] + MIDDLE], work[j, SIGN], work[j, NODE])
        work[j, NUMBER], work[j, SHIFT] = program[operand + 1], program[operand + 2]
        places = work[j, PLACES] - work[j, SHIFT]
        target = max(target, places)
        if work[j, NODE] != 0 and (anchor < 0 or places > at_least):
            anchor, at_least = j, places
    if anchor >= 0:
        target += (at_least - target) % limb
    while True:
        if target > longest:
            return words.RANGE, 0, 0, top, 0, 0
        # The heads: `total` / base**target is the sum of what lies before the cut. `size`, a float, bounds it and what
        # the tails can add, so that no product below overflows unseen.
        constant = program[row + words.R_NUMBER]
        total = constant * power[target - need]
        size = abs(float(constant)) * float(power[target - need])
        for j in range(n):
            while work[j, NODE] != 0 and work[j, PLACES] - work[j, SHIFT] + limb <= target:
                # The operand is cut too early: a limb goes from its tail to its head.
                node = work[j, NODE]
                if node <= LABELS:
                    return words.TOUCH, 0, node, top, 0, 0
                if abs(float(work[j, HEAD])) * float(unit) > LARGE:
                    return words.RANGE, 0, 0, top, 0, 0
                work[j, HEAD] = work[j, HEAD] * unit + work[j, SIGN] * arena[LINK * node + LIMB]
                work[j, PLACES] += limb
                if work[j, COUNT] > 1:
                    work[j, COUNT] -= 1
                else:
                    work[j, NODE] = arena[LINK * node + NEXT]
                    work[j, COUNT] = arena[LINK * node + REPEATED]
            gap = target - (work[j, PLACES] - work[j, SHIFT])
            if gap > longest:
                return words.RANGE, 0, 0, top, 0, 0
            size += (abs(float(work[j, HEAD])) + 1.0) * float(power[gap]) * abs(float(work[j, NUMBER]))
            if size > LARGE:
                return words.RANGE, 0, 0, top, 0, 0
            total += work[j, NUMBER] * work[j, HEAD] * power[gap]
        # The tails: each is in (0, 1), so the value * base**target is in (low, high), or is `total` if none is left.
        # Equal tails that are cut at the target are added at the first of them, where they may cancel. The value can be
        # written with a tail that is there if exactly one is left, `alone`: cut at the target, with coefficient 1 or
        # -1.
        low, high = total, total
        tails, alone = 0, True
        sign, node, count = np.int64(1), np.int64(0), np.int64(0)
        for j in range(n):
            if work[j, NODE] == 0:
                continue
            coefficient = work[j, SIGN] * work[j, NUMBER]
            gap = target - (work[j, PLACES] - work[j, SHIFT])
            if gap == 0:
                counted = False
                for i in range(n):
                    if i == j or work[i, NODE] == 0 or target != work[i, PLACES] - work[i, SHIFT]:
                        continue
                    if same(work[i, NODE], work[i, COUNT], work[j, NODE], work[j, COUNT], arena):
                        counted |= i < j
                        coefficient += work[i, SIGN] * work[i, NUMBER]
                if counted or coefficient == 0:
                    continue
            else:
                coefficient *= power[gap]
            tails += 1
            low += min(coefficient, 0)
            high += max(coefficient, 0)
            alone &= gap == 0 and abs(coefficient) == 1
            sign, node, count = coefficient, work[j, NODE], work[j, COUNT]
        # In which of the five statuses does the whole interval lie? More digits decide, or cancel, as far as words go.
        scale = power[target]
        kind = UNDECIDED
        if tails == 0:
            kind = status_of(total, NOTHING, scale)
        elif high <= 0:
            kind = NEGATIVE
        elif low >= scale:
            kind = BIG
        elif low >= 0 and high <= scale:
            kind = LIVE
        if kind == UNDECIDED and target + limb <= longest and size * float(unit) <= LARGE:
            target += limb
            continue
        # Write the value. With several tails their sum is one, or if the status is all that is wanted, need not be.
        read, joined = 0, 0
        if tails > 1 or not (tails == 0 or alone):
            if kind != UNDECIDED and (program[row + words.R_KEEP] >> kind) & 1 == 0:
                return words.LIMIT, kind, 0, top, 0, 0
            sign = np.int64(1)
            code, carry, node, count, top, read = sum_of_tails(n, target, work, unit, power, arena, top, room)
            if code:
                return code, kind, read, top, 0, 0
            total += carry
            joined = tails
            kind = status_of(total, node, scale)
        slot = program[row + words.R_DESTINATION]
        slots[slot + MIDDLE] = middle_of(total, sign, node)
        slots[slot + PLACES] = target
        slots[slot + SIGN] = sign
        slots[slot + NODE] = node
        slots[slot + COUNT] = count
        return words.LIMIT, kind, 0, top, read, joined


@compiled
def rows_of(
    node: Any, program: Array, work: Array, slots: Array, binary: Any, most: Any, limb: Any, power: Array, arena: Array,
    top: Any, room: Any,
) -> Any:  # fmt: skip
    """Compute the rows of a node.

    Return (code, label, what they add to the case, new top of the arena, limbs read, tails added).
    """
    case, read, joined = 0, 0, 0
    row = node + words.HEADER + words.SOURCE * program[node + words.N_SOURCES]
    for _ in range(program[node + words.N_ROWS]):
        slot = program[row + words.R_DESTINATION]
        code, kind, label, top, more, tails = general(row, program, work, slots, limb, power, arena, top, room)
        if code:
            return code, label, 0, top, read, joined
        read += more
        joined += tails
        if (program[row + words.R_KEEP] >> kind) & 1 and slots[slot + PLACES] > most:
            x, top = with_short_head(number_in(slot, slots), binary, most, limb, power, arena, top)
            put_number(x, slot, slots)
        case += program[row + words.R_CASES + kind]
        row += words.ROW
    return words.LIMIT, 0, case, top, read, joined
