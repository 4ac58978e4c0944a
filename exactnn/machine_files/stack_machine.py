"""Stack machines in files."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from exactnn.automata import EMPTY, KEEP, POP, Operation, Reading, StackMachine, StackRule, State, Symbol, push
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    MAX_CELLS,
    FaultList,
    Field,
    ListNode,
    MapNode,
    Node,
    TextNode,
    entries,
    fields,
    is_empty,
    number,
    symbols,
    text,
)
from exactnn.machine_files.tape_machine import Halting, halting_states, policy, sink

__all__ = ["STACK_KEYS", "Marks", "StackRow", "TableRule", "expanded", "stack_machine", "stack_rows"]


# --- The ``table:`` of a stack machine: rows of rules, each a pattern of the tops with what is done on those that fit.

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


STACK_KEYS = (
    "stacks",
    "start state",
    "accept state",
    "reject state",
    "halt state",
    "input symbols",
    "stack symbols",
    "empty",
    "any",
    "undefined",
    "table",
    "input",
)
"""The keys of a document that make a stack machine."""

_MOST_STACKS = 12


def stack_machine(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> StackMachine | None:
    """Return the machine of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in ("stacks", "start state", "table"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    stacks = _count(keys["stacks"], faults) if "stacks" in keys else None
    if "table" not in keys or stacks is None:
        return None
    marks = Marks(_mark(keys, "empty", "_", faults), _mark(keys, "any", ".", faults))
    rows = stack_rows(keys["table"], stacks, faults)
    start = text(keys["start state"], faults) if "start state" in keys else None
    halting = halting_states(keys, {q: row.line for q, row in rows.items() if not row.rules}, faults)
    stack_symbols, input_symbols = _alphabets(keys, rows, marks, faults)
    if start is not None and start not in rows and start not in halting.states:
        faults.add(keys["start state"].line, f"start state {shown(start)} has no row in the table: add one")
    _check_rules(rows, halting, {*stack_symbols, marks.empty, marks.any}, faults)
    readings = (len(stack_symbols) + 1) ** stacks
    if len(rows) * readings > MAX_CELLS:
        size = f"{len(rows)} states and {readings} readings of the stacks"
        faults.add(keys["table"].line, f"the table has {size}: at most {MAX_CELLS} cells can be read")
        return None
    cells = expanded(rows, stack_symbols, marks, faults)
    undefined = policy(keys, faults)
    transitions = _completed(rows, cells, halting, (stack_symbols, stacks), undefined, faults, keys["table"].line)
    if faults or start is None:
        return None
    try:
        return StackMachine(
            states=[*rows, *halting.states],
            input_symbols=input_symbols,
            stack_symbols=stack_symbols,
            stacks=stacks,
            transitions=transitions,
            initial_state=start,
            accept_state=halting.accept,
            reject_state=halting.reject,
            halt_state=halting.halt,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["table"].line, fault)
        return None


def _count(field: Field, faults: FaultList) -> int | None:
    found = number(field, faults)
    if found is not None and not 1 <= found <= _MOST_STACKS:
        faults.add(field.line, f"'stacks:' is {found}: write a number from 1 to {_MOST_STACKS}")
        return None
    return found


def _mark(keys: Mapping[str, Field], key: str, default: str, faults: FaultList) -> str:
    return (text(keys[key], faults) or default) if key in keys else default


def _alphabets(
    keys: Mapping[str, Field], rows: Mapping[str, StackRow], marks: Marks, faults: FaultList
) -> tuple[list[Symbol], list[Symbol]]:
    """Return stack and input symbols: the listed ones, and all that the table has where none are listed."""
    listed = symbols(keys["stack symbols"], faults) if "stack symbols" in keys else None
    read = symbols(keys["input symbols"], faults) if "input symbols" in keys else None
    found: dict[str, None] = dict.fromkeys(read or ())
    for row in rows.values():
        for rule in row.rules:
            found |= dict.fromkeys(a for part in rule.pattern for a in part if a not in (marks.empty, marks.any))
            found |= dict.fromkeys(a for operation in rule.operations or () for a in operation[1:])
    stack_symbols = list(found) if listed is None else listed
    line = keys["stack symbols" if listed is not None else "table"].line
    for mark, key in ((marks.empty, "empty"), (marks.any, "any")):
        if mark in stack_symbols:
            what = "an empty stack" if key == "empty" else "anything"
            faults.add(line, f"{shown(mark)} stands for {what} and cannot be a symbol: write '{key}: OTHER'")
    if marks.empty == marks.any:
        faults.add(line, f"{shown(marks.any)} stands for an empty stack and for anything: write 'any: OTHER'")
    known = set(stack_symbols)
    for symbol in read or ():
        if symbol not in known:
            faults.add(line, f"the input symbol {shown(symbol)} is not listed: add it")
    if not stack_symbols:
        faults.add(line, "there are no stack symbols: write 'stack symbols: [a, b]'")
    return stack_symbols, stack_symbols if read is None else read


def _check_rules(rows: Mapping[str, StackRow], halting: Halting, known: set[str], faults: FaultList) -> None:
    for q, row in rows.items():
        if q in halting.states and row.rules:
            faults.add(row.line, f"state {shown(q)} halts, so that its row must be empty: remove its rules")
        for rule in row.rules:
            texts = [a for part in rule.pattern for a in part]
            texts += [a for operation in rule.operations or () for a in operation[1:]]
            for a in dict.fromkeys(texts):
                if a not in known:
                    fault = f"state {shown(q)} has the symbol {shown(a)}, which 'stack symbols:' does not list: add it"
                    faults.add(rule.line, fault)
            if rule.target is not None and rule.target not in rows and rule.target not in halting.states:
                fault = f"state {shown(q)} goes to {shown(rule.target)}, which has no row in the table"
                faults.add(rule.line, f"{fault}: add a line '{rule.target[:60]}:'")


def _completed(
    rows: Mapping[str, StackRow],
    cells: Mapping[str, Mapping[Reading, TableRule]],
    halting: Halting,
    shape: tuple[list[Symbol], int],
    undefined: str,
    faults: FaultList,
    line: int,
) -> dict[State, dict[Reading, StackRule]]:
    """Return the total transition function; `halting` gains a state where undefined transitions lead to a new one."""
    stack_symbols, stacks = shape
    readings = list(product((*stack_symbols, EMPTY), repeat=stacks))
    keep = (KEEP,) * stacks
    working = [q for q in rows if q not in halting.states]
    gaps = {q: [r for r in readings if r not in cells[q]] for q in working}
    target = ""
    if undefined == "error":
        for q, lacking in gaps.items():
            if lacking:
                what = ", ".join("/".join(a or "(empty)" for a in r) for r in islice(lacking, 4))
                remedy = "add rules, or say 'undefined: reject' or 'undefined: halt' once for all"
                dots = ", ..." if len(lacking) > 4 else ""
                faults.add(rows[q].line, f"state {shown(q)} has no rule for {what}{dots}: {remedy}")
    elif any(gaps.values()):
        target = sink(undefined, [*rows, *halting.states], halting, faults, line)
    transitions: dict[State, dict[Reading, StackRule]] = {}
    for q in working:
        transitions[q] = {
            reading: StackRule(q if rule.target is None else rule.target, rule.operations or keep)
            for reading, rule in cells[q].items()
        }
        transitions[q] |= {reading: StackRule(target, keep) for reading in gaps[q]}
    return transitions
