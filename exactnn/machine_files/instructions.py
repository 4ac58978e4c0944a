"""The instructions of a tape machine's table: ``R``, ``{write: c, L}``, ``{R: state}`` and the names of synonyms."""

from collections.abc import Mapping
from dataclasses import dataclass

from exactnn.errors import shown
from exactnn.machine_files.faults import FaultList
from exactnn.machine_files.fields import Field, entries, fields
from exactnn.machine_files.yaml_nodes import MapNode, Node, TextNode

__all__ = ["Instruction", "instruction", "synonyms"]


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
        if node.text in ("L", "R"):
            return Instruction(node.text)
        if node.text in named:
            return named[node.text]
        what = "an empty instruction" if node.empty else f"unknown instruction {shown(node.text)}"
        faults.add(node.line, f"{what}: write L, R, {{write: symbol, R: state}} or a synonym")
        return None
    if not isinstance(node, MapNode):
        faults.add(node.line, "an instruction is not a list: write L, R or {write: symbol, R: state}")
        return None
    return _from_mapping(node, faults)


def _from_mapping(node: MapNode, faults: FaultList) -> Instruction | None:
    found = fields(node, ("write", "L", "R"), faults, "an instruction")
    for field in found.values():
        if not isinstance(field.node, TextNode):
            faults.add(field.line, f"'{field.key}:' of an instruction needs one text, not a list or a mapping")
            return None
    moves = [key for key in ("L", "R") if key in found]
    if len(moves) != 1:
        faults.add(node.line, "an instruction moves exactly once: write either L or R in it")
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
