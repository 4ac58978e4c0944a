"""``exactnn extract``: the automaton that a network is in an arithmetic, its minimal form, and its certificate."""

from dataclasses import replace

import click

from exactnn.arithmetic import Arithmetic, FixedPoint, FloatFormat, Rounding
from exactnn.cli.arguments import (
    construction_option,
    json_option,
    machine_argument,
    max_bytes_option,
    max_seconds_option,
    max_states_option,
)
from exactnn.cli.arithmetics import arithmetic_named, format_named
from exactnn.cli.by_acceptance import by_option, check_acceptance
from exactnn.cli.extraction_files import ExtractionFiles
from exactnn.cli.extraction_report import emit_extraction, extraction_record
from exactnn.cli.minimal_automaton import minimal_automaton
from exactnn.cli.output import emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import search_progress, working
from exactnn.cli.subject import load_subject
from exactnn.equivalence import extract_state_machine
from exactnn.errors import OptionError, shown

__all__ = ["command"]


@click.command("extract")
@machine_argument
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="Such as float16 or float8_e4m3; by its bits p20e8, in fixed point q8.8 (sign included) or uq0.8.",
)
@click.option("--arithmetic", metavar="NAME", help="Instead of --format: exact, for networks that are finite exactly.")
@click.option("--rounding", metavar="MODE", help="Of the format, as in exactnn.Rounding.  [default: nearest even]")
@by_option("What the minimal automaton tells of words")
@construction_option
@max_states_option
@max_bytes_option
@max_seconds_option
@click.option("-o", "--output", metavar="FILE", help="Save the minimal automaton, if it is a DFA, as a machine file.")
@click.option("--dot", metavar="FILE", help="Save the minimal automaton as a graph in Graphviz' DOT language.")
@click.option("--certificate", metavar="FILE", help="Prove that no state is missing: for exactnn verify.")
@click.option("--force", is_flag=True, help="Replace these files if they exist.")
@json_option
def command(
    machine: str,
    format_name: str | None,
    arithmetic: str | None,
    rounding: str | None,
    by: str,
    construction: str | None,
    max_states: int,
    max_bytes: int,
    max_seconds: float | None,
    output: str | None,
    dot: str | None,
    certificate: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Find all states of M's network in a format that words lead to, and print the automaton that they are.

    A state says how words end that lead to it: accepted, rejected, halted, or proven non-halting.

    Ctrl-C ends the search; what was found is printed then.
    """
    files = ExtractionFiles(output=output, dot=dot, certificate=certificate)
    files.check(force=force)
    number_system = _arithmetic(format_name, arithmetic, rounding)
    with working("compiling"):
        subject = load_subject(machine, construction)
    check_acceptance(subject.network, by)
    with search_progress(lambda expanded, found: f"{found:,} states found, {expanded:,} with all transitions") as meter:
        found = extract_state_machine(
            subject.network,
            number_system,
            max_states=max_states,
            max_bytes=max_bytes,
            max_seconds=max_seconds,
            progress=meter,
        )
    with working("minimising"):
        minimal = minimal_automaton(found, by_acceptance=by == "acceptance")
    with working("writing"):
        written, failure = files.write(found, minimal)
    record = extraction_record(subject, found, minimal, by) | written
    if as_json:
        emit_json(record)
    else:
        emit_extraction(record, found, minimal)
    if failure is not None and found.complete:
        raise failure
    if failure is not None:
        click.echo(f"exactnn: {failure}", err=True)
    return 0 if found.complete else LIMIT_REACHED


def _arithmetic(format_name: str | None, arithmetic: str | None, rounding: str | None) -> Arithmetic:
    """Return the arithmetic that the options name."""
    if format_name is not None and arithmetic is not None:
        raise OptionError(f"--format {shown(format_name)} and --arithmetic {shown(arithmetic)}: give one of them")
    if format_name is not None:
        chosen: Arithmetic = format_named(format_name)
    elif arithmetic is not None:
        chosen = arithmetic_named(arithmetic)
    else:
        raise OptionError("neither --format nor --arithmetic: give --format such as float16, or --arithmetic exact")
    if rounding is None:
        return chosen
    if not isinstance(chosen, FloatFormat | FixedPoint):
        raise OptionError(f"--rounding {shown(rounding)}: {chosen} arithmetic does not round, leave it out")
    return replace(chosen, rounding=Rounding.of(rounding), name="")
