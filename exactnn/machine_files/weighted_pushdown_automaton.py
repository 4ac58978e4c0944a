"""From the keys of a document to a weighted pushdown automaton: its actions by symbol, each a row with its weight."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from gmpy2 import mpq

from exactnn.automata import MOST_PAIRS, WeightedPushdownAutomaton
from exactnn.errors import MachineError, shown
from exactnn.machine_files.fields import (
    MAX_CELLS,
    MAX_SYMBOLS,
    FaultList,
    Field,
    ListNode,
    MapNode,
    Node,
    TextNode,
    entries,
    symbols,
    texts,
)
from exactnn.machine_files.weighted_automaton import weight

__all__ = ["PUSHDOWN_KEYS", "weighted_pushdown_automaton"]

PUSHDOWN_KEYS = ("states", "stack symbols", "input symbols", "push", "replace", "pop", "final", "input")
"""The keys of a document that make a weighted pushdown automaton."""

_PARTS = ("state", "top", "next state", "new symbol")
_ROWS = {"push": _PARTS, "replace": _PARTS, "pop": _PARTS[:3], "final": _PARTS[:2]}
_ONE = mpq(1)

Weights = dict[tuple[str, ...], mpq]


@dataclass(slots=True)
class _Reader:
    """What rows may name, where faults go, and how many rows there were."""

    states: Collection[str]
    tops: Collection[str]
    faults: FaultList
    rows: int = 0
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)

    def weights(self, field: Field, action: str, where: str) -> Weights:
        """Return the weights of a list of rows; a row may list several states and several tops."""
        if not isinstance(field.node, ListNode):
            self.faults.add(field.line, f"{where} is a list of rows: write [[{', '.join(_ROWS[action])}, weight]]")
            return {}
        found: Weights = {}
        self.lines = {}
        for node in field.node.items:
            for key, number in self._row(node, action, where):
                if key in found:
                    fault = f"{where} has [{', '.join(map(shown, key))}] twice (first in line {self.lines[key]})"
                    self.faults.add(node.line, f"{fault}: remove one")
                else:
                    found[key], self.lines[key] = number, node.line
        return found

    def _row(self, node: Node, action: str, where: str) -> Iterator[tuple[tuple[str, ...], mpq]]:
        """Yield the keys that a row stands for, with its weight; nothing after noting a fault."""
        names = _ROWS[action]
        items = node.items if isinstance(node, ListNode) else ()
        if not len(names) <= len(items) <= len(names) + 1:
            self.faults.add(node.line, f"a row of {where} is a list: write [{', '.join(names)}], or a weight after it")
            return
        choices = [self._names(part, name, where) for part, name in zip(items, names, strict=False)]
        number = weight(items[-1], f"the weight of a row of {where}", self.faults) if len(items) > len(names) else _ONE
        if number is not None and number < 0:
            self.faults.add(items[-1].line, f"the weight of a row of {where} is negative: write a number of at least 0")
            return
        if number is None or any(choice is None for choice in choices):
            return
        known = [choice for choice in choices if choice is not None]
        self.rows += len(known[0]) * len(known[1])
        if self.rows > MAX_CELLS:
            self.faults.add(node.line, f"there are more than {MAX_CELLS:,} rows: at most so many can be read")
            return
        for key in product(*known):
            yield key, number

    def _names(self, node: Node, part: str, where: str) -> Sequence[str] | None:
        """Return the names that stand in a place of a row: one, or of state and top a list of them."""
        several = isinstance(node, ListNode) and part in _PARTS[:2]
        nodes = node.items if isinstance(node, ListNode) and several else (node,)
        found = [item.text for item in nodes if isinstance(item, TextNode) and not item.empty]
        if len(found) < len(nodes) or not nodes:
            lists = ", or a list of them" if part in _PARTS[:2] else ""
            self.faults.add(node.line, f"the {part} in a row of {where} is a text{lists}: quote what is unusual")
            return None
        states = part in ("state", "next state")
        for name in found:
            if name not in (self.states if states else self.tops):
                key = "states" if states else "stack symbols"
                fault = f"a row of {where} has the {part} {shown(name)}, which '{key}:' does not list"
                self.faults.add(node.line, f"{fault}: add it")
                return None
        return found


def weighted_pushdown_automaton(
    keys: Mapping[str, Field], name: str, faults: FaultList, line: int
) -> WeightedPushdownAutomaton | None:
    """Return the automaton of a document, or None after noting faults; the parameters are those of `tape_machine`."""
    for key in ("states", "stack symbols", "final"):
        if key not in keys:
            faults.add(line, f"'{key}:' is missing: add it")
    states = texts(keys["states"], faults) if "states" in keys else None
    tops = texts(keys["stack symbols"], faults) if "stack symbols" in keys else None
    listed = symbols(keys["input symbols"], faults) if "input symbols" in keys else None
    if faults or states is None or tops is None:
        return None
    for key, names in (("states", states), ("stack symbols", tops)):
        if not names:
            faults.add(keys[key].line, f"'{key}:' is empty: a run begins with the first of them, so list one")
    if len(states) * len(tops) > MOST_PAIRS:
        sizes = f"{len(states)} states and {len(tops)} stack symbols"
        faults.add(keys["states"].line, f"{sizes}: at most {MOST_PAIRS} pairs of them can be read")
    if faults:
        return None
    reader = _Reader(dict.fromkeys(states), dict.fromkeys(tops), faults)
    given = [keys[action] for action in ("push", "replace", "pop") if action in keys]
    actions = {action.key: _by_symbol(action, listed, reader) for action in given}
    final = reader.weights(keys["final"], "final", "'final:'")
    alphabet = list(dict.fromkeys(a for found in actions.values() for a in found)) if listed is None else listed
    if len(alphabet) > MAX_SYMBOLS:
        faults.add(line, f"there are {len(alphabet)} input symbols: at most {MAX_SYMBOLS} can be read")
    if faults:
        return None
    try:
        return WeightedPushdownAutomaton(
            states=states,
            stack_symbols=tops,
            input_symbols=alphabet,
            push=actions.get("push"),
            replace=actions.get("replace"),
            pop=actions.get("pop"),
            final={(state, top): number for (state, top), number in final.items()},
            name=name,
        )
    except MachineError as error:
        for fault in error.faults:
            faults.add(line, fault)
        return None


def _by_symbol(action: Field, listed: Collection[str] | None, reader: _Reader) -> dict[str, Weights]:
    """Return the weights of one kind of action by the symbol that is read."""
    name, faults = action.key, reader.faults
    if not isinstance(action.node, MapNode):
        row = f"[{', '.join(_ROWS[name])}]"
        faults.add(action.line, f"'{name}:' is a mapping from symbols to lists of rows: write 'a: [{row}]'")
        return {}
    known = None if listed is None else set(listed)
    found = {}
    for entry in entries(action.node, faults, "a symbol"):
        if known is not None and entry.key not in known:
            faults.add(entry.line, f"'{name}:' has the symbol {shown(entry.key)}, which is not listed: add it")
        found[entry.key] = reader.weights(entry, name, f"'{name}:' of {shown(entry.key)}")
    return found
