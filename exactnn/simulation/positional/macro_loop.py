"""Macro mode at machine speed: the edges of a macro machine in tables, its stacks in arrays, and a compiled loop.

The loop follows edges as long as they are known and counts fit machine words. Whole limbs, and runs of equal limbs, are
consumed by one edge. What is rare is done in Python: new edges, edges with several outputs, the last edge of a run.
"""

from math import inf
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled
from exactnn.simulation.executor import Output
from exactnn.simulation.positional.direct_state import repetitions
from exactnn.simulation.positional.macro_machine import NO_STACKS, Edge, MacroMachine, MacroStretch, Stacks
from exactnn.simulation.positional.piles import Piled, Piles, exceed
from exactnn.simulation.positional.table_kernels import GrowingArray, Table, find

__all__ = ["MacroLoop"]

Array = NDArray[np.int64]

# Why the loop stopped: the steps or transitions are taken; the edge is not known yet; it is special; it has more steps
# than are left; counts leave the machine word; a stack has no room; `changes` is full.
M_LIMIT, M_MISS, M_SPECIAL, M_PARTIAL, M_LARGE, M_FULL, M_CHANGES = range(7)
# Words of `control`: the state, the steps, the last output, how many changes of it are written, the edge that was
# found, and the transitions that were taken.
C_STATE, C_STEPS, C_OUTPUT, C_CHANGES, C_EDGE, C_TRANSITIONS = range(6)
CONTROL_SIZE = 6
# Words of an edge: steps, the state after it, the output during it (SPECIAL: several, or it ends the run), whether a
# run of limbs can be consumed at once, which stacks are emptied (one bit each), where its pushes are, its key plus 1,
# and the edge that followed it last.
E_STEPS, E_STATE, E_OUTPUT, E_LOOP, E_CLEAR, E_FIRST, E_LAST, E_KEY, E_GUESS = range(9)
EDGE = 9

SPECIAL, NO_OUTPUT = -1, -2
LARGE = 2**60


@compiled
def macro_loop(
    wanted: Array,
    keys: Array,
    values: Array,
    edges: Array,
    pushes: Array,
    limbs: Array,
    counts: Array,
    depth: Array,
    unit: Any,
    changes: Array,
    control: Array,
    limit: Any,
    longest: Any,
    transitions: Any,
) -> Any:
    """Follow edges until `limit` steps are taken or something has to be done elsewhere; return why.

    Stack w has `depth[w]` runs `limbs[w]` with `counts[w]`, the top last; a state wants a limb of stack
    `wanted[state]`, or none (-1). `keys` and `values` are the table of edges: the key of one is 2 * unit * state + 2 *
    limb + (the limb is the last of its stack), and its words are in `edges` and `pushes`. No edge has more than
    `longest` pushes. The loop stops between two edges, so that it can go on from there.

    The edge that followed an edge the last time is tried before the table: it is known before the stacks are read, so
    that the processor need not wait for them. Indices are unsigned: of others it is asked first whether they are
    negative.
    """
    state = control[C_STATE]
    steps = control[C_STEPS]
    output = control[C_OUTPUT]
    changed = control[C_CHANGES]
    code = M_LIMIT
    taken = 0
    at: Any = np.uint64(0)  # an edge, at first any
    while steps < limit and taken < transitions:
        # Which edge: that of the state and the limb on top of the stack that it wants.
        stack = wanted[np.uint64(state)]
        limb, count, last, runs = 0, 0, 0, 0
        if stack >= 0:
            runs = depth[np.uint64(stack)]
            limb = limbs[np.uint64(stack), np.uint64(runs - 1)]
            count = counts[np.uint64(stack), np.uint64(runs - 1)]
            last = runs == 1 and count == 1
        key = 2 * (unit * state + limb) + last
        edge = edges[at + np.uint64(E_GUESS)]
        if edges[np.uint64(EDGE * edge + E_KEY)] != key + 1:
            edge = find(key, keys, values)
            if edge < 0:
                code = M_MISS
                break
            edges[at + np.uint64(E_GUESS)] = edge
        control[C_EDGE] = edge
        at = np.uint64(EDGE * edge)
        shown = edges[at + np.uint64(E_OUTPUT)]
        if shown == SPECIAL:
            code = M_SPECIAL
            break
        length = edges[at + np.uint64(E_STEPS)]
        if length > limit - steps:
            code = M_PARTIAL
            break
        # How often: as often as there are such limbs, if the edge leads back to its state. The last limb of a stack is
        # left, since it has an edge of its own.
        times = 1
        if edges[at + np.uint64(E_LOOP)]:
            if stack >= 0:
                times = count - (runs == 1)
                if times > 1 and times > (limit - steps) // length:
                    times = (limit - steps) // length
            else:
                times = (limit - steps) // length
            if float(times) * float(length) > LARGE or steps > LARGE:
                code = M_LARGE
                break
        if shown != output and shown != NO_OUTPUT:
            if changed == changes.shape[0]:
                code = M_CHANGES
                break
            output = shown
            changes[changed, 0] = steps + 1
            changes[changed, 1] = output
            changed += 1
        # Take the limbs off, empty the stacks of which nothing is left, and push: `times` limbs at once, since all that
        # a repeated edge pushes on one stack are equal.
        if stack >= 0:
            counts[np.uint64(stack), np.uint64(runs - 1)] = count - times
            if count == times:
                depth[np.uint64(stack)] = runs - 1
        clear = edges[at + np.uint64(E_CLEAR)]
        if clear:
            for other in range(depth.shape[0]):
                if (clear >> other) & 1:
                    depth[other] = 0
        for push in range(edges[at + np.uint64(E_FIRST)], edges[at + np.uint64(E_LAST)]):
            onto, digits = np.uint64(pushes[np.uint64(push), 0]), pushes[np.uint64(push), 1]
            height = depth[onto]
            if height and limbs[onto, np.uint64(height - 1)] == digits:
                counts[onto, np.uint64(height - 1)] += times
                if counts[onto, np.uint64(height - 1)] > LARGE:
                    code = M_LARGE
            else:
                limbs[onto, np.uint64(height)] = digits
                counts[onto, np.uint64(height)] = times
                depth[onto] = height + 1
                if height + longest + 2 > limbs.shape[1]:
                    code = M_FULL
        steps += times * length
        state = edges[at + np.uint64(E_STATE)]
        taken += 1
        if code:
            break
    control[C_STATE] = state
    control[C_STEPS] = steps
    control[C_OUTPUT] = output
    control[C_CHANGES] = changed
    control[C_TRANSITIONS] = taken
    return code


MOST_CHANGES = 1 << 12
"""Changes of the output in one call of the loop."""
UNKNOWN = -3
"""The number of no output."""


class _Ending(TypedDict, total=False):
    decided: bool
    left: str
    large: bool


MOST_OUTPUTS = 1 << 16
"""Changes of the output in one call, about: where an edge has many of its own, a few edges may fill the memory."""


class MacroLoop:
    """Runs a macro machine whose counts fit machine words."""

    def __init__(self, machine: MacroMachine) -> None:
        self.machine = machine
        self._wanted = GrowingArray()
        self._edges = GrowingArray()
        self._pushes = GrowingArray()
        self._described: list[Edge] = []
        self._numbers = Table()  # of edges
        self._longest = 0
        self._outputs: list[Output] = []
        self._output_numbers: dict[Output, int] = {}
        self._changes = np.zeros((MOST_CHANGES, 2), dtype=np.int64)

    @property
    def edges(self) -> int:
        """How many edges the loop has been told of."""
        return len(self._described)

    def run(self, state: int, stacks: Stacks, limit: int, transitions: int, edges: float = inf) -> MacroStretch:
        """Take up to `limit` steps, or about so many transitions, for which so many new edges may be found."""
        limit = min(limit, LARGE)
        if exceed(stacks, LARGE):
            return MacroStretch(0, [], state, stacks, 0, large=True)
        piles = Piles(stacks)
        control = np.zeros(CONTROL_SIZE, dtype=np.int64)
        control[C_STATE], control[C_OUTPUT] = state, UNKNOWN
        outputs: list[tuple[int, Output]] = []
        taken = 0
        ending: _Ending = {}
        most = len(self._described) + edges
        while not ending and control[C_STEPS] < limit and taken < transitions and len(self._described) < most:
            if len(outputs) > MOST_OUTPUTS:
                break
            code = self._loop(piles, control, limit, transitions - taken)
            taken += int(control[C_TRANSITIONS])
            outputs += [(step, self._outputs[o]) for step, o in self._changes[: control[C_CHANGES]].tolist()]
            if code == M_MISS and not self._learn(control, piles):
                ending = {"left": NO_STACKS}
            elif code == M_LARGE:
                ending = {"large": True}
            elif code in (M_SPECIAL, M_PARTIAL):
                ending = self._follow(control, piles, limit, outputs)
                taken += 1
        steps = int(control[C_STEPS])
        found = repetitions(outputs, steps)
        return MacroStretch(steps, found, int(control[C_STATE]), Piled(piles), taken, **ending)

    def _loop(self, piles: Piles, control: Array, limit: int, transitions: int) -> int:
        while piles.limbs.shape[1] < max(piles.depth.tolist()) + self._longest + 2:
            piles.grow()
        control[C_CHANGES] = 0
        code: int = macro_loop(
            self._wanted_stacks(),
            self._numbers.keys,
            self._numbers.values,
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

    def _wanted_stacks(self) -> Array:
        """Return the stack that each state wants."""
        states = self.machine.states
        self._wanted.append([state.wanted for state in states[self._wanted.size :]])
        return self._wanted.array

    def _learn(self, control: Array, piles: Piles) -> bool:
        """Add the edge that is missing; return False if there is none."""
        state = int(control[C_STATE])
        limb, last = piles.top(self.machine.states[state].wanted)
        edge = self.machine.edge(state, limb, last)
        if edge is None:
            return False
        number = len(self._described)
        self._described.append(edge)
        output = SPECIAL
        if not edge.decided and edge.left is None:
            if not edge.outputs:
                output = NO_OUTPUT
            elif len(edge.outputs) == 1:
                output = self._output(edge.outputs[0][0])
        first = self._pushes.append([word for push in edge.pushes for word in push]) // 2
        self._longest = max(self._longest, len(edge.pushes))
        clear = sum(1 << stack for stack in edge.clears)
        key = 2 * (self.machine.unit * state + limb) + last
        pushes = first, self._pushes.size // 2
        self._edges.append([edge.steps, edge.target, output, edge.loop, clear, *pushes, key + 1, 0])
        self._numbers.add(key, number)
        return True

    def _output(self, output: Output) -> int:
        number = self._output_numbers.setdefault(output, len(self._outputs))
        if number == len(self._outputs):
            self._outputs.append(output)
        return number

    def _follow(self, control: Array, piles: Piles, limit: int, outputs: list[tuple[int, Any]]) -> _Ending:
        """Follow one edge that has several outputs, ends the run, or is cut short by the limit."""
        state, steps = int(control[C_STATE]), int(control[C_STEPS])
        wanted = self.machine.states[state].wanted
        limb, last = piles.top(wanted)
        edge: Edge | None = self._described[int(control[C_EDGE])]
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
        control[C_STATE] = edge.target
        control[C_STEPS] = steps + edge.steps
        control[C_OUTPUT] = UNKNOWN
        if edge.decided:
            return {"decided": True}
        return {} if edge.left is None else {"left": edge.left}
