"""``exactnn extract --weighted``: the least weighted automaton with the values that a network gives words."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from exactnn.arithmetic import Arithmetic, ExactNumber, counted, exact
from exactnn.automata import WeightedAutomaton, minimal_weighted
from exactnn.cli.automaton_text import number_texts, transition_rows
from exactnn.cli.output_files import report_beside, save_text
from exactnn.cli.printing import emit, emit_fields, emit_json, fits, shortened, working
from exactnn.cli.subject import Subject
from exactnn.equivalence import Extraction, moore_machine_of
from exactnn.errors import NetworkError, NumberError, OptionError
from exactnn.machine_files import MachineFile, write_dot, write_yaml
from exactnn.markup import printable
from exactnn.networks import Decision, Network, Protocol, to_weighted
from exactnn.outcome import Outcome
from exactnn.version import __version__

__all__ = ["extract_weighted"]

MOST_ROWS = 32
"""States of an automaton that are printed."""


def extract_weighted(
    subject: Subject,
    arithmetic: Arithmetic,
    search: Callable[[Network], Extraction],
    *,
    output: str | None,
    dot: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Print and write the least weighted automaton with the values of a network; return the exit code.

    The value of a word is the output after it; where EOS symbols follow, 1 if the word is accepted, else 0. That of an
    exact linear network follows from its weights; of any other, `search` finds the states.

    Raises
    ------
    OptionError
        If the states are not all found within the limits, or what the network says of words are no numbers.
    """
    found = _weighted(subject, arithmetic, search)
    with working("minimising"):
        least = minimal_weighted(found).renamed(subject.name)
    name = f"{subject.name} in {arithmetic}"
    file = MachineFile(machine=least, name=subject.name, title=f"Least weighted automaton with the values of {name}")
    for option, path, text in (("-o", output, write_yaml(file)), ("--dot", dot, write_dot(least))):
        if path is not None:
            save_text(option, path, text, force=force)
    record = {
        **subject.origin,
        "network": subject.network.name,
        **subject.sizes,
        "arithmetic": str(arithmetic),
        "states": found.size,
        "least_states": least.size,
        "initial": number_texts(least.initial),
        "final": number_texts(least.final),
        "transitions": transition_rows(least),
        "output": output,
        "dot": dot,
        "exactnn": __version__,
    }
    if as_json:
        emit_json(record)
        return 0
    with report_beside(output, dot):
        _report(record, least)
    return 0


def _report(record: dict[str, Any], least: WeightedAutomaton) -> None:
    by = f", by {record['construction']}" if record["construction"] else ""
    fields = {
        "machine": shortened(record["machine"], 60),
        "network": f"{record['neurons']:,} neurons, {record['weights']:,} weights{by}",
        "arithmetic": record["arithmetic"],
        "states": counted(record["states"], "state"),
        "least": f"{counted(least.size, 'state')}: the rank of the Hankel matrix",
    }
    emit_fields(fields | {option: printable(record[option] or "") for option in ("output", "dot")})
    if least.size <= MOST_ROWS and fits(table := least.as_table()):
        click.echo()
        emit(table)


def _weighted(subject: Subject, arithmetic: Arithmetic, search: Callable[[Network], Extraction]) -> WeightedAutomaton:
    network = subject.network
    if not network.scalar_output:
        raise OptionError(f"--weighted: {network.name} has several outputs, a weighted automaton gives words one value")
    if not network.decision.protocol.reads_eos:  # values are the outputs, whatever they say
        network = replace(network, decision=Decision(protocol=Protocol.OUTPUTS))
        if arithmetic.is_exact:
            with suppress(NetworkError):  # else its states are searched
                return to_weighted(network)
    found = search(network)
    if found.table is None:
        raise OptionError(f"--weighted: not all states are known, so no automaton is: {found.reason}")
    machine = moore_machine_of(found.table)
    try:
        return WeightedAutomaton.from_moore_machine(machine, value=_value)
    except NumberError as error:
        raise OptionError(f"--weighted: {error}") from None


def _value(label: Any) -> ExactNumber:
    """Return what a state says of words as a number: 1 for those that are accepted, 0 for others, or the output."""
    if isinstance(label, Outcome):
        return int(label is Outcome.ACCEPTED)
    try:
        return exact(label)
    except NumberError:
        raise NumberError(
            f"the output of the network becomes {label}: no weighted automaton has this value, nor any exact one"
        ) from None
