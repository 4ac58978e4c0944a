"""Rows: units that read several long numbers, computed in machine words."""

from typing import Any

from exactnn.simulation.compiled import compiled
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
    PLACES,
    REPEATED,
    SIGN,
    Array,
    head_of,
    middle_of,
    number_in,
    put_number,
    same,
    with_short_head,
)  # fmt: skip
from exactnn.simulation.positional.rows import Status

__all__ = ["rows_of"]

ZERO, ONE, LIVE, BIG, NEGATIVE = map(int, Status)
LARGE = 4.0e18  # below 2**63, with room for the errors of sizes that are reckoned in floats


@compiled
def general(row: Any, program: Array, work: Array, slots: Array, limb: Any, power: Array, arena: Array) -> Any:
    """Compute a row of any operands; return (code, status of its value, opaque tail that was touched).

    The value is written if it has at most one tail, and that with coefficient 1 or -1; the code is LIMIT then,
    and TWO_TAILS where only the status is known. `work` is scratch space: a copy of every operand's slot with the head
    for the middle, its number and its shift. The slots themselves are not changed, since the step may be begun again.
    """
    first, need = program[row + words.R_FIRST], program[row + words.R_PLACES]
    n = (program[row + words.R_LAST] - first) // words.OPERAND
    unit, longest = power[limb], power.shape[0] - 1
    # Copy the operands, and find `target`: after how many digits behind the point all of them are cut. An operand
    # without a tail has only zeros there. One with a tail can be cut where a limb ends, which `anchor` decides, the
    # first of them: tails that are cut elsewhere cannot be added to its own.
    target, anchor = need, -1
    for j in range(n):
        operand = first + words.OPERAND * j
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
            return words.RANGE, 0, 0
        # The heads: `total` / base**target is the sum of what lies before the cut. `size`, a float, bounds it and what
        # the tails can add, so that no product below overflows unseen.
        constant = program[row + words.R_NUMBER]
        total = constant * power[target - need]
        size = abs(float(constant)) * float(power[target - need])
        for j in range(n):
            while work[j, NODE] != 0 and work[j, PLACES] - work[j, 6] + limb <= target:
                # The operand is cut too early: a limb goes from its tail to its head.
                node = work[j, NODE]
                if node <= LABELS:
                    return words.TOUCH, 0, node
                if abs(float(work[j, HEAD])) * float(unit) > LARGE:
                    return words.RANGE, 0, 0
                work[j, HEAD] = work[j, HEAD] * unit + work[j, SIGN] * arena[LINK * node + LIMB]
                work[j, PLACES] += limb
                if work[j, COUNT] > 1:
                    work[j, COUNT] -= 1
                else:
                    work[j, NODE] = arena[LINK * node + NEXT]
                    work[j, COUNT] = arena[LINK * node + REPEATED]
            gap = target - (work[j, PLACES] - work[j, 6])
            if gap > longest:
                return words.RANGE, 0, 0
            size += (abs(float(work[j, HEAD])) + 1.0) * float(power[gap]) * abs(float(work[j, 5]))
            if size > LARGE:
                return words.RANGE, 0, 0
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
        code = words.TWO_TAILS
        top = power[target]
        if tails == 0 or (tails == 1 and alone):
            code = words.LIMIT
            slot = program[row + words.R_DESTINATION]
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
    row = node + words.HEADER + words.SOURCE * program[node + words.N_SOURCES]
    for _ in range(program[node + words.N_ROWS]):
        slot = program[row + words.R_DESTINATION]
        code, kind, label = general(row, program, work, slots, limb, power, arena)
        kept = (program[row + words.R_KEEP] >> kind) & 1
        if code == words.TWO_TAILS and not kept:
            code = words.LIMIT  # the activation makes it 0 or 1: the status was all that is wanted
        if code:
            return code, label, 0, top
        if kept and slots[slot + PLACES] > most:
            x, top = with_short_head(number_in(slot, slots), binary, most, limb, power, arena, top)
            put_number(x, slot, slots)
        case += program[row + words.R_CASES + kind]
        row += words.ROW
    return words.LIMIT, 0, case, top
