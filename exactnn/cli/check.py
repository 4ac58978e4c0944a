"""``exactnn check``: does a format break a network? Errors and wrong decisions on many words."""

from collections.abc import Sequence
from functools import partial

import click

from exactnn.cli.arguments import (
    StepLimit,
    chosen_formats,
    construction_option,
    formats_option,
    jobs_option,
    json_option,
    machine_argument,
    n_option,
    scheduler_option,
    store_option,
    words_argument,
    workers,
)
from exactnn.cli.output_files import attempt, check_new_files, force_option
from exactnn.cli.printing import emit, emit_interruption, emit_json, row_progress, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Subject, cases_of, load_subject
from exactnn.files import check_table_file, json_rows
from exactnn.networks import network_of
from exactnn.precision import FormatReport, check_format
from exactnn.precision.check import DECISIONS, DEFAULT

__all__ = ["command"]


@click.command("check")
@machine_argument
@words_argument
@n_option("1:40")
@formats_option(DEFAULT)
@click.option(
    "--decision",
    type=click.Choice(DECISIONS),
    help="What is decided: which output is the largest, whether the one output is above 0, or the verdict.  "
    "[default: what the network gives]",
)
@click.option(
    "--training-order",
    metavar="ORDER",
    help="Say where this order and that of inference part: step, "
    "kogge-stone, blelloch, or 'chunkwise(16)'; of networks that are linear in their state.",
)
@click.option("--inference-order", metavar="ORDER", help="The order in which the formats run.  [default: step]")
@construction_option
@click.option("--max-steps", type=StepLimit(), metavar="N", help="Stop the run of a word after N network steps.")
@store_option("many words")
@jobs_option
@scheduler_option
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Save a row for each format: .csv, .parquet or .json; may be repeated.",
)  # fmt: skip
@click.option("--plot", "plot_file", metavar="FILE", help="Draw the errors step by step: .png, .svg or .pdf.")
@force_option
@json_option
def command(
    machine: str,
    words: tuple[str, ...],
    n: str,
    formats: tuple[str, ...],
    decision: str | None,
    training_order: str | None,
    inference_order: str | None,
    construction: str | None,
    max_steps: int | None,
    store: str | None,
    jobs: int,
    scheduler: str | None,
    outputs: tuple[str, ...],
    plot_file: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Run M on words in formats beside the true runs: how large are the errors, and which decisions change?

    M may also be a model (.onnx or .safetensors). A WORD may be a PATTERN such as 'a^n b^n', or the name of a file:
    .txt with a word in each line, or .npy with an array of words by steps by numbers, or of one word.
    """
    chosen = chosen_formats(formats, DEFAULT)
    _check_files(outputs, plot_file, force=force)
    with working("compiling"):
        subject = load_subject(machine, construction)
    cases = cases_of(subject, words, n)
    warm_up = partial(
        check_format, network_of(subject.runnable), [case.word for case in cases[:1]], chosen, max_steps=9
    )
    with workers(jobs, scheduler, warm_up) as executor, row_progress(len(cases)) as progress:
        report = check_format(
            subject.runnable,
            [case.word for case in cases],
            chosen,
            decision=decision,  # type: ignore[arg-type]
            training_order=training_order,
            inference_order=inference_order,
            max_steps=max_steps,
            executor=executor,
            store=store,
            progress=progress,
        )
    unsaved = attempt(*(partial(report.save, path, replace=force) for path in outputs))
    if plot_file is not None and report.words:
        unsaved = unsaved or attempt(partial(_draw, plot_file, report, replace=force))
    if as_json:
        emit_json(_record(subject, report))
    else:
        emit(report.as_table())
        if not report.complete:
            emit_interruption(report.words, len(cases))
    if unsaved is not None:
        raise unsaved
    return 0 if report.complete and not report.unfinished else LIMIT_REACHED


def _check_files(outputs: Sequence[str], plot_file: str | None, *, force: bool) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    for path in outputs:
        check_table_file(path, name="-o")
    if plot_file is not None:
        from exactnn.plots import check_picture_file

        check_picture_file(plot_file)
    check_new_files([*(("-o", path) for path in outputs), ("--plot", plot_file)], force=force)


def _draw(path: str, report: FormatReport, *, replace: bool) -> None:
    from exactnn.plots import plot_check_format, save_picture

    save_picture(plot_check_format(report), path, replace=replace)


def _record(subject: Subject, report: FormatReport) -> dict[str, object]:
    margin = report.margin
    return {
        **subject.origin,
        **subject.sizes,
        "words": report.words,
        "decision": report.decision,
        "decisions": report.decisions,
        "untold": report.untold,
        "unfinished": len(report.unfinished),
        "margin": margin and {"value": margin.value, "word": margin.number, "step": margin.step},
        "complete": report.complete,
        "formats": json_rows(report.as_rows()),
    }
