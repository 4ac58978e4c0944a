"""``exactnn extract``: the automaton that a network is in an arithmetic, its minimal form, and its certificate."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import click
import numpy as np

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat, Rounding, counted
from exactnn.automata import DFA, MooreMachine
from exactnn.certificates.certificate_file import SIZE_LIMIT, save_certificate
from exactnn.cli.arguments import (
    arithmetic_named,
    arithmetic_option,
    by_option,
    check_acceptance,
    construction_option,
    json_option,
    machine_argument,
    max_bytes_option,
    max_seconds_option,
    max_states_option,
)
from exactnn.cli.automaton_text import (
    bound_text,
    label_data,
    label_rows,
    labels_text,
    states_text,
    transition_rows,
    word_text,
)
from exactnn.cli.output_files import (
    attempt,
    check_new_files,
    check_yaml_file,
    force_option,
    report_beside,
    save_text,
)
from exactnn.cli.printing import emit, emit_fields, emit_json, fits, search_progress, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Subject, load_subject
from exactnn.cli.weighted import extract_weighted
from exactnn.equivalence import (
    AutomatonTable,
    Extraction,
    dfa_of,
    extract_state_machine,
    minimal_table,
    moore_machine_of,
)
from exactnn.errors import CertificateError, ExactnnError, OptionError, shown
from exactnn.machine_files import MachineFile, write_dot, write_yaml
from exactnn.markup import printable
from exactnn.networks import Network, Protocol
from exactnn.outcome import Outcome
from exactnn.version import __version__

__all__ = ["command"]

MOST_ROWS = 32
"""States of a minimal automaton whose transitions are printed."""

FRONTIER = 5
"""Words to states without transitions that are named."""

MOST_IN_JSON = 1000
"""States of a minimal automaton whose transitions are in the JSON record."""


@click.command("extract")
@machine_argument
@arithmetic_option(
    help="Such as float16 or float8_e4m3; by its bits p20e8, in fixed point q8.8 (sign included) or uq0.8; or exact, "
    "for networks that are finite exactly."
)
@click.option("--rounding", metavar="MODE", help="Of the format, as in exactnn.Rounding.  [default: nearest even]")
@by_option("What the minimal automaton tells of words")
@construction_option
@max_states_option(
    help="States that may be found: 20 million unless given, and 50,000 where there may be no end of them."
)
@max_bytes_option
@max_seconds_option
@click.option("-o", "--output", metavar="FILE", help="Save the minimal automaton, if it is a DFA, as a machine file.")
@click.option("--dot", metavar="FILE", help="Save the minimal automaton as a graph in Graphviz' DOT language.")
@click.option(
    "--weighted",
    is_flag=True,
    help="The least weighted automaton with the same values; exact unless --format is given.",
)
@click.option("--certificate", metavar="FILE", help="Prove that no state is missing: for exactnn verify.")
@force_option
@json_option
def command(
    machine: str,
    arithmetic: str | None,
    rounding: str | None,
    by: str,
    construction: str | None,
    max_states: int | None,
    max_bytes: int,
    max_seconds: float | None,
    output: str | None,
    dot: str | None,
    weighted: bool,
    certificate: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Find all states of M's network in a format that words lead to, and print the automaton that they are.

    A state says how words end that lead to it: accepted, rejected, halted, or proven non-halting.

    With - as the FILE of -o or --dot it goes to standard output, and the report to standard error.

    Ctrl-C ends the search; what was found is printed then.
    """
    files = ExtractionFiles(output=output, dot=dot, certificate=certificate, force=force)
    files.check(as_json=as_json)
    if weighted:
        arithmetic = _weighted_arithmetic(arithmetic, by, certificate)
    number_system = _arithmetic(arithmetic, rounding)
    with working("compiling"):
        subject = load_subject(machine, construction)
    check_acceptance(subject.network, by)
    limits = {"max_states": max_states, "max_bytes": max_bytes, "max_seconds": max_seconds}
    search = partial(_search, arithmetic=number_system, limits=limits)
    if weighted:
        return extract_weighted(subject, number_system, search, output=output, dot=dot, force=force, as_json=as_json)
    found = search(subject.network)
    with working("minimising"):
        minimal = minimal_automaton(found, by_acceptance=by == "acceptance")
    with working("writing"):
        written, failure = files.write(found, minimal)
    record = extraction_record(subject, found, minimal, by) | written
    if as_json:
        emit_json(record)
    else:
        with report_beside(output, dot):
            emit_extraction(record, found, minimal)
    if failure is not None and found.complete:
        raise failure
    if failure is not None:
        click.echo(f"exactnn: {failure}", err=True)
    return 0 if found.complete else LIMIT_REACHED


def _search(network: Network, *, arithmetic: Arithmetic, limits: dict[str, Any]) -> Extraction:
    def line(expanded: int, found: int) -> str:
        return f"{counted(found, 'state')} found, {expanded:,} with all transitions"

    with search_progress(line) as meter:
        return extract_state_machine(network, arithmetic, **limits, progress=meter)


def _weighted_arithmetic(arithmetic: str | None, by: str, certificate: str | None) -> str:
    """Return the arithmetic that is meant with --weighted, and refuse what does not go with it."""
    if certificate is not None:
        raise OptionError("--weighted and --certificate: the certificate is of states, leave one out")
    if by == "acceptance":
        raise OptionError("--weighted and --by acceptance: a weighted automaton gives words values, leave one out")
    return arithmetic or "exact"


def _arithmetic(arithmetic: str | None, rounding: str | None) -> Arithmetic:
    """Return the arithmetic that the options name."""
    if arithmetic is None:
        raise OptionError("no --format: give one such as float16, or exact for networks that are finite exactly")
    chosen = arithmetic_named(arithmetic)
    if rounding is None:
        return chosen
    if not isinstance(chosen, FloatFormat | FixedPoint):
        raise OptionError(f"--rounding {shown(rounding)}: {chosen} arithmetic does not round, leave it out")
    return replace(chosen, rounding=Rounding.of(rounding), name="")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionFiles:
    """Names of files, or None; and whether files that are there may be replaced."""

    output: str | None
    dot: str | None
    certificate: str | None
    force: bool

    def check(self, *, as_json: bool) -> None:
        """Refuse names that cannot be written to, before anything is computed."""
        check_yaml_file("-o", self.output)
        files = (("-o", self.output), ("--dot", self.dot), ("--certificate", self.certificate))
        check_new_files(files, force=self.force, texts=("-o", "--dot"), as_json=as_json)

    def write(
        self, found: Extraction, minimal: AutomatonTable | None
    ) -> tuple[dict[str, str | None], ExactnnError | None]:
        """Write what can be written; return the names of the files, and what went wrong first.

        The report comes before that error: a search is worth keeping.
        """
        written: dict[str, str | None] = {}
        failure: ExactnnError | None = None
        writers: dict[str, Callable[[str], None]] = {
            "output": lambda name: save_text("-o", name, _machine_text(name, minimal), force=self.force),
            "dot": lambda name: save_text("--dot", name, _graph_text(name, minimal), force=self.force),
            "certificate": lambda name: _write_certificate(name, found, force=self.force),
        }
        for option, write in writers.items():
            written[option] = name = getattr(self, option)
            if name is not None and (unwritten := attempt(partial(write, name))):
                written[option] = None
                failure = failure or unwritten
        return written, failure


def _machine_text(name: str, minimal: AutomatonTable | None) -> str:
    machine = machine_of(_complete("-o", name, minimal))
    if not isinstance(machine, DFA):
        raise OptionError(
            f"-o {shown(name, limit=1000)} was not written: words do not only end accepted or rejected, so this is no "
            "DFA: give --by acceptance for the DFA of accepted words, or --dot"
        )
    title = f"Minimal automaton of {machine.name}"
    return write_yaml(MachineFile(machine=machine, name=machine.name, title=title))


def _graph_text(name: str, minimal: AutomatonTable | None) -> str:
    return write_dot(machine_of(_complete("--dot", name, minimal)))


def _write_certificate(name: str, found: Extraction, *, force: bool) -> None:
    if not found.complete:
        raise OptionError(f"--certificate {shown(name, limit=1000)} was not written: the search is not complete")
    save_certificate(found.certificate, name, replace=force)
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


def extraction_record(subject: Subject, found: Extraction, minimal: AutomatonTable | None, by: str) -> dict[str, Any]:
    """Return all of it as JSON data."""
    return {
        **subject.origin,
        "network": found.network.name,
        **subject.sizes,
        "arithmetic": str(found.arithmetic),
        "complete": found.complete,
        "reason": found.reason,
        "states": found.states,
        "eos_states": found.eos_states,
        "expanded": found.expanded,
        "bound": found.bound,
        "labels": None if found.table is None else label_rows(label_counts(found.table)),
        "by": by,
        "minimal": None if minimal is None else minimal_record(minimal),
        "frontier": [list(word) for word in found.frontier(FRONTIER)],
        "seconds": found.seconds,
        "exactnn": __version__,
    }


def emit_extraction(record: dict[str, Any], found: Extraction, minimal: AutomatonTable | None) -> None:
    """Print the record, and a small minimal automaton as a table."""
    by = f", by {record['construction']}" if record["construction"] else ""
    fields = {
        "machine": shortened(record["machine"], 60),
        "network": f"{record['neurons']:,} neurons, {record['weights']:,} weights{by}",
        "arithmetic": record["arithmetic"],
        "states": states_text(found.states, found.eos_states),
        "bound": bound_text(found.bound),
        "complete": _complete_text(found),
    }
    if found.table is not None:
        outputs = found.network.decision.protocol is Protocol.OUTPUTS
        fields["outputs" if outputs else "words end"] = labels_text(label_counts(found.table))
    if minimal is not None:
        fields["minimal"] = _minimal_text(minimal, record["by"])
    symbols = [a for a in found.network.input_symbols or () if isinstance(a, str)]
    fields["not followed"] = ", ".join(word_text(tuple(word), symbols) for word in record["frontier"])
    fields |= {option: printable(record[option] or "") for option in ("output", "dot", "certificate")}
    emit_fields(fields | {"time": f"{found.seconds:.3g} s"})
    if minimal is not None:
        _emit_table(minimal)


def _complete_text(found: Extraction) -> str:
    if found.complete:
        return "yes: these are all, whatever the word"
    if found.expanded == found.states:
        return f"no: {found.reason}; all states that words lead to are known, but not how each of them ends"
    return f"no: {found.reason}; {found.expanded:,} of the states have all their transitions"


def _minimal_text(minimal: AutomatonTable, by: str) -> str:
    kind = "a DFA" if is_dfa(minimal) else "a Moore machine"
    text = f"{counted(minimal.states, 'state')}, {kind}"
    return text + (" of accepted words" if by == "acceptance" else "")


def _emit_table(minimal: AutomatonTable) -> None:
    """Print the transitions, if there are few enough."""
    if minimal.states > MOST_ROWS:
        return
    table = machine_of(minimal).as_table()
    if fits(table):
        click.echo()
        emit(table)


def minimal_automaton(found: Extraction, *, by_acceptance: bool) -> AutomatonTable | None:
    """Return the minimal automaton of an extraction, None if that is not complete.

    By acceptance, every word that is not accepted counts as rejected, so that it is always a DFA.
    """
    if found.table is None:
        return None
    if not by_acceptance:
        return minimal_table(found.table)
    accepted = np.array([label is Outcome.ACCEPTED for label in found.table.label_names], dtype=np.int32)
    return minimal_table(
        AutomatonTable(
            transitions=found.table.transitions,
            labels=accepted[found.table.labels],
            symbols=found.table.symbols,
            label_names=(Outcome.REJECTED, Outcome.ACCEPTED),
            name=found.table.name,
        )
    )


def is_dfa(table: AutomatonTable) -> bool:
    """Whether every word is accepted or rejected."""
    return set(table.label_names) <= {Outcome.ACCEPTED, Outcome.REJECTED}


def machine_of(table: AutomatonTable) -> DFA | MooreMachine:
    """Return a table as a machine with names for its states."""
    if is_dfa(table):
        return dfa_of(table, accept=lambda label: label is Outcome.ACCEPTED)
    return moore_machine_of(table)


def label_counts(table: AutomatonTable) -> dict[Any, int]:
    """Return how many states have each label, those with most states first."""
    states = np.bincount(table.labels, minlength=len(table.label_names)).tolist()
    return dict(Counter(dict(zip(table.label_names, states, strict=True))).most_common())


def minimal_record(table: AutomatonTable) -> dict[str, Any]:
    """Return a minimal automaton as JSON data, with its transitions if it is not large."""
    record = {
        "kind": "dfa" if is_dfa(table) else "moore_machine",
        "states": table.states,
        "labels": label_rows(label_counts(table)),
        "initial_state": str(table.initial_state),
    }
    if table.states > MOST_IN_JSON:
        return record | {"outputs": None, "transitions": None}
    outputs = {str(state): label_data(table.label_names[label]) for state, label in enumerate(table.labels.tolist())}
    return record | {"outputs": outputs, "transitions": transition_rows(machine_of(table))}
