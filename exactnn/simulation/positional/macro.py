"""Macro mode: which limb length, and whether edges or rules carry a long stretch on one input further."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.errors import SizeLimitError
from exactnn.networks import Input
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.induction import Induction
from exactnn.simulation.positional.macro_loop import MacroLoop, MacroStretch
from exactnn.simulation.positional.macro_machine import MOST_STACKS, Head, MacroMachine, MacroState, Stacks
from exactnn.simulation.positional.radix import WORD_BITS
from exactnn.simulation.positional.rows import Status

__all__ = ["Macro", "MacroForm"]

DIGITS = (2, 3, 4, 6, 8)
"""Limb lengths that are tried, in symbols of a stack: as many digits as the moves shift by."""
TRIAL = 1 << 16
"""Transitions of a trial, some milliseconds."""
TRIAL_MOVES, TRIAL_SECONDS = 1 << 12, 5.0
"""Moves of a trial of rules, some tenths of a second, and how long it may take."""
TRIAL_EDGES = 1 << 8
"""New edges of a trial: where more come up they do not recur, and each takes as long as some ten thousand steps."""
WORTHWHILE, WORTHWHILE_BY_RULES = 8, 1 << 12
"""Steps per transition that make macro mode worth beginning: in the compiled loop, and by rules, in Python."""
STILL_WORTHWHILE = 2
"""Steps per transition below which direct mode is faster; a long tape would be converted for nothing above."""
SLICE_SECONDS = 0.05
LONG_SLICE = 1 << 20
"""Transitions of the compiled loop between two looks at the clock."""


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

    def __init__(self, machine: MacroMachine, *, without_end: bool) -> None:
        self.machine = machine
        self.loop = MacroLoop(machine)
        self.induction = Induction(machine, without_end=without_end)
        self._rates = {"loop": 0.0, "rules": 0.0}
        self._patience = {"loop": 1, "rules": 1}
        self._waited = 0

    def run(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        """Go on for a while in the way that was faster lately; return what that gave, and the way.

        What a trial has taken is not taken again.
        """
        if form.ahead is not None and form.ahead[0].steps <= limit:
            return form.ahead
        way = self._way() if inductive else "loop"
        began = time.perf_counter()
        if way == "loop":
            stretch = self.loop.run(form.state, form.stacks, limit, LONG_SLICE)
        else:
            stretch = self.induction.run(form.state, form.stacks, limit, SLICE_SECONDS)
        elapsed = time.perf_counter() - began
        self._rates[way] = float(min(stretch.steps, 10**300)) / elapsed
        if stretch.endless:
            return stretch, way
        if stretch.large:
            self._rates = {"loop": -1.0, "rules": 0.0}
            self._patience["loop"] = 1 << 62
            if not stretch.steps:
                stretch = self.induction.run(form.state, form.stacks, limit, SLICE_SECONDS)
                way = "rules"
        if stretch.transitions >= LONG_SLICE and stretch.steps < STILL_WORTHWHILE * stretch.transitions:
            stretch = replace(stretch, worthwhile=False)
        return stretch, way

    def trial(self, form: MacroForm, limit: int, *, inductive: bool) -> tuple[MacroStretch, str]:
        """Try how far it gets in a short while: in the loop, and by rules where that does not come to the end.

        What is found out on the way, edges and rules, is kept; the next run begins with the way that got farther.
        """
        known = len(self.machine.edges)
        stretch = self.loop.run(form.state, form.stacks, limit, TRIAL, TRIAL_EDGES)
        if stretch.decided or stretch.left is not None or stretch.steps == limit:
            return stretch, "loop"
        recurs = len(self.machine.edges) - known < TRIAL_EDGES
        stretch = replace(stretch, worthwhile=recurs and stretch.steps >= WORTHWHILE * stretch.transitions)
        if inductive and recurs:
            with suppress(SizeLimitError):
                other = self.induction.run(form.state, form.stacks, limit, TRIAL_SECONDS, TRIAL_MOVES)
                farther = other.steps > stretch.steps and other.steps >= WORTHWHILE_BY_RULES * other.transitions
                if farther or other.decided or other.endless:
                    self._rates["rules"] = 1.0
                    return other, "rules"
        return stretch, "loop"

    def _way(self) -> str:
        """Return the faster way, and now and then the other one, ever more rarely."""
        better, other = sorted(self._rates, key=lambda way: -self._rates[way])
        self._waited += 1
        if self._waited > self._patience[other]:
            self._waited = 0
            self._patience[other] *= 2
            return other
        return better


class Macro:
    """Macro machines for one network, made when they are needed."""

    def __init__(self, engine: DirectEngine, *, without_end: bool = False) -> None:
        self._engine = engine
        self._without_end = without_end
        self._runners: dict[tuple[Input, int], Runner] = {}

    def runner(self, given: Input, limb: int) -> Runner:
        """Return the runner for an input and a limb length."""
        if (given, limb) not in self._runners:
            radix = self._engine.radix
            radix = replace(radix, limb=limb, most=radix.least + 2 * limb)
            program, limit = self._engine.program, self._engine.limit
            engine = DirectEngine(self._engine.network, radix, program, limit=limit, patient=True)
            self._runners[given, limb] = Runner(MacroMachine(engine, given), without_end=self._without_end)
        return self._runners[given, limb]

    def form(self, values: tuple[mpq, ...], given: Input, limb: int) -> MacroForm | None:
        """Return the form of a state for limbs of some length; None if it has too many long numbers."""
        runner = self.runner(given, limb)
        loaded = runner.machine.engine.load(values)
        cut = None if loaded is None else runner.machine.load(loaded)
        return None if cut is None else MacroForm(runner, *cut)

    def resumed(self, numbers: tuple[LongNumber, ...], given: Input) -> MacroForm | None:
        """Return the form of the state with the numbers that :meth:`MacroForm.numbers` gave; None if there is none."""
        numerals = [number for number in numbers if isinstance(number, Numeral)]
        statuses = tuple(map(Status.of, numbers))
        if [status >= Status.LIVE for status in statuses] != [isinstance(number, Numeral) for number in numbers]:
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
        for limb in self.limbs():
            form = self.form(values, given, limb)
            if form is None:
                continue
            stretch, way = form.runner.trial(form, limit, inductive=inductive)
            self._engine.keep()
            if stretch.left is not None:
                continue
            if not stretch.large:
                form = replace(form, ahead=(replace(stretch, worthwhile=True), way))
            if stretch.decided or stretch.endless or stretch.steps == limit:
                return form
            if stretch.worthwhile and (found is None or stretch.steps > found[0]):
                found = stretch.steps, form
        return None if found is None else found[1]

    def limbs(self) -> list[int]:
        """Return the limb lengths that are tried."""
        symbol = gcd(*self._engine.program.shifts) or 1
        return [digits * symbol for digits in DIGITS if digits * symbol <= self._engine.radix.limb]
