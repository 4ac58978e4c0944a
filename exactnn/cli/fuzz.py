"""``exactnn fuzz``: search for a smallest machine and a shortest word on which a construction or format is wrong."""

import itertools
import re
import sys
from pathlib import Path
from typing import Any

import click

from exactnn.automata import configuration_text
from exactnn.cli.arguments import WholeNumber, arithmetic_named, arithmetic_option, json_option
from exactnn.cli.completion import propose_machines
from exactnn.cli.output_files import (
    attempt,
    check_new_files,
    check_yaml_file,
    force_option,
    report_beside,
    save_text,
)
from exactnn.cli.printing import emit_fields, emit_json, search_progress, shortened
from exactnn.cli.program import LIMIT_REACHED
from exactnn.constructions import constructions_for
from exactnn.errors import OptionError, shown
from exactnn.machine_files import load_file
from exactnn.machine_files.text_file import MAX_BYTES
from exactnn.markup import printable
from exactnn.testing import Disagreement, Fuzzing, Replay, Rules, compare, compiler, fuzz, load_replay, read_replay
from exactnn.testing.compiler import is_code
from exactnn.testing.disagreement import BY, MAX_MOVES
from exactnn.testing.replay_file import expected_text, machine_text, replay_command, replay_text
from exactnn.version import __version__

__all__ = ["command"]


@click.command("fuzz")
@click.argument("machine", metavar="[M]", required=False, shell_complete=propose_machines)
@click.option("--construction", metavar="NAME", help="What is tested: a name, or module:function of your own.")
@arithmetic_option(default="exact", show_default=True, help="As of exactnn run.")
@click.option("--by", type=click.Choice(BY), default=BY[0], show_default=True, help="What is compared.")
@click.option(
    "--seconds", type=float, default=60, show_default=True, metavar="S", help="Time for the search, or the replay."
)
@click.option(
    "--max-moves",
    type=WholeNumber(1),
    default=MAX_MOVES,
    show_default=True,
    metavar="N",
    help="Moves after which a machine counts as one that has not halted.",
)
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="N", help="What is drawn.")
@click.option("-o", "--output", metavar="FILE", help="The replay file, fuzz-NAME.yaml unless given; - prints it.")
@force_option
@click.option("--replay", metavar="FILE", help="Compare once more what a replay file says; - is standard input.")
@json_option
def command(
    machine: str | None,
    construction: str | None,
    arithmetic: str,
    by: str,
    seconds: float,
    max_moves: int,
    seed: int,
    output: str | None,
    force: bool,
    replay: str | None,
    as_json: bool,
) -> int:
    """Search for a word on which the network of M does not do what M does, or for a machine and a word without M.

    The truth is the direct interpreter. What is found is shrunk, and written into a replay file that is a machine file
    with the word and what was expected.

    Your own construction is module:function, found from the working folder; it takes a machine and returns a
    Construction, a Network or a Step. It is imported, so that its code runs; a replay file that names such code is
    replayed only with the same --construction.

    Exit codes: 0 if something was found, or replayed; 3 if the time was over before, which proves nothing.
    """
    if replay is not None:
        if machine is not None or output is not None:
            raise OptionError(f"--replay {shown(replay)} has its machine and word: give neither M nor -o")
        return _replay(replay, construction, seconds, as_json)
    check_yaml_file("-o", output)
    check_new_files([("-o", output)], force=force, texts=("-o",), as_json=as_json)
    source = None if machine is None else load_file(machine)
    if construction is None:
        if source is None:
            raise OptionError("nothing to test: give M or --construction NAME, see 'exactnn fuzz --help'")
        fitting = constructions_for(source.machine)
        if not fitting:
            raise OptionError(f"no construction compiles {shown(source.name)}: give one of your own as module:function")
        construction = fitting[0]
    tested = compiler(construction)
    rules = Rules(arithmetic=arithmetic_named(arithmetic), by=by, max_moves=max_moves)  # type: ignore[arg-type]
    with search_progress(lambda tried, rounds: f"round {rounds + 1}, {tried:,} compared") as meter:
        result = fuzz(
            tested,
            machine=None if source is None else source.machine,
            rules=rules,
            seconds=seconds,
            seed=seed,
            progress=meter,
        )
    file, unsaved = None, None
    if result.found is not None:
        text, name = replay_text(result.found), output or _free_name(construction)
        unsaved = attempt(lambda: save_text("-o", name, text, force=force))
        file = name if unsaved is None else None
    record = _record(tested.name, machine, rules, result, file)
    if as_json:
        emit_json(record)
    else:
        with report_beside(output):
            _report(record, result)
    if unsaved is not None:
        raise unsaved
    return LIMIT_REACHED if result.found is None else 0


def _free_name(construction: str) -> str:
    """Return the name of a file that is not there."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", construction.rpartition(":")[2])[:60]
    names = (f"fuzz-{stem}{number}.yaml" for number in itertools.chain([""], (f"-{i}" for i in itertools.count(2))))
    return next(name for name in names if not Path(name).exists())


def _replay(file: str, construction: str | None, seconds: float, as_json: bool) -> int:
    """Compare what a replay file says, and print what comes out now."""
    if file == "-":
        replay = read_replay(sys.stdin.buffer.read(MAX_BYTES + 1), subject="replay text on standard input")
    else:
        replay = load_replay(file)
    if is_code(replay.construction) and construction is None:
        raise OptionError(
            f"replay file {shown(file, limit=200)} names code, {shown(replay.construction)}: if you trust it, "
            f"add --construction {printable(replay.construction)}"
        )
    tested = compiler(construction or replay.construction)
    found = compare(tested, replay.machine, replay.word, replay.rules, max_seconds=seconds)
    record = _replay_record(file, tested.name, replay, found)
    if as_json:
        emit_json(record)
    else:
        _replay_report(replay, record, found)
    return 0


def _record(name: str, machine: str | None, rules: Rules, result: Fuzzing, file: str | None) -> dict[str, Any]:
    found, held = result.found, result.held_by
    return {
        "construction": name,
        "machine": machine,
        "arithmetic": str(rules.arithmetic),
        "by": rules.by,
        "max_moves": rules.max_moves,
        "found": None if found is None else _disagreement_record(found),
        "shortest": result.is_shortest,
        "agree_up_to": result.agree_up_to,
        "tried": result.tried,
        "refused": result.refused,
        "interrupted": result.interrupted,
        "held_by": held and {"machine": machine_text(held[0]), "word": list(held[1])},
        "replay_file": file,
        "seconds": result.seconds,
        "exactnn": __version__,
    }


def _disagreement_record(found: Disagreement) -> dict[str, Any]:
    difference = found.difference
    return {
        "word": list(found.word),
        "states": len(found.machine.states),
        "expected": str(found.expected),
        "moves": found.moves,
        "found": found.found,
        "steps": found.steps,
        "differs_after_move": None if difference is None else difference.move,
        "machine_configuration": None if difference is None else configuration_text(difference.machine),
        "network_configuration": None if difference is None else configuration_text(difference.network),
        "replay": replay_text(found),
    }


def _report(record: dict[str, Any], result: Fuzzing) -> None:
    found = result.found
    refused = f", {result.refused:,} refused" if result.refused else ""
    fields = {
        "construction": shortened(record["construction"], 80),
        "arithmetic": record["arithmetic"],
        "compared": f"{result.tried:,} pairs of a machine and a word{refused}",
    }
    if found is None:
        upto = "" if result.agree_up_to is None else f"; all words of up to {result.agree_up_to:,} symbols agree"
        when = "before it was interrupted" if result.interrupted else "in this time"
        none = "nothing was compared" if result.interrupted else "nothing was compared: give more --seconds"
        fields["found"] = f"nothing {when}{upto}" if result.tried else none
        emit_fields(fields | {"time": f"{result.seconds:.3g} s"})
        if result.held_by is not None:
            held, word = result.held_by
            click.echo(f"\nit was comparing this machine, on {shortened(' '.join(word), 200) or 'the empty word'}:")
            click.echo(_printable_lines(machine_text(held).rstrip("\n")))
        return
    emit_fields(fields | _found_fields(found, result) | {"time": f"{result.seconds:.3g} s"})
    click.echo("\n" + _indented(found))
    click.echo(f"\nreplay with: {replay_command(found, record['replay_file'])}")


def _found_fields(found: Disagreement, result: Fuzzing | None = None) -> dict[str, str]:
    word = shortened(" ".join(found.word), 200) or "the empty word"
    shortest = ", and no shorter word does" if result is not None and result.is_shortest and found.word else ""
    fields = {
        "word": f"{word} (length {len(found.word):,}){shortest}",
        "the machine": expected_text(found),
        "the network": f"{found.found}, {found.steps:,} steps",
    }
    if found.difference is not None:
        fields["differs after"] = f"move {found.difference.move}"
        fields["machine is in"] = configuration_text(found.difference.machine, reach=30)
        fields["network is in"] = configuration_text(found.difference.network, reach=30)
    return fields


def _indented(found: Disagreement) -> str:
    """Return the machine file inside the replay file."""
    return _printable_lines(replay_text(found).partition("machine: |\n")[2].rstrip("\n"))


def _printable_lines(text: str) -> str:
    """Return lines without control characters."""
    return "\n".join(map(printable, text.splitlines()))


def _replay_record(file: str, name: str, replay: Replay, found: Disagreement | None) -> dict[str, Any]:
    return {
        "replay_file": file,
        "construction": name,
        "arithmetic": str(replay.rules.arithmetic),
        "word": list(replay.word),
        "disagrees": found is not None,
        "expected_then": replay.expected,
        "found_then": replay.found,
        "found": None if found is None else _disagreement_record(found),
        "exactnn": __version__,
    }


def _replay_report(replay: Replay, record: dict[str, Any], found: Disagreement | None) -> None:
    then = f"expected {shortened(replay.expected, 80)}, found {shortened(replay.found, 80)}"
    fields = {
        "construction": shortened(record["construction"], 80),
        "arithmetic": record["arithmetic"],
        "then": then if replay.expected or replay.found else "",
        "now": "machine and network agree" if found is None else "they disagree",
    }
    emit_fields(fields if found is None else fields | _found_fields(found))
