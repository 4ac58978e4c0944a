"""``exactnn export``: a network as a file for other programs, ONNX or safetensors."""

import warnings
from pathlib import Path

import click

from exactnn.cli.arguments import construction_option, json_option, machine_argument
from exactnn.cli.output_files import check_new_files, force_option, saved_text
from exactnn.cli.printing import emit_fields, emit_json, working
from exactnn.cli.subject import load_subject
from exactnn.errors import OptionError, PrecisionWarning, shown
from exactnn.networks.exchange import save_safetensors, to_onnx

__all__ = ["command"]


@click.command("export")
@machine_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write: .onnx or .safetensors.")
@construction_option
@force_option
@json_option
def command(machine: str, output: str, construction: str | None, force: bool, as_json: bool) -> None:
    """Save the network of M for other programs.

    As ONNX in float64, any network: parameters that are no float64 are rounded, and it says how many. As safetensors, a
    stack of the cells of torch, exactly or not at all.
    """
    kind = Path(output).suffix.lower()
    if kind not in (".onnx", ".safetensors"):
        raise OptionError(f"-o {shown(output, limit=1000)}: give a file that ends in .onnx or .safetensors")
    check_new_files([("-o", output)], force=force)
    with working("exporting"):
        subject = load_subject(machine, construction)
        rounded = 0
        if kind == ".onnx":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrecisionWarning)  # reported below
                rounded = to_onnx(subject.network, output, replace=force)
        else:
            save_safetensors(subject.network, output, replace=force)
    if as_json:
        emit_json(
            {
                "machine": subject.name,
                "file": output,
                "bytes": Path(output).stat().st_size,
                "rounded_parameters": rounded,
            }
        )
        return
    emit_fields(
        {
            "saved": saved_text(output),
            "rounded": f"{rounded:,} parameters, to the nearest float64" if rounded else "nothing: it is exact",
        }
    )
