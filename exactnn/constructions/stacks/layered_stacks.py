"""Stack machine to RNN in four layers: each stack is one number, one network step is one move.

A stack over m symbols is a number in base 2m with the digits 1, 3, ..., 2m - 1, and 0 if it is empty: for bits the base
is 4, and a push of z is ``q/4 + z/2 + 1/4``. The layers of a step, all of saturated linear units (SLU):

    1  tops          the top of stack i is at least the symbol a; for bits ``SLU(4q)``, not empty, and ``SLU(4q - 2)``
    2  rules         in state z with these tops
    3  operations    the number of stack i after a keep, a pop or a push, if that is done, else 0
    4  next state    the sums of these; the state of the machine, one unit for each

"Four layers" of the source is read as four layers of units within one step, the network's state being the last one. A
layer reads the state and the layers before it, where the source copies values from layer to layer.

The second layer has a unit for each state and each combination of tops. Most machines do the same on many of these.
:func:`merged_stacks` has a unit for a *box* instead: for each stack a range of tops, such that all combinations of them
have the same rule. Of each state the most frequent rule needs no unit: it applies where the state's boxes do not, which
is a difference of units.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import product

from gmpy2 import mpq

from exactnn.automata import EMPTY, StackMachine, StackRule, State
from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.construction import Construction, require_machine
from exactnn.constructions.halting import halting_construction, halting_protocol
from exactnn.constructions.layered_network import foretell, layered_network
from exactnn.constructions.stacks.stack_machine import StackCodec, StackPlan
from exactnn.networks import Activation

__all__ = ["layered_stacks", "merged_stacks"]


def layered_stacks(machine: StackMachine | str) -> Construction:
    """Return the network of `machine` with four layers in a step and one move per step.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output; the last configuration can be decoded for ever.

    With p stacks of m symbols, s states of which h halt (those that can be reached), the state has s + p neurons, and
    reading words takes two more. A step has ``p m + (s - h) (m+1)^p + p (m+2) + s + p`` units, and
    ``|input symbols| + 2`` more where words are read.

    T = k + 1 for k moves: the word is read in |w| steps, the first EOS begins the run. A machine with an empty input
    alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : StackMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If it is no stack machine, or EOS is among the input symbols.

    References
    ----------
    .. [1] H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50,
       1995: the simulation with four layers.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> net = layered_stacks(load("anbn-stacks"))
    >>> result = run(net, "aabb")
    >>> net.network.neurons, result.verdict.value, result.eos_steps, str(net.decode(result.final_state))
    (8, 'accept', 6, 'accept: (empty) | (empty)')
    """
    machine = require_machine(machine, StackMachine, "layered_stacks")
    return _construction("layered_stacks", machine, _LayeredPlan)


def merged_stacks(machine: StackMachine | str) -> Construction:
    """Return the network of :func:`layered_stacks` with a unit for many rules: few units, the same moves and outputs.

    With p stacks of m symbols and s states, a step has ``p m + R + p (m+2) + s + p`` units, and ``|input symbols| + 2``
    more where words are read. R is the number of boxes: of each state the readings on which it does the same, but for
    its most frequent rule, are parted into products of ranges of tops. R is at most ``(s - h) (m+1)^p`` for h halting
    states, and about the number of lines of a table with wildcards. The state is that of `layered_stacks`.

    T = k + 1 for k moves, and T = k without input, as of `layered_stacks`.

    Parameters
    ----------
    machine : StackMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If it is no stack machine, or EOS is among the input symbols.

    References
    ----------
    .. [1] H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50,
       1995: the simulation with four layers. The boxes are this project's.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> machine = load("two-brackets")
    >>> [build(machine).network.circuit.units for build in (layered_stacks, merged_stacks)]
    [145, 54]
    """
    machine = require_machine(machine, StackMachine, "merged_stacks")
    return _construction("merged_stacks", machine, _MergedPlan)


def _construction(name: str, machine: StackMachine, kind: "type[_LayeredPlan]") -> Construction:
    plan = kind(machine, tuple(range(1, 2 * len(machine.stack_symbols), 2)), 2 * len(machine.stack_symbols))
    foretell(f"{name}({machine.name})", *plan.size)
    network = layered_network(
        layers=[plan.tops(), plan.rule_units(), plan.results()],
        state=plan.state_units(),
        start=plan.start(),
        activation=Activation.SLU,
        **halting_protocol(name, machine, plan.indicator),
    )
    return halting_construction(
        name,
        machine,
        network,
        codec=StackCodec(plan),
        set_up=(1, 1),
        citation="Siegelmann and Sontag, J. Computer and System Sciences 50, 1995 (p-stack machines in four layers)",
    )


def _state(q: State) -> Hashable:
    return ("state", q)


def _stack(i: int) -> Hashable:
    return ("stack", i + 1)


class _LayeredPlan(StackPlan):
    """The layers of the network."""

    def indicator(self, q: State) -> Affine:
        """Return the unit of a state."""
        return var(_state(q))

    def stack(self, i: int) -> Affine:
        """Return the unit of a stack."""
        return var(_stack(i))

    def tops(self) -> dict[Hashable, Affine]:
        """Return the first layer: the top of a stack is at least a; at least the first symbol: it is not empty."""
        symbols = self.machine.stack_symbols
        return {
            ("top", i + 1, a): self.base * self.stack(i) - (self.digits[number] - 1)
            for i in range(self.machine.stacks)
            for number, a in enumerate(symbols)
        }

    @property
    def size(self) -> tuple[int, int]:
        """How many units there are, and at most how many weights, found before any unit is made.

        A rule's unit reads the state and two comparators of each stack; a rule's indicator is up to two units, and
        stands in the next state and in an operation on each stack. The other forms are short.
        """
        stacks, symbols, states = self.machine.stacks, len(self.machine.stack_symbols), len(self.states)
        units = stacks * (2 * symbols + 3) + self.rule_count + states
        units += len(self.machine.input_symbols) + 2 if self.loads else 0
        weights = self.rule_count * (1 + 2 * stacks) + 2 * len(self.rules) * (1 + stacks)
        return units, weights + 2 * units + stacks * (3 * symbols + len(self.halting) + 4) + 2 * states

    @property
    def rule_count(self) -> int:
        """The number of units of the second layer."""
        return len(self.rules)

    def _top(self, i: int) -> list[Affine]:
        return [var(("top", i + 1, a)) for a in self.machine.stack_symbols]

    @cached_property
    def applies(self) -> Mapping[tuple[State, Hashable], Affine]:
        """The indicators of the second layer."""
        return {(q, reading): var(("rule", q, *reading)) for q, reading, _ in self.rules}

    def rule_units(self) -> dict[Hashable, Affine]:
        """Return the second layer: in state q with this reading."""
        units: dict[Hashable, Affine] = {}
        for q, reading, _ in self.rules:
            seen = [self._shows(i, top) for i, top in enumerate(reading)]
            units["rule", q, *reading] = self.indicator(q) + total(seen) - len(seen)
        return units

    def _shows(self, i: int, top: str) -> Affine:
        """Return the form "this is on top of stack i"."""
        at_least = [*self._top(i), Affine({})]
        if top == EMPTY:
            return 1 - at_least[0]
        number = self.machine.stack_symbols.index(top)
        return at_least[number] - at_least[number + 1]

    def results(self) -> dict[Hashable, Affine]:
        """Return the third layer: what each operation makes of each stack, if it is done."""
        chosen = self.chosen(self.applies)
        units: dict[Hashable, Affine] = {}
        for (i, operation), done in chosen.items():
            units[("stack", i + 1, *operation)] = self.result(operation, self.stack(i), self._top(i)) + done - 1
        return units | self.appending_units()

    def state_units(self) -> dict[Hashable, Affine]:
        """Return the last layer."""
        following = self.next_states(self.applies)
        units: dict[Hashable, Affine] = {_state(q): form for q, form in following.items()}
        for i in range(self.machine.stacks):
            units[_stack(i)] = total(var(("stack", i + 1, *operation)) for operation in self.operations)
        units[_stack(0)] += total(map(var, self.appending_units()))
        return units | self.reading_units()

    def values(self, q: State, stacks: Sequence[Sequence[int]]) -> dict[Hashable, mpq]:
        """Return one unit for the machine's state, and one number for each stack."""
        return {_state(q): mpq(1)} | {_stack(i): self.number(stack) for i, stack in enumerate(stacks)}


Box = tuple[range, ...]
"""For each stack a range of tops by their numbers: 0 is the empty stack, i the i-th symbol."""


class _MergedPlan(_LayeredPlan):
    """The same layers with one unit of the second for each box of readings that have a rule in common."""

    @cached_property
    def boxes(self) -> dict[State, tuple[StackRule, list[tuple[Box, StackRule]]]]:
        """For each state that does not halt its most frequent rule, and the boxes of the others."""
        return {q: self._boxes(q) for q in self.states if q not in self.halting}

    def _boxes(self, q: State) -> tuple[StackRule, list[tuple[Box, StackRule]]]:
        numbers = range(len(self.machine.stack_symbols) + 1)
        names = (EMPTY, *self.machine.stack_symbols)
        row = self.machine.transitions[q]
        cells = {cell: row[tuple(names[i] for i in cell)] for cell in product(numbers, repeat=self.machine.stacks)}
        ((usual, _),) = Counter(cells.values()).most_common(1)
        found = []
        left = dict.fromkeys(cell for cell, rule in cells.items() if rule != usual)
        while left:
            first = next(iter(left))
            box = [range(i, i + 1) for i in first]
            for stack in reversed(range(self.machine.stacks)):  # let each range grow as far as all cells are alike
                for i in range(first[stack] + 1, len(numbers)):
                    added = list(product(*box[:stack], (i,), *box[stack + 1 :]))
                    if any(cell not in left or cells[cell] != cells[first] for cell in added):
                        break
                    box[stack] = range(first[stack], i + 1)
            for cell in product(*box):
                del left[cell]
            found.append((tuple(box), cells[first]))
        return usual, found

    @property
    def rule_count(self) -> int:
        """The number of boxes."""
        return sum(len(boxes) for _, boxes in self.boxes.values())

    @cached_property
    def rules(self) -> list[tuple[State, Hashable, StackRule]]:
        """The rules of the states, each by the number of its box; the most frequent one is that of None."""
        return [
            (q, number, rule)
            for q, (usual, boxes) in self.boxes.items()
            for number, rule in [(None, usual), *((i, rule) for i, (_, rule) in enumerate(boxes))]
        ]

    @cached_property
    def applies(self) -> Mapping[tuple[State, Hashable], Affine]:
        """The indicators of the second layer: the most frequent rule applies where no box does."""
        found: dict[tuple[State, Hashable], Affine] = {}
        for q, (_, boxes) in self.boxes.items():
            units = [var(("rule", q, i)) for i in range(len(boxes))]
            found |= {(q, None): self.indicator(q) - total(units)} | {(q, i): unit for i, unit in enumerate(units)}
        return found

    def rule_units(self) -> dict[Hashable, Affine]:
        """Return the second layer: in state q with tops in these ranges."""
        units: dict[Hashable, Affine] = {}
        for q, (_, boxes) in self.boxes.items():
            for number, (box, _) in enumerate(boxes):
                seen = [self._within(i, tops) for i, tops in enumerate(box) if len(tops) <= len(self.digits)]
                units["rule", q, number] = self.indicator(q) + total(seen) - len(seen)
        return units

    def _within(self, i: int, tops: range) -> Affine:
        """Return the form "the top of stack i is in this range": at least its first, and not at least what follows."""
        at_least = [1 + Affine({}), *self._top(i), Affine({})]
        return at_least[tops.start] - at_least[tops.stop]
