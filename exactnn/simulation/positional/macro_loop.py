"""Macro mode at machine speed: the edges of a macro machine in tables, its stacks in arrays."""

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.executor import Output
from exactnn.simulation.positional import macro_kernels as kernels
from exactnn.simulation.positional.growing import GrowingArray
from exactnn.simulation.positional.macro_machine import MOST_STACKS, Edge, MacroMachine, Stacks

__all__ = ["NO_STACKS", "MacroLoop", "MacroStretch"]

NO_STACKS = "digits that macro mode cannot part into stacks"
"""Why an edge may be missing."""
MOST_CHANGES = 1 << 12
"""Changes of the output in one call of the loop."""
FIRST_HEIGHT = 1 << 10
UNKNOWN = -3
"""The number of no output."""


@dataclass(frozen=True, slots=True)
class MacroStretch:
    """Some steps of macro mode: see :class:`exactnn.simulation.positional.direct.Stretch`.

    `left`: why macro mode cannot go on, or None. `large`: numbers of steps or runs left the machine word.
    `worthwhile`: direct mode would not have been faster.
    """

    steps: int
    outputs: list[tuple[Output, int]]
    state: int
    stacks: Stacks
    transitions: int
    decided: bool = False
    left: str | None = None
    large: bool = False
    worthwhile: bool = True


class _Ending(TypedDict, total=False):
    decided: bool
    left: str
    large: bool


class _Piles:
    """The stacks as arrays: runs `limbs[w, i]` with `counts[w, i]`, of which `depth[w]` are there, the top last."""

    def __init__(self, stacks: Stacks) -> None:
        height = FIRST_HEIGHT + 2 * max(map(len, stacks))
        self.limbs = np.zeros((MOST_STACKS, height), dtype=np.int64)
        self.counts = np.zeros((MOST_STACKS, height), dtype=np.int64)
        self.depth = np.array([len(runs) for runs in stacks], dtype=np.int64)
        for i, runs in enumerate(stacks):
            for j, (limb, count) in enumerate(reversed(runs)):
                self.limbs[i, j], self.counts[i, j] = limb, count

    def top(self, stack: int) -> tuple[int, bool]:
        """Return the top limb of a stack and whether it is the last one; (0, False) for no stack, -1."""
        if stack < 0:
            return 0, False
        at = self.depth[stack] - 1
        return int(self.limbs[stack, at]), bool(at == 0 and self.counts[stack, at] == 1)

    def pop(self, stack: int) -> None:
        """Take one limb off a stack."""
        at = self.depth[stack] - 1
        self.counts[stack, at] -= 1
        if not self.counts[stack, at]:
            self.depth[stack] -= 1

    def push(self, stack: int, limb: int) -> None:
        """Put one limb on a stack."""
        at = self.depth[stack] - 1
        if at >= 0 and self.limbs[stack, at] == limb:
            self.counts[stack, at] += 1
            return
        if at + 2 >= self.limbs.shape[1]:
            self.grow()
        self.limbs[stack, at + 1], self.counts[stack, at + 1] = limb, 1
        self.depth[stack] += 1

    def grow(self) -> None:
        """Make room for twice as many runs."""
        self.limbs, self.counts = (np.concatenate([a, np.zeros_like(a)], axis=1) for a in (self.limbs, self.counts))

    def stacks(self) -> Stacks:
        """Return the stacks as runs, the top first."""
        found = []
        for i, height in enumerate(self.depth.tolist()):
            runs = zip(self.limbs[i, :height].tolist(), self.counts[i, :height].tolist(), strict=True)
            found.append(tuple(reversed(list(runs))))
        return tuple(found)


class MacroLoop:
    """Runs a macro machine whose counts fit machine words."""

    def __init__(self, machine: MacroMachine) -> None:
        self.machine = machine
        self._wanted = GrowingArray()
        self._edges = GrowingArray()
        self._pushes = GrowingArray()
        self._described: list[Edge] = []
        self._keys = np.full(1 << 10, -1, dtype=np.int64)
        self._values = np.zeros(1 << 10, dtype=np.int64)
        self._longest = 0
        self._outputs: list[Output] = []
        self._output_numbers: dict[Output, int] = {}
        self._changes = np.zeros((MOST_CHANGES, 2), dtype=np.int64)

    def run(self, state: int, stacks: Stacks, limit: int, transitions: int) -> MacroStretch:
        """Take up to `limit` steps, or about so many transitions."""
        limit = min(limit, kernels.LARGE)
        if any(count > kernels.LARGE for runs in stacks for _, count in runs):
            return MacroStretch(0, [], state, stacks, 0, large=True)
        piles = _Piles(stacks)
        control = np.zeros(kernels.CONTROL_SIZE, dtype=np.int64)
        control[kernels.C_STATE], control[kernels.C_OUTPUT] = state, UNKNOWN
        outputs: list[tuple[int, Output]] = []
        taken = 0
        ending: _Ending = {}
        while not ending and control[kernels.C_STEPS] < limit and taken < transitions:
            code = self._loop(piles, control, limit, transitions - taken)
            taken += int(control[kernels.C_TRANSITIONS])
            outputs += [(step, self._outputs[o]) for step, o in self._changes[: control[kernels.C_CHANGES]].tolist()]
            if code == kernels.M_MISS and not self._learn(control, piles):
                ending = {"left": NO_STACKS}
            elif code == kernels.M_LARGE:
                ending = {"large": True}
            elif code in (kernels.M_SPECIAL, kernels.M_PARTIAL):
                ending = self._follow(control, piles, limit, outputs)
        steps = int(control[kernels.C_STEPS])
        ends = [*(step for step, _ in outputs), steps + 1][1:]
        found = [(o, end - step) for (step, o), end in zip(outputs, ends, strict=True) if end > step]
        return MacroStretch(steps, found, int(control[kernels.C_STATE]), piles.stacks(), taken, **ending)

    def _loop(self, piles: _Piles, control: NDArray[np.int64], limit: int, transitions: int) -> int:
        while piles.limbs.shape[1] < piles.depth.max() + self._longest + 2:
            piles.grow()
        control[kernels.C_CHANGES] = 0
        code: int = kernels.macro_loop(
            self._wanted_stacks(),
            self._keys,
            self._values,
            self._edges.array,
            self._pushes.array.reshape(-1, 2),
            piles.limbs,
            piles.counts,
            piles.depth,
            self.machine.unit,
            self._changes,
            control,
            limit,
            self._longest,
            transitions,
        )
        return code

    def _wanted_stacks(self) -> NDArray[np.int64]:
        """Return the stack that each state wants."""
        states = self.machine.states
        self._wanted.append([state.wanted for state in states[self._wanted.size :]])
        return self._wanted.array

    def _learn(self, control: NDArray[np.int64], piles: _Piles) -> bool:
        """Add the edge that is missing; return False if there is none."""
        state = int(control[kernels.C_STATE])
        limb, last = piles.top(self.machine.states[state].wanted)
        edge = self.machine.edge(state, limb, last)
        if edge is None:
            return False
        number = len(self._described)
        self._described.append(edge)
        output = kernels.SPECIAL
        if not edge.decided and edge.left is None:
            if not edge.outputs:
                output = kernels.NO_OUTPUT
            elif len(edge.outputs) == 1:
                output = self._output(edge.outputs[0][0])
        first = self._pushes.append([word for push in edge.pushes for word in push]) // 2
        self._longest = max(self._longest, len(edge.pushes))
        clear = sum(1 << stack for stack in edge.clears)
        self._edges.append([edge.steps, edge.target, output, edge.loop, clear, first, self._pushes.size // 2, 0])
        if 2 * number > len(self._keys):
            self._grow()
        kernels.insert(2 * (self.machine.unit * state + limb) + last, number, self._keys, self._values)
        return True

    def _grow(self) -> None:
        keys, values = self._keys, self._values
        self._keys = np.full(4 * len(keys), -1, dtype=np.int64)
        self._values = np.zeros(4 * len(keys), dtype=np.int64)
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            if key >= 0:
                kernels.insert(key, value, self._keys, self._values)

    def _output(self, output: Output) -> int:
        number = self._output_numbers.setdefault(output, len(self._outputs))
        if number == len(self._outputs):
            self._outputs.append(output)
        return number

    def _follow(self, control: NDArray[np.int64], piles: _Piles, limit: int, outputs: list[tuple[int, Any]]) -> _Ending:
        """Follow one edge that has several outputs, ends the run, or is cut short by the limit."""
        state, steps = int(control[kernels.C_STATE]), int(control[kernels.C_STEPS])
        wanted = self.machine.states[state].wanted
        limb, last = piles.top(wanted)
        edge: Edge | None = self._described[int(control[kernels.C_EDGE])]
        if edge is not None and edge.steps > limit - steps:
            edge = self.machine.partial_edge(state, limb, last, limit - steps)
        if edge is None:
            return {"left": NO_STACKS}
        if wanted >= 0:
            piles.pop(wanted)
        piles.depth[list(edge.clears)] = 0
        for stack, digits in edge.pushes:
            piles.push(stack, digits)
        at = steps + 1
        for output, count in edge.outputs:
            outputs.append((at, output))
            at += count
        control[kernels.C_STATE] = edge.target
        control[kernels.C_STEPS] = steps + edge.steps
        control[kernels.C_OUTPUT] = UNKNOWN
        if edge.decided:
            return {"decided": True}
        return {} if edge.left is None else {"left": edge.left}
