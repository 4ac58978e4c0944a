"""A disagreement in words: the machine, the word, both sides, and the command that shows it again."""

import os
import shlex

from exactnn.errors import shown
from exactnn.machine_files import MachineFile, write_yaml
from exactnn.outcome import Outcome
from exactnn.testing.compiler import is_code, is_found_by_name
from exactnn.testing.disagreement import Disagreement
from exactnn.testing.replay_file import replay_text

__all__ = ["difference_lines", "disagreement_text", "expected_text", "replay_command"]

CELLS = 200
"""Characters of a configuration that are shown."""


def expected_text(found: Disagreement) -> str:
    """Return how the machine ends, by its definition."""
    moves = f"{found.moves} move{'s' * (found.moves != 1)}"
    return f"has not halted after {moves}" if found.expected is Outcome.STEP_LIMIT else f"{found.expected}, {moves}"


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
    machine = write_yaml(MachineFile(machine=found.machine, name=found.machine.name))
    return "\n".join(
        [
            f"{found.construction} in {found.rules.arithmetic} disagrees with its machine",
            f"word      {word}, length {len(found.word)}",
            f"expected  {expected_text(found)}",
            f"found     {found.found}, {found.steps} step{'s' * (found.steps != 1)} of the network",
            *difference_lines(found),
            "machine:",
            *(f"  {line}" for line in machine.splitlines()),
            *_replay_lines(found),
        ]
    )


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
