"""Turing machines with several tapes, as Sipser defines them, and their configurations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, NamedTuple

from exactnn.automata.alphabet import Symbol
from exactnn.automata.completed_table import Undefined, completed, with_one_final_state
from exactnn.automata.drawn import HaltingMachine, Move, shown_symbol
from exactnn.automata.transitions import State, Transitions
from exactnn.automata.turing_machine import TapeKind, tape_faults
from exactnn.automata.validation import (
    collected,
    halting_faults,
    halting_state,
    hashable,
    is_count,
    needs_rules,
    rows,
)
from exactnn.errors import MachineError, shown

__all__ = ["MultiTapeConfiguration", "MultiTapeRule", "MultiTapeTuringMachine", "Tape"]

Scanned = tuple[Symbol, ...]
"""What is under each head."""

MOST_TAPES = 32
"""A total table for more would be larger than any memory."""


class MultiTapeRule(NamedTuple):
    """What a machine does on reading a symbol on each tape in a state."""

    next_state: State
    written: Scanned
    moves: tuple[str, ...]  # each "L", "R" or "S", validated by the machine


class Tape(NamedTuple):
    """One tape: left part (nearest cell first), scanned symbol, right part (nearest first)."""

    left: tuple[Symbol, ...]
    scanned: Symbol
    right: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiTapeConfiguration:
    """State and tapes, without the blanks that stretch to an infinite end.

    >>> print(MultiTapeConfiguration(state="q", tapes=(Tape(("a",), "b", ()), Tape((), "_", ("c",)))))
    q: a [b] | [_] c
    """

    state: State
    tapes: tuple[Tape, ...]

    def __str__(self) -> str:
        """The tapes from left to right with the heads in brackets, after the state."""
        texts = (" ".join([*reversed(left), f"[{scanned}]", *right]) for left, scanned, right in self.tapes)
        return f"{self.state}: " + " | ".join(texts)


@dataclass(frozen=True, slots=True, init=False)
class MultiTapeTuringMachine(HaltingMachine):
    """A deterministic Turing machine with k tapes and a total transition function.

    The word is on the first tape, the others are blank. A move reads the symbol under every head, writes there, and
    moves each head to the left, to the right, or not at all.

    Parameters
    ----------
    tapes : int
        Their number k, from 1 to 32.
    transitions : mapping state -> mapping (k symbols) -> (next state, k written symbols, k of "L", "R" and "S")
        Defined for every state that does not halt and all tape symbols, unless `undefined` says otherwise.
    undefined : "error", "reject" or "halt"
        As of a :class:`~exactnn.automata.TuringMachine`; the move into the reject or halt state stays on every tape.
    states, input_symbols, tape_symbols, initial_state, blank_symbol, accept_state, reject_state, halt_state, \
final_states, tape, name
        As of a :class:`~exactnn.automata.TuringMachine`; `tape` is the kind of every tape.

    Raises
    ------
    MachineError
        With all faults of the definition at once.

    References
    ----------
    M. Sipser, *Introduction to the Theory of Computation*, 3rd edition, 2013, section 3.2.

    Examples
    --------
    A machine that copies its word to the second tape:

    >>> tops = [(a, b) for a in "1_" for b in "1_"]
    >>> copy = MultiTapeTuringMachine(states=["q", "H"], input_symbols="1", tape_symbols="1_", tapes=2,
    ...     transitions={"q": {r: ("q", ("1", "1"), "RR") if r[0] == "1" else ("H", r, "SS") for r in tops}},
    ...     initial_state="q", blank_symbol="_", halt_state="H")
    >>> from exactnn.automata import interpret
    >>> print(interpret(copy, "11").configuration)
    H: 1 1 [_] | 1 1 [_]
    """

    states: tuple[State, ...]
    input_symbols: tuple[Symbol, ...]
    tape_symbols: tuple[Symbol, ...]
    tapes: int
    transitions: Transitions[State, Transitions[Scanned, MultiTapeRule]]
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
        tapes: int,
        transitions: Mapping[State, Mapping[Scanned, tuple[State, Iterable[Symbol], Iterable[str]]]],
        initial_state: State,
        blank_symbol: Symbol,
        accept_state: State | None = None,
        reject_state: State | None = None,
        halt_state: State | None = None,
        final_states: Iterable[State] | None = None,
        undefined: Undefined = "error",
        tape: TapeKind = "semi_infinite",
        name: str = "multi-tape Turing machine",
    ) -> None:
        faults: list[str] = []
        fill = object.__setattr__
        known = collected("states", states, faults)
        fill(self, "input_symbols", collected("input_symbols", input_symbols, faults))
        fill(self, "tape_symbols", collected("tape_symbols", tape_symbols, faults))
        fill(self, "tapes", tapes)
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
        if is_count(tapes, MOST_TAPES):
            symbols = self.tape_symbols
            known, table, sink = completed(
                *(known, table, undefined, halting, lambda: product(symbols, repeat=tapes), len(symbols) ** tapes),
                lambda q, reading: (q, reading, "S" * tapes),
                faults,
            )
            if sink is not None:
                halting[undefined] = sink
        fill(self, "states", known)
        for role, state in halting.items():
            fill(self, f"{role}_state", state)
        fill(self, "tape", tape)
        fill(self, "name", name)
        rules = {
            q: Transitions({r: _rule(entry) for r, entry in row.items() if _is_rule(entry)}) for q, row in table.items()
        }
        fill(self, "transitions", Transitions(rules))
        faults += _alphabet_faults(self)
        faults += halting_faults(self, initial_state, self.states, name, table)
        faults += _transition_faults(self, table) if is_count(tapes, MOST_TAPES) else []
        if faults:
            raise MachineError(name, faults)

    @property
    def _read_anywhere(self) -> tuple[str, ...]:
        return tuple(map(shown_symbol, self.tape_symbols))

    def _moves(self, state: State) -> Iterator[Move]:
        rules = {} if state in self.halting_states else self.transitions[state]
        for scanned, rule in rules.items():
            done = ", ".join(f"{shown_symbol(a)} {move}" for a, move in zip(rule.written, rule.moves, strict=True))
            yield tuple(map(shown_symbol, scanned)), rule.next_state, done


def _is_rule(entry: object) -> bool:
    if not isinstance(entry, (tuple, list)) or len(entry) != 3 or not hashable(entry[0]):
        return False
    return all(isinstance(part, (tuple, list, str)) and all(map(hashable, part)) for part in entry[1:])


def _rule(entry: tuple[State, Iterable[Symbol], Iterable[str]]) -> MultiTapeRule:
    return MultiTapeRule(entry[0], tuple(entry[1]), tuple(entry[2]))


def _alphabet_faults(machine: MultiTapeTuringMachine) -> list[str]:
    faults = tape_faults(machine)
    if not is_count(machine.tapes, MOST_TAPES):
        faults.append(f"tapes is {shown(machine.tapes)}: give a whole number from 1 to {MOST_TAPES}")
    return faults


def _transition_faults(machine: MultiTapeTuringMachine, table: Mapping[State, Mapping[Scanned, object]]) -> list[str]:
    faults = []
    states, halting = set(machine.states), set(machine.halting_states)
    for q, row in table.items():
        if q not in states:
            faults.append(f"transitions of {shown(q)}, which is not one of the states")
        elif q in halting:
            faults.append(f"transitions of {shown(q)}, which is a halting state: remove them")
        for scanned, entry in row.items():
            where = f"transition from {shown(q)} on {shown(scanned)}"
            if not _is_rule(entry):
                faults.append(f"{where} is {shown(entry)}: write (next state, written symbols, moves)")
                continue
            faults += [f"{where} {fault}" for fault in _rule_faults(machine, scanned, machine.transitions[q][scanned])]
    for q in machine.states:
        given = table.get(q, {})
        if needs_rules(q, machine, table) and len(given) < len(machine.tape_symbols) ** machine.tapes:
            every = product(machine.tape_symbols, repeat=machine.tapes)
            what = ", ".join(map(shown, islice((r for r in every if r not in given), 3)))
            faults.append(f"undefined transition from state {shown(q)} on {what}: add a rule for all symbols")
    return faults


def _rule_faults(machine: MultiTapeTuringMachine, scanned: object, rule: MultiTapeRule) -> list[str]:
    faults = []
    symbols, tapes = set(machine.tape_symbols), machine.tapes
    if not isinstance(scanned, tuple) or len(scanned) != tapes or not symbols.issuperset(scanned):
        faults.append(f"reads something else than a tuple of {tapes} tape symbols")
    if rule.next_state not in machine.states:
        faults.append(f"goes to {shown(rule.next_state)}, which is not one of the states")
    if len(rule.written) != tapes or not symbols.issuperset(rule.written):
        faults.append(f"writes {shown(rule.written)}: give {tapes} tape symbols")
    if len(rule.moves) != tapes or not {"L", "R", "S"}.issuperset(rule.moves):
        faults.append(f"moves {shown(rule.moves)}: give {tapes} of 'L', 'R' and 'S'")
    return faults
