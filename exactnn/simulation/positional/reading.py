"""Words in direct mode: their symbols are read in one go."""

from collections.abc import Sequence

import numpy as np

from exactnn.simulation.positional import kernels, reading_kernels
from exactnn.simulation.positional.direct import DirectEngine, DirectState
from exactnn.simulation.positional.program import Pattern

__all__ = ["Reader"]

SMALLEST = 1 << 8
"""Places of the table of nodes at first."""


class Reader:
    """Takes a step for each symbol of a word, in an engine of direct mode."""

    def __init__(self, engine: DirectEngine) -> None:
        self._engine = engine
        self._known: dict[tuple[int, int], int] = {}
        self._switch = self._table(SMALLEST)

    def read(self, state: DirectState, symbols: Sequence[int]) -> tuple[DirectState, int]:
        """Read symbols until the engine cannot go on; return the state and how many were read."""
        engine = self._engine
        size = kernels.SLOT * engine.network.circuit.state_size
        engine.slots[:size] = state.slots
        arena = engine.with_room(state.arena, state.statuses)
        word = np.asarray(symbols, dtype=np.int64)
        control = np.zeros(kernels.CONTROL_SIZE, dtype=np.int64)
        control[kernels.C_START] = engine.program.enter(Pattern(int(word[0]), 0, 0, state.statuses))
        at = 0
        while at < len(word):
            control[kernels.C_TOP] = arena.top
            code, at = reading_kernels.read(
                engine.program.code.array, np.zeros_like(engine.program.stops), engine.program.power,
                int(engine.radix.base == 2), engine.radix.limb, engine.radix.most, engine.slots, arena.nodes,
                engine.work, engine.changes, control, word, at, self._switch, arena.capacity - engine.room,
            )  # fmt: skip
            arena.top = int(control[kernels.C_TOP])
            if code == reading_kernels.SWITCH:
                self._enter(int(control[kernels.C_START]), int(word[at]))
            elif code == kernels.FULL:
                arena = engine.compacted(arena, control)
            elif code == kernels.MISS and engine.follow(control):
                continue
            elif at < len(word):
                break
        engine.patience += at * engine.saved
        pattern = engine.program.pattern(int(control[kernels.C_START]))
        bank = pattern.bank * size
        return DirectState(pattern.statuses, engine.slots[bank : bank + size].copy(), arena), at

    def _enter(self, start: int, symbol: int) -> None:
        pattern = self._engine.program.pattern(start)
        node = self._engine.program.enter(Pattern(symbol, pattern.bank, 0, pattern.statuses))
        self._known[start, symbol] = node
        if 2 * len(self._known) > len(self._switch):
            self._switch = self._table(2 * len(self._switch))
            for (known, given), target in self._known.items():
                reading_kernels.enter(self._switch, known, given, target)
        else:
            reading_kernels.enter(self._switch, start, symbol, node)

    @staticmethod
    def _table(size: int) -> kernels.Array:
        return np.full((size, 3), reading_kernels.NONE, dtype=np.int64)
