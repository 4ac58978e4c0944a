"""One-tape Turing machines (Sipser's definition), with the tape's shape as a field."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, get_args

from exactnn.automata.alphabet import Symbol
from exactnn.automata.completed_table import Undefined, completed, with_one_final_state, without_stays
from exactnn.automata.drawn import HaltingMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.validation import (
    collected,
    halting_faults,
    halting_state,
    hashable,
    needs_rules,
    rows,
    symbol_faults,
    unlike_names,
)
from exactnn.errors import MachineError, shown

__all__ = ["Rule", "TapeKind", "TuringMachine", "tape_faults"]

TapeKind = Literal["semi_infinite", "two_way_infinite"]


class TapeMachine(Protocol):
    """What machines with tapes have in common."""

    @property
    def states(self) -> tuple[State, ...]:
        """All states."""

    @property
    def input_symbols(self) -> tuple[Symbol, ...]:
        """The alphabet of words."""

    @property
    def tape_symbols(self) -> tuple[Symbol, ...]:
        """What may stand on a tape."""

    @property
    def blank_symbol(self) -> Symbol:
        """What stands where nothing was written."""

    @property
    def tape(self) -> TapeKind:
        """Whether a tape has a left end."""


class Rule(NamedTuple):
    """What a machine does on reading a symbol in a state."""

    next_state: State
    written: Symbol
    move: str  # "L" or "R", validated by the machine


@dataclass(frozen=True, slots=True, init=False)
class TuringMachine(HaltingMachine):
    """A deterministic one-tape Turing machine with a total transition function.

    Parameters
    ----------
    states : iterable of hashable
        All states, halting ones included; two states must not print alike. A state may be called None, unless it halts.
    input_symbols : iterable of str
        The input alphabet; without the blank. It may be empty: then only the empty word can be run.
    tape_symbols : iterable of str
        The tape alphabet: input symbols, blank and others.
    transitions : mapping state -> mapping symbol -> (next state, written symbol, move)
        Defined for every state that does not halt and every tape symbol, unless `undefined` says otherwise. A move is
        "L" or "R"; one that stays, "S" or "N", becomes a move to the right into a new state and one back.
    initial_state : state
    blank_symbol : str
    accept_state, reject_state : state, optional
        A machine with them is a recogniser. Entering one halts with that verdict.
    halt_state : state, optional
        For machines that compute and give no verdict (busy beavers, adders). It excludes the other two.
    final_states : iterable of states, optional
        In place of an accept state, as automata-lib has it: entering one of them accepts. One state stands for all.
    undefined : "error", "reject" or "halt"
        What a transition is that is not defined: a fault, or one into the reject or halt state, which is added if there
        is none.
    tape : {"semi_infinite", "two_way_infinite"}
        On Sipser's semi-infinite tape a move to the left of the leftmost cell leaves the head where it is.
    name : str, optional
        A name for reports.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    References
    ----------
    M. Sipser, *Introduction to the Theory of Computation*, 3rd edition, 2013, Definition 3.3.

    Examples
    --------
    >>> flip = TuringMachine(states=["q", "yes"], input_symbols=["0", "1"], tape_symbols=["0", "1", "_"],
    ...     transitions={"q": {"0": ("q", "1", "R"), "1": ("q", "0", "R"), "_": ("yes", "_", "L")}},
    ...     initial_state="q", blank_symbol="_", accept_state="yes")
    >>> flip.transitions["q"]["0"].written
    '1'

    As automata-lib writes it, with final states, a move that stays, and a partial table:

    >>> ends = TuringMachine(states={"q", "y"}, input_symbols={"0", "1"}, tape_symbols={"0", "1", "_"},
    ...     transitions={"q": {"0": ("q", "0", "R"), "_": ("y", "_", "N")}},
    ...     initial_state="q", blank_symbol="_", final_states={"y"}, undefined="reject")
    >>> ends.states
    ('q', 'y', 'y back', 'reject')
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    tape_symbols: tuple[Symbol, ...]
    transitions: Transitions[State, Transitions[Symbol, Rule]]
    initial_state: State
    blank_symbol: Symbol
    accept_state: State | None
    reject_state: State | None
    halt_state: State | None
    tape: TapeKind
    name: str

    def __init__(
        self,
        *,
        states: Iterable[State],
        input_symbols: Iterable[Symbol],
        tape_symbols: Iterable[Symbol],
        transitions: Mapping[State, Mapping[Symbol, tuple[State, Symbol, str]]],
        initial_state: State,
        blank_symbol: Symbol,
        accept_state: State | None = None,
        reject_state: State | None = None,
        halt_state: State | None = None,
        final_states: Iterable[State] | None = None,
        undefined: Undefined = "error",
        tape: TapeKind = "semi_infinite",
        name: str = "Turing machine",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        known = collected("states", states, faults)
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        symbols = collected("tape_symbols", tape_symbols, faults)
        fill(self, "tape_symbols", symbols)
        table: Mapping[State, Mapping[Any, Any]] = rows(transitions, faults)
        fill(self, "initial_state", initial_state)
        fill(self, "blank_symbol", blank_symbol)
        given = {"accept": accept_state, "reject": reject_state, "halt": halt_state}
        halting = {role: halting_state(role, state, faults) for role, state in given.items()}
        if final_states is not None:
            if accept_state is not None or halt_state is not None:
                faults.append("final states beside an accept or a halt state: give one or the other")
            final = collected("final_states", final_states, faults)
            known, table, halting["accept"] = with_one_final_state(known, table, final, initial_state, faults)
        known, table = without_stays(known, table, symbols)
        known, table, sink = completed(
            known, table, undefined, halting, lambda: symbols, len(symbols), lambda q, a: (q, a, "R"), faults
        )
        if sink is not None:
            halting[undefined] = sink
        fill(self, "states", known)
        for role, state in halting.items():
            fill(self, f"{role}_state", state)
        fill(self, "tape", tape)
        fill(self, "name", name)
        rules = {
            q: Transitions({a: Rule(*rule) for a, rule in row.items() if _is_rule(rule)}) for q, row in table.items()
        }
        fill(self, "transitions", Transitions(rules))
        faults += tape_faults(self) + halting_faults(self, initial_state, self.states, name, table)
        faults += _transition_faults(self, table)
        if faults:
            raise MachineError(name, faults)

    @property
    def _entries(self) -> str:
        return "written symbol, move → next state"

    def _remark(self) -> str:
        return f"; the blank symbol is {shown_symbol(self.blank_symbol)}"

    def _moves(self, state: State) -> Iterator[Move]:
        rules = {} if state in self.halting_states else self.transitions[state]
        for a in self.tape_symbols if rules else ():
            rule = rules[a]
            yield shown_symbol(a), rule.next_state, f"{shown_symbol(rule.written)}, {rule.move}"


def _is_rule(rule: object) -> bool:
    return isinstance(rule, (tuple, list)) and len(rule) == 3 and all(map(hashable, rule))


def tape_faults(machine: TapeMachine) -> list[str]:
    """Return a fault for all that is wrong with states, symbols and the kind of tape."""
    blank, tape_symbols = machine.blank_symbol, machine.tape_symbols
    faults = unlike_names(machine.states) + symbol_faults(tape_symbols, "tape symbol")
    if not isinstance(blank, str) or blank not in tape_symbols:
        faults.append(f"blank symbol {shown(blank)} is not one of the tape symbols")
    elif blank in machine.input_symbols:
        faults.append(f"blank symbol {shown(blank)} cannot be an input symbol: take it out of input_symbols")
    known = set(tape_symbols)
    faults += [f"input symbol {shown(a)} is not a tape symbol" for a in machine.input_symbols if a not in known]
    if not isinstance(machine.tape, str) or machine.tape not in get_args(TapeKind):
        faults.append(f"tape {shown(machine.tape)} is unknown: 'semi_infinite' or 'two_way_infinite'")
    return faults


def _transition_faults(machine: TuringMachine, table: Mapping[State, Mapping[Symbol, object]]) -> list[str]:
    faults = []
    states, symbols, halting = set(machine.states), set(machine.tape_symbols), set(machine.halting_states)
    for q, row in table.items():
        if q not in states:
            faults.append(f"transitions of {shown(q)}, which is not one of the states")
        elif q in halting:
            faults.append(f"transitions of {shown(q)}, which is a halting state: remove them")
        for a, rule in row.items():
            where = f"transition from {shown(q)} on {shown(a)}"
            if not _is_rule(rule):
                faults.append(f"{where} is {shown(rule)}: write (next state, written symbol, 'L', 'R', 'S' or 'N')")
                continue
            faults += [f"{where} {fault}" for fault in _rule_faults(a, machine.transitions[q][a], states, symbols)]
    for q in machine.states:
        if needs_rules(q, machine, table):
            given = table.get(q, {})
            faults += [
                f"undefined transition from state {shown(q)} on {shown(a)}: add a rule (say, to the reject state)"
                for a in machine.tape_symbols
                if a not in given
            ]
    return faults


def _rule_faults(read: Symbol, rule: Rule, states: set[State], symbols: set[Symbol]) -> list[str]:
    faults = []
    if read not in symbols:
        faults.append("reads a symbol that is not a tape symbol")
    if rule.next_state not in states:
        faults.append(f"goes to {shown(rule.next_state)}, which is not one of the states")
    if rule.written not in symbols:
        faults.append(f"writes {shown(rule.written)}, which is not a tape symbol")
    if rule.move not in ("L", "R"):
        faults.append(f"moves {shown(rule.move)}: a move is 'L', 'R', 'S' or 'N'")
    return faults
