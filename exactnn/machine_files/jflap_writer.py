"""Writing machines as JFLAP's ``.jff`` files."""

from collections.abc import Iterator
from itertools import product
from typing import assert_never

from exactnn.automata import (
    DFA,
    EMPTY,
    Machine,
    MealyMachine,
    MooreMachine,
    MultiTapeTuringMachine,
    PushdownAutomaton,
    State,
    Symbol,
    TuringMachine,
)
from exactnn.errors import MachineFileError, shown
from exactnn.machine_files.jflap_drawing import BLANK
from exactnn.machine_files.jflap_pushdown import BOTTOM
from exactnn.machine_files.xml_tree import xml_text

__all__ = ["write_jflap"]

_RESERVED = ("~", "!", BLANK)
_COLUMNS = 8
_APART = 150
"""Pixels between two states, which stand in rows."""

Written = DFA | MooreMachine | MealyMachine | PushdownAutomaton | TuringMachine | MultiTapeTuringMachine
"""What JFLAP has."""

Labels = Iterator[tuple[object, object, str]]
"""From state, to state, and the elements that say what is read and done."""


def write_jflap(machine: Machine) -> str:
    """Return `machine` as the text of a ``.jff`` file, which JFLAP opens, and which is read back as an equal machine.

    Parameters
    ----------
    machine : DFA, MooreMachine, MealyMachine, PushdownAutomaton, TuringMachine or MultiTapeTuringMachine
        A Turing machine has at most five tapes, infinite both ways, and gives verdicts. A pushdown automaton begins
        with Z on its stack. Symbols have one character.

    Raises
    ------
    MachineFileError
        If JFLAP has no machine that means the same; the message tells all reasons.

    Notes
    -----
    A file has neither the name of a machine nor its alphabet: a symbol without a transition is lost, a blank becomes
    JFLAP's □, and every tape symbol but the blank is an input symbol when it is read.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> text = write_jflap(load("parity"))
    >>> text.count("<transition>"), load(text).accepts("111")
    (4, True)
    """
    match machine:
        case DFA():
            kind, symbols, labels, final = "fa", machine.input_symbols, _reads(machine), set(machine.final_states)
        case MooreMachine():
            kind, symbols, labels, final = "moore", machine.input_symbols, _reads(machine), set[object]()
        case MealyMachine():
            kind, symbols, labels, final = "mealy", machine.input_symbols, _translates(machine), set[object]()
        case TuringMachine() | MultiTapeTuringMachine():
            kind, symbols, labels = "turing", machine.tape_symbols, _rewrites(machine)
            final = {machine.accept_state} - {None}
        case PushdownAutomaton():
            symbols = tuple(dict.fromkeys((*machine.input_symbols, *machine.pushed_symbols)))
            kind, labels, final = "pda", _replaces(machine), set(machine.final_states)
        case _:
            remedy = "give a finite or pushdown automaton, or a Turing machine with up to five tapes"
            raise MachineFileError(shown(machine), [f"JFLAP has no {type(machine).__name__}: {remedy}"])
    if faults := list(_unsayable(machine, symbols)):
        raise MachineFileError(f"{shown(machine.name)} as a file of JFLAP", faults)
    states, initial = _control(machine)
    number = {q: i for i, q in enumerate(states)}
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>', f"<structure><type>{kind}</type>"]
    if isinstance(machine, MultiTapeTuringMachine):
        lines.append(f"<tapes>{machine.tapes}</tapes>")
    lines.append("<automaton>")
    for q, i in number.items():
        place = f"<x>{_APART * (i % _COLUMNS + 1)}</x><y>{_APART * (i // _COLUMNS + 1)}</y>"
        marks = "<initial/>" * (q == initial) + "<final/>" * (q in final)
        if isinstance(machine, MooreMachine):
            marks += f"<output>{xml_text(str(machine.outputs[q]))}</output>"
        lines.append(f'<state id="{i}" name="{xml_text(str(q))}">{place}{marks}</state>')
    for source, target, label in labels:
        ends = f"<from>{number[source]}</from><to>{number[target]}</to>"
        lines.append(f"<transition>{ends}{label}</transition>")
    return "\n".join([*lines, "</automaton>", "</structure>"]) + "\n"


def _control(machine: Written) -> tuple[tuple[State, ...], State]:
    """Return states and the initial one; of a pushdown automaton not those of its stack machine."""
    match machine:
        case PushdownAutomaton():
            return machine.control_states, machine.first_state
        case DFA() | MooreMachine() | MealyMachine() | TuringMachine() | MultiTapeTuringMachine():
            return machine.states, machine.initial_state
        case _:
            assert_never(machine)


def _reads(machine: DFA | MooreMachine) -> Labels:
    for q in machine.states:
        for a in machine.input_symbols:
            yield q, machine.transitions[q][a], f"<read>{xml_text(a)}</read>"


def _translates(machine: MealyMachine) -> Labels:
    for q in machine.states:
        for a in machine.input_symbols:
            output = xml_text(str(machine.outputs[q][a]))
            yield q, machine.transitions[q][a], f"<read>{xml_text(a)}</read><transout>{output}</transout>"


def _replaces(machine: PushdownAutomaton) -> Labels:
    for q, row in machine.control.items():
        for (a, top), rule in row.items():
            parts = (("read", a), ("pop", top), ("push", "".join(rule.pushed)))
            yield q, rule.next_state, "".join(f"<{tag}>{xml_text(text)}</{tag}>" for tag, text in parts)


def _rewrites(machine: TuringMachine | MultiTapeTuringMachine) -> Labels:
    def symbol(a: Symbol) -> str:
        return "" if a == machine.blank_symbol else xml_text(a)

    if isinstance(machine, TuringMachine):
        for q, row in machine.transitions.items():
            for a in machine.tape_symbols:
                rule = row[a]
                label = f"<read>{symbol(a)}</read><write>{symbol(rule.written)}</write><move>{rule.move}</move>"
                yield q, rule.next_state, label
        return
    for q, rows in machine.transitions.items():
        for scanned in product(machine.tape_symbols, repeat=machine.tapes):
            done = rows[scanned]
            tapes = zip(range(1, machine.tapes + 1), scanned, done.written, done.moves, strict=True)
            label = "".join(
                f'<{tag} tape="{i}">{text}</{tag}>'
                for i, a, b, move in tapes
                for tag, text in (("read", symbol(a)), ("write", symbol(b)), ("move", move))
            )
            yield q, done.next_state, label


def _unsayable(machine: Written, symbols: tuple[Symbol, ...]) -> Iterator[str]:
    tape = isinstance(machine, TuringMachine | MultiTapeTuringMachine)
    blank = machine.blank_symbol if isinstance(machine, TuringMachine | MultiTapeTuringMachine) else None
    for a in symbols:
        reserved = tape and a in _RESERVED and a != blank
        if a != blank and (len(a) != 1 or not a.isprintable() or reserved):
            yield f"JFLAP cannot read the symbol {shown(a)}: rename it to one character"
    for q in _control(machine)[0]:
        name = str(q)
        if name != name.strip() or not name.isprintable() or not name:
            yield f"state {shown(q)} is no name in a file: rename it"
    if isinstance(machine, PushdownAutomaton):
        if machine.initial_stack_symbol != BOTTOM:
            yield f"its stack holds {shown(machine.initial_stack_symbol)} at the start, and JFLAP's holds {BOTTOM}"
        if any(top == EMPTY for row in machine.control.values() for _, top in row):
            yield "it moves with an empty stack, where JFLAP would take any top: add a symbol below"
        if (machine.acceptance == "final state") != bool(machine.final_states) or machine.acceptance == "either":
            yield f"it accepts by {machine.acceptance}: a file with final states means by these, others by empty stack"
    if isinstance(machine, TuringMachine | MultiTapeTuringMachine):
        if machine.tape != "two_way_infinite":
            yield "its tape is semi-infinite, and JFLAP's is infinite both ways"
        if machine.halt_state is not None:
            yield f"it halts without a verdict in {shown(machine.halt_state)}, and JFLAP would accept or reject"
        if isinstance(machine, MultiTapeTuringMachine) and machine.tapes > 5:
            yield f"it has {machine.tapes} tapes, and JFLAP has at most five"
    if isinstance(machine, MooreMachine | MealyMachine):
        rows = machine.outputs.values()
        outputs = rows if isinstance(machine, MooreMachine) else (o for row in rows for o in row.values())  # type: ignore[attr-defined]
        for output in outputs:
            if not isinstance(output, str) or output != output.strip() or not output.isprintable():
                yield f"output {shown(output)} is no text in a file: make it one"
