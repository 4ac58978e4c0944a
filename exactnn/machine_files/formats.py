"""The formats of machine files: how each is recognised by its content, read and written, and what it refuses.

A file is what its content says, whatever its name ends in. The first row that recognises it reads it; a text that none
recognises is refused with the names of all, unless its name ends in .yaml or .yml.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from exactnn.errors import MachineFileError
from exactnn.machine_files.bbchallenge import is_bbchallenge, read_bbchallenge
from exactnn.machine_files.dot_reader import is_dot, read_dot
from exactnn.machine_files.jflap import is_jflap, read_jflap
from exactnn.machine_files.machine_file import MachineFile
from exactnn.machine_files.morphett import is_morphett, read_morphett
from exactnn.machine_files.openfst import is_openfst, read_openfst
from exactnn.machine_files.tuples import is_automata_lib, is_doty, is_old_doty, read_automata_lib, read_doty
from exactnn.machine_files.yaml_reader import read_yaml

__all__ = ["FORMATS", "Format", "format_of", "read_machine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of machine files.

    Parameters
    ----------
    name : str
    is_like : callable
        Whether a text looks like it; the text may still have faults.
    read : callable, optional
        From the text, with the keywords `name` and `subject`, to a MachineFile; None where the format is known and not
        read.
    machines : str
        What it holds that is read.
    writer : str
        The name of the function of `exactnn.machine_files` that writes it; empty where none does.
    refused : str
        What it may hold that is refused, and why; of a format that is not read, what to do instead.
    """

    name: str
    is_like: Callable[[str], bool]
    read: Callable[..., MachineFile] | None
    machines: str
    writer: str = ""
    refused: str = ""


_YAML_KEYS = (
    "kind|name|title|description|source|source code|positions|table|start state|blank|input|input symbols|expect|"
    "final states|accept state|reject state|halt state|undefined|synonyms|initial|states|stacks|counters|tape"
)
_YAML = re.compile(rf"^[ \t]*+(?:---[ \t]++)?[{{]?[ \t]*+['\"]?(?:{_YAML_KEYS})['\"]?[ \t]*+:(?:\s|$)", re.MULTILINE)


def _is_yaml(text: str) -> bool:
    return _YAML.search(text) is not None and not (is_automata_lib(text) or is_doty(text))


def _bbchallenge(text: str, *, name: str, subject: str) -> MachineFile:
    machine = read_bbchallenge(text)
    return MachineFile(machine=machine, name=machine.name, format="bbchallenge")


FORMATS: tuple[Format, ...] = (
    Format(
        name="bbchallenge",
        is_like=is_bbchallenge,
        read=_bbchallenge,
        machines="busy beavers: Turing machines on a blank tape",
        writer="write_bbchallenge",
        refused="more than 26 states; written symbols of two digits",
    ),
    Format(
        name="bbchallenge id",
        is_like=lambda text: re.fullmatch(r"\s*(?:https?://)?(?:www\.)?bbchallenge\.org/\d+\s*", text) is not None,
        read=None,
        machines="",
        refused="a number names a machine of a database, which is not asked: give the text that its page shows",
    ),
    Format(
        name="JFLAP",
        is_like=is_jflap,
        read=read_jflap,
        machines="finite automata, deterministic pushdown automata, Moore and Mealy machines, "
        "Turing machines with one to five tapes",
        writer="write_jflap",
        refused="nondeterministic pushdown automata, grammars, expressions, building blocks, variables of transitions",
    ),
    Format(
        name="DOT",
        is_like=is_dot,
        read=read_dot,
        machines="DFAs, Moore and Mealy machines, as AALpy saves and `write_dot` draws them",
        writer="write_dot",
        refused="stochastic, nondeterministic and pushdown models; drawings of other machines; subgraphs, HTML labels",
    ),
    Format(
        name="Morphett",
        is_like=is_morphett,
        read=read_morphett,
        machines="Turing machines",
        refused="two rules for one state and symbol",
    ),
    Format(
        name="OpenFST",
        is_like=is_openfst,
        read=read_openfst,
        machines="acceptors as text, without weights",
        refused="weights, outputs of transducers, binary files",
    ),
    Format(
        name="automata-lib",
        is_like=is_automata_lib,
        read=read_automata_lib,
        machines="the parameters of a DFA, NFA, DPDA or DTM as JSON or YAML",
        refused="nondeterministic pushdown automata and Turing machines, several tapes, GNFAs",
    ),
    Format(
        name="Doty",
        is_like=is_doty,
        read=read_doty,
        machines="finite automata, and Turing machines with one to five tapes",
        refused="grammars and regular expressions",
    ),
    Format(
        name="Doty, older",
        is_like=is_old_doty,
        read=None,
        machines="",
        refused="write it as the simulator reads it today, in YAML: states: [q], delta: {q: {a: q}}",
    ),
    Format(
        name="HOA",
        is_like=lambda text: text.lstrip().startswith("HOA:"),
        read=None,
        machines="",
        refused="it is about infinite words, of which no machine here reads any: for LTL on finite words "
        "save the automaton as DOT or JFLAP",
    ),
    Format(
        name="FAdo",
        is_like=lambda text: re.match(r"\s*(?:#[^\n]*\n\s*)*@(?:DFA|NFA|Transducer)\b", text) is not None,
        read=None,
        machines="",
        refused="it is not read: save the automaton in FAdo as DOT, or write it in YAML",
    ),
    Format(
        name="YAML",
        is_like=_is_yaml,
        read=read_yaml,
        machines="every kind, in our format and that of turingmachine.io",
        writer="write_yaml",
        refused="anchors, aliases, tags",
    ),
)
"""All formats in the order in which they are tried."""


def format_of(text: str) -> Format | None:
    """Return the format that `text` looks like, or None.

    >>> format_of("1RB1LB_1LA1RZ").name, format_of("kind: dfa").name, format_of("Dear Sir or Madam")
    ('bbchallenge', 'YAML', None)
    """
    return next((row for row in FORMATS if row.is_like(text)), None)


def read_machine(text: str, *, name: str = "machine", subject: str = "machine text", yaml: bool = False) -> MachineFile:
    """Return the machine of a text in any of the formats.

    Parameters
    ----------
    text : str
    name : str
        The name of a machine whose text has none.
    subject : str
        How error messages name the text.
    yaml : bool
        Whether a text that no format recognises is read as YAML.

    Raises
    ------
    MachineFileError
        If no format recognises the text, or one does that is not read, or with all faults of the text.
    """
    found = format_of(text)
    if found is None and yaml:
        found = next(row for row in FORMATS if row.name == "YAML")
    if found is None:
        known = ", ".join(row.name for row in FORMATS if row.read is not None)
        nothing = "it is empty" if not text.strip() else "it looks like none of the formats"
        raise MachineFileError(subject, [f"line 1: {nothing} {known}: the ending .yaml says that it is YAML"])
    named: dict[str, Any] = {"name": name, "subject": subject if found.name == "YAML" else f"{subject} ({found.name})"}
    if found.read is None:
        raise MachineFileError(str(named["subject"]), [found.refused])
    return found.read(text, **named)
