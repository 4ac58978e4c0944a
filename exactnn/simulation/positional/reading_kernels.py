"""Reading a word in direct mode: a step for each symbol, without a return to Python between them."""

from typing import Any

import numpy as np
from numba.extending import register_jitable

from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional.kernels import (
    C_CHANGES,
    C_NODE,
    C_START,
    C_STEPS,
    C_TOP,
    FULL,
    LIMIT,
    LIVE_OUTPUT,
    T_NODE,
    Array,
    loop,
)

__all__ = ["NONE", "SWITCH", "enter", "read"]

SWITCH = 100
"""Why the loop stopped, besides what :func:`loop` says: the node for a pattern and an input is not in the table."""
NONE = -1


@register_jitable
def slot_of(switch: Any, start: Any, symbol: Any) -> Any:
    """Return where a node and a symbol are in the table, or where they should be."""
    mask = np.uint64(len(switch) - 1)
    key = (np.uint64(start) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(symbol) * np.uint64(0xBF58476D1CE4E5B9))
    slot = (key ^ (key >> np.uint64(32))) & mask
    while switch[slot, 0] != NONE and (switch[slot, 0] != start or switch[slot, 1] != symbol):
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def read(
    program: Array, never: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array, changes: Array, control: Array, symbols: Array, begin: int, switch: Array, room: int,
) -> tuple[int, int]:  # fmt: skip
    """Take a step for each symbol from number `begin` on; return why it stopped and at which symbol.

    `switch` is a hash table: a node that begins a step, a symbol, and the node for this symbol in the same pattern.
    """
    for at in range(begin, len(symbols)):
        if control[C_TOP] > room:
            return FULL, at
        start, symbol = control[C_START], symbols[at]
        slot = slot_of(switch, start, symbol)
        if switch[slot, 0] == NONE:
            return SWITCH, at
        control[C_NODE] = control[C_START] = switch[slot, 2]
        control[C_CHANGES] = 0
        code = loop(
            program, never, power, binary, limb, most, slots, arena, work, changes, None, 0, control,
            control[C_STEPS] + 1, T_NODE, False,
        )  # fmt: skip
        if code != LIMIT and code != LIVE_OUTPUT:
            return code, at
    return LIMIT, len(symbols)


@compiled
def enter(switch: Array, start: int, symbol: int, node: int) -> None:
    """Put a node into the table, which must have room."""
    slot = slot_of(switch, start, symbol)
    switch[slot, 0], switch[slot, 1], switch[slot, 2] = start, symbol, node
