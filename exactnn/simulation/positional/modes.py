"""The modes of the exact engine: direct and macro where numbers are positional, plain rationals elsewhere.

This is who decides. A state is in the form of the mode that it was reached in, and goes from one to another by its
numbers. Which mode takes which steps has no part in any result.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber, Numeral
from exactnn.errors import CheckpointError, SizeLimitError, shown
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation.executor import Output, Segment
from exactnn.simulation.packed import pack_numerals, unpack_numerals, unpack_rationals
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.positional.account import Account
from exactnn.simulation.positional.engines import Engines
from exactnn.simulation.positional.experience import SHORTEST_DETOUR, Experience
from exactnn.simulation.positional.mode_state import Asked, Converted, ModeState, all_written_out, later_written_out
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.stepping import along_word
from exactnn.size_limit import SizeLimit

if TYPE_CHECKING:
    from exactnn.simulation.positional.direct_state import Stretch
    from exactnn.simulation.positional.macro import MacroForm

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
        Whether a proof that there is never a verdict ends the run; else as many steps are taken as were asked for.
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
        self.network, self._limit = network, limit or SizeLimit()
        self._radix, self._experience = radix_of(network, limb_digits), Experience.of(network)
        self._plain = plain or PlainExactExecutor(network, self._limit, flint=False)
        if self._radix is None:
            self._plain.add_flint()
        self._macro, self._macro_after, self._induction = macro, macro_after, induction
        self._loaded: Engines | None = None
        self._options: dict[str, Any] = {"block_pace": block_pace, "shadow": shadow, "without_end": without_end}
        self._reads = network.alphabet is not None and not shadow  # many symbols in one call of the loop
        self.account = Account(
            {"in rationals": taken, "direct": 0, "in macro steps": 0, "by rules": 0},
            {} if self._radix else {"weights that are no short numbers in one base": None},
        )
        self._pace, self._shortened = 1, False
        self._converted = Converted()  # an anchor
        self.begun: ModeState | None = None  # where the last steps began, in the mode that took them

    def start(self) -> ModeState:
        """Return the initial state."""
        return self.state_of(self._plain.values(self._plain.start()))

    def state_of(self, values: Sequence[LongNumber]) -> ModeState:
        """Return a state with these numbers."""
        if any(isinstance(value, Numeral) for value in values):
            return ModeState("numerals", tuple(values), macro_at=self._macro_after)
        return self.after_plain(self._plain.state_of(tuple(map(mpq, values))))

    def after_plain(self, form: Any) -> ModeState:
        """Return a state that plain steps have led to, in the form that they have."""
        first = self._experience.first_detour(self._plain.seconds_in_words(form))
        return ModeState("plain", form, self._macro_after, wait=first, detour=max(SHORTEST_DETOUR, 2 * first))

    def values(self, state: ModeState) -> tuple[LongNumber, ...]:
        """Return the numbers of `state`; numbers of enormous length are Numerals."""
        match state.mode:
            case "plain":
                return self._plain.values(state.form)
            case "direct":
                try:
                    return self._engines.stepping.values(state.form)
                except SizeLimitError:
                    return tuple(state.form.numerals())
            case "macro" | "numerals":
                return later_written_out(state.numbers(), self._limit)()
            case _:
                assert_never(state.mode)

    def later(self, state: ModeState) -> Callable[[], tuple[LongNumber, ...]]:
        """Return what computes :meth:`values`, without all else that the modes hold."""
        match state.mode:
            case "direct" if not self._options["shadow"]:  # a shadow looks at the numbers
                return partial(state.form.alone().numbers, self._limit)
            case "direct" | "plain":
                return partial(tuple, self.values(state))
            case "macro" | "numerals":
                return later_written_out(state.numbers(), self._limit)
            case _:
                assert_never(state.mode)

    def output(self, state: ModeState) -> Output:
        """Return the readout of `state`."""
        return self._plain.output(state.form if state.mode == "plain" else self._plain.state_of(self._written(state)))

    def pack(self, state: ModeState) -> object:
        """Return the numbers of `state` as JSON data, in macro mode and where they have no room as numerals."""
        return pack_numerals(self.values(state) if state.mode in ("plain", "direct") else state.numbers())

    def unpack(self, data: object) -> ModeState:
        """Return a state with the numbers that :meth:`pack` wrote."""
        if isinstance(data, list):
            return self.state_of(unpack_rationals(data, self.network.circuit.state_size))
        if self._radix is None or not isinstance(data, dict):
            raise CheckpointError(f"{shown(data)} is no state of an exact run")
        return self.state_of(unpack_numerals(data, self.network.circuit.state_size, self._radix.base, self._radix.limb))

    def alike(self, first: ModeState, second: ModeState) -> bool:
        """Return whether two states have the same numbers; not where these are too long to be written out."""
        if first.mode == second.mode == "plain":
            return self._plain.alike(first.form, second.form)
        forms = [self._converted.of(state, "direct") for state in (first, second)]
        differ = None not in forms and forms[0].differs(forms[1])
        try:
            return not differ and self._written(first) == self._written(second)
        except SizeLimitError:
            return False

    def advance(
        self, state: ModeState, symbol: Input, count: int, *, until_decided: bool, anchor: ModeState | None = None
    ) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        With an `anchor` stop where that is the state, except in macro mode; and maybe elsewhere.
        """
        return self._advance(state, Asked(symbol, count, until_decided, anchor))

    def _advance(self, state: ModeState, asked: Asked) -> Segment:
        symbol, count, until_decided = asked.symbol, asked.count, asked.until_decided
        if state.mode == "numerals":
            state = self._resumed(state, symbol, until_decided)
        begins = state.mode == "plain" and not state.wait and self._can_load()
        ends = state.mode == "macro" and not (until_decided and state.form.runner.machine.given == symbol)
        if begins or ends or (state.mode == "direct" and not self._fits(state)):
            before, state = state, self._loaded_state(self._written(state), state)
            if asked.anchor is before:
                self._converted = Converted(before, state.mode, state.form)
        worth_a_trial = count >= state.macro_at or count >= MACRO_AFTER
        if state.mode == "direct" and until_decided and self._macro and worth_a_trial and state.stay >= state.macro_at:
            best, later = self._macro_form(state, symbol, count), state._replace(macro_at=8 * max(1, state.stay))
            state = later if best is None else state._replace(mode="macro", form=best)
        self.begun = state
        if state.mode == "plain":
            return self._advance_plain(state, asked)
        if state.mode == "macro":
            return self._advance_macro(state, asked)
        return self._advance_direct(state, asked)

    def advance_word(self, state: ModeState, word: Sequence[Input], *, outputs: bool) -> Segment:
        """Apply an input after the other, some or all of them; without the outputs if these are not wanted."""
        if state.mode == "plain" and not state.wait and self._can_load():
            state = self._loaded_state(self._written(state), state)
        if state.mode == "plain":
            first = word if self._radix is None else word[: max(1, state.wait)]
            return self._after_plain(self._plain.advance_word(state.form, first), state)
        if state.mode != "direct" or not self._fits(state) or not self._reads:
            return along_word(self.advance, state, word)
        if (run := len(list(next(groupby(word))[1]))) >= LONG_RUN:
            return self.advance(state, word[0], run, until_decided=False)
        read = partial(self._engines.direct.read, state.form, outputs=outputs)
        return self._within_limits(lambda most: read(word[:most]), len(word), state, Asked(word[0], 1, False))

    def again(self, state: ModeState, symbol: Input, count: int, *, until_decided: bool) -> ModeState:
        """Return the state after `count` steps that have been taken before: they are not counted again."""
        steps = self.account.steps.copy()
        try:
            while count:
                segment = self.advance(state, symbol, count, until_decided=until_decided)
                if not segment.steps:  # from here it goes on for ever, which is no reason to stop
                    segment = self.advance(state, symbol, count, until_decided=False)
                state, count = segment.state, count - segment.steps
        finally:
            self.account.steps = steps
        return state

    def _resumed(self, state: ModeState, symbol: Input, until_decided: bool) -> ModeState:
        """Return the state of a checkpoint in macro mode if it goes on there, else in direct mode."""
        form = self._engines.macro.resumed(state.form, symbol) if until_decided and self._macro else None
        return self._in_direct(state) if form is None else state._replace(mode="macro", form=form)

    def _in_direct(self, state: ModeState) -> ModeState:
        """Return a state that is held in numerals in direct mode if it can hold that, else as rationals."""
        try:
            return self._loaded_state(self._written(state), state)
        except SizeLimitError:
            hidden = self._options["shadow"] or not self._can_load()
            loaded = None if hidden else self._engines.direct.resumed(state.numbers())
            if loaded is None:
                raise
            return state._replace(mode="direct", form=loaded, wait=0, stay=0)

    def _can_load(self) -> bool:
        """Whether there is a fast engine for this network; not where there is too little memory for compiled code."""
        if self._radix is None:
            return False
        try:
            return self._engines is not None
        except (ImportError, OSError, MemoryError, SystemError) as error:
            self.account.reasons[f"compiled code that cannot be loaded ({type(error).__name__})"] = None
            self._radix = None
            return False

    @property
    def _engines(self) -> Engines:
        if self._loaded is None:
            assert self._radix is not None
            self._loaded = Engines.load(self.network, self._radix, self._limit, **self._options)
            self.account.take(self._loaded.shadowed)
        return self._loaded

    def _written(self, state: ModeState) -> tuple[mpq, ...]:
        """Return the numbers of a state as rationals; raises SizeLimitError if they are too long for that."""
        return all_written_out(self.values(state), self._limit)

    def _macro_form(self, state: ModeState, symbol: Input, count: int) -> "MacroForm | None":
        """Return the state in macro mode; None if that is no faster, or its numbers are too long to be written out."""
        try:
            values = self._written(state)
        except SizeLimitError:
            return None
        return self._engines.macro.best(values, symbol, count, inductive=self._induction)

    def _loaded_state(self, values: tuple[mpq, ...], state: ModeState) -> ModeState:
        """Return the state in direct mode if it can hold the values, else as rationals that wait for a while."""
        if not self._can_load():
            return state._replace(mode="plain", form=self._plain.state_of(values), wait=0)
        loaded = self._engines.stepping.load(values)
        if loaded is None:
            return self._detour(values, state, "a number that is not short in that base")
        return state._replace(mode="direct", form=loaded, wait=0, stay=0)

    def _detour(self, values: tuple[mpq, ...], state: ModeState, reason: str) -> ModeState:
        """Return the state as rationals, for twice as many steps as the last time if that was not long ago."""
        self.account.reasons[reason] = None
        self._plain.add_flint()  # only now, since loading them takes a while
        self._plain.add_words()
        form = self._plain.state_of(values)
        least = self._experience.shortest_detour(self._plain.seconds_in_words(form))
        detour = SHORTEST_DETOUR if state.stay > 4 * state.detour else max(least, state.detour)
        self._experience.detour = detour
        return state._replace(mode="plain", form=form, wait=detour, detour=2 * detour, stay=0)

    def _advance_direct(self, state: ModeState, asked: Asked) -> Segment:
        until_macro = max(1, state.macro_at - state.stay) if asked.until_decided and self._macro else CHUNK
        advance, anchor = self._engines.stepping.advance, self._anchor(asked, state)
        take = partial(advance, state.form, asked.symbol, until_decided=asked.until_decided, anchor=anchor)
        return self._within_limits(take, min(asked.count, CHUNK, until_macro), state, asked)

    def _anchor(self, asked: Asked, state: ModeState) -> Any:
        """Return the anchor in the form of the mode of a state; None if it has no such form."""
        anchor = asked.anchor
        if anchor is None or (anchor.mode == state.mode and self._fits(anchor)):
            return anchor and anchor.form
        if not self._converted.holds(anchor, state.mode):
            load = self._plain.state_of if state.mode == "plain" else self._engines.direct.load
            try:
                self._converted = Converted(anchor, state.mode, load(self._written(anchor)))
            except SizeLimitError:
                return None
        return self._converted.form

    def _fits(self, state: ModeState) -> bool:
        """Whether a state has limbs of the length in use, if it has any."""
        return state.mode != "direct" or state.form.arena.radix == self._radix

    def _within_limits(self, take: "Callable[[int], Stretch]", most: int, state: ModeState, asked: Asked) -> Segment:
        """Take so many steps; where there is no room for the last numbers, those before are worth keeping."""
        stretch = take(most)
        try:
            return self._after(stretch, state, asked)
        except SizeLimitError:
            if stretch.steps < 2:
                raise
        return self._after(take(stretch.steps - 1), state, asked)

    def _after(self, stretch: "Stretch", state: ModeState, asked: Asked) -> Segment:
        """Return what a stretch of direct mode gave; where that mode cannot go on, plain rationals do."""
        direct, outputs = self._engines.stepping, stretch.outputs
        following = state._replace(form=stretch.state, stay=state.stay + stretch.steps)
        outputs = [*outputs, (self.output(following), 1)] if stretch.live_output else outputs
        outcome = self._verdict(outputs) if asked.until_decided else None
        reason = "an output that is a long number" if stretch.live_output else stretch.left
        if stretch.out_of_range and self._shorten_limbs():
            following = self._loaded_state(direct.values(stretch.state), following)
            if not stretch.steps:
                return self._advance(following, asked)
        elif reason is not None:
            following = self._detour(direct.values(stretch.state), following, reason)
            if not stretch.steps:
                return self._advance_plain(following, asked)
        else:
            self._experience.stayed(following.stay)
        self.account.steps["direct"] += stretch.steps
        return Segment(steps=stretch.steps, outputs=outputs, state=following, outcome=outcome)

    def _advance_macro(self, state: ModeState, asked: Asked) -> Segment:
        form: MacroForm = state.form
        stretch, way = form.runner.run(form, asked.count, inductive=self._induction)
        self.account.steps["by rules" if way == "rules" else "in macro steps"] += stretch.steps
        following = state._replace(form=replace(form, state=stretch.state, stacks=stretch.stacks, ahead=None))
        if stretch.endless:
            self.account.endless = True
            return Segment(steps=stretch.steps, outputs=stretch.outputs, state=following, outcome=Outcome.NON_HALTING)
        if stretch.left is not None or not stretch.worthwhile or not stretch.steps:
            try:
                following = self._in_direct(following)
                following = following._replace(macro_at=8 * max(1, state.macro_at))
            except SizeLimitError:
                if not stretch.steps:
                    raise
            if not stretch.steps:
                return self._advance(following, asked)
        outcome = self._verdict(stretch.outputs)
        return Segment(steps=stretch.steps, outputs=stretch.outputs, state=following, outcome=outcome)

    def _advance_plain(self, state: ModeState, asked: Asked) -> Segment:
        most = min(asked.count, self._pace if self._radix is None else min(self._pace, state.wait))
        began, anchor = time.perf_counter(), self._anchor(asked, state)
        segment = self._plain.advance(state.form, asked.symbol, most, until_decided=asked.until_decided, anchor=anchor)
        if segment.steps == self._pace:
            self._pace = 2 * most if time.perf_counter() - began < PLAIN_SECONDS else max(1, most // 2)
        return self._after_plain(segment, state)

    def _after_plain(self, segment: Segment, state: ModeState) -> Segment:
        self.account.steps["in rationals"] += segment.steps
        self._experience.took_plain(segment.steps, self._plain.seconds_in_words(segment.state))
        return segment.leading_to(state._replace(form=segment.state, wait=max(0, state.wait - segment.steps)))

    def _shorten_limbs(self) -> bool:
        """Leave more of a machine word to sums of several numbers, and less to each; return False if that was done."""
        radix = self._radix
        if radix is None or self._shortened or self._options["shadow"] or radix.limb < 3:
            return False
        self._radix = replace(radix, limb=radix.limb // 2, most=radix.least + 2 * (radix.limb // 2))
        self._loaded, self._shortened, self._converted = None, True, Converted()
        return True

    def _verdict(self, outputs: list[tuple[Output, int]]) -> Outcome | None:
        last = outputs[-1][0] if outputs else ()
        return None if isinstance(last, tuple) else self.network.decision.outcome(last)
