"""The legs of a macro machine by direct mode: the compiled loop runs with opaque tails in the place of the stacks."""

import numpy as np
from gmpy2 import mpq

from exactnn.networks import Input
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.direct_state import DirectState
from exactnn.simulation.positional.macro_machine import LONGEST_EDGE, Cut, Leg, MacroState, heads_with
from exactnn.simulation.positional.numeral_kernels import LABELS, SLOT, head_of, middle_of
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import LIVE, Status

__all__ = ["DirectLegs"]


class DirectLegs:
    """Legs of the network of an engine, for limbs of another length; the program is that of the engine."""

    def __init__(self, engine: DirectEngine, given: Input, radix: Radix) -> None:
        program = engine.program
        self._source = engine
        self.engine = DirectEngine(engine.network, radix, program, limit=engine.limit, patient=True)
        self.given = given
        self.longest = program.radix.longest  # those for which the program is right, whatever the limbs
        self._arena = Arena(radix, LABELS + 1 + self.engine.room + LONGEST_EDGE)  # of what a leg pushes

    def load(self, values: tuple[mpq, ...]) -> tuple[tuple[Status, ...], list[Cut]] | None:
        """Return the pattern of a state, and its numbers that are not 0 or 1; None if these are no numerals."""
        loaded = self.engine.load(values)
        return None if loaded is None else (loaded.statuses, _numbers(loaded))

    def take(self, state: MacroState, limb: int, last: bool, steps: int) -> Leg | None:
        """Take up to `steps` steps from a state that has got the limb it wants; None if it cannot be done."""
        found = heads_with(state, limb, last, self.engine.radix, self.longest)
        if found is None:
            return None
        slots, heads = np.zeros(SLOT * len(state.statuses), dtype=np.int64), iter(found)
        for i, status in enumerate(state.statuses):
            if status >= LIVE:
                head, places, sign, stack = next(heads)
                slots[SLOT * i : SLOT * i + 5] = middle_of(head, sign, stack + 1), places, sign, stack + 1, stack >= 0
        self._arena.top = LABELS + 1  # nobody has a state of another leg any more
        begin = DirectState(state.statuses, slots, self._arena)
        stretch = self.engine.advance(begin, self.given, steps, until_decided=True)
        self._source.keep()
        if stretch.live_output:
            return None
        wanted, end = -1 if stretch.touched is None else stretch.touched - 1, stretch.state
        return Leg(stretch.steps, stretch.outputs, end.statuses, _numbers(end), wanted, stretch.decided, stretch.left)


def _numbers(state: DirectState) -> list[Cut]:
    """Return the numbers of a state that are not 0 or 1."""
    found = []
    for middle, places, sign, node, count, *rest in state.long_numbers():
        runs, base = state.arena.runs_and_base((node, count), (rest[0], rest[1]))
        limbs = [limb for limb, repeated in runs for _ in range(repeated)]
        found.append(Cut(head_of(middle, sign, node), places, sign if node else 1, base, limbs))
    return found
