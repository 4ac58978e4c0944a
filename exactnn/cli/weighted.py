"""``exactnn extract --weighted``: the least weighted automaton with the values that a network gives words."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from exactnn.arithmetic import Arithmetic, ExactNumber, counted, exact
from exactnn.automata import WeightedAutomaton, minimal_weighted
from exactnn.cli.automaton_text import number_texts, transition_rows
from exactnn.cli.output_files import attempt, report_beside, save_text
from exactnn.cli.printing import emit, emit_fields, emit_json, fits, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Subject
from exactnn.equivalence import Extraction, moore_machine_of
from exactnn.equivalence.values import as_weighted
from exactnn.errors import NumberError, OptionError
from exactnn.machine_files import MachineFile, write_dot, write_yaml
from exactnn.markup import printable
from exactnn.networks import Network
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
    exact linear network follows from its weights; of any other, `search` finds the states, and where they are not all
    found within the limits, there is nothing but the reason.

    Raises
    ------
    OptionError
        If the network has several outputs, or what it says of words are no numbers; or a file cannot be written, which
        comes after the report.
    """
    network = subject.network
    if not network.scalar_output:
        raise OptionError(f"--weighted: {network.name} has several outputs, a weighted automaton gives words one value")
    if not network.decision.protocol.reads_eos:
        network = network.giving_outputs()
    found = as_weighted((network, arithmetic)) or _by_states(search(network))
    if isinstance(found, str):
        click.echo(f"exactnn: --weighted: not all states are known, so no automaton is: {found}", err=True)
        return LIMIT_REACHED
    with working("minimising"):
        least = minimal_weighted(found).renamed(subject.name)
    title = f"Least weighted automaton with the values of {subject.name} in {arithmetic}"
    file = MachineFile(machine=least, name=subject.name, title=title)
    failure = None
    written: dict[str, str | None] = {"output": output, "dot": dot}
    for key, option, text in (("output", "-o", write_yaml(file)), ("dot", "--dot", write_dot(least))):
        if (name := written[key]) and (unwritten := attempt(partial(save_text, option, name, text, force=force))):
            written[key] = None
            failure = failure or unwritten
    record = _record(subject, arithmetic, found, least) | written
    if as_json:
        emit_json(record)
    else:
        with report_beside(output, dot):
            _report(record, least)
    if failure is not None:
        raise failure
    return 0


def _record(
    subject: Subject, arithmetic: Arithmetic, found: WeightedAutomaton, least: WeightedAutomaton
) -> dict[str, Any]:
    return {
        **subject.origin,
        "network": subject.network.name,
        **subject.sizes,
        "arithmetic": str(arithmetic),
        "states": found.size,
        "least_states": least.size,
        "initial": number_texts(least.initial),
        "final": number_texts(least.final),
        "transitions": transition_rows(least),
        "exactnn": __version__,
    }


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


def _by_states(found: Extraction) -> WeightedAutomaton | str:
    """Return the automaton of all states that were found, or why they are not all."""
    if found.table is None:
        return found.reason
    try:
        return WeightedAutomaton.from_moore_machine(moore_machine_of(found.table), value=_value)
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
