"""Can networks with orthogonal recurrent weights learn what contractive networks do, and how many units do they take?

The numerical experiment of Emami, Sahraee-Ardakan, Rangan and Fletcher, "Input-Output Equivalence of Unitary and
Contractive RNNs" (NeurIPS 2019, arXiv 1910.13672) and its poster: ReLU networks of 2 to 14 units are trained on the
outputs of random contractive networks of 4 units (`contractive_systems.py`), free ones (RNN) and orthogonal ones
(URNN), the latter by projection and by a Cayley transform (`recurrent_training.py`). By theorem 1 a URNN of 8 units
can do it exactly.

Mean squared error, 10 sequences in a batch, Adam with learning rate 0.003, backpropagation through all 1000 steps, no
clipping of gradients. With the poster's rate, 0.01 (`--rate 0.01`), many free networks are in disorder in the last
epoch. The poster names neither optimiser nor epochs nor initial values: Adam, 100 epochs, 700
sequences to train and 300 to test, and the projection after each step are those of its authors' script
(github.com/melikaemami/URNN, where 0.001 is the default of the learning rate), and so are the initial values, the
defaults of Keras: recurrent weights orthogonal, other weights uniform by Glorot, biases 0, Adam's epsilon 1e-7. All
kinds of a realisation and a size begin with the same numbers and see the same sequences in the same order. Weights
are float32.

R^2 is taken over all test sequences, steps and both outputs together, against outputs with noise: "R^2" = 1 - sum (y
- y')^2 / sum y^2, of the last epoch. The true system reaches 1/(1 + 10^(-SNR/10)), 0.990 and 0.969 for 20 and 15 dB.
The script of the authors defines the noise by the mean square and keeps nothing that another R^2 could be computed
from, so it is what the poster seems to show. "centred R^2" has sum (y - mean)^2 below, the mean for each output; it
is lower, and so is what the true system reaches.

Free RNNs blow up now and then. One that has an R^2 below 0 (worse than to say 0 always) or numbers that are not
finite has failed: means and deviations leave it out, the table says how many, and in medians it counts. "R^2 of the
best epoch" is the highest of all looks at the test sequences, one every 5 epochs: a choice that peeks, to see what
the kinds can reach.

    python benchmarks/unitary_learning.py
    python benchmarks/unitary_learning.py --full --store FOLDER --plot unitary_learning.png

The poster says that it averages. So our means stand beside it, with the standard error of each, and our medians without
one: the R^2 of the realisations are skewed, and a few low ones pull the mean far below the median.

The first takes about two minutes: fewer realisations, sizes and epochs. With a store it may be stopped at any time;
the same command goes on from the last whole epoch and gives the same numbers as a run in one go. With `--jobs 2` two
sizes are trained at a time.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
from contractive_systems import INPUTS, OUTPUTS, Data, make_data
from learning_plots import plot_unitary_learning
from long_work import StoppedError, trained
from recurrent_kernels import CHUNK, LANES, gradient_kernel, squared_errors_kernel
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
    spread,
)
from rich.console import Console
from rich.table import Table

from exactnn.campaigns import Unit
from exactnn.errors import ExactnnError, OptionError
from exactnn.plots.picture_file import check_picture_file

BATCH, EVERY, RATE = 10, 5, 0.003
"""Sequences in a batch, epochs between two looks at the test sequences, and the learning rate unless one is given."""
POSTER = {
    20: {
        "RNN": dict(zip(range(2, 16, 2), (0.915, 0.977, 0.9845, 0.988, 0.9885, 0.9885, 0.9885), strict=True)),
        "URNN": dict(zip(range(2, 16, 2), (0.853, 0.9545, 0.970, 0.982, 0.982, 0.985, 0.9855), strict=True)),
    }
}
"""By SNR: read off the curves of the poster, good to 0.003. Of its figure for 15 dB no numbers were read."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the numbers of a run depend on, besides SNR, size and epochs."""

    seed: int
    realisations: int
    train: int
    test: int
    steps: int
    rate: float = RATE
    scaled: bool = True

    def data(self, snr: int) -> Data:
        """Return the data of all realisations."""
        return make_data(
            seed=self.seed, realisations=self.realisations, train=self.train, test=self.test, steps=self.steps,
            snr=snr, scaled=self.scaled,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What networks of one size reached at one SNR: (kinds, realisations), and (realisations,) of the true systems.

    `best` is the highest R² of all looks at the test sequences.
    """

    snr: int
    units: int
    r2: Array
    best: Array
    centred: Array
    ceiling: Array
    centred_ceiling: Array


ARRAYS = ("r2", "best", "centred", "ceiling", "centred_ceiling")


class Networks:
    """Networks of one size, all kinds and realisations, with their optimiser.

    Parameters of shape (kinds, places, ...): one place for each lane of each group of realisations.
    """

    def __init__(self, units: int, settings: Settings) -> None:
        torch = imported("torch")
        self.units, self.settings = units, settings
        self.groups = -(-settings.realisations // LANES)
        drawn = [self._draw(place % settings.realisations) for place in range(self.groups * LANES)]
        stacked = (np.stack(each).astype(np.float32) for each in zip(*drawn, strict=True))
        recurrent, inward, outward = map(torch.from_numpy, stacked)
        self.recurrent = RecurrentWeights(recurrent)
        kinds, places = len(KINDS), len(drawn)
        self.others = [
            inward.repeat(kinds, 1, 1, 1),
            torch.zeros(kinds, places, units),
            outward.repeat(kinds, 1, 1, 1),
            torch.zeros(kinds, places, OUTPUTS),
        ]
        self.optimiser = torch.optim.Adam([self.recurrent.free, *self.others], lr=settings.rate, eps=1e-7)

    def _draw(self, realisation: int) -> tuple[Array, Array, Array]:
        """Return recurrent, input and output weights: Haar orthogonal, and uniform by Glorot."""
        rng = np.random.default_rng([self.settings.seed, realisation, 2, self.units])
        q, r = np.linalg.qr(rng.standard_normal((self.units, self.units)))
        inward, outward = ((6 / (n + self.units)) ** 0.5 for n in (INPUTS, OUTPUTS))
        return (
            q * np.sign(np.diag(r)),
            rng.uniform(-inward, inward, (self.units, INPUTS)),
            rng.uniform(-outward, outward, (OUTPUTS, self.units)),
        )

    def _in_lanes(self, tensors: Sequence[Any]) -> list[Array]:
        """Return (kinds, places, ...) as (kinds, groups, ..., LANES)."""
        arrays = (each.detach().numpy() for each in tensors)
        split = (each.reshape(len(KINDS), self.groups, LANES, *each.shape[2:]) for each in arrays)
        return [np.ascontiguousarray(np.moveaxis(each, 2, -1)) for each in split]

    def _from_lanes(self, array: Array) -> Any:
        places = np.moveaxis(array, -1, 2).reshape(len(KINDS), -1, *array.shape[2:-1])
        return imported("torch").from_numpy(places.copy())

    def _each_group(self) -> Iterator[tuple[int, int]]:
        return ((kind, group) for kind in range(len(KINDS)) for group in range(self.groups))

    def learn(self, data: Data, rows: Array) -> None:
        """Take one step of the optimiser on the sequences `rows`."""
        matrices = self.recurrent.matrices()
        arrays = self._in_lanes([matrices, *self.others])
        found = [np.zeros_like(each) for each in arrays]
        kernel = gradient_kernel(self.units, INPUTS, OUTPUTS)
        for at in self._each_group():
            kernel(data.x[at[1]], data.y[at[1]], rows, *(each[at] for each in arrays), *(each[at] for each in found))
        scale = np.float32(2 / (len(rows) * self.settings.steps * OUTPUTS))
        of_matrices, *of_others = (self._from_lanes(each * scale) for each in found)
        self.optimiser.zero_grad()
        matrices.backward(of_matrices)
        for parameter, gradient in zip(self.others, of_others, strict=True):
            parameter.grad = gradient
        self.optimiser.step()
        self.recurrent.project()

    def squared_errors(self, data: Data) -> Array:
        """Return the sums over all test sequences (kinds, realisations); NaN where a parameter is not finite."""
        torch = imported("torch")
        with torch.no_grad():
            tensors = [self.recurrent.matrices(), *self.others]
        arrays = self._in_lanes(tensors)
        sums = np.zeros((len(KINDS), self.groups, LANES))
        rows = np.arange(self.settings.train, self.settings.train + self.settings.test)
        kernel = squared_errors_kernel(self.units, INPUTS, OUTPUTS)
        for at in self._each_group():
            kernel(data.x[at[1]], data.y[at[1]], rows, *(each[at] for each in arrays), sums[at])
        finite = np.all([torch.isfinite(each).flatten(2).all(-1).numpy() for each in tensors], 0)
        return np.where(finite, sums.reshape(len(KINDS), -1), np.nan)[:, : self.settings.realisations]

    def epoch(self, number: int, data: Data, advance: Callable[[], object]) -> None:
        """Go once through the training sequences, in an order that depends on the epoch and the seed only."""
        order = np.random.default_rng([self.settings.seed, 3, number]).permutation(self.settings.train)
        for first in range(0, self.settings.train - BATCH + 1, BATCH):
            self.learn(data, order[first : first + BATCH])
            advance()


def train(
    snr: int,
    units: int,
    epochs: int,
    settings: Settings,
    data: Callable[[], Data],
    store: Path | None,
    advance: Callable[[int], object],
) -> Outcome:
    """Train networks of one size for one SNR, or go on with it; `advance` is told the steps that are done."""
    path = None if store is None else store / f"snr{snr:02}_units{units:02}.npz"
    described = asdict(settings) | {"snr": snr, "units": units, "batch": BATCH, "every": EVERY}
    progress = (load_progress(path, described) if path else None) or {"epoch": np.array(0), "errors": np.array([])}
    first = int(progress["epoch"])
    advance(min(first, epochs) * (settings.train // BATCH))
    if first < epochs:
        networks, errors = Networks(units, settings), list(progress["errors"])
        if first:
            restore_optimiser(networks.optimiser, progress)
        for number in range(first, epochs):
            networks.epoch(number, data(), lambda: advance(1))
            if (number + 1) % EVERY == 0:
                errors.append(networks.squared_errors(data()))
            progress = {name: getattr(data(), name) for name in ("noise", "power", "variation")}
            progress |= {"epoch": np.array(number + 1), "errors": np.array(errors)}
            if path:
                save_progress(path, described, progress | optimiser_arrays(networks.optimiser))
    looks = progress["errors"][: epochs // EVERY]
    noise, power, variation = (progress[name] for name in ("noise", "power", "variation"))
    return Outcome(
        snr=snr, units=units, r2=1 - looks[-1] / power, best=1 - np.fmin.reduce(looks) / power,
        centred=1 - looks[-1] / variation, ceiling=1 - noise / power, centred_ceiling=1 - noise / variation,
    )  # fmt: skip


@dataclass(frozen=True)
class Training(Unit):
    """Networks of one size at one SNR: all kinds and realisations."""

    snr: int
    units: int
    epochs: int
    seed: int
    realisations: int
    train: int
    test: int
    steps: int
    rate: float
    scaled: bool

    def run(self, subject: str | None) -> dict[str, Any]:
        one_thread()
        names = ("seed", "realisations", "train", "test", "steps", "rate", "scaled")
        settings = Settings(**{name: getattr(self, name) for name in names})
        data = cache(lambda: settings.data(self.snr))
        store = None if subject is None else Path(subject)
        found = train(self.snr, self.units, self.epochs, settings, data, store, lambda n: None)
        return {name: getattr(found, name).tolist() for name in ARRAYS}

    def outcome(self, row: dict[str, Any]) -> Outcome:
        return Outcome(snr=self.snr, units=self.units, **{name: np.array(values) for name, values in row.items()})


def shown_r2(values: Array) -> str:
    """Return mean ± standard deviation of what is at least 0, and the median of all, of which NaN is the worst."""
    failed = int(np.sum(~(values >= 0)))
    text = shown_spread(values[values >= 0].tolist(), ".4f")
    text += f" ({np.median(np.nan_to_num(values, nan=-np.inf)):.4f})"
    return f"{text}, {failed} failed" if failed else text


def print_tables(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Print R^2 by SNR and size, beside the poster, and URNN of 2n units against RNN of n."""
    for snr in dict.fromkeys(each.snr for each in outcomes):
        of_snr = {each.units: each for each in outcomes if each.snr == snr}
        for name, title in (("r2", "R²"), ("best", "R² of the best epoch"), ("centred", "centred R²")):
            table = Table(title=f"{title}, {snr} dB: mean ± standard deviation (median)")
            published = POSTER.get(snr, {}) if name != "centred" else {}
            for column in ("units", *KINDS, *(f"poster, {kind}" for kind in published), "true system"):
                table.add_column(column, justify="right")
            for units, outcome in of_snr.items():
                ceiling = outcome.centred_ceiling if name == "centred" else outcome.ceiling
                theirs = [f"{curve[units]:.4f}" if units in curve else "-" for curve in published.values()]
                ours = map(shown_r2, getattr(outcome, name))
                table.add_row(str(units), *ours, *theirs, f"{ceiling.mean():.4f}")
            console.print(table)
        print_differences(console, snr, of_snr)
        print_gaps(console, snr, of_snr)


def print_differences(console: Console, snr: int, outcomes: Mapping[int, Outcome]) -> None:
    """Print our medians and our means less the curves of the poster; the latter in standard errors, too.

    Means are of the R² that are at least 0, and so are their standard errors: the deviation over the root of how many
    there are. The poster's own means have an error as well, which it does not show.
    """
    table = Table(title=f"R² less the poster, {snr} dB: median, mean (standard errors of the mean)")
    for column in ("units", *(f"{name}, {epoch} epoch" for name in POSTER.get(snr, {}) for epoch in ("last", "best"))):
        table.add_column(column, justify="right")
    for units, outcome in outcomes.items():
        cells = []
        for kind, curve in enumerate(POSTER.get(snr, {}).values()):
            for values in (outcome.r2[kind], outcome.best[kind]) if units in curve else ():
                kept = values[values >= 0]
                mean, deviation = spread(kept.tolist())
                median = np.median(np.nan_to_num(values, nan=-np.inf)) - curve[units]
                errors = np.divide(mean - curve[units], deviation / max(1, len(kept)) ** 0.5)
                cells.append(f"{median:+.4f}, {mean - curve[units]:+.4f} ({errors:+.1f})")
        table.add_row(str(units), *cells)
    if snr in POSTER:
        console.print(table)


def print_gaps(console: Console, snr: int, outcomes: Mapping[int, Outcome]) -> None:
    """Print whether URNN of 2n units reach RNN of n, realisation by realisation."""
    table = Table(title=f"2n units less RNN with n, R² of the best epochs, {snr} dB")
    for column in ("n", "kind with 2n", "mean", "standard error", "median", "above 0"):
        table.add_column(column, justify="right")
    for n in outcomes:
        for kind, name in enumerate(KINDS) if 2 * n in outcomes else ():
            gaps = outcomes[2 * n].best[kind] - outcomes[n].best[0]
            gaps = gaps[(outcomes[2 * n].best[kind] >= 0) & (outcomes[n].best[0] >= 0)]
            mean, deviation = spread(gaps.tolist())
            error, median = deviation / max(1, len(gaps)) ** 0.5, np.median(gaps) if len(gaps) else np.nan
            figures = (f"{mean:+.4f}", f"{error:.4f}", f"{median:+.4f}")
            table.add_row(str(n), name, *figures, f"{np.sum(gaps > 0)} of {len(gaps)}")
    if table.row_count:
        console.print(table)


@click.command()
@click.option("--full", is_flag=True, help="As the poster: 30 realisations, 2 to 14 units, 15 and 20 dB.")
@click.option("--snr", "snrs", multiple=True, type=int, help="dB; may be given again.  [default: 20]")
@click.option("--units", "sizes", multiple=True, type=click.IntRange(1), help="A size; may be given again.")
@click.option("--realisations", type=click.IntRange(1), default=None, help="[default: 16]")
@click.option("--epochs", type=click.IntRange(EVERY), default=None, help=f"A multiple of {EVERY}.  [default: 20]")
@click.option("--train", type=click.IntRange(BATCH), default=700, show_default=True, help="Sequences to train with.")
@click.option("--test", type=click.IntRange(1), default=300, show_default=True, help="Sequences to test with.")
@click.option("--steps", type=click.IntRange(CHUNK), default=1000, show_default=True, help=f"A multiple of {CHUNK}.")
@click.option("--rate", type=click.FloatRange(0, min_open=True), default=RATE, show_default=True, help="Of learning.")
@click.option("--unscaled", is_flag=True, help="W = I - 0.01 A'A, as in the authors' script, instead of the poster's.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="Keep progress there.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="Draw R² against units: .png, .svg or .pdf.")
def main(
    full: bool, snrs: tuple[int, ...], sizes: tuple[int, ...], realisations: int | None, epochs: int | None,
    train: int, test: int, steps: int, rate: float, unscaled: bool, seed: int, store: Path | None, jobs: int,
    picture: Path | None,
) -> None:  # fmt: skip
    """Train RNNs and URNNs on outputs of contractive networks and compare what they reach."""
    notes = Console(stderr=True)
    snrs, sizes = snrs or ((20, 15) if full else (20,)), sizes or (tuple(range(2, 16, 2)) if full else (2, 4, 8))
    epochs = epochs or (100 if full else 20)
    settings = Settings(
        seed=seed, realisations=realisations or (30 if full else 16), train=train, test=test, steps=steps, rate=rate,
        scaled=not unscaled,
    )  # fmt: skip
    try:
        if epochs % EVERY or steps % CHUNK:
            raise OptionError(f"--epochs {epochs} --steps {steps}: give multiples of {EVERY} and {CHUNK}")
        if picture:
            check_picture_file(picture)
        torch = one_thread()
        work = [Training(snr=snr, units=n, epochs=epochs, **asdict(settings)) for snr in snrs for n in sizes]
        outcomes = [unit.outcome(row) for unit, row in zip(work, trained(work, store, jobs), strict=True)]
        if picture:
            plot_unitary_learning(outcomes, POSTER, picture)
        console = Console(width=170)
        console.print(f"torch {torch.__version__}, numpy {np.__version__}, {settings}, {epochs} epochs")
        print_tables(console, outcomes)
    except StoppedError:
        sys.exit(130)
    except ExactnnError as error:
        notes.print(f"error: {error}", markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
