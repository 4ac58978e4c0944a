"""Macro mode: which limb length, and whether edges or rules carry a long stretch on one input further."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from math import gcd, inf
from typing import TYPE_CHECKING, Self

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.errors import SizeLimitError
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Input, Network
from exactnn.simulation.executor import NO_LIMIT
from exactnn.simulation.positional.closed_sets import ClosedSet
from exactnn.simulation.positional.experience import Experience
from exactnn.simulation.positional.induction import Induction
from exactnn.simulation.positional.macro_machine import (
    MOST_STACKS,
    Head,
    Legs,
    MacroMachine,
    MacroState,
    MacroStretch,
    Stacks,
    height,
)
from exactnn.simulation.positional.opaque import Opaque, OpaqueSteps
from exactnn.simulation.positional.opaque_legs import OpaqueLegs
from exactnn.simulation.positional.radix import WORD_BITS, Radix
from exactnn.simulation.positional.rows import LIVE, Status

if TYPE_CHECKING:
    from exactnn.simulation.positional.direct import DirectEngine
    from exactnn.simulation.positional.direct_legs import DirectLegs
    from exactnn.simulation.positional.macro_loop import MacroLoop

__all__ = ["Macro", "MacroForm"]

LOOP = "exactnn.simulation.positional.macro_loop"
"""The module of the compiled loop, which takes long to load."""
DIGITS = (2, 3, 4, 6, 8)
"""Limb lengths that are tried, in symbols of a stack: as many digits as the moves shift by."""
TRIAL = 1 << 16
"""Transitions of a trial, some milliseconds."""
TRIAL_MOVES, TRIAL_SECONDS = 1 << 12, 5.0
"""Moves of a trial of rules, some tenths of a second, and how long it may take."""
TRIAL_EDGES = 1 << 8
"""New edges of a trial: where more come up they do not recur, and each takes as long as some ten thousand steps."""
TURNS = (1 << 10, 0.1), (1 << 12, 0.2)
"""Moves of the turns in which rules alone are tried, and the seconds that they may take: all limb lengths first, then
the one that got farthest."""
FAST = 1e9
"""Steps a second with which rules alone go on: several times as fast as direct mode would be."""
PROBE = 1 << 6
"""Steps by which it is found out how many digits a symbol has."""
PROBE_SECONDS = 0.05
"""What that may take in Python: where steps are slower, one edge takes longer than a turn."""
WORTHWHILE, WORTHWHILE_BY_RULES = 8, 1 << 12
"""Steps per transition that make macro mode worth beginning: in the compiled loop, and by rules, in Python."""
STILL_WORTHWHILE = 2
"""Steps per transition below which direct mode is faster; a long tape would be converted for nothing above."""
SLICE_SECONDS = 0.05
LONG_SLICE = 1 << 20
"""Transitions of the compiled loop between two looks at the clock."""
FIRST_SEARCH = 4
"""Slices, or trials, after which a closed set is looked for; and again when there were twice as many slices."""
OUTLINES = 16
"""Outlines of such a set for each slice: to look for them takes a tenth of the time of the slices."""
SHORT = 1, 2, 3, 4
"""Symbols of a limb of closed sets."""
MOST_DIGITS = 1 << 20
"""Digits that all numbers of a state may have together where closed sets are looked for."""
MOST_RUNS = 1 << 16
"""Runs on all stacks, which are written out in some tenths of a second: above, another way is tried no more."""


@dataclass(frozen=True, slots=True)
class MacroForm:
    """A state of a network as a state of one of its macro machines, and the stacks.

    `ahead`: the steps from here that a trial has taken, and in which way, if they are worth keeping.
    """

    runner: "Runner"
    state: int
    stacks: Stacks
    ahead: tuple[MacroStretch, str] | None = None

    def numbers(self) -> tuple[LongNumber, ...]:
        """Return the numbers of the state, those that are not 0 or 1 as numerals."""
        return self.runner.machine.numbers(self.state, self.stacks)


class Runner:
    """A macro machine with its two ways to run: the compiled loop, and edge by edge with rules."""

    def __init__(
        self,
        machine: MacroMachine,
        experience: Experience,
        never_ends: Callable[[tuple[LongNumber, ...], int], "MacroForm | None"],
        *,
        without_end: bool,
    ) -> None:
        self.machine = machine
        self._experience, self._never_ends, self._slices = experience, never_ends, 0
        self.induction = Induction(machine)
        self._without_end = without_end
        self._rates = {"loop": 0.0, "rules": 0.0}
        self._patience = {"loop": 1, "rules": 1}
        self.alone = False  # rules alone are known to lead to a verdict, or very fast towards it
        self._waited = 0

    @cached_property
    def loop(self) -> "MacroLoop | None":
        """The compiled loop, which takes long to load; None where it cannot be loaded."""
        try:
            with Uninterrupted("loading numba"):
                from exactnn.simulation.positional.macro_loop import MacroLoop
        except (ImportError, OSError, MemoryError, SystemError):
            return None
        return MacroLoop(self.machine)

    def run(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        """Go on for a while in the way that was faster lately; return what that gave, and the way.

        What a trial has taken is not taken again.
        """
        if form.ahead is not None and form.ahead[0].steps <= limit:
            return form.ahead
        stretch, way = self._ran(form, limit, inductive=inductive)
        self._experience.keep_edges(self.machine)
        self._slices += 1
        if inductive and self._without_end and self._is_due(stretch):
            numbers = self.machine.numbers(stretch.state, stretch.stacks)
            stretch = stretch._replace(endless=self._never_ends(numbers, OUTLINES * self._slices) is not None)
        return stretch, way

    def _is_due(self, stretch: MacroStretch) -> bool:
        """Whether a closed set is looked for after a slice."""
        ended = stretch.decided or stretch.endless or stretch.left is not None
        due = self._slices >= FIRST_SEARCH and not self._slices & (self._slices - 1)
        return due and not ended and height(stretch.stacks) <= MOST_RUNS

    def _ran(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        way = self._way(form.stacks) if inductive else "loop"
        loop = self.loop if way == "loop" else None
        began = time.perf_counter()
        if loop is not None:
            stretch = loop.run(form.state, form.stacks, limit, LONG_SLICE)
        else:
            way = "rules"
            stretch = self._induced(form, limit, SLICE_SECONDS)
        elapsed = time.perf_counter() - began
        self._rates[way] = float(min(stretch.steps, 10**300)) / elapsed
        if way == "rules" and elapsed > SLICE_SECONDS:
            self.alone = self._rates[way] >= FAST
        if stretch.endless:
            return stretch, way
        if stretch.large:
            self._rates = {"loop": -1.0, "rules": 0.0}
            self._patience["loop"] = 1 << 62
            if not stretch.steps:
                stretch = self._induced(form, limit, SLICE_SECONDS)
                way = "rules"
        if stretch.transitions >= LONG_SLICE and stretch.steps < STILL_WORTHWHILE * stretch.transitions:
            stretch = stretch._replace(worthwhile=False)
        return stretch, way

    def trial(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        """Try how far it gets in a short while: in the loop, and by rules where that does not come to the end.

        What is found out on the way, edges and rules, is kept; the next run begins with the way that got farther.
        """
        stretch, way = self._tried(form, limit, inductive=inductive)
        self._experience.keep_edges(self.machine)
        return stretch, way

    def _tried(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        assert self.loop is not None
        known = self.loop.edges
        stretch = self.loop.run(form.state, form.stacks, limit, TRIAL, TRIAL_EDGES)
        if stretch.decided or stretch.left is not None or stretch.steps == limit:
            return stretch, "loop"
        recurs = self.loop.edges - known < TRIAL_EDGES
        stretch = stretch._replace(worthwhile=recurs and stretch.steps >= WORTHWHILE * stretch.transitions)
        if inductive and recurs:
            with suppress(SizeLimitError):
                other = self._induced(form, limit, TRIAL_SECONDS, TRIAL_MOVES)
                farther = other.steps > stretch.steps and other.steps >= WORTHWHILE_BY_RULES * other.transitions
                if farther or other.decided or other.endless:
                    self._rates["rules"] = 1.0
                    return other, "rules"
        return stretch, "loop"

    def _induced(self, form: MacroForm, limit: int, seconds: float, most: float = inf) -> MacroStretch:
        """Go on by rules."""
        return self.induction.run(form.state, form.stacks, limit, seconds, most, without_end=self._without_end)

    def by_rules(self, form: MacroForm, moves: int, seconds: float) -> MacroForm | None:
        """Return the form after what it is ahead and some moves more by rules; None if these lead no further."""
        before = form.ahead
        state, stacks = (form.state, form.stacks) if before is None else (before[0].state, before[0].stacks)
        began = time.perf_counter()
        try:
            stretch = self.induction.run(state, stacks, NO_LIMIT, seconds, moves, without_end=True)
        except SizeLimitError:
            return None
        self._rates["rules"] = float(min(stretch.steps, 10**300)) / (time.perf_counter() - began)
        if stretch.endless or stretch.left is not None or not stretch.steps:
            return None
        self.alone = stretch.decided or self._rates["rules"] >= FAST
        return replace(form, ahead=(stretch if before is None else before[0].then(stretch), "rules"))

    def _way(self, stacks: Stacks) -> str:
        """Return the faster way, and now and then the other one, ever more rarely."""
        if self.alone and LOOP not in sys.modules:
            return "rules"
        better, other = sorted(self._rates, key=lambda way: -self._rates[way])
        self._waited += 1
        if self._waited > self._patience[other] and height(stacks) <= MOST_RUNS:
            self._waited = 0
            self._patience[other] *= 2
            return other
        return better


@cache
def _direct_legs() -> "type[DirectLegs]":
    with Uninterrupted("loading numba"):
        from exactnn.simulation.positional.direct_legs import DirectLegs

    return DirectLegs


class Macro:
    """Macro machines for one network, made when they are needed."""

    def __init__(
        self,
        network: Network,
        legs: Callable[[Input, Radix], Legs],
        radix: Radix,
        shifts: Callable[[tuple[mpq, ...], Input], Iterable[int]],
        *,
        without_end: bool = False,
    ) -> None:
        self._legs, self._radix, self._shifts = legs, radix, shifts
        self._experience = Experience.of(network)
        self._without_end = without_end
        self._runners: dict[tuple[Input, int], Runner] = {}
        self._symbol, self._trials = 1, 0

    @classmethod
    def of_engine(cls, engine: "DirectEngine", *, without_end: bool = False) -> Self:
        """Return macro machines whose edges direct mode finds."""
        legs, shifts = partial(_direct_legs(), engine), lambda *_: engine.program.shifts
        return cls(engine.network, legs, engine.radix, shifts, without_end=without_end)

    @classmethod
    def in_python(cls, network: Network, radix: Radix, *, without_end: bool = False) -> Self:
        """Return macro machines whose edges are found without compiled code."""
        legs = partial(OpaqueLegs, network, radix.longest)
        return cls(network, legs, radix, partial(_shifts, network, radix), without_end=without_end)

    def runner(self, given: Input, limb: int) -> Runner:
        """Return the runner for an input and a limb length."""
        if (given, limb) not in self._runners:
            radix = replace(self._radix, limb=limb, most=self._radix.least + 2 * limb, symbol=self._symbol)
            legs = self._legs(given, radix)
            machine = MacroMachine(legs, given, radix, self._experience.edges(legs, given, radix))
            never_ends = partial(self.never_ends, given)
            self._runners[given, limb] = Runner(machine, self._experience, never_ends, without_end=self._without_end)
        return self._runners[given, limb]

    def form(self, values: tuple[mpq, ...], given: Input, limb: int) -> MacroForm | None:
        """Return the form of a state for limbs of some length; None if it has too many long numbers."""
        runner = self.runner(given, limb)
        cut = runner.machine.load(values)
        return None if cut is None else MacroForm(runner, *cut)

    def resumed(self, numbers: tuple[LongNumber, ...], given: Input) -> MacroForm | None:
        """Return the form of the state with the numbers that :meth:`MacroForm.numbers` gave; None if there is none."""
        numerals = [number for number in numbers if isinstance(number, Numeral)]
        statuses = tuple(map(Status.of, numbers))
        if [status >= LIVE for status in statuses] != [isinstance(number, Numeral) for number in numbers]:
            return None
        runner = self.runner(given, numerals[0].limb_digits)
        machine, tails = runner.machine, list(dict.fromkeys(x.runs for x in numerals if x.runs))
        if len(tails) > MOST_STACKS or any(x.places > machine.longest or abs(x.head) >> WORD_BITS for x in numerals):
            return None
        heads = tuple(
            Head(x.head, x.places, x.sign, tails.index(x.runs)) if x.runs else Head(x.head, x.places, 1, -1)
            for x in numerals
        )
        stacks = (*tails, *[()] * (MOST_STACKS - len(tails)))
        return MacroForm(runner, machine.number(MacroState(statuses, heads, -1)), stacks)

    def best(self, values: tuple[mpq, ...], given: Input, limit: int, *, inductive: bool = True) -> MacroForm | None:
        """Return the form with the limb length that gets furthest in a trial; None if none is worthwhile."""
        found: tuple[int, MacroForm] | None = None
        for limb in self.limbs(values, given):
            form = self.form(values, given, limb)
            if form is None:
                continue
            stretch, way = form.runner.trial(form, limit, inductive=inductive)
            if stretch.left is not None:
                continue
            if not stretch.large:
                form = replace(form, ahead=(stretch._replace(worthwhile=True), way))
            if stretch.decided or stretch.endless or stretch.steps == limit:
                return form
            if stretch.worthwhile and (found is None or stretch.steps > found[0]):
                found = stretch.steps, form
        if found is not None:
            return found[1]
        self._trials += 1
        due = self._trials >= FIRST_SEARCH and self._without_end and inductive
        return self.never_ends(given, values, OUTLINES << self._trials) if due else None

    def short_forms(self, values: tuple[mpq, ...], given: Input) -> Iterator[MacroForm]:
        """Yield the forms of a state with the shortest limbs, from which closed sets are looked for."""
        digits = self._digits_of_a_symbol(values, given)
        for symbols in SHORT:
            limb = symbols * digits
            form = self.form(values, given, limb) if limb <= self._radix.limb else None
            if form is not None:
                yield form

    def never_ends(self, given: Input, numbers: tuple[LongNumber, ...], most: int) -> MacroForm | None:
        """Return the form of a state that never comes to a verdict, as a closed set of up to `most` outlines proves.

        None if there is none. It is not looked for where the numbers are long.
        """
        if sum(number.digits for number in numbers if isinstance(number, Numeral)) > MOST_DIGITS:
            return None
        for form in self.short_forms(tuple(map(mpq, numbers)), given):
            if ClosedSet(form.runner.machine).holds(form.state, form.stacks, most):
                endless = MacroStretch(0, [], form.state, form.stacks, 0, endless=True)
                return replace(form, ahead=(endless, "rules"))
        return None

    def by_rules(self, values: tuple[mpq, ...], given: Input, seconds: float) -> MacroForm | None:
        """Return the form from which rules alone lead to a verdict, or very fast towards it; None if there is none.

        That needs no compiled code, and is given up after about so many seconds, or at once where steps are slow. What
        never ends is left to other modes, which notice the period of a cycle.
        """
        began = time.perf_counter()
        limbs = self.limbs(values, given)
        if time.perf_counter() - began > PROBE_SECONDS:
            return None
        forms = [form for limb in limbs if (form := self.form(values, given, limb)) is not None]
        for moves, turn in TURNS:
            farthest, most = None, 0
            for form in forms:
                left = began + seconds - time.perf_counter()
                if left <= 0:
                    return None
                found = form.runner.by_rules(form, moves, min(turn, left))
                if found is None or found.ahead is None:
                    continue
                if found.ahead[0].decided:
                    return found
                if found.ahead[0].steps > most:
                    farthest, most = found, found.ahead[0].steps
            if farthest is None:
                return None
            forms = [farthest]
        return forms[0] if forms[0].runner.alone else None

    def limbs(self, values: tuple[mpq, ...], given: Input) -> list[int]:
        """Return the limb lengths that are tried."""
        symbol = self._digits_of_a_symbol(values, given)
        return [digits * symbol for digits in DIGITS if digits * symbol <= self._radix.limb]

    def _digits_of_a_symbol(self, values: tuple[mpq, ...], given: Input) -> int:
        """Return how many digits a symbol has, as far as steps show; new machines cut numbers into whole ones."""
        self._symbol = gcd(*self._shifts(values, given)) or 1
        return self._symbol


def _shifts(network: Network, radix: Radix, values: tuple[mpq, ...], given: Input) -> set[int]:
    """Return by how many digits numbers are moved in some steps from a state."""
    deadline = time.perf_counter() + PROBE_SECONDS
    steps, found = OpaqueSteps(network, given), set()
    stretch = steps.run([Opaque(value, {}) for value in values], 0)
    for _ in range(PROBE):
        found |= {radix.term(weight)[1] for weight in steps.weights_in_use()}
        stretch = steps.run(stretch.values, 1)
        if stretch.decided or stretch.left is not None or time.perf_counter() > deadline:
            break
    return found
