"""The executor of exact runs: short runs in plain numbers, what goes on in a smaller network and in its fast modes.

Looking a large network over, loading compiled code and writing programs takes longer than a short run. So the first
steps are taken in rationals or in integers, and only a run that is not over by then loads the rest.
"""

import sys
import time
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from exactnn.arithmetic import LongNumber
from exactnn.errors import CheckpointError, SizeLimitError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Input, Network
from exactnn.notices import Patience
from exactnn.simulation.executor import Later, Output, Segment, State, basic_twin
from exactnn.simulation.lowest_terms import Begun
from exactnn.simulation.packed import (
    pack_input,
    pack_number,
    pack_numbers,
    unpack_input,
    unpack_integer,
    unpack_rationals,
)
from exactnn.simulation.plain_exact import PlainExactExecutor
from exactnn.simulation.positional.beginning import STEPS, first_steps, is_long, is_worth_loading, puts_off_loading
from exactnn.simulation.positional.engines import Engines
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.rules_first import RulesFirst, is_loaded
from exactnn.simulation.positional.run_state import LastSteps, RunState
from exactnn.simulation.race import Record
from exactnn.simulation.stepping import MOST_LETTERS
from exactnn.size_limit import SizeLimit

if TYPE_CHECKING:
    from exactnn.simulation.positional.mode_state import ModeState
    from exactnn.simulation.positional.modes import Modes
    from exactnn.simulation.positional.projection import Projection

__all__ = ["ExactExecutor"]

WORTH_FLINT = 400_000
"""Weights to be applied for which it is worth while to load python-flint, which takes 50 ms."""
DIRECT = "direct mode"
"""What is waited for where its loop is neither compiled nor on the disk: plain steps may take a second or two first."""
WATCHED = 1 << 14
"""EOS steps in which a state that comes again is noticed, whatever mode takes them: there are no blocks of steps then,
which takes half a millisecond longer."""

_patience = Patience()
_LATER = {"numbers", "origin", "input", "steps", "until_decided"}


@cache
def _modes_class() -> "type[Modes]":
    with Uninterrupted("loading the exact engine"):
        from exactnn.simulation.positional.modes import Modes

    return Modes


def _smaller(network: Network) -> "Projection | None":
    """Return the smaller network that is run instead, if there is one."""
    with Uninterrupted("loading the exact engine"):
        from exactnn.simulation.positional.fusion import fused
        from exactnn.simulation.positional.unfolding import unfolded

    return fused(network) or unfolded(network)


class ExactExecutor:
    """A network in exact arithmetic, whatever its weights.

    After the first steps, in plain numbers, :class:`Modes` goes on. Where pairs of ReLU units can be fused, or the
    units read few sums of the state, it runs a smaller network. The full state follows from the smaller state one step
    before. That one is not kept, but reached again from where the last steps began.

    Parameters
    ----------
    network : Network
        It must have a :func:`basic_twin`, which is run.
    warm_up : int, optional
        Steps in plain numbers before the rest is loaded: see the constants above. Where that is not compiled either,
        they go on for a second or two, all runs together.
    every_state : bool
        Whether the numbers after every step are asked for: then plain steps go on.
    limit : SizeLimit, optional
        A step whose numbers, written out, it has no room for raises SizeLimitError. Where it has no room for the next
        plain numbers, the modes go on at once.
    begun : Begun, optional
        What the first steps of the run have left: they count among those in plain numbers.
    options
        Those of :class:`Modes`.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> from gmpy2 import mpq
    >>> executor = ExactExecutor(SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[1], readout_weight=[1]))
    >>> executor.advance(executor.start(), (mpq(0),), 2, until_decided=False).outputs, executor.engine
    ([(mpq(1,2), 1), (mpq(1,4), 1)], 'exact: 2 steps in rationals')
    """

    def __init__(
        self,
        network: Network,
        *,
        warm_up: int | None = None,
        every_state: bool = False,
        limit: SizeLimit | None = None,
        begun: Begun | None = None,
        **options: Any,
    ) -> None:
        twin = basic_twin(network)
        assert twin is not None, f"{network.name} has no basic twin: lowest terms run it"
        self.network, self._limit, self._options = twin, limit or SizeLimit(), options
        self._chosen = warm_up is None
        self._record, self._taken = Record.of(network), 0 if begun is None else begun.taken
        before = self._record.steps - (0 if every_state else self._taken)
        if warm_up is None:
            warm_up = first_steps(twin, before, every_state=every_state, without_end=options.get("without_end", False))
        self._warm_up, self._every_state, self.paces_itself = warm_up, every_state, not every_state
        flint = "flint" in sys.modules or min(self._warm_up, STEPS) * twin.circuit.weights > WORTH_FLINT
        if warm_up:  # else no state is in plain numbers
            self._first = PlainExactExecutor(twin, self._limit, flint=flint, every_state=every_state, begun=begun)
        self._loaded: Modes | None = None
        self._projection: Projection | None = None
        self._rules = None if is_worth_loading(twin, before) else RulesFirst(options)
        self._compared: tuple[RunState, ModeState] | None = None  # an anchor in plain numbers as one of the modes

    @property
    def engine(self) -> str:
        """How the steps so far were taken, and why some were taken in plain rationals."""
        if self._loaded is not None:
            return str(self._loaded.account)
        return f"exact: {self._taken:,} steps in rationals" if self._taken else "exact: no steps"

    def start(self) -> RunState:
        """Return the initial state."""
        if self._warm_up:
            return RunState(self._first.start(), self._warm_up)
        return RunState(form=self._modes.start())

    def after_first(self, values: State) -> RunState:
        """Return the state with the numbers that first steps have led to."""
        return RunState(self._first.state_of(values), self._warm_up - self._taken)

    def values(self, state: RunState) -> tuple[LongNumber, ...]:
        """Return the numbers of `state`; numbers of enormous length are Numerals."""
        if state.plain is not None:
            return self._first.values(state.plain)
        return self._modes.values(state.form) if self._projection is None else self.later(state)()  # type: ignore[return-value]

    def later(self, state: RunState) -> Later:
        """Return the numbers of `state`, to be computed when they are asked for."""
        projection, last = self._projection, state.last
        if state.plain is not None:
            return Later.known(self._first.values(state.plain))
        if projection is None:
            return Later(self._modes.later(state.form))
        if last is None:
            return Later.known(self.network.initial_state)
        if projection.is_full(state.form.ones() or self._modes.values(state.form)):
            smaller = self._modes.later(state.form)
            return Later(lambda: projection.embed(smaller()))
        with self._limit.lifted():
            before = self._modes.again(last.origin, last.symbol, last.steps - 1, until_decided=last.until_decided)
        smaller, network, symbol = self._modes.later(before), self.network, last.symbol
        return Later(lambda: projection.full_after(network, smaller(), symbol))

    def output(self, state: RunState) -> Output:
        """Return the readout of `state`."""
        return self._modes.output(state.form) if state.plain is None else self._first.output(state.plain)

    def watches(self, state: RunState, eos_steps: int) -> bool:
        """Whether states are compared: in the first steps on EOS, or always if all are plain; not in macro mode."""
        compared = state.plain is not None or state.form.mode != "macro"
        return compared and (eos_steps < WATCHED or radix_of(self.network) is None)

    def alike(self, first: RunState, second: RunState) -> bool:
        """Whether two states are the same, as far as their numbers can be written out."""
        if first.plain is not None and second.plain is not None:
            return self._first.alike(first.plain, second.plain)
        if not self._modes.alike(self._form(first), self._form(second)):
            return False
        return self._projection is None or self.values(first) == self.values(second)  # else one step later they are

    def advance(
        self, state: RunState, symbol: Input, count: int, *, until_decided: bool, anchor: RunState | None = None
    ) -> Segment:
        """Apply the same input up to `count` times; with `until_decided` stop at the first verdict.

        With an `anchor` stop where that is the state; direct mode may miss it, and macro mode does not look.
        """
        if state.plain is None:
            return self._advance_modes(state, symbol, count, until_decided, anchor)
        if state.left <= 0 and until_decided and (form := self._by_rules(state, symbol)) is not None:
            return self._advance_modes(form, symbol, count, until_decided, None)
        if state.left > 0 or self._puts_off():
            try:
                return self._advance_plain(state, symbol, count, until_decided, anchor)
            except SizeLimitError as error:
                self._look_for_room(error)
        try:
            segment = self._advance_modes(RunState(form=self._form(state)), symbol, count, until_decided, anchor)
        except SizeLimitError:  # plain numbers may have room where the modes have none
            return self._advance_plain(state, symbol, count, until_decided, anchor)
        return segment if segment.steps else segment.leading_to(state)

    def advance_word(self, state: RunState, word: Sequence[Input]) -> Segment:
        """Apply an input after the other; it takes at least one step, and may return before the word is over."""
        return self._along(state, word, outputs=True)

    def read(self, state: RunState, symbols: Sequence[Input]) -> Segment:
        """Take a step for each symbol: to the state that :meth:`advance_word` gives, but faster."""
        at = 0
        while at < len(symbols):
            segment = self._along(state, symbols[at : at + MOST_LETTERS], outputs=False)
            state, at = segment.state, at + segment.steps
        return Segment(steps=at, outputs=[], state=state, outcome=None)

    def _along(self, state: RunState, word: Sequence[Input], *, outputs: bool) -> Segment:
        if state.plain is None:
            return self._along_modes(state, word, outputs=outputs)
        at_once = self._chosen and is_long(len(word), state.left)
        if (state.left > 0 and not at_once) or self._every_state or self._puts_off(len(word)):
            try:
                return self._along_plain(state, word)
            except SizeLimitError as error:
                self._look_for_room(error)
        try:
            return self._along_modes(self._begun(state), word, outputs=outputs)
        except SizeLimitError:  # plain numbers may have room where the modes have none
            return self._along_plain(state, word)

    def _along_plain(self, state: RunState, word: Sequence[Input]) -> Segment:
        began = time.perf_counter()
        return self._after_plain(state, self._first.advance_word(state.plain, word[: state.turn]), began)

    def _along_modes(self, state: RunState, word: Sequence[Input], *, outputs: bool) -> Segment:
        if self._every_state or (len(word) == 1 and self._projection is not None):
            return self._advance_modes(state, word[0], 1, False)
        if self._projection is None:
            segment = self._modes.advance_word(state.form, word, outputs=outputs)
            return segment.leading_to(RunState(form=segment.state))
        # The last step is taken by itself: the full state follows from where it began.
        before = self._modes.advance_word(state.form, word[:-1], outputs=outputs)
        try:
            return before.then(self._advance_modes(RunState(form=before.state), word[before.steps], 1, False))
        except SizeLimitError:  # what is before that step is worth keeping
            return self._along_modes(state, word[: before.steps], outputs=outputs)

    def _advance_plain(
        self, state: RunState, symbol: Input, count: int, until_decided: bool, anchor: RunState | None
    ) -> Segment:
        began, most = 0.0 if state.left > 0 else time.perf_counter(), 1 if count == 1 else min(count, state.turn)
        plain = None if anchor is None else anchor.plain
        segment = self._first.advance(state.plain, symbol, most, until_decided=until_decided, anchor=plain)
        return self._after_plain(state, segment, began)

    def _after_plain(self, state: RunState, segment: Segment, began: float) -> Segment:
        steps, outputs, plain, outcome, *_ = segment
        left = state.left - steps
        if state.left <= 0:
            _patience.took(DIRECT, time.perf_counter() - began)
        if not self._every_state:
            self._record.steps += steps
        taken = self._warm_up - left
        if taken > self._taken:
            self._taken = taken
        if self._loaded is not None:
            self._loaded.account.steps["in rationals"] += steps
        states = [RunState(it, state.left - i) for i, it in enumerate(segment.states, 1)] if self._every_state else ()
        return Segment(steps, outputs, RunState(plain, left), outcome, states)

    def _advance_modes(
        self, state: RunState, symbol: Input, count: int, until_decided: bool, anchor: RunState | None = None
    ) -> Segment:
        form, most = None if anchor is None else self._form(anchor), min(count, 1) if self._every_state else count
        segment = self._modes.advance(state.form, symbol, most, until_decided=until_decided, anchor=form)
        if not segment.steps:
            return segment.leading_to(state)
        last = None if self._projection is None else LastSteps(self._modes.begun, symbol, segment.steps, until_decided)
        return segment.leading_to(RunState(form=segment.state, last=last))

    def _by_rules(self, state: RunState, symbol: Input) -> RunState | None:
        """Return the state in macro mode if rules alone lead from there to a verdict; None if they do not."""
        if self._rules is None or not self._rules.may_help(self.network):
            return None
        begun = self._begun(state)
        form = self._rules.form(self._modes.network, self._modes.values(begun.form), symbol)
        return None if form is None else begun._replace(form=begun.form._replace(mode="macro", form=form))

    def _puts_off(self, letters: int = 0) -> bool:
        """Whether plain steps go on, since to have direct mode takes longer than they may need to the end."""
        if (self._loaded is not None and is_loaded()) or radix_of(self.network) is None:
            return False
        if (left := _patience.left(DIRECT)) is None:
            if puts_off_loading(self.network, letters):
                return True
            if Engines.are_compiled():
                _patience.end(DIRECT)
                return False
            left = _patience.begin(DIRECT)
        return left > 0

    def _look_for_room(self, error: SizeLimitError) -> None:
        """Load the modes, which may have room where plain numbers are too long; raise the error if they cannot."""
        if radix_of(self.network) is None:
            raise error
        try:
            self._modes  # noqa: B018 - they are loaded
        except (ImportError, OSError, MemoryError):
            raise error from None

    def _begun(self, state: RunState) -> RunState:
        """Return a state after the first steps as one of the modes."""
        modes = self._modes
        if self._projection is None:  # they have the same executor of plain steps
            return RunState(form=modes.after_plain(state.plain))
        return RunState(form=modes.state_of(self._projection.project(self._first.values(state.plain))))

    def _form(self, state: RunState) -> "ModeState":
        """Return a state as the modes have it; that of the same plain state is made once."""
        if state.plain is None:
            return state.form  # type: ignore[no-any-return]
        if self._compared is None or self._compared[0] is not state:
            self._compared = state, self._begun(state).form
        return self._compared[1]

    @property
    def _modes(self) -> "Modes":
        """What goes on after the first steps."""
        return self._loaded or self._load()

    def _load(self) -> "Modes":
        self._projection = self.network.laid_out.of("smaller network", None, lambda: _smaller(self.network))
        smaller, plain = self.network, self._first if self._warm_up else None
        if self._projection is not None:
            smaller, plain = self._projection.network, None
        self._loaded = _modes_class()(smaller, plain=plain, taken=self._taken, limit=self._limit, **self._options)
        return self._loaded

    def pack(self, state: RunState) -> object:
        """Return `state` as JSON data: its numbers, and what leads to the full state where pairs are fused."""
        if state.plain is not None:
            left = 0 if self._every_state else max(0, state.left)  # steps without end are no part of a state
            return {"left": pack_number(left), "numbers": pack_numbers(self.values(state))}
        last, numbers = state.last, self._modes.pack(state.form)
        if last is None:
            return {"numbers": numbers}
        return {
            "numbers": numbers,
            "origin": self._modes.pack(last.origin),
            "input": pack_input(last.symbol),
            "steps": pack_number(last.steps),
            "until_decided": last.until_decided,
        }

    def unpack(self, data: object) -> RunState:
        """Return the state that :meth:`pack` wrote."""
        found: dict[str, Any] = data if isinstance(data, dict) else {}
        keys, circuit = found.keys(), self.network.circuit
        if keys == {"left", "numbers"} and self._warm_up:
            plain = self._first.state_of(unpack_rationals(found["numbers"], circuit.state_size))
            left = self._warm_up if self._every_state else unpack_integer(found["left"])
            return RunState(plain=plain, left=min(left, self._warm_up))
        modes = self._modes
        if keys == {"numbers"}:
            form = modes.unpack(found["numbers"])
            if self._projection is None or modes.values(form) == modes.network.initial_state:
                return RunState(form=form)
        elif keys == _LATER and self._projection is not None and isinstance(found["until_decided"], bool):
            steps = unpack_integer(found["steps"])
            if steps:
                origin, given = modes.unpack(found["origin"]), unpack_input(found["input"], circuit.input_size)
                last = LastSteps(origin, given, steps, found["until_decided"])
                return RunState(form=modes.unpack(found["numbers"]), last=last)
        raise CheckpointError(f"{shown(data)} is no state of an exact run")
