"""What ``exactnn compare`` compares: M, or M@FORMAT for M's network in an arithmetic."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactnn.arithmetic import EXACT, Arithmetic
from exactnn.automata import Machine, kind_of
from exactnn.cli.arithmetics import arithmetic_named
from exactnn.cli.subject import Subject, is_network_file, load_subject
from exactnn.cli.text import shortened
from exactnn.machine_files import load_file

__all__ = ["Compared", "load_compared"]

_KINDS = {
    "dfa": "a DFA",
    "turing_machine": "a Turing machine, run by its definition",
    "stack_machine": "a stack machine, run by its definition",
    "counter_machine": "a counter machine, run by its definition",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One of the two: a machine by itself, or a network, compiled or from a file, in an arithmetic."""

    text: str
    name: str
    machine: Machine | None = None
    network: Subject | None = None
    arithmetic: Arithmetic = EXACT

    @property
    def is_compiled(self) -> bool:
        """Whether a construction made the network."""
        return self.network is not None and self.network.construction is not None

    @property
    def subject(self) -> Any:
        """What :func:`exactnn.equivalent` takes."""
        return self.machine if self.network is None else (self.network.runnable, self.arithmetic)

    def describe(self) -> str:
        """Return what it is for people."""
        name = shortened(self.name, 60)
        if self.network is None:
            assert self.machine is not None
            return f"{name}, {_KINDS[kind_of(self.machine)]}"
        made = self.network.construction
        what = f"{name}'s network by {made.name}" if made else f"the network {name}"
        neurons = self.network.network.neurons
        return f"{what} ({neurons:,} neuron{'s' * (neurons != 1)}) in {self.arithmetic}"

    def record(self) -> dict[str, Any]:
        """Return what it is as JSON data."""
        made = None if self.network is None else self.network.construction
        return {
            "given": self.text,
            "machine": self.name,
            "kind": "network" if self.machine is None else kind_of(self.machine),
            "construction": made.name if made else None,
            "arithmetic": None if self.network is None else str(self.arithmetic),
            "neurons": None if self.network is None else self.network.network.neurons,
        }


def load_compared(text: str, construction: str | None) -> Compared:
    """Return what `text` names: a machine is itself, with @FORMAT its network; a network file is meant exactly.

    Raises
    ------
    ExactnnError
        If there is no such machine, file or format, or the construction does not fit.
    """
    source, at, format = _parts(text)
    arithmetic = arithmetic_named(format, "the arithmetic after @,") if at else EXACT
    if is_network_file(source):
        network = load_subject(source, None)
    elif at:
        network = load_subject(source, construction)
    else:
        file = load_file(source)
        return Compared(text=text, name=file.name, machine=file.machine)
    return Compared(text=text, name=network.name, network=network, arithmetic=arithmetic)


def _parts(text: str) -> tuple[str, str, str]:
    """Return M, "@" and the format; a file whose name has an @ is itself."""
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # a NUL, a name that is too long
        is_file = False
    source, at, format = text.rpartition("@")
    return (text, "", "") if is_file or not at else (source, at, format)
