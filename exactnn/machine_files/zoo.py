"""The zoo: machines that come with exactnn, one YAML file each in the folder ``machines/``.

An installed wheel carries the folder inside the package; in a working copy it is the package's sibling.
"""

import difflib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from exactnn.errors import MachineFileError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.machine_files.text_file import read_text, subject_of
from exactnn.markup import Table, Tabular

__all__ = ["Zoo", "ZooEntry", "zoo", "zoo_names", "zoo_path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooEntry:
    """One machine of the zoo: its name, its kind as in ``kind:``, and one line about it."""

    name: str
    kind: str
    summary: str


class Zoo(Tabular, tuple[ZooEntry, ...]):
    """The machines that come along: a tuple of entries, which notebooks and terminals show as a table."""

    __slots__ = ()

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = tuple((entry.name, entry.kind.replace("_", " "), " ".join(entry.summary.split())) for entry in self)
        return Table(heading=("name", "kind", "what it is"), rows=rows, longest=1000)

    def __repr__(self) -> str:
        return f"<Zoo of {len(self)} machines: {', '.join(entry.name for entry in self)}>"


def zoo() -> Zoo:
    """Return the machines of the zoo in the order of their names; only the head of each file is read.

    Examples
    --------
    >>> [entry.kind for entry in zoo() if entry.name == "parity"]
    ['dfa']
    """
    return Zoo(_entry(name, path) for name, path in sorted(_paths().items()))


def zoo_names() -> tuple[str, ...]:
    """Return the names of the zoo's machines, sorted.

    >>> "palindrome" in zoo_names()
    True
    """
    return tuple(sorted(_paths()))


def zoo_path(name: str) -> Path:
    """Return the file of the zoo's machine `name`.

    Raises
    ------
    MachineFileError
        If there is none; near names are proposed.
    """
    paths = _paths()
    if name in paths:
        return paths[name]
    near = difflib.get_close_matches(name[:80], paths, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise MachineFileError(f"machine {shown(name)}", [f"there is no such machine: {hint}'exactnn zoo' lists them"])


@cache
def _paths() -> dict[str, Path]:
    return {path.stem: path for path in _folder().glob("*.yaml")}


def _folder() -> Path:
    """Return the folder of machines: in the package (installed), or beside it (working copy)."""
    installed = Path(str(files("exactnn"))) / "machines"
    return installed if installed.is_dir() else Path(str(files("exactnn"))).parent / "machines"


def _entry(name: str, path: Path) -> ZooEntry:
    """Return the entry of a file, reading only as far as its kind and title."""
    with Uninterrupted("loading PyYAML"):  # only when a file is read
        from exactnn.machine_files.yaml_parser import leading_texts

    found = leading_texts(read_text(path), {"kind", "title"}, subject_of(path))
    return ZooEntry(name=name, kind=found.get("kind", "turing_machine"), summary=found.get("title", ""))
