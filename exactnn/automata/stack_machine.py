"""Stack machines: a finite control with p stacks, as Siegelmann and Sontag define them, over any finite alphabet."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, NamedTuple

from exactnn.automata.alphabet import Symbol
from exactnn.automata.completed_table import Undefined, completed
from exactnn.automata.drawn import HaltingMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import (
    collected,
    halting_faults,
    halting_state,
    hashable,
    is_count,
    needs_rules,
    rows,
    symbol_faults,
    unlike_names,
)
from exactnn.errors import MachineError, shown

__all__ = ["EMPTY", "KEEP", "POP", "Operation", "Reading", "StackMachine", "StackRule", "push"]

EMPTY = ""
"""What the control reads of an empty stack; no symbol is the empty string."""

KEEP = ("keep",)
"""The operation that leaves a stack as it is."""

POP = ("pop",)
"""The operation that removes the top of a stack; an empty stack stays empty."""

MOST_STACKS = 64
"""A total table for more would be larger than any memory."""

Operation = tuple[str, ...]
"""KEEP, POP, or ``("push", symbol)``."""

Reading = tuple[Symbol, ...]
"""The top of each stack, EMPTY where there is none."""


def push(symbol: Symbol) -> Operation:
    """Return the operation that pushes `symbol`."""
    return ("push", symbol)


class StackRule(NamedTuple):
    """What a stack machine does on a reading in a state: one operation for each stack."""

    next_state: State
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True, init=False)
class StackMachine(HaltingMachine):
    """A deterministic p-stack machine with a total transition function.

    At the start the word is on the first stack, its first symbol on top, and the others are empty. A move depends on
    the state and on the top of each stack; it enters a state, and keeps each stack, pops it or pushes one symbol on it.
    Nothing else is read: there is no input tape. What a machine computes is on the first stack when it halts.

    Parameters
    ----------
    states : iterable of hashable
        All states, halting ones included; two states must not print alike.
    input_symbols : iterable of str
        The input alphabet. It may be empty: then only the empty word can be run.
    stack_symbols : iterable of str
        The stack alphabet, input symbols included; those of the first definition are 0 and 1.
    stacks : int
        Their number p, from 1 to 64.
    transitions : mapping state -> mapping reading -> (next state, operations)
        A reading is a tuple of p tops, with ``""`` for an empty stack; operations are a tuple of p of ``("keep",)``,
        ``("pop",)`` and ``("push", symbol)``. Defined for every state that does not halt and every reading, unless
        `undefined` says otherwise.
    initial_state : state
    accept_state, reject_state, halt_state : state, optional
        As of a :class:`~exactnn.automata.TuringMachine`: entering one ends the run.
    undefined : "error", "reject" or "halt"
        What a transition is that is not defined: a fault, or one into the reject or halt state, which is added if there
        is none, with all stacks kept.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    Notes
    -----
    One stack does not make a pushdown automaton, since the word is on it; two are as strong as a tape.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50, 1995:
    p-stack machines, there with stacks of bits and one halting state.

    Examples
    --------
    A machine that moves its word to the second stack:

    >>> tops = [(a, b) for a in ("1", EMPTY) for b in ("1", EMPTY)]
    >>> move = StackMachine(states=["q", "H"], input_symbols="1", stack_symbols="1", stacks=2,
    ...     transitions={"q": {r: ("q", (POP, push("1"))) if r[0] else ("H", (KEEP, KEEP)) for r in tops}},
    ...     initial_state="q", halt_state="H")
    >>> move.transitions["q"]["1", EMPTY]
    StackRule(next_state='q', operations=(('pop',), ('push', '1')))
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    stack_symbols: tuple[Symbol, ...]
    stacks: int
    transitions: Transitions[State, Transitions[Reading, StackRule]]
    initial_state: State
    accept_state: State | None
    reject_state: State | None
    halt_state: State | None
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        stack_symbols: Iterable[Symbol],
        stacks: int,
        transitions: Mapping[State, Mapping[Reading, tuple[State, Iterable[Operation]]]],
        initial_state: State,
        accept_state: State | None = None,
        reject_state: State | None = None,
        halt_state: State | None = None,
        undefined: Undefined = "error",
        name: str = "stack machine",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        known = collected("states", states, faults)
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        fill(self, "stack_symbols", collected("stack_symbols", stack_symbols, faults))
        fill(self, "stacks", stacks)
        table: Mapping[State, Mapping[Any, Any]] = rows(transitions, faults)
        fill(self, "initial_state", initial_state)
        given = {"accept": accept_state, "reject": reject_state, "halt": halt_state}
        halting = {role: halting_state(role, state, faults) for role, state in given.items()}
        if is_count(stacks, MOST_STACKS):
            tops = (*self.stack_symbols, EMPTY)
            known, table, sink = completed(
                *(known, table, undefined, halting, lambda: product(tops, repeat=stacks), len(tops) ** stacks),
                lambda q, _: (q, (KEEP,) * stacks),
                faults,
            )
            if sink is not None:
                halting[undefined] = sink
        fill(self, "states", known)
        for role, state in halting.items():
            fill(self, f"{role}_state", state)
        fill(self, "name", name)
        rules = {
            q: Transitions({r: _rule(entry) for r, entry in row.items() if _is_rule(entry)}) for q, row in table.items()
        }
        fill(self, "transitions", Transitions(rules))
        faults += _alphabet_faults(self)
        faults += halting_faults(self, initial_state, self.states, name, table)
        faults += _transition_faults(self, table) if is_count(stacks, MOST_STACKS) else []
        if faults:
            raise MachineError(name, faults)

    def _remark(self) -> str:
        return "; a reading is the top of each stack, ε of an empty one"

    @property
    def _read_anywhere(self) -> tuple[str, ...]:
        return tuple(map(_shown_top, (*self.stack_symbols, EMPTY)))

    def _moves(self, state: State) -> Iterator[Move]:
        rules = {} if state in self.halting_states else self.transitions[state]
        for reading, rule in rules.items():
            tops = tuple(map(_shown_top, reading))
            done = ", ".join(" ".join([name, *map(shown_symbol, symbols)]) for name, *symbols in rule.operations)
            yield tops, rule.next_state, done


def _shown_top(top: str) -> str:
    return shown_symbol(top) if top else "ε"


def _is_rule(entry: object) -> bool:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not isinstance(entry[1], (tuple, list)):
        return False
    parts = all(isinstance(operation, (tuple, list)) and all(map(hashable, operation)) for operation in entry[1])
    return hashable(entry[0]) and parts


def _rule(entry: tuple[State, Iterable[Operation]]) -> StackRule:
    return StackRule(entry[0], tuple(tuple(operation) for operation in entry[1]))


def _alphabet_faults(machine: StackMachine) -> list[str]:
    faults = unlike_names(machine.states) + symbol_faults(machine.stack_symbols, "stack symbol")
    known = set(machine.stack_symbols)
    faults += [f"input symbol {shown(a)} is not a stack symbol" for a in machine.input_symbols if a not in known]
    if not known:
        faults.append("there are no stack symbols: a machine has at least one")
    stacks: object = machine.stacks
    if not is_count(stacks, MOST_STACKS):
        faults.append(f"stacks is {shown(stacks)}: give a whole number from 1 to {MOST_STACKS}")
    return faults


def _transition_faults(machine: StackMachine, table: Mapping[State, Mapping[Reading, object]]) -> list[str]:
    faults = []
    states, halting = set(machine.states), set(machine.halting_states)
    tops, operations = {*machine.stack_symbols, EMPTY}, {KEEP, POP, *map(push, machine.stack_symbols)}
    for q, row in table.items():
        if q not in states:
            faults.append(f"transitions of {shown(q)}, which is not one of the states")
        elif q in halting:
            faults.append(f"transitions of {shown(q)}, which is a halting state: remove them")
        for reading, entry in row.items():
            if _is_rule(entry):
                found = _rule_faults(machine, reading, machine.transitions[q][reading], states, tops, operations)
            else:
                found = [f"is {shown(entry)}: write (next state, operations), one for each stack"]
            if found:  # the texts of thousands of rules take seconds
                where = f"transition from {shown(q)} on {shown(reading)}"
                faults += [f"{where} {fault}" for fault in found]
    for q in machine.states:
        if needs_rules(q, machine, table):
            faults += _gaps(machine, q, table.get(q, {}))
    return faults


def _rule_faults(
    machine: StackMachine,
    reading: object,
    rule: StackRule,
    states: set[State],
    tops: set[str],
    possible: set[Operation],
) -> list[str]:
    faults = []
    if not isinstance(reading, tuple) or len(reading) != machine.stacks or not tops.issuperset(reading):
        faults.append(f"is of no reading: that is a tuple of {machine.stacks} stack symbols, '' for an empty stack")
    if rule.next_state not in states:
        faults.append(f"goes to {shown(rule.next_state)}, which is not one of the states")
    if len(rule.operations) != machine.stacks:
        faults.append(f"has operations for {len(rule.operations)} stacks: there are {machine.stacks}")
    faults += [
        f"does {shown(operation)}: write ('keep',), ('pop',) or ('push', stack symbol)"
        for operation in rule.operations
        if operation not in possible
    ]
    return faults


def _gaps(machine: StackMachine, state: State, given: Mapping[Reading, object]) -> list[str]:
    """Return a fault that names a few of the readings for which a state has no rule."""
    if len(given) >= (len(machine.stack_symbols) + 1) ** machine.stacks:  # each is a reading, or a fault of its own
        return []
    tops = (*machine.stack_symbols, EMPTY)
    missing = islice((r for r in product(tops, repeat=machine.stacks) if r not in given), 3)
    what = ", ".join(map(shown, missing))
    return [f"undefined transition from state {shown(state)} on {what}: add a rule for every reading"]
