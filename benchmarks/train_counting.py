"""Train LSTMs and GRUs to count: recognisers of a^n b^n, n <= 100, and a^n b^n c^n, n <= 50.

The languages and largest n are those of Weiss, Goldberg and Yahav, "On the Practical Computational Power of Finite
Precision RNNs for Language Recognition" (ACL 2018). Theirs are recognisers too, of 10 units, trained on words of the
language and on words with other numbers of symbols; those that they published predict the next symbol instead. Here
the sign of one output after a word is the verdict, so that every word has one, and every prefix of a training word is
a training word (`counting_training.py`).

Adam, all words as one batch, gradients clipped to norm 1. Training begins with n <= 5, and whenever every output is on
its right side by 0.5, n grows by 15 %; the learning rate is 0.02 / sqrt(n). When the largest n is reached, or after
`--steps` steps, there are `--last-steps` more, in which the rate falls to 0, and the weights with the largest margin
among those are kept. Of several seeds the one is written that is right on all training words (or comes nearest: largest
n, then margin) and is right furthest on n up to one and a half times the training lengths; longer words are never
looked at. A training is a unit of work.

    python benchmarks/train_counting.py --store FOLDER --jobs 2 --out benchmarks/trained

One thread, and no random choice but the initial weights: the same command gives the same weights again on the same
machine and version of torch, also if it was stopped and went on. Other machines sum in another order and find others.
"""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import click
import numpy as np
from counting_training import LANGUAGES, Language, Prefixes, loss_and_margin, prefixes, recogniser
from long_work import StoppedError, trained
from recurrent_training import imported, load_progress, one_thread, optimiser_arrays, restore_optimiser, save_progress
from rich.console import Console
from rich.table import Table

from exactnn.campaigns import Unit

CELLS = ("LSTM", "GRU")
HIDDEN = {"anbn": 6, "anbncn": 10}
FIRST, GROWTH, ENOUGH = 5, 1.15, 0.5
"""The n that training begins with, the factor by which it grows, and the margin at which it does."""
EVERY = 100
"""Steps between two files of progress."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the weights depend on."""

    language: str
    cell: str
    hidden: int
    seed: int
    steps: int
    last_steps: int
    rate: float = 0.02

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.language}_{self.cell.lower()}"

    @property
    def title(self) -> str:
        """What the network is called."""
        return f"{self.cell} trained on {self.language}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far training is: steps done, the n that it is at, the steps when the last stage began, if it has."""

    step: int = 0
    n: int = FIRST
    last_from: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Weights by name, how far training came, its margin, and the n up to which validation words are right."""

    settings: Settings
    weights: dict[str, Array]
    stage: Stage
    margin: float
    valid: int

    @property
    def rank(self) -> tuple[bool, int, int, float]:
        """What the best of several seeds is chosen by."""
        longest = LANGUAGES[self.settings.language].longest
        return self.margin > 0 and self.stage.n == longest, self.valid, self.stage.n, self.margin


class Training:
    """One network with its optimiser, which goes on step by step."""

    def __init__(self, settings: Settings) -> None:
        torch = imported("torch")
        self.settings, self.language = settings, LANGUAGES[settings.language]
        self.network = recogniser(settings.cell, settings.hidden, len(self.language.alphabet), settings.seed)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=settings.rate)
        self.stage, self.margin, self.best = Stage(), -np.inf, self.weights()
        self._short = prefixes(self.language.short(), self.language)
        self._close: tuple[int, Prefixes] | None = None

    def weights(self) -> dict[str, Array]:
        """Return a copy of the weights, by name."""
        return {name: each.numpy().copy() for name, each in self.network.state_dict().items()}

    @property
    def done(self) -> bool:
        """Whether no step is left."""
        begun = self.stage.last_from
        return begun is not None and self.stage.step >= begun + self.settings.last_steps

    def _words(self) -> tuple[Prefixes, Prefixes]:
        if self._close is None or self._close[0] != self.stage.n:
            self._close = self.stage.n, prefixes(self.language.close(1, self.stage.n), self.language)
        return self._close[1], self._short

    def _rate(self) -> float:
        begun = self.stage.last_from
        left = 1 if begun is None else 1 - (self.stage.step - begun) / self.settings.last_steps
        return self.settings.rate * left / float(np.sqrt(self.stage.n))

    def step(self) -> None:
        """Take one step of the optimiser, and go on to larger n if all words are right by far enough."""
        torch = imported("torch")
        loss, margin = loss_and_margin(self.network, self._words())
        stage, longest = self.stage, self.language.longest
        if stage.last_from is not None and margin > self.margin:
            self.margin, self.best = margin, self.weights()
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate()
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        n = stage.n
        if margin > ENOUGH and stage.last_from is None:
            n = min(longest, max(n + 1, int(n * GROWTH)))
        ends = stage.last_from is None and (n == longest or stage.step + 1 == self.settings.steps)
        self.stage = Stage(step=stage.step + 1, n=n, last_from=stage.step + 1 if ends else stage.last_from)

    def arrays(self) -> dict[str, Array]:
        """Return all that a file of progress has to keep."""
        kept = {f"best {name}": each for name, each in self.best.items()}
        begun = -1 if self.stage.last_from is None else self.stage.last_from
        kept |= {"stage": np.array([self.stage.step, self.stage.n, begun]), "margin": np.array(self.margin)}
        return kept | optimiser_arrays(self.optimiser)

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from what `arrays` returned."""
        restore_optimiser(self.optimiser, arrays)
        step, n, begun = arrays["stage"].tolist()
        self.stage = Stage(step=step, n=n, last_from=None if begun < 0 else begun)
        self.margin = float(arrays["margin"])
        self.best = {name.removeprefix("best "): each for name, each in arrays.items() if name.startswith("best ")}


def right_up_to(network: Any, language: Language, first: int, last: int) -> int:
    """Return the largest n up to which all training words of n = first, ... would be right; first - 1 if none is."""
    torch = imported("torch")
    for n in range(first, last + 1):
        with torch.no_grad():
            if loss_and_margin(network, [prefixes(language.close(n, n), language)])[1] <= 0:
                return n - 1
    return last


def train(settings: Settings, store: Path | None, advance: Callable[[Stage], object]) -> Trained:
    """Train one network, or go on with it; `advance` is told how far it is."""
    torch = imported("torch")
    path = None if store is None else store / f"{settings.name}_{settings.hidden}_{settings.seed}.npz"
    progress = load_progress(path, asdict(settings)) if path else None
    training = Training(settings)
    if progress:
        training.restore(progress)
    while not training.done:
        training.step()
        if path and (training.stage.step % EVERY == 0 or training.done):
            save_progress(path, asdict(settings), training.arrays())
        advance(training.stage)
    training.network.load_state_dict({name: torch.from_numpy(each) for name, each in training.best.items()})
    longest = training.language.longest
    valid = right_up_to(training.network, training.language, longest + 1, longest * 3 // 2)
    return Trained(
        settings=settings, weights=training.best, stage=training.stage, margin=training.margin, valid=valid
    )  # fmt: skip


@dataclass(frozen=True)
class TrainingUnit(Unit):
    """One training, as a unit of work; its subject is the folder in which it keeps progress, or None."""

    language: str
    cell: str
    hidden: int
    seed: int
    steps: int
    last_steps: int
    rate: float

    def run(self, subject: str | None) -> dict[str, Any]:
        one_thread()
        found = train(self.settings, None if subject is None else Path(subject), lambda stage: None)
        weights = {name: each.tolist() for name, each in found.weights.items()}
        return {"weights": weights, "stage": asdict(found.stage), "margin": float(found.margin), "valid": found.valid}

    @property
    def settings(self) -> Settings:
        return Settings(**{each.name: getattr(self, each.name) for each in fields(Settings)})

    def trained(self, row: dict[str, Any]) -> Trained:
        """Return what `run` told: 32-bit numbers, which JSON keeps whole."""
        weights = {name: np.array(each, dtype=np.float32) for name, each in row["weights"].items()}
        return Trained(
            settings=self.settings, weights=weights, stage=Stage(**row["stage"]), margin=row["margin"],
            valid=row["valid"],
        )  # fmt: skip


def write(trained: Trained, folder: Path) -> Path:
    """Write the weights with the settings as metadata, and return the path."""
    path = folder / f"{trained.settings.name}.safetensors"
    metadata = {name: str(value) for name, value in asdict(trained.settings).items()}
    metadata |= {
        "margin": f"{trained.margin:.6g}", "trained_up_to": str(trained.stage.n), "valid_up_to": str(trained.valid),
        "steps_taken": str(trained.stage.step), "torch": imported("torch").__version__, "format": "pt",
    }  # fmt: skip
    alphabet = list(LANGUAGES[trained.settings.language].alphabet)
    network = {"prefix": "recurrent", "readout": "readout", "alphabet": alphabet, "name": trained.settings.title}
    metadata["exactnn"] = json.dumps(network)
    imported("safetensors.numpy").save_file(trained.weights, path, metadata)
    return path


def best_of_each(found: Iterable[Trained]) -> list[Trained]:
    """Return the best seed of each language and cell."""
    best: dict[str, Trained] = {}
    for each in found:
        name = each.settings.name
        if name not in best or each.rank > best[name].rank:
            best[name] = each
    return list(best.values())


def print_table(console: Console, found: Iterable[Trained]) -> None:
    """Print a row for each network."""
    table = Table("network", "units", "seed", "steps", "trained up to n", "margin", "validation right up to n")
    for each in found:
        settings = each.settings
        row = (
            settings.name,
            settings.hidden,
            settings.seed,
            each.stage.step,
            each.stage.n,
            f"{each.margin:.3f}",
            each.valid,
        )
        table.add_row(*map(str, row))
    console.print(table)


@click.command(help=__doc__.partition("\n\n")[0])
@click.option("--language", "languages", type=click.Choice(list(LANGUAGES)), multiple=True, default=list(LANGUAGES))
@click.option("--cell", "cells", type=click.Choice(CELLS), multiple=True, default=CELLS)
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--first-seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--steps", type=click.IntRange(min=1), default=8000, show_default=True, help="Before the last ones.")
@click.option("--last-steps", type=click.IntRange(min=1), default=1500, show_default=True)
@click.option("--store", type=click.Path(file_okay=False, path_type=Path), help="A folder that keeps progress.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--out", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Write the best there.")
def main(
    languages: tuple[str, ...], cells: tuple[str, ...], seeds: int, first_seed: int, steps: int, last_steps: int,
    store: Path | None, jobs: int, out: Path | None,
) -> None:  # fmt: skip
    one_thread()
    settings = [
        Settings(
            language=language, cell=cell, hidden=HIDDEN[language], seed=seed, steps=steps, last_steps=last_steps
        )
        for language in languages
        for cell in cells
        for seed in range(first_seed, first_seed + seeds)
    ]  # fmt: skip
    units = [TrainingUnit(**asdict(each)) for each in settings]
    try:
        rows = trained(units, store, jobs)
    except StoppedError:
        sys.exit(130)
    found = [unit.trained(row) for unit, row in zip(units, rows, strict=True)]
    print_table(Console(), found)
    if out:
        for best in best_of_each(found):
            click.echo(f"wrote {write(best, out)}")


if __name__ == "__main__":
    main()
