"""Direct mode: every step is taken, one by one or a few at once, on the leading digits of the numbers only."""

from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

import numpy as np
from gmpy2 import mpq

from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output
from exactnn.simulation.positional import kernels
from exactnn.simulation.positional.blocks import Blocks
from exactnn.simulation.positional.numerals import Arena, Slots, slot_of, value_of
from exactnn.simulation.positional.program import Pattern, Program
from exactnn.simulation.positional.radix import MOST_STEPS, Radix
from exactnn.simulation.positional.status import Status

__all__ = ["DirectEngine", "DirectState", "Stretch", "Witness"]

MOST_CHANGES = 1 << 12
"""Changes of the output in one call of the loop."""
SMALLEST_ARENA = 1 << 14
"""Nodes for new tails: so many that collections are rare, so few that they stay in the cache."""
PATIENCE = 0.3
"""Seconds that may be spent on new parts of the program beyond those that its steps have saved.

They are reckoned, not measured: how the steps of a run are taken should not depend on what else a machine does.
"""
WRITING, WRITING_BY_WEIGHT = 5e-4, 3e-8
"""Seconds that a new transition takes, and those that it takes longer for each weight of the network."""
SAVED_BY_WEIGHT = 1e-7
"""Seconds that a step saves for each weight, as against plain rationals."""

_REASONS = {
    kernels.TWO_TAILS: "a sum of two long numbers",
    kernels.RANGE: "a number left the machine word",
}


@dataclass(frozen=True, slots=True)
class DirectState:
    """Statuses of the state, and a slot for each component; only those of components that are not 0 or 1 count."""

    statuses: tuple[Status, ...]
    slots: Slots
    arena: Arena


@dataclass(frozen=True, slots=True)
class Stretch:
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
    def trace(self) -> Slots:
        """Room for the addresses of transitions, at least those of one step."""

    def saw(self, taken: int) -> None:
        """Take note of the first transitions in the trace; those after the last that ends a step may be taken back."""


class _Ending(TypedDict, total=False):
    decided: bool
    left: str
    touched: int
    live_output: bool
    out_of_range: bool


class DirectEngine:
    """The steps of one network whose weights are in Z[1/base].

    Engines with limbs of other lengths may share a program, if it was made for the longest. Steps are taken in blocks
    if there is a `block_pace`, which only the engine that makes the program may have.
    """

    def __init__(
        self, network: Network, radix: Radix, program: Program | None = None, *, block_pace: int | None = None
    ) -> None:
        self.network = network
        self.radix = radix
        self.program = program or Program(network, radix)
        self.blocks = None if block_pace is None else Blocks(self.program, block_pace)
        self.patience = PATIENCE
        self.saved = SAVED_BY_WEIGHT * network.circuit.weights
        self._writing = WRITING + WRITING_BY_WEIGHT * network.circuit.weights
        self.slots = np.zeros(kernels.SLOT * self.program.slots, dtype=np.int64)
        self.slots[kernels.SLOT * (self.program.slots - 1) + kernels.PLACES] = 1
        self.work = np.zeros((self.program.most_operands, 7), dtype=np.int64)
        self.changes = np.zeros((MOST_CHANGES, 2), dtype=np.int64)
        self._never = np.zeros_like(self.program.stops)
        self.room = 64 * (self.program.slots + 1) + kernels.LABELS + 1

    def load(self, values: tuple[mpq, ...]) -> DirectState | None:
        """Return the state with these values, or None if some are no numerals of this base."""
        statuses = tuple(map(Status.of, values))
        digits = sum(value.denominator.bit_length() for value in values)
        arena = Arena(self.radix, SMALLEST_ARENA + 2 * self.room + digits // self.radix.limb + len(values))
        slots = np.zeros(kernels.SLOT * len(values), dtype=np.int64)
        for i, (value, status) in enumerate(zip(values, statuses, strict=True)):
            if status >= Status.LIVE:
                slot = slot_of(value, arena)
                if slot is None:
                    return None
                slots[kernels.SLOT * i : kernels.SLOT * i + len(slot)] = slot
        return DirectState(statuses, slots, arena)

    def values(self, state: DirectState) -> tuple[mpq, ...]:
        """Return the numbers of a state."""
        known: dict[tuple[int, int], tuple[object, int]] = {}
        return tuple(
            mpq(status) if status < Status.LIVE else value_of(slot, state.arena, known)  # type: ignore[arg-type]
            for status, slot in zip(state.statuses, state.slots.reshape(-1, kernels.SLOT)[:, :5].tolist(), strict=True)
        )

    def advance(
        self, state: DirectState, given: Input, count: int, *, until_decided: bool, witness: Witness | None = None
    ) -> Stretch:
        """Take up to `count` steps on one input."""
        size = kernels.SLOT * self.network.circuit.state_size
        slots = self.slots
        slots[:size] = state.slots
        arena = self.with_room(state.arena, state.statuses)
        program = self.program
        node = program.enter(Pattern(given, 0, 0, state.statuses))
        control = np.zeros(kernels.CONTROL_SIZE, dtype=np.int64)
        control[[kernels.C_NODE, kernels.C_START, kernels.C_OUTPUT]] = node, node, kernels.UNKNOWN
        changes: list[tuple[int, int]] = []
        ending: _Ending = {}
        while not ending and control[kernels.C_STEPS] < count:
            before = int(control[kernels.C_STEPS])
            blocks = self.blocks if witness is None and count - before >= MOST_STEPS else None
            code = self._loop(arena, control, count, until_decided, witness, blocks)
            changes += map(tuple, self.changes[: control[kernels.C_CHANGES]].tolist())
            taken = int(control[kernels.C_STEPS]) - before
            self.patience += taken * self.saved
            if blocks is not None and blocks.learn(code, control, taken, self.slots):
                continue
            if code == kernels.MISS:
                if not self.follow(control):
                    ending["left"] = "patterns that do not recur"
            elif code == kernels.FULL:
                arena = self.compacted(arena, control)
            else:
                ending = self._ending(code, control)
        steps = int(control[kernels.C_STEPS])
        with_output = steps - ("live_output" in ending)
        ends = [*(step for step, _ in changes), with_output + 1][1:]
        outputs = [(program.outputs[o], end - step) for (step, o), end in zip(changes, ends, strict=True) if end > step]
        pattern = program.pattern(int(control[kernels.C_START]))
        bank = pattern.bank * size
        final = DirectState(pattern.statuses, slots[bank : bank + size].copy(), arena)
        return Stretch(steps, outputs, final, **ending)

    def follow(self, control: Slots) -> bool:
        """Write the transition that is missing; return False if too many were for the steps that they have saved."""
        self.program.follow(int(control[kernels.C_NODE]), int(control[kernels.C_MISS]))
        self.patience -= self._writing
        return self.patience >= 0

    def _ending(self, code: int, control: Slots) -> "_Ending":
        """Return the fields of a Stretch that say why the loop stopped."""
        if code == kernels.DECIDED:
            return {"decided": True}
        if code == kernels.TOUCH:
            return {"touched": int(control[kernels.C_LABEL])}
        if code == kernels.LIVE_OUTPUT:
            return {"live_output": True}
        if code == kernels.OUTSIDE:
            return {"left": self.program.reasons[int(control[kernels.C_NODE])]}
        if code == kernels.RANGE:
            return {"left": _REASONS[code], "out_of_range": True}
        return {"left": _REASONS[code]} if code in _REASONS else {}

    def with_room(self, arena: Arena, statuses: tuple[Status, ...]) -> Arena:
        """Return an arena with room for a step; the references of the state in the first bank are changed with it."""
        if arena.top + self.room <= arena.capacity:
            return arena
        live = np.zeros(self.program.slots, dtype=bool)
        live[: len(statuses)] = [status >= Status.LIVE for status in statuses]
        return self._smaller(arena, live)

    def compacted(self, arena: Arena, control: Slots) -> Arena:
        """Return an arena without what the state of the step that begins now does not reach."""
        pattern = self.program.pattern(int(control[kernels.C_START]))
        first = pattern.bank * len(pattern.statuses)
        live = np.zeros(self.program.slots, dtype=bool)
        live[first : first + len(pattern.statuses)] = [status >= Status.LIVE for status in pattern.statuses]
        return self._smaller(arena, live)

    def _smaller(self, arena: Arena, live: Any) -> Arena:
        fresh = arena.compacted(self.slots, live, arena.capacity)
        needed = SMALLEST_ARENA + 2 * (fresh.top + self.room)
        return fresh if needed <= fresh.capacity else fresh.compacted(self.slots, live, needed)

    def _loop(
        self,
        arena: Arena,
        control: Slots,
        count: int,
        until_decided: bool,
        witness: Witness | None,
        blocks: Blocks | None,
    ) -> int:
        program = self.program
        limit, onward, eager = count, kernels.T_NODE, False
        if blocks is not None:
            limit, eager = blocks.stretch(int(control[kernels.C_STEPS]), count)
            onward = kernels.T_BLOCK
        else:
            control[kernels.C_NODE] = program.plain(int(control[kernels.C_NODE]))
        if len(self._never) < len(program.stops):
            self._never = np.zeros_like(program.stops)
        control[kernels.C_TOP] = arena.top
        control[[kernels.C_CHANGES, kernels.C_TRACED]] = 0
        code = kernels.loop(
            program.code.array,
            program.stops if until_decided else self._never,
            program.power,
            int(self.radix.base == 2),
            self.radix.limb,
            self.radix.most,
            self.slots,
            arena.nodes,
            self.work,
            self.changes,
            None if witness is None else witness.trace,
            program.most_transitions,
            control,
            limit,
            onward,
            eager,
        )
        arena.top = int(control[kernels.C_TOP])
        if witness is not None:
            witness.saw(int(control[kernels.C_TRACED]))
        return int(code)
