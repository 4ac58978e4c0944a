"""Rows: units that read several long numbers, computed in machine words."""

from typing import Any

import numpy as np

from exactnn.simulation.compiled import compiled, register_jitable
from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import (
    COUNT,
    CUT,
    HEAD,
    LABELS,
    LIMB,
    LINK,
    MIDDLE,
    NODE,
    NOTHING,
    PLACES,
    REST,
    REST_COUNT,
    SIGN,
    SLOT,
    Array,
    following,
    head_of,
    middle_of,
    number_in,
    put,
    put_number,
    same,
    with_short_head,
    word_of,
)  # fmt: skip
from exactnn.simulation.positional.rows import Status

__all__ = ["NUMBER", "OPERAND_SIZE", "rows_of", "sum_of_tails"]

ZERO, ONE, LIVE, BIG, NEGATIVE = map(int, Status)
UNDECIDED = -1
LARGE = 4.0e18  # below 2**63, with room for the errors of sizes that are reckoned in floats

NUMBER, SHIFT, BEFORE = SLOT, SLOT + 1, SLOT + 2
"""Words of an operand in scratch space, after those of its slot: its number, its shift or how often that counts, and
its tail while a shorter one is added."""
OPERAND_SIZE = BEFORE + 4
SHORTEST = 4
"""Zeros that all other operands begin with, at least, where a sum is cut."""
PAIR = 2
"""Words of a sum of limbs in the free end of an arena: the sum, and how often it comes."""


@register_jitable(forceinline=True)
def status_of(head: Any, node: Any, top: Any) -> Any:
    """Return the status of the number (head + T) / top, with the tail T, or 0 for T without a node."""
    if head < 0:
        return NEGATIVE
    if head >= top:
        return ONE if head == top and node == NOTHING else BIG
    return ZERO if head == 0 and node == NOTHING else LIVE


@register_jitable(forceinline=True)
def zeros_at_front(j: Any, work: Array, arena: Array) -> Any:
    """Return how many limbs 0 the tail of an operand begins with, as far as its first node tells."""
    node = work[j, NODE]
    return work[j, COUNT] if node > LABELS and word_of(node, LIMB, arena) == 0 else 0


@register_jitable(forceinline=True)
def without_limbs(j: Any, times: Any, work: Array, arena: Array) -> None:
    """Take limbs from the tail of an operand, not more than its first node has."""
    work[j, COUNT] -= times
    if work[j, COUNT] == 0:
        work[j, NODE], work[j, COUNT], work[j, REST], work[j, REST_COUNT] = following(
            work[j, NODE], work[j, REST], work[j, REST_COUNT], arena
        )


@register_jitable(forceinline=True)
def added(n: Any, work: Array, unit: Any, zeros: Any, most: Any, arena: Array, top: Any, room: Any) -> Any:
    """Add the tails of `n` operands, each so often as its shift says; return what :func:`sum_of_tails` does.

    The sum is cut after at most `zeros` limbs, where nothing is carried over into those before. It is left, with FULL,
    if it has more than `most` different limbs.
    """
    total: Any
    times: Any
    # From the first limbs to the last: their sums, without what is carried over, go into the arena from its end on.
    at, sums, limbs, read, active = arena.shape[0], 0, np.int64(0), 0, True
    while active:
        active, total, times = False, 0, np.int64(1 << 62)
        for j in range(n):
            node = work[j, NODE]
            if node != 0:
                if node <= LABELS:
                    return words.OPAQUE_SUM, 0, 0, 0, 0, 0, 0, top, 0
                active = True
                read += 1
                total += work[j, SHIFT] * word_of(node, LIMB, arena)
                times = min(times, work[j, COUNT])
        if not active:
            break
        for j in range(n):
            if work[j, NODE] != 0:
                without_limbs(j, times, work, arena)
        at -= PAIR
        sums += 1
        limbs += times
        if LINK * (top + 1) <= at:
            arena[np.uint64(at)], arena[np.uint64(at + 1)] = total, times
        if sums > most:
            return words.FULL, 0, 0, 0, 0, 0, 0, top, read
    # From the last to the first: each with what the ones after it carry over. Once that stays the same, so do the
    # limbs. What is written grows towards what is still to be read, and must not reach it: where it would, all is left.
    # A sum that has been read makes room for more, so that to go on with the next one would lose the rest of this one.
    # The cut is at the last place, with `length` limbs before it, where both parts end in a limb that is not 0.
    carry, node, count = np.int64(0), NOTHING, np.int64(0)
    rest, rest_count, length = NOTHING, np.int64(0), np.int64(0)
    fresh, times = top, np.int64(0)
    for _ in range(sums):
        if LINK * (fresh + 1) > at:
            fresh = room + 1
            break
        total, times = arena[np.uint64(at)], arena[np.uint64(at + 1)]
        if limbs <= zeros and length == 0 and carry == 0 and total != 0 and node != NOTHING:
            rest, rest_count, length = node, count, limbs
            node, count = NOTHING, np.int64(0)
        limbs -= times
        while times > 0 and LINK * (fresh + 1) <= at:
            limb, over = total + carry, np.int64(0)
            if limb < 0 or limb >= unit:  # most often by less than a unit
                over = np.int64(1 if limb > 0 else -1)
                limb -= over * unit
                if limb < 0 or limb >= unit:
                    over += limb // unit
                    limb %= unit
            repeated = times if over == carry else np.int64(1)
            node, count, fresh = put(limb, repeated, node, count, arena, fresh)
            carry = over
            times -= repeated
        if times > 0:
            break
        at += PAIR
    if fresh > room or times > 0:
        return words.FULL, 0, 0, 0, 0, 0, 0, top, 4 * sums + 2 * max(room - top, 0) + 64  # rows before may be beyond it
    return words.LIMIT, carry, np.int64(node), count, np.int64(rest), rest_count, length, fresh, read


@compiled
def sum_of_tails(
    n: Any, target: Any, work: Array, unit: Any, limb: Any, power: Array, arena: Array, top: Any, room: Any
) -> Any:  # fmt: skip
    """Add the tails of `n` operands limb by limb.

    Return (code, carry, node, count, node and count of the rest, limbs before it, new top of the arena, limbs read).

    The sum times base**target is the carry, any integer, and a tail of digits. Each operand is cut where less than a
    limb is left to the target, so that its tail counts number * base**gap times. OPAQUE_SUM if one is opaque, RANGE if
    sums of limbs may leave the machine word, FULL if there is no room below `room`, with the nodes that it takes
    instead of the limbs read.

    What a queue does at its far end needs no copy of all before it. There an operand counts once, and all others begin
    with zeros: as long as these last, its limbs are those of the sum. So the sum is cut before their end. If the
    operand is cut within the zeros already, only what comes after that is added; unless something is carried over the
    cut, or that is so long that a later cut is better: more than about half the root of the limbs before it.
    """
    size = 0.0
    for j in range(n):
        if work[j, NODE] != 0:
            work[j, SHIFT] = work[j, SIGN] * work[j, NUMBER] * power[target - (work[j, PLACES] - work[j, SHIFT])]
            size += abs(float(work[j, SHIFT]))
    if (size + 1.0) * float(unit) > LARGE:
        return words.RANGE, 0, 0, 0, 0, 0, 0, top, 0
    queue, zeros = -1, np.int64(SHORTEST - 1)
    for j in range(n):
        if work[j, NODE] != 0 and work[j, SHIFT] == 1:
            least = np.int64(0)
            for i in range(n):
                if i != j and work[i, NODE] != 0:
                    front = zeros_at_front(i, work, arena)
                    least = front if least == 0 else min(least, front)
                    if front == 0:
                        break
            if least > zeros:
                queue, zeros = j, least
    if queue >= 0 and work[queue, REST] != 0:
        length = (work[queue, CUT] - work[queue, PLACES]) // limb
        if length <= zeros:
            node, count = work[queue, NODE], work[queue, COUNT]
            for j in range(n):
                for word in range(4):
                    work[j, BEFORE + word] = work[j, NODE + word]
                if j == queue:
                    work[j, NODE], work[j, COUNT], work[j, REST] = work[j, REST], work[j, REST_COUNT], 0
                elif work[j, NODE] != 0:
                    without_limbs(j, length, work, arena)
            most = 2 + int(0.5 * float(length) ** 0.5)
            code, carry, rest, rest_count, _, _, _, fresh, read = added(n, work, unit, 0, most, arena, top, room)
            if code == words.LIMIT and carry == 0:
                return code, carry, node, count, rest, rest_count, length, fresh, read
            for j in range(n):
                for word in range(4):
                    work[j, NODE + word] = work[j, BEFORE + word]
    return added(n, work, unit, zeros if queue >= 0 else 0, arena.shape[0], arena, top, room)


@register_jitable(forceinline=True)
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
        for word in range(1, SLOT):
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
                work[j, HEAD] = work[j, HEAD] * unit + work[j, SIGN] * word_of(node, LIMB, arena)
                work[j, PLACES] += limb
                without_limbs(j, 1, work, arena)
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
        rest, rest_count, cut = np.int64(0), np.int64(0), np.int64(0)
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
                    if same(
                        work[i, NODE], work[i, COUNT], work[i, REST], work[i, REST_COUNT],
                        work[j, NODE], work[j, COUNT], work[j, REST], work[j, REST_COUNT], arena,
                    ):  # fmt: skip
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
            rest, rest_count, cut = work[j, REST], work[j, REST_COUNT], work[j, CUT] - work[j, SHIFT]
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
            code, carry, node, count, rest, rest_count, length, top, read = sum_of_tails(
                n, target, work, unit, limb, power, arena, top, room
            )
            cut = target + limb * length
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
        slots[slot + REST] = rest
        slots[slot + REST_COUNT] = rest_count
        slots[slot + CUT] = cut
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
            x, top = with_short_head(number_in(slot, slots, work), binary, most, limb, power, arena, top)
            put_number(x, slot, slots, work)
        case += program[row + words.R_CASES + kind]
        row += words.ROW
    return words.LIMIT, 0, case, top, read, joined
