"""Do our formats say the same of a network as torch's own half precision? Where they differ, and why.

Real trained networks: the counters of `benchmarks/trained` (LSTM and GRU of 6 and 10 units), and from packages, as in
`real_networks.py`, the LSTM of the voice activity detector silero-vad (128 units) and the decoder of g2p_en (a GRU of
256 units), which here reads the phonemes that it writes itself, from a state of zeros. Each runs on the same words

- in `exactnn.check_format`, against certified truth: float32, float16, bfloat16 (every operation rounds), and
  "tensor core fp16" and "tensor core bf16" (products of the short format are exact and summed in float32);
- in torch on the CPU: `.to(float16)`, `.to(bfloat16)`, and `torch.autocast` with both, one word at a time, in torch's
  own loops (oneDNN has no LSTM in float16).

Errors are those of the output, the largest of all words and steps, as certified by the run in float64 beside it: its
own error is shown, and is below the digits printed. A decision is the sign of an output, or the largest of several; at
the end of a word for the counters, after every step for the others. Decisions of our formats are those of
`check_format`, so that none is called changed that is not proven to be.

    pip download --no-deps --dest FOLDER g2p_en==2.1.0 silero-vad==6.2.3
    pip install onnx
    python benchmarks/half_precision.py --wheels FOLDER
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from real_networks import LETTERS, in_wheel, listener_network, listening_arrays, speller_networks
from rich.console import Console
from rich.table import Table
from safetensors.numpy import load_file
from speech_like_sound import features, speech_like

import exactnn as xn

OURS = ("float64", "float32", "float16", "tensor core fp16", "bfloat16", "tensor core bf16")
HERE = Path(__file__).parent
TRAINED = ("anbn_lstm", "anbn_gru", "anbncn_lstm", "anbncn_gru")

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A network for exactnn and the same one for torch, and words as arrays of inputs, a row for each step."""

    name: str
    network: xn.Network
    module: Callable[[], torch.nn.Module]
    words: Sequence[Array]
    only_last: bool
    decision: str


class Module(torch.nn.Module):
    """A recurrent layer and a linear one, with a ReLU between them if asked for."""

    def __init__(self, cell: str, tensors: dict[str, Array], weight: Array, bias: Array, *, rectified: bool) -> None:
        super().__init__()
        hidden = tensors["weight_hh_l0"].shape[1]
        self.recurrent = getattr(torch.nn, cell)(tensors["weight_ih_l0"].shape[1], hidden, batch_first=True)
        self.readout = torch.nn.Linear(hidden, len(weight))
        self.rectified = rectified
        self.recurrent.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})
        self.readout.load_state_dict({"weight": torch.tensor(weight), "bias": torch.tensor(bias)})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the outputs of all steps."""
        states = self.recurrent(x)[0]
        return self.readout(states.relu() if self.rectified else states)


def counter(name: str) -> Subject:
    """Return a trained counter on words around the lengths that it was trained on."""
    arrays = load_file(HERE / "trained" / f"{name}.safetensors")
    language, cell = name.split("_")
    symbols = language.replace("n", "")
    words = []
    for n in range(1, 31):
        for more in (-1, 0, 1):
            counts = [n] * (len(symbols) - 1) + [n + more]
            order = [place for place, count in enumerate(counts) for _ in range(count)]
            words.append(np.eye(len(symbols), dtype=np.float32)[order])
    tensors = {key.removeprefix("recurrent."): array for key, array in arrays.items() if key.startswith("recurrent.")}
    weight, bias = arrays["readout.weight"], arrays["readout.bias"]
    return Subject(
        name=name,
        network=xn.load_safetensors(HERE / "trained" / f"{name}.safetensors"),
        module=lambda: Module(cell.upper(), tensors, weight, bias, rectified=False),
        words=words,
        only_last=True,
        decision="protocol",
    )


def detector(folder: Path, seconds: int) -> Subject:
    """Return the voice activity detector on made-up sound."""
    arrays = listening_arrays(in_wheel(folder, "silero_vad", "silero_vad/data/silero_vad_16k_op15.onnx"))
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    tensors = {f"{name}_l0": arrays[f"lstm_cell.{name}"] for name in names}
    weight, bias = arrays["final_conv.weight"].reshape(1, -1), arrays["final_conv.bias"].reshape(1)
    return Subject(
        name="silero-vad",
        network=listener_network(arrays),
        module=lambda: Module("LSTM", tensors, weight, bias, rectified=True),
        words=[np.array(list(features(speech_like(seconds, seed), arrays)), dtype=np.float32) for seed in range(2)],
        only_last=False,
        decision="threshold",
    )


def speller(folder: Path, words: int) -> Subject:
    """Return the network that writes phonemes, on what it writes in float64 after each of some first phonemes."""
    arrays = dict(np.load(io.BytesIO(in_wheel(folder, "g2p_en", "g2p_en/checkpoint20.npz")), allow_pickle=False))
    own = {"weight_ih_l0": "w_ih", "weight_hh_l0": "w_hh", "bias_ih_l0": "b_ih", "bias_hh_l0": "b_hh"}
    tensors = {name: arrays[f"dec_{short}"] for name, short in own.items()}

    def module() -> Module:
        return Module("GRU", tensors, arrays["fc_w"], arrays["fc_b"], rectified=False)

    exact, embedding = module().double(), arrays["dec_emb"]
    read = []
    for first in range(4, 4 + words):
        said = [first]
        for _ in range(len(LETTERS) // 2):
            x = torch.tensor(embedding[said], dtype=torch.float64)[None]
            said.append(int(exact(x)[0, -1].argmax()))
        read.append(embedding[said])
    return Subject(
        name="g2p_en, decoder",
        network=speller_networks(arrays)[1],
        module=module,
        words=read,
        only_last=False,
        decision="argmax",
    )


def of_torch(subject: Subject, dtype: torch.dtype, *, autocast: bool) -> list[Array]:
    """Return the outputs of all words in a type of torch, weights and inputs converted or only the products."""
    module = subject.module() if autocast else subject.module().to(dtype)
    found = []
    for word in subject.words:
        x = torch.tensor(word)[None]
        with torch.backends.mkldnn.flags(enabled=False), torch.autocast("cpu", dtype=dtype, enabled=autocast):
            found.append(module(x if autocast else x.to(dtype))[0].double().numpy())
    return found


def of_exactnn(subject: Subject, arithmetic: str) -> list[Array]:
    """Return the outputs of all words in one of our formats."""
    runs = (xn.run(subject.network, readable(subject, word), arithmetic) for word in subject.words)
    return [
        np.array(run.outputs, dtype=float).reshape(len(word), -1) for run, word in zip(runs, subject.words, strict=True)
    ]


def readable(subject: Subject, word: Array) -> Any:
    """Return a word as `exactnn` takes it: symbols where the network has an alphabet."""
    alphabet = subject.network.alphabet
    return word if alphabet is None else [alphabet[place] for place in word.argmax(axis=1)]


def decisions(subject: Subject, outputs: Sequence[Array]) -> list[list[int]]:
    """Return what is decided on each word."""
    kept = [output[-1:] if subject.only_last else output for output in outputs]
    return [list(each.argmax(axis=1) if each.shape[1] > 1 else (each[:, 0] > 0).astype(int)) for each in kept]


def compare(subject: Subject, console: Console) -> None:
    """Print a row for each way to run the network."""
    report = xn.check_format(
        subject.network, [readable(subject, word) for word in subject.words], list(OURS), decision=subject.decision
    )
    truth = of_exactnn(subject, "float64")
    decided = decisions(subject, truth)
    steps = sum(map(len, decided))
    rows: list[tuple[str, list[Array], str]] = [
        (f"exactnn {name}", of_exactnn(subject, name), str(len(report.flips(name)))) for name in OURS
    ]
    for name, dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16)):
        for autocast in (False, True):
            way = f"autocast({name})" if autocast else f".to({name})"
            with torch.no_grad():
                outputs = of_torch(subject, dtype, autocast=autocast)
            changed = sum(
                mine != true
                for own, its in zip(decisions(subject, outputs), decided, strict=True)
                for mine, true in zip(own, its, strict=True)
            )
            rows.append((f"torch {way}", outputs, str(changed)))
    table = Table("", "largest error of an output", "decisions changed")
    for name, outputs, changed in rows[1:]:
        table.add_row(name, f"{apart(outputs, truth):.2g}", f"{changed} of {steps}")
    worst = report.worst("float64")
    error = 0.0 if worst is None else worst.absolute
    console.print(f"{subject.name}: {len(subject.words)} words; a number in float64 is wrong by {error:.1g} at most")
    console.print(table)


def apart(one: Sequence[Array], other: Sequence[Array]) -> float:
    """Return the largest difference of two lists of outputs."""
    return float(max(np.abs(a - b).max() for a, b in zip(one, other, strict=True)))


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--wheels", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seconds", type=click.IntRange(min=1), default=4, show_default=True, help="Of sound, for silero-vad.")
@click.option("--words", type=click.IntRange(min=1, max=60), default=12, show_default=True, help="For g2p_en.")
def main(wheels: Path | None, seconds: int, words: int) -> None:
    """Compare all networks."""
    console = Console(width=140)
    print(f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}")
    for name in TRAINED:
        compare(counter(name), console)
    if wheels is not None:
        compare(detector(wheels, seconds), console)
        compare(speller(wheels, words), console)


if __name__ == "__main__":
    main()
