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
- Nodes 1 to LABELS are *opaque*: tails of which nothing is known but that they lie in (0, 1). Whoever needs their
  digits stops. Macro mode runs the network with such tails, to see what it does for all of them.

Numbers and nodes are words in flat arrays. A *slot* is eight words, the address of its first word is its address.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq, mpz
from numba.extending import register_jitable
from numpy.typing import NDArray

from exactnn.arithmetic import Numeral
from exactnn.simulation.compiled import compiled
from exactnn.simulation.positional.radix import WORD_BITS, Radix

__all__ = [
    "COUNT", "HEAD", "LABELS", "LIMB", "LINK", "MIDDLE", "NEXT", "NODE", "PLACES", "REPEATED", "SIGN", "SLOT",
    "Arena", "Array", "Runs", "Tail", "commit", "fraction_of_runs", "head_of", "middle_of", "numeral_of", "same",
    "slot_of", "value_of",
]  # fmt: skip

Array = NDArray[np.int64]
"""Array, nodes, or a program: machine integers, one after another."""

Tail = tuple[int, int]
"""A reference to a tail: node, and how often its limb is repeated."""

Runs = tuple[tuple[int, int], ...]
"""Limbs as (limb, how many of them), the most significant first."""

LABELS = 16
"""Opaque tails; the first tail that can be made is number LABELS + 1."""

# Words of a slot; the last three are not used, so that an address is a shift.
MIDDLE, PLACES, SIGN, NODE, COUNT = range(5)
HEAD = MIDDLE  # in a copy of a slot that has the head there
SLOT = 8
# Words of a node: its limb, and the tail that it leads to as (node, count). The fourth is not used.
LIMB, NEXT, REPEATED = range(3)
LINK = 4


@register_jitable  # from Python it is called as it stands
def head_of(middle: Any, sign: Any, node: Any) -> Any:
    """Return the head of a number: its middle is 2 head, and one more or less by the sign of a tail."""
    return (middle - sign if node else middle) >> 1


@register_jitable
def middle_of(head: Any, sign: Any, node: Any) -> Any:
    """Return twice the middle of what a head leaves open: (head, head + sign) if there is a tail, else the head."""
    return 2 * head + sign if node else 2 * head


@register_jitable(inline="always")
def put(limb: Any, times: Any, node: Any, count: Any, arena: Array, top: Any) -> Any:
    """Put a limb so many times before the tail (node, count); return the new tail's node and count, and the new top.

    A run gets longer, and zeros before the empty tail leave it empty. So equal tails have equal runs.
    """
    if node > LABELS and arena[LINK * node + LIMB] == limb:
        return node, count + times, top
    if node == 0 and limb == 0:
        return node, count, top
    arena[LINK * top + LIMB] = limb
    arena[LINK * top + NEXT] = node
    arena[LINK * top + REPEATED] = count
    return top, times, top + 1


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
        node, count, top = put(digits, 1, node, count, arena, top)
    slots[slot + MIDDLE] = middle_of(head, sign, node)
    slots[slot + PLACES] = places
    slots[slot + SIGN] = sign
    slots[slot + NODE] = node
    slots[slot + COUNT] = count
    return top


@compiled
def same(first: Any, first_count: Any, second: Any, second_count: Any, arena: Array) -> Any:
    """Whether two tails hold the same digits: node by node, until they meet in one node or differ."""
    while first != second:
        if first <= LABELS or second <= LABELS or first_count != second_count:
            return False
        if arena[LINK * first + LIMB] != arena[LINK * second + LIMB]:
            return False
        first, first_count = arena[LINK * first + NEXT], arena[LINK * first + REPEATED]
        second, second_count = arena[LINK * second + NEXT], arena[LINK * second + REPEATED]
    return first_count == second_count


@compiled
def push(limbs: Array, counts: Array, node: Any, count: Any, arena: Array, top: Any) -> Any:
    """Put runs of limbs before a tail, the last run first; return what :func:`put` does."""
    for i in range(limbs.shape[0] - 1, -1, -1):
        node, count, top = put(limbs[i], counts[i], node, count, arena, top)
    return node, count, top


@compiled
def compact(slots: Array, live: Array, arena: Array, top: Any, moved: Array, fresh: Array) -> Any:
    """Copy the nodes that live slots reach from `arena` into `fresh`; return the new top.

    References in `slots` are changed; `live` has an entry for each slot. A node leads to an older one only, so that
    nodes copied in their order find those that they lead to copied already. `moved` is 0 for every node.
    """
    # First `moved` marks the nodes that are in use, then it says where they are now.
    for i in range(live.shape[0]):
        if live[i]:
            node = slots[SLOT * i + NODE]
            while node > LABELS and moved[node] == 0:
                moved[node] = 1
                node = arena[LINK * node + NEXT]
    new = LABELS + 1
    for node in range(LABELS + 1, top):
        if moved[node]:
            target = arena[LINK * node + NEXT]
            fresh[LINK * new + LIMB] = arena[LINK * node + LIMB]
            fresh[LINK * new + NEXT] = moved[target] if target > LABELS else target
            fresh[LINK * new + REPEATED] = arena[LINK * node + REPEATED]
            moved[node] = new
            new += 1
    for i in range(live.shape[0]):
        if live[i] and slots[SLOT * i + NODE] > LABELS:
            slots[SLOT * i + NODE] = moved[slots[SLOT * i + NODE]]
    return new


class Arena:
    """The tails: nodes that are never changed, so that states may share them.

    Their limbs have `radix.limb` digits. `nodes` holds limb, next node and its count of each node; the first that is
    free is number `top`.
    """

    __slots__ = ("nodes", "radix", "top")

    def __init__(self, radix: Radix, capacity: int) -> None:
        self.radix = radix
        self.nodes = np.zeros(LINK * capacity, dtype=np.int64)
        self.top = LABELS + 1

    @property
    def capacity(self) -> int:
        """How many nodes there is room for."""
        return len(self.nodes) // LINK

    def push(self, runs: Sequence[tuple[int, int]], tail: Tail = (0, 0)) -> Tail:
        """Return the tail that begins with runs of limbs, given as (limb, count), and goes on with `tail`."""
        limbs = np.array([limb for limb, _ in runs], dtype=np.int64)
        counts = np.array([count for _, count in runs], dtype=np.int64)
        node, count, self.top = push(limbs, counts, *tail, self.nodes, self.top)
        return int(node), int(count)

    def runs(self, tail: Tail) -> list[tuple[int, int]]:
        """Return a tail as runs of limbs, up to its end or to an opaque node."""
        return self.runs_and_base(tail)[0]

    def runs_and_base(self, tail: Tail) -> tuple[list[tuple[int, int]], int]:
        """Return a tail as runs of limbs, and the opaque node that it ends in, or 0."""
        found = []
        node, count = tail
        while node > LABELS:
            limb, following, repeated, _ = self.nodes[LINK * node : LINK * (node + 1)].tolist()
            found.append((limb, count))
            node, count = following, repeated
        return found, node

    def compacted(self, slots: Array, live: Any, capacity: int) -> "Arena":
        """Return an arena with what live slots reach; their references are changed."""
        fresh = Arena(self.radix, capacity)
        fresh.top = int(compact(slots, live, self.nodes, self.top, np.zeros(self.top, dtype=np.int64), fresh.nodes))
        return fresh


def fraction_of_runs(runs: Sequence[tuple[int, int]], radix: Radix) -> tuple[mpz, int]:
    """Return (n, d) with n / base**d the number that runs of limbs stand for.

    >>> fraction_of_runs([(1, 2), (3, 1)], Radix(base=2, limb=2, least=2, most=6))
    (mpz(23), 6)
    """
    unit = mpz(radix.base) ** radix.limb
    if len(runs) == 1:
        ((limb, count),) = runs
        number = mpz(limb) if count == 1 else limb * (unit**count - 1) // (unit - 1)
        return number, count * radix.limb
    if not runs:
        return mpz(0), 0
    middle = len(runs) // 2
    high, first = fraction_of_runs(runs[:middle], radix)
    low, second = fraction_of_runs(runs[middle:], radix)
    return high * mpz(radix.base) ** second + low, first + second


def value_of(slot: Sequence[int], base: int, tail: tuple[mpz, int]) -> mpq:
    """Return the number in a slot, whose tail is the fraction that :func:`fraction_of_runs` gives."""
    middle, places, sign, node, _ = slot
    number, digits = tail
    return mpq(head_of(middle, sign, node) * mpz(base) ** digits + sign * number, mpz(base) ** (places + digits))


def numeral_of(slot: Sequence[int], radix: Radix, tail: tuple[tuple[int, int], ...]) -> Numeral:
    """Return the number in a slot, whose tail has these runs of limbs, without writing it out."""
    middle, places, sign, node, _ = slot
    head = head_of(middle, sign, node)
    return Numeral(base=radix.base, limb_digits=radix.limb, head=head, places=places, sign=sign, runs=tail)


def slot_of(value: mpq, arena: Arena) -> tuple[int, int, int, int, int] | None:
    """Return a slot for a number, its tail in `arena`; None if it is not in the base or too large for a head."""
    radix = arena.radix
    places = radix.places(value)
    if places is None:
        return None
    base = mpz(radix.base)
    number = value.numerator * (base**places // value.denominator)
    kept = places if places <= radix.most else radix.least + (places - radix.least) % radix.limb
    head, rest = divmod(number, base ** (places - kept))
    if abs(head) >> WORD_BITS:
        return None
    limbs = _limbs(rest, (places - kept) // radix.limb, base**radix.limb)
    node, count = arena.push([(limb, 1) for limb in limbs])
    return middle_of(int(head), 1, node), kept, 1, node, count


def _limbs(number: mpz, count: int, unit: mpz) -> list[int]:
    """Return `count` limbs of a number, the most significant first, in subquadratic time."""
    if count <= 1:
        return [int(number)] * count
    low = count // 2
    high, rest = divmod(number, unit**low)
    return _limbs(high, count - low, unit) + _limbs(rest, low, unit)
