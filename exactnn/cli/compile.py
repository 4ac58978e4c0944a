"""``exactnn compile``: a machine's network as a file."""

from pathlib import Path

import click

from exactnn.cli.arguments import construction_option, json_option, machine_argument
from exactnn.cli.output_files import check_new_files, force_option, saved_text
from exactnn.cli.printing import emit_fields, emit_json, working
from exactnn.cli.show import construction_fields, construction_record
from exactnn.cli.subject import load_subject
from exactnn.constructions import NETWORKS
from exactnn.errors import ConstructionError, shown
from exactnn.networks import save_network

__all__ = ["command"]


@click.command("compile")
@machine_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="The network file to write (.json).")
@construction_option
@force_option
@json_option
def command(machine: str, output: str, construction: str | None, force: bool, as_json: bool) -> None:
    """Compile M to a network, save it exactly as JSON, and print its size, its claim and its halting time.

    The name of a network that needs no machine will do for M, too.
    """
    check_new_files([("-o", output)], force=force)
    with working("compiling"):
        subject = load_subject(machine, construction)
    if subject.file is None and machine not in NETWORKS:
        raise ConstructionError(f"{shown(machine)} is a network already: give a machine to compile")
    save_network(subject.network, output, replace=force)
    made = subject.construction
    record = subject.sizes if made is None else construction_record(made)
    if as_json:
        emit_json({"machine": subject.name, "file": output, "bytes": Path(output).stat().st_size} | record)
        return
    fields = (
        {name: f"{size:,}" for name, size in subject.sizes.items()} if made is None else construction_fields(record)
    )
    emit_fields({"saved": saved_text(output)} | fields)
