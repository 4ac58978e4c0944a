"""The keys of a mapping and the plain values behind them: each function returns the value, or notes a fault."""

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass

from exactnn.automata import Symbol, Word, as_word
from exactnn.errors import WordError, shown
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.yaml_nodes import ListNode, MapNode, Node, TextNode

__all__ = ["Field", "choice", "entries", "fields", "number", "symbols", "text", "texts", "word"]


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
    for field in entries(node, faults, f"a key of {where}"):
        if field.key in known:
            found[field.key] = field
        else:
            near = difflib.get_close_matches(field.key[:80], known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the keys are {', '.join(known)}"
            faults.add(field.line, f"unknown key {shown(field.key)} in {where}: {hint}")
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
