"""A machine's transitions as a table of states by symbols, for people and as JSON data."""

from typing import TYPE_CHECKING, Any

from exactnn.automata import (
    DFA,
    CounterMachine,
    CounterRule,
    Machine,
    Mask,
    MooreMachine,
    Reading,
    StackMachine,
    StackRule,
    State,
    TuringMachine,
)
from exactnn.cli.automaton_text import label_text
from exactnn.cli.text import printable
from exactnn.outcome import Outcome

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["transition_rows", "transition_table"]


def transition_rows(machine: Machine | MooreMachine) -> dict[str, dict[str, Any]]:
    """Return state -> symbol -> next state, or -> [next state, written symbol, move] of a tape machine.

    Of a stack machine state -> reading -> [next state, operations]; a reading is the tops joined by commas. Of a
    counter machine state -> symbol -> mask -> [next state, updates].
    """
    if isinstance(machine, CounterMachine):
        return {
            str(q): {
                a: {_mask(mask): [str(rule.next_state), list(rule.updates)] for mask, rule in cells.items()}
                for a, cells in row.items()
            }
            for q, row in machine.transitions.items()
        }
    if isinstance(machine, StackMachine):
        return {
            str(q): {
                _reading(r): [str(rule.next_state), list(map(" ".join, rule.operations))] for r, rule in row.items()
            }
            for q, row in machine.transitions.items()
        }
    return {
        str(q): {
            a: str(rule) if isinstance(machine, DFA | MooreMachine) else [str(rule[0]), rule[1], rule[2]]  # type: ignore[index]
            for a, rule in row.items()
        }
        for q, row in machine.transitions.items()
    }


def transition_table(machine: Machine | MooreMachine) -> "Table":
    """Return the table for a terminal; the arrow marks the initial state, words the others, or their outputs."""
    from rich.table import Table
    from rich.text import Text

    if isinstance(machine, StackMachine):
        return _stack_table(machine)
    if isinstance(machine, CounterMachine):
        return _counter_table(machine)
    symbols = machine.tape_symbols if isinstance(machine, TuringMachine) else machine.input_symbols
    blank = machine.blank_symbol if isinstance(machine, TuringMachine) else None
    cell = "next state" if isinstance(machine, DFA | MooreMachine) else "written symbol, move, next state"
    table = Table(caption=f"→ initial state; each entry: {cell}", caption_justify="left", header_style="bold")
    table.add_column("state", no_wrap=True)
    for a in symbols:
        table.add_column(printable(a) + (" (blank)" if a == blank else ""), no_wrap=True)
    for q in machine.states:
        mark, style = _mark(machine, q)
        label = f"{'→ ' if q == machine.initial_state else '  '}{printable(str(q))}{mark}"
        table.add_row(Text(label, style=style), *(_entry(machine, q, a) for a in symbols))
    return table


def _reading(reading: Reading) -> str:
    return ",".join(top or "ε" for top in reading)


def _stack_table(machine: StackMachine) -> "Table":
    """Return a row for each state and each thing that it does, with the readings on which it does that."""
    from rich.table import Table
    from rich.text import Text

    caption = "→ initial state; a reading is the top of each stack, ε of an empty one"
    table = Table("state", "operations, next state", "readings", caption=caption, caption_justify="left")
    for q in machine.states:
        mark, style = _mark(machine, q)
        label = f"{'→ ' if q == machine.initial_state else '  '}{printable(str(q))}{mark}"
        found: dict[StackRule, list[str]] = {}
        for reading, rule in machine.transitions.get(q, {}).items():
            found.setdefault(rule, []).append(_reading(reading))
        if not found:
            table.add_row(Text(label, style=style), "", "")
        for rule, readings in found.items():
            done = f"{', '.join(map(' '.join, rule.operations))} → {rule.next_state}"
            table.add_row(Text(label, style=style), Text(printable(done)), Text(printable("  ".join(readings))))
            label = ""
    return table


def _mask(mask: Mask) -> str:
    return "".join(map(str, mask))


def _counter_table(machine: CounterMachine) -> "Table":
    """Return a row for each state and each thing that it does, with the symbols and masks on which it does that."""
    from rich.table import Table
    from rich.text import Text

    caption = "→ initial state; a mask has 0 for a counter that is zero, 1 for one that is not"
    table = Table("state", "updates, next state", "symbols and masks", caption=caption, caption_justify="left")
    accepting = {q for q, _ in machine.acceptance}
    for q in machine.states:
        label = f"{'→ ' if q == machine.initial_state else '  '}{printable(str(q))}{' (accepts)' * (q in accepting)}"
        found: dict[CounterRule, list[str]] = {}
        for a, cells in machine.transitions.get(q, {}).items():
            for mask, rule in cells.items():
                found.setdefault(rule, []).append(f"{a} {_mask(mask)}")
        for rule, read in found.items():
            done = f"{', '.join(map(str, rule.updates))} → {rule.next_state}"
            style = "green" if q in accepting else ""
            table.add_row(Text(label, style=style), Text(printable(done)), Text(printable("  ".join(read))))
            label = ""
    return table


def _mark(machine: DFA | StackMachine | TuringMachine | MooreMachine, state: State) -> tuple[str, str]:
    """Return what to write after a state, and its style."""
    if isinstance(machine, MooreMachine):
        label = machine.outputs[state]
        text = label_text(label)
        return f" {text}" if isinstance(label, tuple) else f" ({text})", "green" if label is Outcome.ACCEPTED else ""
    if isinstance(machine, DFA):
        return (" (final)", "green") if state in machine.final_states else ("", "")
    marks = {
        machine.accept_state: (" (accepts)", "green"),
        machine.reject_state: (" (rejects)", "red"),
        machine.halt_state: (" (halts)", "yellow"),
    }
    return marks.get(state, ("", "")) if state in machine.halting_states else ("", "")


def _entry(machine: DFA | TuringMachine | MooreMachine, state: State, symbol: str) -> str:
    if isinstance(machine, DFA | MooreMachine):
        return printable(str(machine.transitions[state][symbol]))
    if state in machine.halting_states:
        return ""
    rule = machine.transitions[state][symbol]
    return printable(f"{rule.written} {rule.move} {rule.next_state}")
