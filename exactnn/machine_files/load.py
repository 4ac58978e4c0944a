"""Loading a machine from whatever names it: the zoo, a file, or bbchallenge text."""

import os
from pathlib import Path

from exactnn.automata import Machine
from exactnn.errors import MachineFileError, shown
from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.yaml_reader import read_yaml_file
from exactnn.machine_files.zoo import zoo_names, zoo_path

__all__ = ["load", "load_file"]


def load(source: str | os.PathLike[str]) -> Machine:
    """Return the machine that `source` names.

    Parameters
    ----------
    source : str or path
        The name of a machine of the zoo, the path of a YAML file (ours or turingmachine.io's), or bbchallenge
        text. A name of the zoo comes before a file of that name in the working folder: write ``./name`` for the
        file.

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
        if not _is_path(source):
            zoo_path(source)  # raises, and proposes near names
    elif not isinstance(source, os.PathLike) or not isinstance(os.fspath(source), str):
        raise MachineFileError(
            f"machine {shown(source)}", ["give a name of the zoo, the path of a file, or bbchallenge text"]
        )
    return read_yaml_file(Path(source))


def _is_path(source: str) -> bool:
    """Return whether a text that is neither name nor bbchallenge text is meant as a path."""
    if any(separator in source for separator in ("/", "\\")) or source.lower().endswith((".yaml", ".yml")):
        return "\n" not in source
    try:
        return bool(source) and Path(source).exists()
    except (OSError, ValueError):
        return False
