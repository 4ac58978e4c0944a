"""Steps of a network in residues modulo 2**61 - 1 along given transitions, in numba.

The steps are an array of words. A transition that ends a layer has an entry there: the units whose residues are
computed, each from a constant, weighted registers and weighted products of two; and, at the end of a step, the
registers that become the state. Every entry also names the pattern that it begins in and the one that it leads to, by
numbers, so that a jump to a transition of another pattern is found.

Where a number of the state is cut off, so that nothing of it is left in the next state, no later comparison sees
whether it was right. It was if the shadow finds it used up, some unit that reads it alone being exactly 0 or 1 and not
beyond. Other such steps are counted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = [
    "BEGINNING", "CUTS", "FLOW", "MODULUS", "STEPS", "USED_UP", "WRONG_PATTERN", "WRONG_VALUE",
    "product", "replay",
]  # fmt: skip

Array = NDArray[np.int64]
Residues = NDArray[np.uint64]

MODULUS = (1 << 61) - 1

# Why a replay stopped early: results below 0.
WRONG_PATTERN, WRONG_VALUE = -1, -2
# Places of the replay's variables: the pattern now, that of the last state, steps taken, those that cut numbers off.
NOW, BEGINNING, STEPS, CUTS = range(4)
FLOW = 4
# An entry: the pattern that it begins in and that it leads to, whether it ends a step, how many units and copies, and
# of how many numbers nothing is left.
FROM, TO, ENDS, UNITS, COPIES, LOST = range(6)
ENTRY = 6
# A unit: its register, the value that it must have (-1: any, it is written; USED_UP - 2i - v: the i-th number that is
# lost was used up if the unit is v), a constant, and how many terms.
USED_UP = -2
REGISTER, EXPECTED, BIAS, LINEAR, BILINEAR = range(5)
UNIT = 5

P = np.uint64(MODULUS)
BITS, HALF, MORE, SINGLE = np.uint64(61), np.uint64(31), np.uint64(30), np.uint64(1)
LOW_HALF, LOW_MORE = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)
TWO, THREE = np.uint64(2), np.uint64(3)


@compiled
def product(a: Any, b: Any) -> Any:
    """Return a * b modulo 2**61 - 1, or as much more, for unsigned words below 2**61 + 7.

    With halves of 31 bits, 2**62 is 2, and 2**31 times the middle part is cut where it passes 2**61.
    """
    high, low = a >> HALF, a & LOW_HALF
    other_high, other_low = b >> HALF, b & LOW_HALF
    middle = high * other_low + low * other_high
    total = ((high * other_high) << SINGLE) + (middle >> MORE) + ((middle & LOW_MORE) << HALF) + low * other_low
    return (total & P) + (total >> BITS)


@compiled
def unit_value(at: Any, steps: Array, registers: Residues) -> Any:
    """Return the unit whose words begin at `at`, as a word like those of :func:`product`."""
    total = np.uint64(steps[at + np.uint64(BIAS)])
    term = at + np.uint64(UNIT)
    for _ in range(steps[at + np.uint64(LINEAR)]):
        total += product(np.uint64(steps[term + SINGLE]), registers[np.uint64(steps[term])])
        total = (total & P) + (total >> BITS)
        term += TWO
    for _ in range(steps[at + np.uint64(BILINEAR)]):
        both = product(registers[np.uint64(steps[term])], registers[np.uint64(steps[term + SINGLE])])
        total += product(np.uint64(steps[term + TWO]), both)
        total = (total & P) + (total >> BITS)
        term += THREE
    return total


@compiled
def replay(
    trace: Array,
    position: Any,
    taken: Any,
    entries: Array,
    steps: Array,
    registers: Residues,
    scratch: Residues,
    flow: Array,
) -> Any:
    """Follow the transitions in the trace; return the place of the first without an entry, `taken`, or a fault."""
    now, beginning, done, cuts = flow[NOW], flow[BEGINNING], flow[STEPS], flow[CUTS]
    while position < taken:
        transition = np.uint64(trace[position])
        if transition >= np.uint64(entries.shape[0]) or entries[transition] == 0:
            break
        position += 1
        if entries[transition] < 0:
            continue  # in the middle of a layer
        at = np.uint64(entries[transition])
        if steps[at + np.uint64(FROM)] != now:
            return WRONG_PATTERN
        now = steps[at + np.uint64(TO)]
        ends, units = steps[at + np.uint64(ENDS)], steps[at + np.uint64(UNITS)]
        copies = np.uint64(steps[at + np.uint64(COPIES)])
        lost = steps[at + np.uint64(LOST)]
        used_up = 0
        at += np.uint64(ENTRY)
        for _ in range(units):
            value = unit_value(at, steps, registers)
            expected = steps[at + np.uint64(EXPECTED)]
            if expected <= USED_UP:
                if value % P == np.uint64((USED_UP - expected) & 1):
                    used_up |= 1 << ((USED_UP - expected) >> 1)
            elif expected < 0:
                registers[np.uint64(steps[at + np.uint64(REGISTER)])] = value
            elif value % P != np.uint64(expected):
                return WRONG_VALUE
            terms = TWO * np.uint64(steps[at + np.uint64(LINEAR)]) + THREE * np.uint64(steps[at + np.uint64(BILINEAR)])
            at += np.uint64(UNIT) + terms
        for i in range(copies):
            scratch[i] = registers[np.uint64(steps[at + TWO * i])]
        for i in range(copies):
            registers[np.uint64(steps[at + TWO * i + SINGLE])] = scratch[i]
        if ends:
            beginning = now
            done += 1
            cuts += used_up + 1 != 1 << lost
    flow[NOW], flow[BEGINNING], flow[STEPS], flow[CUTS] = now, beginning, done, cuts
    return position
