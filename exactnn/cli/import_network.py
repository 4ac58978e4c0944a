"""``exactnn import``: a trained network from safetensors or ONNX as a network file."""

import json
from pathlib import Path
from typing import Any

import click

from exactnn.cli.arguments import WholeNumber, json_option
from exactnn.cli.output_files import check_new_files, force_option, saved_text
from exactnn.cli.printing import emit_fields, emit_json, working
from exactnn.errors import OptionError, shown
from exactnn.markup import printable
from exactnn.networks import EOS, Network, as_acceptor, save_network
from exactnn.networks.exchange import load_onnx, load_safetensors

__all__ = ["command"]


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="NET", required=True, help="The network file to write (.json).")
@click.option("--alphabet", metavar="SYMBOLS", help="The symbols: 'ab' for a and b, or 'push,pop,EOS' with commas.")
@click.option(
    "--prefix", metavar="NAME", help="safetensors: what stands before weight_ih_l0, such as rnn; or rnn1,rnn2."
)
@click.option("--readout", metavar="NAME", help="safetensors: the linear layer above, such as fc; or fc1,relu,fc2.")
@click.option("--embedding", metavar="NAME", help="safetensors: the embedding below, such as embed.")
@click.option("--norm", metavar="NAME", help="safetensors: the RMSNorm above the embedding, of linear recurrences.")
@click.option(
    "--cell", metavar="CELL", help="safetensors: RNN, LSTM, GRU, DeltaNet, Mamba or another, if it must be that."
)
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="safetensors: what no tensor tells of a linear recurrence, as num_heads=2; may be repeated.",
)
@click.option("--nonlinearity", metavar="NAME", help="safetensors: tanh (the default) or relu, of an RNN.")
@click.option("--tensor", metavar="NAME", help="ONNX: the tensor that is the output, by default the first output.")
@click.option("--name", metavar="NAME", help="What to call the network.")
@click.option(
    "--accepting",
    type=WholeNumber(0),
    metavar="N",
    help="Of a classifier: accept a word where output N, counted from 0, is the largest.",
)
@force_option
@json_option
def command(
    file: str,
    output: str,
    alphabet: str | None,
    settings: tuple[str, ...],
    accepting: int | None,
    force: bool,
    as_json: bool,
    **options: str | None,
) -> None:
    """Read FILE (.safetensors or .onnx), a trained RNN, LSTM, GRU or linear recurrence, and save it as a network file.

    Every weight is taken as exactly the number that it is. 'exactnn run NET' runs it then.
    """
    check_new_files([("-o", output)], force=force)
    with working("reading"):
        network = _network(file, alphabet, options, settings)
        if accepting is not None:
            network = as_acceptor(network, accepting)
        save_network(network, output, replace=force)
    record = {
        "neurons": network.neurons,
        "weights": network.circuit.weights,
        "activations": network.circuit.activations,
        "input_size": network.circuit.input_size,
        "outputs": len(network.readout),
        "alphabet": None if network.alphabet is None else list(network.alphabet),
    }
    if as_json:
        emit_json({"source": file, "name": network.name, "file": output, "bytes": Path(output).stat().st_size} | record)
        return
    reads = f"vectors of {network.circuit.input_size}" if network.alphabet is None else ", ".join(network.alphabet)
    emit_fields(
        {
            "saved": saved_text(output),
            "network": printable(network.name),
            "neurons": f"{network.neurons:,}",
            "weights": f"{network.circuit.weights:,} (not zero), exact",
            "activations": printable(", ".join(network.circuit.activations)),
            "reads": printable(reads),
            "outputs": f"{len(network.readout):,}",
        }
    )


def _network(file: str, alphabet: str | None, options: dict[str, str | None], settings: tuple[str, ...]) -> Network:
    symbols = None if alphabet is None else _symbols(alphabet)
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    for option in ("prefix", "readout"):
        if "," in given.get(option, ""):
            given[option] = [name.strip() for name in given[option].split(",")]
    if settings:
        given["settings"] = dict(map(_setting, settings))
    kind = Path(file).suffix.lower()
    if kind == ".onnx":
        tensor, name = given.pop("tensor", None), given.pop("name", None)
        if given:
            raise OptionError(f"--{next(iter(given))} is of safetensors files, leave it out: ONNX models say it")
        return load_onnx(file, output=tensor, alphabet=symbols, name=name)
    if kind in (".safetensors", ".pt", ".pth", ".bin"):  # of the last ones the reader says what to do
        if "tensor" in given:
            raise OptionError(f"--tensor {shown(given['tensor'])} is of ONNX models, leave it out")
        return load_safetensors(file, alphabet=symbols, **given)
    raise OptionError(f"{shown(file, limit=1000)}: give a file that ends in .safetensors or .onnx")


def _setting(text: str) -> tuple[str, object]:
    """Return the name and the value of a setting: a number, a truth or text.

    >>> _setting("num_heads=2"), _setting("allow_neg_eigval=true"), _setting("qk_norm=sum")
    (('num_heads', 2), ('allow_neg_eigval', True), ('qk_norm', 'sum'))
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"--setting {shown(text)}: give NAME=VALUE, as num_heads=2")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _symbols(text: str) -> list[str]:
    """Return the symbols that a text names.

    >>> _symbols("ab"), _symbols("push,pop"), _symbols("abEOS")
    (['a', 'b'], ['push', 'pop'], ['a', 'b', 'EOS'])
    """
    if "," in text:
        return text.split(",")
    return [*text.removesuffix(EOS), *([EOS] if text.endswith(EOS) else [])]
