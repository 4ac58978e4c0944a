"""The modular shadow: direct mode watched by a run of the same steps modulo 2**61 - 1.

The shadow takes from the engine which units are 0 and 1 and which are not, step by step, and computes the others in
residues with the network's own weights. No digit, head, tail or table of the engine has a part in that, so that a wrong
digit anywhere shows in the residue of the exact number, but for one chance in 2**61.

What it cannot see: that a unit was wrongly held to be cut off, as long as no number leaves its range by that; and a
wrong digit in a number that is cut off before the next comparison. Steps that cut off a number so are counted: a
compiled machine has none, since its stacks end by being used up.
"""

import numpy as np
from gmpy2 import mpq

from exactnn.errors import ShadowError
from exactnn.networks import Input
from exactnn.simulation.positional import shadow_steps
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.direct_state import DirectState, Stretch
from exactnn.simulation.positional.numeral_kernels import Array
from exactnn.simulation.positional.rows import LIVE, Status
from exactnn.simulation.positional.shadow_steps import ShadowSteps, residue

__all__ = ["Shadow", "ShadowedDirectEngine"]

SHORTEST = 1 << 16
"""Steps between two comparisons at least, and transitions that are replayed at once."""
STEPS_PER_BIT = 16
"""So many more steps between two comparisons the longer the numbers are: writing them out takes its time."""

_FAULTS = {
    shadow_steps.WRONG_PATTERN: "a step began where the one before it did not end",
    shadow_steps.WRONG_VALUE: "a unit that came out 0 or 1 is not that number",
}


class Shadow:
    """Residues of a state, carried along the transitions that an engine takes."""

    def __init__(self, engine: DirectEngine) -> None:
        circuit = engine.network.circuit
        self.trace: Array = np.zeros(SHORTEST + engine.program.most_transitions, dtype=np.int64)
        self.fault: str | None = None
        self._program = engine.program
        self._steps = ShadowSteps(engine.network)
        self._entries: Array = np.zeros(1, dtype=np.int64)  # of transitions: 0 unknown, -1 inside a layer
        self._registers = np.zeros(circuit.state_size + circuit.input_size + circuit.units, dtype=np.uint64)
        self._scratch = np.zeros(circuit.state_size, dtype=np.uint64)
        self._flow: Array = np.zeros(shadow_steps.FLOW, dtype=np.int64)

    def seed(self, values: tuple[mpq, ...]) -> None:
        """Go to the state with these numbers."""
        self._registers[: len(values)] = [residue(value) for value in values]

    def begin(self, given: Input, statuses: tuple[Status, ...]) -> None:
        """Begin steps on one input, in the state that the last ones ended in."""
        self.fault = None
        self._flow[:] = self._steps.number(given, 0, statuses), self._steps.number(given, 0, statuses), 0, 0

    def saw(self, taken: int) -> None:
        """Follow the first transitions of the trace."""
        position = 0
        while position < taken and self.fault is None:
            position = shadow_steps.replay(
                self.trace,
                position,
                taken,
                self._entries,
                self._steps.words.array,
                self._registers,
                self._scratch,
                self._flow,
            )
            if position < 0:
                self.fault = _FAULTS[position]
            elif position < taken:
                self._translate(int(self.trace[position]))

    def back(self) -> None:
        """Go back to where the step began; until it ends, only units of its layers are written."""
        self._flow[shadow_steps.NOW] = self._flow[shadow_steps.BEGINNING]

    @property
    def cuts(self) -> int:
        """In how many steps since :meth:`begin` numbers were cut off that were not used up."""
        return int(self._flow[shadow_steps.CUTS])

    def ends_in(self, given: Input, statuses: tuple[Status, ...], steps: int) -> bool:
        """Whether so many steps led to a state of this pattern."""
        number = self._steps.number(given, 0, statuses)
        return bool(self._flow[shadow_steps.BEGINNING] == number and self._flow[shadow_steps.STEPS] == steps)

    def differs_from(self, values: tuple[mpq, ...], statuses: tuple[Status, ...]) -> list[int]:
        """Return the components in which a state is not that of the residues."""
        found = (self._registers % np.uint64(shadow_steps.MODULUS)).tolist()
        return [
            i
            for i, (value, status) in enumerate(zip(values, statuses, strict=True))
            if Status.of(value) is not status or (status >= LIVE and found[i] != residue(value))
        ]

    def saved(self) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
        """Return the residues."""
        return self._registers.copy()

    def restore(self, saved: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> None:
        """Go back to residues that were saved."""
        self._registers[:] = saved

    def _translate(self, transition: int) -> None:
        """Write the entry of a transition that comes up for the first time."""
        if transition not in self._program.transitions:
            self.fault = "a step went where there is no program"
            return
        if transition >= len(self._entries):
            grown = np.zeros(len(self._program.code.array), dtype=np.int64)
            grown[: len(self._entries)] = self._entries
            self._entries = grown
        ending = self._program.transitions[transition]
        entry = -1 if ending is None else self._steps.entry(*ending)
        if entry is None:
            self.fault = "a unit came out as it cannot in its pattern"
            return
        self._entries[transition] = entry


class ShadowedDirectEngine:
    """Direct mode with its shadow.

    `checked` steps were compared, in the order in which they were taken. In `cuts` of them a number was cut off unseen.
    """

    def __init__(self, engine: DirectEngine) -> None:
        self.engine = engine
        self.checked = 0
        self._shadow = Shadow(engine)
        self.cuts = 0
        self._current: DirectState | None = None  # the state of the residues
        self._pending = 0  # steps since the last comparison
        self._due = SHORTEST

    def load(self, values: tuple[mpq, ...]) -> DirectState | None:
        """Return the state with these values, or None if some are no numerals of this base."""
        self._settle()
        loaded = self.engine.load(values)
        if loaded is not None:
            self._go_to(loaded, values)
        return loaded

    def values(self, state: DirectState) -> tuple[mpq, ...]:
        """Return the numbers of a state; those of the last one are compared with the residues."""
        values = self.engine.values(state)
        if state is self._current:
            self._compare(state, values)
        return values

    def advance(
        self, state: DirectState, given: Input, count: int, *, until_decided: bool, anchor: DirectState | None = None
    ) -> Stretch:
        """Take up to `count` steps on one input, but not far beyond the next comparison; stop at an `anchor`."""
        if state is not self._current:
            self._settle()
            self._go_to(state, self.engine.values(state))
        saved = self._shadow.saved()
        self._current = None  # where Ctrl-C comes and nothing is restored, the next call begins with its state
        try:
            stretch = self._advance(state, given, min(count, self._due - self._pending), until_decided, anchor)
        except BaseException:
            self._shadow.restore(saved)  # the state is still that of before, say after Ctrl-C
            self._current = state
            raise
        self.cuts += self._shadow.cuts
        self._current = stretch.state
        self._pending += stretch.steps
        if self._pending >= self._due or stretch.decided:
            self._settle()
        return stretch

    def _advance(
        self, state: DirectState, given: Input, count: int, until_decided: bool, anchor: DirectState | None
    ) -> Stretch:
        shadow = self._shadow
        shadow.begin(given, state.statuses)
        stretch = self.engine.advance(state, given, count, until_decided=until_decided, witness=shadow, anchor=anchor)
        if shadow.fault is None and not shadow.ends_in(given, stretch.state.statuses, stretch.steps):
            shadow.fault = "the steps do not lead to the state that they ended in"
        if shadow.fault is not None:
            raise self._error(self._pending + stretch.steps, shadow.fault)
        return stretch

    def _go_to(self, state: DirectState, values: tuple[mpq, ...]) -> None:
        self._shadow.seed(values)
        self._current, self._pending = state, 0

    def _settle(self) -> None:
        """Compare the last state, if there is one."""
        if self._current is not None and self._pending:
            self.values(self._current)

    def _compare(self, state: DirectState, values: tuple[mpq, ...]) -> None:
        wrong = self._shadow.differs_from(values, state.statuses)
        if wrong:
            names = ", ".join(self.engine.network.circuit.state_names[i] for i in wrong[:5])
            raise self._error(self._pending, f"the numbers of {names} are not those of the residues")
        self.checked += self._pending
        self._pending = 0
        self._due = max(SHORTEST, STEPS_PER_BIT * sum(value.denominator.bit_length() for value in values))

    def _error(self, steps: int, what: str) -> ShadowError:
        return ShadowError(self.engine.network.name, self.checked + 1, self.checked + steps, what)
