"""From the keys of a document to a deterministic finite automaton."""

from collections.abc import Mapping

from exactnn.automata import DFA, State, Symbol, fresh
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    FaultList,
    Field,
    Node,
    Row,
    TextNode,
    choice,
    rows_of,
    symbols,
    text,
    texts,
    too_large,
)

__all__ = ["AUTOMATON_KEYS", "alphabet_of", "automaton", "check_states", "next_state", "total"]

AUTOMATON_KEYS = ("start state", "final states", "input symbols", "undefined", "table", "input")
"""The keys of a document that make a DFA."""

Rows = dict[str, Row[str]]


def automaton(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> DFA | None:
    """Return the automaton of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in ("start state", "final states", "table"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    if "table" not in keys:
        return None
    rows = rows_of(keys["table"], lambda node: next_state(node, faults), faults)
    start = text(keys["start state"], faults) if "start state" in keys else None
    final = texts(keys["final states"], faults) if "final states" in keys else None
    alphabet = alphabet_of(keys, rows, faults)
    check_states(keys, rows, start, final or [], faults)
    if too_large(keys["table"], len(rows), len(alphabet), faults):
        return None
    transitions = total(keys, rows, alphabet, faults)
    if faults or start is None or final is None:
        return None
    try:
        return DFA(
            states=list(transitions),
            input_symbols=alphabet,
            transitions=transitions,
            initial_state=start,
            final_states=final,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["table"].line, fault)
        return None


def next_state(node: Node, faults: FaultList) -> str | None:
    """Return the state in an entry of a table, or None after noting a fault."""
    if isinstance(node, TextNode) and not node.empty:
        return node.text
    faults.add(node.line, "the entry of a DFA's table is a state: write 'symbol: state'")
    return None


def alphabet_of(keys: Mapping[str, Field], rows: Rows, faults: FaultList) -> list[Symbol]:
    """Return the input symbols: those that are listed, or else those of the table."""
    listed = symbols(keys["input symbols"], faults) if "input symbols" in keys else None
    if listed is None:
        return list(dict.fromkeys(a for row in rows.values() for a in row.cells))
    known = set(listed)
    for q, row in rows.items():
        for a, (line, _) in row.cells.items():
            if a not in known:
                faults.add(line, f"state {shown(q)} reads {shown(a)}, which 'input symbols:' does not list: add it")
    return listed


def check_states(keys: Mapping[str, Field], rows: Rows, start: str | None, final: list[str], faults: FaultList) -> None:
    """Note a fault for every state that is named and has no row."""
    if start is not None and start not in rows:
        faults.add(keys["start state"].line, f"start state {shown(start)} has no row in the table: add one")
    for q in final:
        if q not in rows:
            faults.add(keys["final states"].line, f"final state {shown(q)} has no row in the table: add one")
    for q, row in rows.items():
        for line, target in row.cells.values():
            if target is not None and target not in rows:
                fault = f"state {shown(q)} goes to {shown(target)}, which has no row in the table"
                faults.add(line, f"{fault}: add a line '{target[:60]}:'")


def total(
    keys: Mapping[str, Field], rows: Rows, alphabet: list[Symbol], faults: FaultList
) -> dict[State, dict[Symbol, State]]:
    """Return the total transition function, with a rejecting sink for what is undefined where the file wants it."""
    reject = "undefined" in keys and choice(keys["undefined"], ("reject", "error"), faults) == "reject"
    sink = fresh("reject", rows)
    transitions: dict[State, dict[Symbol, State]] = {}
    for q, row in rows.items():
        missing = [a for a in alphabet if a not in row.cells]
        if missing and not reject:
            what = ", ".join(map(shown, missing[:8])) + (", ..." if len(missing) > 8 else "")
            faults.add(row.line, f"state {shown(q)} has no entry for {what}: add it, or say 'undefined: reject'")
        transitions[q] = {a: target for a, (_, target) in row.cells.items() if target is not None}
        transitions[q].update(dict.fromkeys(missing, sink))
    if reject and any(len(row.cells) < len(alphabet) for row in rows.values()):
        transitions[sink] = dict.fromkeys(alphabet, sink)
    return transitions
