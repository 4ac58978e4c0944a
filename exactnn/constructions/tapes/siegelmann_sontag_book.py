"""Turing machine to simple ReLU RNN in the form of the textbook proof, corrected: one step per move.

The step keeps h = (state one-hot, left stack, right stack), a stack being a vector of numbers in base b,
one per symbol, with a bottom marker. For every rule of the machine and every pair of tops that it needs
there is a gate, positive or zero when state and tops match and at most -vmax otherwise; each new value v
is emitted as ReLU(v + gate) - ReLU(gate). That is a step with one hidden layer, equal to the proof's step on
all reachable states, and Lemma 4.4 folds it into a simple RNN.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber
from exactnn.automata import LOST, State, Symbol, TapeConfiguration, TuringMachine, reachable_states, tape_configuration
from exactnn.constructions.affine import Affine, symbol, total, var
from exactnn.constructions.construction import (
    Codec,
    Configuration,
    Construction,
    Phase,
    require_machine,
)
from exactnn.constructions.gated_step import GatedRule, add_gated_rule, state_component
from exactnn.constructions.halting import halting_construction, halting_protocol, reachable_halting_states, reads_input
from exactnn.constructions.layered_network import START, fold, refuse_too_large
from exactnn.constructions.stack_numbers import (
    HALF,
    MOST_CELLS,
    as_state,
    count_vector,
    is_long,
    length_in,
    read_vector,
    readable,
    write_vector,
)
from exactnn.errors import ConstructionError, shown
from exactnn.options import whole_number
from exactnn.simulation import Values

__all__ = ["siegelmann_sontag_book"]

Control = State | Phase
Stack = dict[Hashable, Affine]


class Marker(Enum):
    """The bottom of a stack: no tape symbol, so that no machine's alphabet can contain it."""

    BOTTOM = "$"

    def __str__(self) -> str:
        return self.value


def siegelmann_sontag_book(machine: TuringMachine | str, *, base: int = 4) -> Construction:
    """Return the network of Theorem 4.6, corrected, as a simple ReLU RNN with one step per move.

    Parameters
    ----------
    machine : TuringMachine, or what :func:`exactnn.load` makes one of
    base : int
        Base of the stacks, at least 4: a gate that tests two tops has the margin (b-3)/b.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, the input alphabet contains the reserved symbol "EOS", or there may be more
        than 50 million weights.
    OptionError
        If the base is below 4.

    Warns
    -----
    LargeNetworkWarning
        If there may be more than a million weights, before they are made: `siegelmann_sontag` needs fewer.

    Notes
    -----
    With G = (number of tape symbols) + 1, and R right and L left rules, those that read the blank counted twice,
    the network has 1 + 2(1+2G) + (number of halting states) + (2+2G)(G + R + L G) units; at most 2 + 2G are not 0.
    Rules and states count if they can be reached. T = |w| + k + 2 for k moves.
    A machine with an empty input alphabet loads nothing, unless its initial state halts already: then T = k, and
    the terms 2(1+2G) and (2+2G)G are absent.

    What is corrected in the text: popping removes the top digit wholly; the rule for a left move writes a'; the
    head stays on the leftmost cell; a blank beyond the right end is read as one; accept and reject are latched.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Computer and System
    Sciences* 50, 1995; textbook form: `docs/sources.md`.

    Examples
    --------
    >>> from exactnn.automata import TuringMachine
    >>> from exactnn.simulation import run
    >>> ends_in_a = TuringMachine(states=["scan", "check", "yes", "no"], input_symbols="ab", tape_symbols="ab_",
    ...     transitions={"scan": {"a": ("scan", "a", "R"), "b": ("scan", "b", "R"), "_": ("check", "_", "L")},
    ...                  "check": {"a": ("yes", "a", "R"), "b": ("no", "b", "R"), "_": ("no", "_", "R")}},
    ...     initial_state="scan", blank_symbol="_", accept_state="yes", reject_state="no")
    >>> net = siegelmann_sontag_book(ends_in_a)
    >>> run(net, "bba").verdict.value, run(net, "").verdict.value, run(net, "bba").eos_steps
    ('accept', 'reject', 10)
    """
    machine = require_machine(machine, TuringMachine, "siegelmann_sontag_book")
    base = whole_number("base", base, 4)
    rules = list(_rules(machine, base))
    values = 2 * len(_stack_symbols(machine)) * len(rules)  # each is a unit that reads one that all rules emit
    refuse_too_large("siegelmann_sontag_book", values, values * len(rules))
    hidden: dict[Hashable, Affine] = {}
    emitted: dict[Hashable, list[Affine]] = {}
    for number, rule in enumerate(rules):
        add_gated_rule(number, rule, base, hidden, emitted)
    for q in reachable_halting_states(machine):
        hidden["latch", q] = var(state_component(q))
        emitted.setdefault(state_component(q), []).append(var(("latch", q)))
    components = _components(machine)
    network, forms = fold(
        hidden=hidden,
        emission={component: total(emitted.get(component, [])) for component in components},
        start=_start(machine, base),
        **halting_protocol("siegelmann_sontag_book", machine, lambda q: var(state_component(q))),
    )
    return halting_construction(
        "siegelmann_sontag_book",
        machine,
        network,
        codec=_BookCodec(machine, base, rules, forms, [START, *hidden]),
        set_up=(2, 2),
        citation="Siegelmann and Sontag, J. Computer and System Sciences 50, 1995; textbook form, corrected",
    )


def _stack_symbols(machine: TuringMachine) -> tuple[Hashable, ...]:
    return (*machine.tape_symbols, Marker.BOTTOM)


def _controls(machine: TuringMachine) -> tuple[Control, ...]:
    phases = (Phase.LOAD, Phase.REWIND) if reads_input(machine) else ()
    return (*phases, *reachable_states(machine))


def _components(machine: TuringMachine) -> list[Hashable]:
    """Return the components of the step's state h."""
    symbols = _stack_symbols(machine)
    return [
        *(state_component(q) for q in _controls(machine)),
        *(("left", a) for a in symbols),
        *(("right", a) for a in symbols),
    ]


def _start(machine: TuringMachine, base: int) -> dict[Hashable, mpq]:
    top = mpq(base - 1, base)
    first = Phase.LOAD if reads_input(machine) else machine.initial_state
    return {state_component(first): mpq(1), ("left", Marker.BOTTOM): top, ("right", Marker.BOTTOM): top}


def _rule(
    source: Control, tops: Mapping[str, Hashable], target: Control, left: Stack, right: Stack, reads: str = ""
) -> GatedRule:
    """Return the rule: in `source`, with these tops, and a word symbol or EOS, the next state and stacks."""
    stacks: dict[Hashable, Affine] = {}
    for name, stack in (("left", left), ("right", right)):
        stacks |= {(name, a): form for a, form in stack.items()}
    return GatedRule(source=source, tops=tops, target=target, values=stacks, reads=reads)


def _rules(machine: TuringMachine, base: int) -> Iterator[GatedRule]:
    """Yield the rules of the step: loading, rewinding, and two or more for each rule of the machine."""
    symbols = _stack_symbols(machine)
    left: Stack = {a: var(("left", a)) for a in symbols}
    right: Stack = {a: var(("right", a)) for a in symbols}

    def push(stack: Stack, pushed: Hashable) -> Stack:
        return {a: (form + (base - 1) * (a == pushed)) / base for a, form in stack.items()}

    def pop(stack: Stack, top: Hashable) -> Stack:
        if top is Marker.BOTTOM:
            return stack  # the bottom is never popped: below it the tape is blank
        return {a: base * form - (base - 1) * (a == top) for a, form in stack.items()}

    if reads_input(machine):
        letters = {a: symbol(a) if a in machine.input_symbols else Affine({}) for a in symbols}
        loaded = {a: ((base - 1) * letters[a] + form) / base for a, form in left.items()}
        yield _rule(Phase.LOAD, {}, Phase.LOAD, loaded, right, reads="word")
        yield _rule(Phase.LOAD, {}, Phase.REWIND, left, right, reads="EOS")
        for c in machine.tape_symbols:
            yield _rule(Phase.REWIND, {"left": c}, Phase.REWIND, pop(left, c), push(right, c))
        yield _rule(Phase.REWIND, {"left": Marker.BOTTOM}, machine.initial_state, left, right)
    for q in reachable_states(machine):
        for a, (target, written, move) in machine.transitions.get(q, {}).items():
            for scanned in (a, Marker.BOTTOM) if a == machine.blank_symbol else (a,):
                rest = pop(right, scanned)
                if move == "R":
                    yield _rule(q, {"right": scanned}, target, push(left, written), rest)
                    continue
                for c in machine.tape_symbols:
                    tops = {"right": scanned, "left": c}
                    yield _rule(q, tops, target, pop(left, c), push(push(rest, written), c))
                here = push(rest, written)  # the head stays, or finds a blank on a two-way infinite tape
                if machine.tape == "two_way_infinite":
                    here = push(here, machine.blank_symbol)
                yield _rule(q, {"right": scanned, "left": Marker.BOTTOM}, target, left, here)


class _BookCodec(Codec):
    def __init__(
        self,
        machine: TuringMachine,
        base: int,
        rules: Sequence[GatedRule],
        forms: Mapping[Hashable, Affine],
        units: Sequence[Hashable],
    ) -> None:
        self._machine = machine
        self._base = base
        self._rules = rules
        self._forms = forms
        self._units = units

    def decode(self, state: Values, cells: int | None = None) -> Configuration:
        units = readable(self._units, state)
        active = [q for q in _controls(self._machine) if self._forms[state_component(q)].at(units) > HALF]
        left, right = (self._read(stack, units, cells) for stack in ("left", "right"))
        return tape_configuration(
            self._machine,
            active[0] if len(active) == 1 else LOST,
            left,
            right[0] if right else self._machine.blank_symbol,
            right[1:],
        )

    def extent(self, state: Values) -> tuple[int, int]:
        units = readable(self._units, state)
        stacks = (self._stack(stack, units).values() for stack in ("left", "right"))
        left, right = (max(length_in(value, self._base) for value in stack) for stack in stacks)
        return max(0, left - 1), max(0, right - 2)  # without the bottoms and the scanned symbol

    def nonblank(self, state: Values) -> int | None:
        units = readable(self._units, state)
        left, right = (self._count(stack, units) for stack in ("left", "right"))
        return None if left is None or right is None else left + right

    def _count(self, name: str, units: Mapping[Hashable, Any]) -> int | None:
        stack, blank = self._stack(name, units), self._machine.blank_symbol
        if any(map(is_long, stack.values())):
            found = count_vector(stack, self._base, Marker.BOTTOM, blank)
            if found is not None or max(length_in(value, self._base) for value in stack.values()) > MOST_CELLS:
                return found
        cells = read_vector(stack, self._base, Marker.BOTTOM, None)
        return None if LOST in cells else sum(cell != blank for cell in cells)

    def _read(self, stack: str, units: Mapping[Hashable, Any], cells: int | None) -> list[Symbol]:
        if cells is not None and stack == "right":
            cells += 1  # the scanned symbol is the top of the right stack
        symbols = read_vector(self._stack(stack, units), self._base, Marker.BOTTOM, cells)
        return [a for a in symbols if isinstance(a, Symbol)]  # as they all are

    def _stack(self, stack: str, units: Mapping[Hashable, Any]) -> dict[Hashable, LongNumber]:
        return {a: self._forms[stack, a].at(units) for a in _stack_symbols(self._machine)}

    def encode(self, configuration: Configuration) -> Values:
        machine = self._machine
        if not isinstance(configuration, TapeConfiguration):
            raise ConstructionError(f"{shown(configuration)} is not a configuration of {machine.name}")
        if unknown := [a for a in configuration.tape if a not in machine.tape_symbols]:
            raise ConstructionError(f"tape symbol {shown(unknown[0])} is unknown to the network of {machine.name}")
        number = next((i for i, rule in enumerate(self._rules) if rule.target == configuration.state), None)
        if number is None:
            start = tuple(mpq(unit == START) for unit in self._units)
            if self.decode(start) == configuration:
                return start
            raise ConstructionError(f"state {shown(configuration.state)} is never entered: no unit stands for it")
        stacks = {"left": configuration.left, "right": (configuration.scanned, *configuration.right)}
        values: dict[Hashable, mpq] = {("rule", number, state_component(configuration.state)): mpq(1)}
        for stack, symbols in stacks.items():
            content = write_vector((*symbols, Marker.BOTTOM), _stack_symbols(machine), self._base)
            values |= {("rule", number, (stack, a)): value for a, value in content.items()}
        return as_state(self._units, values)
