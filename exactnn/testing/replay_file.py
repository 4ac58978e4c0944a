"""Replay files, and what is told of a failure."""

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from exactnn.arithmetic import ARITHMETICS, Arithmetic, EnclosingArithmetic, arithmetic_from_json, arithmetic_to_json
from exactnn.automata import Machine, as_word
from exactnn.errors import ExactnnError, MachineFileError, OptionError, WordError, shown
from exactnn.files import write_file
from exactnn.interrupts import Uninterrupted
from exactnn.machine_files import MachineFile, read_yaml, write_yaml
from exactnn.machine_files.fields import FaultList, Field, ListNode, TextNode, choice, fields, number, text
from exactnn.machine_files.text_file import MAX_BYTES, decoded, read_text, subject_of
from exactnn.outcome import Outcome
from exactnn.testing.compiler import is_code, is_found_by_name
from exactnn.testing.disagreement import BY, Disagreement, Rules

__all__ = [
    "FORMAT",
    "Replay",
    "difference_lines",
    "disagreement_text",
    "expected_text",
    "load_replay",
    "machine_text",
    "read_replay",
    "replay_command",
    "replay_text",
    "save_replay",
]


# --- Replay files: a machine and a word on which something disagrees, as YAML that people read and `exactnn fuzz`
# replays.
#
# A file from somebody else is data: the code that it may name is imported only where the caller names it too.

FORMAT = "exactnn replay 1"
_KEYS = ("format", "construction", "arithmetic", "by", "max moves", "slowdown", "word", "expected", "found", "machine")
_NEEDED = ("construction", "arithmetic", "word", "machine")
_LONGEST_WORD = 10**5


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a replay file says.

    Parameters
    ----------
    machine : Machine
    word : tuple of str
    construction : str
        A name, or ``module:function``.
    rules : Rules
    expected, found : str
        How machine and network ended when the file was written.
    """

    machine: Machine
    word: tuple[str, ...]
    construction: str
    rules: Rules
    expected: str
    found: str


def replay_text(found: Disagreement) -> str:
    """Return a disagreement as the text of a replay file.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.testing.compiler import compiler
    >>> from exactnn.testing.disagreement import compare
    >>> text = replay_text(compare(compiler("literal_book"), load("anbn"), "ab"))
    >>> print("\\n".join(text.splitlines()[:10]))
    format: exactnn replay 1
    construction: "literal_book"
    arithmetic: "exact"
    by: outcome
    max moves: 100
    slowdown: 16
    word: ["a", "b"]
    expected: "accepted"
    found: "rejected"
    machine: |
    >>> read_replay(text).word
    ('a', 'b')
    """
    rules = found.rules
    fields = {
        "construction": json.dumps(found.construction),
        "arithmetic": json.dumps(_arithmetic_text(rules.arithmetic)),
        "by": rules.by,
        "max moves": rules.max_moves,
        "slowdown": rules.slowdown,
        "word": json.dumps(list(found.word)),
        "expected": json.dumps(str(found.expected)),
        "found": json.dumps(found.found),
    }
    machine = write_yaml(MachineFile(machine=found.machine, name=found.machine.name))
    lines = [f"format: {FORMAT}", *(f"{key}: {value}" for key, value in fields.items()), "machine: |"]
    return "\n".join([*lines, *(f"  {line}" for line in machine.splitlines()), ""])


def save_replay(found: Disagreement, path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write a replay file; one that is there is replaced in one step, unless `replace` is false.

    Raises
    ------
    OptionError
        If it cannot be written.
    """
    subject = f"replay file {shown(str(path), limit=200)} cannot be written"
    write_file(path, replay_text(found).encode("utf-8"), error=OptionError, subject=subject, replace=replace)


def load_replay(path: str | os.PathLike[str]) -> Replay:
    """Return what the replay file at `path` says.

    Raises
    ------
    MachineFileError
        If it cannot be read, or with all its faults.
    """
    return read_replay(read_text(Path(path)), subject=subject_of(Path(path)).replace("machine file", "replay file"))


def read_replay(document: str | bytes, *, subject: str = "replay text") -> Replay:
    """Return what the text of a replay file says.

    Raises
    ------
    MachineFileError
        With all its faults, each with its line.
    """
    if isinstance(document, bytes):
        document = decoded(document, subject)
    faults = FaultList(subject)
    if len(document) > MAX_BYTES:
        faults.add(1, f"the text has {len(document)} characters, the limit is {MAX_BYTES}: it holds one machine")
        raise faults.error()
    with Uninterrupted("loading PyYAML"):
        from exactnn.machine_files.yaml_parser import compose

    root = compose(document, faults)
    if root is None:
        if not faults:
            faults.add(1, f"there is no replay in it: its first line is 'format: {FORMAT}'")
        raise faults.error()
    found = _replay(fields(root, _KEYS, faults, "the replay file"), faults)
    faults.raise_any()
    assert found is not None  # what is missing was noted
    return found


def _replay(keys: dict[str, Field], faults: FaultList) -> Replay | None:
    if "format" not in keys or text(keys["format"], faults) != FORMAT:
        faults.add(1, f"it is no replay file: its first line is 'format: {FORMAT}'")
        return None
    for key in _NEEDED:
        if key not in keys:
            faults.add(1, f"'{key}:' is missing: add it")
    rules = _rules(keys, faults)
    machine = _machine(keys["machine"], faults) if "machine" in keys else None
    word = _word(keys["word"], machine, faults) if "word" in keys and machine is not None else None
    construction = text(keys["construction"], faults) if "construction" in keys else None
    said = {key: (text(keys[key], faults) or "") if key in keys else "" for key in ("expected", "found")}
    if faults or rules is None or machine is None or word is None or construction is None:
        return None
    return Replay(machine=machine, word=word, construction=construction, rules=rules, **said)


def _rules(keys: dict[str, Field], faults: FaultList) -> Rules | None:
    options: dict[str, object] = {}
    if "arithmetic" in keys and (name := text(keys["arithmetic"], faults)) is not None:
        try:
            options["arithmetic"] = _arithmetic(name)
        except (ExactnnError, ValueError, RecursionError) as error:
            faults.add(keys["arithmetic"].line, f"'arithmetic:' {error}")
    if "by" in keys:
        options["by"] = choice(keys["by"], BY, faults)
    for key in ("max moves", "slowdown"):
        if key in keys:
            options[key.replace(" ", "_")] = number(keys[key], faults)
    if faults:
        return None
    try:
        return Rules(**options)  # type: ignore[arg-type]
    except OptionError as error:
        faults.add(1, str(error))
        return None


def _machine(field: Field, faults: FaultList) -> Machine | None:
    document = text(field, faults)
    if document is None:
        return None
    try:
        return read_yaml(document).machine
    except MachineFileError as error:
        for fault in error.faults:
            faults.add(field.line, f"'machine:' {fault}")
        return None


def _word(field: Field, machine: Machine, faults: FaultList) -> tuple[str, ...] | None:
    items = field.node.items if isinstance(field.node, ListNode) else None
    if items is None or len(items) > _LONGEST_WORD or not all(isinstance(item, TextNode) for item in items):
        faults.add(field.line, f"'word:' is a list of at most {_LONGEST_WORD} symbols: write [a, b], or [] for none")
        return None
    try:
        return as_word([item.text for item in items if isinstance(item, TextNode)], machine.input_symbols)
    except WordError as error:
        faults.add(field.line, f"'word:' {error}")
        return None


def _arithmetic_text(arithmetic: Arithmetic) -> str:
    named = ARITHMETICS.get(str(arithmetic))
    return str(arithmetic) if named == arithmetic else json.dumps(arithmetic_to_json(arithmetic))


def _arithmetic(name: str) -> Arithmetic:
    found = ARITHMETICS[name] if name in ARITHMETICS else arithmetic_from_json(json.loads(name))
    if isinstance(found, EnclosingArithmetic):
        raise OptionError(f"arithmetic {name} gives enclosures, not numbers to compare: give another")
    return found


# --- A disagreement in words: the machine, the word, both sides, and the command that shows it again.

CELLS = 200
"""Characters of a configuration that are shown."""


def expected_text(found: Disagreement) -> str:
    """Return how the machine ends, by its definition."""
    moves = f"{found.moves} move{'s' * (found.moves != 1)}"
    if found.expected is Outcome.STEP_LIMIT:
        return f"has not halted after {moves}"
    return f"{found.expected}, {moves}" + ("" if found.value is None else f", value {found.value}")


def difference_lines(found: Disagreement) -> list[str]:
    """Return both configurations after the first move where they differ, if that is known."""
    difference = found.difference
    if difference is None:
        return []
    return [
        f"first difference after move {difference.move}:",
        f"  machine  {_cut(difference.machine)}",
        f"  network  {_cut(difference.network)}",
    ]


def disagreement_text(found: Disagreement) -> str:
    """Return a disagreement for the message of a failed test.

    Examples
    --------
    >>> from exactnn.machine_files import load
    >>> from exactnn.testing.compiler import compiler
    >>> from exactnn.testing.disagreement import compare
    >>> print(disagreement_text(compare(compiler("literal_book"), load("anbn"), "ab")).partition("machine:")[0])
    literal_book in exact disagrees with its machine
    word      a b, length 2
    expected  accepted, 6 moves
    found     rejected, 7 steps of the network
    <BLANKLINE>
    """
    word = " ".join(found.word) or "(empty)"
    return "\n".join(
        [
            f"{found.construction} in {found.rules.arithmetic} disagrees with its machine",
            f"word      {word}, length {len(found.word)}",
            f"expected  {expected_text(found)}",
            f"found     {found.found}, {found.steps} step{'s' * (found.steps != 1)} of the network",
            *difference_lines(found),
            "machine:",
            *(f"  {line}" for line in machine_text(found.machine).splitlines()),
            *_replay_lines(found),
        ]
    )


def machine_text(machine: Machine) -> str:
    """Return a machine as a file has it."""
    return write_yaml(MachineFile(machine=machine, name=machine.name))


def _replay_lines(found: Disagreement) -> list[str]:
    if not is_found_by_name(found.construction):
        name = shown(found.construction, limit=200)
        return [f"no command shows it again: {name} is no function of a module that can be imported"]
    return ["replay with:", replay_command(found)]


def replay_command(found: Disagreement, file: str | None = None) -> str:
    """Return the command that shows a disagreement again: with a replay file, or with all of it written out."""
    trusted = f" --construction {_quoted(found.construction)}" if is_code(found.construction) else ""
    if file is not None:
        return f"exactnn fuzz --replay {_quoted(file)}{trusted}"
    return f"exactnn fuzz --replay -{trusted} <<'END'\n{replay_text(found)}END"


def _quoted(text: str) -> str:
    """Return `text` as one word of a shell, on one line.

    >>> print(_quoted("my file"), _quoted("two\\nlines"))
    'my file' $'two\\u000alines'
    """
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def _escaped(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    if "\ud800" <= character <= "\udfff":  # a byte of a file's name that is no text
        return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
    return f"\\U{ord(character):08x}" if character > "\uffff" else f"\\u{ord(character):04x}"


def _cut(configuration: object) -> str:
    text = str(configuration)
    return text if len(text) <= CELLS else f"{text[: CELLS - 3]}..."
