"""A state of direct mode with its numbers, what some steps of it gave, and who is told of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from gmpy2 import mpq, mpz

from exactnn.arithmetic import LongNumber, Numeral, fraction_of_runs
from exactnn.errors import SizeLimitError
from exactnn.simulation.common_denominator import quotient
from exactnn.simulation.executor import Output
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.numeral_kernels import (
    CUT,
    LABELS,
    NODE,
    SLOT,
    Array,
    Tail,
    head_of,
    middle_of,
)
from exactnn.simulation.positional.radix import WORD_BITS, Radix
from exactnn.simulation.positional.rows import LIVE, ONE, ZERO, Status
from exactnn.size_limit import SizeLimit

__all__ = ["DirectState", "Stretch", "Witness", "repetitions", "slot_of"]

T = TypeVar("T")


class DirectState(NamedTuple):
    """Statuses of the state, and a slot for each component; only those of components that are not 0 or 1 count."""

    statuses: tuple[Status, ...]
    slots: Array
    arena: Arena

    @classmethod
    def of_numerals(cls, numbers: Sequence[LongNumber], radix: Radix) -> "DirectState | None":
        """Return the state with these numbers, of which those that are not 0 or 1 are numerals; None if there is none.

        They are never written out.
        """
        statuses, slots = tuple(map(Status.of, numbers)), np.zeros((len(numbers), SLOT), dtype=np.int64)
        arena = Arena(radix, LABELS + 1 + sum(len(x.runs) for x in numbers if isinstance(x, Numeral)))
        tails: dict[object, Tail] = {}
        for slot, status, x in zip(slots, statuses, numbers, strict=True):
            if not isinstance(x, Numeral):
                if status >= LIVE:
                    return None
                continue
            too_long = x.places > radix.longest or abs(x.head) >> WORD_BITS or any(n >> WORD_BITS for _, n in x.runs)
            if status < LIVE or too_long or (x.base, x.limb_digits) != (radix.base, radix.limb):
                return None
            if x.runs not in tails:
                tails[x.runs] = arena.push(x.runs)
            node, count = tails[x.runs]
            slot[:5] = middle_of(int(x.head), x.sign, node), x.places, x.sign, node, count
        return cls(statuses, slots.reshape(-1), arena)

    def words(self) -> Iterator[tuple[Status, list[int]]]:
        """Yield the status of each component with the words of its slot that say what number it is."""
        yield from zip(self.statuses, self.slots.reshape(-1, SLOT)[:, :CUT].tolist(), strict=True)

    def long_numbers(self) -> list[list[int]]:
        """Return the same words of those components that are not 0 or 1."""
        rows = self.slots.reshape(-1, SLOT)
        return [rows[i, :CUT].tolist() for i, status in enumerate(self.statuses) if status >= LIVE]

    def alone(self) -> "DirectState":
        """Return the same state in an arena that holds nothing but its tails."""
        slots = self.slots.copy()
        live = np.array([status >= LIVE for status in self.statuses], dtype=bool)
        return DirectState(self.statuses, slots, self.arena.compacted(slots, live, self.arena.capacity).trimmed())

    def values(self, limit: SizeLimit) -> tuple[mpq, ...]:
        """Return the numbers; SizeLimitError is raised if they are too long to be written out."""
        tails, radix = self.tails(), self.arena.radix
        limb, base = radix.limb, radix.base
        digits = {tail: limb * sum(count for _, count in runs) for tail, runs in tails.items()}
        live = self.long_numbers()
        limit.refuse(2 * (base - 1).bit_length() * sum(slot[1] + digits[tuple(slot[NODE:])] for slot in live))
        unit = mpz(base) ** limb
        tail_of = {tail: fraction_of_runs(runs, unit)[0] for tail, runs in tails.items()}
        long = iter([_value_of(slot, base, tail_of[t := tuple(slot[NODE:])], digits[t]) for slot in live])
        return tuple([next(long) if status >= LIVE else ONE if status else ZERO for status in self.statuses])

    def numbers(self, limit: SizeLimit) -> tuple[LongNumber, ...]:
        """Return the numbers, as numerals if they are too long to be written out."""
        try:
            return self.values(limit)
        except SizeLimitError:
            return self.numerals()

    def numerals(self) -> tuple[mpq | Numeral, ...]:
        """Return the numbers, those that are not 0 or 1 as numerals, however long they are."""
        tails = {tail: tuple(runs) for tail, runs in self.tails().items()}
        return tuple(
            mpq(status) if status < LIVE else _numeral_of(slot, self.arena.radix, tails[tuple(slot[NODE:])])
            for status, slot in self.words()
        )

    def differs(self, other: "DirectState") -> bool:
        """Whether another state, with limbs of the same length, surely has other numbers, as the heads tell.

        A number lies between (middle - 1) and (middle + 1) over 2 base**places. So two are not equal if their middles,
        over the same places, are that far apart.
        """
        if self.statuses != other.statuses:
            return True
        base = int(self.arena.radix.base)
        for (status, (middle, places, *_)), (_, (middle_too, places_too, *_)) in zip(
            self.words(), other.words(), strict=True
        ):
            more, more_too = base ** max(0, places_too - places), base ** max(0, places - places_too)
            if status >= LIVE and abs(middle * more - middle_too * more_too) >= more + more_too:
                return True
        return False

    def tails(self) -> dict[tuple[int, ...], list[tuple[int, int]]]:
        """Return the tails that are in use as runs of limbs, each under its words; several numbers may share one."""
        used = {tuple(slot[NODE:]) for slot in self.long_numbers()}
        return {tail: self.arena.runs((tail[0], tail[1]), (tail[2], tail[3])) for tail in used}


class Stretch(NamedTuple):
    """Some steps: how many, their outputs as (output, repetitions), the state after them, why they ended.

    `decided`: the last output is a verdict. `left`: why the fast steps cannot go on. `touched`: the opaque tail of
    which a digit was needed. `live_output`: the output of the last step is missing, since the pattern does not fix it.
    `out_of_range`: a sum was too large for a machine word, which shorter limbs may help.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: DirectState
    decided: bool = False
    left: str | None = None
    touched: int | None = None
    live_output: bool = False
    out_of_range: bool = False


class Witness(Protocol):
    """Somebody who is told all transitions that the steps take."""

    @property
    def trace(self) -> Array:
        """Room for the addresses of transitions, at least those of one step."""

    def saw(self, taken: int) -> None:
        """Take note of the first transitions in the trace; those after the last that ends a step may be taken back."""

    def back(self) -> None:
        """Take note that the step is begun again in which the last transition was."""


def repetitions(changes: Sequence[tuple[int, T]], steps: int) -> list[tuple[T, int]]:
    """Return outputs with how often they come, up to a step, from those with the steps at which they come first.

    >>> repetitions([(1, "no"), (4, "yes")], 4)
    [('no', 3), ('yes', 1)]
    """
    ends = [*(step for step, _ in changes), steps + 1][1:]
    return [(output, end - step) for (step, output), end in zip(changes, ends, strict=True) if end > step]


def _value_of(slot: Sequence[int], base: int, tail: mpz, digits: int) -> mpq:
    """Return the number in a slot, whose tail is this number of so many digits."""
    middle, places, sign, node, *_ = slot
    numerator = head_of(middle, sign, node) * mpz(base) ** digits + sign * tail
    return quotient(numerator, mpz(base) ** (places + digits), mpz(base))


def _numeral_of(slot: Sequence[int], radix: Radix, tail: tuple[tuple[int, int], ...]) -> Numeral:
    """Return the number in a slot, whose tail has these runs of limbs, without writing it out."""
    middle, places, sign, node, *_ = slot
    head = head_of(middle, sign, node)
    sign = sign if node else 1  # without a tail it says nothing
    return Numeral(base=radix.base, limb_digits=radix.limb, head=head, places=places, sign=sign, runs=tail)


def slot_of(value: mpq, arena: Arena) -> tuple[int, int, int, int, int] | None:
    """Return a slot for a number, its tail in `arena`; None if it is not in the base or too large for a head."""
    cut = arena.radix.cut(value)
    if cut is None:
        return None
    head, kept, limbs = cut
    node, count = arena.push([(limb, 1) for limb in limbs])
    return middle_of(head, 1, node), kept, 1, node, count
