"""The files that ``exactnn extract`` writes: machine file, graph, certificate."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from exactnn.automata import DFA
from exactnn.certificates.certificate_file import SIZE_LIMIT, save_certificate
from exactnn.cli.minimal_automaton import machine_of
from exactnn.cli.text_files import check_new_files, write_text_file
from exactnn.equivalence import AutomatonTable, Extraction
from exactnn.errors import CertificateError, ExactnnError, OptionError, shown
from exactnn.machine_files import MachineFile, write_dot, write_yaml

__all__ = ["ExtractionFiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionFiles:
    """Names of files, or None."""

    output: str | None
    dot: str | None
    certificate: str | None

    def check(self, *, force: bool) -> None:
        """Refuse names that cannot be written to, before anything is computed."""
        check_new_files({"-o": self.output, "--dot": self.dot, "--certificate": self.certificate}, force=force)

    def write(
        self, found: Extraction, minimal: AutomatonTable | None
    ) -> tuple[dict[str, str | None], ExactnnError | None]:
        """Write what can be written; return the names of the files, and what went wrong first.

        The report comes before that error: a search is worth keeping.
        """
        written: dict[str, str | None] = {}
        failure: ExactnnError | None = None
        writers: dict[str, Callable[[str], None]] = {
            "output": lambda name: _write_machine(name, minimal),
            "dot": lambda name: _write_graph(name, minimal),
            "certificate": lambda name: _write_certificate(name, found),
        }
        for option, write in writers.items():
            written[option] = name = getattr(self, option)
            if name is None:
                continue
            try:
                write(name)
            except ExactnnError as error:
                written[option] = None
                failure = failure or error
        return written, failure


def _write_machine(name: str, minimal: AutomatonTable | None) -> None:
    machine = machine_of(_complete("-o", name, minimal))
    if not isinstance(machine, DFA):
        raise OptionError(
            f"-o {shown(name, limit=1000)} was not written: words do not only end accepted or rejected, so this is no "
            "DFA: give --by acceptance for the DFA of accepted words, or --dot"
        )
    title = f"Minimal automaton of {machine.name}"
    write_text_file("-o", name, write_yaml(MachineFile(machine=machine, name=machine.name, title=title)))


def _write_graph(name: str, minimal: AutomatonTable | None) -> None:
    write_text_file("--dot", name, write_dot(machine_of(_complete("--dot", name, minimal))))


def _write_certificate(name: str, found: Extraction) -> None:
    if not found.complete:
        raise OptionError(f"--certificate {shown(name, limit=1000)} was not written: the search is not complete")
    save_certificate(found.certificate, name)
    size = os.path.getsize(name)
    if size > SIZE_LIMIT:
        raise CertificateError(
            f"--certificate {shown(name, limit=1000)} has {size:,} bytes: it is written, but exactnn verify reads "
            f"certificates of up to {SIZE_LIMIT:,}"
        )


def _complete(option: str, name: str, minimal: AutomatonTable | None) -> AutomatonTable:
    if minimal is None:
        raise OptionError(f"{option} {shown(name, limit=1000)} was not written: the search is not complete")
    return minimal
