"""Turing machine to RNN with few units: one for each pair of state and symbol, and a number of others that is small.

Symbols are numbered from the blank, 0, to m-1. A stack is one number in base B with digits 2a, so that the endless
blank tape is 0; the left one begins with the symbol under the head. The state is a number in bits.

The word is read to its end in as many steps, each letter into its place; nothing has to be rewound after it.

A move takes three steps, and the units that are not zero go round with them:

    1. rule q a           one unit for each state and symbol: it fires if the machine is in q scanning a
    2. wait, moved X D    the stacks as the move D leaves them, and the bits of the next state; what was in X is dropped
    3. X, X >= k          the stacks where they stay until the next move, and comparators of their tops

The left stack X begins with the symbol under the head. A configuration is complete after the second of these steps, and
that is where a move ends: then the verdict is there too.
"""

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from gmpy2 import mpq

from exactnn.automata import (
    LOST,
    Rule,
    State,
    Symbol,
    TuringMachine,
    reachable_states,
    tape_configuration,
)
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import (
    Configuration,
    Construction,
    Phase,
    require_machine,
)
from exactnn.constructions.halting import halting_construction, halting_protocol, reachable_halting_states
from exactnn.constructions.layered_network import foretell, one_layer_network
from exactnn.constructions.stack_numbers import (
    HALF,
    as_state,
    readable,
    write_scalar,
)
from exactnn.constructions.tapes.two_stacks import TwoStackCodec, TwoStackPlan, require_tape
from exactnn.networks import EOS, Activation
from exactnn.simulation import Values

__all__ = ["chung_siegelmann"]

WAIT = ("wait",)
"""The unit that is 1 while the moved stacks are being put in place."""
LOADING = ("loading",)
"""(1 + p) / 2 while the word is read, where the next letter goes to place p; 0 ever after."""
FIRST = ("first move",)
"""The move from the cell before the word onto its first letter: the rule of no state."""


def bit(b: int) -> Hashable:
    """Return the key of bit b of the state's number."""
    return ("bit", b)


def fires(q: State, a: int) -> Hashable:
    """Return the key of the unit "in q scanning symbol number a"."""
    return ("rule", q, a)


def comparator(stack: str, k: int) -> Hashable:
    """Return the key of the unit "the top of the stack is at least k"."""
    return (stack, f">={k}")


def moved(stack: str, move: str) -> Hashable:
    """Return the key of the stack as a move leaves it: "L", "R", or "stay" at the end of a semi-infinite tape."""
    return (stack, "moved", move)


def halted(q: State) -> Hashable:
    """Return the key of the latch of a halting state."""
    return ("halted", q)


class ChungSiegelmannPlan(TwoStackPlan):
    """Units and equations of the network of a machine with |Q| states that do not halt and m tape symbols."""

    def __init__(self, machine: TuringMachine) -> None:
        rest = [a for a in machine.tape_symbols if a != machine.blank_symbol and a not in machine.input_symbols]
        super().__init__(machine, (machine.blank_symbol, *machine.input_symbols, *rest))
        self.states = [q for q in reachable_states(machine) if q not in machine.halting_states]
        self.halting = reachable_halting_states(machine)
        self.base = max(4, 1 << (2 * self.tops["left"]).bit_length())
        self.moves = ("L", "R", "stay") if self.bounded else ("L", "R")

    @property
    def bits(self) -> int:
        """How many bits a state's number has: ceil(log2 |Q|)."""
        return max(0, len(self.states) - 1).bit_length()

    @property
    def letter_bits(self) -> int:
        """How many bits the number of an input symbol has, which begin after the blank's."""
        return len(self.machine.input_symbols).bit_length()

    def rules(self, q: State) -> list[tuple[int, Rule]]:
        """Return the rules of a state with the number of the symbol that each reads, in the order of numbers."""
        row = self.machine.transitions[q]
        return [(i, row[a]) for i, a in enumerate(self.symbols)]

    @cached_property
    def _fired(self) -> list[tuple[Affine, Rule]]:
        return [(var(fires(q, a)), rule) for q in self.states for a, rule in self.rules(q)]

    @cached_property
    def _any_rule(self) -> Affine:
        """The form "a rule fires", the first move included."""
        return total(form for form, _ in self._fired) + self._first

    @property
    def _first(self) -> Affine:
        return var(FIRST) if self.loads else Affine({})

    def _moving(self, move: str) -> Affine:
        form = total(form for form, rule in self._fired if rule.move == move)
        return form + self._first if move == "R" else form

    def _written(self, move: str) -> Affine:
        """Return the digit that is written before a move; the first move leaves the bottom behind it."""
        form = total(2 * self.number[rule.written] * form for form, rule in self._fired if rule.move == move)
        return form + 2 * self.bottom * self._first if move == "R" and self.bounded else form

    def content(self, stack: str) -> Affine:
        """Return a stack's number as a form: it is in its place, or just moved, or a letter is on its way there."""
        parts = [var(stack), *(var(moved(stack, move)) for move in self.moves)]
        if stack == "right" and self.loads:
            parts += [var(("letter bit", b)) for b in range(self.letter_bits)]
        return total(parts)

    def _top(self, stack: str) -> Affine:
        """Return the digit on top of a stack in its place."""
        return 2 * total(var(comparator(stack, k)) for k in range(1, len(self.symbols)))

    @property
    def _stays(self) -> Affine:
        """The form "a move to the left finds no cell"."""
        return var(("leftmost",)) if self.bounded else Affine({})

    def units(self) -> dict[Hashable, Affine]:
        """Return the pre-activation of every unit."""
        return (
            self._stack_units()
            | self._moved_units()
            | self._control_units()
            | self._rule_units()
            | (self._loading_units() if self.loads else {})
        )

    def _stack_units(self) -> dict[Hashable, Affine]:
        units: dict[Hashable, Affine] = {}
        for stack in ("left", "right"):
            content = self.content(stack)
            units[stack] = content - self._any_rule
            for k in range(1, len(self.symbols)):
                units[comparator(stack, k)] = self.base * content - (2 * k - 1)
        return units

    def _moved_units(self) -> dict[Hashable, Affine]:
        base = self.base
        left_rest = base * var("left") - self._top("left")
        right_top = self._top("right")
        units = {
            moved("left", "L"): left_rest + self._moving("L") - 1 - self._stays,
            moved("right", "L"): (var("right") + self._written("L")) / base + self._moving("L") - 1 - self._stays,
            moved("left", "R"): right_top / base + (self._written("R") + left_rest) / base**2 + self._moving("R") - 1,
            moved("right", "R"): base * var("right") - right_top + self._moving("R") - 1,
        }
        if self.bounded:
            held = self._moving("L") + self._stays - 2
            units["leftmost",] = base * left_rest - (2 * self.bottom - 1)
            units[moved("left", "stay")] = (left_rest + self._written("L")) / base + held
            units[moved("right", "stay")] = var("right") + held
        return units

    def _control_units(self) -> dict[Hashable, Affine]:
        units: dict[Hashable, Affine] = {WAIT: self._any_rule}
        code = {q: i for i, q in enumerate(self.states)}
        for b in range(self.bits):
            changes = [
                ((code[rule.next_state] >> b & 1) - (code[q] >> b & 1)) * var(fires(q, a))
                for q in self.states
                for a, rule in self.rules(q)
                if rule.next_state in code
            ]
            units[bit(b)] = var(bit(b)) + total(changes)
        for q in self.halting:
            entered = total(form for form, rule in self._fired if rule.next_state == q)
            units[halted(q)] = var(halted(q)) + entered + (self._first if q == self.machine.initial_state else 0)
        return units

    def _rule_units(self) -> dict[Hashable, Affine]:
        """Return the units that fire if all bits and the scanned symbol are right, and nothing holds them back."""
        quiet = 1 - self._any_rule - var(WAIT) - total(var(halted(q)) for q in self.halting)
        quiet = quiet - (2 * var(LOADING) if self.loads else 0)
        units: dict[Hashable, Affine] = {}
        for i, q in enumerate(self.states):
            wrong = total(1 - var(bit(b)) if i >> b & 1 else var(bit(b)) for b in range(self.bits))
            for a, _ in self.rules(q):
                units[fires(q, a)] = quiet - wrong - (1 - self._scanned(a))
        return units

    def _scanned(self, a: int) -> Affine:
        """Return the form "the head scans symbol number a", which is on top of the left stack."""
        at_least = var(comparator("left", a)) if a else Affine({}, 1)
        return at_least - var(comparator("left", a + 1)) if a + 1 < len(self.symbols) else at_least

    def _loading_units(self) -> dict[Hashable, Affine]:
        """Return the units that put letter i of the word in place i of the right stack.

        The digit 2n of the letter number n is made of its bits: the place 1 / base^i times 2^(b+1) for each that is 1.
        """
        place = 2 * var(LOADING) - 1
        end = symbol(EOS)
        units: dict[Hashable, Affine] = {
            LOADING: (1 + place / self.base) / 2 - end,
            FIRST: 2 * var(LOADING) + 2 * end - 2,
        }
        for b in range(self.letter_bits):
            one = total(symbol(a) for a in self.machine.input_symbols if self.number[a] >> b & 1)
            units["letter bit", b] = 2 ** (b + 1) * place + one - 1
        return units

    def start(self) -> dict[Hashable, mpq]:
        """Return the start values that are not zero: before the word, or on a blank tape in the initial state."""
        if self.loads:
            control = {} if self.machine.initial_state in self.halting else self.code(self.machine.initial_state)
            return {LOADING: (1 + mpq(1, self.base)) / 2} | control
        return self.complete(self.machine.initial_state, {"left": mpq(2 * self.bottom, self.base**2) * self.bounded})

    def code(self, q: State) -> dict[Hashable, mpq]:
        """Return the values of the units that say which state it is, those that are 1."""
        if q in self.halting:
            return {halted(q): mpq(1)}
        number = self.states.index(q)
        return {bit(b): mpq(1) for b in range(self.bits) if number >> b & 1}

    def complete(self, q: State, stacks: dict[str, mpq]) -> dict[Hashable, mpq]:
        """Return the values of a configuration after a move that brought these stacks."""
        return {moved(stack, "L"): value for stack, value in stacks.items()} | {WAIT: mpq(1)} | self.code(q)


class ChungSiegelmannCodec(TwoStackCodec[ChungSiegelmannPlan]):
    """Reads and writes the states of the network that a plan describes.

    Between two moves a state still stands for the configuration before the next one.
    """

    def decode(self, state_values: Values, cells: int | None = None) -> Configuration:
        """Return the configuration that a state stands for; what cannot be read is LOST."""
        values = readable(self._units, state_values)
        left = self._cells("left", values, None if cells is None else cells + 1)
        blank = self._plan.machine.blank_symbol
        return tape_configuration(
            self._plan.machine,
            self._state(values),
            left[1:],
            left[0] if left else blank,
            self._cells("right", values, cells),
        )

    def extent(self, state_values: Values) -> tuple[int, int]:
        """Return how many cells there are to be read on either side of the head."""
        left, right = self._lengths(readable(self._units, state_values))
        return max(0, left - 1 - self._plan.bounded), right

    def encode(self, configuration: Configuration) -> Values:
        """Return the state in which a move ends that leads to `configuration`."""
        plan = self._plan
        configuration = require_tape(
            plan.machine, configuration, states=(*plan.states, *plan.halting), symbols=plan.number
        )
        left = [plan.number[a] for a in (configuration.scanned, *configuration.left)] + [plan.bottom] * plan.bounded
        right = [plan.number[a] for a in configuration.right]
        stacks = {"left": write_scalar(left, plan.base), "right": write_scalar(right, plan.base)}
        values = plan.complete(configuration.state, stacks)
        return as_state(self._units, values)

    def _state(self, values: Mapping[Hashable, Any]) -> State:
        plan = self._plan
        if self._loading(values):
            return Phase.LOAD
        over = [q for q in plan.halting if values.get(halted(q), 0) > HALF]
        if over:
            return over[0] if len(over) == 1 else LOST
        number = sum(1 << b for b in range(plan.bits) if values.get(bit(b), 0) > HALF)
        return plan.states[number] if number < len(plan.states) else LOST

    @staticmethod
    def _loading(values: Mapping[Hashable, Any]) -> bool:
        return bool(values.get(LOADING, 0) > HALF / 2 or values.get(FIRST, 0) > HALF)

    def _cells(self, stack: str, values: Mapping[Hashable, Any], cells: int | None) -> list[Symbol]:
        if stack == "left" and self._loading(values) and not self._plan.content(stack).at(values):
            return []  # the bottom comes with the first move
        return super()._cells(stack, values, cells)


def chung_siegelmann(machine: TuringMachine | str) -> Construction:
    """Return the network of `machine` with 2m + ceil(log2 |Q|) + |Q| m + 5 units and what reading and halting add.

    |Q| counts the states that are reached and do not halt, m the tape symbols. All units are saturated linear (SLU).
    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration.

    T = 3 k + 2 for k moves. A machine with an empty input alphabet starts at once, T = 3 k, unless its initial state
    halts already.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, the input alphabet contains the reserved symbol "EOS", or there are more than
        50 million weights.

    Warns
    -----
    LargeNetworkWarning
        If there are more than a million weights, before they are made.

    Notes
    -----
    The published network starts with the tape in its state and has no output: that is the number of units above. Here
    each reachable halting state adds 1 unit, which keeps the verdict; reading a word adds 2 + ceil(log2(|S| + 1)) for
    |S| input symbols, and a semi-infinite tape adds 3.

    The equations are a reconstruction: they have the published number of units and of steps per move, but they are not
    the authors' own.

    References
    ----------
    S. Chung and H. Siegelmann, "Turing completeness of bounded-precision recurrent neural networks", NeurIPS 2021.

    Examples
    --------
    Two states and two symbols: 2*2 + 1 + 2*2 + 5 = 14 units, and one for the halting state.

    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> beaver = load("bb2")
    >>> net = chung_siegelmann(beaver)
    >>> result = run(net)
    >>> net.network.neurons, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (15, 'halted', 18, 'Z: 1 1 [1] 1')
    """
    machine = require_machine(machine, TuringMachine, "chung_siegelmann")
    plan = ChungSiegelmannPlan(machine)
    rules = sum(len(plan.rules(q)) for q in plan.states)
    foretell(f"chung_siegelmann({machine.name})", rules, rules**2)  # every rule's unit reads those of all rules
    network = one_layer_network(
        units=plan.units(),
        start=plan.start(),
        activation=Activation.SLU,
        **halting_protocol("chung_siegelmann", machine, lambda q: var(halted(q))),
    )
    return halting_construction(
        "chung_siegelmann",
        machine,
        network,
        codec=ChungSiegelmannCodec(plan),
        steps_per_move=3,
        set_up=(1, 2),
        citation="S. Chung and H. Siegelmann, Turing completeness of bounded-precision recurrent neural networks, "
        "NeurIPS 2021; equations reconstructed to match the published count",
    )
