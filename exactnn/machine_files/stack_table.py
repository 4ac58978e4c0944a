"""The ``table:`` of a stack machine: rows of rules, each a pattern of the tops with what is done on those that fit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import product

from exactnn.automata import EMPTY, KEEP, POP, Operation, Reading, Symbol, push
from exactnn.errors import shown
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.fields import Field, entries, fields, text
from exactnn.machine_files.tables import is_empty
from exactnn.machine_files.yaml_nodes import ListNode, MapNode, Node, TextNode

__all__ = ["Marks", "StackRow", "TableRule", "expanded", "stack_rows"]

_MOST_READINGS = 2_000_000
"""Readings that the patterns of a table may fit, all together; those that several fit count several times."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands for an empty stack, and for anything, in the patterns of a table."""

    empty: str = "_"
    any: str = "."


@dataclass(frozen=True, slots=True)
class TableRule:
    """A line of a row: the texts that fit each stack, what is done (None: nothing), where it goes (None: nowhere)."""

    line: int
    pattern: tuple[tuple[str, ...], ...]
    operations: tuple[Operation, ...] | None
    target: str | None


@dataclass(slots=True)
class StackRow:
    """The row of one state: its line and its rules, the first that fits applies."""

    line: int
    rules: list[TableRule] = field(default_factory=list)


def stack_rows(table: Field, stacks: int, faults: FaultList) -> dict[str, StackRow]:
    """Return the rows of a table in their order; rules with faults are left out."""
    if not isinstance(table.node, MapNode):
        faults.add(table.line, "'table:' is a mapping from states to rows: write 'state: {[top, top]: instruction}'")
        return {}
    rows = {}
    for state in entries(table.node, faults, "a state"):
        rows[state.key] = row = StackRow(state.line)
        if isinstance(state.node, MapNode):
            found = (_rule(key, value, stacks, faults) for key, value in state.node.pairs)
            row.rules += [rule for rule in found if rule is not None]
        elif not is_empty(state.node):
            faults.add(state.line, f"the row of {shown(state.key)} is a mapping: write '[top, top]: instruction' lines")
    return rows


def _rule(key: Node, value: Node, stacks: int, faults: FaultList) -> TableRule | None:
    pattern = _pattern(key, stacks, faults)
    if not isinstance(value, MapNode):
        faults.add(
            value.line, "an instruction is a mapping: write {do: [pop, push a], go: state}, both can be left out"
        )
        return None
    found = fields(value, ("do", "go"), faults, "an instruction")
    operations = _operations(found["do"], stacks, faults) if "do" in found else None
    target = text(found["go"], faults) if "go" in found else None
    broken = pattern is None or ("do" in found and operations is None)
    return None if broken or pattern is None else TableRule(key.line, pattern, operations, target)


def _pattern(key: Node, stacks: int, faults: FaultList) -> tuple[tuple[str, ...], ...] | None:
    """Return the texts that fit each stack: a text, or a list of alternatives."""
    parts = key.items if isinstance(key, ListNode) else (key,)
    pattern = []
    for part in parts:
        texts = [t.text for t in (part.items if isinstance(part, ListNode) else (part,)) if isinstance(t, TextNode)]
        if not texts or not all(texts) or (isinstance(part, ListNode) and len(texts) < len(part.items)):
            faults.add(key.line, "a top is a symbol or a list of symbols: quote what is blank or unusual")
            return None
        pattern.append(tuple(texts))
    if len(pattern) != stacks:
        remedy = f"before ':' stand {stacks} tops in brackets" if stacks > 1 else "before ':' stands one top"
        faults.add(key.line, f"{len(pattern)} tops of {stacks} stacks: {remedy}")
        return None
    return tuple(pattern)


def _operations(field: Field, stacks: int, faults: FaultList) -> tuple[Operation, ...] | None:
    nodes = field.node.items if isinstance(field.node, ListNode) else (field.node,)
    operations = [_operation(node, faults) for node in nodes]
    if len(operations) != stacks:
        remedy = "write one of keep, pop and 'push SYMBOL' for each"
        faults.add(field.line, f"'do:' has {len(operations)} operations for {stacks} stacks: {remedy}")
        return None
    known = tuple(operation for operation in operations if operation is not None)
    return known if len(known) == stacks else None


def _operation(node: Node, faults: FaultList) -> Operation | None:
    written = node.text if isinstance(node, TextNode) else ""
    if written in ("keep", "pop"):
        return KEEP if written == "keep" else POP
    if written.startswith("push ") and len(written) > len("push "):
        return push(written[len("push ") :])
    what = f"unknown operation {shown(written)}" if written else "an operation is a text"
    faults.add(node.line, f"{what}: write keep, pop or 'push SYMBOL'")
    return None


def expanded(
    rows: Mapping[str, StackRow], symbols: Collection[Symbol], marks: Marks, faults: FaultList
) -> dict[str, dict[Reading, TableRule]]:
    """Return, of each state, the rule that applies to each reading; one that never applies is a fault."""
    budget = _MOST_READINGS
    alternatives = {marks.any: (*symbols, EMPTY), marks.empty: (EMPTY,)} | {a: (a,) for a in symbols}
    found: dict[str, dict[Reading, TableRule]] = {}
    for q, row in rows.items():
        cells = found[q] = {}
        for rule in row.rules:
            before = len(cells)
            tops = [[a for part in parts for a in alternatives.get(part, ())] for parts in rule.pattern]
            for reading in product(*tops):
                cells.setdefault(reading, rule)
                budget -= 1
                if budget < 0:
                    faults.add(rule.line, f"the patterns fit more than {_MOST_READINGS} readings: write fewer rules")
                    return found
            if len(cells) == before and all(tops):
                faults.add(rule.line, f"this rule of state {shown(q)} never applies: rules above it fit all it fits")
    return found
