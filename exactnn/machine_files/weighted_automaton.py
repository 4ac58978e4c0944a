"""From the keys of a document to a weighted automaton: vectors and matrices of exact numbers."""

from collections.abc import Mapping

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.automata import MOST_ENTRIES, Symbol, WeightedAutomaton
from exactnn.errors import MachineError, NumberError, shown
from exactnn.machine_files.fields import FaultList, Field, ListNode, MapNode, Node, TextNode, entries, symbols

__all__ = ["WEIGHTED_KEYS", "weight", "weighted_automaton"]

WEIGHTED_KEYS = ("input symbols", "initial", "final", "transitions", "input")
"""The keys of a document that make a weighted automaton."""

Rows = list[list[mpq]]


def weighted_automaton(keys: Mapping[str, Field], name: str, faults: FaultList, line: int) -> WeightedAutomaton | None:
    """Return the automaton of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in ("initial", "final", "transitions"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    if faults:
        return None
    initial = _vector(keys["initial"].node, "'initial:'", faults)
    final = _vector(keys["final"].node, "'final:'", faults)
    if initial is None or final is None:
        return None
    if len(final) != len(initial):
        lengths = f"'final:' has {len(final)} numbers, 'initial:' has {len(initial)}"
        faults.add(keys["final"].line, f"{lengths}: give one for each state")
    transitions = _transitions(keys["transitions"], len(initial), faults)
    alphabet = symbols(keys["input symbols"], faults) if "input symbols" in keys else list(transitions)
    for a in alphabet or ():
        if a not in transitions:
            faults.add(keys["transitions"].line, f"'transitions:' has no matrix for {shown(a)}: add one")
    if faults or alphabet is None:
        return None
    try:
        return WeightedAutomaton(
            input_symbols=alphabet, initial=initial, transitions=transitions, final=final, name=name
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(keys["transitions"].line, fault)
        return None


def weight(node: Node, what: str, faults: FaultList) -> mpq | None:
    """Return the exact number that a node writes, or None after noting a fault."""
    if not isinstance(node, TextNode) or node.empty:
        faults.add(node.line, f"{what} is a number: write 2, 1/2 or 0.5")
        return None
    try:
        return exact(node.text)
    except NumberError as error:
        faults.add(node.line, f"{what}: {error}")
        return None


def _vector(node: Node, what: str, faults: FaultList) -> list[mpq] | None:
    if not isinstance(node, ListNode):
        faults.add(node.line, f"{what} is a list of numbers: write [1, 0, 1/2]")
        return None
    found = [weight(item, f"an entry of {what}", faults) for item in node.items]
    return None if None in found else [number for number in found if number is not None]


def _transitions(field: Field, size: int, faults: FaultList) -> dict[Symbol, Rows]:
    if not isinstance(field.node, MapNode):
        faults.add(field.line, "'transitions:' is a mapping from symbols to matrices: write 'a: [[1, 0], [0, 1]]'")
        return {}
    found = entries(field.node, faults, "a symbol")
    if size * size * len(found) > MOST_ENTRIES:
        faults.add(field.line, f"{size:,} states and {len(found):,} symbols make more than {MOST_ENTRIES:,} entries")
        return {}
    return {entry.key: _matrix(entry, size, faults) for entry in found}


def _matrix(field: Field, size: int, faults: FaultList) -> Rows:
    what = f"the matrix of {shown(field.key)}"
    if not isinstance(field.node, ListNode):
        faults.add(field.line, f"{what} is a list of rows: write [[1, 0], [0, 1]]")
        return []
    rows = [_vector(node, f"a row of {what}", faults) for node in field.node.items]
    if len(rows) != size or any(row is not None and len(row) != size for row in rows):
        faults.add(field.line, f"{what} has not {size} rows of {size} numbers: 'initial:' has one for each state")
    return [row for row in rows if row is not None]
