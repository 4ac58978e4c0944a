"""From the keys of a document to a deterministic pushdown automaton: a row for each transition."""

from collections.abc import Mapping
from typing import get_args

from exactnn.automata import EMPTY, Acceptance, PushdownAutomaton, Reading, State, Symbol
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    MAX_CELLS,
    MAX_STATES,
    MAX_SYMBOLS,
    FaultList,
    Field,
    ListNode,
    Node,
    TextNode,
    choice,
    symbols,
    text,
    texts,
)

__all__ = ["DETERMINISTIC_KEYS", "pushdown_automaton"]

DETERMINISTIC_KEYS = (
    "states",
    "stack symbols",
    "input symbols",
    "start state",
    "start stack",
    "final states",
    "accepts by",
    "transitions",
    "input",
)
"""The keys of a document that make a deterministic pushdown automaton."""

_ROW = "[state, symbol or '', top or '', next state, [pushed symbols, the new top first]]"
_NEEDED = ("states", "stack symbols", "start state", "start stack", "transitions")


def pushdown_automaton(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> PushdownAutomaton | None:
    """Return the automaton of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in _NEEDED:
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    if faults:
        return None
    states, tops = texts(keys["states"], faults), texts(keys["stack symbols"], faults)
    listed = symbols(keys["input symbols"], faults) if "input symbols" in keys else None
    final = texts(keys["final states"], faults) if "final states" in keys else []
    start, bottom = text(keys["start state"], faults), text(keys["start stack"], faults)
    by = choice(keys["accepts by"], get_args(Acceptance), faults) if "accepts by" in keys else "final state"
    table, lines = _transitions(keys["transitions"], faults)
    if faults or states is None or tops is None or final is None or start is None or bottom is None:
        return None
    read = dict.fromkeys(symbol for row in table.values() for symbol, _ in row if symbol != EMPTY)
    alphabet = list(read) if listed is None else listed
    for key, names, most in (("states", states, MAX_STATES), ("stack symbols", [*tops, *alphabet], MAX_SYMBOLS)):
        if len(names) > most:
            faults.add(keys[key].line, f"there are {len(names):,} of '{key}:': at most {most:,} can be read")
    if faults:
        return None
    try:
        return PushdownAutomaton(
            states=states,
            input_symbols=alphabet,
            stack_symbols=tops,
            transitions=table,
            initial_state=start,
            initial_stack_symbol=bottom,
            final_states=final,
            acceptance=next(known for known in get_args(Acceptance) if known == by),
            name=name,
        )
    except MachineError as error:
        lengths = {len(said) for said in lines}
        for fault in error.faults:
            known = (lines[fault[:n]] for n in lengths if fault[:n] in lines)
            faults.add(next(known, keys["transitions"].line), fault)
        return None


Table = dict[State, dict[Reading, tuple[State, tuple[Symbol, ...]]]]


def _transitions(field: Field, faults: FaultList) -> tuple[Table, dict[str, int]]:
    """Return the transitions, and the line of each by the words that errors say of it."""
    if not isinstance(field.node, ListNode):
        faults.add(field.line, f"'transitions:' is a list of rows: write - {_ROW}")
        return {}, {}
    if len(field.node.items) > MAX_CELLS:
        faults.add(field.line, f"there are more than {MAX_CELLS:,} transitions: at most so many can be read")
        return {}, {}
    table: Table = {}
    lines: dict[str, int] = {}
    for node in field.node.items:
        row = _row(node)
        if row is None:
            faults.add(node.line, f"a row of 'transitions:' is a list: write {_ROW}, with quotes around what is empty")
            continue
        state, symbol, top, target, pushed = row
        where = f"transition from {shown(state)} on {shown((symbol, top))}"
        if where in lines:
            faults.add(node.line, f"the {where} is there twice (first in line {lines[where]}): remove one")
        lines.setdefault(where, node.line)
        table.setdefault(state, {})[symbol, top] = (target, pushed)
    return table, lines


def _row(node: Node) -> tuple[str, str, str, str, tuple[str, ...]] | None:
    if not isinstance(node, ListNode) or len(node.items) != 5:
        return None
    *names, pushed = node.items
    found = [item.text for item in names if isinstance(item, TextNode) and not item.empty]
    if len(found) < 4 or not isinstance(pushed, ListNode):
        return None
    symbols = [item.text for item in pushed.items if isinstance(item, TextNode) and not item.empty]
    if len(symbols) < len(pushed.items):
        return None
    state, symbol, top, target = found
    return state, symbol, top, target, tuple(symbols)
