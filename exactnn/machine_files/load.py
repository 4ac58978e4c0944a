"""Loading a machine from whatever names it, or from its text: the zoo, a file, YAML, or bbchallenge text."""

import os
from pathlib import Path

from exactnn.automata import Machine
from exactnn.errors import MachineFileError, shown
from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.text_file import subject_of
from exactnn.machine_files.yaml_reader import read_yaml, read_yaml_file
from exactnn.machine_files.zoo import zoo_names, zoo_path

__all__ = ["load", "load_file"]


def load(source: str | os.PathLike[str]) -> Machine:
    """Return the machine that `source` names.

    Parameters
    ----------
    source : str or path
        The name of a machine of the zoo, the path of a YAML file (ours or turingmachine.io's), bbchallenge text, or
        YAML text, which has more than one line. A name of the zoo comes before a file of that name in the working
        folder: write ``./name`` for the file.

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
    return load_file(source).machine


def load_file(source: str | os.PathLike[str]) -> MachineFile:
    """Return the machine that `source` names, with its title, source and expectations.

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
        if is_bbchallenge(source):
            machine = read_bbchallenge(source)
            return MachineFile(machine=machine, name=machine.name)
        if "\n" in source.strip():
            return read_yaml(source)
        if not _is_path(source):
            _refuse_near_files(source)
            zoo_path(source)  # raises, and proposes near names
    elif not isinstance(source, os.PathLike) or not isinstance(os.fspath(source), str):
        raise MachineFileError(f"machine {shown(source)}", ["give a name of the zoo, the path of a file, or its text"])
    path = Path(source)
    if path.suffix.lower() == ".json":
        raise MachineFileError(subject_of(path), ["a network is in .json files: exactnn.load_network reads it"])
    return read_yaml_file(path)


def _refuse_near_files(source: str) -> None:
    """Raise MachineFileError if there is a file that lacks only its ending in `source`."""
    for ending in (".yaml", ".yml"):
        if source and _exists(source + ending):
            fault = f"there is no such machine: did you mean the file {shown(source + ending)}?"
            raise MachineFileError(f"machine {shown(source)}", [fault])


def _is_path(source: str) -> bool:
    """Return whether a text that is neither name nor bbchallenge text is meant as a path."""
    if any(separator in source for separator in ("/", "\\")) or source.lower().endswith((".yaml", ".yml", ".json")):
        return True
    return bool(source) and _exists(source)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False
