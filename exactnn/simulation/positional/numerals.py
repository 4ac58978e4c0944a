"""Numbers cut into a head and a shared tail: from rationals to slots and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gmpy2 import mpq, mpz

from exactnn.simulation.positional import kernels
from exactnn.simulation.positional.kernels import head_of, middle_of
from exactnn.simulation.positional.radix import WORD_BITS, Radix
from exactnn.simulation.positional.tails import compact, push

__all__ = ["Arena", "Slots", "Tail", "fraction_of_runs", "slot_of", "value_of"]

Slots = np.ndarray[Any, np.dtype[np.int64]]
"""The words of one slot after another."""

Tail = tuple[int, int]
"""A reference to a tail: node, and how often its limb is repeated."""


class Arena:
    """The tails: nodes that are never changed, so that states may share them.

    Their limbs have `radix.limb` digits. `nodes` holds limb, next node and its count of each node; the first that is
    free is number `top`.
    """

    __slots__ = ("nodes", "radix", "top")

    def __init__(self, radix: Radix, capacity: int) -> None:
        self.radix = radix
        self.nodes = np.zeros(kernels.LINK * capacity, dtype=np.int64)
        self.top = kernels.LABELS + 1

    @property
    def capacity(self) -> int:
        """How many nodes there is room for."""
        return len(self.nodes) // kernels.LINK

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
        while node > kernels.LABELS:
            limb, following, repeated, _ = self.nodes[kernels.LINK * node : kernels.LINK * (node + 1)].tolist()
            found.append((limb, count))
            node, count = following, repeated
        return found, node

    def compacted(self, slots: Slots, live: Any, capacity: int) -> "Arena":
        """Return an arena with what live slots reach; their references are changed."""
        fresh = Arena(self.radix, capacity)
        fresh.top = int(compact(slots, live, self.nodes, self.top, fresh.nodes))
        return fresh


def fraction_of_runs(runs: Sequence[tuple[int, int]], radix: Radix) -> tuple[mpz, int]:
    """Return (n, d) with n / base**d the number that runs of limbs stand for.

    >>> from exactnn.simulation.positional.radix import Radix
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


def value_of(slot: Sequence[int], arena: Arena, known: dict[Tail, tuple[mpz, int]]) -> mpq:
    """Return the number in a slot; `known` remembers the tails."""
    radix = arena.radix
    middle, places, sign, node, count = slot
    head = head_of(middle, sign, node)
    if (node, count) not in known:
        known[node, count] = fraction_of_runs(arena.runs((node, count)), arena.radix)
    tail, digits = known[node, count]
    base = mpz(radix.base)
    return mpq(head * base**digits + sign * tail, base ** (places + digits))


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
