"""The loop of blocks: several steps in one transition, with the two long numbers in registers of the processor.

A node of blocks (:mod:`exactnn.simulation.positional.blocks`) looks at some leading digits of its numbers. The class of
either is in `classes`, and the block for two classes in `table`. A block says what each number of the next node is made
of. So nothing goes through memory between two blocks but what tells them, and the limbs of tails.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled, register_jitable
from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import (
    NOTHING,
    Array,
    Number,
    entry_of,
    moved,
    number_in,
    put_number,
    with_digits,
    with_short_head,
)  # fmt: skip

__all__ = ["CLASSES", "BlockArrays", "changed_output", "follow"]

CLASSES = 1 << 7
"""Different leading digits for which there are blocks, those that come up first, and class 0 for all others."""


class BlockArrays(NamedTuple):
    """What there is of blocks.

    `digits` are looked at. With `guesses` the next block is guessed. `classes[entry]` is the class of a number: entry
    2q is that of q / base**digits, and 2q + 1 that of all between it and the next. `nodes[node]` has the words of a
    node. `table[node, class, class]` has the number of a block, 0 where none is written yet, -1 where there is none.
    `blocks[number]` is a block. The loop gets all of them flat.
    """

    digits: int
    guesses: int
    classes: NDArray[np.uint8]
    nodes: Array
    table: NDArray[np.int16]
    blocks: Array


@register_jitable
def changed_output(output: Any, steps: Any, changes: Array, changed: Any, stops: Array) -> tuple[Any, Any]:
    """Take note of an output that is another one than before; return why the loop stops, and how many are written."""
    if output == words.UNFIXED:
        return words.LIVE_OUTPUT, changed
    changes[changed, 0] = steps
    changes[changed, 1] = output
    changed += 1
    if stops[output]:
        return words.DECIDED, changed
    return (words.CHANGES if changed == changes.shape[0] else words.LIMIT), changed


@compiled
def follow(
    arrays: BlockArrays, stops: Array, power: Array, binary: Any, limb: Any, most: Any, slots: Array, arena: Array,
    work: Array | None, changes: Array, node: Any, steps: Any, top: Any, output: Any, changed: Any, limit: Any,
    room: Any,
) -> Any:  # fmt: skip
    """Take blocks from a node on; return (code, the plain node where they lead, steps, top, output, changed).

    The code is SINGLE where there is no block, BLOCK where there is none yet. The numbers are in the slots of the plain
    node then.
    """
    digits, guesses, classes, nodes, table, blocks = arrays
    none = np.int64(0)
    zero = Number(none, np.int64(1), np.int64(1), NOTHING, none, NOTHING, none, none)
    node = np.uint64(node)
    at = np.uint64(words.BLOCK_NODE) * node
    first = number_in(nodes[at + np.uint64(words.B_FIRST)], slots, work)
    second = number_in(nodes[at + np.uint64(words.B_SECOND)], slots, work)
    at = NOTHING
    while True:
        if first.places < digits:
            first = with_digits(first, digits, limb, power, arena)
        if second.places < digits:
            second = with_digits(second, digits, limb, power, arena)
        if first.places < digits or second.places < digits:
            code = words.SINGLE
            break
        one = np.uint64(classes[entry_of(first, digits, binary, power)])
        other = np.uint64(classes[entry_of(second, digits, binary, power)])
        number = table[(node * np.uint64(CLASSES) + one) * np.uint64(CLASSES) + other]
        if number <= 0:
            code = words.SINGLE if number else words.BLOCK
            break
        # A guess: the block that came after this one the last time. The processor goes on with it while the look-ups,
        # which wait for each other, are still on, and begins again where they find another one. Only half a word of
        # each is compared. If all was, the compiler would know that they are equal and use the one that is looked up.
        found = np.uint64(number) * np.uint64(words.BLOCK_SIZE)
        if guesses:
            guess = np.uint64(blocks[at + np.uint64(words.K_GUESS)])
            if np.uint32(guess) != np.uint32(found):
                blocks[at + np.uint64(words.K_GUESS)] = found
                guess = found
            at = guess
        else:
            at = found
        # Each number of the next node is one of these two, or 0, shifted and with a constant.
        move = at + np.uint64(words.K_MOVES)
        source = blocks[move + np.uint64(words.M_SOURCE)]
        x = first if source == words.FIRST else second if source == words.SECOND else zero
        move2 = move + np.uint64(words.M_DESTINATION)
        source = blocks[move2 + np.uint64(words.M_SOURCE)]
        y = first if source == words.FIRST else second if source == words.SECOND else zero
        first, second = moved(x, blocks, move, binary, power), moved(y, blocks, move2, binary, power)
        if first.places > most:
            first, top = with_short_head(first, binary, most, limb, power, arena, top)
        if second.places > most:
            second, top = with_short_head(second, binary, most, limb, power, arena, top)
        node = np.uint64(blocks[at + np.uint64(words.K_NODE)])
        steps += blocks[at + np.uint64(words.K_STEPS)]
        code = words.LIMIT
        written = nodes[np.uint64(words.BLOCK_NODE) * node + np.uint64(words.B_OUTPUT)]
        if written != output:
            output = written
            code, changed = changed_output(output, steps, changes, changed, stops)
            if code:
                break
        if steps >= limit:
            break
        if top > room:
            code = words.FULL
            break
    at = np.uint64(words.BLOCK_NODE) * node
    if nodes[at + np.uint64(words.B_NUMBERS)] > 0:
        put_number(first, nodes[at + np.uint64(words.B_FIRST)], slots, work)
    if nodes[at + np.uint64(words.B_NUMBERS)] > 1:
        put_number(second, nodes[at + np.uint64(words.B_SECOND)], slots, work)
    return code, np.uint64(nodes[at + np.uint64(words.B_PLAIN)]), steps, top, output, changed
