"""``exactnn run``: compile a machine, run its network on a word, and say what came out."""

import warnings
from typing import Any

import click
from click.core import ParameterSource

from exactnn.arithmetic import ARITHMETICS, count_text, counted
from exactnn.automata import WeightedPushdownAutomaton
from exactnn.cli.arguments import (
    WholeNumber,
    arithmetic_option,
    construction_option,
    json_option,
    machine_argument,
    max_bits_option,
    max_steps_option,
    run_arithmetic_named,
    seconds_option,
)
from exactnn.cli.output_files import attempt, check_new_files, force_option
from exactnn.cli.printing import StepMeter, emit_fields, emit_json, json_text, number_text, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.pushdown import run_pushdown
from exactnn.cli.subject import Subject, load_subject, word_or_file
from exactnn.cli.trace import Decoded, decoded, nonblank_cells, trace_rows
from exactnn.errors import CertificateError, ExactnnError, OptionError, PrecisionWarning, shown
from exactnn.machine_files import load_file
from exactnn.networks import names_network
from exactnn.outcome import Outcome
from exactnn.simulation import Run, run
from exactnn.version import __version__

__all__ = ["command"]

REACH = 30
"""Cells of the last configuration that are shown on either side of the head."""


@click.command("run")
@machine_argument
@click.argument("word", default="")
@construction_option
@arithmetic_option(
    default="exact",
    show_default=True,
    help=f"{', '.join(ARITHMETICS)}; by its bits p20e8, in fixed point q8.8 (sign included) or uq0.8; interval128.",
)
@click.option(
    "--order",
    metavar="ORDER",
    help="In which linear recurrences are evaluated: step, kogge-stone, blelloch, chunkwise(16).",
)
@max_steps_option
@seconds_option
@click.option("--trace", is_flag=True, help="Print configurations and values step by step.")
@click.option("--every", type=WholeNumber(1), metavar="K", help="With --trace: print every K-th step only.")
@click.option("--checkpoint", metavar="FILE", help="Keep the progress in FILE; if it is there, go on from it.")
@click.option("--checkpoint-every", type=float, metavar="SECONDS", help="How often to write it; 60 unless given.")
@click.option("--certificate", metavar="FILE", help="Prove the verdict: write a certificate for exactnn verify.")
@force_option
@max_bits_option
@click.option(
    "--safe-length", type=WholeNumber(0), metavar="N", help="Warn if WORD is longer than is known to be right."
)
@json_option
def command(
    machine: str,
    word: str,
    construction: str | None,
    arithmetic: str,
    order: str | None,
    max_steps: int | None,
    seconds: float | None,
    trace: bool,
    every: int | None,
    checkpoint: str | None,
    checkpoint_every: float | None,
    certificate: str | None,
    force: bool,
    max_bits: int | None,
    safe_length: int | None,
    as_json: bool,
) -> int:
    """Run M on WORD (by default the empty word) and print its verdict, its steps and its last configuration.

    Where a state comes again after the word, M never halts: that is proven, and the cycle is printed. So a run in an
    arithmetic that rounds ends without a limit too, sooner or later.

    A word for a network without an alphabet is a list of vectors: '1,0 1/2,3', or a file .npy with an array of steps by
    numbers. A file .txt has the word in its only line.

    Of a weighted pushdown automaton the weight of WORD is summed over all runs, without a network.

    With --checkpoint a long run may be stopped at any time, even killed, and the same command goes on with it, with
    new --seconds. A larger --max-steps goes on where a smaller one stopped. FILE stays after the end, and gives the
    result again.
    """
    if every is not None and not trace:
        raise OptionError(f"--every {every} says which steps --trace prints: add --trace")
    if checkpoint_every is not None and checkpoint is None:
        raise OptionError(f"--checkpoint-every {checkpoint_every} says how often a file is written: add --checkpoint")
    check_new_files([("--certificate", certificate)], force=force, kept=[("--checkpoint", checkpoint)])
    number_system = run_arithmetic_named(arithmetic)
    file = None if names_network(machine) else load_file(machine)
    if file is not None and isinstance(automaton := file.machine, WeightedPushdownAutomaton):
        given = {
            "--construction": construction, "--order": order, "--max-steps": max_steps, "--trace": trace or None,
            "--checkpoint": checkpoint, "--certificate": certificate, "--max-bits": max_bits,
            "--safe-length": safe_length,
        }  # fmt: skip
        of_networks = [option for option, value in given.items() if value is not None]
        return run_pushdown(
            file, automaton, word, number_system, seconds=seconds, of_networks=of_networks, as_json=as_json
        )
    with working("compiling"):
        subject = load_subject(machine, construction, file)
    if certificate is not None and not subject.network.decision.protocol.reads_eos:
        raise OptionError(f"--certificate {shown(certificate)}: it would prove EOS steps, and this network has none")
    symbols = word_or_file(subject.network, word)
    source = click.get_current_context().get_parameter_source("seconds")
    unlimited = order is not None and source is ParameterSource.DEFAULT  # it takes no limit
    with StepMeter(resumable=checkpoint is not None) as meter, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PrecisionWarning)
        result = run(
            subject.runnable,
            symbols,
            arithmetic=number_system,
            max_steps=max_steps,
            max_seconds=None if unlimited else seconds,
            progress=None if order is not None else meter,
            checkpoint=checkpoint,
            checkpoint_seconds=60 if checkpoint_every is None else checkpoint_every,
            certify=certificate is not None,
            safe_length=safe_length,
            max_bits=max_bits,
            order=order,
        )
    for warning in caught:
        click.echo(f"exactnn: warning: {warning.message}", err=True)
    unsaved = None if certificate is None else _save_certificate(result, certificate, force=force)
    last = decoded(subject, result.final_state, arithmetic=number_system, steps=result.steps, word_length=len(symbols))
    report = _report(subject, word, result, last) | {"max_steps": max_steps, "max_seconds": seconds}
    report["certificate"] = certificate if unsaved is None else None
    complete = True
    if as_json and trace:
        complete = _stream_json(report, subject, result, every or 1)
    elif as_json:
        emit_json(report)
    else:
        complete = not trace or _stream_lines(subject, result, every or 1)
        _emit_report(report, result, last)
    limited = not complete or result.outcome.cut_short
    if unsaved is not None and not limited:
        raise unsaved
    if unsaved is not None:
        click.echo(f"exactnn: {unsaved}", err=True)
    return LIMIT_REACHED if limited else 0


def _save_certificate(result: Run, name: str, *, force: bool) -> ExactnnError | None:
    """Write the certificate of a run; return what went wrong, for after the report: the run is worth keeping."""
    proof = result.certificate
    if proof is None:
        return CertificateError(f"{name!r} was not written: {result.engine.rpartition('; ')[2]}")
    from exactnn.certificates import save_certificate

    return attempt(lambda: save_certificate(proof, name, replace=force))


def _report(subject: Subject, word: str, result: Run, last: Decoded) -> dict[str, Any]:
    output = result.outputs[-1] if result.outputs.count else result.initial_output
    return {
        "machine": subject.name,
        "word": word,
        **subject.origin,
        "arithmetic": str(result.arithmetic),
        "engine": result.engine,
        "outcome": str(result.outcome),
        "sentence": result.outcome.sentence,
        "verdict": result.verdict,
        "steps": result.steps,
        "eos_steps": result.eos_steps,
        "machine_steps": result.machine_steps,
        "preperiod": None if result.cycle is None else result.cycle.preperiod,
        "period": None if result.cycle is None else result.cycle.period,
        "bits": result.bits,
        **subject.sizes,
        "nonblank": nonblank_cells(
            subject,
            result.final_state,
            arithmetic=result.arithmetic,
            steps=result.steps,
            word_length=len(result.word),
        ),
        "configuration": last.record(),
        "configuration_cut": any(last.cut),
        "output": [number_text(x) for x in output] if isinstance(output, tuple) else number_text(output),
        "seconds": result.seconds,
        "outside_at": result.outside_at,
        "resumed_from": result.resumed_from,
        "exactnn": __version__,
    }


def _emit_report(report: dict[str, Any], result: Run, last: Decoded) -> None:
    word = shortened(report["word"], 60) or "the empty word"
    tape = last.text(REACH)
    if report["nonblank"] is not None:
        tape += f" ({counted(report['nonblank'], 'cell')} not blank)"
    output = report["output"]
    emit_fields(
        {
            "machine": shortened(report["machine"], 60),
            "word": f"{word} (length {len(result.word)})",
            "network": f"{counted(report['neurons'], 'neuron')}, {counted(report['weights'], 'weight')}"
            + (f", by {report['construction']}" if report["construction"] else ""),
            "arithmetic": f"{report['arithmetic']} ({report['engine']})",
            "outcome": f"{report['outcome']}: {report['sentence']}" + _remedy(result.outcome),
            "steps": _steps_text(report, result),
            "out of domain": "" if result.outside_at is None else f"at step {result.outside_at}",
            "cycle": "" if result.cycle is None else str(result.cycle),
            "configuration": tape,
            "output": shortened(", ".join(output) if isinstance(output, list) else output, 200),
            "time": f"{report['seconds']:.3g} s",
        }
    )


def _remedy(outcome: Outcome) -> str:
    return " Give --seconds none, or more of them." if outcome is Outcome.TIME_LIMIT else ""


def _steps_text(report: dict[str, Any], result: Run) -> str:
    text = counted(result.steps, "network step")
    if result.network.decision.protocol.reads_eos:
        decided = result.outcome.verdict is not None or result.outcome is Outcome.HALTED
        text += f", {'T = ' if decided else ''}{count_text(result.eos_steps)} of them on EOS"
    moves = report["machine_steps"]
    return text if moves is None else f"{text}; {counted(moves, 'move')} of the machine"


def _stream_lines(subject: Subject, result: Run, every: int) -> bool:
    """Print the trace; return False if Ctrl-C ended it."""
    try:
        for row in trace_rows(subject, result, every):
            click.echo(row.line())
    except KeyboardInterrupt:
        click.echo("exactnn: the trace was interrupted", err=True)
        return False
    click.echo()
    return True


def _stream_json(report: dict[str, Any], subject: Subject, result: Run, every: int) -> bool:
    """Print the report with its trace row by row, as one object; return False if Ctrl-C ended it."""
    click.echo(json_text(report).removesuffix("\n}") + ',\n  "trace": [', nl=False)
    complete = True
    separator = "\n    "
    try:
        for row in trace_rows(subject, result, every):
            click.echo(separator + json_text(row.record(), indent=None), nl=False)
            separator = ",\n    "
    except KeyboardInterrupt:
        complete = False
    click.echo("\n  ]\n}")
    return complete
