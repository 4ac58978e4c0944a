"""How a long number is held: a few leading digits in a machine word, all others in a tail that numbers share.

A number is (head + sign * T) / base**places.

- The *head* and its *places* are machine integers. The head may be negative. What is kept of it is the *middle*: twice
  the middle of what the head leaves open, that is 2 head, or 2 head + sign if there is a tail. Its leading digits tell
  all that the head and the tail's sign do: whether the number is at a digit's border or beyond it.
- The *tail* T, in (0, 1), is a reference (node, count): the limb of the node `count` times, most significant first, and
  then the tail that the node leads to. A limb is a fixed number of digits. With sign 1 the digits are those of the
  number, with sign -1 those of its distance to the next one above. Node 0 is the empty tail, T = 0.
- The nodes are in an *arena*. They are never changed, so that numbers and states may share them, and new ones are made
  at its end. When it is full, `compact` copies what is in use. Runs of limbs are as long as they can be, and no node of
  limb 0 leads to node 0: so equal tails have equal runs, and a tail that is not node 0 is not 0.
- The digits of a tail may be in two lists of nodes: where the first ends, the *rest* goes on, a reference too. So a
  number that grows at its far end, as a queue does, shares all but the rest with what it was before. The `cut` says
  after how many digits behind the point the rest begins. Only sums leave one behind (`row_kernels`).
- Nodes 1 to LABELS are *opaque*: tails of which nothing is known but that they lie in (0, 1). Whoever needs their
  digits stops. Macro mode runs the network with such tails, to see what it does for all of them.

Numbers and nodes are words in flat arrays. A *slot* is eight words, the address of its first word is its address.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional import words

__all__ = [
    "COUNT", "CUT", "HEAD", "LABELS", "LIMB", "LINK", "MIDDLE", "NEXT", "NODE", "NOTHING", "PLACES", "REPEATED", "REST",
    "REST_COUNT", "SIGN", "SLOT", "Array", "Number", "Runs", "Tail", "entry_in", "entry_of", "equal",
    "following", "head_of", "middle_of", "moved", "number_in", "put_number", "same", "with_digits", "with_short_head",
    "word_of",
]  # fmt: skip

Array = NDArray[np.int64]
"""Array, nodes, or a program: machine integers, one after another."""

Tail = tuple[int, int]
"""A reference to a list of nodes: the first, and how often its limb is repeated."""

Runs = tuple[tuple[int, int], ...]
"""Limbs as (limb, how many of them), the most significant first."""

LABELS = 16
"""Opaque tails; the first tail that can be made is number LABELS + 1."""

# Words of a slot.
MIDDLE, PLACES, SIGN, NODE, COUNT, REST, REST_COUNT, CUT = range(8)
HEAD = MIDDLE  # in a copy of a slot that has the head there
SLOT = 8
# Words of a node: its limb, and the tail that it leads to as (node, count). The fourth is not used.
LIMB, NEXT, REPEATED = range(3)
LINK = 4
NOTHING, ONE_MORE, OPAQUE = np.uint64(0), np.uint64(1), np.uint64(LABELS)  # unsigned addresses are faster


@register_jitable  # from Python it is called as it stands
def head_of(middle: Any, sign: Any, node: Any) -> Any:
    """Return the head of a number: its middle is 2 head, and one more or less by the sign of a tail."""
    return (middle - sign if node else middle) >> 1


@register_jitable
def middle_of(head: Any, sign: Any, node: Any) -> Any:
    """Return twice the middle of what a head leaves open: (head, head + sign) if there is a tail, else the head."""
    return 2 * head + sign if node else 2 * head


class Number(NamedTuple):
    """The words of a slot."""

    middle: Any
    places: Any
    sign: Any
    node: Any
    count: Any
    rest: Any
    rest_count: Any
    cut: Any


@register_jitable
def number_in(slot: Any, slots: Array, work: Array | None) -> Number:
    """Return the number in a slot; without a rest where `work` is None, since there are no sums then."""
    address = np.uint64(slot)
    middle, places = slots[address + np.uint64(MIDDLE)], slots[address + np.uint64(PLACES)]
    sign, node = slots[address + np.uint64(SIGN)], np.uint64(slots[address + np.uint64(NODE)])
    count = slots[address + np.uint64(COUNT)]
    if work is None:
        return Number(middle, places, sign, node, count, NOTHING, np.int64(0), np.int64(0))
    rest, rest_count = np.uint64(slots[address + np.uint64(REST)]), slots[address + np.uint64(REST_COUNT)]
    return Number(middle, places, sign, node, count, rest, rest_count, slots[address + np.uint64(CUT)])


@register_jitable
def put_number(x: Number, slot: Any, slots: Array, work: Array | None) -> None:
    """Write a number into a slot, its rest only where there may be one."""
    address = np.uint64(slot)
    if work is not None:
        slots[address + np.uint64(REST)] = x.rest
        slots[address + np.uint64(REST_COUNT)] = x.rest_count
        slots[address + np.uint64(CUT)] = x.cut
    slots[address + np.uint64(MIDDLE)] = x.middle
    slots[address + np.uint64(PLACES)] = x.places
    slots[address + np.uint64(SIGN)] = x.sign
    slots[address + np.uint64(NODE)] = x.node
    slots[address + np.uint64(COUNT)] = x.count


@register_jitable
def with_digits(x: Number, need: Any, limb: Any, power: Array, arena: Array) -> Number:
    """Return a number with at least `need` digits in its head; with fewer if an opaque tail is reached before.

    The middle of head and tail is that of the longer head and what is left of the tail. From 2 head + sign it goes to
    2 (head * unit + sign * limb) + sign, or without the last summand if nothing is left.
    """
    middle, places, tail, count, rest, rest_count = x.middle, x.places, x.node, x.count, x.rest, x.rest_count
    while places < need:
        if tail == NOTHING:
            middle *= power[np.uint64(need - places)]
            places = need
        elif tail <= OPAQUE:
            break
        else:
            link = tail * np.uint64(LINK)
            more = 2 * arena[link + np.uint64(LIMB)] - power[np.uint64(limb)] + 1
            if count > 1:
                count -= 1
            else:
                count = arena[link + np.uint64(REPEATED)]
                tail = np.uint64(arena[link + np.uint64(NEXT)])
                if tail == NOTHING:
                    tail, count, rest, rest_count = rest, rest_count, NOTHING, np.int64(0)
                more -= tail == NOTHING
            middle = middle * power[np.uint64(limb)] + x.sign * more
            places += limb
    return Number(middle, places, x.sign, tail, count, rest, rest_count, x.cut)


@register_jitable
def entry_of(x: Number, digits: Any, binary: Any, power: Array) -> Any:
    """Return 2q for the number q / base**digits, and 2q + 1 for those between it and the next.

    With a tail the middle is inside of what the head leaves open, so it is between. Without one it is the number, which
    stands on a border if nothing follows its leading digits.
    """
    rest = np.uint64(x.places - digits)
    leading = x.middle >> (rest + ONE_MORE) if binary else x.middle // (2 * power[rest])
    entry = 2 * leading + 1
    if x.node == NOTHING:
        entry -= x.middle == leading * (2 * power[rest])
    return np.uint64(entry)


def entry_in(slot: int, slots: Array, digits: int, base: int) -> int:
    """Return the entry of the number in a slot whose head has so many digits, as :func:`entry_of` does."""
    middle, places = int(slots[slot + MIDDLE]), int(slots[slot + PLACES])
    leading, rest = divmod(middle, 2 * base ** (places - digits))
    return int(2 * leading + (rest > 0))


@register_jitable
def moved(x: Number, code: Array, move: Any, binary: Any, power: Array) -> Number:
    """Return what a move makes of a number, for a move at this address."""
    turned = code[move + np.uint64(words.M_TURNED)]
    shift = code[move + np.uint64(words.M_SHIFT)]
    places = x.places - shift
    more = np.uint64(places - code[move + np.uint64(words.M_PLACES)])
    twice = code[move + np.uint64(words.M_TWICE)]
    if binary:
        twice = twice << more
    else:
        twice *= power[more]
    middle, sign = (x.middle ^ turned) - turned + twice, (x.sign ^ turned) - turned
    return Number(middle, places, sign, x.node, x.count, x.rest, x.rest_count, x.cut - shift)


@register_jitable(forceinline=True)
def put(limb: Any, times: Any, node: Any, count: Any, arena: Array, top: Any) -> Any:
    """Put a limb so many times before the tail (node, count); return the new tail's node and count, and the new top.

    A run gets longer, and zeros before the empty tail leave it empty. So equal tails have equal runs.
    """
    if node > OPAQUE and arena[np.uint64(LINK) * node + np.uint64(LIMB)] == limb:
        return node, count + times, top
    if node == NOTHING and limb == 0:
        return node, count, top
    link = np.uint64(LINK) * np.uint64(top)
    arena[link + np.uint64(LIMB)] = limb
    arena[link + np.uint64(NEXT)] = node
    arena[link + np.uint64(REPEATED)] = count
    return np.uint64(top), times, top + 1


@register_jitable(forceinline=True)  # a fifth faster where a head is full every ten steps
def with_short_head(
    x: Number, binary: Any, most: Any, limb: Any, power: Array, arena: Array, top: Any
) -> tuple[Number, Any]:
    """Return a number with at most `most` digits in its head, the others in its tail, and the arena's new top.

    With sign -1 the digits are those of the number's distance to the next one above. In base 2 the middle is cut as it
    is: the last digits and the tail, whichever their sign, leave it at an odd number, or even if they are 0.
    """
    middle, places, node, count = x.middle, x.places, x.node, x.count
    sign = x.sign if node else 1
    unit = power[np.uint64(limb)]
    while places > most:
        if binary:
            digits = (sign * middle >> 1) & (unit - 1)
            middle = middle >> limb
            if node or digits:
                middle |= 1
        else:
            head = head_of(middle, sign, node)
            digits = (sign * head) % unit
            middle = middle_of((head - sign * digits) // unit, sign, node or digits)
        places -= limb
        node, count, top = put(digits, 1, node, count, arena, top)
    return Number(middle, places, sign, node, count, x.rest, x.rest_count, x.cut), top


@register_jitable(forceinline=True)
def word_of(node: Any, word: int, arena: Array) -> Any:
    """Return a word of a node."""
    return arena[np.uint64(LINK) * np.uint64(node) + np.uint64(word)]


@register_jitable(forceinline=True)
def following(node: Any, rest: Any, rest_count: Any, arena: Array) -> Any:
    """Return what follows the limbs of a node, and the rest after it: the rest itself if the list ends there."""
    after = word_of(node, NEXT, arena)
    if after == 0:
        return rest, rest_count, np.int64(0), np.int64(0)
    return after, word_of(node, REPEATED, arena), rest, rest_count


@register_jitable(forceinline=True)
def same(
    first: Any, count: Any, rest: Any, rest_count: Any,
    second: Any, count_too: Any, rest_too: Any, rest_count_too: Any, arena: Array,
) -> Any:  # fmt: skip
    """Whether two tails hold the same digits: run by run, until the same nodes are left or digits differ."""
    while first != second or count != count_too or rest != rest_too or rest_count != rest_count_too:
        if first <= LABELS or second <= LABELS:
            return first == second
        if word_of(first, LIMB, arena) != word_of(second, LIMB, arena):
            return False
        times = min(count, count_too)
        count -= times
        count_too -= times
        if count == 0:
            first, count, rest, rest_count = following(first, rest, rest_count, arena)
        if count_too == 0:
            second, count_too, rest_too, rest_count_too = following(second, rest_too, rest_count_too, arena)
    return True


@register_jitable
def equal(x: Number, y: Number, limb: Any, power: Array, arena: Array) -> Any:
    """Whether two numbers are equal, as a rule.

    Equal ones are not seen if the signs of their tails differ. A number much larger than the other may overflow here,
    so who stops for numbers that are equal has to compare them.
    """
    if x.places < y.places:
        x = with_digits(x, y.places, limb, power, arena)
    elif y.places < x.places:
        y = with_digits(y, x.places, limb, power, arena)
    if x.places != y.places or x.middle != y.middle or (x.node != NOTHING and x.sign != y.sign):
        return False
    return same(
        np.int64(x.node), x.count, np.int64(x.rest), x.rest_count,
        np.int64(y.node), y.count, np.int64(y.rest), y.rest_count, arena,
    )  # fmt: skip


@compiled(entries=lambda limbs, *_: limbs.size)
def push(limbs: Array, counts: Array, node: Any, count: Any, arena: Array, top: Any) -> Any:
    """Put runs of limbs before a tail, the last run first; return what :func:`put` does."""
    node = np.uint64(node)
    for i in range(limbs.shape[0] - 1, -1, -1):
        node, count, top = put(limbs[i], counts[i], node, count, arena, top)
    return node, count, top


@compiled
def compact(slots: Array, live: Array, arena: Array, top: Any, homes: Array, fresh: Array) -> Any:
    """Copy the nodes that live slots reach from `arena` into `fresh`; return the new top.

    References in `slots` are changed; `live` has an entry for each slot. A node leads to an older one only, so that
    nodes copied in their order find those that they lead to copied already. `homes` is 0 for every node.
    """
    # First `homes` marks the nodes that are in use, then it says where they are now.
    for i in range(live.shape[0]):
        if live[i]:
            for word in (NODE, REST):
                node = slots[SLOT * i + word]
                while node > LABELS and homes[node] == 0:
                    homes[node] = 1
                    node = arena[LINK * node + NEXT]
    new = LABELS + 1
    for node in range(LABELS + 1, top):
        if homes[node]:
            target = arena[LINK * node + NEXT]
            fresh[LINK * new + LIMB] = arena[LINK * node + LIMB]
            fresh[LINK * new + NEXT] = homes[target] if target > LABELS else target
            fresh[LINK * new + REPEATED] = arena[LINK * node + REPEATED]
            homes[node] = new
            new += 1
    for i in range(live.shape[0]):
        if live[i]:
            for word in (NODE, REST):
                if slots[SLOT * i + word] > LABELS:
                    slots[SLOT * i + word] = homes[slots[SLOT * i + word]]
    return new
