"""The fields of a machine file: each read with the line that it stands on, tables and their instructions too."""

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from exactnn.automata import Symbol, Word, as_word
from exactnn.errors import MachineFileError, WordError, shown

__all__ = [
    "MAX_CELLS",
    "FaultList",
    "Field",
    "Instruction",
    "ListNode",
    "MapNode",
    "Node",
    "Row",
    "TextNode",
    "choice",
    "entries",
    "fields",
    "instruction",
    "is_empty",
    "number",
    "rows_of",
    "symbols",
    "synonyms",
    "text",
    "texts",
    "too_large",
    "word",
]


# --- Collecting the faults of a machine file, so that all of them are reported at once with their lines.


class FaultList:
    """The faults found so far in one file.

    Parameters
    ----------
    subject : str
        The file in words: it begins the message.

    Examples
    --------
    >>> faults = FaultList("machine file 'm.yaml'")
    >>> faults.add(7, "no table")
    >>> faults.add(2, "the blank is missing")
    >>> faults.raise_any()
    Traceback (most recent call last):
    ...
    exactnn.errors.MachineFileError: machine file 'm.yaml': line 2: the blank is missing; line 7: no table
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self._faults: dict[tuple[int, str], None] = {}

    def __bool__(self) -> bool:
        return bool(self._faults)

    def add(self, line: int, fault: str) -> None:
        """Note a fault at a line, counted from 1."""
        self._faults[line, " ".join(fault.split())] = None

    def error(self) -> MachineFileError:
        """Return the error that lists all faults in the order of their lines."""
        faults = sorted(self._faults, key=lambda fault: fault[0])
        return MachineFileError(self.subject, [f"line {line}: {fault}" for line, fault in faults])

    def raise_any(self) -> None:
        """Raise the error if there is a fault."""
        if self._faults:
            raise self.error()


# --- The nodes of a YAML document, which know their line. Every scalar is text: 0, yes, no and + are symbols.


@dataclass(frozen=True, slots=True)
class TextNode:
    """A scalar. `plain` says that it has no quotes, `block` that it is a literal block."""

    line: int
    text: str
    plain: bool = False
    block: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing at all is written, as after ``H:``."""
        return self.plain and not self.text


@dataclass(frozen=True, slots=True)
class ListNode:
    """A sequence of nodes."""

    line: int
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping, as pairs of nodes in their order; equal keys are all kept."""

    line: int
    pairs: "tuple[tuple[Node, Node], ...]"


Node = TextNode | ListNode | MapNode


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a mapping with its line and the node behind it."""

    key: str
    line: int
    node: Node


def entries(node: MapNode, faults: FaultList, what: str) -> list[Field]:
    """Return the pairs of a mapping whose keys are single texts; other and repeated keys are faults."""
    found: dict[str, Field] = {}
    for key, value in node.pairs:
        if not isinstance(key, TextNode) or key.empty:
            faults.add(key.line, f"{what} is a text: write it in quotes if it is unusual")
        elif key.text in found:
            first = found[key.text].line
            faults.add(key.line, f"{what} {shown(key.text)} is here twice (first in line {first}): remove one")
        else:
            found[key.text] = Field(key.text, key.line, value)
    return list(found.values())


def fields(node: Node, known: Collection[str], faults: FaultList, where: str) -> dict[str, Field]:
    """Return the known keys of a mapping; unknown ones are faults that name the nearest known key."""
    if not isinstance(node, MapNode):
        faults.add(node.line, f"{where} is a mapping of {', '.join(known)}: write it as 'key: value'")
        return {}
    found = {}
    for entry in entries(node, faults, f"a key of {where}"):
        if entry.key in known:
            found[entry.key] = entry
        else:
            near = difflib.get_close_matches(entry.key[:80], known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the keys are {', '.join(known)}"
            faults.add(entry.line, f"unknown key {shown(entry.key)} in {where}: {hint}")
    return found


def text(field: Field, faults: FaultList) -> str | None:
    """Return the text behind a key; an empty value and a collection are faults."""
    if isinstance(field.node, TextNode) and not field.node.empty:
        return field.node.text
    remedy = "quote it if it is empty or blank" if isinstance(field.node, TextNode) else "not a list or a mapping"
    faults.add(field.line, f"'{field.key}:' needs one text: {remedy}")
    return None


def choice(field: Field, allowed: Collection[str], faults: FaultList) -> str | None:
    """Return the text behind a key if it is one of `allowed`."""
    value = text(field, faults)
    if value is None or value in allowed:
        return value
    faults.add(field.line, f"'{field.key}:' is {shown(value)}: write {' or '.join(allowed)}")
    return None


def number(field: Field, faults: FaultList) -> int | None:
    """Return the whole number behind a key."""
    value = text(field, faults)
    if value is None:
        return None
    if re.fullmatch("[0-9]{1,18}", value):
        return int(value)
    faults.add(field.line, f"'{field.key}:' is {shown(value)}: write a whole number in digits")
    return None


def texts(field: Field, faults: FaultList) -> list[str] | None:
    """Return the list of different texts behind a key."""
    if not isinstance(field.node, ListNode):
        faults.add(field.line, f"'{field.key}:' is a list: write [a, b], or [] for none")
        return None
    found: dict[str, None] = {}
    for item in field.node.items:
        if not isinstance(item, TextNode) or item.empty:
            faults.add(item.line, f"'{field.key}:' lists texts: quote what is blank or unusual")
        elif item.text in found:
            faults.add(item.line, f"'{field.key}:' lists {shown(item.text)} twice: remove one")
        else:
            found[item.text] = None
    return list(found)


def symbols(field: Field, faults: FaultList) -> list[Symbol] | None:
    """Return the list of different symbols behind a key; a symbol is not empty."""
    found = texts(field, faults)
    if found is not None and "" in found:
        faults.add(field.line, f"'{field.key}:' lists the empty text: a symbol has at least one character")
    return found


def word(field: Field, alphabet: Collection[Symbol], faults: FaultList) -> Word | None:
    """Return the word behind a key: a text, or a list of symbols."""
    value: str | list[str]
    if isinstance(field.node, ListNode) and all(isinstance(item, TextNode) for item in field.node.items):
        value = [item.text for item in field.node.items if isinstance(item, TextNode)]
    else:
        single = text(field, faults)
        if single is None:
            return None
        value = single
    try:
        return as_word(value, alphabet)
    except WordError as error:
        faults.add(field.line, f"'{field.key}:' {error}")
        return None


# --- The ``table:`` of a machine file as rows of cells, each with its line: shared by tape machines and automata.

MOVES = ("L", "R", "S", "N")
"""Of an instruction; the last two stay."""

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


# --- The instructions of a tape machine's table: ``R``, ``{write: c, L}``, ``{R: state}`` and the names of synonyms.


@dataclass(frozen=True, slots=True)
class Instruction:
    """What to do in a cell of the table: None stands for "keep the symbol" and "stay in this state"."""

    move: str
    write: str | None = None
    target: str | None = None


def synonyms(field: Field | None, faults: FaultList) -> dict[str, Instruction]:
    """Return the named instructions of ``synonyms:``."""
    if field is None:
        return {}
    if not isinstance(field.node, MapNode):
        faults.add(field.line, "'synonyms:' is a mapping of names to instructions: write 'accept: {R: accept}'")
        return {}
    named = ((entry.key, instruction(entry.node, {}, faults)) for entry in entries(field.node, faults, "a synonym"))
    return {name: found for name, found in named if found is not None}


def instruction(node: Node, named: Mapping[str, Instruction], faults: FaultList) -> Instruction | None:
    """Return the instruction that a node writes, or None after noting a fault."""
    if isinstance(node, TextNode):
        if node.text in MOVES:
            return Instruction(node.text)
        if node.text in named:
            return named[node.text]
        what = "an empty instruction" if node.empty else f"unknown instruction {shown(node.text)}"
        faults.add(node.line, f"{what}: write L, R, S, {{write: symbol, R: state}} or a synonym")
        return None
    if not isinstance(node, MapNode):
        faults.add(node.line, "an instruction is not a list: write L, R or {write: symbol, R: state}")
        return None
    return _from_mapping(node, faults)


def _from_mapping(node: MapNode, faults: FaultList) -> Instruction | None:
    found = fields(node, ("write", *MOVES), faults, "an instruction")
    for entry in found.values():
        if not isinstance(entry.node, TextNode):
            faults.add(entry.line, f"'{entry.key}:' of an instruction needs one text, not a list or a mapping")
            return None
    moves = [key for key in MOVES if key in found]
    if len(moves) != 1:
        faults.add(node.line, "an instruction moves exactly once: write one of L, R and S in it")
        return None
    written, target = found.get("write"), found[moves[0]]
    if written is not None and not _text(written):
        faults.add(written.line, "'write:' needs a symbol: quote it if it is blank")
        return None
    return Instruction(moves[0], None if written is None else _text(written), _target(target))


def _text(field: Field) -> str:
    return field.node.text if isinstance(field.node, TextNode) else ""


def _target(field: Field) -> str | None:
    return None if isinstance(field.node, TextNode) and field.node.empty else _text(field)
