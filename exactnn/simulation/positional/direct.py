"""Direct mode: every step is taken, one by one or a few at once, on the leading digits of the numbers only.

The engine gives the compiled loop its arrays, and does what the loop stops for: it writes the transition that is
missing, makes room for new tails, and says why the steps cannot go on.
"""

import time
from collections.abc import Sequence
from math import inf
from typing import TypedDict

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import LongNumber
from exactnn.errors import SizeLimitError
from exactnn.networks import Input, Network
from exactnn.simulation.positional import kernels, words
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.blocks import Blocks
from exactnn.simulation.positional.direct_state import DirectState, Stretch, Witness, repetitions, slot_of
from exactnn.simulation.positional.experience import Experience
from exactnn.simulation.positional.numeral_kernels import (
    CUT,
    LABELS,
    NODE,
    PLACES,
    REST,
    SLOT,
    Array,
)  # fmt: skip
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.row_kernels import OPERAND_SIZE
from exactnn.simulation.positional.rows import LIVE, status_of
from exactnn.simulation.positional.table_kernels import Table
from exactnn.simulation.positional.whole_program import WholeProgram
from exactnn.simulation.stepping import MOST_LETTERS, slice_end
from exactnn.size_limit import SizeLimit

__all__ = ["DirectEngine"]

WORD = 64
"""Bits of a limb at most."""
MOST_CHANGES = 1 << 12
"""Changes of the output in one call of the loop."""
SMALLEST_ARENA = 1 << 14
"""Nodes for new tails: so many that collections are rare, so few that they stay in the cache."""
LONG_SUMS = "sums of very long numbers"
_REASONS = {
    words.OPAQUE_SUM: "a sum of two long numbers",
    words.RANGE: "a number left the machine word",
}


class _Ending(TypedDict, total=False):
    decided: bool
    left: str
    touched: int
    live_output: bool
    out_of_range: bool


class DirectEngine:
    """The steps of one network whose weights are in Z[1/base].

    Engines with limbs of other lengths may share a program, if it was made for the longest. Steps are taken in blocks
    if there is a `block_pace`, which only one engine of a program may have. A `patient` engine writes new parts of the
    program however many there are.
    """

    def __init__(
        self,
        network: Network,
        radix: Radix,
        program: Program | None = None,
        *,
        block_pace: int | None = None,
        limit: SizeLimit | None = None,
        patient: bool = False,
    ) -> None:
        self.network = network
        self.radix = radix
        self.limit = limit or SizeLimit()
        self._experience = Experience(network, inf) if patient else Experience.of(network)
        self._experience.begin()
        self._keeps = program is None
        self.program = program or self._experience.program(radix) or WholeProgram(network, radix)
        self.blocks = None if block_pace is None else Blocks(self.program, block_pace)
        self._patient = patient
        bank, others = SLOT * network.circuit.state_size, SLOT * self.program.slots
        self.slots = np.zeros(others + bank, dtype=np.int64)  # the last are those of an anchor
        self._no_anchor: Array = np.array([-1, -1, bank, others])
        self.slots[SLOT * (self.program.slots - 1) + PLACES] = 1
        self._work = np.zeros((self.program.most_operands, OPERAND_SIZE), dtype=np.int64)
        self.changes = np.zeros((MOST_CHANGES, 2), dtype=np.int64)
        self._never = np.zeros_like(self.program.stops)
        self.room = 64 * (self.program.slots + 1) + LABELS + 1
        """Nodes that one step may make: fewer than 64 a row."""
        self._anchor: tuple[DirectState, DirectState] | None = None  # the last one, and in the arena of the steps
        self._nodes = Table()  # for `kernels.read`: to go on with another symbol in the same pattern

    def load(self, values: tuple[mpq, ...]) -> DirectState | None:
        """Return the state with these values, or None if some are no numerals of this base."""
        statuses = tuple(map(status_of, values))
        long = [(i, value) for i, (value, status) in enumerate(zip(values, statuses, strict=True)) if status >= LIVE]
        digits = sum(value.denominator.bit_length() for _, value in long)
        arena = Arena(self.radix, SMALLEST_ARENA + 2 * self.room + digits // self.radix.limb + len(values))
        slots = np.zeros(SLOT * len(values), dtype=np.int64)
        for i, value in long:
            slot = slot_of(value, arena)
            if slot is None:
                return None
            slots[SLOT * i : SLOT * i + len(slot)] = slot
        return DirectState(statuses, slots, arena)

    def resumed(self, numbers: Sequence[LongNumber]) -> DirectState | None:
        """Return the state with the numbers that its numerals gave; None if there is none."""
        return DirectState.of_numerals(numbers, self.radix)

    def values(self, state: DirectState) -> tuple[mpq, ...]:
        """Return the numbers of a state, which an engine with limbs of another length may have reached.

        Raises
        ------
        SizeLimitError
            If they are too long to be written out.
        """
        return state.values(self.limit)

    def advance(
        self,
        state: DirectState,
        given: Input,
        count: int,
        *,
        until_decided: bool,
        witness: Witness | None = None,
        anchor: DirectState | None = None,
    ) -> Stretch:
        """Take up to `count` steps on one input, fewer where writing transitions takes long.

        With an `anchor` it stops where the state is that one, as a rule; and it may stop elsewhere.
        """
        arena, control = self._begin(state, given)
        there = self._no_anchor
        if anchor is not None:
            try:
                arena, there = self._with_anchor(arena, control, anchor)
            except SizeLimitError:  # there is no room for both: nobody looks whether it comes again
                arena, control = self._begin(state, given)
        may_block = witness is None and anchor is None
        end = inf if self._patient or witness is not None else slice_end()
        changes: list[tuple[int, int]] = []
        ending: _Ending = {}
        steps = 0
        while not ending and steps < count:
            blocks = self.blocks if may_block and self.blocks and self.blocks.are_for(count - steps) else None
            code = self._loop(arena, control, count, until_decided, witness, there, blocks)
            before, steps = steps, int(control[words.C_STEPS])
            taken = steps - before
            self._took(taken, control, changes)
            if blocks is not None and blocks.learn(code, control, taken, self.slots):
                continue
            if code in (words.MISS, words.LONG_SUMS):
                if left := self._no_gain(code, control):
                    ending["left"] = left
                elif steps and time.perf_counter() > end:
                    break
            elif code == words.FULL:
                if witness is not None:
                    witness.back()
                roomier = self._roomier(arena, control, there)
                arena, ending = roomier or arena, {} if roomier else {"left": LONG_SUMS}
            elif code == words.RECURS:
                break
            else:
                ending = self._ending(code, control)
        if anchor is not None:  # its tails are in this arena, where the next call is likely to go on
            slots = self.slots[there[words.A_BANK] :].copy()
            self._anchor = anchor, DirectState(anchor.statuses, slots, arena)
        return self._stretch(arena, control, changes, ending)

    def _with_anchor(self, arena: Arena, control: Array, anchor: DirectState) -> tuple[Arena, Array]:
        """Put an anchor into the last slots; return an arena that has its tails, and the anchor as the loop gets it."""
        pattern, known = self._pattern(control), self._anchor
        slots = anchor.slots.copy()
        live = [SLOT * i for i, status in enumerate(anchor.statuses) if status >= LIVE]
        if known is not None and known[0] is anchor and known[1].arena is arena:
            slots = known[1].slots
        elif anchor.arena is not arena:
            tails = anchor.tails()
            arena = self._with_room(arena, pattern, more=sum(map(len, tails.values())))
            homes = {tail: arena.push(runs) for tail, runs in tails.items()}
            for at in live:
                home = homes[tuple(slots[at + NODE : at + CUT].tolist())]
                slots[at + NODE : at + CUT] = *home, 0, 0
        self._put(slots, int(self._no_anchor[words.A_BANK]))
        nodes = [self.program.enter(Pattern(pattern.given, bank, 0, anchor.statuses)) for bank in (0, 1)]
        return arena, np.array([*nodes, *self._no_anchor[words.A_OTHER_BANK :], *live])

    def read(self, state: DirectState, symbols: Sequence[Input], *, outputs: bool) -> Stretch:
        """Take steps on the first symbols, which are numbers; `outputs`: these are wanted.

        It takes fewer steps than there are symbols where it cannot go on, and where writing transitions takes long.
        """
        word: Array = np.asarray(symbols[:MOST_LETTERS], dtype=np.int64)
        arena, control = self._begin(state, int(word[0]))
        inputs, end = self.network.circuit.input_size, slice_end()
        changes: list[tuple[int, int]] = []
        ending: _Ending = {}
        while not ending and control[words.C_STEPS] < len(word):
            before = int(control[words.C_STEPS])
            control[words.C_TOP] = arena.top
            control[[words.C_CHANGES, words.C_ADDED, words.C_JOINED]] = 0
            rows = self._work if self.program.has_rows else None
            code = kernels.read(
                self.program.code.array, self._no_stops(), self.program.power, int(self.radix.base == 2),
                self.radix.limb, self.radix.most, self.slots, arena.nodes, rows, self.changes, control, word,
                inputs, self._nodes.keys, self._nodes.values, arena.capacity - self.room, self._no_anchor, outputs,
            )  # fmt: skip
            arena.top = int(control[words.C_TOP])
            self._took(int(control[words.C_STEPS]) - before, control, changes)
            if code == words.SWITCH:
                start, symbol = int(control[words.C_START]), int(word[control[words.C_STEPS]])
                pattern = self.program.pattern(start)
                node = self.program.enter(Pattern(symbol, pattern.bank, 0, pattern.statuses))
                self._nodes.add(inputs * start + symbol, node)
            elif code == words.FULL:
                try:
                    roomier = self._roomier(arena, control)
                    arena, ending = roomier or arena, {} if roomier else {"left": LONG_SUMS}
                except SizeLimitError:
                    if not control[words.C_STEPS]:
                        raise
                    break  # the next call raises it: what is before is worth keeping
            elif code not in (words.MISS, words.LONG_SUMS):
                ending = self._ending(code, control)
            elif left := self._no_gain(code, control):
                ending["left"] = left
            elif control[words.C_STEPS] and time.perf_counter() > end:
                break
        return self._stretch(arena, control, changes if outputs else [], ending)

    def _took(self, steps: int, control: Array, changes: list[tuple[int, int]]) -> None:
        """Take note of steps of the loop, and add the changes of the output in them."""
        if written := int(control[words.C_CHANGES]):
            changes += map(tuple, self.changes[:written].tolist())
        self._experience.took(steps, int(control[words.C_ADDED]), int(control[words.C_JOINED]))

    def _no_stops(self) -> Array:
        """Return that no output is a verdict, as the loop asks for it."""
        if len(self._never) < len(self.program.stops):
            self._never = np.zeros_like(self.program.stops)
        return self._never

    def keep(self) -> None:
        """Keep the program with the network, if no other engine gave it."""
        if self._keeps and isinstance(self.program, WholeProgram):
            self._experience.keep(self.program)

    def _stretch(self, arena: Arena, control: Array, changes: Sequence[tuple[int, int]], ending: "_Ending") -> Stretch:
        """Return the steps that the loop has taken, with the outputs that have changed."""
        self.keep()
        steps = int(control[words.C_STEPS])
        with_output = steps - ("live_output" in ending)
        outputs = repetitions([(step, self.program.outputs[o]) for step, o in changes], with_output)
        return Stretch(steps, outputs, self._state(arena, control), **ending)

    def _put(self, slots: Array, first: int) -> None:
        """Put the slots of a state, which another engine may have reached, where those from `first` on are."""
        self.slots[first : first + len(slots)] = slots
        self.program.has_rows = self.program.has_rows or any(slots[REST::SLOT].tolist())

    def _begin(self, state: DirectState, given: Input) -> tuple[Arena, Array]:
        """Put a state into the first bank of slots; return an arena with room for a step, and the loop's variables."""
        self._put(state.slots, 0)
        pattern = Pattern(given, 0, 0, state.statuses)
        node = self.program.enter(pattern)
        control = np.zeros(words.CONTROL_SIZE, dtype=np.int64)
        control[words.C_NODE], control[words.C_START], control[words.C_OUTPUT] = node, node, words.UNKNOWN
        return self._with_room(state.arena, pattern), control

    def _pattern(self, control: Array) -> Pattern:
        """Return the pattern in which the step begins that the loop is at."""
        return self.program.pattern(int(control[words.C_START]))

    def _state(self, arena: Arena, control: Array) -> DirectState:
        """Return the state in which the step begins that the loop is at."""
        pattern = self._pattern(control)
        size = SLOT * len(pattern.statuses)
        first = pattern.bank * size
        return DirectState(pattern.statuses, self.slots[first : first + size].copy(), arena)

    def _no_gain(self, code: int, control: Array) -> str | None:
        """Return why direct mode takes longer than it saves, if so; write the transition that is missing, if one is."""
        if not self._experience.pays:
            return LONG_SUMS if code == words.LONG_SUMS else "patterns that do not recur"
        if code == words.MISS:
            self.program.follow(int(control[words.C_NODE]), int(control[words.C_MISS]), self.slots)
            self._experience.wrote()
        return None

    def _ending(self, code: int, control: Array) -> "_Ending":
        """Return the fields of a Stretch that say why the loop stopped."""
        if code == words.DECIDED:
            return {"decided": True}
        if code == words.TOUCH:
            return {"touched": int(control[words.C_LABEL])}
        if code == words.LIVE_OUTPUT:
            return {"live_output": True}
        if code == words.OUTSIDE:
            return {"left": self.program.reasons[int(control[words.C_NODE])]}
        if code == words.RANGE:
            return {"left": _REASONS[code], "out_of_range": True}
        return {"left": _REASONS[code]} if code in _REASONS else {}

    def _with_room(self, arena: Arena, pattern: Pattern, anchor: Array | None = None, *, more: int = 0) -> Arena:
        """Return an arena with room for a step and `more` nodes, without what a state in the slots does not reach.

        The state is in the bank that its pattern reads; its references are changed with the arena, as an anchor's are.
        """
        if arena.top + self.room + more <= arena.capacity:
            return arena
        live = np.zeros(len(self.slots) // SLOT, dtype=bool)
        if anchor is not None:
            live[(anchor[words.A_BANK] + anchor[words.A_NUMBERS :]) // SLOT] = True
        first = pattern.bank * len(pattern.statuses)
        live[first : first + len(pattern.statuses)] = [status >= LIVE for status in pattern.statuses]
        slots = self.slots.copy()  # those of the old arena stay what they are if there is no room for a new one
        fresh = arena.compacted(slots, live, arena.capacity)
        needed = SMALLEST_ARENA + 2 * (fresh.top + self.room + more)
        if needed > fresh.capacity:
            try:
                self.limit.refuse(WORD * needed)
                fresh = fresh.compacted(slots, live, needed)
            except SizeLimitError:
                if fresh.top + self.room + more > fresh.capacity:
                    raise
        self.slots[:] = slots
        return fresh

    def _roomier(self, arena: Arena, control: Array, anchor: Array | None = None) -> Arena | None:
        """Return an arena with room for what the loop stopped for; None if sums do not pay, or this one has no room."""
        more = int(control[words.C_LABEL])
        if control[words.C_ADDED] and not self._experience.pays:
            return None
        try:
            return self._with_room(arena, self._pattern(control), anchor, more=more)
        except SizeLimitError:
            if not more:
                raise
            return None

    def _loop(
        self,
        arena: Arena,
        control: Array,
        count: int,
        until_decided: bool,
        witness: Witness | None,
        anchor: Array,
        blocks: Blocks | None,
    ) -> int:
        program = self.program
        limit, eager = (count, False) if blocks is None else blocks.stretch(int(control[words.C_STEPS]), count)
        control[words.C_TOP] = arena.top
        control[words.C_CHANGES :] = 0
        code = kernels.loop(
            program.code.array,
            program.stops if until_decided else self._no_stops(),
            program.power,
            int(self.radix.base == 2),
            self.radix.limb,
            self.radix.most,
            self.slots,
            arena.nodes,
            self._work if program.has_rows else None,
            self.changes,
            None if witness is None else witness.trace,
            program.most_transitions,
            control,
            limit,
            anchor,
            None if blocks is None else blocks.arrays,
            eager,
        )
        arena.top = int(control[words.C_TOP])
        if witness is not None:
            witness.saw(int(control[words.C_TRACED]))
        return int(code)
