"""Stacks of limbs as runs, whose lengths are whole numbers of any size or affine in unknown whole numbers.

Taking an edge is one piece of code for both: with known lengths it is the replay of a path, with unknown ones the
proof of a rule. Whatever must be true of a length for the edge to be taken so is handed to `require` (the length is
at least 1).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gmpy2 import mpz

from exactnn.certificates.edge_check import ProvenEdge
from exactnn.errors import CertificateError, shown
from exactnn.work import Work, long_words

__all__ = ["EDGE_WORK", "Edges", "Length", "Stacks", "unknown"]

Edges = Mapping[tuple[int, int, bool], ProvenEdge]
"""(state, limb, last) -> the edge."""

EDGE_WORK = 12
"""Units of work that it takes at least to take an edge."""
MOST_RUNS = 10**5
"""Runs of a stack."""
LARGEST_BITS = 1 << 21
"""Bits of a run length, or of a coefficient of one."""
MOST_BITS = 1 << 26
"""Bits of a run length times the runs below: long ones are few, so that they fit the memory."""


@dataclass(frozen=True, slots=True)
class Length:
    """A run length: constant + sum of coefficients[i] * unknown i, without zeros at the end of the coefficients.

    >>> x = unknown(0)
    >>> (x + Length(3)).at([4]), x - x == Length(0), Length(2) * x
    (7, True, Length(constant=0, coefficients=(2,)))
    """

    constant: int
    coefficients: tuple[int, ...] = ()

    def __add__(self, other: "Length") -> "Length":
        constant = self.constant + other.constant
        if not self.coefficients and not other.coefficients:
            return Length(constant)
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=0)
        return _length(constant, [a + b for a, b in pairs])

    def __sub__(self, other: "Length") -> "Length":
        return self + Length(-1) * other

    def __mul__(self, other: "Length") -> "Length":
        """Multiply by a known number, `self`."""
        assert not self.coefficients
        return _length(self.constant * other.constant, [self.constant * a for a in other.coefficients])

    def at(self, values: Sequence[int]) -> int:
        """Return the length for these values of the unknowns."""
        return int(self.constant + sum(mpz(a) * x for a, x in zip(self.coefficients, values, strict=False)))

    @property
    def bits(self) -> int:
        """The size of the largest number in it."""
        bits = self.constant.bit_length()
        return max(bits, *map(int.bit_length, self.coefficients)) if self.coefficients else bits

    @property
    def work(self) -> int:
        """What an operation on it takes."""
        return (1 + len(self.coefficients)) * (1 + long_words(self.bits))


def _length(constant: int, coefficients: list[int]) -> Length:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return Length(constant, tuple(coefficients))


def unknown(number: int) -> Length:
    """Return the unknown with that number."""
    return Length(0, (0,) * number + (1,))


ZERO_LIMBS, ONE_LIMB = Length(0), Length(1)


class Stacks:
    """Stacks as runs (limb, length), the top last; all lengths are at least 1 under what was required.

    An edge that pops needs the top limb and whether it is the last. With other runs below, it is not. A run alone on
    its stack has its last limb on top exactly if its length is 1; if its length is not the constant 1, :meth:`take`
    requires that it is at least 2.
    """

    def __init__(
        self, stacks: Iterable[Iterable[tuple[int, Length]]], require: Callable[[Length], object], work: Work
    ) -> None:
        self.runs = [list(stack) for stack in stacks]
        self.work = work
        self._require = require

    def following(self, edges: Edges, state: int, wanted: int) -> ProvenEdge:
        """Return the edge that follows in a state that wants a limb of that stack, or -1."""
        limb, last = 0, False
        if wanted >= 0:
            runs = self.runs[wanted]
            if not runs:
                raise CertificateError(f"state {state} wants a limb of stack {wanted}, which is empty")
            limb, last = runs[-1][0], len(runs) == 1 and runs[0][1] == ONE_LIMB
        edge = edges.get((state, limb, last))
        if edge is None:
            only = "the only one of its stack" if last else "not the only one"
            raise CertificateError(f"there is no edge from state {state} with the limb {shown(limb)}, {only}")
        return edge

    def take(self, proven: ProvenEdge) -> Length:
        """Change the stacks as an edge does, for a whole run of limbs if it is a loop; return how often it is taken."""
        times, work = ONE_LIMB, EDGE_WORK + len(proven.edge.clears)
        if proven.wanted >= 0:
            runs = self.runs[proven.wanted]
            limb, length = runs.pop()
            work += 2 * length.work
            if proven.loop:
                times = length if runs else length - ONE_LIMB  # the last limb of a stack has its own edge
            self._require(times)
            rest = length - times
            if rest != ZERO_LIMBS:
                self._require(rest)
                runs.append((limb, rest))
        self.work.take(work)
        for emptied in proven.edge.clears:
            self.runs[emptied].clear()
        for stack, limb in proven.edge.pushes:
            self._push(self.runs[stack], limb, times)
        return times

    def _push(self, runs: list[tuple[int, Length]], limb: int, times: Length) -> None:
        if runs and runs[-1][0] == limb:
            times = runs.pop()[1] + times
        bits = times.bits
        self.work.take(2 * times.work)
        if len(runs) >= MOST_RUNS or bits > LARGEST_BITS or len(runs) * bits > MOST_BITS:
            raise CertificateError(f"a stack grows too large: {len(runs):,} runs and a length of {bits:,} bits")
        runs.append((limb, times))
