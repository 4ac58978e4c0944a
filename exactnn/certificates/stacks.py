"""Stacks of limbs as runs, whose lengths are whole numbers of any size or affine in unknown whole numbers.

Taking an edge, or using a rule, is one piece of code for both: with known lengths it is the replay of a path, with
unknown ones the proof of a rule. What must be true of lengths is asked of :class:`Demands`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from exactnn.certificates.certificate import STACKS, Rule
from exactnn.certificates.edge_check import ProvenEdge
from exactnn.certificates.lengths import ONE_LIMB, Length, require_whole
from exactnn.errors import CertificateError, shown
from exactnn.work import Work

__all__ = ["EDGE_WORK", "Demands", "Known", "ProvenEdges", "Stacks"]

ProvenEdges = Mapping[tuple[int, int, bool], ProvenEdge]
"""(state, limb, last) -> the edge."""

EDGE_WORK = 12
"""Units of work that it takes at least to take an edge."""
MOST_RUNS = 10**5
"""Runs of a stack."""
LARGEST_BITS = 1 << 21
"""Bits of a run length, or of a coefficient of one."""
MOST_BITS = 1 << 26
"""Bits of a run length times the runs below: long ones are few, so that they fit the memory."""


class Demands(Protocol):
    """What is asked of lengths on the way, which are whole where all before was so."""

    def require(self, length: Length, what: str = "a limb is taken from a run that has none") -> None:
        """Ask for a length of at least 1; raises CertificateError with `what` if that cannot be."""

    def require_whole(self, length: Length) -> None:
        """Ask for a length that is whole."""


class Known:
    """The demands of a path, whose lengths are known: either they hold or they do not."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def require(self, length: Length, what: str = "a limb is taken from a run that has none") -> None:
        """Raise CertificateError if a length is below 1."""
        if length.constant < 1:
            raise CertificateError(what)

    def require_whole(self, length: Length) -> None:
        """Raise CertificateError if a length is not whole."""
        self.work.take(4 * length.work)
        require_whole(length)


class Stacks:
    """Stacks as runs (limb, length), the top last; all lengths are at least 1 under what was required.

    Of a stack that is not `entire` these are the runs on top, and below lies at least one more, of another limb.

    An edge that pops needs the top limb and whether it is the last. With other runs below, it is not. A run alone on
    its stack has its last limb on top exactly if its length is 1; if its length is not the constant 1, :meth:`take`
    requires that it is at least 2.
    """

    def __init__(
        self,
        stacks: Iterable[Iterable[tuple[int, Length]]],
        demands: Demands,
        work: Work,
        entire: Sequence[bool] = (True,) * STACKS,
    ) -> None:
        self.runs = [list(stack) for stack in stacks]
        self.entire = list(entire)
        self.work = work
        self.demands = demands

    def following(self, edges: ProvenEdges, state: int, wanted: int) -> ProvenEdge:
        """Return the edge that follows in a state that wants a limb of that stack, or -1."""
        limb, last = 0, False
        if wanted >= 0:
            runs = self.runs[wanted]
            if not runs:
                rest = "" if self.entire[wanted] else " as far as it is named"
                raise CertificateError(f"state {state} wants a limb of stack {wanted}, which is empty{rest}")
            limb, last = runs[-1][0], self.entire[wanted] and len(runs) == 1 and runs[0][1] == ONE_LIMB
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
                last = not runs and self.entire[proven.wanted]
                times = length - ONE_LIMB if last else length  # the last limb of a stack has its own edge
            self.demands.require(times)
            rest = length - times
            if rest.terms or rest.constant:
                self.demands.require(rest)
                runs.append((limb, rest))
        self.work.take(work)
        for emptied in proven.edge.clears:
            if not self.entire[emptied]:
                raise CertificateError(f"stack {emptied} is emptied, of which not all is named")
            self.runs[emptied].clear()
        for stack, limb in proven.edge.pushes:
            if not self.runs[stack] and not self.entire[stack]:
                raise CertificateError(f"a limb is pushed on stack {stack} where it is not named")
            self._push(self.runs[stack], limb, times)
        return times

    def named(self, state: int, rule: Rule) -> list[tuple[int, int]]:
        """Return the places (stack, run) of the lengths that a rule leaves open; all else must be as it says."""
        places: list[tuple[int, int]] = []
        self.work.take(EDGE_WORK + sum(map(len, rule.stacks)))
        for stack, (runs, entries, whole) in enumerate(zip(self.runs, rule.stacks, rule.whole, strict=True)):
            below = len(runs) - len(entries)
            fits = below == 0 and self.entire[stack] if whole else below > 0 or (below == 0 and not self.entire[stack])
            if state != rule.state or not fits:
                raise CertificateError("a rule is used where the state or the limbs on the stacks are others")
            for at, (limb, length) in enumerate(entries, below):
                if runs[at][0] != limb or (length and runs[at][1] != Length(length)):
                    raise CertificateError("a rule is used where the state or the limbs on the stacks are others")
                if not length:
                    places.append((stack, at))
        return places

    def set_length(self, stack: int, at: int, length: Length) -> None:
        """Change the length of a run."""
        runs = self.runs[stack]
        self._limit(len(runs), length.bits)
        runs[at] = runs[at][0], length

    def _push(self, runs: list[tuple[int, Length]], limb: int, times: Length) -> None:
        if runs and runs[-1][0] == limb:
            times = runs.pop()[1] + times
        self.work.take(2 * times.work)
        self._limit(len(runs), times.bits)
        runs.append((limb, times))

    @staticmethod
    def _limit(runs: int, bits: int) -> None:
        if runs >= MOST_RUNS or bits > LARGEST_BITS or runs * bits > MOST_BITS:
            raise CertificateError(f"a stack grows too large: {runs:,} runs and a length of {bits:,} bits")
