"""Rules: what a round of macro steps does to run lengths, and what many rounds do at once.

A rule is local: it names the runs on top of the stacks that its round touches, and holds whatever lies below. Under
the conditions and congruences, a round leads from lengths x to maps(x) and takes steps(x) network steps. Many rounds
at once are possible where every condition is a *clock*, which falls by a constant in each round, or is *kept*, and
every congruence is kept. The first clock that would fall below 1 says how many. Without a clock the rule applies for
ever, and the run never ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gmpy2 import mpq

from exactnn.arithmetic import Tower
from exactnn.errors import SizeLimitError
from exactnn.simulation.executor import Output
from exactnn.simulation.positional.forms import Form, long, sum_over_rounds, unknown
from exactnn.simulation.positional.growth import Closed, closed_form
from exactnn.simulation.positional.macro_machine import Edge, EdgeKey

__all__ = ["Configuration", "Congruence", "Pattern", "Rule", "Run"]

Run = list[int]
"""[limb, length]: so many equal limbs in a row."""

MOST_BITS = 1 << 24
"""Bits of a coefficient of many rounds."""
MANY = 1 << 16
"""Rounds from which a closed form is used if there is one."""


class Configuration:
    """A macro state and its stacks, lists of [limb, run length] with the top last; run lengths are of any size."""

    __slots__ = ("stacks", "state")

    def __init__(self, state: int, stacks: Iterable[Iterable[Sequence[int]]]) -> None:
        self.state = state
        self.stacks: list[list[Run]] = [[list(run) for run in runs] for runs in stacks]

    @property
    def tops(self) -> tuple[int, ...]:
        """The limb on top of each stack, -1 for an empty one."""
        return tuple([runs[-1][0] if runs else -1 for runs in self.stacks])

    def wanted(self, stack: int) -> tuple[int, bool]:
        """Return the top limb of a stack, and whether it is the last one; (0, False) for no stack, -1."""
        if stack < 0:
            return 0, False
        runs = self.stacks[stack]
        return runs[-1][0], len(runs) == 1 and runs[0][1] == 1

    def take(self, stack: int, edge: Edge, times: int) -> None:
        """Follow an edge that takes limbs of a stack, so many times."""
        if stack >= 0:
            run = self.stacks[stack][-1]
            run[1] -= times
            if not run[1]:
                self.stacks[stack].pop()
        for emptied in edge.clears:
            self.stacks[emptied].clear()
        for pushed, limb in edge.pushes:
            runs = self.stacks[pushed]
            if runs and runs[-1][0] == limb:
                runs[-1][1] += times
            else:
                runs.append([limb, times])
        self.state = edge.target


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule names of a stack: entries, the top last, and whether they are the `whole` stack.

    An entry is (limb, length), with 0 for a length that is open.
    """

    entries: tuple[tuple[int, int], ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Congruence:
    """The form, with whole coefficients and no constant, is `residue` modulo `modulus`."""

    form: Form
    modulus: int
    residue: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """A proven round; its unknowns are the open lengths of the runs that it names, in order.

    `moves` are the round; `counts` say how often it uses the rules among them, as forms in the lengths of those.
    `output` is that of all steps, None if there are none. `level` is 1 if the round has edges only. `changes` are what
    each of many rounds adds to the lengths; None if it does not add constants, or only one round at a time is known to
    be possible.
    """

    state: int
    stacks: tuple[Pattern, ...]
    maps: tuple[Form, ...]
    steps: Form
    conditions: tuple[Form, ...]
    congruences: tuple[Congruence, ...]
    output: Output | None
    level: int
    moves: tuple["EdgeKey | Rule", ...]
    counts: tuple[Form, ...]
    changes: tuple[int, ...] | None = field(init=False)
    clocks: tuple[tuple[Form, int], ...] = field(init=False)
    many: bool = field(init=False)
    _doubled: list[tuple[list[Form], Form]] = field(init=False)
    _closed: list[Closed | None] = field(init=False)
    _kept: tuple[Form, ...] = field(init=False)
    _looks: tuple[tuple[int, Pattern], ...] = field(init=False)

    def __post_init__(self) -> None:
        differences = [after - unknown(i) for i, after in enumerate(self.maps)]
        adds = all(form.is_constant for form in differences)
        many = all(self._stays(congruence) for congruence in self.congruences)
        clocks = []
        for form in self.conditions:
            change = form.into(self.maps) - form
            if change.is_constant and change.constant < 0:
                clocks.append((form, int(-change.constant)))
            elif not self._grows(change):
                many = False
        changes = tuple(int(form.constant) for form in differences) if adds and many else None
        object.__setattr__(self, "changes", changes)
        object.__setattr__(self, "clocks", tuple(clocks))
        object.__setattr__(self, "many", many)
        object.__setattr__(self, "_doubled", [(list(self.maps), self.steps)])
        object.__setattr__(self, "_closed", [])
        falling = {form for form, _ in clocks}
        object.__setattr__(self, "_kept", tuple(form for form in self.conditions if form not in falling))
        looks = sorted(enumerate(self.stacks), key=lambda look: not look[1].entries)
        object.__setattr__(self, "_looks", tuple(looks))

    def _stays(self, congruence: Congruence) -> bool:
        """Whether a congruence that holds before a round holds after it, whatever the lengths."""
        change = congruence.form.into(self.maps) - congruence.form
        return all(not value % congruence.modulus for value in change.terms.values())

    def _grows(self, change: Form) -> bool:
        """Whether it follows that a form is at least 0, where the conditions hold and lengths are at least 1."""
        if change.is_at_least(0):
            return True
        for condition in self.conditions:
            for monomial, value in change.terms.items():
                slope = condition.terms.get(monomial, mpq(0))
                if monomial and value < 0 and slope < 0 and (change - (condition - 1) * (value / slope)).is_at_least(0):
                    return True
        return False

    def find(self, stacks: Sequence[Sequence[Run]]) -> list[Run] | None:
        """Return the runs whose lengths are those of the rule; None if it names others."""
        found: list[Run] = []
        for stack, pattern in self._looks:
            runs, entries = stacks[stack], pattern.entries
            at = len(runs) - len(entries)
            if at if pattern.whole else at <= 0:
                return None
            for limb, length in entries:
                run = runs[at]
                if run[0] != limb or (length and run[1] != length):
                    return None
                if not length:
                    found.append(run)
                at += 1
        return found

    def rounds(self, lengths: Sequence[int]) -> int | None:
        """Return how often it can be used in a row, at most once unless it is `many`; None for ever."""
        falling = [(form.at(lengths), fall) for form, fall in self.clocks]
        if any(value < 1 for value, _ in falling) or any(form.at(lengths) < 1 for form in self._kept):
            return 0
        for congruence in self.congruences:
            if congruence.form.at(lengths) % congruence.modulus != congruence.residue:
                return 0
        if not self.many:
            return 1
        return min(((value - 1) // fall + 1 for value, fall in falling), default=None)

    def ends(self, lengths: Sequence[int], rounds: int) -> list[tuple[Form, Form, int]]:
        """Return the clocks that end it after so many rounds: (that number as a form in the lengths, clock, fall)."""
        found = []
        for clock, fall in self.clocks:
            value = clock.at(lengths) - 1
            if value // fall + 1 == rounds:
                found.append(((clock - 1 - int(value % fall)) * mpq(1, fall) + 1, clock, fall))
        return found

    @property
    def closed(self) -> Closed | None:
        """What many rounds lead to, in closed form; None if there is none, or many are not known to be possible."""
        if not self._closed:
            self._closed.append(self._in_closed_form() if self.many else None)
        return self._closed[0]

    def _in_closed_form(self) -> Closed | None:
        here, rounds = [unknown(i) for i in range(len(self.maps))], unknown(len(self.maps))
        if self.changes is not None:
            lengths = tuple(x + rounds * change for x, change in zip(here, self.changes, strict=True))
            return Closed(0, (), lengths, sum_over_rounds(self.steps, here, self.changes, rounds))
        try:
            return closed_form(self.maps, self.steps)
        except SizeLimitError:
            return None

    def after(self, lengths: Sequence[int], rounds: int) -> tuple[list[int], int]:
        """Return the lengths after so many rounds that are possible, and the network steps that they take."""
        if rounds == 1:
            return [form.at(lengths) for form in self.maps], self.steps.at(lengths)
        if self.changes is not None:
            assert self.closed is not None
            after = [x + rounds * change if change else x for x, change in zip(lengths, self.changes, strict=True)]
            return after, self.closed.steps.at([*lengths, long(rounds)])
        if rounds >= MANY and self.closed is not None:
            return self.closed.after(lengths, rounds)
        if isinstance(rounds, Tower):
            raise SizeLimitError("many rounds that are not known in closed form")
        steps, power = long(0), 0
        now: Sequence[int] = lengths
        while rounds >> power:
            while power >= len(self._doubled):
                self._doubled.append(_twice(*self._doubled[-1]))
            if rounds >> power & 1:
                maps, taken = self._doubled[power]
                steps += taken.at(now)
                now = [form.at(now) for form in maps]
            power += 1
        return list(now), steps


def _twice(maps: list[Form], steps: Form) -> tuple[list[Form], Form]:
    """Return a number of rounds followed by as many more."""
    found = [form.into(maps) for form in maps], steps + steps.into(maps)
    longest = max((x.numerator.bit_length() for form in found[0] for x in form.terms.values()), default=0)
    if longest > MOST_BITS:
        raise SizeLimitError(f"run lengths after a rule have more than {MOST_BITS:,} bits")
    return found
