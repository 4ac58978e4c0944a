"""Reading machines written in YAML: the format of turingmachine.io, and a superset of it with more keys.

What a file may hold is described in ``machines/README.md``. This module finds the document and its keys; the
modules beside it read tables, alphabets, halting states and expectations. No text, however hostile, raises
anything but :class:`exactnn.errors.MachineFileError`, and all faults of a file are in that one error.
"""

from collections.abc import Mapping
from pathlib import Path

from exactnn.automata import Machine
from exactnn.interrupts import Uninterrupted
from exactnn.machine_files.automaton import AUTOMATON_KEYS, automaton
from exactnn.machine_files.counter_machine import COUNTER_KEYS, counter_machine
from exactnn.machine_files.fields import FaultList, Field, MapNode, Node, TextNode, choice, entries, fields, text, word
from exactnn.machine_files.machine_file import MachineFile, expectations, tags
from exactnn.machine_files.pushdown_automaton import DETERMINISTIC_KEYS, pushdown_automaton
from exactnn.machine_files.stack_machine import STACK_KEYS, stack_machine
from exactnn.machine_files.tape_machine import TAPE_KEYS, tape_machine
from exactnn.machine_files.text_file import MAX_BYTES, read_text, subject_of
from exactnn.machine_files.transducer import MEALY_KEYS, MOORE_KEYS, mealy_machine, moore_machine
from exactnn.machine_files.weighted_automaton import WEIGHTED_KEYS, weighted_automaton
from exactnn.machine_files.weighted_pushdown_automaton import PUSHDOWN_KEYS, weighted_pushdown_automaton

__all__ = ["read_yaml", "read_yaml_file"]

_ABOUT_KEYS = ("kind", "name", "title", "description", "source", "tags", "expect")
_WRAPPER_KEYS = ("name", "source code", "positions")
_BUILDERS = {
    "turing_machine": (tape_machine, TAPE_KEYS),
    "dfa": (automaton, AUTOMATON_KEYS),
    "moore_machine": (moore_machine, MOORE_KEYS),
    "mealy_machine": (mealy_machine, MEALY_KEYS),
    "stack_machine": (stack_machine, STACK_KEYS),
    "pushdown_automaton": (pushdown_automaton, DETERMINISTIC_KEYS),
    "counter_machine": (counter_machine, COUNTER_KEYS),
    "weighted_automaton": (weighted_automaton, WEIGHTED_KEYS),
    "weighted_pushdown_automaton": (weighted_pushdown_automaton, PUSHDOWN_KEYS),
}


def read_yaml_file(path: Path) -> MachineFile:
    """Return the machine in the YAML file at `path`.

    Raises
    ------
    MachineFileError
        If the file cannot be read, or with all its faults.
    """
    return read_yaml(read_text(path), name=path.stem, subject=subject_of(path))


def read_yaml(document: str, *, name: str = "machine", subject: str = "machine text") -> MachineFile:
    """Return the machine that a YAML document describes.

    Parameters
    ----------
    document : str
        The text; a whole document of turingmachine.io, its ``source code`` alone, or our own format.
    name : str
        The name of a machine whose document has none.
    subject : str
        How error messages name the text.

    Raises
    ------
    MachineFileError
        With all faults of the document, each with its line.

    Examples
    --------
    >>> found = read_yaml('''
    ... blank: 0
    ... start state: A
    ... table:
    ...   A: {0: {write: 1, R: B}, 1: {write: 1, L: B}}
    ...   B: {0: {write: 1, L: A}, 1: {R: H}}
    ...   H:
    ... ''')
    >>> found.machine.halt_state, found.machine.transitions["B"]["1"]
    ('H', Rule(next_state='H', written='1', move='R'))
    >>> read_yaml("kind: dfa")
    Traceback (most recent call last):
    ...
    exactnn.errors.MachineFileError: machine text: line 1: 'start state:' is missing: add it; \
line 1: 'final states:' is missing: add it; line 1: 'table:' is missing: add it
    """
    faults = FaultList(subject)
    if len(document) > MAX_BYTES:
        faults.add(1, f"the text has {len(document)} characters, the limit is {MAX_BYTES}: it holds one machine")
        raise faults.error()
    with Uninterrupted("loading PyYAML"):
        from exactnn.machine_files.yaml_parser import compose

    found = _machine_file(compose(document, faults), name, faults)
    faults.raise_any()
    assert found is not None  # a reader that returns nothing has noted why
    return found


def _machine_file(root: Node | None, name: str, faults: FaultList) -> MachineFile | None:
    if root is None:
        if not faults:
            faults.add(1, "there is no machine in it: write 'kind:', 'start state:' and 'table:'")
        return None
    if isinstance(root, MapNode) and any(isinstance(k, TextNode) and k.text == "source code" for k, _ in root.pairs):
        outer = fields(root, _WRAPPER_KEYS, faults, "a document with 'source code:'")
        own_name = text(outer["name"], faults) if "name" in outer else None
        return _document(_inner(outer["source code"], faults), name if own_name is None else own_name, faults)
    return _document(root, name, faults)


def _inner(field: Field, faults: FaultList) -> Node | None:
    """Return the root of the YAML text inside ``source code:``, with the line numbers of the outer text."""
    code = text(field, faults)
    if code is None or not isinstance(field.node, TextNode):
        return None
    block = field.node.block
    with Uninterrupted("loading PyYAML"):
        from exactnn.machine_files.yaml_parser import compose

    root = compose(code, faults, first_line=field.node.line + block, one_line=not block)
    if root is None and not faults:
        faults.add(field.line, "'source code:' is empty: write 'blank:', 'start state:' and 'table:' in it")
    return root


def _document(root: Node | None, name: str, faults: FaultList) -> MachineFile | None:
    if root is None:
        return None
    kind = _kind(root, faults)
    if kind is None:
        return None
    build, keys_of_kind = _BUILDERS[kind]
    keys = fields(root, (*_ABOUT_KEYS, *keys_of_kind), faults, "the document")
    about = {key: text(keys[key], faults) for key in _ABOUT_KEYS[1:-2] if key in keys}
    own_name = about.get("name")
    name = name if own_name is None else own_name
    machine = build(keys, name, faults, root.line)
    return None if machine is None else _with_runs(machine, name, about, keys, faults)


def _kind(root: Node, faults: FaultList) -> str | None:
    """Return the kind of machine: a Turing machine where the document does not say."""
    if not isinstance(root, MapNode):
        faults.add(root.line, "a machine is a mapping: write 'kind:', 'start state:' and 'table:' as keys")
        return None
    ignored = FaultList(faults.subject)  # repeated keys are noted when all keys are read
    for field in entries(root, ignored, "a key"):
        if field.key == "kind":
            return choice(field, tuple(_BUILDERS), faults)
    return "turing_machine"


def _with_runs(
    machine: Machine, name: str, about: Mapping[str, str | None], keys: Mapping[str, Field], faults: FaultList
) -> MachineFile:
    return MachineFile(
        machine=machine,
        name=name,
        title=(about.get("title") or "").strip(),
        description=(about.get("description") or "").strip(),
        source=(about.get("source") or "").strip(),
        tags=tags(keys.get("tags"), faults),
        expectations=expectations(keys.get("expect"), machine, faults),
        sample_input=word(keys["input"], machine.input_symbols, faults) if "input" in keys else None,
    )
