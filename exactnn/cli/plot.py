"""``exactnn plot``: pictures of what happens on one word, step by step."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from exactnn.arithmetic import Format, float_formats
from exactnn.cli.arguments import (
    StepLimit,
    chosen_formats,
    construction_option,
    formats_option,
    json_option,
    machine_argument,
)
from exactnn.cli.output_files import check_new_files, force_option
from exactnn.cli.printing import emit_fields, emit_json, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Subject, load_subject, word_or_file
from exactnn.errors import OptionError, shown
from exactnn.markup import printable
from exactnn.outcome import Outcome
from exactnn.precision import Divergence, SpaceTime, error_growth, required_bits, space_time
from exactnn.simulation import run
from exactnn.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["command"]

FORMATS = {
    "errors": ("float64", "float32", "float16", "bfloat16"),
    "space-time": ("float32",),
    "bits": ("float64", "float32", "float16", "bfloat16"),
}
"""The kinds of pictures, and the formats that are drawn unless others are asked for."""
CUT_SHORT = {str(outcome) for outcome in Outcome if outcome.cut_short}
MOST_FORMATS = {"errors": 8, "space-time": 3, "bits": 100}


@click.command("plot")
@click.argument("kind", metavar="KIND")
@machine_argument
@click.argument("word", default="")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The picture: .png, .svg or .pdf; of space-time also a film, .gif or .mp4, or a page that plays it, .html.",
)
@force_option
@formats_option((), " By default float64, float32, float16 and bfloat16; of space-time float32.")
@construction_option
@click.option(
    "--max-steps",
    type=StepLimit(),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Draw N network steps at most, or none for no limit: every state is kept or compared.",
)
@json_option
def command(
    kind: str,
    machine: str,
    word: str,
    output: str,
    force: bool,
    formats: tuple[str, ...],
    construction: str | None,
    max_steps: int | None,
    as_json: bool,
) -> int:
    """Draw what happens on WORD (by default the empty word), step by step, exactly and in floating point.

    KIND is one of

    \b
      errors      the largest error of a neuron after each step, a line for each format
      space-time  the decoded tape or stacks over time, exact and in each format (at most three);
                  a film if FILE ends in .gif, or in .mp4, which needs ffmpeg; a page to play in .html
      bits        how many bits the exact numbers need, beside what the formats have
    """
    from exactnn.plots import (
        FILM_ENDINGS,
        check_film_file,
        check_page_file,
        check_picture_file,
        save_picture,
        tape_film,
        tape_player,
    )

    chosen = _formats(kind, formats)
    moving: dict[str, tuple[Callable[[object], None], Callable[..., object]]] = {
        **dict.fromkeys(FILM_ENDINGS, (check_film_file, tape_film)),
        ".html": (check_page_file, tape_player),
    }
    ending = os.path.splitext(output)[1].lower()
    check, made = moving.get(ending, (check_picture_file, None)) if kind == "space-time" else (check_picture_file, None)
    check(output)
    check_new_files([("-o", output)], force=force)
    with working("compiling"):
        subject = load_subject(machine, construction)
    symbols = word_or_file(subject.network, word)
    title = shortened(subject.name, 40) + (f" on {shortened(word)}" if word else "")
    with working("running"):
        if made is not None:
            found, record = _space_time(subject, symbols, chosen, max_steps)
            made(found, path=output, replace=force)
        else:
            figure, record = _DRAWERS[kind](subject, symbols, chosen, max_steps, title)
            save_picture(figure, output, replace=force)
    record = {"machine": subject.name, "word": word, "plot": kind, "file": output} | record | {"exactnn": __version__}
    if as_json:
        emit_json(record)
    else:
        _emit(record)
    return LIMIT_REACHED if record["outcome"] in CUT_SHORT else 0


def _formats(kind: str, names: Sequence[str]) -> tuple[Format, ...]:
    if kind not in FORMATS:
        raise OptionError(f"picture {shown(kind)} is unknown: choose one of {', '.join(FORMATS)}")
    chosen = chosen_formats(names, FORMATS[kind])
    if len(chosen) > MOST_FORMATS[kind]:
        raise OptionError(f"{len(chosen)} formats are too many in a picture of {kind}: at most {MOST_FORMATS[kind]}")
    return chosen


def _draw_errors(
    subject: Subject, word: Sequence[object], formats: Sequence[Format], limit: int | None, title: str
) -> "tuple[Figure, dict[str, Any]]":
    from exactnn.plots import plot_error_growth

    found = error_growth(subject.runnable, word, formats, max_steps=limit)
    if not found.formats[0].errors:
        raise KeyboardInterrupt
    outcome = found.outcome if found.complete else Outcome.INTERRUPTED
    return plot_error_growth(found, title=title), _record(
        outcome, found.steps, [entry.divergence for entry in found.formats]
    )


def _draw_space_time(
    subject: Subject, word: Sequence[object], formats: Sequence[Format], limit: int | None, title: str
) -> "tuple[Figure, dict[str, Any]]":
    from exactnn.plots import plot_space_time

    found, record = _space_time(subject, word, formats, limit)
    return plot_space_time(found, title=title), record


def _space_time(
    subject: Subject, word: Sequence[object], formats: Sequence[Format], limit: int | None
) -> tuple[SpaceTime, dict[str, Any]]:
    found = space_time(subject.runnable, word, formats, max_steps=limit)
    divergences = [tapes.divergence for tapes in found.computed if tapes.divergence is not None]
    return found, _record(found.outcome, found.steps, divergences)


def _draw_bits(
    subject: Subject, word: Sequence[object], formats: Sequence[Format], limit: int | None, title: str
) -> "tuple[Figure, dict[str, Any]]":
    from exactnn.plots import plot_required_bits

    floats = float_formats(formats)
    if len(floats) < len(formats):
        raise OptionError("significands are those of floating-point formats: give no format in fixed point")
    result = run(subject.runnable, word, max_steps=limit, record="all")
    found = required_bits(result)
    record = {"outcome": str(result.outcome), "steps": result.steps, "most_bits": max(found.rational)}
    figure = plot_required_bits(found, formats=floats, title=title)
    return figure, record | {"most_significand_bits": found.most}


_DRAWERS = {"errors": _draw_errors, "space-time": _draw_space_time, "bits": _draw_bits}


def _record(outcome: Outcome, steps: int, divergences: Sequence[Divergence]) -> dict[str, Any]:
    return {
        "outcome": str(outcome),
        "steps": steps,
        "first_wrong": {
            str(found.arithmetic): {
                what: None if getattr(found, what) is None else getattr(found, what).step
                for what in ("value", "configuration", "verdict")
            }
            for found in divergences
        },
    }


def _emit(record: dict[str, Any]) -> None:
    """Print where the picture is, and the steps that are marked in it."""
    fields = {
        "picture": printable(record["file"]),
        "outcome": f"{record['outcome']} after {record['steps']:,} network steps",
    }
    for name, wrong in record.get("first_wrong", {}).items():
        steps = [f"{what} at step {step:,}" for what, step in wrong.items() if step is not None]
        fields[name] = "first wrong " + ", ".join(steps) if steps else "all right"
    if "most_bits" in record:
        most = record["most_significand_bits"]
        enough = "no precision is enough" if most is None else f"{most:,} in the longest significand"
        fields["bits"] = f"{record['most_bits']:,} in the longest numerator or denominator; {enough}"
    emit_fields(fields)
