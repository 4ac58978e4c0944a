"""From the keys of a document to a Moore or a Mealy machine."""

from collections.abc import Mapping
from typing import Any, TypeVar

from exactnn.automata import MealyMachine, MooreMachine
from exactnn.errors import MachineError
from exactnn.machine_files.automaton import alphabet_of, check_states, next_state, total
from exactnn.machine_files.fields import (
    FaultList,
    Field,
    ListNode,
    MapNode,
    Node,
    Row,
    TextNode,
    entries,
    rows_of,
    text,
    too_large,
)

M = TypeVar("M", MooreMachine, MealyMachine)

__all__ = ["MEALY_KEYS", "MOORE_KEYS", "mealy_machine", "moore_machine"]

MOORE_KEYS = ("start state", "input symbols", "table", "outputs", "input")
"""The keys of a document that make a Moore machine."""

MEALY_KEYS = ("start state", "input symbols", "table", "input")
"""The keys of a document that make a Mealy machine."""


def moore_machine(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> MooreMachine | None:
    """Return the Moore machine of a document, or None after noting faults; parameters as of `tape_machine`."""
    if not _complete(keys, ("start state", "table", "outputs"), faults, line):
        return None
    rows = rows_of(keys["table"], lambda node: next_state(node, faults), faults)
    field = keys["outputs"]
    if not isinstance(field.node, MapNode):
        faults.add(field.line, "'outputs:' is a mapping from states to outputs: write 'state: output' lines")
        return None
    outputs = {entry.key: text(entry, faults) for entry in entries(field.node, faults, "a state")}
    return _built(MooreMachine, keys, name, rows, outputs, faults)


def mealy_machine(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> MealyMachine | None:
    """Return the Mealy machine of a document, or None after noting faults; parameters as of `tape_machine`."""
    if not _complete(keys, ("start state", "table"), faults, line):
        return None
    pairs = rows_of(keys["table"], lambda node: _pair(node, faults), faults)
    rows = {
        q: Row(row.line, {a: (at, None if pair is None else pair[0]) for a, (at, pair) in row.cells.items()})
        for q, row in pairs.items()
    }
    outputs = {q: {a: pair[1] for a, (_, pair) in row.cells.items() if pair is not None} for q, row in pairs.items()}
    return _built(MealyMachine, keys, name, rows, outputs, faults)


def _complete(keys: Mapping[str, Field], needed: tuple[str, ...], faults: FaultList, line: int) -> bool:
    for key in needed:
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    return all(key in keys for key in needed)


def _pair(node: Node, faults: FaultList) -> tuple[str, str] | None:
    """Return next state and output."""
    if isinstance(node, ListNode) and len(node.items) == 2:
        target, output = node.items
        if isinstance(target, TextNode) and isinstance(output, TextNode) and not target.empty and not output.empty:
            return target.text, output.text
    faults.add(
        node.line, "the entry of a Mealy machine's table is a state and an output: write 'symbol: [state, output]'"
    )
    return None


def _built(
    kind: type[M], keys: Mapping[str, Field], name: str, rows: dict[str, Row[str]], outputs: Any, faults: FaultList
) -> M | None:
    start = text(keys["start state"], faults)
    alphabet = alphabet_of(keys, rows, faults)
    check_states(keys, rows, start, [], faults)
    if too_large(keys["table"], len(rows), len(alphabet), faults):
        return None
    transitions = total(keys, rows, alphabet, faults)
    if faults or start is None:
        return None
    try:
        return kind(
            states=list(rows),
            input_symbols=alphabet,
            transitions=transitions,
            initial_state=start,
            outputs=outputs,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["table"].line, fault)
        return None
