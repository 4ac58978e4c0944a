"""From the keys of a document to a counter machine: counters, acceptance, rules by symbol and zero tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from exactnn.automata import RESET, CounterMachine, CounterUpdate, Mask, State, Symbol, fresh, masks
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    MAX_CELLS,
    FaultList,
    Field,
    ListNode,
    MapNode,
    Node,
    TextNode,
    choice,
    entries,
    fields,
    is_empty,
    number,
    symbols,
    text,
)

__all__ = ["COUNTER_KEYS", "counter_machine"]

COUNTER_KEYS = ("counters", "start state", "accept", "input symbols", "any", "undefined", "table", "input")
"""The keys of a document that make a counter machine."""

_MOST_COUNTERS = 8
_TESTS = {"0": (0,), "1": (1,), ".": (0, 1)}
_UPDATES: dict[str, CounterUpdate] = {"-1": -1, "0": 0, "1": 1, "+1": 1, "reset": RESET}

Cells = dict[tuple[Symbol, Mask], tuple[State, tuple[CounterUpdate, ...]]]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of a row: the symbols and tests that fit, what is done, where it goes (None: the state stays)."""

    line: int
    read: tuple[str, ...]
    tests: tuple[Mask, ...]
    updates: tuple[CounterUpdate, ...]
    target: str | None


@dataclass(slots=True)
class _Row:
    """The row of one state: its line and its rules, the first that fits applies."""

    line: int
    rules: list[_Rule] = field(default_factory=list)


def counter_machine(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> CounterMachine | None:
    """Return the machine of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in ("counters", "start state", "accept", "table"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    counters = _count(keys["counters"], faults) if "counters" in keys else None
    if "table" not in keys or counters is None:
        return None
    any_text = (text(keys["any"], faults) or ".") if "any" in keys else "."
    table = _rows(keys["table"], counters, faults)
    start = text(keys["start state"], faults) if "start state" in keys else None
    if start is not None and start not in table:
        faults.add(keys["start state"].line, f"start state {shown(start)} has no row in the table: add one")
    alphabet = _alphabet(keys, table, any_text, faults)
    acceptance = _acceptance(keys["accept"], table, counters, faults) if "accept" in keys else []
    if len(table) * len(alphabet) << counters > MAX_CELLS:
        faults.add(keys["table"].line, f"the table has more than {MAX_CELLS} cells: states, symbols and masks")
        return None
    cells = {q: _expanded(q, row, table, alphabet, any_text, faults) for q, row in table.items()}
    transitions = _completed(keys, table, cells, (alphabet, counters), faults)
    if faults or start is None:
        return None
    try:
        return CounterMachine(
            states=list(transitions),
            input_symbols=alphabet,
            counters=counters,
            transitions=transitions,
            initial_state=start,
            acceptance=acceptance,
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["table"].line, fault)
        return None


def _count(field: Field, faults: FaultList) -> int | None:
    found = number(field, faults)
    if found is not None and not 1 <= found <= _MOST_COUNTERS:
        faults.add(field.line, f"'counters:' is {found}: write a number from 1 to {_MOST_COUNTERS}")
        return None
    return found


def _rows(table: Field, counters: int, faults: FaultList) -> dict[str, _Row]:
    """Return the rows of a table in their order; rules with faults are left out."""
    if not isinstance(table.node, MapNode):
        faults.add(table.line, "'table:' is a mapping from states to rows: write 'state: {[symbol, 0]: instruction}'")
        return {}
    rows = {}
    for state in entries(table.node, faults, "a state"):
        rows[state.key] = row = _Row(state.line)
        if isinstance(state.node, MapNode):
            found = (_rule(key, value, counters, faults) for key, value in state.node.pairs)
            row.rules += [rule for rule in found if rule is not None]
        elif not is_empty(state.node):
            fault = f"the row of {shown(state.key)} is a mapping: write '[symbol, 0]: instruction' lines"
            faults.add(state.line, fault)
    return rows


def _rule(key: Node, value: Node, counters: int, faults: FaultList) -> _Rule | None:
    parts = key.items if isinstance(key, ListNode) else ()
    read = tests = None
    if len(parts) == 2:
        read, tests = _texts(parts[0], "a symbol", faults), _masks(parts[1], counters, faults)
    else:
        faults.add(key.line, "before ':' stand a symbol and zero tests: write [symbol, 0], and [symbol, .] for any")
    if not isinstance(value, MapNode):
        faults.add(value.line, "an instruction is a mapping: write {do: +1, go: state}, both can be left out")
        return None
    found = fields(value, ("do", "go"), faults, "an instruction")
    updates = _updates(found["do"], counters, faults) if "do" in found else (0,) * counters
    target = text(found["go"], faults) if "go" in found else None
    return None if not read or not tests or updates is None else _Rule(key.line, read, tests, updates, target)


def _texts(node: Node, what: str, faults: FaultList) -> tuple[str, ...] | None:
    """Return the texts that a part of a pattern lists: one, or several in brackets."""
    items = node.items if isinstance(node, ListNode) else (node,)
    texts = tuple(item.text for item in items if isinstance(item, TextNode) and item.text)
    if not texts or len(texts) < len(items):
        faults.add(node.line, f"{what} is a text or a list of texts: quote what is blank or unusual")
        return None
    return texts


def _masks(node: Node, counters: int, faults: FaultList) -> tuple[Mask, ...] | None:
    """Return the masks that fit zero tests: for each counter one of 0 (zero), 1 (not zero) and . (any)."""
    texts = _texts(node, "a zero test", faults)
    found: dict[Mask, None] = {}
    for written in texts or ():
        if len(written) != counters or not set(written) <= _TESTS.keys():
            remedy = "write 0 (zero), 1 (not zero) or . (any) for each counter"
            faults.add(node.line, f"zero test {shown(written)} of {counters} counters: {remedy}")
            return None
        found |= dict.fromkeys(product(*(_TESTS[test] for test in written)))
    return tuple(found) or None


def _updates(field: Field, counters: int, faults: FaultList) -> tuple[CounterUpdate, ...] | None:
    nodes = field.node.items if isinstance(field.node, ListNode) else (field.node,)
    written = [node.text if isinstance(node, TextNode) else "" for node in nodes]
    if len(written) != counters:
        remedy = "write one of +1, -1, 0 and reset for each"
        faults.add(field.line, f"'do:' has {len(written)} updates for {counters} counters: {remedy}")
        return None
    for update in written:
        if update not in _UPDATES:
            faults.add(field.line, f"unknown update {shown(update)}: write +1, -1, 0 or reset")
            return None
    return tuple(_UPDATES[update] for update in written)


def _alphabet(keys: Mapping[str, Field], rows: Mapping[str, _Row], any_text: str, faults: FaultList) -> list[Symbol]:
    """Return the listed symbols, and all that the table has where none are listed."""
    found = list(dict.fromkeys(a for row in rows.values() for rule in row.rules for a in rule.read if a != any_text))
    if "input symbols" not in keys:
        return found
    listed = symbols(keys["input symbols"], faults) or []
    line = keys["input symbols"].line
    if any_text in listed:
        faults.add(line, f"{shown(any_text)} stands for anything and cannot be a symbol: write 'any: OTHER'")
    for symbol in found:
        if symbol not in listed:
            faults.add(line, f"the table has the symbol {shown(symbol)}, which is not listed: add it")
    return listed


def _acceptance(field: Field, rows: Mapping[str, _Row], counters: int, faults: FaultList) -> list[tuple[State, Mask]]:
    """Return with which states and masks words are accepted."""
    if not isinstance(field.node, MapNode):
        faults.add(field.line, f"'accept:' is a mapping from states to zero tests: write {{state: '{'0' * counters}'}}")
        return []
    found: dict[tuple[State, Mask], None] = {}
    for entry in entries(field.node, faults, "a state"):
        if entry.key not in rows:
            faults.add(entry.line, f"'accept:' has {shown(entry.key)}, which has no row in the table: add one")
        found |= dict.fromkeys((entry.key, mask) for mask in _masks(entry.node, counters, faults) or ())
    return list(found)


def _expanded(
    state: str, row: _Row, rows: Mapping[str, _Row], alphabet: list[Symbol], any_text: str, faults: FaultList
) -> Cells:
    """Return what applies to each symbol and mask; a rule that never applies is a fault."""
    cells: Cells = {}
    for rule in row.rules:
        if rule.target is not None and rule.target not in rows:
            fault = f"state {shown(state)} goes to {shown(rule.target)}, which has no row in the table"
            faults.add(rule.line, f"{fault}: add a line '{rule.target[:60]}:'")
        before = len(cells)
        for cell in product(alphabet if any_text in rule.read else rule.read, rule.tests):
            cells.setdefault(cell, (state if rule.target is None else rule.target, rule.updates))
        if len(cells) == before and alphabet:
            faults.add(rule.line, f"this rule of state {shown(state)} never applies: rules above it fit all it fits")
    return cells


def _completed(
    keys: Mapping[str, Field],
    rows: Mapping[str, _Row],
    cells: Mapping[str, Cells],
    shape: tuple[list[Symbol], int],
    faults: FaultList,
) -> dict[State, dict[Symbol, dict[Mask, tuple[State, tuple[CounterUpdate, ...]]]]]:
    """Return the total transition function, with a rejecting sink for what is undefined where the file wants it."""
    alphabet, counters = shape
    reject = "undefined" in keys and choice(keys["undefined"], ("reject", "error"), faults) == "reject"
    sink = fresh("reject", rows)
    nothing = (0,) * counters
    gaps = {q: [cell for cell in product(alphabet, masks(counters)) if cell not in cells[q]] for q in rows}
    for q, lacking in gaps.items():
        if lacking and not reject:
            what = ", ".join(f"[{a}, {''.join(map(str, mask))}]" for a, mask in islice(lacking, 4))
            dots = ", ..." if len(lacking) > 4 else ""
            remedy = "add rules, or say 'undefined: reject'"
            faults.add(rows[q].line, f"state {shown(q)} has no rule for {what}{dots}: {remedy}")
    transitions: dict[State, dict[Symbol, dict[Mask, tuple[State, tuple[CounterUpdate, ...]]]]] = {
        q: {a: {mask: cells[q].get((a, mask), (sink, nothing)) for mask in masks(counters)} for a in alphabet}
        for q in rows
    }
    if reject and any(gaps.values()):
        transitions[sink] = {a: dict.fromkeys(masks(counters), (sink, nothing)) for a in alphabet}
    return transitions
