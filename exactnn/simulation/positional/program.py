"""The program of a network: which rows a step computes in which pattern, written as the patterns come up.

A pattern is the status of every register; together with the input it fixes which units are constant and which
have to be computed. The outcomes of those lead to the pattern of the next layer, and so on round the step. Nodes of the
program are entered once in each of two banks of slots, since a step reads one and writes the other.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple, Self, cast

import numpy as np

from exactnn.automata import entries_at
from exactnn.networks import Input, Network
from exactnn.simulation.executor import Output
from exactnn.simulation.positional import words
from exactnn.simulation.positional.numeral_kernels import SLOT, Array
from exactnn.simulation.positional.radix import Radix
from exactnn.simulation.positional.rows import IS_ONE, IS_ZERO, LIVE, OUTCOMES, RADICES, Inputs, Layer, Row, Status
from exactnn.simulation.positional.sources import Source, source_of
from exactnn.simulation.positional.table_kernels import GrowingArray

__all__ = ["Pattern", "Program"]

NO_INPUTS = Inputs((), 0, 0)

ALL_OUTCOMES = {kind: tuple((Status(outcome),) for outcome in range(radix)) for kind, radix in RADICES.items()}
"""All combinations of outcomes of a single row, by its activation."""

WIDEST = 1024
"""Cases of a node: the rows of a layer are dealt out to several nodes where they have more together."""


class Pattern(NamedTuple):
    """What holds where a layer begins: the input, the bank that is read, and the registers known so far."""

    given: Input
    bank: int
    layer: int
    statuses: tuple[Status, ...]


class _Group(NamedTuple):
    """Rows whose outcomes are found together: those that read one source, or one row of another kind.

    `combinations` are the outcomes that may come up, one status for each row; empty if there is no choice.
    """

    rows: tuple[Row, ...]
    combinations: tuple[tuple[Status, ...], ...]
    source: Source | None = None

    @property
    def cases(self) -> int:
        """How many outcomes there are."""
        return max(1, len(self.combinations))


class _Node(NamedTuple):
    """Some groups of rows of a layer, and those that are left for the nodes after it; the layer ends with the last."""

    pattern: Pattern
    fixed: tuple[Status | None, ...]
    groups: tuple[_Group, ...]
    rest: tuple[_Group, ...]


_Resolution = tuple[list[Status | None], list[_Group], str | None]
"""What a pattern fixes of the units of its layer, the groups of rows that it does not, and why it is outside."""


class Program:
    """Nodes, rows and tables for :func:`exactnn.simulation.positional.kernels.loop`."""

    def __init__(self, network: Network, radix: Radix) -> None:
        circuit = network.circuit
        self.network = network
        self.radix = radix
        self.layers = [Layer(units, radix) for units in circuit.layers] or [Layer((), radix)]
        self.readout = Layer(network.readout, radix)
        self.power: Array = np.array(radix.powers, dtype=np.int64)
        self.code = GrowingArray()
        self.code.append([0])  # no node is at address 0, so a table's 0 means that nothing is known yet
        self.outputs: list[Output] = []
        self.stops = np.zeros(64, dtype=np.int64)
        self.reasons: dict[int, str] = {}
        self.shifts: set[int] = set()
        self.has_rows = False
        self._output_numbers: dict[Output, int] = {}
        self._read_out = entries_at(self.readout.registers)
        self._outputs: dict[tuple[Status, ...], int] = {}  # by the statuses that the readout reads
        self.transitions: dict[int, tuple[Pattern, tuple[Status, ...]] | None] = {}
        """By address: the pattern of the layer that it ends and the statuses of its units, or None if it ends none."""
        self._nodes: dict[int, _Node] = {}
        self._entered: dict[Pattern, int] = {}
        self._resolved: dict[Any, _Resolution] = {}
        self._inputs: dict[Input, Inputs] = {}
        self._lookups: dict[tuple[int, int], tuple[Any, int]] = {}
        self.most_transitions = sum(max(1, len(layer.units)) for layer in self.layers)
        """The most transitions in a step by layers: each but the last of a layer finds the outcome of a unit."""
        self._first_units = [circuit.state_size + circuit.input_size]
        for units in circuit.layers:
            self._first_units.append(self._first_units[-1] + len(units))
        self._components: dict[int, int] = {}  # of a unit: the state component that holds it
        for component, register in enumerate(circuit.next_state):
            if register >= self._first_units[0]:
                self._components.setdefault(register, component)
        self._next_state = entries_at(circuit.next_state)
        inputs = circuit.state_size, self._first_units[0]
        self._inputs_kept = [held - inputs[0] for held in circuit.next_state if inputs[0] <= held < inputs[1]]
        self._slots = [[self._home(register, bank) for register in range(self._first_units[-1])] for bank in (0, 1)]
        self._copies = [  # for each bank the components of the next state that are not where a unit is written
            [
                (component, held, target)
                for component, register in enumerate(circuit.next_state)
                if (held := self._slots[bank][register]) != (target := self._slots[1 - bank][component])
            ]
            for bank in (0, 1)
        ]

    def copied(self) -> Self:
        """Return a program that has all of this one, but for blocks, and that is written on by itself."""
        twin = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list | set):  # what is in them does not change
                setattr(twin, name, value.copy())
        twin.code, twin.stops = self.code.copied(), self.stops.copy()
        twin.code.array[[address + words.N_BLOCKS for address in self._addresses()]] = 0
        return twin

    def _addresses(self) -> list[int]:
        """Return the addresses of all nodes."""
        return list(self._nodes)

    @property
    def slots(self) -> int:
        """How many slots a run needs: two banks of the state, one for every unit, and one that is always zero."""
        return 2 * self.network.circuit.state_size + self.network.circuit.units + 1

    @property
    def most_operands(self) -> int:
        """The largest number of operands of a row."""
        return self._first_units[-1]

    def pattern(self, node: int) -> Pattern:
        """Return the pattern of a node."""
        return self._nodes[node].pattern

    def enter(self, pattern: Pattern) -> int:
        """Return the node for the first rows of a layer in this pattern."""
        node = self._entered.get(pattern)
        if node is None:
            node = self._first_of(pattern)
            self._entered[pattern] = node  # last, since Ctrl-C may come before
        return node

    def _resolution(self, pattern: Pattern) -> _Resolution:
        """Return what :meth:`_resolve` does, which is done once."""
        key = pattern.given, pattern.layer, pattern.statuses
        if key not in self._resolved:
            self._resolved[key] = self._resolve(pattern)
        return self._resolved[key]

    def _first_of(self, pattern: Pattern) -> int:
        """Write the node for the first rows of a layer in this pattern."""
        fixed, groups, outside = self._resolution(pattern)
        node = self._node(pattern, fixed, groups)
        if outside:
            self.code.array[node + words.N_OUTSIDE] = 1
            self.reasons[node] = outside
        if pattern.layer == 0:
            self.code.array[node + words.N_OUTPUT] = self._output(pattern.statuses)
        return node

    def _resolve(self, pattern: Pattern) -> _Resolution:
        """Return what a pattern fixes, the groups of rows that it does not, and why it is outside; for both banks."""
        fixed, rows = self.layers[pattern.layer].resolve(self._known(pattern), self._given(pattern.given))
        outside = next((row.outside for row in rows if row.outside), None) or self._input_kept(pattern)
        return fixed, [] if outside else self._groups(pattern, rows), outside

    def follow(self, address: int, case: int, slots: Array) -> None:
        """Write the transition from a node after the outcomes with number `case`, to which numbers in `slots` led."""
        node = self._nodes[address]
        pattern, ends_layer = node.pattern, not node.rest
        fixed = list(node.fixed)
        rest = case
        moves: list[int] = []
        for rows, combinations, source in node.groups:
            if combinations:
                rest, combination = divmod(rest, len(combinations))
                for row, status in zip(rows, combinations[combination], strict=True):
                    fixed[row.unit] = status
            if source is not None or not rows[0].operands:
                for row in rows:
                    if fixed[row.unit] not in (IS_ZERO, IS_ONE):
                        moves += self._move(pattern, row, self._unit_slot(pattern, row.unit))
        outcome = cast(tuple[Status, ...], tuple(fixed)) if ends_layer else ()  # then all are known
        following, copies = self._after(node, fixed, outcome)
        moves += copies
        ends_step = ends_layer and pattern.layer == len(self.layers) - 1
        output = self.code.array[following + words.N_OUTPUT] if ends_step else words.WITHIN
        transition = self.code.append([following, output, len(moves) // words.MOVE, *moves])
        self.code.array[self.code.array[address + words.N_TABLE] + case] = transition
        self.transitions[transition] = (pattern, outcome) if ends_layer else None

    def _after(self, node: _Node, fixed: list[Status | None], outcome: tuple[Status, ...]) -> tuple[int, list[int]]:
        """Return the node that follows, and at the end of a step the copies that complete the next state.

        At the end of a layer `outcome` has the statuses of all its units.
        """
        pattern = node.pattern
        if node.rest:
            return self._node(pattern, fixed, list(node.rest)), []
        statuses = pattern.statuses + outcome
        if pattern.layer + 1 < len(self.layers):
            return self.enter(Pattern(pattern.given, pattern.bank, pattern.layer + 1, statuses)), []
        size = self.network.circuit.state_size
        registers = statuses[:size] + self._given(pattern.given).statuses + statuses[size:]
        following = self._next_state(registers)
        copies = []
        for component, held, target in self._copies[pattern.bank]:
            if following[component] >= LIVE:
                copies += [held, 0, 0, 0, 0, target]
        return self.enter(Pattern(pattern.given, 1 - pattern.bank, 0, following)), copies

    def _known(self, pattern: Pattern) -> tuple[Status, ...]:
        """Return the statuses of all registers before the pattern's layer; patterns leave the inputs out."""
        size = self.network.circuit.state_size
        return pattern.statuses[:size] + self._given(pattern.given).statuses + pattern.statuses[size:]

    def _given(self, given: Input) -> Inputs:
        if given not in self._inputs:
            circuit = self.network.circuit
            self._inputs[given] = Inputs(given, circuit.state_size, circuit.input_size)
        return self._inputs[given]

    def _output(self, statuses: tuple[Status, ...]) -> int:
        """Return what :meth:`_find_output` does, which is done once."""
        read = self._read_out(statuses)
        if read not in self._outputs:
            self._outputs[read] = self._find_output(statuses)
        return self._outputs[read]

    def _find_output(self, statuses: tuple[Status, ...]) -> int:
        """Return the number of the output in a state of this pattern, or UNFIXED if the pattern does not fix it."""
        values = self.readout.numbers(statuses, NO_INPUTS)
        if values is None:
            return words.UNFIXED
        output: Output = values[0] if self.network.scalar_output else tuple(values)
        number = self._output_numbers.setdefault(output, len(self.outputs))
        if number == len(self.outputs):
            self.outputs.append(output)
            if number == len(self.stops):
                self.stops = np.concatenate([self.stops, np.zeros_like(self.stops)])
            decided = not isinstance(output, tuple) and self.network.decision.outcome(output) is not None
            self.stops[number] = decided
        return number

    def _groups(self, pattern: Pattern, rows: Sequence[Row]) -> list[_Group]:
        """Return rows sorted by what they read."""
        by_source: dict[int, list[Row]] = {}
        groups, known = [], self._known(pattern)
        for row in rows:
            if row.is_single and known[row.operands[0][0]] is LIVE:
                by_source.setdefault(row.operands[0][0], []).append(row)
            else:
                groups.append(_Group((row,), () if row.status is not None else ALL_OUTCOMES[row.activation]))
        for together in by_source.values():
            source, combinations = source_of(together, self.radix)
            groups.append(_Group(tuple(together), combinations, source))
        return groups

    def _node(self, pattern: Pattern, fixed: Sequence[Status | None], groups: Sequence[_Group]) -> int:
        """Write a node for as many groups as have at most WIDEST cases together."""
        taken, cases = 0, 1
        for group in groups:
            if taken and cases * group.cases > WIDEST:
                break
            cases *= group.cases
            taken += 1
        node = _Node(pattern, tuple(fixed), tuple(groups[:taken]), tuple(groups[taken:]))
        sources: list[int] = []
        rows: list[int] = []
        stride = 1
        for group in node.groups:
            if group.source is not None:
                sources += self._source(pattern, group.source, stride)
            elif group.rows[0].operands:
                row = group.rows[0]
                destination = self._unit_slot(pattern, row.unit)
                rows += self._row(pattern, row, stride if group.combinations else 0, destination)
            stride *= group.cases
        table = self.code.size
        header = [len(sources) // words.SOURCE, len(rows) // words.ROW, table, words.UNFIXED, 0, 0, 0]
        address = self.code.append([*[0] * cases, *header, *sources, *rows]) + cases
        self._nodes[address] = node
        return address

    def _source(self, pattern: Pattern, source: Source, stride: int) -> list[int]:
        lookup = 0
        if source.lookup is not None:
            key = id(source.lookup), stride
            if key not in self._lookups:  # the array is kept with its address, so that no other one gets its id
                self._lookups[key] = source.lookup, self.code.append(stride * source.lookup)
            _, lookup = self._lookups[key]
        return [self._slot(source.register, pattern.bank), source.need, source.digits, lookup]

    def _row(self, pattern: Pattern, row: Row, stride: int, destination: int) -> list[int]:
        self.has_rows = True
        operands = [
            word for register, n, shift in row.operands for word in (self._slot(register, pattern.bank), n, shift)
        ]
        first = self.code.append(operands)
        outcomes = OUTCOMES[row.activation]
        keep = sum(1 << kind for kind, outcome in enumerate(outcomes) if outcome >= LIVE)
        cases = [stride * outcome for outcome in outcomes]
        return [destination, *row.constant, keep, first, first + len(operands), *cases]

    def _move(self, pattern: Pattern, row: Row, destination: int) -> list[int]:
        number, places = row.constant
        if row.operands:
            ((register, sign, shift),) = row.operands
            source, turned = self._slot(register, pattern.bank), min(sign, 0)
            self.shifts.add(abs(shift))
        else:  # from the last slot, which is zero, with one digit
            source, turned, shift = SLOT * (self.slots - 1), 0, 1 - places
        return [source, turned, shift, 2 * number, places, destination]

    def _input_kept(self, pattern: Pattern) -> str | None:
        """Return why the last layer's step cannot be taken if the next state holds an input that is not 0 or 1."""
        if not self._inputs_kept or pattern.layer < len(self.layers) - 1:
            return None
        statuses = self._given(pattern.given).statuses
        kept = any(statuses[i] not in (IS_ZERO, IS_ONE) for i in self._inputs_kept)
        return "the state holds an input that is neither 0 nor 1" if kept else None

    def _unit_slot(self, pattern: Pattern, unit: int) -> int:
        return self._slot(self._first_units[pattern.layer] + unit, pattern.bank)

    def _slot(self, register: int, bank: int) -> int:
        """Return the slot of a register in a step that reads `bank`."""
        return self._slots[bank][register]

    def _home(self, register: int, bank: int) -> int:
        """Return where the slot is, for :meth:`_slot`; a unit of the next state is in the other bank."""
        size = self.network.circuit.state_size
        if register < size:
            slot = bank * size + register
        elif register in self._components:
            slot = (1 - bank) * size + self._components[register]
        else:
            slot = 2 * size + register - self._first_units[0]
        return SLOT * slot
