"""The modes of the exact engine: direct and macro where numbers are positional, plain rationals elsewhere.

This is who decides. A state is in the form of the mode that it was reached in, and goes from one to another by its
numbers. Which mode takes which steps has no part in any result.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral, count_text
from exactnn.errors import CheckpointError, SizeLimitError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.packed import pack_numbers, pack_numerals, unpack_numerals, unpack_rationals
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.positional.experience import SHORTEST_DETOUR, Experience
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.stepping import along_word
from exactnn.size_limit import SizeLimit

if TYPE_CHECKING:
    from exactnn.simulation.positional.direct import DirectEngine, Stretch
    from exactnn.simulation.positional.macro import Macro, MacroForm
    from exactnn.simulation.positional.shadow import ShadowedDirectEngine

__all__ = ["Modes"]

CHUNK = 1 << 22
"""Steps of direct mode between two looks at Ctrl-C."""
LONG_RUN = 1 << 12
"""Equal letters of a word for which blocks of steps are worth a call of their own."""
MACRO_AFTER = 1 << 16
"""Steps of direct mode on one input before macro mode is tried; eight times as many each time that it was no use."""
BLOCK_PACE = 1 << 13
"""Steps of direct mode for each of the first blocks of steps that are written; they take longer than that."""
PLAIN_SECONDS = 0.05
"""How long plain rationals are stepped between two looks at Ctrl-C."""
WRITTEN_DIGITS = 1 << 26
"""Longer numbers of macro mode stay numerals even where there is room for them: to write them out takes seconds."""


@dataclass(frozen=True, slots=True)
class _Engines:
    """The compiled engines of a network: what takes direct steps, with or without a shadow, and macro mode."""

    direct: "DirectEngine"
    stepping: "DirectEngine | ShadowedDirectEngine"
    macro: "Macro"


@dataclass(frozen=True, slots=True)
class _State:
    """A state in the form of the mode that it was reached in, and what decides about the next mode.

    `form` is a state of plain rationals, a DirectState or a MacroForm, for the modes "plain", "direct" and "macro". In
    the mode "numerals", of a checkpoint written in macro mode, it is the numbers themselves.

    `wait`: steps in rationals before direct mode is tried again. `detour`: how many steps the next wait has. `stay`:
    steps of direct mode in a row. `macro_at`: at which of them macro mode is tried.
    """

    mode: str
    form: Any
    macro_at: int
    wait: int = 0
    detour: int = SHORTEST_DETOUR
    stay: int = 0


class Modes:
    """A network in exact arithmetic, whatever its weights, from the first step on in the mode that is fastest.

    Parameters
    ----------
    network : Network
    limb_digits : int, optional
        Digits of a piece of a number in direct mode; by default as many as fit a machine word.
    plain : PlainExactExecutor, optional
        What takes plain steps, if there is one already.
    taken : int
        Steps in plain rationals that were taken before.
    macro : bool
        Whether long stretches on one input may be run by macro steps.
    macro_after : int
        Steps of direct mode before macro steps are tried.
    induction : bool
        Whether these may be summed up by proven rules.
    block_pace : int
        Steps of direct mode for each block of several steps that is written into the program.
    shadow : bool
        Whether direct steps are checked by the same steps modulo 2**61 - 1; ShadowError is raised if they disagree.
        Macro steps are not checked: turn them off for a run that is checked throughout.
    limit : SizeLimit, optional
        A step whose numbers, written out, it has no room for raises SizeLimitError.
    without_end : bool
        Whether a round that is proven to go on for ever ends the run; else it is taken as often as was asked for.
    """

    def __init__(
        self,
        network: Network,
        *,
        limb_digits: int | None = None,
        plain: PlainExactExecutor | None = None,
        taken: int = 0,
        macro: bool = True,
        macro_after: int = MACRO_AFTER,
        induction: bool = True,
        block_pace: int = BLOCK_PACE,
        shadow: bool = False,
        limit: SizeLimit | None = None,
        without_end: bool = False,
    ) -> None:
        self.network = network
        self._limit = limit or SizeLimit()
        self._radix, self._experience = radix_of(network, limb_digits), Experience.of(network)
        self._plain = plain or PlainExactExecutor(network, self._limit, flint=False)
        if self._radix is None:
            self._plain.add_flint()
        self._macro, self._macro_after, self._induction = macro, macro_after, induction
        self._loaded: _Engines | None = None
        self._shadow, self._block_pace, self._without_end = shadow, block_pace, without_end
        self._reads = network.alphabet is not None and not shadow  # many symbols in one call of the loop
        self._shadows: list[ShadowedDirectEngine] = []  # one for each length of limbs
        self._steps = {"in rationals": taken, "direct": 0, "in macro steps": 0, "by rules": 0}
        self._reasons = {} if self._radix else {"weights that are no short numbers in one base": None}
        self._pace, self._shortened, self._endless = 1, False, False
        self.begun: _State | None = None  # where the last steps began, in the mode that took them

    @property
    def engine(self) -> str:
        """How the steps so far were taken, and why some were taken in plain rationals."""
        done = [f"{count_text(steps)} steps {how}" for how, steps in self._steps.items() if steps]
        why = f" because of {', '.join(self._reasons)}" if self._reasons and self._steps["in rationals"] else ""
        cuts = sum(shadow.cuts for shadow in self._shadows)
        cut = f", {count_text(cuts)} of them cut off a number unseen" if cuts else ""
        checked = f", {count_text(self.shadowed)} steps checked modulo 2^61-1{cut}" if self._shadow else ""
        endless = ", and from there a round that is proven to go on for ever" if self._endless else ""
        return f"exact: {', '.join(done) or 'no steps'}{why}{checked}{endless}"

    @property
    def shadowed(self) -> int:
        """How many steps were checked modulo 2**61 - 1, those up to the last state whose values were asked for."""
        return min(sum(shadow.checked for shadow in self._shadows), self._steps["direct"])  # some are taken again

    def start(self) -> _State:
        """Return the initial state."""
        return self.state_of(self._plain.values(self._plain.start()))

    def state_of(self, values: Sequence[LongNumber]) -> _State:
        """Return a state with these numbers."""
        if any(isinstance(value, Numeral) for value in values):
            return _State("numerals", tuple(values), macro_at=self._macro_after)
        form, first = self._plain.state_of(tuple(map(mpq, values))), self._experience.first_detour
        return _State("plain", form, self._macro_after, wait=first, detour=max(SHORTEST_DETOUR, 2 * first))

    def values(self, state: _State) -> tuple[LongNumber, ...]:
        """Return the numbers of `state`; numbers of enormous length are Numerals."""
        if state.mode == "plain":
            return self._plain.values(state.form)
        if state.mode == "direct":
            try:
                return self._engines.stepping.values(state.form)
            except SizeLimitError:
                return self._engines.direct.numerals(state.form)
        numbers = self._numbers(state)
        fits = sum(value.bits for value in numbers if isinstance(value, Numeral)) <= self._limit.room
        return tuple(
            value.rational() if isinstance(value, Numeral) and fits and value.digits <= WRITTEN_DIGITS else value
            for value in numbers
        )

    @staticmethod
    def _numbers(state: _State) -> tuple[LongNumber, ...]:
        """Return the numbers of a state of macro mode, or of a checkpoint of it, as they are held."""
        return state.form if state.mode == "numerals" else state.form.numbers()  # type: ignore[no-any-return]

    def output(self, state: _State) -> Output:
        """Return the readout of `state`."""
        return self._plain.output(self._plain.state_of(self._written(state)))

    def pack(self, state: _State) -> object:
        """Return the numbers of `state` as JSON data, those of macro mode as numerals."""
        if state.mode in ("plain", "direct"):
            return pack_numbers(self.values(state))
        return pack_numerals(self._numbers(state))

    def unpack(self, data: object) -> _State:
        """Return a state with the numbers that :meth:`pack` wrote."""
        size = self.network.circuit.state_size
        if isinstance(data, list):
            return self.state_of(unpack_rationals(data, size))
        if self._radix is None or not isinstance(data, dict):
            raise CheckpointError(f"{shown(data)} is no state of an exact run")
        return self.state_of(unpack_numerals(data, size, self._radix.base, self._radix.limb))

    def advance(self, state: _State, symbol: Input, count: int, *, until_decided: bool) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict."""
        if state.mode == "numerals":
            state = self._resumed(state, symbol, until_decided)
        if state.mode == "plain" and not state.wait and self._can_load():
            state = self._loaded_state(self._written(state), state)
        if state.mode == "macro" and not (until_decided and state.form.runner.machine.given == symbol):
            state = self._loaded_state(self._written(state), state)
        if state.mode == "direct" and state.form.arena.radix != self._radix:
            state = self._loaded_state(self._written(state), state)
        worth_a_trial = count >= state.macro_at or count >= MACRO_AFTER
        if state.mode == "direct" and until_decided and self._macro and worth_a_trial and state.stay >= state.macro_at:
            best, later = self._macro_form(state, symbol, count), replace(state, macro_at=8 * max(1, state.stay))
            state = later if best is None else replace(state, mode="macro", form=best)
        self.begun = state
        if state.mode == "plain":
            return self._advance_plain(state, symbol, count, until_decided)
        if state.mode == "macro":
            return self._advance_macro(state, symbol, count)
        return self._advance_direct(state, symbol, count, until_decided)

    def advance_word(self, state: _State, word: Sequence[Input], *, outputs: bool) -> Segment:
        """Apply an input after the other, some or all of them; without the outputs if these are not wanted."""
        if state.mode == "plain" and not state.wait and self._can_load():
            state = self._loaded_state(self._written(state), state)
        if state.mode == "plain":
            first = word if self._radix is None else word[: max(1, state.wait)]
            return self._after_plain(self._plain.advance_word(state.form, first), state)
        if state.mode != "direct" or state.form.arena.radix != self._radix or not self._reads:
            return along_word(self.advance, state, word)
        if (run := len(list(next(groupby(word))[1]))) >= LONG_RUN:
            return self.advance(state, word[0], run, until_decided=False)
        read = partial(self._engines.direct.read, state.form, outputs=outputs)
        return self._within_limits(lambda most: read(word[:most]), len(word), state, word[0], 1, False)

    def again(self, state: _State, symbol: Input, count: int, *, until_decided: bool) -> _State:
        """Return the state after `count` steps that have been taken before: they are not counted again."""
        steps = self._steps.copy()
        try:
            while count:
                segment = self.advance(state, symbol, count, until_decided=until_decided)
                if not segment.steps:  # from here it goes on for ever, which is no reason to stop
                    segment = self.advance(state, symbol, count, until_decided=False)
                state, count = segment.state, count - segment.steps
        finally:
            self._steps = steps
        return state

    def _resumed(self, state: _State, symbol: Input, until_decided: bool) -> _State:
        """Return the state of a checkpoint in macro mode if it goes on there, else in direct mode."""
        form = self._engines.macro.resumed(state.form, symbol) if until_decided and self._macro else None
        if form is not None:
            return replace(state, mode="macro", form=form)
        return self._loaded_state(self._written(state), state)

    def _can_load(self) -> bool:
        """Whether there is a fast engine for this network; not where there is too little memory for compiled code."""
        if self._radix is None:
            return False
        try:
            return self._engines is not None
        except (ImportError, OSError, MemoryError, SystemError) as error:
            self._reasons[f"compiled code that cannot be loaded ({type(error).__name__})"] = None
            self._radix = None
            return False

    @property
    def _engines(self) -> _Engines:
        if self._loaded is None:
            with Uninterrupted("loading numba"):  # only here, since that takes long
                from exactnn.simulation.positional.direct import DirectEngine
                from exactnn.simulation.positional.macro import Macro
                from exactnn.simulation.positional.program import Program
                from exactnn.simulation.positional.shadow import ShadowedDirectEngine

            assert self._radix is not None
            layers = Program(self.network, self._radix) if self._shadow else None  # a shadow follows layers only
            direct = DirectEngine(self.network, self._radix, layers, block_pace=self._block_pace, limit=self._limit)
            self._shadows += [ShadowedDirectEngine(direct)] if self._shadow else []
            stepping = self._shadows[-1] if self._shadow else direct
            self._loaded = _Engines(direct, stepping, Macro(direct, without_end=self._without_end))
        return self._loaded

    def _written(self, state: _State) -> tuple[mpq, ...]:
        """Return the numbers of a state as rationals; raises SizeLimitError if they are too long for that."""
        values = self.values(state)
        self._limit.refuse(sum(value.bits for value in values if isinstance(value, Numeral)))
        return tuple(value.rational() if isinstance(value, Numeral) else value for value in values)

    def _macro_form(self, state: _State, symbol: Input, count: int) -> "MacroForm | None":
        """Return the state in macro mode; None if that is no faster, or its numbers are too long to be written out."""
        try:
            values = self._written(state)
        except SizeLimitError:
            return None
        return self._engines.macro.best(values, symbol, count, inductive=self._induction)

    def _loaded_state(self, values: tuple[mpq, ...], state: _State) -> _State:
        """Return the state in direct mode if it can hold the values, else as rationals that wait for a while."""
        loaded = self._engines.stepping.load(values)
        if loaded is None:
            return self._detour(values, state, "a number that is not short in that base")
        return replace(state, mode="direct", form=loaded, wait=0, stay=0)

    def _detour(self, values: tuple[mpq, ...], state: _State, reason: str) -> _State:
        """Return the state as rationals, for twice as many steps as the last time if that was not long ago."""
        self._reasons[reason] = None
        detour = self._experience.detour = SHORTEST_DETOUR if state.stay > 4 * state.detour else state.detour
        self._plain.add_flint()  # only now, since loading it takes a while
        form = self._plain.state_of(values)
        return replace(state, mode="plain", form=form, wait=detour, detour=2 * detour, stay=0)

    def _advance_direct(self, state: _State, symbol: Input, count: int, until_decided: bool) -> Segment:
        most = min(count, CHUNK, max(1, state.macro_at - state.stay) if until_decided and self._macro else CHUNK)
        take = partial(self._engines.stepping.advance, state.form, symbol, until_decided=until_decided)
        return self._within_limits(take, most, state, symbol, count, until_decided)

    def _within_limits(
        self, take: "Callable[[int], Stretch]", most: int, state: _State, symbol: Input, count: int, until_decided: bool
    ) -> Segment:
        """Take so many steps; where there is no room for the last numbers, those before are worth keeping."""
        stretch = take(most)
        try:
            return self._after(stretch, state, symbol, count, until_decided)
        except SizeLimitError:
            if stretch.steps < 2:
                raise
        return self._after(take(stretch.steps - 1), state, symbol, count, until_decided)

    def _after(self, stretch: "Stretch", state: _State, symbol: Input, count: int, until_decided: bool) -> Segment:
        """Return what a stretch of direct mode gave; where that mode cannot go on, plain rationals do."""
        direct, outputs = self._engines.stepping, stretch.outputs
        following = replace(state, form=stretch.state, stay=state.stay + stretch.steps)
        outputs = [*outputs, (self.output(following), 1)] if stretch.live_output else outputs
        outcome = self._verdict(outputs) if until_decided else None
        reason = "an output that is a long number" if stretch.live_output else stretch.left
        if stretch.out_of_range and self._shorten_limbs():
            following = self._loaded_state(direct.values(stretch.state), following)
            if not stretch.steps:
                return self.advance(following, symbol, count, until_decided=until_decided)
        elif reason is not None:
            following = self._detour(direct.values(stretch.state), following, reason)
            if not stretch.steps:
                return self._advance_plain(following, symbol, count, until_decided)
        else:
            self._experience.stayed(following.stay)
        self._steps["direct"] += stretch.steps
        return Segment(steps=stretch.steps, outputs=outputs, state=following, outcome=outcome)

    def _advance_macro(self, state: _State, symbol: Input, count: int) -> Segment:
        form: MacroForm = state.form
        stretch, way = form.runner.run(form, count, inductive=self._induction)
        self._steps["by rules" if way == "rules" else "in macro steps"] += stretch.steps
        following = replace(state, form=replace(form, state=stretch.state, stacks=stretch.stacks))
        if stretch.endless:
            self._endless = True
            return Segment(steps=stretch.steps, outputs=stretch.outputs, state=following, outcome=Outcome.NON_HALTING)
        if stretch.left is not None or not stretch.worthwhile or not stretch.steps:
            try:
                following = self._loaded_state(self._written(following), following)
                following = replace(following, macro_at=8 * max(1, state.macro_at))
            except SizeLimitError:
                if not stretch.steps:
                    raise
            if not stretch.steps:
                return self.advance(following, symbol, count, until_decided=True)
        outcome = self._verdict(stretch.outputs)
        return Segment(steps=stretch.steps, outputs=stretch.outputs, state=following, outcome=outcome)

    def _advance_plain(self, state: _State, symbol: Input, count: int, until_decided: bool) -> Segment:
        most = min(count, self._pace if self._radix is None else min(self._pace, state.wait))
        began = time.perf_counter()
        segment = self._plain.advance(state.form, symbol, most, until_decided=until_decided)
        if segment.steps == self._pace:
            quick = time.perf_counter() - began < PLAIN_SECONDS
            self._pace = 2 * self._pace if quick else max(1, self._pace // 2)
        return self._after_plain(segment, state)

    def _after_plain(self, segment: Segment, state: _State) -> Segment:
        self._steps["in rationals"] += segment.steps
        self._experience.took_plain(segment.steps)
        following = replace(state, form=segment.state, wait=max(0, state.wait - segment.steps))
        return segment.leading_to(following)

    def _shorten_limbs(self) -> bool:
        """Leave more of a machine word to sums of several numbers, and less to each; return False if that was done."""
        radix = self._radix
        if radix is None or self._shortened or self._shadow or radix.limb < 3:
            return False
        self._radix = replace(radix, limb=radix.limb // 2, most=radix.least + 2 * (radix.limb // 2))
        self._loaded, self._shortened = None, True
        return True

    def _verdict(self, outputs: list[tuple[Output, int]]) -> Outcome | None:
        last = outputs[-1][0] if outputs else ()
        return None if isinstance(last, tuple) else self.network.decision.outcome(last)
