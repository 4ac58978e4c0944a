"""A disagreement in words: the machine, the word, both sides, and the command that shows it again."""

from exactnn.machine_files import MachineFile, write_yaml
from exactnn.outcome import Outcome
from exactnn.testing.compiler import is_code
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
            "replay with:",
            replay_command(found),
        ]
    )


def replay_command(found: Disagreement, file: str | None = None) -> str:
    """Return the command that shows a disagreement again: with a replay file, or with all of it written out."""
    trusted = f" --construction {found.construction}" if is_code(found.construction) else ""
    if file is not None:
        return f"exactnn fuzz --replay {file}{trusted}"
    return f"exactnn fuzz --replay -{trusted} <<'END'\n{replay_text(found)}END"


def _cut(configuration: object) -> str:
    text = str(configuration)
    return text if len(text) <= CELLS else f"{text[: CELLS - 3]}..."
