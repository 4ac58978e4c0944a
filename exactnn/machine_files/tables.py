"""The ``table:`` of a machine file as rows of cells, each with its line: shared by tape machines and automata."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from exactnn.automata import Symbol
from exactnn.errors import shown
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.fields import Field, entries
from exactnn.machine_files.yaml_nodes import ListNode, MapNode, Node, TextNode

__all__ = ["MAX_CELLS", "Row", "is_empty", "rows_of", "too_large"]

MAX_STATES, MAX_SYMBOLS, MAX_CELLS = 10_000, 5_000, 50_000
"""No table has more states, more symbols, or more states times symbols."""

T = TypeVar("T")


@dataclass(slots=True)
class Row(Generic[T]):
    """The row of one state: its line, and for every symbol the line and the entry (None where it is faulty)."""

    line: int
    cells: dict[Symbol, tuple[int, T | None]] = field(default_factory=dict)


def rows_of(table: Field, entry: Callable[[Node], T | None], faults: FaultList) -> dict[str, Row[T]]:
    """Return the rows of a table in their order.

    Parameters
    ----------
    table : Field
        The ``table:`` of the file.
    entry : callable
        Reads the entry behind a symbol; None where it has noted a fault.
    """
    if not isinstance(table.node, MapNode):
        faults.add(table.line, "'table:' is a mapping from states to rows: write 'state: {symbol: instruction}'")
        return {}
    rows = {}
    for state in entries(table.node, faults, "a state"):
        rows[state.key] = row = Row[T](state.line)
        if isinstance(state.node, MapNode):
            _fill(row, state.key, state.node, entry, faults)
        elif not is_empty(state.node):
            faults.add(state.line, f"the row of {shown(state.key)} is a mapping: write 'symbol: instruction' lines")
    return rows


def too_large(table: Field, n_states: int, n_symbols: int, faults: FaultList) -> bool:
    """Return whether a complete table would leave the bounds, after noting that as a fault."""
    if n_states <= MAX_STATES and n_symbols <= MAX_SYMBOLS and n_states * n_symbols <= MAX_CELLS:
        return False
    bounds = f"{MAX_STATES} states, {MAX_SYMBOLS} symbols and {MAX_CELLS} cells"
    faults.add(table.line, f"the table has {n_states} states and {n_symbols} symbols: at most {bounds} can be read")
    return True


def is_empty(node: Node) -> bool:
    """Return whether nothing, or null, is written."""
    return isinstance(node, TextNode) and node.plain and node.text in ("", "~", "null")


def _fill(row: Row[T], state: str, node: MapNode, entry: Callable[[Node], T | None], faults: FaultList) -> None:
    for key, value in node.pairs:
        found = entry(value)
        for symbol in _symbols(key, faults):
            if symbol in row.cells:
                first = row.cells[symbol][0]
                fault = f"symbol {shown(symbol)} of state {shown(state)} is here twice (first in line {first})"
                faults.add(key.line, f"{fault}: remove one")
            else:
                row.cells[symbol] = key.line, found


def _symbols(key: Node, faults: FaultList) -> list[Symbol]:
    items = key.items if isinstance(key, ListNode) else (key,)
    found = [item.text for item in items if isinstance(item, TextNode) and item.text]
    if len(found) < len(items) or not items:
        faults.add(key.line, "before ':' stands a symbol or a list of symbols: quote what is blank or unusual")
    return found
