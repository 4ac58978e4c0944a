"""Machines by name: from the zoo, from a file of any format, or from text."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from exactnn.automata import Machine, names_machine
from exactnn.errors import MachineFileError, OptionError, shown
from exactnn.files import Data, data_rows
from exactnn.interrupts import Uninterrupted, loaded
from exactnn.machine_files.automata_lib import from_automata_lib
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.text_file import read_text, subject_of
from exactnn.machine_files.yaml_reader import read_yaml_file
from exactnn.markup import Table, Tabular

_YAML_ENDINGS = (".yaml", ".yml")
_FILE_ENDINGS = (*_YAML_ENDINGS, ".jff", ".dot", ".gv")
"""Of what is meant as the path of a file, even where there is none."""

__all__ = ["Zoo", "ZooEntry", "holds_machine", "load", "load_file", "near_machines", "zoo", "zoo_names", "zoo_path"]


# --- The zoo: machines that come with exactnn, one YAML file each in the folder ``machines/``.
#
# An installed wheel carries the folder inside the package; in a working copy it is the package's sibling.


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooEntry:
    """One machine of the zoo: its name, its kind as in ``kind:``, one line about it, and its tags."""

    name: str
    kind: str
    summary: str
    tags: tuple[str, ...] = ()


class Zoo(Data, Tabular, tuple[ZooEntry, ...]):
    """The machines that come along: a tuple of entries, which notebooks and terminals show as a table."""

    __slots__ = ()

    def tagged(self, tag: str) -> Zoo:
        """Return the machines that carry a tag.

        Raises
        ------
        OptionError
            If none does; the tags that there are, are named.

        Examples
        --------
        >>> [entry.name for entry in zoo().tagged("universal")]
        ['neary-woods-15-2', 'rogozhin-4-6']
        """
        known = sorted({name for entry in self for name in entry.tags})
        if not isinstance(tag, str) or tag not in known:
            near = difflib.get_close_matches(tag[:80].lower(), known, n=1) if isinstance(tag, str) else []
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(f"no machine has the tag {shown(tag)}: {hint}the tags are {', '.join(known)}")
        return Zoo(entry for entry in self if tag in entry.tags)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each entry, with its fields."""
        return data_rows(self)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = tuple((entry.name, entry.kind.replace("_", " "), " ".join(entry.summary.split())) for entry in self)
        return Table(heading=("name", "kind", "what it is"), rows=rows, longest=1000)

    def __repr__(self) -> str:
        return f"<Zoo of {len(self)} machines: {', '.join(entry.name for entry in self)}>"


def zoo(tag: str | None = None) -> Zoo:
    """Return the machines of the zoo in the order of their names; only the head of each file is read.

    Parameters
    ----------
    tag : str, optional
        Those that carry it: :meth:`Zoo.tagged`, which raises OptionError where there is none.

    Examples
    --------
    >>> [entry.kind for entry in zoo() if entry.name == "parity"]
    ['dfa']
    """
    entries = Zoo(_entry(name, path) for name, path in sorted(_paths().items()))
    return entries if tag is None else entries.tagged(tag)


def zoo_names() -> tuple[str, ...]:
    """Return the names of the zoo's machines, sorted.

    >>> "palindrome" in zoo_names()
    True
    """
    return tuple(sorted(_paths()))


def near_machines(name: str, cutoff: float = 0.5) -> list[str]:
    """Return names of the zoo that somebody may mean, or that of a network.

    >>> near_machines("busybeaver"), near_machines("lstm-anbn")
    (['bb2', 'bb3', 'bb4', 'bb5'], ['lstm_anbn'])
    """
    if "beaver" in name[:80].lower():
        return sorted(path for path in _paths() if re.fullmatch("bb[0-9]", path))
    networks = difflib.get_close_matches(name[:80], _networks(), n=1, cutoff=0.8)
    return networks or difflib.get_close_matches(name[:80], _paths(), n=3, cutoff=cutoff)


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
    if name in _networks():
        fault = f"this is a network, and needs no machine: exactnn.{name}() makes it"
    elif (parts := name.rpartition("@"))[0] in paths or parts[0] in _networks():
        fault = (
            f"a name with a format is for 'exactnn compare' and equivalent: give {parts[0]}, and the format by itself, "
            f"as --arithmetic or arithmetic={shown(parts[2])}"
        )
    else:
        near = near_machines(name)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        what = "file, and no such machine" if "." in name else "machine"
        fault = f"there is no such {what}: {hint}'exactnn zoo' lists them"
    raise MachineFileError(f"machine {shown(name)}", [fault])


def _networks() -> Mapping[str, str]:
    """Return the networks that have names, too: none is a machine, but somebody may take it for one."""
    networks: Mapping[str, str] = loaded("exactnn.constructions").NETWORKS  # they stand on machines
    return networks


@cache
def _paths() -> dict[str, Path]:
    return {path.stem: path for path in _folder().glob("*.yaml")}


def _folder() -> Path:
    """Return the folder of machines: in the package (installed), or beside it (working copy)."""
    installed = Path(str(files("exactnn"))) / "machines"
    return installed if installed.is_dir() else Path(str(files("exactnn"))).parent / "machines"


def _entry(name: str, path: Path) -> ZooEntry:
    """Return the entry of a file, reading only as far as its kind, title and tags."""
    with Uninterrupted("loading PyYAML"):  # only when a file is read
        from exactnn.machine_files.yaml_parser import leading_texts

    found = leading_texts(read_text(path), {"kind", "title", "tags"}, subject_of(path))
    kind, title = (" ".join(found.get(key, ())) for key in ("kind", "title"))
    return ZooEntry(name=name, kind=kind or "turing_machine", summary=title, tags=found.get("tags", ()))


def load(source: Any) -> Machine:
    """Return the machine that `source` names.

    Parameters
    ----------
    source : str, path, Machine or machine of automata-lib
        The name of a machine of the zoo, the path of a file in any of the formats of
        :data:`~exactnn.machine_files.FORMATS` (YAML, JFLAP and others, told apart by what is in the file), bbchallenge
        text, or the text of a file, which has more than one line. A name of the zoo comes before a file of that name in
        the working folder: write ``./name`` for the file. A machine is returned as it is, one of automata-lib as
        :func:`~exactnn.machine_files.from_automata_lib` reads it.

    Raises
    ------
    MachineFileError
        If there is no such machine, or with all faults of its file.

    Examples
    --------
    >>> load("parity").input_symbols
    ('0', '1')
    >>> load("1RB1LB_1LA1RZ").states
    ('A', 'B', 'Z')
    >>> load('''
    ... kind: dfa
    ... start state: even
    ... final states: [even]
    ... table:
    ...   even: {a: odd}
    ...   odd: {a: even}
    ... ''').final_states
    ('even',)
    >>> load("palindrom")
    Traceback (most recent call last):
    ...
    exactnn.errors.MachineFileError: machine 'palindrom': there is no such machine: did you mean palindrome? \
'exactnn zoo' lists them
    """
    if isinstance(source, Machine):
        return source
    if names_machine(source) and not isinstance(source, str | os.PathLike):
        machine: Machine = from_automata_lib(source)
        return machine
    return load_file(source).machine


def load_file(source: str | os.PathLike[str]) -> MachineFile:
    """Return the machine that `source` names, with its title, source and expectations, and the format it was read as.

    The parameters and errors are those of :func:`load`.

    Examples
    --------
    >>> found = load_file("bb2")
    >>> found.expectations[0].steps, found.expectations[0].nonblank
    (6, 4)
    """
    if isinstance(source, str):
        if source in zoo_names():
            return read_yaml_file(zoo_path(source))
        if "\n" in source.strip() or _is_text(source):
            return _read(source)
        if not _is_path(source):
            _refuse_near_files(source)
            zoo_path(source)  # raises, and proposes near names
    elif not isinstance(source, os.PathLike) or not isinstance(os.fspath(source), str):
        raise MachineFileError(f"machine {shown(source)}", ["give a name of the zoo, the path of a file, or its text"])
    path = Path(source)
    if path.suffix.lower() == ".json" and os.path.isfile(path) and not holds_machine(path):
        raise MachineFileError(subject_of(path), ["a network is in .json files: exactnn.load_network reads it"])
    reader = loaded("exactnn.networks.any_network").MODEL_READERS.get(path.suffix.lower())
    if reader is not None:
        raise MachineFileError(subject_of(path), [f"a trained model is in {path.suffix} files: {reader} reads it"])
    if path.suffix.lower() in _YAML_ENDINGS:
        return _read(read_text(path), name=path.stem, subject=subject_of(path), yaml=True)
    return _read(read_text(path), name=path.stem, subject=subject_of(path))


def _read(text: str, **options: Any) -> MachineFile:
    found: MachineFile = loaded("exactnn.machine_files.formats").read_machine(text, **options)
    return found


def _format_of(text: str) -> str:
    """Return the name of the format that a text looks like, "" if like none."""
    found = loaded("exactnn.machine_files.formats").format_of(text)  # the zoo does without
    return "" if found is None else str(found.name)


def holds_machine(path: Path) -> bool:
    """Return whether a file that can be read looks like a machine in JSON, and not like a network."""
    try:
        return _format_of(read_text(path)) == "automata-lib"
    except MachineFileError:
        return False


def _refuse_near_files(source: str) -> None:
    """Raise MachineFileError if there is a file that lacks only its ending in `source`."""
    for ending in _FILE_ENDINGS:
        if source and _exists(source + ending):
            fault = f"there is no such machine: did you mean the file {shown(source + ending)}?"
            raise MachineFileError(f"machine {shown(source)}", [fault])


def _is_path(source: str) -> bool:
    """Return whether a text that is neither name nor bbchallenge text is meant as a path."""
    if any(separator in source for separator in ("/", "\\")) or source.lower().endswith((*_FILE_ENDINGS, ".json")):
        return True
    return bool(source) and _exists(source)


def _is_text(source: str) -> bool:
    """Return whether a text of one line is a machine in a format that is no YAML, and no name of a file."""
    found = _format_of(source)
    return found == "bbchallenge" or (found not in ("", "YAML") and not _exists(source))


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False
